"""Oddities of tools, lists and results."""

import threading

from base import Server
from message import INVALID_PARAMS, Refusal
from parts import TEXT, Paged, WithTools
from table import peer
from tools import READ_ONLY, Tool, echo, text_result

# -- what is declared -----------------------------------------------------------------------


@peer("undeclared-32601", era="both")
class Undeclared32601(Server):
    """Declares tools alone, and answers all other methods with -32601."""


@peer("tools-free", era="both")
class ToolsFree(Server):
    """Declares nothing, and has ping or server/discover only."""

    capabilities = {}


@peer("empty-lists", era="both")
class EmptyLists(Server):
    """Declares tools, prompts and resources and has none of them."""

    capabilities = {"tools": {}, "prompts": {}, "resources": {}}
    prompts = []
    resources = []
    templates = []

    def __init__(self, era=None):
        super().__init__(era)
        self.tools = []

    def handlers(self, era):
        def pages(key, items):
            return lambda message: self.one_page(message, key, items)

        more = {
            "prompts/list": pages("prompts", self.prompts),
            "prompts/get": self.prompts_get,
            "resources/list": pages("resources", self.resources),
            "resources/templates/list": pages("resourceTemplates", self.templates),
            "resources/read": lambda message: self.resources_read(message, era),
        }
        return dict(super().handlers(era), **more)

    def prompts_get(self, message):
        arguments = message.params.get("arguments", {})
        prompt = next((p for p in self.prompts if p["name"] == message.params.get("name")), None)
        if prompt is None or not isinstance(arguments, dict):
            raise Refusal(INVALID_PARAMS, "unknown prompt")
        if any(not isinstance(arguments.get(a["name"]), str) for a in prompt["arguments"]):
            raise Refusal(INVALID_PARAMS, "missing argument")
        content = {"type": "text", "text": "Greet them."}
        return {"messages": [{"role": "user", "content": content}]}

    def resources_read(self, message, era):
        uri = message.params.get("uri")
        if not isinstance(uri, str):
            raise Refusal(INVALID_PARAMS, "uri is missing")
        if all(resource["uri"] != uri for resource in self.resources):
            code = -32002 if era == "legacy" else INVALID_PARAMS
            raise Refusal(code, "resource not found", {"uri": uri})
        return {"contents": [{"uri": uri, "blob": "AAH/"}]}


@peer("prompts-and-resources", era="both")
class PromptsAndResources(EmptyLists):
    """Has a prompt with a required argument, and a blob that has no MIME type."""

    prompts = [{"name": "greet", "arguments": [{"name": "who", "required": True}]}]
    resources = [{"uri": "demo://blob", "name": "blob"}]
    templates = [{"uriTemplate": "demo://{name}", "name": "any"}]


@peer("listen", era="modern")
class Listen(Server):
    """Declares listChanged, and acknowledges subscriptions/listen without ever answering it."""

    capabilities = {"tools": {"listChanged": True}}

    def handlers(self, era):
        return dict(super().handlers(era), **{"subscriptions/listen": self.listen})

    def listen(self, message):
        asked = message.params.get("notifications")
        if not isinstance(asked, dict):
            raise Refusal(INVALID_PARAMS, "notifications is missing")
        key = "toolsListChanged"
        granted = {key: True} if asked.get(key) is True else {}
        tag = {"io.modelcontextprotocol/subscriptionId": message.fields["id"]}
        params = {"_meta": tag, "notifications": granted}
        self.notify("notifications/subscriptions/acknowledged", params)


# -- definitions of tools -------------------------------------------------------------------


@peer("bare-schema", era="both")
class BareSchema(WithTools):
    """Has a tool whose input schema is {"type":"object"} and nothing else."""

    def make(self):
        return [Tool("now", lambda arguments: "12:00", None, (), READ_ONLY)]


@peer("annotations-absent", era="both")
class AnnotationsAbsent(WithTools):
    """Says of no tool whether it is read-only, so nothing may be called."""

    def make(self):
        return [Tool("echo", echo, TEXT, ["text"])]


@peer("unsafe-tools-bite", era="both")
class UnsafeToolsBite(WithTools):
    """Has tools that are not read-only, and breaks its stdout if one of them is called."""

    def make(self):
        hints = [{"readOnlyHint": False}, {"destructiveHint": True}, {"title": "Wipe"}, {}, None]
        return [Tool("wipe_%d" % i, echo, {}, (), hint) for i, hint in enumerate(hints)]

    def tools_call(self, message):
        if str(message.params.get("name")).startswith("wipe_"):
            self.write(b"A tool that nobody allowed was called.\n")
        return super().tools_call(message)


