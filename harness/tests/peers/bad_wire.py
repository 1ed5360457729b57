"""Peers that break framing, encoding or JSON."""

import json
import os
import re

from base import Server
from parts import Logging
from table import peer

# -- text beside the messages ---------------------------------------------------------------


@peer("banner-on-stdout", "stdio.stdout-pure=fail")
class BannerOnStdout(Server):
    """Prints a line of text on stdout before the first message."""

    def on_start(self):
        self.write(b"Demo MCP server v1.0.0 running on stdio\n")


@peer("log-during-call", "stdio.stdout-pure=fail")
class LogDuringCall(Server):
    """Prints a line of text on stdout while a tool runs, and is clean otherwise."""

    def call(self, message, tool, arguments):
        self.write(b"[info] tools/call " + tool.name.encode() + b"\n")
        return super().call(message, tool, arguments)


@peer("log-on-error-path", "stdio.stdout-pure=fail")
class LogOnErrorPath(Server):
    """Prints a traceback on stdout when a method is unknown."""

    def fail(self, id, code, message, data=None):
        if code == -32601:
            self.write(b"Traceback (most recent call last):\n  KeyError: method\n")
        super().fail(id, code, message, data)


@peer("goodbye-on-stdout", "stdio.stdout-pure=fail")
class GoodbyeOnStdout(Server):
    """Prints a line of text on stdout when stdin has closed."""

    def on_eof(self):
        self.write(b"Shutting down.\n")
        return super().on_eof()


@peer("ansi", "stdio.stdout-pure=fail")
class Ansi(Server):
    """Puts terminal escapes without a newline before each message."""

    def write(self, data):
        super().write(b"\x1b[2K\x1b[1G" + data)


@peer("glued-noise", "stdio.stdout-pure=fail")
class GluedNoise(Server):
    """Puts text without a newline before each message."""

    def write(self, data):
        super().write(b"DEBUG sending: " + data)


@peer("trailing-noise", "stdio.stdout-pure=fail")
class TrailingNoise(Server):
    """Puts text behind each message on its line."""

    def write(self, data):
        super().write(data[:-1] + b" (sent)\n")


@peer("stray-object", "stdio.stdout-pure|jsonrpc.message-shape|jsonrpc.version-member=fail")
class StrayObject(Server):
    """Writes a log record, valid JSON and no message, before each answer."""

    def send(self, text):
        super().send('{"level":"info","msg":"request served"}')
        super().send(text)


@peer("stray-scalar", "stdio.stdout-pure|jsonrpc.message-shape=fail")
class StrayScalar(Server):
    """Writes the line true, valid JSON and no message, after each answer."""

    def send(self, text):
        super().send(text)
        super().send("true")


@peer("blank-lines", "stdio.stdout-pure=warn")
class BlankLines(Server):
    """Writes an empty line after each message."""

    def write(self, data):
        super().write(data + b"\n")


# -- framing --------------------------------------------------------------------------------


@peer("pretty-printed", "stdio.no-embedded-newline=fail")
class PrettyPrinted(Server):
    """Writes each message on many lines."""

    def send(self, text):
        super().send(json.dumps(json.loads(text), indent=2))


@peer("raw-newline-in-string", "stdio.no-embedded-newline|stdio.stdout-pure=fail")
class RawNewlineInString(Server):
    """Has an unescaped newline in a tool's description."""

    def encode(self, value):
        return super().encode(value).replace('"description":"echo"', '"description":"one\ntwo"')


LSP = "stdio.stdout-pure|stdio.no-embedded-newline|stdio.line-terminated=fail"


@peer("content-length-out", LSP)
class ContentLengthOut(Server):
    """Writes Content-Length headers before each message, and no newline after it."""

    def write(self, data):
        super().write(b"Content-Length: %d\r\n\r\n" % (len(data) - 1) + data[:-1])


@peer("content-length-in", "jsonrpc.response-required|lifecycle.initialize-responds=fail")
class ContentLengthIn(Server):
    """Waits for Content-Length headers, so a plain line is never answered."""

    def lines(self):
        pending = b""
        while True:
            found = re.search(rb"Content-Length: *(\d+)\r\n(?:[^\r\n]+\r\n)*\r\n", pending)
            end = found.end() + int(found[1]) if found else 0
            if found and len(pending) >= end:
                yield pending[found.end() : end]
                pending = pending[end:]
                continue
            chunk = os.read(0, 65536)
            if not chunk:
                return
            pending += chunk

    def write(self, data):
        super().write(b"Content-Length: %d\r\n\r\n" % (len(data) - 1) + data[:-1])


@peer("no-trailing-newline", "stdio.line-terminated=fail")
class NoTrailingNewline(Server):
    """Writes a newline before each message but the first, and none after it."""

    lead = b""

    def write(self, data):
        super().write(self.lead + data[:-1])
        self.lead = b"\n"


@peer("cr-lines", "stdio.line-terminated=fail")
class CrLines(Server):
    """Ends each message with CR alone."""

    def write(self, data):
        super().write(data[:-1] + b"\r")


