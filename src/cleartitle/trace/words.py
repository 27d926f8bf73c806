"""The word stream of a text and the two channels of fingerprints over it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cleartitle import _native

__all__ = ["CHANNELS", "SHORTEST", "SYNC", "Channel", "WordStream", "fingerprints", "line_starts", "word_stream"]

U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Channel:
    """One way of looking at words: runs of ``k`` words, of which winnowing keeps one in each window of ``w`` runs.

    Two texts that share ``k + w - 1`` words in a row share a fingerprint (Schleimer, Wilkerson and Aiken 2003,
    section 4.1; the search looks up every run of a query, so that the guarantee needs one winnowed side only).
    """

    name: str
    k: int
    w: int

    @property
    def guarantee(self) -> int:
        """Words of a shared run that is always found, unless all of it is common."""
        return self.k + self.w - 1


CHANNELS = (Channel("exact", 10, 9), Channel("renamed", 16, 8))
"""``exact`` compares words; ``renamed`` sees of an identifier only where in the run the same one stood before."""

SHORTEST = min(channel.k for channel in CHANNELS)
"""A text of fewer words holds no run that an index knows."""

SYNC = 128
"""The byte offset of every so many words is kept, so that a match in a long text is found without reading it all."""


@dataclass(frozen=True)
class WordStream:
    """Words of a text: byte offsets (uint32) and symbols (uint64), one entry a word."""

    starts: U32
    ends: U32
    exact: U64
    blind: U64

    def __len__(self) -> int:
        return len(self.starts)

    def symbols(self, channel: Channel) -> U64:
        """The symbols that two texts must share in this channel."""
        return self.exact if channel.name == "exact" else self.blind

    def grams(self, channel: Channel) -> U64:
        """Hash of each run of ``channel.k`` words; empty for a shorter text."""
        if channel.name == "exact":
            return _native.trace_grams(self.exact, channel.k)
        return _native.trace_renamed_grams(self.exact, self.blind, channel.k)


def word_stream(text: bytes) -> WordStream:
    """Cut a text into words, statelessly: also inside strings and comments, whatever the language.

    Blanks, quotes, backslashes, comment signs, and a comma before a closing bracket are dropped, so that layout,
    quoting and comment style do not count.

    Raises:
        ValueError: a text of 4 GiB or more.
    """
    return WordStream(*_native.trace_words(text))


def fingerprints(words: WordStream, channel: Channel) -> tuple[U64, U32]:
    """Keys and word positions that stand for a text in the index."""
    grams = words.grams(channel)
    positions = _native.trace_winnow(grams, channel.w)
    return grams[positions], positions


def line_starts(text: bytes) -> npt.NDArray[np.int64]:
    """Byte offsets at which the second and each further line starts (line ends: LF, CR LF, CR)."""
    data = np.frombuffer(text, np.uint8)
    ends = data == 10
    returns = data == 13
    if returns.any():
        returns[:-1] &= ~ends[1:]
        ends = ends | returns
    return np.flatnonzero(ends) + 1
