"""Peers that break the handshake, ping, notifications or the duties of a session."""

import sys

from base import INVALID_REQUEST, METHOD_NOT_FOUND, Server
from message import INVALID_PARAMS, Refusal
from parts import Logging
from table import peer

# -- versions and capabilities --------------------------------------------------------------


@peer("echoes-any-version", "lifecycle.version-alternative=fail")
class EchoesAnyVersion(Server):
    """Agrees to any version that is asked for."""

    def choose(self, asked):
        return asked


@peer("rejects-unknown-version", "lifecycle.version-alternative=warn")
class RejectsUnknownVersion(Server):
    """Answers an unknown version with -32602 and its own versions."""

    def choose(self, asked):
        if asked not in self.legacy:
            data = {"supported": self.legacy, "requested": asked}
            raise Refusal(INVALID_PARAMS, "Unsupported protocol version", data)
        return asked


@peer("dies-of-unknown-version", "lifecycle.version-alternative|jsonrpc.response-required=fail")
class DiesOfUnknownVersion(Server):
    """Exits where an unknown version is asked for."""

    def choose(self, asked):
        if asked not in self.legacy:
            sys.exit("unsupported protocol version")
        return asked


@peer("version-not-stable", "lifecycle.version-echo=fail")
class VersionNotStable(Server):
    """Offers 2025-03-26 for 2025-06-18, and 2025-06-18 for 2025-03-26."""

    def choose(self, asked):
        swap = {"2025-03-26": "2025-06-18", "2025-06-18": "2025-03-26"}
        return swap.get(asked) or super().choose(asked)


@peer("version-unknown", "lifecycle.version-known=warn")
class VersionUnknown(Server):
    """Answers the version 2.0, which was never published."""

    legacy = ["2.0"]


@peer("version-oldest-first", "lifecycle.version-latest=warn")
class VersionOldestFirst(Server):
    """Falls back to its oldest version instead of its newest."""

    def choose(self, asked):
        return asked if asked in self.legacy else self.legacy[0]


SHAPE = "lifecycle.initialize-result-shape|schema.result=fail"


@peer("no-server-info", SHAPE)
class NoServerInfo(Server):
    """Leaves serverInfo out of the answer to initialize."""

    def initialize(self, message):
        result = super().initialize(message)
        del result["serverInfo"]
        return result


@peer("version-number", SHAPE)
class VersionNumber(Server):
    """Has a number as the version in serverInfo."""

    def info(self):
        return {"name": self.name, "version": 1.0}


@peer("cap-as-array", "capability.shape|lifecycle.initialize-result-shape|schema.result=fail")
class CapAsArray(Server):
    """Writes the empty object of a capability as []."""

    capabilities = {"tools": []}


@peer("cap-as-true", "capability.shape|lifecycle.initialize-result-shape|schema.result=fail")
class CapAsTrue(Server):
    """Writes true for the tools capability."""

    capabilities = {"tools": True}


@peer("null-instructions", "schema.null-members|lifecycle.initialize-result-shape=fail")
class NullInstructions(Server):
    """Has instructions that are null."""

    def introduce(self):
        return dict(super().introduce(), instructions=None)


@peer("rejects-unknown-capabilities", "lifecycle.unknown-client-capabilities=fail")
class RejectsUnknownCapabilities(Server):
    """Refuses initialize for a client capability that it does not know."""

    KNOWN = {"roots", "sampling", "elicitation", "experimental", "tasks"}

    def initialize(self, message):
        given = message.params.get("capabilities")
        if isinstance(given, dict) and set(given) - self.KNOWN:
            raise Refusal(INVALID_PARAMS, "unrecognized key in capabilities")
        return super().initialize(message)


@peer("initialize-32603", "lifecycle.initialize-bad-params=warn")
class Initialize32603(Server):
    """Answers an initialize without a version with -32603."""

    def initialize(self, message):
        try:
            return super().initialize(message)
        except Refusal as refusal:
            raise Refusal(-32603, "internal error") from refusal


