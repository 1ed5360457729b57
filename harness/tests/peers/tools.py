"""The tools of the test peers."""

from raw_json import without_surrogates

TYPES = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}

READ_ONLY = {"readOnlyHint": True, "openWorldHint": False}


class Tool:
    """A tool: its definition on the wire and the function behind it.

    `run` takes the arguments as a dict and returns text, a whole result, or None if the
    answer comes later. `more` is put into the definition as it is.
    """

    def __init__(self, name, run, properties=None, required=(), annotations=None, **more):
        schema = {"type": "object"}
        if properties is not None:
            schema["properties"] = properties
        if required:
            schema["required"] = list(required)
        self.definition = {"name": name, "description": name, "inputSchema": schema}
        if annotations is not None:
            self.definition["annotations"] = annotations
        self.definition.update(more)
        self.name, self.run = name, run

    def complaint(self, arguments):
        """What is wrong with the arguments, or None."""
        schema = self.definition["inputSchema"]
        for name in schema.get("required", []):
            if name not in arguments:
                return "missing argument: " + name
        for name, about in schema.get("properties", {}).items():
            kind = TYPES.get(about.get("type")) if isinstance(about, dict) else None
            value = arguments.get(name)
            if name not in arguments or kind is None:
                continue
            if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
                return "wrong type of argument: " + name
        return None


def text_result(text, **more):
    return dict({"content": [{"type": "text", "text": text}]}, **more)


def echo(arguments):
    return without_surrogates(arguments["text"])


def add(arguments):
    return str(arguments["a"] + arguments["b"])


def standard_tools():
    number = {"type": "number"}
    return [
        Tool("echo", echo, {"text": {"type": "string"}}, ["text"], READ_ONLY),
        Tool("add", add, {"a": number, "b": number}, ["a", "b"]),
    ]
