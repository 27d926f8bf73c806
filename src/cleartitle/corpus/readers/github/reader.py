"""Files of GitHub repositories, at one commit each."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from cleartitle.corpus.declarations import Declaration, declaration_of, declaration_of_values
from cleartitle.corpus.documents import Document, LicenseText, Load, Piece, Skipped, Source, raw_table
from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.readers.github.api import GitHub, GitHubError
from cleartitle.corpus.readers.github.search import Repository, parse_search, repository_of
from cleartitle.corpus.readers.tree import (
    EXPANSION,
    WHOLE,
    Span,
    Tree,
    is_large,
    license_texts,
    metadata_of,
    spans,
    spooled,
)
from cleartitle.corpus.text import printable
from cleartitle.errors import InputError
from cleartitle.progress import progress
from cleartitle.web import WebError

__all__ = ["load_repositories", "plan_github"]

_ONE = re.compile(r"([A-Za-z0-9-]{1,100}/[A-Za-z0-9._-]{1,100})(?:@([A-Za-z0-9][A-Za-z0-9._/-]{0,200}))?")

_GROUP = 500  # repositories in one shard, at most


@dataclass(frozen=True)
class _Checkout:
    """A repository at a commit, its tarball in the cache."""

    repository: Repository
    revision: str
    date: datetime | None
    path: Path


def plan_github(argument: str, options: CorpusOptions) -> Source:
    """One repository ``OWNER/NAME[@REVISION]``, or all that a search by license and language finds.

    The default is the newest commit of the default branch; the commit is recorded. A repository that is gone, empty or
    cannot be downloaded whole is left out with a line. The license that GitHub states is the declaration; where it
    states none, the files of the repository are asked as for a folder.

    Raises:
        InputError: not of this form.
        GitHubError: the API refuses, or nothing was found.
        WebError: no answer.
    """
    github = GitHub.by(options)
    skipped: list[Skipped] = []
    one = _ONE.fullmatch(argument)
    if one is None and "=" not in argument:
        raise InputError(f"github:{printable(argument, 100)}: mend: github:OWNER/NAME[@REVISION] or github:license=KEY")
    if one is not None:
        repository = repository_of(github.json(f"/repos/{one[1]}"))
        if repository is None:
            raise GitHubError(f"github:{one[1]}: described without a name or branch")
        notes = [f"github:{one[1]} is {repository.name} now"] if repository.name.lower() != one[1].lower() else []
        checkouts = [_checkout(github, repository, one[2])]
    else:
        notes = []
        checkouts = _collect(github, list(parse_search(argument, options).run(github)), skipped)
    if not checkouts:
        raise GitHubError(
            f"github:{argument}: no repository could be had" + (f" ({skipped[0].line})" if skipped else "")
        )
    return _source(argument, checkouts, options, skipped, notes)


def load_repositories(checkouts: list[_Checkout], options: CorpusOptions, span: Span) -> pa.Table:
    """The files of one shard as a table; ``span`` cuts a shard of one repository."""
    return raw_table(piece for checkout in checkouts for piece in _read(checkout, options, span))


def _collect(github: GitHub, repositories: list[Repository], skipped: list[Skipped]) -> list[_Checkout]:
    """Download one after the other, as GitHub asks; what is in the cache is not asked for."""
    found: list[_Checkout] = []
    with progress("repositories", len(repositories), "repository") as advance:
        for repository in repositories:
            try:
                found.append(_checkout(github, repository, None))
            except (GitHubError, WebError) as error:
                skipped.append(Skipped("repository", f"github:{repository.name}: {error}"))
            advance(1)
    return found


def _checkout(github: GitHub, repository: Repository, revision: str | None) -> _Checkout:
    wanted = revision or repository.branch
    answer = github.json(f"/repos/{repository.name}/commits", {"sha": wanted, "per_page": 1})
    try:
        commit: dict[str, Any] = answer[0]
        sha, written = commit["sha"], commit["commit"]["committer"]["date"]
        if not re.fullmatch(r"[0-9a-f]{40,64}", sha):
            raise ValueError("no commit id")
        date = datetime.fromisoformat(written)
    except (IndexError, KeyError, TypeError, ValueError):
        raise GitHubError(f"github:{repository.name}: no commit {printable(wanted, 100)!r}") from None
    return _Checkout(repository, sha, date if date.tzinfo else None, github.tarball(repository.name, sha))


def _source(
    argument: str, checkouts: list[_Checkout], options: CorpusOptions, skipped: list[Skipped], notes: list[str]
) -> Source:
    digest = _digest(checkouts)
    record: dict[str, object] = {
        "spec": f"github:{argument}",
        "kind": "github",
        "sha256": digest,
        "repositories": [
            {
                "name": item.repository.name,
                "revision": item.revision,
                "license": item.repository.license,
                **({"forked_from": item.repository.origin} if item.repository.origin else {}),
            }
            for item in checkouts
        ],
    }
    return Source(record, f"github {digest}", lambda spool: _loads(checkouts, options, spool), skipped, notes)


def _loads(checkouts: list[_Checkout], options: CorpusOptions, spool: Path) -> list[Load]:
    """Shards of many small repositories, or of a part of a large one."""
    loads: list[Load] = []
    for group in _groups(checkouts, options):
        found, key = [WHOLE], _digest(group)
        if len(group) == 1 and is_large([group[0].path], options):
            (path,) = spooled([group[0].path], spool)
            group = [replace(group[0], path=path)]
            with suppress(InputError):  # the shard tells what is wrong
                found = spans(Tree(path, options).documents([]), options)
        loads += [(f"github {key} {span}", partial(load_repositories, group, options, span)) for span in found]
    return loads


def _groups(checkouts: list[_Checkout], options: CorpusOptions) -> Iterator[list[_Checkout]]:
    group: list[_Checkout] = []
    size = 0
    for item in checkouts:
        own = item.path.stat().st_size * EXPANSION
        if group and (size + own > options.shard_bytes or len(group) >= _GROUP):
            yield group
            group, size = [], 0
        group.append(item)
        size += own
    yield group


def _digest(checkouts: list[_Checkout]) -> str:
    digest = hashlib.sha256()
    for item in checkouts:
        digest.update(f"{item.repository.name} {item.revision} {item.repository.license}\n".encode())
    return digest.hexdigest()


def _read(checkout: _Checkout, options: CorpusOptions, span: Span) -> Iterator[Piece]:
    first, stop = span
    name, revision = checkout.repository.name, checkout.revision
    skipped: list[Skipped] = []
    try:
        tree = Tree(checkout.path, options)
        metadata = metadata_of(tree.about)
        texts = license_texts(tree.about, name, revision, skipped)
        declared, evidence = _declaration(checkout.repository, metadata, texts)
        for member in islice(tree.documents(skipped), first, stop):
            yield Document(
                project=name,
                version=metadata.get("Version"),
                path=member.path,
                data=member.data,
                source="github",
                url=f"{checkout.repository.url}/blob/{revision}/{quote(member.path)}",
                revision=revision,
                date=checkout.date,
                declared_license=declared,
                declared_evidence=evidence,
            )
        if stop is None:
            yield from texts
    except InputError as error:
        skipped.append(Skipped("archive", str(error)))
    if stop is None:
        yield from skipped


def _declaration(repository: Repository, metadata: dict[str, Any], texts: list[LicenseText]) -> Declaration:
    declared, evidence = declaration_of_values([repository.license or ""])
    if declared is None:
        return declaration_of(metadata, texts)
    return declared, (evidence or "").replace('"from":"data set"', '"from":"GitHub"', 1)
