"""Texts that a user brings: read as a corpus, asked about once for each model, and the evidence that comes of it."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa

from cleartitle.corpus import Corpus, CorpusOptions, build
from cleartitle.errors import InputError
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import read_json
from cleartitle.jobs import locked
from cleartitle.membership.evidence import Evidence
from cleartitle.membership.frequency import FrequencyTable
from cleartitle.membership.prefixes import behind, opening
from cleartitle.membership.rewrites import python_rewrites
from cleartitle.membership.token_classes import token_classes
from cleartitle.models import QueryBudget, TokenScorer, TokenStats, score_all
from cleartitle.models.scoring_recorded import RecordedScorer, write_scores
from cleartitle.options import NOT_IN_KEY, as_record, fingerprint
from cleartitle.tables import read_table, table_of, write_table

__all__ = ["OWN_TEXTS", "AskOptions", "conduct", "evidence_of", "of_first_reference", "pieces"]

OWN_TEXTS = pa.schema(
    [
        # members, non-members; suspects, held-out; what is after ReCaLL's prefixes "… prefix"
        ("set", pa.string()),
        ("id", pa.string()),
        ("project", pa.string()),
        ("path", pa.string()),
        ("language", pa.string()),
        ("text", pa.large_string()),
    ]
)
PREFIX = " prefix"
READ, ASKED, TARGET, FREQUENCY = ".read", "asked", "target", "frequency.parquet"
REWRITES = 2
PUBLIC_FILES = 2000


@dataclass(frozen=True)
class AskOptions:
    """How much a model is asked about texts of a user; fixed before looking, and part of the run's key."""

    languages: tuple[str, ...] = ("python", "java", "c", "cpp", "csharp")
    """Files in these languages are read."""
    files: int | None = None
    """At most so many files of each set, drawn at random."""
    queries: int | None = None
    """Tokens of a file that are asked about, drawn at random; all by default."""
    output_size: int | None = None
    """Only ranks among so many likeliest tokens are used, as of a service that shows no more."""
    calls: int | None = field(default=None, metadata=NOT_IN_KEY)
    """Most calls of each model; a run that needs more is refused before the first one."""
    variants: bool = False
    """Ask about lower case and two rewrites of each file as well, and about each after a prefix of a file of a set
    whose membership is known (that file is in no figure): five to six times the calls."""
    permutations: int = 1000
    """Relabelings behind the p-values of blind classifiers."""
    seed: int = 0
    """Of draws, permutations and bootstrap."""

    def __post_init__(self) -> None:
        """Refuse numbers that leave nothing to ask."""
        for name in ("files", "queries", "output_size", "permutations"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"membership: {name} is {value}; mend: at least 1")

    def budget(self) -> QueryBudget:
        """The same limits for `cleartitle.models.score_all`."""
        return QueryBudget(self.queries, seed=self.seed, output_size=self.output_size, calls=self.calls)


