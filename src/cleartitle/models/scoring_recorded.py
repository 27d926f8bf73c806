"""Token scores that were made elsewhere or before: written with their origin, read strictly, scored again offline."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cleartitle.errors import InputError
from cleartitle.files import atomic_path, sha256_file
from cleartitle.models.scoring_table import from_record, stats_of, table_of_stats, text_digest, to_record
from cleartitle.models.token_stats import Access, ScorerCapabilities, TokenScorer, TokenSpans, TokenStats
from cleartitle.tables import read_table

__all__ = ["RecordedScorer", "write_scores"]

FORMAT = "cleartitle token scores 1"
HEAD = b"cleartitle.token_scores"
MAX_LINE = 256 * 2**20


def write_scores(path: Path, scorer: TokenScorer, texts: Sequence[str], stats: Iterable[TokenStats]) -> int:
    """Write the scores of texts as ``.jsonl`` or ``.parquet`` that ``recorded:FILE`` opens; the number written.

    The texts themselves are not written, only their hashes. Texts with an error are left out, equal texts count once.

    Raises:
        InputError: another ending of the name.
    """
    rows = {text_digest(text): item for text, item in zip(texts, stats, strict=True) if item.error is None}
    head = {"format": FORMAT, **_origin(scorer)}
    if path.suffix == ".jsonl":
        lines = [json.dumps(head), *(json.dumps(to_record(digest, item)) for digest, item in rows.items())]
        with atomic_path(path) as temporary:
            temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif path.suffix == ".parquet":
        table = table_of_stats(list(rows), list(rows.values()))
        with atomic_path(path) as temporary:
            pq.write_table(table.replace_schema_metadata({HEAD: json.dumps(head)}), temporary, compression="zstd")
    else:
        raise InputError(f"{path}: token scores are written as .jsonl or .parquet")
    return len(rows)


class RecordedScorer:
    """Recorded token scores behind the protocol of a `TokenScorer`: a text is looked up by its hash.

    A text that was not recorded, and positions that were not, give an empty `TokenStats` with an error.
    """

    def __init__(self, path: Path) -> None:
        """Read a file whole.

        Raises:
            InputError: absent, not of `write_scores`, or a line of it contradicts itself; the message names the line.
        """
        self._path = path
        if not path.is_file():
            raise InputError(f"{path}: no such file of token scores")
        self._rows: dict[str, TokenStats] = {}
        if path.suffix == ".parquet":
            head = self._parquet()
        else:
            head = self._lines()
        self._origin, self._has = _head(path, head)
        self._sha256 = sha256_file(path)

    @property
    def name(self) -> str:
        """The name of the scorer that was recorded."""
        return str(self._origin["scorer"])

    def describe(self) -> dict[str, Any]:
        """What the recorded scorer said of itself, and the file."""
        return {"adapter": "recorded", "file_sha256": self._sha256, "recorded": self._origin["describe"]}

    def capabilities(self) -> ScorerCapabilities:
        """Those that were recorded; nothing costs a query."""
        return self._has

    def tokenize(self, text: str) -> TokenSpans:
        """The recorded tokens of a text; those without a row have id -1 and an empty span."""
        stats = self._rows.get(text_digest(text))
        count = 0 if stats is None else stats.tokens_in_text
        spans = TokenSpans(np.full(count, -1, np.int32), np.zeros(count, np.int32), np.zeros(count, np.int32))
        if stats is not None:
            for whole, part in zip(spans, (stats.token, stats.start, stats.end), strict=True):
                whole[stats.position] = part
        return spans

    def calls(self, tokens: int, rows: int) -> int:
        """None."""
        return 0

    def score(
        self, texts: Iterable[str], *, positions: Sequence[np.ndarray | None] | None = None
    ) -> Iterator[TokenStats]:
        """The recorded rows, or those of ``positions``."""
        for place, text in enumerate(texts):
            stats = self._rows.get(text_digest(text))
            wanted = None if positions is None else positions[place]
            if stats is None:
                yield _error(f"{self._path.name}: this text is not recorded")
            elif wanted is None:
                yield stats
            else:
                first = 0 if self._has.scores_first_token else 1
                rows = np.unique(np.asarray(wanted, dtype=np.int32))
                rows = rows[(rows >= first) & (rows < stats.tokens_in_text - stats.truncated)]
                if np.isin(rows, stats.position).all():
                    yield stats.at(np.isin(stats.position, rows))
                else:
                    yield _error(f"{self._path.name}: a position of this text is not recorded")

    def close(self) -> None:
        """Nothing is held open."""

    def _add(self, digest: str, stats: TokenStats) -> None:
        if digest in self._rows:
            raise InputError(f"text {digest[:12]} is recorded twice")
        self._rows[digest] = stats

    def _parquet(self) -> object:
        table: pa.Table = read_table(self._path)
        raw = (table.schema.metadata or {}).get(HEAD)
        try:
            for digest, stats in stats_of(table.replace_schema_metadata(None)):
                self._add(digest, stats)
        except InputError as error:
            raise InputError(f"{self._path}: {error}") from None
        return _loads(raw or b"")

    def _lines(self) -> object:
        head: object = None
        with self._path.open("rb") as stream:
            number = 0
            while line := stream.readline(MAX_LINE + 1):
                number += 1
                try:
                    if len(line) > MAX_LINE or not line.endswith(b"\n"):
                        raise InputError("not a whole line" if len(line) <= MAX_LINE else "longer than 256 MiB")
                    if number == 1:
                        head = _loads(line)
                        _head(self._path, head)
                    else:
                        self._add(*from_record(line))
                except InputError as error:
                    text = str(error).removeprefix(f"{self._path}: ")
                    raise InputError(f"{self._path}: line {number}: {text}") from None
        return head


def _origin(scorer: TokenScorer) -> dict[str, Any]:
    has = scorer.capabilities()
    known = {
        "gives": sorted(has.gives),
        "vocabulary": has.vocabulary,
        "output_size": has.output_size,
        "context": has.context,
        "scores_first_token": has.scores_first_token,
    }
    return {"scorer": scorer.name, "describe": scorer.describe(), "capabilities": known}


def _head(path: Path, value: object) -> tuple[dict[str, Any], ScorerCapabilities]:
    head = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    known = head.get("capabilities")
    if head.get("format") != FORMAT or not isinstance(head.get("scorer"), str) or not isinstance(known, dict):
        raise InputError(f"{path}: not a file of token scores; mend: one that write_scores wrote")
    stated = cast("dict[str, Any]", known)
    gives = stated.get("gives")
    counts = [stated.get(name) for name in ("vocabulary", "output_size", "context")]
    first = stated.get("scores_first_token")
    if not isinstance(gives, list) or not set(cast("list[Any]", gives)) <= set(get_args(Access)):
        raise InputError(f"{path}: its capabilities are not understood")
    if not isinstance(first, bool) or any(count is not None and type(count) is not int for count in counts):
        raise InputError(f"{path}: its capabilities are not understood")
    has = ScorerCapabilities(
        frozenset(cast("list[Access]", gives)), *counts, scores_first_token=first, independent=False
    )
    return {"describe": None, **head}, has


def _loads(data: bytes) -> object:
    try:
        return json.loads(data)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        return None


def _error(reason: str) -> TokenStats:
    none = np.zeros(0, dtype=np.int32)
    return TokenStats(none, none, none, none, error=reason)
