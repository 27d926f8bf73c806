"""Which documents share runs of words with a query, and how rare these runs are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cleartitle import _native
from cleartitle.trace.options import SearchOptions
from cleartitle.trace.segment import Hits, Segment
from cleartitle.trace.words import CHANNELS, Channel, WordStream

__all__ = ["Candidates", "Sightings", "Votes", "candidates", "sightings_of", "vote"]

I64 = npt.NDArray[np.int64]

MANY_WORDS = 4096
"""A query of more words looks up its winnowed runs only; each shared run of the guaranteed length is still found."""


@dataclass(frozen=True)
class Votes:
    """What the runs of a query found in one channel of a segment."""

    channel: Channel
    hits: Hits
    places: I64  # word of the query at which each looked-up run starts
    documents: I64  # in how many documents each run stands
    projects: I64  # in how many projects, or documents for a common one
    common: I64  # in how many documents each common run stands


@dataclass(frozen=True)
class Sightings:
    """How widely the runs of a query are spread, over all segments that are searched.

    ``projects`` holds an array for each channel: in how many projects each run stands. ``common`` holds the words of
    the query (a rising array) at which exact runs start that are too common in some segment to lead anywhere.
    ``scores`` are those of the best candidates of each segment.
    """

    projects: list[I64]
    common: I64
    scores: npt.NDArray[np.float64]

    def least_score(self, options: SearchOptions) -> float:
        """The score that a document needs to be compared: that of the last of the best of all segments."""
        best = sorted(self.scores.tolist(), reverse=True)[: options.candidates]
        return max(best[-1], options.least_votes * best[0]) if best else 0.0

    def mostly_common(self, words: int) -> bool:
        """Whether common runs hold at least half of the ``words`` of the query.

        Only winnowed runs are known, so that runs whose starts are a window or less apart are taken for one.
        """
        if not len(self.common):
            return False
        gaps = np.diff(self.common)
        held = CHANNELS[0].k + int(np.where(gaps <= CHANNELS[0].w, gaps, np.minimum(gaps, CHANNELS[0].k)).sum())
        return 2 * held >= words

    @staticmethod
    def together(parts: "Sequence[Sightings]") -> "Sightings":
        """The sightings of several groups of segments as one."""
        if not parts:
            return Sightings([np.zeros(0, np.int64) for _ in CHANNELS], np.zeros(0, np.int64), np.zeros(0, np.float64))
        projects = [np.sum([part.projects[number] for part in parts], axis=0) for number in range(len(CHANNELS))]
        common = np.unique(np.concatenate([part.common for part in parts]))
        return Sightings(projects, common, np.concatenate([part.scores for part in parts]))


def sightings_of(votes: list[list[Votes]], best: list["Candidates"]) -> Sightings:
    """What the votes and the best candidates of all segments say together."""
    return Sightings.together(
        [
            Sightings([here.projects for here in found], found[0].places[found[0].common > 0], chosen.scores)
            for found, chosen in zip(votes, best, strict=True)
        ]
    )


@dataclass(frozen=True)
class Candidates:
    """Documents of a segment with their scores (bits of rarity), best first."""

    documents: list[int]
    scores: npt.NDArray[np.float64]


def vote(segment: Segment, query: WordStream) -> list[Votes]:
    """Look up the runs of a query in each channel of a segment."""
    found: list[Votes] = []
    for channel in CHANNELS:
        keys, places = _runs(query, channel)
        hits = segment.hits(keys, channel)
        documents, projects = (
            np.bincount(_distinct(hits.grams, values) >> 32, minlength=len(keys))
            for values in (hits.documents, hits.projects)
        )
        common = segment.channels[channel.name].common_documents(keys).astype(np.int64)
        found.append(Votes(channel, hits, places, documents, projects + common, common))
    return found


def _distinct(grams: I64, values: npt.NDArray[Any]) -> I64:
    pairs = np.sort((grams << 32) | values)
    if len(pairs) > 1:
        pairs = pairs[np.concatenate([[True], pairs[1:] != pairs[:-1]])]
    return pairs


def candidates(segment: Segment, votes: list[Votes], language: str | None, options: SearchOptions) -> Candidates:
    """Documents by the rarity of the runs that they share with the query, the best of the segment."""
    total = len(segment.first_words)
    pairs = [_distinct(vote.hits.grams, vote.hits.documents) for vote in votes]
    documents = np.concatenate([pair & 0xFFFFFFFF for pair in pairs])
    if not len(documents):
        return Candidates([], np.zeros(0, np.float64))
    rarity = [np.log2(1 + total / np.maximum(vote.documents, 1)) for vote in votes]
    weights = np.concatenate([rare[pair >> 32] for rare, pair in zip(rarity, pairs, strict=True)])
    chosen, inverse = np.unique(documents, return_inverse=True)
    scores = np.bincount(inverse, weights=weights).astype(np.float64)
    if language is not None:
        languages = segment.documents["language"].take(chosen).to_pylist()
        scores = np.where(np.array(languages) == language, scores, 0.0)
    best = np.argsort(-scores, kind="stable")[: options.candidates]
    best = best[scores[best] > 0]
    return Candidates([int(chosen[item]) for item in best], scores[best])


def _runs(query: WordStream, channel: Channel) -> tuple[npt.NDArray[np.uint64], I64]:
    grams = query.grams(channel)
    if len(query) <= MANY_WORDS:
        return grams, np.arange(len(grams))
    places = _native.trace_winnow(grams, channel.w).astype(np.int64)
    return grams[places], places
