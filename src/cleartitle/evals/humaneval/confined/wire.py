"""What judge and player say to each other: one line of JSON a message; only plain values pass."""

import json
from decimal import Decimal
from fractions import Fraction
from typing import IO, Any

__all__ = ["MOST_BYTES", "Opaque", "decode", "encode", "receive", "send"]

MOST_BYTES = 8 * 2**20
"""Longest message; a longer one counts as the end of the stream."""
DEEPEST = 200
_SMALL = 2**63


class Opaque:
    """Stands for a value that is no plain data; equal to nothing but itself."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"<{self.kind}>"


def encode(value: Any, depth: int = 0) -> Any:
    """A value as JSON: plain values as they are, others as an object with one key that names their kind.

    Subclasses travel as what they extend. What is no plain data (functions, iterators, own classes) becomes `Opaque`.
    """
    if depth > DEEPEST:
        return {"opaque": "deep"}
    if value is None or isinstance(value, (bool, str, float)):
        return value
    if isinstance(value, int):
        return int(value) if -_SMALL < value < _SMALL else {"int": hex(value)}
    for kind, of in (("list", list), ("tuple", tuple), ("set", set), ("frozenset", frozenset)):
        if isinstance(value, of):
            return {kind: [encode(item, depth + 1) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[encode(key, depth + 1), encode(item, depth + 1)] for key, item in value.items()]}
    return _encode_rare(value)


def _encode_rare(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": value.hex()}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, range):
        return {"range": [value.start, value.stop, value.step]}
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, Fraction):
        return {"fraction": [hex(value.numerator), hex(value.denominator)]}
    return {"opaque": type(value).__name__[:80]}


_DECODERS: dict[str, Any] = {
    "int": lambda text: int(text, 16),
    "list": lambda items: [decode(item) for item in items],
    "tuple": lambda items: tuple(decode(item) for item in items),
    "set": lambda items: {decode(item) for item in items},
    "frozenset": lambda items: frozenset(decode(item) for item in items),
    "dict": lambda pairs: {decode(key): decode(item) for key, item in pairs},
    "bytes": bytes.fromhex,
    "complex": lambda parts: complex(*parts),
    "range": lambda parts: range(*parts),
    "decimal": Decimal,
    "fraction": lambda parts: Fraction(int(parts[0], 16), int(parts[1], 16)),
    "opaque": Opaque,
}


def decode(value: Any) -> Any:
    """The value that `encode` was given.

    Raises:
        ValueError, TypeError, KeyError, ArithmeticError, RecursionError: it was made by something else.
    """
    if isinstance(value, dict):
        ((kind, content),) = value.items()
        return _DECODERS[kind](content)
    if isinstance(value, list):
        raise ValueError("a bare list")
    return value


def send(stream: IO[bytes], message: dict[str, Any]) -> None:
    """Write one message."""
    stream.write(json.dumps(message).encode() + b"\n")
    stream.flush()


def receive(stream: IO[bytes]) -> dict[str, Any] | None:
    """Read one message; None at the end of the stream, or where something else than a message came."""
    line = stream.readline(MOST_BYTES)
    if not line.endswith(b"\n"):
        return None
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None