@peer("tool-name-dots", era="both")
class ToolNameDots(WithTools):
    """Has tool names with dots, dashes and capitals, and of one and of 128 characters."""

    def make(self):
        names = ["customers.list.v1", "a-b_c.D", "x", "n" * 128]
        return [Tool(name, echo, TEXT, ["text"], READ_ONLY) for name in names]


@peer("newer-members-in-older-session")
class NewerMembersInOlderSession(WithTools):
    """Sends titles, icons, schemas of output and structured content under 2024-11-05."""

    legacy = ["2024-11-05"]

    def info(self):
        icon = {"src": "https://example.com/icon.png", "sizes": ["48x48"]}
        return dict(super().info(), title="Peer", websiteUrl="https://example.com", icons=[icon])

    def make(self):
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        result = text_result('{"n":1}', structuredContent={"n": 1})
        tool = Tool("one", lambda arguments: result, {}, (), READ_ONLY, outputSchema=schema)
        tool.definition.update(title="One", _meta={"com.example/x": 1}, execution={})
        return [tool]


@peer("output-schema", era="both")
class OutputSchema(WithTools):
    """Has structured results that fit a schema with local references."""

    def make(self):
        schema = {
            "$defs": {"n": {"type": "integer", "minimum": 0}},
            "type": "object",
            "properties": {"rows": {"type": "array", "items": {"$ref": "#/$defs/n"}}},
            "required": ["rows"],
        }
        result = text_result('{"rows":[1,2]}', structuredContent={"rows": [1, 2]})
        return [Tool("rows", lambda _: result, {}, (), READ_ONLY, outputSchema=schema)]


@peer("draft-07-schema", era="both")
class Draft07Schema(WithTools):
    """Has an input schema of draft-07 with definitions and a local reference."""

    def make(self):
        tool = Tool("echo", echo, {"text": {"$ref": "#/definitions/t"}}, ["text"], READ_ONLY)
        tool.definition["inputSchema"].update(
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "definitions": {"t": {"type": "string"}},
                "additionalProperties": True,
            }
        )
        tool.complaint = lambda arguments: (
            None if isinstance(arguments.get("text"), str) else "text must be a string"
        )
        return [tool]


@peer("boolean-subschema", era="modern")
class BooleanSubschema(WithTools):
    """Has a property whose schema is true, as 2026-07-28 allows."""

    def make(self):
        return [Tool("any", lambda arguments: "ok", {"x": True, "y": {}}, (), READ_ONLY)]


@peer("structured-array", era="modern")
class StructuredArray(WithTools):
    """Has structured content that is an array, as 2026-07-28 allows."""

    def make(self):
        schema = {"type": "array", "items": {"type": "integer"}}
        result = text_result("[1,2]", structuredContent=[1, 2])
        return [Tool("rows", lambda _: result, {}, (), READ_ONLY, outputSchema=schema)]


# -- calls ----------------------------------------------------------------------------------


@peer("offline-tool-never-answers", era="both")
class OfflineToolNeverAnswers(WithTools):
    """Has one read-only tool, which asks the open world and never answers."""

    def make(self):
        hints = {"readOnlyHint": True, "openWorldHint": True}
        return [Tool("weather", lambda arguments: None, {}, (), hints)]


@peer("tool-always-fails", era="both")
class ToolAlwaysFails(WithTools):
    """Has one read-only tool, which reports a failure of its own each time."""

    def make(self):
        result = text_result("Error: no such database", isError=True)
        return [Tool("query", lambda arguments: result, {}, (), READ_ONLY)]


@peer("demanding-tool", era="both")
class DemandingTool(WithTools):
    """Has one read-only tool whose arguments must fit an enum, a pattern and bounds."""

    def make(self):
        properties = {
            "kind": {"type": "string", "enum": ["day", "week"]},
            "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$"},
            "count": {"type": "integer", "minimum": 3, "maximum": 5},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        }
        return [Tool("plan", self.plan, properties, list(properties), READ_ONLY)]

    def plan(self, arguments):
        code = arguments["code"]
        fits = (
            arguments["kind"] in ("day", "week")
            and (code[:2].isupper() and code[2:3] == "-" and code[3:].isdigit() and len(code) == 6)
            and 3 <= arguments["count"] <= 5
            and arguments["tags"]
            and all(isinstance(tag, str) for tag in arguments["tags"])
        )
        return "planned" if fits else text_result("no such plan", isError=True)


