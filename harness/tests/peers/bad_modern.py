"""Peers that break the rules of 2026-07-28."""

import functools

from base import META_CLIENT, META_SERVER, METHOD_NOT_FOUND, Server
from message import INVALID_PARAMS, Refusal
from parts import TEXT, Paged
from table import peer
from tools import READ_ONLY, Tool, echo

modern = functools.partial(peer, era="modern")

# -- results --------------------------------------------------------------------------------


class Finish(Server):
    """Changes each finished result by `change`."""

    def finish(self, era, message, result):
        result = super().finish(era, message, result)
        self.change(message, result)
        return result


@modern("no-result-type", "result.result-type|schema.result=fail")
class NoResultType(Finish):
    """Leaves resultType out."""

    def change(self, message, result):
        del result["resultType"]


@modern("unknown-result-type", "result.known-type=fail")
class UnknownResultType(Finish):
    """Has the resultType success."""

    def change(self, message, result):
        result["resultType"] = "success"


@modern("no-cache-fields", "caching.present|schema.result=fail")
class NoCacheFields(Finish):
    """Leaves ttlMs and cacheScope out of tools/list and server/discover."""

    def change(self, message, result):
        result.pop("ttlMs", None)
        result.pop("cacheScope", None)


@modern("no-cache-fields-on-list", "caching.present|schema.result=fail")
class NoCacheFieldsOnList(NoCacheFields):
    """Leaves ttlMs and cacheScope out of tools/list alone."""

    def change(self, message, result):
        if message.method == "tools/list":
            super().change(message, result)


@modern("negative-ttl", "caching.ttl|schema.result=fail")
class NegativeTtl(Finish):
    """Has a ttlMs of -1 for what is never to be cached."""

    def change(self, message, result):
        if "ttlMs" in result:
            result["ttlMs"] = -1


@modern("bad-cache-scope", "caching.scope|schema.result=fail")
class BadCacheScope(Finish):
    """Has the cacheScope session."""

    def change(self, message, result):
        if "cacheScope" in result:
            result["cacheScope"] = "session"


@modern("no-server-info-meta", "meta.server-info-every-result|discover.server-info=warn")
class NoServerInfoMeta(Finish):
    """Leaves its name and version out of the _meta of results."""

    def change(self, message, result):
        del result["_meta"]


@modern("bad-server-info-meta", "discover.server-info|meta.server-info-every-result=fail")
class BadServerInfoMeta(Finish):
    """Has a string where name and version of the server belong."""

    def change(self, message, result):
        result["_meta"][META_SERVER] = "plumb-peer 1.0.0"


@modern("cache-scope-mixed", "caching.pages=fail")
class CacheScopeMixed(Paged):
    """Has another cacheScope on the second page of tools than on the first."""

    cursors = ["page-2"]

    def make(self):
        tools = [Tool(name, echo, TEXT, ["text"], READ_ONLY) for name in ("a", "b")]
        self.pages = [tools[:1], tools[1:]]
        return tools

    def tools_list(self, message):
        scope = "public" if "cursor" in message.params else "private"
        return dict(super().tools_list(message), cacheScope=scope)


@modern("tools-order-changes", "tools.order|stateless.lists-stable=warn")
class ToolsOrderChanges(Server):
    """Lists its tools in another order each time."""

    def tools_list(self, message):
        self.tools.reverse()
        return super().tools_list(message)


# -- discover -------------------------------------------------------------------------------


class Discovers(Server):
    """Lists `listed` in the answer to server/discover."""

    def discover(self, message):
        return dict(super().discover(message), supportedVersions=self.listed)


@modern("discover-no-versions", "discover.result-shape=fail")
class DiscoverNoVersions(Discovers):
    """Lists no version in the answer to server/discover."""

    listed = []


@modern("discover-versions-string", "discover.result-shape|schema.result=fail")
class DiscoverVersionsString(Discovers):
    """Has a string where the list of versions belongs."""

    listed = "2026-07-28"


@modern("discover-unlisted-version", "discover.lists-served-version=fail")
class DiscoverUnlistedVersion(Discovers):
    """Lists versions without the one that it serves."""

    listed = ["2025-11-25"]


