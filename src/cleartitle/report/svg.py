"""Matplotlib figures as inline SVG: no style attribute, no date, no link, ink in the color of the text around it."""

import io
import re
import warnings
import xml.etree.ElementTree as ElementTree
from typing import Any

__all__ = ["INK", "is_drawing", "to_svg"]

INK = "#010203"
"""Color that becomes the text color of the page, so that a drawing is legible on a light and on a dark ground."""

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_TAGS = frozenset({"svg", "g", "defs", "path", "use", "text", "tspan", "clipPath", "rect", "line", "polyline"})
_ATTRIBUTES = frozenset(
    "class clip-path d fill fill-opacity font-size font-style font-weight height href id opacity stroke"
    " stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width"
    " text-anchor transform viewBox width x y".split()
)
_REFERENCE = re.compile(r"url\(#([\w-]+)\)|#([\w-]+)")
_FONT = re.compile(r"(?:(?P<style>italic|oblique)\s+)?(?:(?P<weight>bold|\d{3})\s+)?(?P<size>[\d.]+)px\b")


def to_svg(figure: Any, name: str) -> str:
    """The SVG of a Matplotlib figure, without an XML head; equal figures give equal text.

    Args:
        figure: a ``matplotlib.figure.Figure``.
        name: unique in the page; ids start with it. Lower-case letters, digits and hyphens.
    """
    import matplotlib

    stream = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}), warnings.catch_warnings():
        # Text stays text: the browser has the glyphs that the font of the layout has not.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    root = ElementTree.fromstring(stream.getvalue())
    used = {_target(value) for node in root.iter() for value in node.attrib.values()}
    _clean(root, name, used)
    for unwanted in ("width", "height", "id"):
        root.attrib.pop(unwanted, None)
    root.attrib |= {"stroke-linejoin": "round", "stroke-linecap": "butt", "fill": "currentColor"}
    return _serialize(root)


def is_drawing(text: str) -> bool:
    """Whether a text is SVG of the few elements and attributes that `to_svg` uses, with inner references only."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return False
    return "<!" not in text and all(
        _tag(node) in _TAGS
        and set(node.attrib) <= _ATTRIBUTES
        and (_reference(node.attrib.get("href", "#x")) and _reference(node.attrib.get("clip-path", "#x")))
        for node in root.iter()
    )


def _reference(value: str) -> bool:
    return _REFERENCE.fullmatch(value) is not None


def _target(value: str) -> str | None:
    match = _REFERENCE.fullmatch(value)
    return (match[1] or match[2]) if match else None


def _tag(node: ElementTree.Element) -> str:
    return str(node.tag).removeprefix(f"{{{_SVG}}}")


def _clean(node: ElementTree.Element, name: str, used: set[str | None]) -> None:
    for child in list(node):
        if _tag(child) in _TAGS:
            _clean(child, name, used)
        else:
            node.remove(child)
    found: dict[str, str] = {}
    for key, value in node.attrib.items():
        if key == "style":
            found |= _declarations(value)
        elif key == _XLINK:
            found["href"] = value
        elif key != "id" or value in used:
            found[key] = value
    node.attrib.clear()
    for key, value in found.items():
        if key in _ATTRIBUTES:
            node.attrib[key] = _value(key, value, name)


def _declarations(style: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for declaration in style.split(";"):
        key, mark, value = declaration.partition(":")
        if mark:
            found[key.strip()] = value.strip()
    font = _FONT.match(found.pop("font", ""))
    if font:
        found |= {f"font-{key}": value for key, value in font.groupdict().items() if value}
    return found


def _value(key: str, value: str, name: str) -> str:
    if value.lower() == INK:
        return "currentColor"
    target = _target(value) if key in ("href", "clip-path") else None
    if key == "id" or target:
        return {"id": f"{name}-{value}", "href": f"#{name}-{target}", "clip-path": f"url(#{name}-{target})"}[key]
    return value


def _serialize(root: ElementTree.Element) -> str:
    for node in root.iter():
        node.tag = _tag(node)
        if node.tag not in ("text", "tspan"):
            node.text = None
        node.tail = None
    root.attrib["xmlns"] = _SVG
    return ElementTree.tostring(root, encoding="unicode")
