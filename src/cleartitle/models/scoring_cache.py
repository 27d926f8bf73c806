"""One pass over many texts: each text is asked about once, kept on disk, and found again after a kill."""

import json
import os
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np

from cleartitle.errors import InputError
from cleartitle.files import write_json
from cleartitle.jobs import locked, part_name
from cleartitle.models.scoring_budget import QueryBudget, chosen_positions
from cleartitle.models.scoring_table import from_record, stats_of, table_of_stats, text_digest, to_record
from cleartitle.models.token_stats import TokenScorer, TokenStats
from cleartitle.options import as_record, fingerprint
from cleartitle.progress import progress, warn
from cleartitle.tables import part_paths, read_key, read_table, write_table

__all__ = ["Scores", "score_all"]

PART_TEXTS = 64
PARTS_IN_MEMORY = 8
JOURNAL = "journal.jsonl"
Places = dict[str, tuple[Path, int]]


class Scores(Sequence[TokenStats]):
    """Token scores in the order of the texts, read from disk when they are looked at.

    ``failed`` maps the digest of each text that could not be scored to an empty `TokenStats` with its error; a later
    pass asks again. ``calls`` counts the queries of this pass.
    """

    def __init__(self, digests: Sequence[str], places: Places, failed: dict[str, TokenStats], calls: int) -> None:
        self.digests, self.failed, self.calls = list(digests), failed, calls
        self._places = places
        self._parts: OrderedDict[Path, list[TokenStats]] = OrderedDict()

    def __len__(self) -> int:
        return len(self.digests)

    @overload
    def __getitem__(self, index: int) -> TokenStats: ...
    @overload
    def __getitem__(self, index: slice) -> "Scores": ...
    def __getitem__(self, index: int | slice) -> "TokenStats | Scores":
        if isinstance(index, slice):
            return Scores(self.digests[index], self._places, self.failed, self.calls)
        digest = self.digests[index]
        if digest in self.failed:
            return self.failed[digest]
        path, row = self._places[digest]
        if path not in self._parts:
            self._parts[path] = [stats for _, stats in stats_of(read_table(path))]
            if len(self._parts) > PARTS_IN_MEMORY:
                self._parts.popitem(last=False)
        self._parts.move_to_end(path)
        return self._parts[path][row]


def score_all(
    scorer: TokenScorer,
    texts: Sequence[str],
    cache_folder: Path,
    *,
    budget: QueryBudget = QueryBudget(),  # noqa: B008 - frozen
    frequency: Mapping[str, float] | None = None,
    label: str = "score",
) -> Scores:
    """Scores of ``texts``; what ``cache_folder`` holds of this scorer and budget is not asked for again.

    The cache is keyed by what the scorer says of itself, by the budget (and the table of ``rare``), and by the content
    of each text: other lists of texts share it. A killed pass goes on where it was and leaves the same bytes, since a
    part of 64 texts is scored as one call or its texts are independent of each other.

    Raises:
        InputError: the pass would need more calls than the budget allows (nothing was sent), another process is writing
            there, or the scorer cannot be asked at all.
    """
    key = _key(scorer, budget, frequency)
    folder = cache_folder / key
    with locked(folder):
        return _Pass(scorer, folder, key, budget, frequency).run(texts, label)


def _key(scorer: TokenScorer, budget: QueryBudget, frequency: Mapping[str, float] | None) -> str:
    table = None
    if budget.per_text is not None and budget.choice == "rare" and frequency is not None:
        table = text_digest(json.dumps(sorted(frequency.items())))
    return fingerprint(budget, scorer=scorer.name, record=scorer.describe(), frequency=table)


