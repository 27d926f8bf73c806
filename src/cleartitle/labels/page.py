"""The page that raters see: one file, which asks for nothing but the questions of its own server."""

import base64
import hashlib
from functools import cache
from importlib.resources import files

__all__ = ["page", "policy"]


@cache
def page() -> bytes:
    """The HTML, with style and script inside; it holds no item and no secret."""
    html, style, script = (_asset(name) for name in ("label.html", "label.css", "label.js"))
    return html.replace("/*STYLE*/", style).replace("/*SCRIPT*/", script).encode()


@cache
def policy() -> str:
    """Its content security policy: own style and script by their hashes, calls to the own server, nothing else."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_hash(_asset('label.css'))}'",
            f"script-src '{_hash(_asset('label.js'))}'",
            "connect-src 'self'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _asset(name: str) -> str:
    return (files("cleartitle.labels") / "assets" / name).read_text(encoding="utf-8")
