"""Texts, tokens and windows before any model is asked."""

import re
from dataclasses import dataclass

import numpy as np

from cleartitle.models.scoring_options import ScorerOptions

__all__ = ["DEFAULT_WINDOW", "Window", "chosen_rows", "joined_spans", "readable", "windows"]

DEFAULT_WINDOW = 1000
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Window:
    """A stretch of a text that a model sees at once: it reads tokens ``start`` to ``stop`` and scores ``rows``.

    ``rows`` (int32) are token positions of the whole text, ascending, all within the window. ``stop`` is one past the
    last of them: nothing behind it can change a number of a causal model.
    """

    start: int
    stop: int
    rows: np.ndarray


def readable(text: str) -> str:
    """The text with each lone surrogate (half a character, not encodable) replaced by U+FFFD; lengths stay equal."""
    return _SURROGATE.sub("\ufffd", text)


def joined_spans(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Spans without gaps: white space that a tokenizer leaves out of its offsets belongs to the token after it."""
    if len(start):
        before = np.concatenate([[0], np.maximum.accumulate(end)[:-1]]).astype(np.int32)
        start = np.minimum(start, before)
    return start, end


def chosen_rows(tokens: int, *, first: bool, positions: np.ndarray | None) -> np.ndarray:
    """Positions of a text that get a row: all but the first (unless ``first``), or those of them that were asked for.

    Raises:
        IndexError: a position is not in the text.
    """
    if positions is None:
        return np.arange(0 if first else 1, tokens, dtype=np.int32)
    wanted = np.unique(np.asarray(positions, dtype=np.int32))
    if len(wanted) and (wanted[0] < 0 or wanted[-1] >= tokens):
        raise IndexError(f"position {wanted[-1] if wanted[0] >= 0 else wanted[0]} of a text of {tokens} tokens")
    return wanted if first else wanted[wanted > 0]


def windows(tokens: int, size: int, options: ScorerOptions, rows: np.ndarray) -> tuple[list[Window], int]:
    """Windows of at most ``size`` tokens that score each of ``rows`` once, and the tokens cut off at the end.

    Each window after the first starts half a window (or ``options.stride``) later and scores only what the ones before
    it have not, as the released code of CodeMI does with 1,000 and 500. Windows without a row are left out.
    """
    stop_at = min(tokens, size) if options.long_texts == "cut" else tokens
    stride = options.stride or max(1, size // 2)
    found: list[Window] = []
    start = seen = 0
    while seen < stop_at:
        stop = min(start + size, stop_at)
        inside = rows[(rows >= seen) & (rows < stop)]
        if len(inside):
            found.append(Window(start, int(inside[-1]) + 1, inside))
        start, seen = start + stride, stop
    return found, tokens - stop_at
