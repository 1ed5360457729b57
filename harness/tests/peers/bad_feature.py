"""Peers that break tools, lists, results and progress in a handshake session."""

import sys

from base import Server
from message import INVALID_PARAMS, Refusal
from parts import TEXT, Paged, WithTools
from table import peer
from tools import READ_ONLY, Tool, echo, text_result


def reading(name, run, properties=None, required=(), **more):
    """A tool that a harness may call."""
    return Tool(name, run, properties or {}, required, READ_ONLY, **more)


# -- unknown tools and wrong arguments ------------------------------------------------------


class UnknownTool(Server):
    """Has an answer of its own for a tool that does not exist."""

    def tools_call(self, message):
        try:
            return super().tools_call(message)
        except Refusal as refusal:
            if refusal.message != "unknown tool":
                raise
            return self.unknown()


@peer("unknown-tool-success", "tools.unknown-tool=fail")
class UnknownToolSuccess(UnknownTool):
    """Reports an unknown tool as a plain success."""

    def unknown(self):
        return text_result("unknown tool")


@peer("unknown-tool-iserror", "tools.unknown-tool=warn")
class UnknownToolIserror(UnknownTool):
    """Reports an unknown tool as a result with isError."""

    def unknown(self):
        return text_result("unknown tool", isError=True)


@peer("unknown-tool-32601", "tools.unknown-tool=warn")
class UnknownTool32601(UnknownTool):
    """Reports an unknown tool with -32601."""

    def unknown(self):
        raise Refusal(-32601, "unknown tool")


@peer("unknown-tool-silent", "tools.unknown-tool|jsonrpc.response-required=fail")
class UnknownToolSilent(UnknownTool):
    """Does not answer a call of an unknown tool."""

    def unknown(self):
        return None


@peer("unknown-tool-kills", "tools.unknown-tool|jsonrpc.response-required=fail")
class UnknownToolKills(UnknownTool):
    """Exits when an unknown tool is called."""

    def unknown(self):
        sys.exit("KeyError: 'tool'")


@peer("malformed-call-success", "tools.malformed-call=fail")
class MalformedCallSuccess(Server):
    """Answers a call without a name with a plain success."""

    def tools_call(self, message):
        if not isinstance(message.params.get("name"), str):
            return text_result("nothing to do")
        return super().tools_call(message)


@peer("args-unchecked", "tools.validates-input=fail")
class ArgsUnchecked(WithTools):
    """Succeeds although a required argument is missing."""

    def make(self):
        tool = reading("echo", lambda arguments: str(arguments.get("text")), TEXT, ["text"])
        tool.complaint = lambda arguments: None
        return [tool]


@peer("args-kill", "jsonrpc.response-required=fail")
class ArgsKill(WithTools):
    """Exits on arguments of a wrong type or without the required one."""

    def make(self):
        tool = reading("echo", echo, TEXT, ["text"])
        tool.complaint = lambda arguments: (
            None if isinstance(arguments.get("text"), str) else sys.exit("TypeError")
        )
        return [tool]


@peer("bad-args-internal-error", "tools.invalid-arguments=warn")
class BadArgsInternalError(WithTools):
    """Answers wrong arguments with -32603."""

    def make(self):
        tool = reading("echo", echo, TEXT, ["text"])
        tool.complaint = self.complaint
        return [tool]

    def complaint(self, arguments):
        if not isinstance(arguments.get("text"), str):
            raise Refusal(-32603, "internal error")


@peer("args-omitted-refused", "tools.arguments-optional=fail")
class ArgsOmittedRefused(WithTools):
    """Refuses a call without arguments of a tool that needs none."""

    def make(self):
        return [reading("now", lambda arguments: "12:00")]

    def call(self, message, tool, arguments):
        if "arguments" not in message.params:
            raise Refusal(INVALID_PARAMS, "arguments is missing")
        return super().call(message, tool, arguments)


# -- tools/list -----------------------------------------------------------------------------


@peer("tools-declared-unserved", "capability.tools-served=fail")
class ToolsDeclaredUnserved(Server):
    """Declares tools and answers tools/list with an error."""

    def tools_list(self, message):
        raise Refusal(-32603, "no database")