def read_sets(
    sets: Mapping[str, Sequence[str]], output: Path, options: AskOptions, *, known: Sequence[str] = ()
) -> tuple[pa.Table, dict[str, Any]]:
    """The files of each set, in the rules of a corpus (see `cleartitle.corpus.build`), as ``OWN_TEXTS``.

    ``sets`` maps a name to specs (folders, git repositories, packages). A content that stands in two sets is in none:
    it could be both. With `AskOptions.variants` one file of each set whose membership is ``known``, drawn at random,
    lends its opening as a prefix and is no text of the set any more. Returns the table and what was read and left out
    by set.

    Raises:
        InputError: a set in which no file could be read.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    counts: dict[str, Any] = {}
    for name, specs in sets.items():
        folder = output / READ / name
        build(list(specs), folder, CorpusOptions(languages=options.languages))
        works: dict[str, dict[str, Any]] = {}
        for shard in Corpus.open(folder).work_shards(options.languages):
            for row in shard.table().to_pylist():
                works[row["swhid"]] = {
                    "set": name,
                    "id": row["swhid"],
                    **{column: row[column] for column in ("project", "path", "language", "text")},
                }
        if not works:
            raise InputError(f"{', '.join(specs)}: no file in {', '.join(options.languages)}; mend: name source files")
        found[name] = works
        counts[name] = {"specs": list(specs), "read": len(works)}
    names = list(found)
    shared = {
        one
        for place, name in enumerate(names)
        for other in names[place + 1 :]
        for one in found[name].keys() & found[other].keys()
    }
    rows: list[dict[str, Any]] = []
    for name, works in found.items():
        kept = [row for swhid, row in sorted(works.items()) if swhid not in shared]
        counts[name]["in_both_sets"] = len(works) - len(kept)
        if options.files is not None and len(kept) > options.files:
            drawn = np.random.default_rng(options.seed).permutation(len(kept))[: options.files]
            kept = [kept[place] for place in sorted(drawn)]
        if not kept:
            raise InputError(f"{name}: every file stands in the other set as well; mend: other files")
        if options.variants and name in known and len(kept) > 1:
            drawn = int(np.random.default_rng(options.seed).integers(len(kept)))
            rows.append({**kept.pop(drawn), "set": f"{name}{PREFIX}"})
        counts[name]["asked"] = len(kept)
        rows += sorted(kept, key=lambda row: (row["project"], row["path"], row["id"]))
    return table_of(rows, OWN_TEXTS), counts


def conduct(
    capability: str,
    sets: Mapping[str, Sequence[str]],
    scorer: TokenScorer,
    output: Path,
    options: AskOptions,
    score: Callable[[Path], dict[str, Any]],
    *,
    known: Sequence[str] = (),
    least: int = 1,
    references: Sequence[TokenScorer] = (),
    public: Corpus | None = None,
    shadow: RunFolder | None = None,
) -> dict[str, Any]:
    """Read the sets, ask every model about them, and score; return the summary.

    The folder can be killed at any moment: the same call goes on and leaves the same figures.

    Args:
        capability: what the run is.
        sets: name to specs, as in `read_sets`, with ``known``.
        scorer: the model in question.
        output: folder of the run.
        options: what is asked.
        score: makes the summary from what the folder holds.
        known: sets whose membership is known.
        least: files that each set must have.
        references: models that saw none of the files, with the same tokenizer.
        public: corpus of public code for token frequencies.
        shadow: a membership study whose shadows teach trained attacks.

    Raises:
        InputError: too few files in a set, a reference of another tokenizer, a budget that does not suffice, or the
            folder holds another run.
    """
    with locked(output):
        texts, counts = read_sets(sets, output, options, known=known)
        small = [f"{one['asked']} {name}" for name, one in counts.items() if one["asked"] < least]
        if small:
            raise InputError(f"{capability}: only {', '.join(small)}; mend: at least {least} files a set")
        described = [{"name": model.name, **model.describe()} for model in (scorer, *references)]
        key = fingerprint(
            options,
            texts=texts["id"].to_pylist(),
            sets=texts["set"].to_pylist(),
            models=described,
            public=None if public is None else public.key,
            shadow=None if shadow is None else shadow.key,
        )
        inputs = {
            "texts": counts,
            "models": described,
            "shadow": None if shadow is None else {"folder": str(shadow.path.resolve()), "key": shadow.key},
        }
        run = RunFolder.create(output, capability, key, options=as_record(options), inputs=inputs)
        write_table(output / "texts.parquet", texts, key=key)
        asked = ask(scorer, references, output, options, public=public)
        if not run.record()["finished"]:
            run.note(asked=asked)
        summary = score(output)
        shutil.rmtree(output / READ, ignore_errors=True)  # The texts of the run are a table of it.
        run.finish()
        run.seal()
    return summary


def ask(
    scorer: TokenScorer,
    references: Sequence[TokenScorer],
    output: Path,
    options: AskOptions,
    *,
    public: Corpus | None = None,
) -> dict[str, Any]:
    """Ask every model about the texts of a run once; ``asked/`` then holds all that attacks need.

    A killed call goes on where it was (`cleartitle.models.score_all`). ``public`` gives the frequencies of tokens.

    Raises:
        InputError: a reference cuts texts into other tokens than the model, or the budget does not suffice.
    """
    rows = read_table(output / "texts.parquet").to_pylist()
    texts = [row["text"] for row in rows if not row["set"].endswith(PREFIX)]
    for reference in references:
        if not np.array_equal(reference.tokenize(texts[0]).token, scorer.tokenize(texts[0]).token):
            raise InputError(
                f"reference {reference.name}: cuts texts into other tokens than {scorer.name}; "
                "mend: a reference with the tokenizer of the model"
            )
    forms = list(texts)
    if options.variants:
        forms += [form for text in texts for form in variants(text)]
        forms += [prefix + text for prefix in _prefixes(rows).values() for text in texts]
    calls: dict[str, int] = {}
    for number, (model, asked) in enumerate([(scorer, forms), *((reference, texts) for reference in references)]):
        name = f"reference-{number}" if number else TARGET
        scores = score_all(model, asked, output / "scores", budget=options.budget(), label=f"asking {model.name}")
        write_scores(output / ASKED / f"{name}.parquet", model, asked, scores)
        calls[name] = sum(model.calls(stats.tokens_in_text, len(stats)) for stats in scores)
    size = scorer.capabilities().vocabulary
    if public is not None and size is not None:
        table = FrequencyTable.of((scorer.tokenize(text).token for text in _public_texts(public, options)), size)
        write_table(output / FREQUENCY, pa.table({"count": table.counts}))
    return {"models": [scorer.name, *(reference.name for reference in references)], "calls": calls}


def variants(text: str) -> list[str]:
    """Other forms of a text that are asked about: lower case, then at most two rewrites of the same program."""
    return [text.lower(), *python_rewrites(text, REWRITES)]


def _prefixes(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Name of a set → the opening that its drawn file lends."""
    return {row["set"].removesuffix(PREFIX): opening(row["text"]) for row in rows if row["set"].endswith(PREFIX)}


