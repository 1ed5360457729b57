"""Peers that misread valid requests, or die of what is merely unusual."""

import json
import os
import sys

from base import METHOD_NOT_FOUND, Server
from message import INVALID_PARAMS, Refusal
from table import peer

REPLY = "jsonrpc.response-required=fail"

# -- methods --------------------------------------------------------------------------------


@peer("unknown-method-success", "jsonrpc.method-not-found=fail")
class UnknownMethodSuccess(Server):
    """Answers an unknown method with an empty result."""

    def on_request(self, message):
        if message.method in self.handlers("legacy"):
            super().on_request(message)
        else:
            self.answer(message.id, {})


@peer("unknown-method-silent", "jsonrpc.method-not-found|jsonrpc.response-required=fail")
class UnknownMethodSilent(Server):
    """Does not answer an unknown method."""

    def on_request(self, message):
        if message.method in self.handlers("legacy"):
            super().on_request(message)


@peer("unknown-method-wrong-code", "jsonrpc.method-not-found=warn")
class UnknownMethodWrongCode(Server):
    """Answers an unknown method with -32603."""

    def fail(self, id, code, message, data=None):
        super().fail(id, -32603 if code == METHOD_NOT_FOUND else code, message, data)


@peer("rejects-extra-members", "jsonrpc.extra-members=warn")
class RejectsExtraMembers(Server):
    """Drops a request that has a member beside those of JSON-RPC."""

    def on_request(self, message):
        if not set(message.fields) - {"jsonrpc", "id", "method", "params"}:
            super().on_request(message)


@peer("rejects-meta", "meta.unknown-keys=fail")
class RejectsMeta(Server):
    """Refuses a request whose _meta has a key that it does not know."""

    def on_request(self, message):
        if set(message.meta) - {"progressToken"}:
            self.fail(message.id, INVALID_PARAMS, "unrecognized key in _meta")
        else:
            super().on_request(message)


@peer("needs-params", "pagination.no-params|jsonrpc.response-required=fail")
class NeedsParams(Server):
    """Refuses tools/list without params."""

    def tools_list(self, message):
        if "params" not in message.fields:
            raise Refusal(INVALID_PARAMS, "params is missing")
        return super().tools_list(message)


# -- reading --------------------------------------------------------------------------------


@peer("reads-as-messages", REPLY)
class ReadsAsMessages(Server):
    """Takes what one read returns for one message, or several if newlines are in it."""

    def lines(self):
        while True:
            chunk = os.read(0, 65536)
            if not chunk:
                return
            yield from chunk.split(b"\n")


@peer("one-message-a-read", "jsonrpc.response-required|jsonrpc.pipelining=fail")
class OneMessageARead(Server):
    """Serves only the first line of what one read returns."""

    fresh = True

    def on_idle(self):
        self.fresh = True

    def on_line(self, line):
        if self.fresh:
            super().on_line(line)
        self.fresh = False


@peer("decodes-each-read", "jsonrpc.id-echo|" + REPLY)
class DecodesEachRead(Server):
    """Decodes each read on its own, so a character that is cut in two becomes two errors."""

    def lines(self):
        pending = ""
        while True:
            chunk = os.read(0, 65536)
            if not chunk:
                return
            parts = (pending + chunk.decode("utf-8", "replace")).split("\n")
            pending = parts.pop()
            for part in parts:
                yield part.encode("utf-8", "surrogatepass")


@peer("splits-input-on-u2028", REPLY)
class SplitsInputOnU2028(Server):
    """Takes U+2028, U+2029 and U+0085 in a request for the end of a line."""

    def on_line(self, line):
        for part in line.decode("utf-8", "replace").splitlines():
            super().on_line(part.encode())


@peer("line-limit-64k", REPLY)
class LineLimit64k(Server):
    """Drops lines longer than 64 KiB."""

    def on_line(self, line):
        if len(line) <= 65536:
            super().on_line(line)


@peer("line-limit-64k-dies", REPLY)
class LineLimit64kDies(Server):
    """Exits on a line longer than 64 KiB."""

    def on_line(self, line):
        if len(line) > 65536:
            sys.exit("bufio.Scanner: token too long")
        super().on_line(line)


@peer("line-limit-512k", "jsonrpc.response-required|robust.large-message=warn")
class LineLimit512k(Server):
    """Drops lines longer than 512 KiB."""

    def on_line(self, line):
        if len(line) <= 512 << 10:
            super().on_line(line)


@peer("quadratic-reader", "robust.input-cost=warn")
class QuadraticReader(Server):
    """Copies and decodes all of the line it has with each 4 KiB that it reads."""

    def lines(self):
        pending = b""
        while True:
            chunk = os.read(0, 4096)
            if not chunk:
                return
            pending = pending + chunk
            *lines, rest = pending.decode("utf-8", "surrogateescape").split("\n")
            if lines:
                yield from (line.encode("utf-8", "surrogateescape") for line in lines)
                pending = rest.encode("utf-8", "surrogateescape")


@peer("latin1-in", "stdio.utf8|jsonrpc.id-echo=fail")
class Latin1In(Server):
    """Reads Latin-1, so text beyond ASCII, ids too, comes back garbled."""

    def on_line(self, line):
        super().on_line(line.decode("latin-1").encode())


@peer("dies-on-crlf", "robust.crlf-input=info")
class DiesOnCrlf(Server):
    """Exits on a line that ends with CR LF."""

    def on_line(self, line):
        if line.endswith(b"\r"):
            sys.exit("unexpected carriage return")
        super().on_line(line)


@peer("dies-of-bad-utf8", "robust.invalid-utf8|jsonrpc.survives-malformed=warn")
class DiesOfBadUtf8(Server):
    """Exits on a byte that is not UTF-8."""

    def on_line(self, line):
        line.decode("utf-8")
        super().on_line(line)


@peer("dies-of-deep-nesting", "robust.deep-nesting=warn")
class DiesOfDeepNesting(Server):
    """Exits on a message that is nested too deep for its decoder."""

    def on_too_deep(self, text):
        sys.exit("RecursionError: maximum recursion depth exceeded")


@peer("silent-on-deep-nesting", "robust.deep-nesting=warn")
class SilentOnDeepNesting(Server):
    """Does not answer a message that is nested too deep for its decoder."""

    def on_too_deep(self, text):
        pass


@peer("dies-of-huge-number", "robust.numbers=warn")
class DiesOfHugeNumber(Server):
    """Exits on a number that no double can hold."""

    def on_message(self, message):
        if message and "Infinity" in json.dumps(message.fields):
            sys.exit("OverflowError: number too large")
        super().on_message(message)


@peer("dies-of-lone-surrogate", "robust.strings|jsonrpc.response-required=warn")
class DiesOfLoneSurrogate(Server):
    """Exits on a message with a surrogate that has no partner, which has no UTF-8."""

    def on_message(self, message):
        if message:
            json.dumps(message.fields, ensure_ascii=False).encode("utf-8")
        super().on_message(message)


@peer("dies-of-null-params", "jsonrpc.params-shape|jsonrpc.survives-malformed=warn")
class DiesOfNullParams(Server):
    """Exits on a request whose params are null."""

    def on_request(self, message):
        if message.fields.get("params", {}) is None:
            sys.exit("AttributeError: 'NoneType' object has no attribute 'get'")
        super().on_request(message)


@peer("dies-of-notification-flood", "robust.notification-flood=warn")
class DiesOfNotificationFlood(Server):
    """Exits after 5000 notifications."""

    seen = 0

    def on_notification(self, message):
        self.seen += 1
        if self.seen > 5000:
            sys.exit("RuntimeError: queue full")
