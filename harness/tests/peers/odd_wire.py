"""Oddities of bytes and of JSON text."""

import json
import os
import re
import sys
import time

from base import PARSE_ERROR, Server
from parts import Logging
from table import peer
from tools import READ_ONLY, Tool

NOTE = {"com.example/note": "naïve 日本語 🛠"}


class Utf8(Server):
    """Writes UTF-8 as it is, and has a character of several bytes in every message."""

    def encode(self, value):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)

    def answer(self, id, result):
        super().answer(id, dict(result, _meta=dict(result.get("_meta", {}), **NOTE)))

    def fail(self, id, code, message, data=None):
        super().fail(id, code, message + " – désolé", data)


# -- ids ------------------------------------------------------------------------------------


@peer("id-raw", era="both")
class IdRaw(Server):
    """Echoes the id as it was written: the plain server, and the control of this table."""


@peer("id-escaped", era="both")
class IdEscaped(Server):
    """Writes every character of a string id as an escape: "é" comes back as "\\u00e9"."""

    def answer(self, id, result):
        super().answer(escape_all(id), result)

    def fail(self, id, code, message, data=None):
        super().fail(id and escape_all(id), code, message, data)


@peer("id-unescaped", era="both")
class IdUnescaped(Server):
    """Writes a string id without the escapes that it came with."""

    def answer(self, id, result):
        super().answer(unescape(id), result)

    def fail(self, id, code, message, data=None):
        super().fail(id and unescape(id), code, message, data)


@peer("id-float", era="both")
class IdFloat(Server):
    """Answers the id 1 as 1.0, the same number."""

    def answer(self, id, result):
        super().answer(id + ".0" if is_integer(id) else id, result)


@peer("id-exponent", era="both")
class IdExponent(Server):
    """Answers the id 1 as 10E-1, the same number."""

    def answer(self, id, result):
        if is_integer(id):
            id += "0E-1" if id.strip("-0") else "E0"  # 00E-1 would be no JSON
        super().answer(id, result)


def is_integer(id):
    return id.lstrip("-").isdigit()


def escape_all(text):
    """JSON text with each character of its strings as an escape."""
    return re.sub(r'"((?:[^"\\]|\\.)*)"', lambda found: '"%s"' % escapes(found.group()), text)


def escapes(token):
    units = json.loads(token).encode("utf-16-be", "surrogatepass")
    return "".join("\\u%04x" % (units[i] << 8 | units[i + 1]) for i in range(0, len(units), 2))


def unescape(id):
    try:
        text = json.dumps(json.loads(id), ensure_ascii=False) if id[0] == '"' else id
        text.encode("utf-8")
    except UnicodeEncodeError:
        return id  # an unpaired surrogate has no other form
    return text


# -- what follows a line that is no message -------------------------------------------------


@peer("silent-on-junk", era="both")
class SilentOnJunk(Server):
    """Says nothing to what is not JSON or no message."""

    def fail(self, id, code, message, data=None):
        if id is not None:
            super().fail(id, code, message, data)


@peer("error-without-id-on-junk", era="both")
class ErrorWithoutIdOnJunk(Server):
    """Answers what is not JSON or no message with an error that has no id."""

    def fail(self, id, code, message, data=None):
        if id is not None:
            return super().fail(id, code, message, data)
        error = {"code": code, "message": message}
        self.respond('{"jsonrpc":"2.0","error":%s}' % self.encode(error))


@peer("error-null-id-on-junk", era="both")
class ErrorNullIdOnJunk(Server):
    """Answers what is not JSON or no message with an error whose id is null."""


@peer("invalid-request-without-id")
class InvalidRequestWithoutId(Server):
    """Answers an invalid request with -32600 and id null although its id was readable."""

    def fail(self, id, code, message, data=None):
        super().fail(None if message == "not a request" else id, code, message, data)


