"""Oddities of the opening, of order and time, and of the end."""

import os
import signal
import sys
import threading
import time

from base import LEGACY, META_VERSION, MODERN, Server, claims_modern
from message import Refusal
from parts import Logging
from table import LIFE, peer

# -- versions and eras ----------------------------------------------------------------------


@peer("dual-era", era="both")
class DualEra(Server):
    """Speaks both eras, chosen by the first request, and lists the modern version only."""


@peer("modern-only", era="modern")
class ModernOnly(Server):
    """Refuses initialize with -32022 and names its versions."""


@peer("modern-only-other-code", era="modern")
class ModernOnlyOtherCode(Server):
    """Refuses initialize with -32601 and names its versions in the message."""

    def check_meta(self, message):
        if message.method == "initialize":
            raise Refusal(-32601, "no initialize here, only " + ", ".join(self.modern))
        super().check_meta(message)


@peer("lists-all-versions", era="both")
class ListsAllVersions(Server):
    """Lists the handshake versions beside the modern one, and serves them in _meta too."""

    modern = LEGACY + MODERN

    def check_meta(self, message):
        if message.method == "initialize":
            raise Refusal(-32600, "too late, 2026-07-28 is in use")
        super().check_meta(message)

    def finish(self, era, message, result):
        old = message.meta.get(META_VERSION) in LEGACY
        return super().finish("legacy" if old else era, message, result)


@peer("mixes-eras", era="both")
class MixesEras(Server):
    """Serves modern requests at any time, and legacy ones as soon as it is initialized."""

    initialized = False

    def era_of(self, message):
        self.initialized = self.initialized or message.method == "initialize"
        if message.method == "initialize":
            return "legacy"
        return "modern" if claims_modern(message) or not self.initialized else "legacy"


@peer("fixed-older-version")
class FixedOlderVersion(Server):
    """Answers 2024-11-05 whatever is asked."""

    legacy = ["2024-11-05"]


@peer("batch-on-2025-03-26")
class BatchOn20250326(Server):
    """Answers 2025-03-26 whatever is asked, and serves batches."""

    legacy = ["2025-03-26"]


@peer("fixed-middle-version")
class FixedMiddleVersion(Server):
    """Answers 2025-06-18 whatever is asked."""

    legacy = ["2025-06-18"]


@peer("two-versions")
class TwoVersions(Server):
    """Speaks 2024-11-05 and 2025-06-18, not the one between."""

    legacy = ["2024-11-05", "2025-06-18"]


@peer("discover-ignored")
class DiscoverIgnored(Server):
    """Does not answer server/discover, as legacy servers may."""

    def on_request(self, message):
        if message.method != "server/discover":
            super().on_request(message)


class BeforeHandshake(Server):
    """Refuses what comes before initialize."""

    def serve(self, message):
        if self.pinned is None and message.method != "initialize":
            raise Refusal(self.code, "not initialized")
        return super().serve(message)


@peer("preinit-refused-32602")
class PreinitRefused32602(BeforeHandshake):
    """Refuses all before initialize with -32602, server/discover and ping too."""

    code = -32602


@peer("preinit-ping-refused")
class PreinitPingRefused(BeforeHandshake):
    """Refuses all before initialize, ping too, with an error code of its own."""

    code = 1


@peer("preinit-silent")
class PreinitSilent(Server):
    """Ignores all requests before initialize."""

    def on_request(self, message):
        if self.pinned or message.method == "initialize":
            super().on_request(message)


@peer("refuses-second-initialize")
class RefusesSecondInitialize(Server):
    """Answers a second initialize with -32600."""

    def initialize(self, message):
        if self.pinned:
            raise Refusal(-32600, "already initialized")
        return super().initialize(message)


@peer("accepts-second-initialize")
class AcceptsSecondInitialize(Server):
    """Serves a second initialize and agrees on a version anew."""


@peer("error-code-positive")
class ErrorCodePositive(Server):
    """Has application error codes of its own: 1 before the handshake, 0 for a second one."""

    def serve(self, message):
        if self.pinned is None and message.method not in ("initialize", "ping"):
            raise Refusal(1, "not initialized")
        return super().serve(message)

    def initialize(self, message):
        if self.pinned:
            raise Refusal(0, "duplicate initialize")
        return super().initialize(message)


