"""JSON read twice: as values, and as the text they were written in.

A decoder turns 1.0 into 1, "\\u00e9" into "é", and rounds what it cannot hold. A server that
echoes ids byte for byte needs the text. So the top level of a message is walked by hand: the
decoder is used for one member after another, and the text between two of its positions is
kept beside the value.
"""

import json
import re


def _no_constant(name):
    raise ValueError(name + " is not JSON")


def _integer(digits):
    # Python refuses thousands of digits, and no sum with a float may overflow.
    return int(digits) if len(digits) < 300 else float(digits)


_decode_at = json.JSONDecoder(parse_int=_integer, parse_constant=_no_constant).raw_decode
_blanks = re.compile(r"[ \t\r\n]*").match
_tokens = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.S).finditer


def decode(text):
    """The value of a whole JSON text; ValueError where it is none."""
    value, end = _decode_at(text, _blanks(text).end())
    if _blanks(text, end).end() != len(text):
        raise ValueError("text after the value")
    return value


def _walk(text, close, keyed):
    """Yields (key, value, text of the value) for each item of an object or an array."""
    at = _blanks(text, 1).end()
    if text[at : at + 1] == close:
        at += 1
    else:
        while True:
            key = None
            if keyed:
                key, at = _decode_at(text, at)
                at = _blanks(text, at).end()
                if not isinstance(key, str) or text[at : at + 1] != ":":
                    raise ValueError("a member without a name")
                at = _blanks(text, at + 1).end()
            value, end = _decode_at(text, at)
            yield key, value, text[at:end]
            at = _blanks(text, end).end()
            mark = text[at : at + 1]
            at += 1
            if mark == close:
                break
            if mark != ",":
                raise ValueError("no comma between two items")
            at = _blanks(text, at).end()
    if _blanks(text, at).end() != len(text):
        raise ValueError("text after the value")


def members(text):
    """The members of an object twice: as values, and as the text they were written in."""
    values, tokens = {}, {}
    for key, value, token in _walk(text, "}", True):
        values[key], tokens[key] = value, token
    return values, tokens


def elements(text):
    """The texts of the elements of an array."""
    return [token for _, _, token in _walk(text, "]", False)]


def shallow_id(text):
    """The id of an object that is nested too deep for the decoder, or None."""
    depth, key, last = 0, None, None
    for token in _tokens(text):
        token = token.group()
        if depth == 1 and token == ":":
            key = last
        elif depth == 1 and key == '"id"' and token[0] not in "{[":
            return token
        elif token in ("{", "["):
            depth += 1
        elif token in ("}", "]"):
            depth -= 1
        if depth == 1 and token == ",":
            key = None
        last = token
    return None


def without_surrogates(text):
    """The text with unpaired surrogates replaced, since they have no UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
