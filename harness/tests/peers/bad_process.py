"""Peers that hang, flood, die or leave something behind."""

import os
import resource
import signal
import sys
import threading
import time

from base import Server
from table import LIFE, peer

SILENT = "jsonrpc.response-required|lifecycle.initialize-responds=fail"


def doze():
    """Waits for a signal that ends the process; LIFE ends it at the latest."""
    while True:
        time.sleep(LIFE)


def detach(task):
    """Runs a task in a child process that the parent forgets."""
    if not os.fork():
        signal.alarm(LIFE)
        os.close(0)
        task()
        os._exit(0)


# -- silence --------------------------------------------------------------------------------


@peer("never-flushes", SILENT)
class NeverFlushes(Server):
    """Keeps all output in a buffer until it exits."""

    held = b""

    def write(self, data):
        self.held += data

    def on_eof(self):
        super().write(self.held)
        return super().on_eof()


@peer("flushes-full-blocks", SILENT)
class FlushesFullBlocks(NeverFlushes):
    """Writes 4096 bytes at a time, so small answers wait for others."""

    def write(self, data):
        super().write(data)
        while len(self.held) >= 4096:
            Server.write(self, self.held[:4096])
            self.held = self.held[4096:]


@peer("never-reads", SILENT)
class NeverReads(Server):
    """Neither reads nor writes."""

    def on_start(self):
        doze()


@peer("silent", SILENT)
class Silent(Server):
    """Reads everything and answers nothing."""

    def on_line(self, line):
        pass


@peer("stops-reading", "jsonrpc.response-required=fail")
class StopsReading(Server):
    """Reads nothing more after the handshake."""

    def on_notification(self, message):
        if message.method == "notifications/initialized":
            doze()


@peer("stderr-only", SILENT)
class StderrOnly(Server):
    """Answers on stderr instead of stdout."""

    def write(self, data):
        os.write(2, data)


# -- floods ---------------------------------------------------------------------------------


@peer("floods-stdout", "stdio.stdout-pure|stdio.line-terminated=fail")
class FloodsStdout(Server):
    """Writes bytes without a newline from the start, as fast as it can, and reads nothing."""

    block = b"x" * 65536

    def on_start(self):
        while True:
            self.write(self.block)


@peer("floods-lines", "stdio.stdout-pure=fail")
class FloodsLines(FloodsStdout):
    """Writes lines of text from the start, as fast as it can, and reads nothing."""

    block = b"still starting up, please wait\n" * 2000


@peer("floods-after-handshake", "stdio.stdout-pure|stdio.line-terminated=fail")
class FloodsAfterHandshake(Server):
    """Writes bytes without a newline for ever, from the handshake on."""

    def on_notification(self, message):
        while message.method == "notifications/initialized":
            self.write(b"\x00" * 65536)


@peer("floods-inside-string", "jsonrpc.response-required|stdio.line-terminated=fail")
class FloodsInsideString(Server):
    """Begins a good answer to tools/list, and never ends the string in it."""

    def tools_list(self, message):
        self.write(b'{"jsonrpc":"2.0","id":%s,"result":{"tools":[],"x":"' % message.id.encode())
        while True:
            self.write(b"x" * 65536)


# -- deaths ---------------------------------------------------------------------------------


@peer("exits-at-once", "exit=3")
class ExitsAtOnce(Server):
    """Exits with 1 before it reads, and says why on stderr."""

    def on_start(self):
        sys.exit("error: DATABASE_URL is not set")


@peer("exits-at-once-with-0", "exit=3")
class ExitsAtOnceWith0(Server):
    """Exits with 0 before it reads, and says nothing."""

    def on_start(self):
        sys.exit(0)


@peer("exits-after-first-reply", "jsonrpc.response-required=fail")
class ExitsAfterFirstReply(Server):
    """Exits with 0 after its first answer though stdin is open."""

    def on_request(self, message):
        super().on_request(message)
        sys.exit(0)


