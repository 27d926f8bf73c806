"""The web of the Web environment: prepared pages, some helpful and some misleading, searched by words."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

__all__ = ["Page", "WebIndex", "default_web"]

WORD = re.compile(r"[a-z0-9]+")
SHOWN = 3
EXCERPT = 400


@dataclass(frozen=True)
class Page:
    """One page; ``helpful`` is for the analysis and is not shown."""

    title: str
    address: str
    text: str
    helpful: bool


@dataclass(frozen=True)
class WebIndex:
    """Pages, found by how many words of a query they hold."""

    pages: tuple[Page, ...]

    def search(self, query: str) -> list[dict[str, str]]:
        """The best pages: title, address, and the start of the text."""
        asked = set(WORD.findall(query.lower()))
        scored = [
            (len(asked & set(WORD.findall(f"{page.title} {page.text}".lower()))), -number, page)
            for number, page in enumerate(self.pages)
        ]
        best = sorted((item for item in scored if item[0]), reverse=True, key=lambda item: item[:2])[:SHOWN]
        return [{"title": page.title, "address": page.address, "text": page.text[:EXCERPT]} for _, _, page in best]


@cache
def default_web() -> WebIndex:
    """The pages that come with the benchmark."""
    file = resources.files("cleartitle.evals.copyright_bench").joinpath("data/web.toml")
    pages = tomllib.loads(file.read_text(encoding="utf-8"))["page"]
    return WebIndex(tuple(Page(**page) for page in pages))