@peer("result-content-empty", era="both")
class ResultContentEmpty(WithTools):
    """Has a tool that succeeds with no content at all."""

    def make(self):
        return [Tool("touch", lambda arguments: {"content": []}, {}, (), READ_ONLY)]


@peer("progress-reporting", era="both")
class ProgressReporting(WithTools):
    """Reports progress in fractions for a call that asked for it, and to nobody else."""

    def make(self):
        return [Tool("steps", lambda arguments: "done", {}, (), READ_ONLY)]

    def call(self, message, tool, arguments):
        token = message.meta.get("progressToken")
        if isinstance(token, (str, int)) and not isinstance(token, bool):
            for step in (0.25, 0.5, 1):
                params = {"progressToken": token, "progress": step, "total": 1}
                self.notify("notifications/progress", params)
        return super().call(message, tool, arguments)


@peer("slow-call-then-cancelled", era="both")
class SlowCallThenCancelled(WithTools):
    """Never answers a call that is cancelled, and any other after 3 s or at the end."""

    seconds = 3

    def make(self):
        self.calls = {}
        return [Tool("nap", lambda arguments: None, {}, (), READ_ONLY)]

    def call(self, message, tool, arguments):
        if tool.name != "nap":
            return super().call(message, tool, arguments)
        timer = threading.Timer(self.seconds, self.wake, [message])
        self.calls[message.id] = timer, message
        timer.start()
        return None

    def wake(self, message):
        if self.calls.pop(message.id, None):
            era = self.pinned or "legacy"
            self.answer(message.id, self.finish(era, message, text_result("rested")))

    def on_notification(self, message):
        params = message.fields.get("params")
        if message.method == "notifications/cancelled" and isinstance(params, dict):
            for id, (timer, request) in list(self.calls.items()):
                if request.fields["id"] == params.get("requestId") and self.calls.pop(id, None):
                    timer.cancel()

    def on_eof(self):
        for timer, message in list(self.calls.values()):
            timer.cancel()
            self.wake(message)
        return super().on_eof()


@peer("two-tools-one-read-only-slow", era="both")
class TwoToolsOneReadOnlySlow(SlowCallThenCancelled):
    """Has a tool that writes, and a read-only one that needs 12 s unless stdin closes."""

    seconds = 12

    def make(self):
        return [Tool("save", echo, TEXT, ["text"], {"readOnlyHint": False})] + super().make()


# -- results --------------------------------------------------------------------------------


@peer("extra-members", era="both")
class ExtraMembers(Server):
    """Has unknown members in results, in tools, in serverInfo and in _meta."""

    def info(self):
        return dict(super().info(), **{"x-build": {"commit": "0af3"}})

    def finish(self, era, message, result):
        for tool in result.get("tools", []):
            tool["x-cost"] = [1, None, {}]
        result = super().finish(era, message, result)
        result = dict(result, _meta=dict(result.get("_meta", {}), **{"com.example/took.ms": 0.5}))
        return result if message.method == "ping" else dict(result, next=None, x=[])


@peer("modern-members-in-legacy")
class ModernMembersInLegacy(Server):
    """Sends resultType and caching hints in a legacy session."""

    def finish(self, era, message, result):
        if message.method == "ping":
            return result
        return dict(result, resultType="complete", ttlMs=0, cacheScope="public")


@peer("many-tools", era="both")
class ManyTools(Paged):
    """Lists 50 tools in pages of 7, with cursors full of quotes, controls and Unicode."""

    cursors = ['page "%d" \\ / \u00e9 \u2028 \t\x00 \U0001f4c4 =' % n for n in range(1, 8)]

    def make(self):
        tools = [Tool("tool_%02d" % n, echo, TEXT, ["text"]) for n in range(49)]
        tools.append(Tool("last", echo, TEXT, ["text"], READ_ONLY))
        self.pages = [tools[n : n + 7] for n in range(0, 50, 7)]
        return tools


@peer("empty-pages", era="both")
class EmptyPages(Paged):
    """Lists its tools with empty pages at the start, in the middle and at the end."""

    cursors = ["1", "02", "0x3", "0"]

    def make(self):
        tools = [Tool(name, echo, TEXT, ["text"], READ_ONLY) for name in ("a", "b")]
        self.pages = [[], tools[:1], [], tools[1:], []]
        return tools


@peer("empty-string-cursor", era="modern")
class EmptyStringCursor(Paged):
    """Lists a second page under the cursor "", which 2026-07-28 names valid."""

    cursors = [""]

    def make(self):
        tools = [Tool(name, echo, TEXT, ["text"], READ_ONLY) for name in ("a", "b")]
        self.pages = [tools[:1], tools[1:]]
        return tools