@peer("nul-ended", "stdio.line-terminated|stdio.stdout-pure=fail")
class NulEnded(Server):
    """Ends each message with a NUL byte instead of a newline."""

    def write(self, data):
        super().write(data[:-1] + b"\0")


@peer("last-line-unterminated", "stdio.line-terminated=warn")
class LastLineUnterminated(Logging):
    """Sends a log notification without a newline as its last bytes before it exits."""

    ended = False

    def on_eof(self):
        self.ended = True
        self.log("emergency", "the end")
        return super().on_eof()

    def write(self, data):
        super().write(data[:-1] if self.ended else data)


@peer("two-on-one-line", "stdio.single-message-per-line=fail")
class TwoOnOneLine(Server):
    """Writes a notification and the answer to tools/list on one line."""

    capabilities = {"tools": {"listChanged": True}}

    def write(self, data):
        if b'"tools":[' in data:
            data = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}' + data
        super().write(data)


@peer("half-answer", "jsonrpc.response-required|stdio.line-terminated|stdio.stdout-pure=fail")
class HalfAnswer(Server):
    """Stops in the middle of its answer to tools/list, and goes on with the next one."""

    def write(self, data):
        super().write(data[: len(data) // 2] if b'"tools":[' in data else data)


@peer("array-wrapped", "stdio.single-message-per-line=fail")
class ArrayWrapped(Server):
    """Wraps each response in an array."""

    def respond(self, text):
        self.send("[" + text + "]")


@peer("serves-batches-everywhere", "stdio.single-message-per-line=warn")
class ServesBatchesEverywhere(Server):
    """Answers a batch with an array in revisions that have none."""

    def on_batch(self, messages):
        kept = self.pinned, self.version
        self.pinned, self.version = "legacy", "2025-03-26"
        super().on_batch(messages)
        self.pinned, self.version = kept


@peer("batch-ignored", "batch.receive=fail")
class BatchIgnored(Server):
    """Says nothing to a batch under 2025-03-26, its only version."""

    legacy = ["2025-03-26"]

    def on_batch(self, messages):
        pass


@peer("batch-in-lines", "batch.receive=warn")
class BatchInLines(Server):
    """Answers a batch with a line for each request under 2025-03-26, its only version."""

    legacy = ["2025-03-26"]

    def on_batch(self, messages):
        for message in messages:
            self.on_message(message)


# -- encoding and JSON ----------------------------------------------------------------------


@peer("latin1-out", "stdio.utf8=fail")
class Latin1Out(Server):
    """Writes Latin-1, and has an é in its name and in its errors."""

    name = "café"

    def encode(self, value):
        return json.dumps(value, ensure_ascii=False)

    def fail(self, id, code, message, data=None):
        super().fail(id, code, message + ", désolé", data)

    def send(self, text):
        self.write(text.encode("latin-1", "replace") + b"\n")


@peer("surrogate-bytes-out", "stdio.utf8=fail")
class SurrogateBytesOut(Server):
    """Writes a surrogate pair as two sequences of three bytes (CESU-8) in its name."""

    name = "\ud83d\ude00"

    def encode(self, value):
        return json.dumps(value, ensure_ascii=False)

    def send(self, text):
        self.write(text.encode("utf-8", "surrogatepass") + b"\n")


@peer("surrogate-escape-out", "stdio.utf8=warn")
class SurrogateEscapeOut(Server):
    """Has the escape of an unpaired surrogate in a tool's description."""

    def __init__(self, era=None):
        super().__init__(era)
        self.tools[0].definition["description"] = "cut emoji: \ud83d"


@peer("utf16-out", "stdio.utf8|stdio.stdout-pure=fail")
class Utf16Out(Server):
    """Writes UTF-16."""

    def send(self, text):
        self.write((text + "\n").encode("utf-16-le"))


@peer("bom-first", "stdio.utf8=warn")
class BomFirst(Server):
    """Writes a byte order mark before its first message."""

    mark = b"\xef\xbb\xbf"

    def write(self, data):
        super().write(self.mark + data)
        self.mark = b""


@peer("crlf", "stdio.no-embedded-newline=info")
class Crlf(Server):
    """Ends each line with CR LF, a control: it costs one line of information."""

    def write(self, data):
        super().write(data[:-1] + b"\r\n")


@peer("nan-out", "stdio.stdout-pure=fail")
class NanOut(Server):
    """Has NaN, which is not JSON, in the answer to tools/list."""

    def tools_list(self, message):
        return dict(super().tools_list(message), load=float("nan"))


@peer("python-repr-out", "stdio.stdout-pure=fail")
class PythonReprOut(Server):
    """Writes True for true in the answer to tools/list."""

    def encode(self, value):
        return super().encode(value).replace(":true", ":True")


@peer("duplicate-keys-out", "jsonrpc.duplicate-keys=warn")
class DuplicateKeysOut(Server):
    """Has a member twice in the answer to tools/list."""

    def encode(self, value):
        return super().encode(value).replace('"tools":[', '"tools":[],"tools":[', 1)