@peer("log-on-junk")
class LogOnJunk(Logging):
    """Answers what is not JSON with a log notification; it declares logging."""

    def fail(self, id, code, message, data=None):
        if id is None:
            self.log("error", message)
        else:
            super().fail(id, code, message, data)


# -- lines and writes -----------------------------------------------------------------------


@peer("split-writes", era="both")
class SplitWrites(Utf8):
    """Writes each message in two pieces, cut inside a character of several bytes."""

    def write(self, data):
        cut = next(i for i, byte in enumerate(data) if byte >= 0x80) + 1
        super().write(data[:cut])
        time.sleep(0.001)
        super().write(data[cut:])


@peer("byte-writes", era="both")
class ByteWrites(Utf8):
    """Writes each byte on its own."""

    def write(self, data):
        for i in range(len(data)):
            super().write(data[i : i + 1])


@peer("late-newline", era="both")
class LateNewline(Server):
    """Writes the newline of a message a moment after the message."""

    def write(self, data):
        super().write(data[:-1])
        time.sleep(0.005)
        super().write(data[-1:])


@peer("joined-writes", era="both")
class JoinedWrites(Server):
    """Writes the answers to all requests of one read as one block."""

    held = b""

    def write(self, data):
        self.held += data

    def on_idle(self):
        held, self.held = self.held, b""
        super().write(held)


@peer("crlf-lines", era="both")
class CrlfLines(Server):
    """Ends each line with CR LF; the CR is white space of JSON."""

    def write(self, data):
        super().write(data[:-1] + b"\r\n")


@peer("keeps-whitespace", era="both")
class KeepsWhitespace(Server):
    """Puts blanks and tabs between the tokens and around the message."""

    def encode(self, value):
        return json.dumps(value, separators=(" ,\t", " : "))

    def send(self, text):
        super().send(" \t" + text + "  ")


@peer("raw-u2028", era="both")
class RawU2028(Utf8):
    """Has U+2028, U+2029, U+0085 and DEL unescaped in a tool's description."""

    def __init__(self, era=None):
        super().__init__(era)
        self.tools[0].definition["description"] = "one\u2028two\u2029three\u0085four\x7ffive"


@peer("unicode-everywhere", era="both")
class UnicodeEverywhere(Utf8):
    """Has raw text of many scripts in every string that is free, and an escaped NUL."""

    name = "サーバー 🛰️ خادم"
    instructions = "e\u0301 \U0001f469\u200d\U0001f680 \u202eright to left\u202c \x00 \ufeff\uffff"

    def __init__(self, era=None):
        super().__init__(era)
        for tool in self.tools:
            tool.definition["description"] = self.instructions + " ʇɐɥʍ"
        self.tools[0].run = lambda arguments: self.instructions


@peer("fully-escaped", era="both")
class FullyEscaped(Server):
    """Writes every character of every string as an escape, names of members too."""

    def send(self, text):
        super().send(escape_all(text))


@peer("escaped-slashes", era="both")
class EscapedSlashes(Server):
    """Writes each slash as \\/ ."""

    capabilities = {"tools": {}, "experimental": {"com.example/paths": {"root": "/a/b"}}}

    def encode(self, value):
        return super().encode(value).replace("/", "\\/")


@peer("id-last", era="both")
class IdLast(Server):
    """Puts the id behind the result, and jsonrpc last."""

    def send(self, text):
        found = re.match(r'\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|[^,]*),(.*)\}$', text, re.S)
        if found:
            text = '{%s,"id":%s,"jsonrpc":"2.0"}' % (found[2], found[1])
        super().send(text)


@peer("sorted-keys", era="both")
class SortedKeys(Server):
    """Sorts the members of results and errors by name."""

    def encode(self, value):
        return json.dumps(value, separators=(",", ":"), sort_keys=True)


# -- values ---------------------------------------------------------------------------------