@peer("empty-instructions", era="both")
class EmptyInstructions(Server):
    """Has instructions that are the empty string."""

    instructions = ""


@peer("extra-capabilities", era="both")
class ExtraCapabilities(Server):
    """Declares capabilities that no revision knows, and experimental ones."""

    capabilities = {
        "tools": {"x-order": "stable"},
        "experimental": {"com.example/rate": {"limit": 0.5, "unit": None}},
        "x-telemetry": {},
    }


# -- messages of the server's own -----------------------------------------------------------


@peer("list-changed-after-initialized")
class ListChangedAfterInitialized(Server):
    """Sends tools/list_changed on each notifications/initialized; it declares listChanged."""

    capabilities = {"tools": {"listChanged": True}}

    def on_notification(self, message):
        if message.method == "notifications/initialized":
            self.notify("notifications/tools/list_changed")


@peer("list-changed-before-initialized")
class ListChangedBeforeInitialized(Server):
    """Sends tools/list_changed right behind the answer to initialize."""

    capabilities = {"tools": {"listChanged": True}}

    def on_request(self, message):
        super().on_request(message)
        if message.method == "initialize":
            self.notify("notifications/tools/list_changed", {})


class Asks(Server):
    """Sends a ping, and holds back requests until it is answered."""

    asked = 0
    open = False

    def __init__(self, era=None):
        super().__init__(era)
        self.held = []

    def ask(self):
        self.asked += 1
        self.open = True
        self.send('{"jsonrpc":"2.0","id":%d,"method":"ping"}' % self.asked)

    def on_request(self, message):
        if self.open and message.method == "tools/list":
            self.held.append(message)
        else:
            super().on_request(message)

    def on_response(self, message):
        if self.open and message.id == str(self.asked):
            self.open = False
            held, self.held = self.held, []
            for request in held:
                super().on_request(request)


@peer("sends-ping")
class SendsPing(Asks):
    """Pings after initialized, with an id that the client uses too, and lists no tools before."""

    def on_notification(self, message):
        if message.method == "notifications/initialized" and not self.open:
            self.ask()


@peer("sends-ping-before-initialized")
class SendsPingBeforeInitialized(Asks):
    """Pings before it answers initialize, and lists no tools before the answer."""

    def on_request(self, message):
        if message.method == "initialize" and not self.open:
            self.ask()
        super().on_request(message)


@peer("sends-batches")
class SendsBatches(Server):
    """Sends two notifications as one array under 2025-03-26, its only version."""

    legacy = ["2025-03-26"]
    capabilities = {"tools": {"listChanged": True}}

    def on_notification(self, message):
        if message.method == "notifications/initialized":
            change = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
            self.send("[%s,%s]" % (change, change))


# -- order and time -------------------------------------------------------------------------


@peer("out-of-order", era="both")
class OutOfOrder(Server):
    """Answers the requests of one read in reverse."""

    def __init__(self, era=None):
        super().__init__(era)
        self.held = []

    def send(self, text):
        self.held.append(text)

    def on_idle(self):
        held, self.held = self.held, []
        for text in reversed(held):
            super().send(text)


@peer("threads-with-jitter", era="both")
class ThreadsWithJitter(Server):
    """Serves each request on a thread of its own, after a pause that depends on the id."""

    def __init__(self, era=None):
        super().__init__(era)
        self.lock = threading.Lock()
        self.threads = []

    def on_request(self, message):
        if self.batch is not None or message.method == "initialize":
            return super().on_request(message)
        thread = threading.Thread(target=self.later, args=(message,))
        self.threads.append(thread)
        thread.start()

    def later(self, message):
        time.sleep(sum(message.id.encode()) * 7 % 20 / 1000)
        super().on_request(message)

    def write(self, data):
        with self.lock:
            super().write(data)

    def on_eof(self):
        for thread in self.threads:
            thread.join()
        return super().on_eof()