@peer("dies-of-second-initialize", "lifecycle.initialize-twice|robust.reordered-lifecycle=warn")
class DiesOfSecondInitialize(Server):
    """Exits when initialize comes twice."""

    def initialize(self, message):
        if self.pinned:
            sys.exit("already initialized")
        return super().initialize(message)


@peer("dies-on-discover", "robust.survives-discover=warn")
class DiesOnDiscover(Server):
    """Exits when server/discover comes before initialize."""

    def on_request(self, message):
        if message.method == "server/discover":
            sys.exit("ExpectedInitializeRequest")
        super().on_request(message)


# -- ping -----------------------------------------------------------------------------------


@peer("ping-unknown", "ping.responds=fail")
class PingUnknown(Server):
    """Answers ping with -32601."""

    def ping(self, message):
        raise Refusal(METHOD_NOT_FOUND, "method not found")


@peer("ping-silent", "ping.responds|jsonrpc.response-required=fail")
class PingSilent(Server):
    """Never answers ping."""

    def ping(self, message):
        return None


@peer("ping-extra-members", "ping.responds=warn")
class PingExtraMembers(Server):
    """Answers ping with more than an empty object."""

    def ping(self, message):
        return {"status": "ok"}


@peer("ping-needs-initialized", "lifecycle.ping-early=warn")
class PingNeedsInitialized(Server):
    """Refuses a ping between the answer to initialize and notifications/initialized."""

    ready = False

    def on_notification(self, message):
        self.ready = self.ready or message.method == "notifications/initialized"

    def ping(self, message):
        if self.pinned and not self.ready:
            raise Refusal(INVALID_REQUEST, "not initialized")
        return {}


# -- notifications --------------------------------------------------------------------------

NOTE = "jsonrpc.no-response-to-notification|lifecycle.initialized-silent=fail"


@peer("answers-initialized", NOTE)
class AnswersInitialized(Server):
    """Answers notifications/initialized with -32601 and id null."""

    def on_notification(self, message):
        if message.method == "notifications/initialized":
            self.fail(None, METHOD_NOT_FOUND, "method not found")


@peer("answers-initialized-id-zero", "jsonrpc.no-unknown-response-id|" + NOTE)
class AnswersInitializedIdZero(Server):
    """Answers notifications/initialized with an empty result and the id 0."""

    def on_notification(self, message):
        if message.method == "notifications/initialized":
            self.answer("0", {})


@peer("answers-unknown-notification", "jsonrpc.no-response-to-notification=fail")
class AnswersUnknownNotification(Server):
    """Answers notifications that it does not know with -32601 and id null."""

    def on_notification(self, message):
        if message.method not in ("notifications/initialized", "notifications/cancelled"):
            self.fail(None, METHOD_NOT_FOUND, "method not found")


@peer("answers-late", "jsonrpc.no-response-to-notification=fail")
class AnswersLate(AnswersUnknownNotification):
    """Answers an unknown notification only behind the answer to the request that follows."""

    late = False

    def fail(self, id, code, message, data=None):
        if id is None and code == METHOD_NOT_FOUND:
            self.late = True
        else:
            super().fail(id, code, message, data)

    def answer(self, id, result):
        super().answer(id, result)
        if self.late:
            self.late = False
            Server.fail(self, None, METHOD_NOT_FOUND, "method not found")


@peer("null-id-result", NOTE)
class NullIdResult(Server):
    """Acknowledges each notification with an empty result and id null."""

    def on_notification(self, message):
        self.answer("null", {})


@peer("answers-cancelled", "cancel.unknown-id|jsonrpc.no-response-to-notification=fail")
class AnswersCancelled(Server):
    """Answers notifications/cancelled with an error that has the id of the request in it."""

    def on_notification(self, message):
        params = message.fields.get("params")
        if message.method == "notifications/cancelled":
            id = params.get("requestId") if isinstance(params, dict) else None
            self.fail(self.encode(id), 0, "request cancelled")


