"""Peers that break envelopes or ids, or that take a bad line badly."""

import json
import re
import sys

from base import INVALID_REQUEST, PARSE_ERROR, Server
from table import peer
from tools import without_surrogates

# -- envelopes ------------------------------------------------------------------------------


@peer("missing-jsonrpc", "jsonrpc.version-member=fail")
class MissingJsonrpc(Server):
    """Leaves the jsonrpc member out."""

    def send(self, text):
        super().send(text.replace('"jsonrpc":"2.0",', "", 1))


@peer("jsonrpc-number", "jsonrpc.version-member=fail")
class JsonrpcNumber(Server):
    """Writes the jsonrpc member as the number 2.0."""

    def send(self, text):
        super().send(text.replace('"jsonrpc":"2.0",', '"jsonrpc":2.0,', 1))


@peer("result-and-error", "jsonrpc.result-xor-error=fail")
class ResultAndError(Server):
    """Adds "error":null to each result."""

    def respond(self, text):
        super().respond(text[:-1] + ',"error":null}' if '"result":' in text else text)


@peer("result-missing", "jsonrpc.result-xor-error|jsonrpc.message-shape=fail")
class ResultMissing(Server):
    """Answers ping with neither a result nor an error."""

    def ping(self, message):
        self.send('{"jsonrpc":"2.0","id":%s}' % message.id)


@peer("ping-null-result", "jsonrpc.result-object=fail")
class PingNullResult(Server):
    """Answers ping with a result that is null."""

    def ping(self, message):
        self.send('{"jsonrpc":"2.0","id":%s,"result":null}' % message.id)


@peer("error-code-string", "jsonrpc.error-shape=fail")
class ErrorCodeString(Server):
    """Writes the code of an error as a string."""

    def fail(self, id, code, message, data=None):
        super().fail(id, str(code), message, data)


@peer("error-is-string", "jsonrpc.error-shape=fail")
class ErrorIsString(Server):
    """Writes a string in the place of the error object."""

    def fail(self, id, code, message, data=None):
        id = "null" if id is None else id
        self.respond('{"jsonrpc":"2.0","id":%s,"error":%s}' % (id, self.encode(message)))


@peer("error-code-out-of-range", "jsonrpc.error-code-range=warn")
class ErrorCodeOutOfRange(Server):
    """Answers wrong parameters with -32500, which JSON-RPC reserves."""

    def fail(self, id, code, message, data=None):
        super().fail(id, -32500 if code == -32602 else code, message, data)


@peer("notification-with-id", "jsonrpc.notification-no-id=fail")
class NotificationWithId(Server):
    """Sends a notification that has an id."""

    capabilities = {"tools": {"listChanged": True}}

    def on_notification(self, message):
        if message.method == "notifications/initialized":
            self.send('{"jsonrpc":"2.0","id":1,"method":"notifications/tools/list_changed"}')


# -- ids ------------------------------------------------------------------------------------


class Renames(Server):
    """Changes the id of each answer by `rename`."""

    def answer(self, id, result):
        super().answer(self.rename(id), result)

    def fail(self, id, code, message, data=None):
        super().fail(id and self.rename(id), code, message, data)


@peer("ids-as-strings", "jsonrpc.id-echo=fail")
class IdsAsStrings(Renames):
    """Echoes a number id as a string."""

    def rename(self, id):
        return id if id.startswith('"') else '"%s"' % id


@peer("ids-as-numbers", "jsonrpc.id-echo=fail")
class IdsAsNumbers(Renames):
    """Echoes a string id of digits as a number."""

    def rename(self, id):
        return str(int(id[1:-1])) if re.fullmatch(r'"[0-9]+"', id) else id


@peer("ids-cut", "jsonrpc.id-echo=fail")
class IdsCut(Renames):
    """Cuts string ids to 64 characters."""

    def rename(self, id):
        return json.dumps(json.loads(id)[:64]) if id.startswith('"') else id


@peer("ids-ascii-only", "jsonrpc.id-echo=fail")
class IdsAsciiOnly(Renames):
    """Writes a question mark for each character of an id that is not ASCII."""

    def rename(self, id):
        if not id.startswith('"'):
            return id
        text = without_surrogates(json.loads(id))
        return json.dumps(text.encode("ascii", "replace").decode())


@peer("id-precision", "jsonrpc.id-echo=info")
class IdPrecision(Renames):
    """Rounds ids above 2^53 as a double does, a control: not every reader can hold them."""

    def rename(self, id):
        return str(int(float(id))) if re.fullmatch(r"-?[0-9]{1,300}", id) else id