@peer("tools-undeclared-served", "capability.tools-declared=fail")
class ToolsUndeclaredServed(Server):
    """Lists tools and does not declare them."""

    def introduce(self):
        return {"capabilities": {}}


class Definition(WithTools):
    """Has one tool whose definition `change` spoils."""

    def make(self):
        tool = reading("echo", echo, TEXT, ["text"])
        self.change(tool.definition)
        tool.complaint = lambda arguments: (
            None if isinstance(arguments.get("text"), str) else "text must be a string"
        )
        return [tool]


LIST = "tools.list-shape|tools.input-schema-object|schema.result=fail"


@peer("tools-missing-input-schema", LIST)
class ToolsMissingInputSchema(Definition):
    """Has a tool without inputSchema."""

    def change(self, definition):
        del definition["inputSchema"]


@peer("input-schema-null", "tools.input-schema-object|tools.list-shape|schema.result=fail")
class InputSchemaNull(Definition):
    """Has a tool whose inputSchema is null."""

    def change(self, definition):
        definition["inputSchema"] = None


@peer("input-schema-no-type", "tools.input-schema-object|schema.result=fail")
class InputSchemaNoType(Definition):
    """Has a tool whose inputSchema does not say that it is an object."""

    def change(self, definition):
        del definition["inputSchema"]["type"]


@peer("input-schema-invalid", "tools.input-schema-valid=fail")
class InputSchemaInvalid(Definition):
    """Has a tool whose inputSchema names a type that JSON Schema lacks."""

    def change(self, definition):
        definition["inputSchema"]["properties"] = {"text": {"type": "str"}}


@peer("null-description", "schema.null-members=fail")
class NullDescription(Definition):
    """Has a tool whose description is null."""

    def change(self, definition):
        definition["description"] = None


@peer("annotations-as-strings", "tools.list-shape|schema.result=fail")
class AnnotationsAsStrings(Definition):
    """Writes the hints of a tool as strings."""

    def change(self, definition):
        definition["annotations"] = {"readOnlyHint": "true"}


@peer("tool-name-space", "tools.name-format=warn")
class ToolNameSpace(WithTools):
    """Has a tool whose name has spaces and an accent."""

    def make(self):
        return [reading("Écho du texte", echo, TEXT, ["text"])]


@peer("tool-name-duplicate", "tools.name-unique=warn")
class ToolNameDuplicate(WithTools):
    """Has two tools of one name."""

    def make(self):
        return [reading("echo", echo, TEXT, ["text"]) for _ in range(2)]


@peer("null-next-cursor", "pagination.next-cursor-type|schema.null-members=fail")
class NullNextCursor(Server):
    """Has "nextCursor":null on its only page."""

    def tools_list(self, message):
        return dict(super().tools_list(message), nextCursor=None)


@peer("cursor-number", "pagination.next-cursor-type|schema.result=fail")
class CursorNumber(Server):
    """Has a number as nextCursor, and serves that cursor alone."""

    def tools_list(self, message):
        if "cursor" not in message.params:
            return dict(super().tools_list(message), nextCursor=2)
        if message.params["cursor"] != 2:
            raise Refusal(INVALID_PARAMS, "no such cursor")
        return {"tools": []}


@peer("cursor-loop", "pagination.walk=warn")
class CursorLoop(Server):
    """Gives the same cursor out with each page."""

    def tools_list(self, message):
        if message.params.get("cursor", "again") != "again":
            raise Refusal(INVALID_PARAMS, "no such cursor")
        page = [] if "cursor" in message.params else [tool.definition for tool in self.tools]
        return {"tools": page, "nextCursor": "again"}


class TwoPages(Paged):
    """Lists two tools on two pages."""

    cursors = ["page-2"]

    def make(self):
        tools = [reading(name, echo, TEXT, ["text"]) for name in ("a", "b")]
        self.pages = [tools[:1], tools[1:]]
        return tools


@peer("cursor-refused", "pagination.walk=fail")
class CursorRefused(TwoPages):
    """Refuses the cursor that it gave out."""

    def tools_list(self, message):
        if "cursor" in message.params:
            raise Refusal(INVALID_PARAMS, "no such cursor")
        return super().tools_list(message)