def evidence_of(output: Path, *, members: str | None = None) -> tuple[pa.Table, list[Evidence], int]:
    """The texts of a run, their evidence (one a text that has rows, in order), and the number of references.

    The table has only texts with rows; those that a model could not score are left out. ``members`` names the set whose
    files are known to be members, if one is.
    """
    texts = read_table(output / "texts.parquet")
    # Without variants a text that is all lower case would be its own.
    asked_variants = read_json(output / "run.json")["options"]["variants"]
    target = RecordedScorer(output / ASKED / f"{TARGET}.parquet")
    paths = sorted((output / ASKED).glob("reference-*.parquet"))
    references = [RecordedScorer(path) for path in paths]
    table = None
    if (output / FREQUENCY).is_file():
        table = FrequencyTable(read_table(output / FREQUENCY)["count"].to_numpy())
    kept: list[int] = []
    found: list[Evidence] = []
    rows = texts.to_pylist()
    prefixes = _prefixes(rows)
    for place, row in enumerate(rows):
        if row["set"].endswith(PREFIX):
            continue
        text = row["text"]
        stats, *beside = (next(iter(scorer.score([text]))) for scorer in (target, *references))
        if not len(stats) or any(not np.array_equal(one.position, stats.position) for one in beside):
            continue
        low = _scored(target, [text.lower()]) if asked_variants else []
        forms = _scored(target, variants(text)[1:]) if low else []
        after = {
            name == members: behind(one, len(prefix))
            for name, prefix in prefixes.items()
            for one in _scored(target, [prefix + text])
        }
        kept.append(place)
        found.append(
            Evidence(
                id=row["id"],
                project=row["project"],
                text=text,
                target=stats,
                references=tuple(beside),
                lowercase=low[0] if low else None,
                prefixed=after.get(False),
                member_prefixed=after.get(True),
                neighbours=tuple(forms),
                frequency=None if table is None else table.relative(stats.token),
                classes=token_classes(text, stats.start, stats.end, row["language"]),
            )
        )
    return texts.take(kept), found, len(references)


def of_first_reference(item: Evidence) -> Evidence:
    """The same text as the first reference scores it, with the others beside it: a model that saw neither set."""
    first, *others = item.references
    return Evidence(
        item.id, item.project, item.text, first, tuple(others), frequency=item.frequency, classes=item.classes
    )


def pieces(texts: pa.Table, least: Mapping[str, int]) -> tuple[str, list[str]]:
    """What counts as one independent piece of these texts (``project``, ``folder`` or ``file``), and that of each text.

    Projects, where each set has as many of them as ``least`` says. Else the folders of files, which is weaker: files of
    one project share an author. Else the files themselves, which is weaker still.
    """
    rows = texts.select(["set", "project", "path"]).to_pylist()
    found = {
        "project": [row["project"] for row in rows],
        "folder": [f"{row['project']}/{PurePosixPath(row['path']).parent}" for row in rows],
    }
    for unit, names in found.items():
        sets: dict[str, set[str]] = {}
        for row, name in zip(rows, names, strict=True):
            sets.setdefault(row["set"], set()).add(name)
        if all(len(sets.get(one, ())) >= count for one, count in least.items()):
            return unit, names
    return "file", [f"{row['project']}/{row['path']}" for row in rows]


def _scored(scorer: RecordedScorer, texts: Sequence[str]) -> list[TokenStats]:
    """Those that were recorded, of these texts."""
    return [one for one in scorer.score(texts) if len(one)]


def _public_texts(public: Corpus, options: AskOptions) -> list[str]:
    texts = [text for shard in public.work_shards(options.languages) for text in shard.table()["text"].to_pylist()]
    order = np.random.default_rng(options.seed).permutation(len(texts))[:PUBLIC_FILES]
    return [texts[place] for place in sorted(order)]
