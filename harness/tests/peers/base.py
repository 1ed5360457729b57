#!/usr/bin/env python3
"""A small MCP server over stdio that keeps every rule: what all test peers are made of.

    python3 base.py [--era legacy|modern|both]

It speaks the four handshake revisions (legacy), 2026-07-28 (modern), or both. Peers of
`odd.py` and `bad.py` are subclasses that change one thing. Only the standard library is
used, and little of it, since the harness starts peers by the hundred.

An id comes back byte for byte: `Message.id` is the text of the id as it was sent (see
`raw_json.py`), and it is pasted into the response as it is.
"""

import json
import os
import signal
import sys

from message import INVALID_PARAMS, Refusal, parse
from raw_json import shallow_id
from tools import standard_tools, text_result

LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = ["2026-07-28"]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
UNSUPPORTED_VERSION = -32022

META_VERSION = "io.modelcontextprotocol/protocolVersion"
META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
META_CLIENT = "io.modelcontextprotocol/clientInfo"
META_SERVER = "io.modelcontextprotocol/serverInfo"

# Results that carry caching hints in the modern era.
CACHEABLE = {
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
}

BOM = b"\xef\xbb\xbf"


class Server:
    """The conformant server. Subclasses override the hooks, and call them with super()."""

    name = "plumb-peer"
    era = "legacy"
    legacy = LEGACY
    modern = MODERN
    capabilities = {"tools": {}}
    instructions = None

    def __init__(self, era=None):
        self.era = era or self.era
        self.tools = standard_tools()
        self.pinned = None  # the era that the opening of the conversation chose
        self.version = self.legacy[-1]  # in force for the message at hand
        self.batch = None  # replies collected while a batch is served

    # hooks: the course of a session

    def on_start(self):
        """Before the first byte is read."""

    def on_line(self, line):
        """A line of bytes, without its newline."""
        line = line[len(BOM) :] if line.startswith(BOM) else line
        line = line.strip(b" \t\r\n")
        if not line:
            return
        text = ""
        try:
            text = line.decode("utf-8")
            message = parse(text)
        except ValueError:
            return self.fail(None, PARSE_ERROR, "not JSON")
        except RecursionError:
            return self.on_too_deep(text)
        if isinstance(message, list):
            self.on_batch(message)
        else:
            self.on_message(message)

    def on_message(self, message):
        """One JSON text: a Message, or None for what is no object."""
        if message is None:
            self.fail(None, INVALID_REQUEST, "not a message")
        elif message.is_response:
            self.on_response(message)
        elif message.is_notification:
            self.on_notification(message)
        elif message.is_request:
            self.on_request(message)
        else:
            self.fail(message.id, INVALID_REQUEST, "not a request")

    def on_batch(self, messages):
        """An array; only 2025-03-26 knows it."""
        if not messages or self.pinned != "legacy" or self.version != "2025-03-26":
            return self.fail(None, INVALID_REQUEST, "not a message")
        self.batch = []
        for message in messages:
            self.on_message(message)
        replies, self.batch = self.batch, None
        if replies:
            self.send("[" + ",".join(replies) + "]")

    def on_too_deep(self, text):
        """A text that is nested deeper than the decoder goes."""
        if text.startswith("{"):
            token = shallow_id(text)
            if token is not None:
                self.fail(token, INVALID_REQUEST, "nested too deep")
        else:
            self.fail(None, PARSE_ERROR, "nested too deep")

    def on_request(self, message):
        try:
            result = self.serve(message)
        except Refusal as refusal:
            self.fail(message.id, refusal.code, refusal.message, refusal.data)
        else:
            if result is not None:
                self.answer(message.id, result)

    def on_notification(self, message):
        """Never answered, known or not."""

    def on_response(self, message):
        """The answer to a request of ours; the plain server asks nothing."""

    def on_idle(self):
        """All lines that were read are served; the next read may block."""

    def on_tail(self, line):
        """The bytes before the end of stdin that no newline ended: no message."""

    def on_eof(self):
        """The client closed our stdin. Returns the exit status."""
        return 0

    # hooks: output

    def answer(self, id, result):
        """Answers a request; `id` is the text of its id."""
        self.respond('{"jsonrpc":"2.0","id":%s,"result":%s}' % (id, self.encode(result)))

    def fail(self, id, code, message, data=None):
        """Answers with an error; `id` is None where none could be read."""
        error = {"code": code, "message": message}
        if data is not None:
            error["data"] = data
        id = "null" if id is None else id
        self.respond('{"jsonrpc":"2.0","id":%s,"error":%s}' % (id, self.encode(error)))

    def notify(self, method, params=None):
        """Sends a notification."""
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.send(self.encode(message))

    def encode(self, value):
        """JSON in ASCII, so that no text can break a line or an encoding."""
        return json.dumps(value, separators=(",", ":"))

    def respond(self, text):
        """A response as JSON text, to the batch at hand or on a line of its own."""
        if self.batch is None:
            self.send(text)
        else:
            self.batch.append(text)

    def send(self, text):
        """A line of JSON text."""
        self.write(text.encode("utf-8") + b"\n")

    def write(self, data):
        """Bytes to stdout, unbuffered."""
        data = memoryview(data)
        while data:
            data = data[os.write(1, data) :]

    # what a request gets

    def era_of(self, message):
        """The era of a request: as pinned, as built, or as the request claims."""
        if self.pinned or self.era != "both":
            return self.pinned or self.era
        return "modern" if claims_modern(message) else "legacy"

    def serve(self, message):
        """The result of a request, None if it comes later; raises Refusal."""
        era = self.era_of(message)
        if era == "modern":
            self.check_meta(message)
        handler = self.handlers(era).get(message.method)
        if handler is None:
            raise Refusal(METHOD_NOT_FOUND, "method not found")
        result = handler(message)
        return result if result is None else self.finish(era, message, result)

    def handlers(self, era):
        """The methods of an era."""
        tools = {"tools/list": self.tools_list, "tools/call": self.tools_call}
        own = (
            {"initialize": self.initialize, "ping": self.ping}
            if era == "legacy"
            else {"server/discover": self.discover}
        )
        return dict(own, **(tools if "tools" in self.capabilities else {}))

    def finish(self, era, message, result):
        """Adds what every result of the era carries."""
        if era == "legacy":
            return result
        result = dict({"resultType": "complete"}, **result)
        if message.method in CACHEABLE:
            result = dict({"ttlMs": 0, "cacheScope": "private"}, **result)
        result["_meta"] = dict(result.get("_meta", {}), **{META_SERVER: self.info()})
        return result

    def check_meta(self, message):
        """The duties of a modern request; the first good one pins the era."""
        if message.method == "initialize":
            asked = message.params.get("protocolVersion")
            raise self.unsupported(asked if isinstance(asked, str) else "")
        meta = message.params.get("_meta")
        if not isinstance(meta, dict):
            raise Refusal(INVALID_PARAMS, "_meta is missing")
        if not isinstance(meta.get(META_VERSION), str):
            raise Refusal(INVALID_PARAMS, "_meta lacks " + META_VERSION)
        if not isinstance(meta.get(META_CAPABILITIES), dict):
            raise Refusal(INVALID_PARAMS, "_meta lacks " + META_CAPABILITIES)
        if META_CLIENT in meta and not is_implementation(meta[META_CLIENT]):
            raise Refusal(INVALID_PARAMS, "_meta has a wrong " + META_CLIENT)
        if meta[META_VERSION] not in self.modern:
            raise self.unsupported(meta[META_VERSION])
        self.pinned, self.version = "modern", meta[META_VERSION]

    def unsupported(self, asked):
        data = {"supported": self.modern, "requested": asked}
        return Refusal(UNSUPPORTED_VERSION, "unsupported protocol version", data)

    def info(self):
        return {"name": self.name, "version": "1.0.0"}

    def introduce(self):
        """What the answers to initialize and to server/discover have in common."""
        about = {"capabilities": self.capabilities}
        if self.instructions is not None:
            about["instructions"] = self.instructions
        return about

    def initialize(self, message):
        params = message.params
        asked = params.get("protocolVersion")
        if not isinstance(asked, str):
            raise Refusal(INVALID_PARAMS, "protocolVersion is missing")
        if not isinstance(params.get("capabilities"), dict):
            raise Refusal(INVALID_PARAMS, "capabilities is missing")
        if not is_implementation(params.get("clientInfo")):
            raise Refusal(INVALID_PARAMS, "clientInfo is missing")
        self.pinned, self.version = "legacy", self.choose(asked)
        return dict(self.introduce(), protocolVersion=self.version, serverInfo=self.info())

    def choose(self, asked):
        """The version to agree on: the one asked for, else our newest."""
        return asked if asked in self.legacy else self.legacy[-1]

    def discover(self, message):
        return dict(self.introduce(), supportedVersions=self.modern)

    def ping(self, message):
        return {}

    def tools_list(self, message):
        return self.one_page(message, "tools", [tool.definition for tool in self.tools])

    def one_page(self, message, key, items):
        """A list on one page, for which no cursor was ever given out."""
        if "cursor" in message.params:
            raise Refusal(INVALID_PARAMS, "no such cursor")
        return {key: items}

    def tools_call(self, message):
        params = message.params
        arguments = params.get("arguments", {})
        if not isinstance(params.get("name"), str) or not isinstance(arguments, dict):
            raise Refusal(INVALID_PARAMS, "name or arguments are malformed")
        tool = next((tool for tool in self.tools if tool.name == params["name"]), None)
        if tool is None:
            raise Refusal(INVALID_PARAMS, "unknown tool")
        complaint = tool.complaint(arguments)
        if complaint and self.version < "2025-11-25":
            raise Refusal(INVALID_PARAMS, complaint)
        if complaint:
            return text_result(complaint, isError=True)
        return self.call(message, tool, arguments)

    def call(self, message, tool, arguments):
        """Runs a tool on arguments that fit it."""
        result = tool.run(arguments)
        return text_result(result) if isinstance(result, str) else result

    # the loop

    def lines(self):
        """The lines of stdin, split on the newline byte alone."""
        pending = bytearray()
        while True:
            self.on_idle()
            chunk = os.read(0, 65536)
            if not chunk:
                break
            searched = len(pending)
            pending += chunk
            while True:
                end = pending.find(b"\n", searched)
                if end < 0:
                    break
                line = bytes(pending[:end])
                del pending[: end + 1]
                searched = 0
                yield line
        if pending:
            self.on_tail(bytes(pending))

    def run(self):
        """Serves until the end of stdin and returns the exit status."""
        self.on_start()
        for line in self.lines():
            self.on_line(line)
        return self.on_eof()


def claims_modern(message):
    """Whether a request belongs to the modern era by its own account."""
    keys = (META_VERSION, META_CAPABILITIES, META_CLIENT)
    return message.method == "server/discover" or any(key in message.meta for key in keys)


def is_implementation(value):
    """Whether the value names a client or server."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("name"), str)
        and isinstance(value.get("version"), str)
    )


# -- the command line -----------------------------------------------------------------------


def play(server):
    """Runs a server as this process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        status = server.run()
    except BrokenPipeError:
        status = 0  # the client reads no more, so nothing is owed to it
    sys.exit(status)


if __name__ == "__main__":
    if len(sys.argv) not in (1, 3) or (len(sys.argv) == 3 and sys.argv[1] != "--era"):
        sys.exit("usage: base.py [--era legacy|modern|both]")
    play(Server(sys.argv[2] if len(sys.argv) == 3 else None))