@peer("cursor-unchecked", "pagination.invalid-cursor=warn")
class CursorUnchecked(TwoPages):
    """Takes any cursor that it did not give out for the first page."""

    def tools_list(self, message):
        if message.params.get("cursor") not in self.cursors:
            message.params.pop("cursor", None)
        return super().tools_list(message)


# -- results of calls -----------------------------------------------------------------------


class Returns(WithTools):
    """Has one tool without parameters, which returns `result`."""

    more = {}

    def make(self):
        return [reading("report", lambda arguments: self.result, **self.more)]


CALL = "tools.call-shape|schema.result=fail"


@peer("content-missing", CALL)
class ContentMissing(Returns):
    """Answers a call without content."""

    result = {"output": "done"}


@peer("content-string", CALL)
class ContentString(Returns):
    """Answers a call with content that is a string."""

    result = {"content": "done"}


@peer("content-bad-type", "content.type-set|tools.call-shape|schema.result=fail")
class ContentBadType(Returns):
    """Answers a call with a content block of the type json."""

    result = {"content": [{"type": "json", "json": {}}]}


@peer("image-data-uri", "content.image=fail")
class ImageDataUri(Returns):
    """Answers a call with an image whose data is a data: URI."""

    data = "data:image/png;base64,iVBORw0KGgo="
    result = {"content": [{"type": "image", "mimeType": "image/png", "data": data}]}


@peer("base64-urlsafe", "content.image=warn")
class Base64Urlsafe(Returns):
    """Answers a call with an image in the URL-safe alphabet of base64."""

    result = {"content": [{"type": "image", "mimeType": "image/png", "data": "_-__"}]}


@peer("is-error-string", CALL)
class IsErrorString(Returns):
    """Writes isError as a string."""

    result = text_result("done", isError="false")


N = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@peer("structured-missing", "tools.output-conforms=fail")
class StructuredMissing(Returns):
    """Declares an output schema and returns no structured content."""

    more = {"outputSchema": N}
    result = text_result('{"n":1}')


@peer("structured-mismatch", "tools.output-conforms=fail")
class StructuredMismatch(Returns):
    """Returns structured content that breaks its own output schema."""

    more = {"outputSchema": N}
    result = text_result('{"n":"1"}', structuredContent={"n": "1"})


@peer("structured-array", "tools.structured-object|schema.result=fail")
class StructuredArray(Returns):
    """Returns structured content that is an array, before 2026-07-28 allowed it."""

    result = text_result("[1]", structuredContent=[1])


@peer("meta-key-grammar", "meta.key-grammar=fail")
class MetaKeyGrammar(Returns):
    """Returns a _meta whose key begins with an underscore."""

    result = text_result("done", _meta={"_internal": 1})


# -- progress -------------------------------------------------------------------------------


class Progress(Returns):
    """Sends progress before the result of a call."""

    result = text_result("done")

    def progress(self, token, value):
        params = {"progressToken": token, "progress": value}
        self.notify("notifications/progress", params)


@peer("progress-unasked", "progress.known-token=fail")
class ProgressUnasked(Progress):
    """Reports progress under a token that nobody gave."""

    def call(self, message, tool, arguments):
        self.progress("token-1", 1)
        return super().call(message, tool, arguments)


@peer("progress-token-string", "progress.token-echo|progress.known-token=fail")
class ProgressTokenString(Progress):
    """Reports progress under the token as a string, where a number was given."""

    def call(self, message, tool, arguments):
        if "progressToken" in message.meta:
            self.progress(str(message.meta["progressToken"]), 1)
        return super().call(message, tool, arguments)


@peer("progress-falls", "progress.increasing=fail")
class ProgressFalls(Progress):
    """Reports progress that falls."""

    def call(self, message, tool, arguments):
        if "progressToken" in message.meta:
            self.progress(message.meta["progressToken"], 2)
            self.progress(message.meta["progressToken"], 1)
        return super().call(message, tool, arguments)


@peer("progress-after-result", "progress.stops=fail")
class ProgressAfterResult(Progress):
    """Reports progress after the result."""

    def on_request(self, message):
        super().on_request(message)
        if message.method == "tools/call" and "progressToken" in message.meta:
            self.progress(message.meta["progressToken"], 1)
