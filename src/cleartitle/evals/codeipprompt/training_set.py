"""Which prompts stand in a training set: exactly, or nearly (CodeIPPrompt, table 5).

The unit of a prompt (its function or class) is compared with every text of the training set, and with every function
and class in it. Training sets are read once, in a stream; memory grows with the prompts, not with the set.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from cleartitle.code import LANGUAGES, language_of_path
from cleartitle.code.definitions import definitions, normal_line_ends
from cleartitle.code.streams import DeadlineError, deadline
from cleartitle.corpus import Corpus
from cleartitle.errors import InputError
from cleartitle.files import sha256_file
from cleartitle.progress import progress, warn
from cleartitle.similarity import Prepared, minhash_prepared

__all__ = ["MATCHES", "NEAR", "TrainingSet", "find_matches", "unit_text"]

NEAR = 0.8
"""MinHash similarity of word 5-grams from which on two units are nearly the same."""
BANDS, ROWS = 64, 4
"""A pair at `NEAR` meets in one band with a probability of 1 − (1 − 0.8^4)^64, which is 1 to ten places."""
SECONDS = 10.0
"""Most time to parse one text of a training set."""
TEXT_NAMES = ("text", "content", "code", "source")

MATCHES = pa.list_(
    pa.struct(
        [
            # Name of the training set.
            ("set", pa.string()),
            # exact | near | none
            ("match", pa.string()),
            # MinHash similarity of the closest text of the set that met a band; 1 where exact, 0 where none met.
            ("similarity", pa.float64()),
        ]
    )
)
"""What was found of one prompt, one entry a training set."""

Prompt = Mapping[str, Any]


@dataclass(frozen=True)
class TrainingSet:
    """Texts that a model was trained on: a corpus, a folder of source files, or a table with a column of texts.

    Tables are JSON Lines or Parquet with a column named as one of `TEXT_NAMES`, and perhaps ``language`` or ``path``.
    """

    name: str
    path: Path

    @staticmethod
    def parse(spec: str) -> "TrainingSet":
        """``PATH`` or ``NAME=PATH``.

        Raises:
            InputError: nothing is there.
        """
        name, equals, rest = spec.partition("=")
        path = Path(rest if equals else spec)
        if not path.exists():
            raise InputError(f"training set {spec}: nothing is there; mend: NAME=PATH of a corpus, a folder or a table")
        return TrainingSet(name if equals else path.stem, path)

    def describe(self) -> dict[str, Any]:
        """What names the set in the record of a run: key of a corpus, or hash over its files."""
        if (self.path / "corpus.json").is_file():
            return {"name": self.name, "corpus": Corpus.open(self.path).key}
        digest = hashlib.sha256()
        for path in self._files():
            digest.update(f"{path.relative_to(self.path) if self.path.is_dir() else path.name}\0".encode())
            digest.update(sha256_file(path).encode())
        return {"name": self.name, "sha256": digest.hexdigest()}

    def texts(self) -> Iterator[tuple[str, str | None]]:
        """Each text with its language, None where nothing names it.

        Raises:
            InputError: a table that cannot be read, or has no column of texts.
        """
        if (self.path / "corpus.json").is_file():
            for batch in Corpus.open(self.path).contents():
                yield from zip(batch["text"].to_pylist(), batch["language"].to_pylist(), strict=True)
            return
        for path in self._files():
            if path.suffix in (".jsonl", ".parquet"):
                yield from _table_texts(path)
            elif self.path.is_file() or language_of_path(path.name):
                yield path.read_text(encoding="utf-8", errors="replace"), language_of_path(path.name)

    def _files(self) -> list[Path]:
        if self.path.is_file():
            return [self.path]
        return sorted(path for path in self.path.rglob("*") if path.is_file() and not path.is_symlink())


def _table_texts(path: Path) -> Iterator[tuple[str, str | None]]:
    import pyarrow.json as pj
    import pyarrow.parquet as pq

    try:
        if path.suffix == ".parquet":
            batches: Iterator[pa.RecordBatch] = pq.ParquetFile(path).iter_batches(batch_size=256)
        else:
            batches = iter(pj.open_json(path))
        for batch in batches:
            names = [name for name in TEXT_NAMES if name in batch.schema.names]
            if not names:
                raise InputError(f"{path}: no column of texts; mend: name it {', '.join(TEXT_NAMES[:-1])} or source")
            yield from (_text_and_language(row, names[0]) for row in batch.to_pylist() if row[names[0]])
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path}: cannot be read as a table ({str(error).splitlines()[0]})") from None


def _text_and_language(row: Mapping[str, Any], name: str) -> tuple[str, str | None]:
    language = row.get("language")
    if language not in LANGUAGES:
        language = language_of_path(str(row.get("path") or ""))
    return str(row[name]), language


def unit_text(prompt: Prompt) -> str:
    """The lines of the function or class that a prompt begins; empty where none was found."""
    if prompt["unit_first_line"] is None:
        return ""
    return _lines(prompt["source"], prompt["unit_first_line"], prompt["unit_last_line"])


def _lines(text: str, first: int, last: int) -> str:
    return "\n".join(text.split("\n")[first - 1 : last]) + "\n"


def find_matches(prompts: Sequence[Prompt], sets: Sequence[TrainingSet]) -> list[list[dict[str, Any]]]:
    """For each prompt (``source``, ``language`` and the lines of its unit) its entries of `MATCHES`.

    ``exact`` is equal but for blank lines and white space at line ends. ``none`` says that the set, as it was given,
    holds neither; the model may have seen the code elsewhere.
    """
    found: list[list[dict[str, Any]]] = [[] for _ in prompts]
    for one in sets:
        index = _Index(prompts)
        with progress(f"look in {one.name}", None, "text") as advance:
            for text, language in one.texts():
                index.look_at(text, language)
                advance(1)
        if index.given_up:
            warn(f"training set {one.name}: {index.given_up} texts took too long to parse and were compared whole")
        for entries, match in zip(found, index.matches(), strict=True):
            entries.append({"set": one.name, **match})
    return found


@dataclass
class _Index:
    """The units of the prompts, looked up by hash and by bands of their signatures."""

    prompts: Sequence[Prompt]
    given_up: int = 0
    exact: dict[bytes, list[int]] = field(default_factory=dict[bytes, list[int]])
    bands: dict[tuple[str, int, bytes], list[int]] = field(default_factory=dict[tuple[str, int, bytes], list[int]])
    best: list[float] = field(default_factory=list[float])
    is_exact: list[bool] = field(default_factory=list[bool])
    prepared: list[Prepared] = field(default_factory=list[Prepared])

    def __post_init__(self) -> None:
        self.best = [0.0] * len(self.prompts)
        self.is_exact = [False] * len(self.prompts)
        for place, prompt in enumerate(self.prompts):
            unit = unit_text(prompt)
            for text in (unit, prompt["source"]):
                if text.strip():
                    self.exact.setdefault(_digest(text), []).append(place)
            own = Prepared(unit or prompt["source"], prompt["language"])
            self.prepared.append(own)
            if not own.too_short:
                for key in _bands(own):
                    self.bands.setdefault(key, []).append(place)

    @property
    def languages(self) -> list[str]:
        return sorted({prompt["language"] for prompt in self.prompts})

    def look_at(self, text: str, language: str | None) -> None:
        for name in [language] if language else self.languages:
            if name not in self.languages:
                continue
            for piece in self._pieces(text, name):
                self._compare(piece, name)

    def _pieces(self, text: str, language: str) -> list[str]:
        text = normal_line_ends(text)
        try:
            with deadline(SECONDS):
                units = definitions(text, language)
        except DeadlineError:
            self.given_up += 1
            return [text]
        cut = (_lines(text, unit.first_line, unit.last_line) for unit in units)
        return list(dict.fromkeys((text, *cut)))

    def _compare(self, piece: str, language: str) -> None:
        for place in self.exact.get(_digest(piece), ()):
            self.is_exact[place] = True
        other = Prepared(piece, language)
        if other.too_short:
            return
        for place in {place for key in _bands(other) for place in self.bands.get(key, ())}:
            self.best[place] = max(self.best[place], minhash_prepared(self.prepared[place], other))

    def matches(self) -> Iterator[dict[str, Any]]:
        for exact, best in zip(self.is_exact, self.best, strict=True):
            if exact:
                yield {"match": "exact", "similarity": 1.0}
            else:
                yield {"match": "near" if best >= NEAR else "none", "similarity": best}


def _digest(text: str) -> bytes:
    lines = (line.rstrip() for line in text.splitlines())
    return hashlib.sha256("\n".join(line for line in lines if line).encode("utf-8", "surrogatepass")).digest()


def _bands(prepared: Prepared) -> Iterator[tuple[str, int, bytes]]:
    signature = prepared.signature
    for band in range(BANDS):
        yield prepared.language, band, signature[band * ROWS : (band + 1) * ROWS].tobytes()
