"""Search an index: look up, vote, verify, rank."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cleartitle import _native
from cleartitle.errors import InputError
from cleartitle.trace.build import read_manifest
from cleartitle.trace.matches import Match, Result, Span, State
from cleartitle.trace.options import SearchOptions
from cleartitle.trace.origins import license_facts, match_at
from cleartitle.trace.segment import Hits, Segment
from cleartitle.trace.words import CHANNELS, Channel, WordStream, word_stream

__all__ = ["Index"]

I64 = npt.NDArray[np.int64]

IDENTIFIER = 1
"""How an identifier looks in the blind stream."""

MANY_WORDS = 4096
"""A query of more words looks up its winnowed runs only; each shared run of the guaranteed length is still found."""


@dataclass(frozen=True)
class Found:
    """A candidate with what it shares with the query."""

    segment: Segment
    document: int
    spans: list[tuple[int, int, int, str]]  # query word, document word, words, kind
    words: WordStream
    text: bytes
    covered: int
    covered_exact: int
    projects: int
    common: bool


class Index:
    """An index, open for reading; safe to share between threads."""

    def __init__(self, path: Path, manifest: dict[str, Any], segments: list[Segment]) -> None:
        self.path, self.manifest, self.segments = path, manifest, segments

    @classmethod
    def open(cls, path: str | Path) -> "Index":
        """Open an index folder.

        Raises:
            InputError: no index, a damaged one, or one of another format.
        """
        path = Path(path)
        manifest = read_manifest(path)
        try:
            return cls(path, manifest, _segments(path, manifest))
        except InputError:
            # Segments may have been merged between the two looks.
            renewed = read_manifest(path)
            if renewed == manifest:
                raise
            return cls(path, renewed, _segments(path, renewed))

    @property
    def searched(self) -> dict[str, Any]:
        """What a search looks through, in plain JSON values."""
        records = [segment.record for segment in self.segments]
        return {
            "index": str(self.path),
            "segments": len(records),
            **{
                name: sum(record[name] for record in records)
                for name in ("documents", "origins", "words", "source_bytes")
            },
            "guaranteed_words": {channel.name: channel.guarantee for channel in CHANNELS},
        }

    def search(
        self,
        text: str | bytes,
        language: str | None = None,
        limit: int = 10,
        *,
        path: str | None = None,
        options: SearchOptions | None = None,
    ) -> Result:
        """Works that share words with ``text``, best first; at most ``limit`` of them.

        With ``language`` only documents of that language count.
        """
        options = options or SearchOptions()
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        query = word_stream(data)
        if len(query) < min(channel.k for channel in CHANNELS):
            return Result(path, "too_short", len(query), self.searched, ())
        found, any_common = self._find(query, data, language, options)
        matches = rank(found, data, query, limit)
        state: State = "none"
        if any(not match.common for match in matches):
            state = "matches"
        elif matches or any_common:
            state = "common"
        return Result(path, state, len(query), self.searched, tuple(matches))

    def _find(
        self, query: WordStream, data: bytes, language: str | None, options: SearchOptions
    ) -> tuple[list[Found], bool]:
        found: list[Found] = []
        any_common = False
        positions = {channel.name: _positions(query, channel) for channel in CHANNELS}
        for segment in self.segments:
            votes: list[Votes] = []
            for channel in CHANNELS:
                keys, places = positions[channel.name]
                votes.append(_vote(segment, channel, keys, places))
                if not any_common and not len(votes[-1].hits.grams):
                    any_common = bool(segment.channels[channel.name].common_documents(keys).any())
            for document in _candidates(segment, votes, language, options):
                candidate = _verify(segment, document, query, votes, options)
                if candidate is not None:
                    found.append(candidate)
        return found, any_common


def _segments(path: Path, manifest: dict[str, Any]) -> list[Segment]:
    return [Segment(path / "segments" / segment["name"]) for segment in manifest["segments"]]


def _positions(query: WordStream, channel: Channel) -> tuple[npt.NDArray[np.uint64], I64]:
    grams = query.grams(channel)
    if len(query) <= MANY_WORDS:
        return grams, np.arange(len(grams))
    places = _native.trace_winnow(grams, channel.w).astype(np.int64)
    return grams[places], places


@dataclass(frozen=True)
class Votes:
    """What the runs of a query found in one channel of a segment."""

    channel: Channel
    hits: Hits
    places: I64  # word of the query at which each looked-up run starts
    documents: I64  # in how many documents each run stands
    projects: I64  # in how many projects


def _vote(segment: Segment, channel: Channel, keys: npt.NDArray[np.uint64], places: I64) -> Votes:
    hits = segment.hits(keys, channel)
    counts = [
        np.bincount(_distinct(hits.grams, values) >> 32, minlength=len(keys))
        for values in (hits.documents, hits.projects)
    ]
    return Votes(channel, hits, places, counts[0], counts[1])


def _distinct(grams: I64, values: npt.NDArray[Any]) -> I64:
    pairs = np.sort((grams << 32) | values)
    if len(pairs) > 1:
        pairs = pairs[np.concatenate([[True], pairs[1:] != pairs[:-1]])]
    return pairs


def _candidates(segment: Segment, votes: list[Votes], language: str | None, options: SearchOptions) -> list[int]:
    """Documents by the rarity of the runs that they share with the query."""
    total = len(segment.first_words)
    pairs = [_distinct(vote.hits.grams, vote.hits.documents) for vote in votes]
    documents = np.concatenate([pair & 0xFFFFFFFF for pair in pairs])
    if not len(documents):
        return []
    rarity = [np.log2(1 + total / np.maximum(vote.documents, 1)) for vote in votes]
    weights = np.concatenate([rare[pair >> 32] for rare, pair in zip(rarity, pairs, strict=True)])
    chosen, inverse = np.unique(documents, return_inverse=True)
    scores = np.bincount(inverse, weights=weights)
    if language is not None:
        languages = segment.documents["language"].take(chosen).to_pylist()
        scores = np.where(np.array(languages) == language, scores, 0.0)
    best = np.argsort(-scores, kind="stable")[: options.candidates]
    least = max(options.least_votes * float(scores[best[0]]), 1e-9)
    return [int(chosen[item]) for item in best if scores[item] >= least]


def _verify(
    segment: Segment, document: int, query: WordStream, votes: list[Votes], options: SearchOptions
) -> Found | None:
    mine = [np.flatnonzero(vote.hits.documents == document) for vote in votes]
    text = segment.text(document)
    theirs = np.concatenate([vote.hits.words[rows] for vote, rows in zip(votes, mine, strict=True)])
    margin = len(query) + max(channel.k for channel in CHANNELS)
    words, base = segment.words_near(document, text, int(theirs.min()) - margin, int(theirs.max()) + margin)
    runs: list[tuple[int, int, int, str]] = []
    projects: list[I64] = []
    for vote, rows in zip(votes, mine, strict=True):
        grams = vote.hits.grams[rows]
        lefts, rights, lengths = _native.extend(
            query.symbols(vote.channel),
            words.symbols(vote.channel),
            vote.places[grams].astype(np.uint32),
            (vote.hits.words[rows] - base).astype(np.uint32),
        )
        runs += [
            (left, right, length, vote.channel.name)
            for left, right, length in zip(lefts.tolist(), rights.tolist(), lengths.tolist(), strict=True)
            if length >= vote.channel.k
        ]
        projects.append(vote.projects[grams])
    held = np.zeros(len(query), np.uint8)
    spans = _choose(runs, held)
    exact, renamed = int(np.count_nonzero(held == 2)), int(np.count_nonzero(held == 1))
    longest_exact = max((span[2] for span in spans if span[3] == "exact"), default=0)
    is_match = (
        longest_exact >= options.exact_words
        or exact >= options.short_share * len(query)
        or any(
            span[2] >= options.renamed_words and _is_renaming(query, words, [span], options.renamed_shapes)
            for span in spans
        )
        or (
            exact + renamed >= max(options.renamed_words, options.renamed_share * len(query))
            and _is_renaming(query, words, spans, options.renamed_shapes)
        )
    )
    if not is_match:
        return None
    many = int(np.median(np.concatenate(projects)))
    return Found(segment, document, spans, words, text, exact + renamed, exact, many, many > options.common_projects)


def _is_renaming(query: WordStream, words: WordStream, spans: list[tuple[int, int, int, str]], shapes: int) -> bool:
    """Whether words that are equal but for their names look like code under other names, not like prose or a table."""
    here = np.concatenate([np.arange(left, left + length) for left, _, length, _ in spans])
    there = np.concatenate([np.arange(right, right + length) for _, right, length, _ in spans])
    blind = query.blind[here]
    if len(np.unique(_native.trace_grams(blind, 3))) < shapes:
        return False
    named = blind == IDENTIFIER
    ours, theirs = query.exact[here[named]], words.exact[there[named]]
    pairs = len(np.unique(ours * np.uint64(3) + theirs))
    names = min(len(np.unique(ours)), len(np.unique(theirs)))
    return pairs <= 1.15 * names + 1


def _choose(runs: list[tuple[int, int, int, str]], held: npt.NDArray[np.uint8]) -> list[tuple[int, int, int, str]]:
    """Spans that do not overlap in the query: exact before renamed, long before short. Marks what they cover."""
    chosen: list[tuple[int, int, int, str]] = []
    for left, right, length, kind in sorted(runs, key=lambda run: (run[3] != "exact", -run[2], run[0], run[1])):
        free = np.flatnonzero(held[left : left + length] == 0)
        if len(free) < min(4, length):
            continue
        first, last = int(free[0]), int(free[-1]) + 1
        if len(free) < (last - first) // 2:
            continue
        held[left + first : left + last][held[left + first : left + last] == 0] = 2 if kind == "exact" else 1
        chosen.append((left + first, right + first, last - first, kind))
    return sorted(chosen)


def rank(found: list[Found], data: bytes, query: WordStream, limit: int) -> list[Match]:
    """Best first: specific before common, more of the query before less, then the likelier origin."""
    query_lines = line_numbers(data)
    groups: dict[tuple[str, str], list[tuple[Found, dict[str, Any], int]]] = {}
    for item in found:
        place, others = match_at(item.segment.origins_of(item.document))
        groups.setdefault((place["project"], place["path"]), []).append((item, place, others))
    best: list[tuple[tuple[Any, ...], Found, dict[str, Any], int]] = []
    top = max((item.covered for item in found), default=0)
    for members in groups.values():
        members.sort(key=lambda member: (-member[0].covered, -member[0].covered_exact, *_age(member[1])))
        item, place, others = members[0]
        others += sum(1 + more for _, _, more in members[1:])
        # Near the top a few words more or less say nothing about who was first.
        level = 0 if item.covered >= 0.95 * top else top - item.covered
        key = (item.common, level, place["is_vendored"], *_age(place), -item.covered, -(place["reuse_count"] or 0))
        best.append((key, item, place, others))
    best.sort(key=lambda entry: (entry[0], entry[2]["project"], entry[2]["path"]))
    return [_match(item, place, others, query, query_lines) for _, item, place, others in best[:limit]]


def _age(place: dict[str, Any]) -> tuple[bool, str]:
    date = place["date"]
    return (date is None, date.isoformat() if date is not None else "")


def _match(item: Found, place: dict[str, Any], others: int, query: WordStream, lines: npt.NDArray[np.int64]) -> Match:
    theirs = line_numbers(item.text)
    spans = tuple(
        Span(
            query=_lines(query, lines, left, length),
            origin=_lines(item.words, theirs, right, length),
            words=length,
            kind="exact" if kind == "exact" else "renamed",
        )
        for left, right, length, kind in item.spans
    )
    return Match(
        **license_facts(place),
        swhid=item.segment.swhid(item.document),
        language=item.segment.language(item.document),
        spans=spans,
        containment=round(item.covered / len(query), 4),
        exact=round(item.covered_exact / len(query), 4),
        common=item.common,
        projects=item.projects,
        also=others,
    )


def _lines(words: WordStream, ends: npt.NDArray[np.int64], first: int, count: int) -> tuple[int, int]:
    start, end = int(words.starts[first]), int(words.starts[first + count - 1])
    return int(np.searchsorted(ends, start, side="right")) + 1, int(np.searchsorted(ends, end, side="right")) + 1


def line_numbers(text: bytes) -> npt.NDArray[np.int64]:
    """Byte offsets at which the second and each further line starts (line ends: LF, CR LF, CR)."""
    data = np.frombuffer(text, np.uint8)
    feeds = data == 10
    returns = data == 13
    if returns.any():
        alone = returns.copy()
        alone[:-1] &= ~feeds[1:]
        feeds = feeds | alone
    return np.flatnonzero(feeds) + 1
