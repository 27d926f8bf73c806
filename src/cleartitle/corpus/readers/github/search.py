"""Repositories by license and language, as the CodeIPPrompt paper (section 3.1) collects them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.readers.github.api import GitHub, GitHubError
from cleartitle.corpus.text import printable
from cleartitle.errors import InputError
from cleartitle.progress import warn

__all__ = ["Repository", "Search", "parse_search", "repository_of"]

_LANGUAGES = {"python": "Python", "java": "Java", "c": "C", "cpp": "C++", "csharp": "C#"}
_PAGE = 100
_WINDOW = 1_000
"""Most results that the API gives for one query; more are reached through slices by day of creation."""
_FIRST, _LAST = date(2007, 10, 1), date(2049, 12, 31)
_NAME = re.compile(r"[A-Za-z0-9-]{1,100}/[A-Za-z0-9._-]{1,100}")


@dataclass(frozen=True)
class Repository:
    """A repository as the API describes it; ``license`` is its SPDX id there, or None."""

    name: str
    branch: str
    license: str | None
    url: str
    origin: str | None = None
    """Name and license of the repository that it was forked from."""


@dataclass(frozen=True)
class Search:
    """One query for each language, the most starred first; forks are not among the results."""

    license: str
    languages: tuple[str, ...]
    limit: int = 100
    stars: int = 0

    def run(self, github: GitHub) -> Iterator[Repository]:
        """Up to ``limit`` repositories for each language, each once.

        Raises:
            GitHubError: the API refuses the query.
        """
        seen: set[str] = set()
        for language in self.languages:
            query = f"license:{self.license} language:{_LANGUAGES[language]}" + (
                f" stars:>={self.stars}" if self.stars else ""
            )
            left = self.limit
            for repository in _slices(github, query, self.limit):
                if left and repository.name not in seen:
                    seen.add(repository.name)
                    left -= 1
                    yield repository
                if not left:
                    break


def parse_search(argument: str, options: CorpusOptions) -> Search:
    """Read ``license=KEY[,language=NAME][,limit=N][,stars=N]``.

    Raises:
        InputError: an unknown key, or a value that is none.
    """
    mend = "mend: github:license=KEY[,language=NAME][,limit=N][,stars=N], for example license=gpl-3.0,language=java"
    fields: dict[str, str] = {}
    for part in argument.split(","):
        key, _, value = part.partition("=")
        if key not in ("license", "language", "limit", "stars") or key in fields or not value:
            raise InputError(f"github:{printable(argument, 100)}: cannot read {printable(part, 40)!r}; {mend}")
        fields[key] = value
    license_, language = fields.get("license", ""), fields.get("language", "")
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,40}", license_):
        raise InputError(f"github:{printable(argument, 100)}: no license key; {mend}")
    if language and language not in options.languages:
        kept = ", ".join(options.languages)
        raise InputError(f"github:{printable(argument, 100)}: language {language!r} is not among those kept ({kept})")
    numbers = {key: fields[key] for key in ("limit", "stars") if key in fields}
    if bad := [key for key, value in numbers.items() if not re.fullmatch(r"[0-9]{1,7}", value)]:
        raise InputError(f"github:{printable(argument, 100)}: {bad[0]} is no number; {mend}")
    languages = (language,) if language else options.languages
    return Search(license_, languages, **{key: int(value) for key, value in numbers.items()})


def repository_of(item: Any) -> Repository | None:
    """A repository out of an answer; None if a field is missing or strange."""
    try:
        name, branch, stated = item["full_name"], item["default_branch"], item.get("license")
        spdx = stated.get("spdx_id") if isinstance(stated, dict) else None
        source = item.get("source")
        origin = None
        if item.get("fork") and isinstance(source, dict):
            origin = f"{source['full_name']} ({(source.get('license') or {}).get('spdx_id') or 'no license stated'})"
        if not _NAME.fullmatch(name) or not isinstance(branch, str):
            return None
        return Repository(name, branch, spdx if isinstance(spdx, str) else None, f"https://github.com/{name}", origin)
    except (KeyError, TypeError, AttributeError):
        return None


def _slices(github: GitHub, query: str, limit: int) -> Iterator[Repository]:
    """The results of a query; where there are more than the API gives, by halves of the days of creation."""
    first = _page(github, query, 1)
    if limit <= _WINDOW or first["total_count"] <= _WINDOW:
        yield from _pages(github, query, first)
        return
    stack = [(_FIRST, _LAST)]
    while stack:
        start, end = stack.pop()
        part = f"{query} created:{start}..{end}"
        first = _page(github, part, 1)
        if first["total_count"] <= _WINDOW or start == end:
            if first["total_count"] > _WINDOW:
                warn(f"github: more than {_WINDOW} repositories of {start}; the rest of that day was left out")
            yield from _pages(github, part, first)
        else:
            middle = start + (end - start) // 2
            stack += [(start, middle), (middle + timedelta(days=1), end)]


def _pages(github: GitHub, query: str, page: dict[str, Any]) -> Iterator[Repository]:
    number = 1
    while True:
        for item in page["items"]:
            if (repository := repository_of(item)) is not None:
                yield repository
        if len(page["items"]) < _PAGE or number * _PAGE >= _WINDOW:
            return
        number += 1
        page = _page(github, query, number)


def _page(github: GitHub, query: str, number: int) -> dict[str, Any]:
    parameters = {"q": query, "sort": "stars", "order": "desc", "per_page": _PAGE, "page": number}
    found = github.json("/search/repositories", parameters)
    if not isinstance(found, dict) or not isinstance(found.get("items"), list):
        raise GitHubError("/search/repositories: an answer without items")
    if found.get("incomplete_results"):
        warn(
            f"github: the search for {query!r} ran out of time there; some repositories are missing from page {number}"
        )
    count = found.get("total_count")
    return {"items": found["items"], "total_count": count if isinstance(count, int) else 0}
