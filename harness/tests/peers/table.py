"""The table that peers register in, and its command line."""

import signal
import sys

from base import play

# Name to class, in the order of registration.
PEERS = {}

# No peer outlives a broken test for ever: past this many seconds it is ended by SIGALRM.
LIFE = 300


def peer(name, owes=None, era="legacy"):
    """Registers a server class under a name.

    `owes` is what a harness must report, as `requirement=verdict[,…]`; None for a conformant
    peer. `era` is what the peer speaks unless the command line says otherwise.
    """

    def register(server):
        if name in PEERS:
            raise ValueError("two peers named " + name)
        server.owes, server.era = owes, era
        PEERS[name] = server
        return server

    return register


def summary(server):
    """The first paragraph of a peer's docstring, on one line."""
    return " ".join(server.__doc__.split("\n\n")[0].split())


def rows():
    """The lines of --list: name, what is owed if anything, summary, era."""
    for name, server in PEERS.items():
        owed = [] if server.owes is None else [server.owes]
        yield "\t".join([name] + owed + [summary(server), server.era])


def main():
    """The command line: NAME [--era ERA], or --list."""
    arguments = sys.argv[1:]
    if arguments == ["--list"]:
        print("\n".join(rows()))
        return
    era = None
    if len(arguments) == 3 and arguments[1] == "--era":
        era = arguments.pop()
        arguments.pop()
    if len(arguments) != 1 or arguments[0] not in PEERS:
        sys.exit("usage: %s --list | NAME [--era legacy|modern|both]" % sys.argv[0])
    signal.alarm(LIFE)
    play(PEERS[arguments[0]](era))