@modern("discover-not-repeatable", "discover.repeatable=warn")
class DiscoverNotRepeatable(Server):
    """Declares another capability each time that it is asked."""

    asked = 0

    def discover(self, message):
        self.asked += 1
        more = {"experimental": {"com.example/n%d" % self.asked: {}}}
        return dict(super().discover(message), capabilities=dict(self.capabilities, **more))


@modern("discover-missing", "discover.implemented=fail")
class DiscoverMissing(Server):
    """Serves modern requests, knows -32022, and does not have server/discover."""

    def handlers(self, era):
        return {k: v for k, v in super().handlers(era).items() if k != "server/discover"}


@modern("needs-discover-first", "stdio.no-init-required=fail")
class NeedsDiscoverFirst(Server):
    """Refuses tools/list until server/discover was called."""

    discovered = False

    def discover(self, message):
        self.discovered = True
        return super().discover(message)

    def tools_list(self, message):
        if not self.discovered:
            raise Refusal(INVALID_PARAMS, "not initialized")
        return super().tools_list(message)


# -- what a request carries -----------------------------------------------------------------


class Lenient(Server):
    """Serves a request that the plain server refuses for the reason `served`."""

    def check_meta(self, message):
        try:
            super().check_meta(message)
        except Refusal as refusal:
            if message.method == "initialize" or not self.serves(refusal):
                raise


@modern("meta-missing-accepted", "meta.required-fields=fail")
class MetaMissingAccepted(Lenient):
    """Serves a request without _meta, and refuses only what it has and is wrong."""

    def serves(self, refusal):
        return refusal.message == "_meta is missing"


@modern("meta-capabilities-optional", "meta.required-fields=fail")
class MetaCapabilitiesOptional(Lenient):
    """Serves a request whose _meta lacks the client's capabilities."""

    def serves(self, refusal):
        return refusal.code == INVALID_PARAMS and "lacks" in refusal.message


@modern("meta-missing-32601", "meta.required-fields=fail")
class MetaMissing32601(Server):
    """Answers a request without _meta with -32601."""

    def fail(self, id, code, message, data=None):
        code = METHOD_NOT_FOUND if message.startswith("_meta") else code
        super().fail(id, code, message, data)


@modern("requires-client-info", "meta.client-info-optional=fail")
class RequiresClientInfo(Server):
    """Refuses a request whose _meta lacks the optional clientInfo."""

    def check_meta(self, message):
        super().check_meta(message)
        if META_CLIENT not in message.meta:
            raise Refusal(INVALID_PARAMS, "_meta lacks " + META_CLIENT)


@modern("wrong-version-served", "version.unsupported-error=fail")
class WrongVersionServed(Lenient):
    """Serves a request of a version that does not exist."""

    def serves(self, refusal):
        return refusal.code == -32022


@modern("no-unsupported-list", "version.unsupported-error=fail")
class NoUnsupportedList(Server):
    """Refuses an unknown version with -32022 and no list of its own."""

    def fail(self, id, code, message, data=None):
        super().fail(id, code, message, None if code == -32022 else data)


@modern("unsupported-32602", "version.unsupported-error=fail")
class Unsupported32602(Server):
    """Refuses an unknown version with -32602."""

    def fail(self, id, code, message, data=None):
        super().fail(id, INVALID_PARAMS if code == -32022 else code, message, data)


@modern("unsupported-lists-requested", "version.requested-listed=fail")
class UnsupportedListsRequested(Server):
    """Lists the version that it refuses among those that it supports."""

    def unsupported(self, asked):
        refusal = super().unsupported(asked)
        refusal.data = dict(refusal.data, supported=self.modern + [asked])
        return refusal


@modern("id-reuse-refused", "jsonrpc.id-reuse-after-response=fail")
class IdReuseRefused(Server):
    """Refuses an id that was used before, though its request was answered."""

    def __init__(self, era=None):
        super().__init__(era)
        self.seen = set()

    def serve(self, message):
        if message.id in self.seen:
            raise Refusal(-32600, "duplicate id")
        self.seen.add(message.id)
        return super().serve(message)


