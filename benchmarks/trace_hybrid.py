"""The protocol of HybridSourceTracker (arXiv 2605.28510): name the file that a fragment was cut from.

Fragments of 30, 60 and 120 tokens, as they are and with identifiers renamed; the score is the mean reciprocal rank of
the source among the first ten. Beside this index stands plain winnowing over words without names or numbers changed,
whose k and w are tuned on other fragments of the same corpus, and which may use as many bytes for its postings as this
index uses for both of its channels. It ranks by the number of distinct fingerprints in common, as MOSS does.
"""

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from trace_corpus import corpus_of
from trace_edits import IDENTIFIERS, leaves
from trace_queries import functions, squeezed

from cleartitle import _native
from cleartitle.code.streams.parse import parse
from cleartitle.corpus import Corpus
from cleartitle.trace import Index, IndexOptions, SearchOptions, build_index
from cleartitle.trace.words import word_stream

__all__ = ["Fragment", "Winnowing", "fragments", "reciprocal_ranks", "run"]

POSTING_BYTES = 8  # as in the index: 4 of the key, 4 of the place
DEEPEST = 10
POSTINGS = {".rests", ".words", ".table", ".filter"}


@dataclass(frozen=True)
class Fragment:
    """Consecutive tokens of a file, cut from its text, and the same with its identifiers renamed."""

    swhid: str
    text: str
    renamed: str


def fragments(texts: dict[str, tuple[str, str]], size: int, count: int, seed: int) -> list[Fragment]:
    """Fragments of ``size`` tokens (leaves of the syntax tree) of files drawn from ``texts`` (language, text)."""
    draws = random.Random(seed)
    found: list[Fragment] = []
    for swhid in draws.sample(sorted(texts), len(texts)):
        language, text = texts[swhid]
        data = text.encode()
        tokens = [node for node in leaves(parse(data, language).root_node) if node.end_byte > node.start_byte]
        if len(tokens) < size:
            continue
        start = draws.randrange(len(tokens) - size + 1)
        first, last = tokens[start].start_byte, tokens[start + size - 1].end_byte
        names: dict[bytes, bytes] = {}
        parts: list[bytes] = []
        at = first
        for node in tokens[start : start + size]:
            if node.type in IDENTIFIERS:
                old = data[node.start_byte : node.end_byte]
                parts += [data[at : node.start_byte], names.setdefault(old, f"name_{len(names)}".encode())]
                at = node.end_byte
        parts.append(data[at:last])
        found.append(
            Fragment(swhid, data[first:last].decode("utf-8", "replace"), b"".join(parts).decode("utf-8", "replace"))
        )
        if len(found) == count:
            break
    return found


def content_id(text: str) -> str:
    """The name of a content, as git and Software Heritage give it."""
    data = text.encode()
    return "swh:1:cnt:" + hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


class Winnowing:
    """Plain winnowing (Schleimer, Wilkerson and Aiken 2003) over one stream of symbols, in memory."""

    def __init__(self, streams: list[tuple[str, bytes]], k: int, w: int, *, blind: bool) -> None:
        self.k, self.w, self.blind = k, w, blind
        self.names = [name for name, _ in streams]
        keys: list[npt.NDArray[np.uint64]] = []
        documents: list[npt.NDArray[np.uint32]] = []
        for number, (_, text) in enumerate(streams):
            found = np.unique(self._prints(text))
            keys.append(found)
            documents.append(np.full(len(found), number, np.uint32))
        self.keys, self.documents = np.concatenate(keys), np.concatenate(documents)
        _native.sort_pairs(self.keys, self.documents)

    def _prints(self, text: bytes) -> npt.NDArray[np.uint64]:
        words = word_stream(text)
        grams = _native.trace_grams(words.blind if self.blind else words.exact, self.k)
        return grams[_native.trace_winnow(grams, self.w)]

    @property
    def size(self) -> int:
        """Bytes of its postings."""
        return len(self.keys) * POSTING_BYTES

    def search(self, text: str) -> list[str]:
        """Names of documents, those with the most fingerprints in common first."""
        prints = np.unique(self._prints(text.encode()))
        first = np.searchsorted(self.keys, prints, side="left")
        last = np.searchsorted(self.keys, prints, side="right")
        parts = [self.documents[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True) if b > a]
        if not parts:
            return []
        documents, counts = np.unique(np.concatenate(parts), return_counts=True)
        best = np.lexsort((documents, -counts))[:DEEPEST]
        return [self.names[int(documents[place])] for place in best]


def index_search(index: Index, options: SearchOptions) -> Callable[[str], list[str]]:
    """The search of an index as a list of content ids."""
    return lambda text: [match.swhid for match in index.search(text, limit=DEEPEST, options=options).matches]


def reciprocal_ranks(
    search: Callable[[str], list[str]], queries: list[Fragment], texts: dict[str, tuple[str, str]], *, renamed: bool
) -> npt.NDArray[np.float64]:
    """1 / rank of the first document that holds the fragment, 0 where none among ten does."""
    squeezed_texts: dict[str, str] = {}

    def holds(name: str, original: str) -> bool:
        if name not in squeezed_texts:
            squeezed_texts[name] = squeezed(texts[name][1])
        return original in squeezed_texts[name]

    ranks = np.zeros(len(queries))
    for number, query in enumerate(queries):
        original = squeezed(query.text)
        for place, name in enumerate(search(query.renamed if renamed else query.text), 1):
            if name == query.swhid or holds(name, original):
                ranks[number] = 1 / place
                break
    return ranks


