"""Functions of a corpus as queries, and whether an answer names where one came from."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from trace_edits import strip

from cleartitle.code import definitions
from cleartitle.corpus import Corpus
from cleartitle.trace import Index, Result
from cleartitle.trace.segment import Segment
from cleartitle.trace.votes import vote
from cleartitle.trace.words import word_stream

__all__ = ["Query", "Texts", "all_common", "functions", "sample", "squeezed"]

FEWEST_LINES, MOST_LINES = 10, 60


@dataclass(frozen=True)
class Query:
    """A function with the content that it was cut from."""

    text: str
    language: str
    swhid: str
    project: str
    path: str
    name: str


def functions(text: str, language: str, code_lines: int = FEWEST_LINES) -> list[tuple[str, str]]:
    """Name and text of each function of 10 to 60 lines, ``code_lines`` of them code, without the comments above it.

    Blank lines, comments and docstrings are no code: what is left once they are stripped can be told apart.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found: list[tuple[str, str]] = []
    for item in definitions(text, language):
        if item.kind == "function" and not item.is_error:
            part = lines[item.header_line - 1 : item.last_line]
            cut = "\n".join(part) + "\n"
            if FEWEST_LINES <= len(part) <= MOST_LINES and (
                code_lines == 0 or strip(cut, language).count("\n") >= code_lines
            ):
                found.append((item.name, cut))
    return found


def sample(corpus: Path, language: str, count: int, seed: int) -> list[Query]:
    """Functions drawn from a corpus: one from each of some files, files drawn with equal chance within projects.

    A project gives at most its equal share plus what smaller ones leave over.
    """
    draws = np.random.default_rng(seed)
    places: dict[str, list[str]] = {}
    for batch in Corpus.open(corpus).occurrences():
        for swhid, project in zip(*(batch.column(name).to_pylist() for name in ("swhid", "project")), strict=True):
            places.setdefault(project, []).append(swhid)
    order: list[str] = []
    for project in sorted(places):
        places[project] = [str(swhid) for swhid in draws.permutation(sorted(set(places[project])))]
    projects = [str(project) for project in draws.permutation(sorted(places))]
    while projects and len(order) < 6 * count:
        projects = [project for project in projects if places[project]]
        order += [places[project].pop() for project in projects]
    wanted = {swhid: number for number, swhid in enumerate(order)}
    drawn: dict[int, Query] = {}
    for work in Corpus.open(corpus).works():
        if work.swhid in wanted and wanted[work.swhid] not in drawn:
            cuts = functions(work.text, language)
            if cuts:
                name, text = cuts[int(draws.integers(len(cuts)))]
                place = work.occurrence
                drawn[wanted[work.swhid]] = Query(text, language, work.swhid, place.project, place.path, name)
    return [drawn[number] for number in sorted(drawn)][:count]


def squeezed(text: str) -> str:
    """A text without its blanks."""
    return re.sub(r"\s+", "", text)


class Texts:
    """Stored texts of an index by content id, without blanks; the latest ones are kept."""

    def __init__(self, index: Index) -> None:
        self.places: dict[str, tuple[Segment, int]] = {}
        for segment in index.segments:
            for number, swhid in enumerate(segment.documents["swhid"].to_pylist()):
                self.places[swhid] = (segment, number)

    def of(self, swhid: str) -> str:
        """The text of a content."""
        segment, number = self.places[swhid]
        return segment.text(number).decode("utf-8", "replace")

    def holds(self, swhid: str, original: str) -> bool:
        """Whether a content holds a text, blanks aside."""
        return squeezed(original) in squeezed(self.of(swhid))


def all_common(texts: "Texts", query: Query, text: str) -> bool:
    """Whether all runs that the index keeps of the source and that the query holds are common: none leads anywhere."""
    words = word_stream(text.encode())
    segment, document = texts.places[query.swhid]
    common = found = 0
    for votes in vote(segment, words):
        common += int(np.count_nonzero(votes.common))
        found += int(np.count_nonzero(votes.hits.documents == document))
    return common > 0 and found == 0


def rank_of(found: Result, query: Query, original: str, texts: Texts, deepest: int) -> int:
    """Place of the first match that is a hit, from 1; 0 if there is none among the first ``deepest``."""
    for place, match in enumerate(found.matches[:deepest], 1):
        if match.swhid == query.swhid or texts.holds(match.swhid, original):
            return place
    return 0


def per_language(queries: list[Query]) -> dict[str, int]:
    return dict(Counter(query.language for query in queries))