@peer("slow-start-2s", era="both")
class SlowStart2s(Server):
    """Reads nothing for 2 s after its start."""

    pause = 2

    def on_start(self):
        time.sleep(self.pause)


@peer("slow-start-10s")
class SlowStart10s(SlowStart2s):
    """Reads nothing for 10 s after its start."""

    pause = 10


@peer("slow-first-answer", era="both")
class SlowFirstAnswer(Server):
    """Needs a second for its first answer, and no time for the rest."""

    warm = False

    def on_request(self, message):
        if not self.warm:
            time.sleep(1)
        self.warm = True
        super().on_request(message)


@peer("slow-answers", era="both")
class SlowAnswers(Server):
    """Needs 50 ms for each request, one after another."""

    def on_request(self, message):
        time.sleep(0.05)
        super().on_request(message)


# -- the end --------------------------------------------------------------------------------


@peer("exit1-on-early-eof", era="both")
class Exit1OnEarlyEof(Server):
    """Exits with 1 where stdin closes before the handshake or the first modern request."""

    def on_eof(self):
        return 0 if self.pinned else 1


@peer("exit3-on-eof", era="both")
class Exit3OnEof(Server):
    """Exits with 3 and a traceback whenever stdin closes."""

    def on_eof(self):
        os.write(2, b"Traceback (most recent call last):\nEOFError\n")
        return 3


@peer("slow-exit", era="both")
class SlowExit(Server):
    """Tidies up for half a second after stdin closed, and closes stdout first."""

    def on_eof(self):
        os.close(1)
        time.sleep(0.5)
        return 0


@peer("answers-last-line-at-eof", era="both")
class AnswersLastLineAtEof(Server):
    """Takes what stands before the end of stdin as a line, newline or not."""

    def on_tail(self, line):
        self.on_line(line)


@peer("exits-143-on-term", era="both")
class Exits143OnTerm(Server):
    """Catches SIGTERM and exits with 143."""

    def on_start(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


@peer("exit-0-on-term", era="both")
class Exit0OnTerm(Server):
    """Catches SIGTERM and SIGINT and exits with 0."""

    def on_start(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: os._exit(0))


@peer("wrapped", era="both")
class Wrapped(Server):
    """Is the child of a wrapper that waits for it and passes signals and the status on."""

    def on_start(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        child = os.fork()
        if child:
            signal.signal(signal.SIGTERM, lambda number, _: os.kill(child, number))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
        if child:
            for stream in (0, 1):
                os.close(stream)
            status = os.waitpid(child, 0)[1]
            os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
        signal.alarm(LIFE)


@peer("helper-child", era="both")
class HelperChild(Server):
    """Keeps a helper process, and ends it when stdin closes or SIGTERM comes."""

    def on_start(self):
        self.child = os.fork()
        if not self.child:
            signal.alarm(LIFE)
            os.close(0)
            signal.pause()
        signal.signal(signal.SIGTERM, lambda *_: os._exit(self.on_eof()))

    def on_eof(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        return super().on_eof()


@peer("pings-before-answering")
class PingsBeforeAnswering(Server):
    """Pings the client before each answer, also while a line of the client is half written."""

    pings = 0

    def respond(self, text):
        self.pings += 1
        self.send('{"jsonrpc":"2.0","id":"ping-%d","method":"ping"}' % self.pings)
        super().respond(text)


@peer("both-eras-notify", era="both")
class BothErasNotify(Logging):
    """Declares logging and list changes, and tells of both once the legacy handshake is done."""

    capabilities = {"tools": {"listChanged": True}, "logging": {}}

    def handlers(self, era):
        served = super().handlers(era)
        if era == "modern":
            del served["logging/setLevel"]
        return served

    def on_notification(self, message):
        if message.method == "notifications/initialized":
            self.send('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
            self.send('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"ready"}}')


@peer("logs-much")
class LogsMuch(Logging):
    """Declares logging, and logs 2000 lines with each ping."""

    def ping(self, message):
        text = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","data":"%s"}}\n' % ("x" * 500)
        self.write(text.encode() * 2000)
        return {}