class _Pass:
    """One call of `score_all` in the folder of its key."""

    def __init__(
        self,
        scorer: TokenScorer,
        folder: Path,
        key: str,
        budget: QueryBudget,
        frequency: Mapping[str, float] | None,
    ) -> None:
        self.scorer, self.folder, self.key, self.budget, self.frequency = scorer, folder, key, budget, frequency
        self.places = self._cached()
        self.journal = folder / JOURNAL
        self.noted = self._noted()
        self.failed: dict[str, TokenStats] = {}
        self.calls = 0
        self._capabilities = scorer.capabilities()
        if budget.output_size is not None and "rank" not in self._capabilities.gives:
            raise InputError(f"query budget: output_size needs ranks, which {scorer.name} does not give")

    def run(self, texts: Sequence[str], label: str) -> Scores:
        """Ask for what is missing, part by part."""
        digests = [text_digest(text) for text in texts]
        missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in self.places}
        if missing:
            self._allow(missing)
            write_json(self.folder / "scorer.json", self._record())
            known = len(set(digests)) - len(missing)
            if known:
                warn(f"{label}: {known} of {len(set(digests))} texts are scored, {len(missing)} are left")
            with progress(label, len(missing), "text") as advance:
                names = list(missing)
                for start in range(0, len(names), PART_TEXTS):
                    part = names[start : start + PART_TEXTS]
                    self._part(part, [missing[name] for name in part])
                    advance(len(part))
            self._finish()
        return Scores(digests, self.places, self.failed, self.calls)

    def _positions(self, text: str) -> np.ndarray | None:
        if self.budget.per_text is None:
            return None
        return chosen_positions(
            text,
            self.scorer.tokenize(text),
            self.budget,
            first=self._capabilities.scores_first_token,
            frequency=self.frequency,
        )

    def _cost(self, text: str) -> int:
        if not self._capabilities.tokenizes:
            return 1 if text else 0
        tokens = len(self.scorer.tokenize(text).token)
        rows = tokens if self._capabilities.scores_first_token else max(0, tokens - 1)
        return self.scorer.calls(tokens, min(rows, self.budget.per_text or rows))

    def _allow(self, missing: Mapping[str, str]) -> None:
        """Refuse a pass that would need more calls than allowed, before the first of them."""
        if self.budget.calls is None:
            return
        needed = sum(self._cost(text) for digest, text in missing.items() if digest not in self.noted)
        if needed > self.budget.calls:
            raise InputError(
                f"query budget: {len(missing)} texts need {needed} calls, allowed are {self.budget.calls}, nothing was"
                " sent; mend: fewer texts, a smaller per_text, or a larger budget"
            )

    def _part(self, digests: list[str], texts: list[str]) -> None:
        noted = self.noted if self._capabilities.independent else {}
        asked = [place for place, digest in enumerate(digests) if digest not in noted]
        found = dict(zip(asked, self._ask([digests[i] for i in asked], [texts[i] for i in asked]), strict=True))
        rows = [found[place] if place in found else noted.pop(digest) for place, digest in enumerate(digests)]
        good = [place for place, stats in enumerate(rows) if stats.error is None]
        self.failed.update({digests[i]: rows[i] for i in range(len(rows)) if rows[i].error is not None})
        self._write([digests[i] for i in good], [rows[i] for i in good])

    def _ask(self, digests: list[str], texts: list[str]) -> Iterator[TokenStats]:
        if not texts:
            return
        positions = [self._positions(text) for text in texts]
        size = self.budget.output_size
        independent = self._capabilities.independent
        stream = self.journal.open("a", encoding="utf-8") if independent else None
        try:
            answers = self.scorer.score(texts, positions=positions)
            for digest, stats in zip(digests, answers, strict=True):
                self.calls += self.scorer.calls(stats.tokens_in_text, len(stats))
                kept = stats if size is None or not len(stats) else stats.cut_to(size)
                if stream is not None and kept.error is None:
                    stream.write(json.dumps(to_record(digest, kept)) + "\n")
                    stream.flush()
                    os.fsync(stream.fileno())
                yield kept
        finally:
            if stream is not None:
                stream.close()

    def _write(self, digests: list[str], stats: list[TokenStats]) -> None:
        if not digests:
            return
        path = self.folder / part_name(self._next())
        write_table(path, table_of_stats(digests, stats), key=self.key)
        self.places.update({digest: (path, row) for row, digest in enumerate(digests)})

    def _next(self) -> int:
        paths = part_paths(self.folder)
        return int(paths[-1].stem.removeprefix("part-")) + 1 if paths else 0

    def _finish(self) -> None:
        """Keep what the journal holds of texts that are not in this list, then drop it."""
        left = {digest: stats for digest, stats in self.noted.items() if digest not in self.places}
        self._write(list(left), list(left.values()))
        self.noted = {}
        self.journal.unlink(missing_ok=True)

    def _cached(self) -> Places:
        for torn in self.folder.glob(".part-*.tmp"):
            torn.unlink(missing_ok=True)
        places: Places = {}
        for path in part_paths(self.folder):
            if read_key(path) != self.key:
                warn(f"{path}: not a whole part of this cache, made anew")
                path.unlink()
                continue
            digests = read_table(path, ["text_sha256"])["text_sha256"].to_pylist()
            places.update({digest: (path, row) for row, digest in enumerate(digests)})
        return places

    def _noted(self) -> dict[str, TokenStats]:
        if not self.journal.is_file():
            return {}
        data = self.journal.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            # The last line of a killed pass may be torn.
            os.truncate(self.journal, whole)
        return dict(from_record(line) for line in data[:whole].split(b"\n")[:-1])

    def _record(self) -> dict[str, Any]:
        return {"scorer": self.scorer.name, "describe": self.scorer.describe(), "budget": as_record(self.budget)}
