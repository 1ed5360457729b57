"""What a client says, understood."""

from raw_json import decode, elements, members

INVALID_PARAMS = -32602


class Refusal(Exception):
    """A request that is answered with a JSON-RPC error."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Message:
    """One JSON object from the client."""

    __slots__ = ("fields", "id", "method")

    def __init__(self, text):
        self.fields, tokens = members(text)
        value = self.fields.get("id")
        readable = isinstance(value, (str, int, float)) and not isinstance(value, bool)
        self.id = tokens["id"] if readable else None
        method = self.fields.get("method")
        self.method = method if isinstance(method, str) else None

    @property
    def is_response(self):
        return "method" not in self.fields and ("result" in self.fields or "error" in self.fields)

    @property
    def is_notification(self):
        return self.method is not None and "id" not in self.fields

    @property
    def is_request(self):
        return (
            self.fields.get("jsonrpc") == "2.0"
            and self.method is not None
            and self.id is not None
            and isinstance(self.fields.get("params", {}), (dict, list, type(None)))
        )

    @property
    def params(self):
        """The parameters by name; null counts as none."""
        params = self.fields.get("params")
        if isinstance(params, list):
            raise Refusal(INVALID_PARAMS, "parameters go by name")
        return {} if params is None else params

    @property
    def meta(self):
        """The `_meta` of the parameters, empty if there is none to read."""
        params = self.fields.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        return meta if isinstance(meta, dict) else {}


def parse(text):
    """A Message, a list of them (None for an element that is no object), or None."""
    if text.startswith("{"):
        return Message(text)
    if text.startswith("["):
        return [Message(t) if t[0] == "{" else None for t in elements(text)]
    decode(text)
    return None