SIZES = (30, 60, 120)
TRIES = [(k, w, blind) for blind in (False, True) for k, w in ((5, 4), (8, 4), (8, 8), (12, 6), (12, 12), (16, 8))]
FINDING = SearchOptions(
    limit=DEEPEST, candidates=DEEPEST, least_votes=0.0, exact_words=10, exact_shapes=1, renamed_words=16,
    renamed_shapes=1, renamed_share=0.0, short_share=0.0, renamed_least=16, common_projects=10**9,
)  # fmt: skip
"""Every candidate is an answer here: the question is which comes first, not whether one is worth a report."""


def run(work: Path, corpora: dict[str, Path], count: int, *, seed: int) -> dict[str, Any]:
    """Mean reciprocal ranks of this index and of plain winnowing tuned within the same bytes."""
    each = min(1000, count // 10)
    texts = snippets(corpora, count, seed)
    folder = work / f"hybrid-{seed}-{len(texts)}"
    streams = [(name, text.encode()) for name, (_, text) in texts.items()]
    paths: list[Path] = []
    for language in dict.fromkeys(language for language, _ in texts.values()):
        mine = {name: text for name, (of, text) in texts.items() if of == language}
        paths.append(corpus_of(mine, language, folder / language))
    build_index(paths, folder / "index", IndexOptions(workers=1))
    index = Index.open(folder / "index")
    budget = sum(file.stat().st_size for file in folder.glob("index/segments/*/*.*") if file.suffix in POSTINGS)
    known = index_search(index, FINDING)
    figures: dict[str, Any] = {"snippets": len(texts), "budget_bytes": budget}
    source = sum(len(text) for _, text in streams)
    print(f"{len(texts):,} snippets, {source / 1e6:.0f} MB; {budget / 1e6:.0f} MB of postings")
    for size in SIZES:
        queries = fragments(texts, size, each, seed + size)
        practice = fragments(texts, size, max(10, each // 5), seed + size + 1)
        for renamed in (False, True):
            score = partial(mean_rank, queries=practice, texts=texts, renamed=renamed)
            other = tuned(streams, budget, TRIES, lambda candidate, score=score: score(candidate.search))
            ours = reciprocal_ranks(known, queries, texts, renamed=renamed)
            theirs = reciprocal_ranks(other.search, queries, texts, renamed=renamed)
            gain = bootstrap(ours - theirs, seed)
            figures[f"{size} {'renamed' if renamed else 'verbatim'}"] = {
                "n": len(queries), "ours": float(ours.mean()), "winnowing": float(theirs.mean()), "difference": gain,
                "tuned": [other.k, other.w, other.blind], "winnowing_bytes": other.size,
            }  # fmt: skip
            kind = f"k {other.k}, w {other.w}{', blind' if other.blind else ''}, {other.size / 1e6:.0f} MB"
            print(
                f"{size:4} tokens {'renamed' if renamed else 'verbatim':9} n {len(queries)}: {ours.mean():.4f}, "
                f"winnowing {theirs.mean():.4f} ({kind}); difference {gain[0]:+.4f} to {gain[1]:+.4f}",
                flush=True,
            )
    return figures


def mean_rank(search: Callable[[str], list[str]], **rest: Any) -> float:
    return float(reciprocal_ranks(search, **rest).mean())


def bootstrap(values: npt.NDArray[np.float64], seed: int) -> tuple[float, float]:
    """95 % interval of a mean."""
    draws = np.random.default_rng(seed).integers(0, len(values), (2000, len(values)))
    low, high = np.percentile(values[draws].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def snippets(corpora: dict[str, Path], count: int, seed: int) -> dict[str, tuple[str, str]]:
    """Distinct functions, in equal numbers from each language as far as they go; a file is cut with chance 1/4."""
    draws = random.Random(seed)
    found: dict[str, tuple[str, str]] = {}
    for language, path in corpora.items():
        mine: dict[str, tuple[str, str]] = {}
        for work in Corpus.open(path).works():
            if len(mine) >= count // len(corpora):
                break
            if len(corpora) > 1 and draws.random() > 0.25:
                continue
            for _, text in functions(work.text, language, code_lines=0):
                mine[content_id(text)] = (language, text)
        found |= mine
    return found


def tuned(
    streams: list[tuple[str, bytes]],
    budget: int,
    tries: list[tuple[int, int, bool]],
    score: Callable[["Winnowing"], float],
) -> Winnowing:
    """The winnowing within ``budget`` bytes that scores best."""
    best: tuple[float, Winnowing] | None = None
    for k, w, blind in tries:
        candidate = Winnowing(streams, k, w, blind=blind)
        if candidate.size <= budget:
            value = score(candidate)
            if best is None or value > best[0]:
                best = (value, candidate)
    if best is None:
        raise ValueError("no winnowing fits into the budget")
    return best[1]