@peer("runs-requests-as-notifications", "jsonrpc.no-response-to-notification=warn")
class RunsRequestsAsNotifications(Server):
    """Answers a request method that came without an id with -32600 and id null."""

    def on_notification(self, message):
        if message.method in self.handlers("legacy"):
            self.fail(None, INVALID_REQUEST, "id is missing")


@peer("dies-on-notification", "robust.survives-notification|jsonrpc.response-required=fail")
class DiesOnNotification(Server):
    """Exits on a notification that it does not know."""

    def on_notification(self, message):
        if message.method not in ("notifications/initialized", "notifications/cancelled"):
            sys.exit("KeyError: %r" % message.method)


@peer("dies-on-cancel", "robust.survives-notification|jsonrpc.response-required=fail")
class DiesOnCancel(Server):
    """Exits on notifications/cancelled for a request that is not open."""

    def on_notification(self, message):
        if message.method == "notifications/cancelled":
            sys.exit("KeyError: requestId")


# -- requests and notifications of the server -----------------------------------------------


@peer("asks-roots-undeclared", "roots.capability|lifecycle.capabilities-respected=fail")
class AsksRootsUndeclared(Server):
    """Sends roots/list to a client that declared no roots."""

    def on_notification(self, message):
        if message.method == "notifications/initialized":
            self.send('{"jsonrpc":"2.0","id":1,"method":"roots/list"}')


@peer("asks-before-initialized", "lifecycle.no-requests-before-initialized=warn")
class AsksBeforeInitialized(Server):
    """Sends roots/list, where declared, before notifications/initialized."""

    def initialize(self, message):
        result = super().initialize(message)
        if "roots" in message.params["capabilities"]:
            self.send('{"jsonrpc":"2.0","id":1,"method":"roots/list"}')
        return result


@peer("server-id-null", "jsonrpc.server-request-id=fail")
class ServerIdNull(Server):
    """Pings the client with the id null."""

    def on_notification(self, message):
        if message.method == "notifications/initialized":
            self.send('{"jsonrpc":"2.0","id":null,"method":"ping"}')


@peer("server-id-reused", "jsonrpc.server-request-id-unique=fail")
class ServerIdReused(Server):
    """Pings the client twice with the same id."""

    pings = 0

    def on_notification(self, message):
        if message.method == "notifications/initialized":
            self.ask()

    def on_response(self, message):
        if self.pings < 2:
            self.ask()

    def ask(self):
        self.pings += 1
        self.send('{"jsonrpc":"2.0","id":"p","method":"ping"}')


@peer("log-undeclared", "logging.capability=fail")
class LogUndeclared(Server):
    """Sends log notifications without declaring logging."""

    def tools_list(self, message):
        self.notify("notifications/message", {"level": "info", "data": "listing tools"})
        return super().tools_list(message)


@peer("log-bad-level", "logging.shape|schema.notification=fail")
class LogBadLevel(Logging):
    """Sends log notifications with the level warn, which does not exist."""

    def tools_list(self, message):
        self.notify("notifications/message", {"level": "warn", "data": "listing tools"})
        return super().tools_list(message)


@peer("log-bogus-level-set", "logging.invalid-level=warn")
class LogBogusLevelSet(Logging):
    """Takes a level that does not exist in logging/setLevel."""

    def set_level(self, message):
        return {}


@peer("logging-no-handler", "capability.logging-served=warn")
class LoggingNoHandler(Server):
    """Declares logging and does not know logging/setLevel."""

    capabilities = {"tools": {}, "logging": {}}


@peer("list-changed-undeclared", "capability.list-changed-declared=fail")
class ListChangedUndeclared(Server):
    """Sends tools/list_changed without declaring listChanged."""

    def on_notification(self, message):
        if message.method == "notifications/initialized":
            self.notify("notifications/tools/list_changed")
