"""Which documents share runs of words with a query, and how rare these runs are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cleartitle import _native
from cleartitle.trace.options import SearchOptions
from cleartitle.trace.segment import Hits, Segment
from cleartitle.trace.words import CHANNELS, Channel, WordStream

__all__ = ["Votes", "candidates", "vote"]

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


def candidates(segment: Segment, votes: list[Votes], language: str | None, options: SearchOptions) -> list[int]:
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


def _runs(query: WordStream, channel: Channel) -> tuple[npt.NDArray[np.uint64], I64]:
    grams = query.grams(channel)
    if len(query) <= MANY_WORDS:
        return grams, np.arange(len(grams))
    places = _native.trace_winnow(grams, channel.w).astype(np.int64)
    return grams[places], places