@peer("id-precision-below-2-53", "jsonrpc.id-echo=fail")
class IdPrecisionBelow(Renames):
    """Rounds ids above 2^52, which a double holds, to even numbers."""

    def rename(self, id):
        if not re.fullmatch(r"-?[0-9]{1,300}", id) or abs(int(id)) <= 2**52:
            return id
        return str(int(id) // 2 * 2)


@peer("id-32-bit", "jsonrpc.id-echo=fail")
class Id32Bit(Renames):
    """Wraps ids at 2^31."""

    def rename(self, id):
        if not re.fullmatch(r"-?[0-9]{1,300}", id):
            return id
        return str((int(id) + 2**31) % 2**32 - 2**31)


@peer("null-id-error", "jsonrpc.id-echo|jsonrpc.response-required=fail")
class NullIdError(Server):
    """Sends each error with id null though the request was readable."""

    def fail(self, id, code, message, data=None):
        super().fail(None, code, message, data)


@peer("id-zero-dropped", "jsonrpc.response-required|jsonrpc.id-echo=fail")
class IdZeroDropped(Server):
    """Takes a request with the id 0 or "" for a notification."""

    def on_request(self, message):
        if message.fields["id"]:
            super().on_request(message)


@peer("duplicate-response", "jsonrpc.response-once=fail")
class DuplicateResponse(Server):
    """Answers each request twice."""

    def respond(self, text):
        super().respond(text)
        super().respond(text)


@peer("late-duplicate-response", "jsonrpc.response-once=fail")
class LateDuplicateResponse(Server):
    """Repeats its first answer to tools/list when stdin closes."""

    last = None

    def respond(self, text):
        super().respond(text)
        if '"tools":[' in text:
            self.last = self.last or text

    def on_eof(self):
        if self.last:
            super().respond(self.last)
        return super().on_eof()


@peer("unknown-response-id", "jsonrpc.no-unknown-response-id=fail")
class UnknownResponseId(Server):
    """Sends an answer that nobody asked for after each answer to tools/list."""

    def respond(self, text):
        super().respond(text)
        if '"tools":[' in text:
            super().respond('{"jsonrpc":"2.0","id":"unasked-7","result":{}}')


@peer("crossed-answers", "schema.result|tools.list-shape|jsonrpc.id-echo=fail")
class CrossedAnswers(Server):
    """Gives two requests of one read the answers of each other."""

    def __init__(self, era=None):
        super().__init__(era)
        self.held = []

    def answer(self, id, result):
        self.held.append((id, result))

    def on_idle(self):
        ids = [id for id, _ in self.held]
        results = [result for _, result in self.held]
        self.held = []
        for id, result in zip(ids, results[1:] + results[:1]):
            super().answer(id, result)


# -- what follows a line that is no message -------------------------------------------------


@peer("dies-of-bad-json", "jsonrpc.survives-malformed=warn")
class DiesOfBadJson(Server):
    """Dies of a line that is not JSON."""

    def fail(self, id, code, message, data=None):
        if code == PARSE_ERROR:
            sys.exit("json.decoder.JSONDecodeError: Expecting value")
        super().fail(id, code, message, data)


@peer("deaf-after-bad-json", "jsonrpc.survives-malformed=warn")
class DeafAfterBadJson(Server):
    """Answers nothing after a line that is not JSON, though it lives."""

    deaf = False

    def fail(self, id, code, message, data=None):
        self.deaf = self.deaf or code == PARSE_ERROR
        super().fail(id, code, message, data)

    def on_line(self, line):
        if not self.deaf:
            super().on_line(line)


@peer("loses-line-after-bad-json", "jsonrpc.survives-malformed=warn")
class LosesLineAfterBadJson(Server):
    """Drops the line that follows one that is not JSON."""

    drop = False

    def fail(self, id, code, message, data=None):
        self.drop = code == PARSE_ERROR
        super().fail(id, code, message, data)

    def on_line(self, line):
        if self.drop:
            self.drop = False
        else:
            super().on_line(line)


@peer("dies-of-non-object", "jsonrpc.survives-malformed=warn")
class DiesOfNonObject(Server):
    """Dies of JSON that is an array, a number or null."""

    def on_message(self, message):
        if message is None:
            sys.exit("TypeError: 'int' object is not subscriptable")
        super().on_message(message)

    def on_batch(self, messages):
        sys.exit("TypeError: list indices must be integers")


@peer("parse-error-id-zero", "jsonrpc.no-unknown-response-id=fail")
class ParseErrorIdZero(Server):
    """Answers what is not JSON with the id 0."""

    def fail(self, id, code, message, data=None):
        super().fail("0" if code == PARSE_ERROR else id, code, message, data)


@peer("parse-error-last-id", "jsonrpc.no-unknown-response-id|jsonrpc.response-once=fail")
class ParseErrorLastId(Server):
    """Answers what is not JSON with the id of the last request."""

    last = "1"

    def on_request(self, message):
        self.last = message.id
        super().on_request(message)

    def fail(self, id, code, message, data=None):
        super().fail(self.last if code == PARSE_ERROR else id, code, message, data)


@peer("parse-error-wrong-code", "jsonrpc.parse-error=warn")
class ParseErrorWrongCode(Server):
    """Answers what is not JSON with -32603."""

    def fail(self, id, code, message, data=None):
        super().fail(id, -32603 if code == PARSE_ERROR else code, message, data)


@peer("null-id-request-answered", "jsonrpc.id-null-request=warn")
class NullIdRequestAnswered(Server):
    """Answers a ping whose id is null with a result whose id is null."""

    def fail(self, id, code, message, data=None):
        if code == INVALID_REQUEST and message == "not a request" and id is None:
            return self.answer("null", {})
        return super().fail(id, code, message, data)
