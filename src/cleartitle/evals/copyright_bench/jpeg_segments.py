"""The header of a JPEG file as segments, to add notices or filling without touching the picture (ITU T.81, annex B)."""

from dataclasses import dataclass

from cleartitle.errors import InputError

__all__ = ["Segment", "join", "pad", "split"]

START = b"\xff\xd8"
SCAN = 0xDA
FILLING = 0xEF
"""APP15, which readers pass over."""
OVERHEAD = 4
MOST = 65_533


@dataclass(frozen=True)
class Segment:
    """One marker segment: the second byte of its marker, and its bytes after the length."""

    marker: int
    data: bytes


def split(data: bytes) -> tuple[list[Segment], bytes]:
    """The segments before the first scan, and the rest from there on.

    Raises:
        InputError: not a JPEG file, or cut short before its scan.
    """
    if not data.startswith(START):
        raise InputError("not a JPEG file")
    found: list[Segment] = []
    place = 2
    while place + OVERHEAD <= len(data) and data[place] == 0xFF:
        marker, length = data[place + 1], int.from_bytes(data[place + 2 : place + 4], "big")
        if marker == SCAN:
            return found, data[place:]
        if length < 2 or place + 2 + length > len(data):
            break
        found.append(Segment(marker, data[place + OVERHEAD : place + 2 + length]))
        place += 2 + length
    raise InputError("a JPEG file that is cut short")


def join(segments: list[Segment], rest: bytes) -> bytes:
    """The file of these segments and what follows them."""
    parts = [START]
    for segment in segments:
        parts += [bytes([0xFF, segment.marker]), (len(segment.data) + 2).to_bytes(2, "big"), segment.data]
    return b"".join([*parts, rest])


def pad(data: bytes, size: int) -> bytes:
    """The file with blanks that no reader shows, so that it has ``size`` bytes.

    Raises:
        ValueError: it is larger, or the difference cannot be made of segments (1 to 3 bytes).
    """
    missing = size - len(data)
    if missing == 0:
        return data
    if missing < OVERHEAD:
        raise ValueError(f"cannot add {missing} bytes")
    segments, rest = split(data)
    while missing:
        # What is left after a full segment has to hold another one.
        full = MOST + OVERHEAD
        part = missing if missing <= full else min(full, missing - OVERHEAD)
        segments.append(Segment(FILLING, b" " * (part - OVERHEAD)))
        missing -= part
    return join(segments, rest)