# -- what the server sends unasked ----------------------------------------------------------


@modern("server-request-modern", "stdio.no-server-requests=fail")
class ServerRequestModern(Server):
    """Pings the client before it answers tools/list."""

    def tools_list(self, message):
        self.send('{"jsonrpc":"2.0","id":"s1","method":"ping"}')
        return super().tools_list(message)


@modern("list-changed-unsubscribed", "subs.only-requested=fail")
class ListChangedUnsubscribed(Server):
    """Sends tools/list_changed that nobody subscribed to."""

    def tools_list(self, message):
        self.notify("notifications/tools/list_changed")
        return super().tools_list(message)


@modern("log-without-level", "logging.opt-in=fail")
class LogWithoutLevel(Server):
    """Sends a log notification for a request that set no log level."""

    capabilities = {"tools": {}, "logging": {}}

    def tools_list(self, message):
        if "io.modelcontextprotocol/logLevel" not in message.meta:
            self.notify("notifications/message", {"level": "info", "data": "listing"})
        return super().tools_list(message)


@modern("invented-notification", "stdio.message-kinds=warn")
class InventedNotification(Server):
    """Sends a notification of another protocol."""

    def tools_list(self, message):
        self.notify("window/logMessage", {"type": 3, "message": "listing"})
        return super().tools_list(message)


@modern("answers-notification-modern", "jsonrpc.no-response-to-notification=fail")
class AnswersNotificationModern(Server):
    """Answers notifications/initialized, which is gone, with -32601 and id null."""

    def on_notification(self, message):
        if message.method == "notifications/initialized":
            self.fail(None, METHOD_NOT_FOUND, "method not found")


@modern("unknown-response-id-modern", "jsonrpc.no-unknown-response-id|stdio.message-kinds=fail")
class UnknownResponseIdModern(Server):
    """Sends an answer that nobody asked for with each answer to tools/list."""

    def tools_list(self, message):
        self.answer('"unasked-7"', {"resultType": "complete"})
        return super().tools_list(message)


# -- error codes ----------------------------------------------------------------------------


class Codes(Server):
    """Has the code `code` for an unknown tool."""

    def fail(self, id, code, message, data=None):
        super().fail(id, self.code if message == "unknown tool" else code, message, data)


@modern("reserved-code", "errors.reserved-range=fail")
class ReservedCode(Codes):
    """Has -32050, a reserved code, for an unknown tool."""

    code = -32050


@modern("retired-code", "errors.retired-codes=fail")
class RetiredCode(Codes):
    """Has -32002, a retired code, for an unknown tool."""

    code = -32002


@modern("http-code", "errors.defined-meaning=fail")
class HttpCode(Codes):
    """Has -32020, a code for HTTP headers, for an unknown tool."""

    code = -32020


@modern("old-code", "errors.legacy-subrange=warn")
class OldCode(Codes):
    """Has -32000, an old implementation code, for an unknown tool."""

    code = -32000


@modern("unknown-method-32602-modern", "jsonrpc.method-not-found=fail")
class UnknownMethod32602Modern(Server):
    """Has -32602 for an unknown method."""

    def fail(self, id, code, message, data=None):
        super().fail(id, INVALID_PARAMS if code == METHOD_NOT_FOUND else code, message, data)


@modern("ping-served-modern", "era.removed-methods=warn")
class PingServedModern(Server):
    """Serves ping, which is gone."""

    def handlers(self, era):
        return dict(super().handlers(era), ping=self.ping)


# -- initialize -----------------------------------------------------------------------------


@modern("initialize-silent-modern", "era.initialize-rejected|jsonrpc.response-required=fail")
class InitializeSilentModern(Server):
    """Does not answer initialize."""

    def on_request(self, message):
        if message.method != "initialize":
            super().on_request(message)


@modern("initialize-unnamed-versions", "era.initialize-rejected=warn")
class InitializeUnnamedVersions(Server):
    """Refuses initialize without naming a version that it supports."""

    def check_meta(self, message):
        if message.method == "initialize":
            raise Refusal(METHOD_NOT_FOUND, "method not found")
        super().check_meta(message)
