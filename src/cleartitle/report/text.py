"""Text from models and corpora as HTML: escaped, with hidden signs made visible, cut where it is too long."""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from cleartitle.hidden import HIDDEN_SIGNS, code_point, visible
from cleartitle.report.blocks import Mark, MarkedText

__all__ = ["SHOWN_CHARACTERS", "marked_html", "plain", "shown"]

SHOWN_CHARACTERS = 20_000
"""Most characters of one text in the page."""


def plain(text: str) -> str:
    """Text for places without markup (attributes, page title): hidden signs as ``[U+202E]``, one line, cut if long."""
    if len(text) > SHOWN_CHARACTERS:
        text = text[:SHOWN_CHARACTERS] + "…"
    return " ".join(visible(_lines(text)).split())


def shown(text: object) -> Markup:
    """Escaped text whose hidden signs stand in boxes with their code point; a long one is cut and says so."""
    whole = _lines(str(text))
    if len(whole) <= SHOWN_CHARACTERS:
        return _html(whole)
    return _html(whole[:SHOWN_CHARACTERS]) + f" … (the first {SHOWN_CHARACTERS:,} of {len(whole):,} characters)"


def marked_html(marked: MarkedText, limit: int = SHOWN_CHARACTERS) -> Markup:
    """The start of a text, at most ``limit`` characters, with its marks; marks beyond the cut are dropped.

    Marks may overlap; each stretch carries the kinds of all marks over it. Ranges count characters of ``marked.text``.
    """
    text = marked.text[:limit]
    marks = [
        Mark(max(0, mark.start), min(mark.end, len(text)), mark.kind)
        for mark in marked.marks
        if mark.start < len(text) and mark.start < mark.end
    ]
    edges = sorted({0, len(text), *(mark.start for mark in marks), *(mark.end for mark in marks)})
    starts = sorted(marks, key=lambda mark: mark.start)
    active: list[Mark] = []
    position = 0
    parts: list[Markup] = []
    for start, end in zip(edges, edges[1:], strict=False):
        active = [mark for mark in active if mark.end > start]
        while position < len(starts) and starts[position].start <= start:
            active.append(starts[position])
            position += 1
        parts.append(_stretch(text[start:end], active))
    return Markup("").join(parts)


def _stretch(text: str, marks: Sequence[Mark]) -> Markup:
    content = _html(_lines(text))
    if not marks:
        return content
    kinds = " ".join(sorted({mark.kind for mark in marks}))
    return Markup('<mark class="{}">{}</mark>').format(kinds, content)


def _html(text: str) -> Markup:
    # Escaping first is safe: it brings no hidden sign, and the boxes hold none of the text.
    return Markup(HIDDEN_SIGNS.sub(lambda match: _box(match[0]), str(escape(text))))


@lru_cache(maxsize=1024)
def _box(sign: str) -> str:
    title = unicodedata.name(sign, "control or unassigned sign")
    return str(Markup('<span class="hidden-sign" title="{}">{}</span>').format(title, code_point(sign)))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")