@peer("exits-after-burst", "jsonrpc.response-required|jsonrpc.pipelining=fail")
class ExitsAfterBurst(Server):
    """Exits with 0 when it has served 15 requests of one read."""

    served = 0

    def on_idle(self):
        self.served = 0

    def on_request(self, message):
        super().on_request(message)
        self.served += 1
        if self.served == 15:
            sys.exit(0)


@peer("crashes-on-call", "jsonrpc.response-required=fail")
class CrashesOnCall(Server):
    """Dies by SIGABRT when a tool is called."""

    def tools_call(self, message):
        abort()


@peer("crashes-on-eof", "stdio.eof-exit-code=warn")
class CrashesOnEof(Server):
    """Dies by SIGABRT when stdin closes."""

    def on_eof(self):
        abort()


def abort():
    """Dies by a signal, without a core file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.kill(os.getpid(), signal.SIGABRT)


# -- the end --------------------------------------------------------------------------------


@peer("ignores-eof", "stdio.eof-exit=info")
class IgnoresEof(Server):
    """Goes on when stdin closes, until SIGTERM."""

    def on_eof(self):
        doze()


@peer("ignores-eof-modern", "stdio.eof-exit=warn", era="modern")
class IgnoresEofModern(IgnoresEof):
    """Goes on when stdin closes, where 2026-07-28 asks it to exit."""


@peer("spins-on-eof", "stdio.eof-exit=info")
class SpinsOnEof(Server):
    """Reads the end of stdin again and again, with a whole core, until SIGTERM."""

    def on_eof(self):
        while not os.read(0, 1):
            pass


@peer("ignores-eof-and-term", "stdio.eof-exit=warn")
class IgnoresEofAndTerm(IgnoresEof):
    """Goes on when stdin closes and ignores SIGTERM, so only SIGKILL ends it."""

    def on_start(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


@peer("hangs-on-partial-line", "robust.partial-line-eof|stdio.eof-exit=info")
class HangsOnPartialLine(Server):
    """Waits for ever for the rest of a line when stdin closes inside one."""

    def on_tail(self, line):
        doze()


@peer("drops-in-flight", "robust.eof-in-flight=warn")
class DropsInFlight(Server):
    """Answers each request after 100 ms, and forgets those that are open when stdin closes."""

    def on_request(self, message):
        threading.Timer(0.1, super().on_request, [message]).start()

    def on_eof(self):
        os._exit(0)


# -- processes ------------------------------------------------------------------------------


@peer("grandchild-holds-stdout", "robust.leaked-process=warn")
class GrandchildHoldsStdout(Server):
    """Leaves a child that holds stdout and stderr open when it exits."""

    def on_start(self):
        detach(doze)


@peer("grandchild-ignores-term", "robust.leaked-process=warn")
class GrandchildIgnoresTerm(Server):
    """Leaves a child that holds stdout open and ignores SIGTERM."""

    def on_start(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        detach(doze)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def become_daemon():
    """Leaves the session, the parent and the streams behind."""
    os.setsid()
    if os.fork():
        os._exit(0)
    signal.alarm(LIFE)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)


@peer("daemon-setsid", "robust.leaked-process=warn")
class DaemonSetsid(Server):
    """Leaves a daemon in a session of its own, with no stream of ours."""

    def on_start(self):
        detach(lambda: (become_daemon(), doze()))


@peer("daemon-clean-env", "robust.leaked-process=warn")
class DaemonCleanEnv(Server):
    """Leaves a daemon whose environment is empty and whose program is another."""

    def on_start(self):
        detach(lambda: (become_daemon(), os.execve("/bin/sleep", ["sleep", str(LIFE)], {})))


@peer("daemon-noisy", "stdio.stdout-pure|robust.leaked-process=fail")
class DaemonNoisy(Server):
    """Leaves a child that writes text to stdout after the server has exited."""

    def on_start(self):
        def write_later():
            parent = os.getppid()
            while os.getppid() == parent:
                time.sleep(0.01)
            self.write(b"goodbye from the background\n")

        detach(write_later)
