"""Texts after the opening of a file whose membership is known, for ReCaLL."""

from dataclasses import replace

from cleartitle.models import TokenStats

__all__ = ["behind", "opening"]

CHARACTERS = 240


def opening(text: str) -> str:
    """The first whole lines of a file, at most 240 characters, with a line end behind them."""
    cut = text.rfind("\n", 0, CHARACTERS)
    return text[: cut if cut > 0 else CHARACTERS] + "\n"


def behind(stats: TokenStats, start: int) -> TokenStats:
    """The rows of the text that begins at this character, with positions counted from its first token."""
    kept = stats.at(stats.start >= start)
    first = int(kept.position[0]) if len(kept) else 0
    return replace(kept, position=kept.position - first, start=kept.start - start, end=kept.end - start)
