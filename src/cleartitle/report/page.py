"""From sections to one HTML file that opens offline and can neither load nor run anything that it was given."""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined
from markupsafe import Markup

from cleartitle.report.blocks import MarkedText, Section
from cleartitle.report.svg import is_drawing
from cleartitle.report.text import SHOWN_CHARACTERS, marked_html, plain, shown

__all__ = ["render"]

_ID = re.compile(r"[a-z][a-z0-9-]*")


def render(title: str, sections: Sequence[Section], subtitle: str = "", meta: Mapping[str, str] | None = None) -> str:
    """A whole HTML page. Equal arguments give equal text.

    The page has no address in it: style and script stand inside, allowed by their hashes in a content security policy
    that allows nothing else. All strings are escaped, control and direction signs are shown as their code points, and
    texts are cut after 20,000 characters with a line that says so. Without a script the page reads as it is; the script
    adds sorting, searching and filtering.

    Args:
        title: what was asked, as the heading.
        sections: in the order of the page; one without a title stands before the contents.
        subtitle: one or two sentences below the heading.
        meta: short facts for the foot of the page.

    Raises:
        ValueError: two sections share an id, or an id has signs other than lower-case letters, digits and hyphens.
    """
    ids = [section.id for section in sections]
    if len(set(ids)) != len(ids) or not all(_ID.fullmatch(identity) for identity in ids):
        raise ValueError(f"ids of sections must be unique words in lower case: {ids}")
    style, script = _asset("report.css"), _asset("report.js")
    page = _template().render(
        title=title,
        subtitle=subtitle,
        sections=sections,
        meta=meta or {},
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
    )
    return page.lstrip()


def _policy(style: str, script: str) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_hash(style)}'",
            f"script-src '{_hash(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _asset(name: str) -> str:
    return (files("cleartitle.report") / "assets" / name).read_text(encoding="utf-8")


@cache
def _template() -> Any:
    environment = Environment(
        loader=BaseLoader(), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(shown=shown, plain=plain, marked=marked_html, drawing=_drawing)
    environment.filters.update(cut_line=_cut_line, address=_address)
    return environment.from_string(_asset("page.html.j2"))


def _drawing(svg: str) -> Markup:
    if not is_drawing(svg):
        raise ValueError("a figure holds something else than a drawing made by to_svg")
    return Markup(svg)


def _address(data: bytes) -> str:
    """A picture as a data address."""
    kinds = {b"\xff\xd8\xff": "jpeg", b"\x89PNG": "png"}
    kind = next((kind for start, kind in kinds.items() if data.startswith(start)), None)
    if kind is None:
        raise ValueError("a picture is neither JPEG nor PNG")
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def _cut_line(marked: MarkedText) -> str:
    """What the page leaves out of a text; empty where it shows all."""
    if len(marked.text) <= SHOWN_CHARACTERS:
        return ""
    where = f" The whole text stands in {marked.whole}." if marked.whole else ""
    return f"Shown: the first {SHOWN_CHARACTERS:,} of {len(marked.text):,} characters.{where}"