@peer("deep-result", era="both")
class DeepResult(Server):
    """Has an extra member that is nested 300 levels deep."""

    def finish(self, era, message, result):
        deep = "bottom"
        for _ in range(150):
            deep = {"x": [deep]}
        result = super().finish(era, message, result)
        return result if message.method == "ping" else dict(result, depths=deep)


@peer("odd-numbers", era="both")
class OddNumbers(Server):
    """Has numbers in extra members that few readers can hold: 2^63, 1e400, -0, 400 digits."""

    NUMBERS = "[9223372036854775808,1e400,-0,-0.0,1E+2,%s,0.%s]" % ("7" * 400, "3" * 400)

    def finish(self, era, message, result):
        result = super().finish(era, message, result)
        return result if message.method == "ping" else dict(result, numbers="NUMBERS")

    def encode(self, value):
        return super().encode(value).replace('"NUMBERS"', self.NUMBERS)


@peer("big-tools-list", era="both")
class BigToolsList(Server):
    """Answers tools/list with one line of 600 KiB."""

    size = 600 << 10

    def __init__(self, era=None):
        super().__init__(era)
        text = {"text": {"type": "string"}}
        for i in range(60):
            about = "x" * (self.size // 60)
            tool = Tool("tool_%d" % i, str, text, ["text"], description=about)
            self.tools.append(tool)


@peer("huge-tools-list")
class HugeToolsList(BigToolsList):
    """Answers tools/list with one line of 3 MiB."""

    size = 3 << 20


# -- stderr ---------------------------------------------------------------------------------


@peer("stderr-100k", era="both")
class Stderr100k(Server):
    """Writes 100 kB to stderr at the start and 1 kB with each request."""

    def on_start(self):
        self.complain(100_000)

    def on_request(self, message):
        self.complain(1000)
        super().on_request(message)

    def complain(self, size):
        sys.stderr.write("debug: all is well\n" * (size // 19))
        sys.stderr.flush()


@peer("stderr-binary", era="both")
class StderrBinary(Server):
    """Writes bytes to stderr that are no UTF-8, terminal escapes and no newline."""

    def on_request(self, message):
        os.write(2, b'\x1b[31m\xff\xfe\x00{"jsonrpc":"2.0"\r')
        super().on_request(message)


@peer("stderr-traceback", era="both")
class StderrTraceback(Server):
    """Writes what looks like a crash to stderr on every request, and works."""

    def on_request(self, message):
        os.write(2, b"Traceback (most recent call last):\n  FATAL: ValueError: recovered\n")
        super().on_request(message)


@peer("stderr-closed", era="both")
class StderrClosed(Server):
    """Closes its stderr at the start."""

    def on_start(self):
        os.close(2)


# -- errors ---------------------------------------------------------------------------------


@peer("null-error-data", era="both")
class NullErrorData(Server):
    """Has "data":null in errors that have nothing to add."""

    def fail(self, id, code, message, data=None):
        error = {"code": code, "message": message, "data": data}
        id = "null" if id is None else id
        self.respond('{"jsonrpc":"2.0","id":%s,"error":%s}' % (id, self.encode(error)))


@peer("odd-error-messages", era="both")
class OddErrorMessages(Server):
    """Has error messages that are empty, or long and of many lines."""

    def fail(self, id, code, message, data=None):
        message = "" if code == PARSE_ERROR else (message + "\n\tat line 1\n") * 500
        super().fail(id, code, message, data)


@peer("extra-envelope-members", era="both")
class ExtraEnvelopeMembers(Server):
    """Has a member beside id and result that no revision names; the schemas are open."""

    def send(self, text):
        super().send(text[:-1] + ',"x-trace":"7f"}' if text.startswith("{") else text)


@peer("utf8-tool-result", era="both")
class Utf8ToolResult(Utf8):
    """Answers a call with raw multi-line text of 100 kB."""

    def __init__(self, era=None):
        super().__init__(era)
        text = "línea \u2028 終\r\n" * 5000
        self.tools = [Tool("poem", lambda arguments: text, {}, (), READ_ONLY)]
