"""Pages that servers of this program show: one file each, nothing from elsewhere, asked for by themselves only."""

import base64
import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["SAFE_HEADERS", "Page", "asked_by_itself", "image_address", "page"]

SAFE_HEADERS = (
    ("Cache-Control", "no-store"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
)
"""Of every answer, beside the content security policy of its page."""


@dataclass(frozen=True)
class Page:
    """HTML with its style and script inside, and the content security policy that lets these run and nothing else."""

    html: bytes
    policy: str


@cache
def page(package: str, name: str) -> Page:
    """The page of ``assets/NAME.html``, ``.css`` and ``.js`` in a package; it holds no data and no secret.

    The policy allows own style and script by their hashes and calls to the own server.
    """
    html, style, script = (_asset(package, f"{name}.{kind}") for kind in ("html", "css", "js"))
    policy = "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_hash(style)}'",
            f"script-src '{_hash(script)}'",
            "connect-src 'self'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )
    return Page(html.replace("/*STYLE*/", style).replace("/*SCRIPT*/", script).encode(), policy)


def asked_by_itself(host: str | None, origin: str | None, hosts: Collection[str]) -> bool:
    """Whether a request names this server as its host, and comes from its own page if a browser says from where.

    Without it a page of any other site could have a browser ask a server of this machine (DNS rebinding, cross-site
    requests). ``hosts`` are names with their port.
    """
    return host in hosts and (origin is None or origin.removeprefix("http://") in hosts)


def image_address(jpeg: bytes) -> str:
    """A JPEG image as an address that a page can show without asking for anything."""
    return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode("ascii")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(package: str, name: str) -> str:
    return (files(package) / "assets" / name).read_text(encoding="utf-8")
