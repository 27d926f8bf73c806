"""A question of an author: is what this model says of my files consistent with training on them?"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cleartitle.corpus import Corpus
from cleartitle.files import read_json, write_json
from cleartitle.membership.attacks import ATTACKS, TRAINED_ATTACKS, AttackScores
from cleartitle.membership.attacks.run import fit_attacks, run_attacks
from cleartitle.membership.blind import BlindOptions, blind_report
from cleartitle.membership.dataset_test import LEAST_PROJECTS, DatasetTestOptions, dataset_test
from cleartitle.membership.evidence import Evidence
from cleartitle.membership.figures import verdict_record
from cleartitle.membership.own_texts import AskOptions, conduct, evidence_of, of_first_reference, pieces
from cleartitle.membership.statistics import auc, auc_interval
from cleartitle.membership.token_classes import COMMENT, IDENTIFIER, STRING
from cleartitle.membership.validity import Validity, judge
from cleartitle.models import TokenScorer
from cleartitle.tables import table_of, write_table

__all__ = ["CHECK", "check", "score_check"]

CHECK = "membership-check"
SUSPECTS, HELD_OUT = "suspects", "held-out"
HEADLINES = (
    "reference difference",
    "rank gain",
    "Min-K %++ (k = 20)",
    "Min-K % (k = 20)",
    "perplexity",
    "highest posterior",
)
"""The attack that speaks in a check: the first of these that the access to the models allows, whatever it finds."""
SHOWN_FILES, SHOWN_TEXTS, SHOWN_TOKENS, EXCERPT = 500, 3, 40, 4000
LEAST_LETTERS = 4
WORD = re.compile(r"\w+")
UNKNOWN = "Cannot tell"
FILES = pa.schema(
    [
        ("set", pa.string()),
        ("project", pa.string()),
        ("path", pa.string()),
        ("id", pa.string()),
        ("tokens", pa.int64()),
        # Of the attack that speaks; higher is more like a member.
        ("score", pa.float64()),
        # Share of held-out files that score at least as high, with the file itself counted: (1 + k) / (1 + n).
        ("p", pa.float64()),
        # Share of tokens that the model puts first.
        ("first", pa.float64()),
        # Mean log-probability of a token, in nats.
        ("logprob", pa.float64()),
    ]
)


def check(
    repositories: Sequence[str],
    scorer: TokenScorer,
    output: Path,
    options: AskOptions = AskOptions(),  # noqa: B008 - frozen
    *,
    held_out: Sequence[str] = (),
    references: Sequence[TokenScorer] = (),
    public: Corpus | None = None,
) -> dict[str, Any]:
    """Ask a model about an author's files, and about files of the same kind that it cannot have seen.

    Without held-out files nothing can be said beyond what the model makes of each file. With them the files are tested
    as one set (`dataset_test`), by project where the author has six or more and the held-out side twelve, else by
    folder or by file, which the conclusion says, and classifiers that never see the model judge whether the two sets
    may be compared (`judge`). Two references or more give the model control.

    Args:
        repositories: specs of what may have been trained on (folders, git repositories, packages).
        scorer: the model in question.
        output: folder of the run; a killed call goes on there to the same figures.
        options: what is asked.
        held_out: specs of files of the same kind that the model cannot have seen.
        references: models that saw neither, with the same tokenizer.
        public: corpus of public code for token frequencies.

    Raises:
        InputError: no file in a set, a reference of another tokenizer, a budget that does not suffice, or another run.
    """
    sets = {SUSPECTS: repositories, **({HELD_OUT: held_out} if held_out else {})}
    return conduct(
        CHECK, sets, scorer, output, options, score_check, known=(HELD_OUT,), references=references, public=public
    )


def score_check(output: Path) -> dict[str, Any]:
    """Make every figure of a check anew from its token scores; writes ``files.parquet`` and ``summary.json``."""
    record = read_json(output / "run.json")
    options = record["options"]
    texts, evidence, references = evidence_of(output)
    unit, found_in = pieces(texts, {SUSPECTS: 2 * LEAST_PROJECTS, HELD_OUT: 4 * LEAST_PROJECTS})
    evidence = [replace(item, project=piece) for item, piece in zip(evidence, found_in, strict=True)]
    suspect = np.array([one == SUSPECTS for one in texts["set"].to_pylist()], bool)
    scores = run_attacks(ATTACKS, evidence)
    _, lacking = fit_attacks(TRAINED_ATTACKS, [], np.empty(0, bool), seed=options["seed"])
    headline = next((name for name in HEADLINES if name in scores.scores), None)
    values = np.full(len(evidence), np.nan) if headline is None else scores.scores[headline]
    files = _files(texts, evidence, values, suspect)
    write_table(output / "files.parquet", files)
    counts = record["inputs"]["texts"]
    summary: dict[str, Any] = {
        "capability": CHECK,
        "model": record["inputs"]["models"][0],
        "references": record["inputs"]["models"][1:],
        "options": options,
        "calls": record["asked"]["calls"],
        "texts": {
            "suspects": int(suspect.sum()),
            "held_out": int((~suspect).sum()),
            "not_scored": sum(one["asked"] for one in counts.values()) - len(evidence),
            "in_both_sets": counts[SUSPECTS]["in_both_sets"],
            "projects": len(set(texts["project"].to_pylist())),
        },
        "attack": headline,
        "not_run": {**scores.left_out, **lacking},
        "validity": None,
        "validity_report": None,
        "dataset_test": None,
        "attacks": {},
        **_conclusion(headline, evidence, values, suspect, references, options, scores, unit),
        "files": [row for row in files.to_pylist() if row["set"] == SUSPECTS][:SHOWN_FILES],
        "case": _cases(texts, evidence, values, suspect),
        "surest": _surest(texts, evidence, suspect),
    }
    write_json(output / "summary.json", summary)
    return summary


def _conclusion(
    headline: str | None,
    evidence: Sequence[Evidence],
    values: np.ndarray,
    suspect: np.ndarray,
    references: int,
    options: dict[str, Any],
    scores: AttackScores,
    unit: str,
) -> dict[str, Any]:
    """What may be said, in a sentence, and what it rests on."""
    if headline is None or not suspect.any():
        reason = "no file could be scored" if not len(evidence) else "the model gives too little for any attack here"
        return {"conclusion": f"{UNKNOWN}: {reason}."}
    if suspect.all():
        return {
            "conclusion": f"{UNKNOWN}: there are no files to compare with that the model cannot have seen. A model may "
            "be sure of a file that it never saw. Mend: --held-out with files of the same kind, author and time."
        }
    projects = [str(item.project) for item in evidence]
    blind = blind_report(
        [item.text for item in evidence],
        suspect,
        projects,
        options=BlindOptions(permutations=options["permutations"], seed=options["seed"]),
    )
    control = _control(headline, evidence, references)
    verdict = judge(blind, headline, values, suspect, projects, control=control, unit=unit, seed=options["seed"])
    units = (None, None) if unit == "file" else (_chosen(projects, suspect), _chosen(projects, ~suspect))
    chosen = DatasetTestOptions(seed=options["seed"])
    test = dataset_test(values[suspect], values[~suspect], *units, chosen, unit=unit)
    power = None if test.power is None else vars(test.power)
    record = {name: value for name, value in vars(test).items() if name not in ("null", "power")}
    null = {
        "rejected": None if test.null.rejected is None else test.null.rejected.as_json(),
        "uniform_p": test.null.uniform_p,
        "refused": test.null.refused,
    }
    found: dict[str, Any] = {
        "validity": verdict.verdict,
        "validity_report": verdict_record(verdict, blind),
        "conclusion": _sentence(verdict, test.sentence, test.unit),
    }
    if verdict.may_print:
        found["dataset_test"] = {**record, "null": null, "power": power, "sentence": test.sentence}
        found["attacks"] = {
            name: {"auc": _number(auc(one, suspect)), "auc_interval": _pair(one, suspect, projects, options["seed"])}
            for name, one in scores.scores.items()
        }
    return found


def _sentence(verdict: Validity, sentence: str, unit: str) -> str:
    if not verdict.may_print:
        return (
            f"{UNKNOWN}: INVALID. The author's files and the held-out ones differ by themselves, so that no difference "
            "in what the model makes of them says anything about training."
        )
    counted = {"text": "Files", "folder": "Folders"}.get(unit)
    alone = (
        f" {counted} were counted as independent, since a test by project needs six of the author and twelve held-out "
        "ones: p is too small by an unknown amount."
        if counted
        else ""
    )
    return f"{sentence} Validity: {verdict.verdict}.{alone}"


def _control(headline: str, evidence: Sequence[Evidence], references: int) -> np.ndarray | None:
    """The same attack on a model that saw neither set: the first reference, with the others beside it."""
    if references < 2:
        return None
    attack = next(attack for attack in ATTACKS if attack.name == headline)
    return run_attacks([attack], [of_first_reference(item) for item in evidence]).scores.get(headline)


def _files(texts: pa.Table, evidence: Sequence[Evidence], values: np.ndarray, suspect: np.ndarray) -> pa.Table:
    held = np.sort(values[~suspect & ~np.isnan(values)])
    rows: list[dict[str, Any]] = []
    for place, (row, item) in enumerate(zip(texts.to_pylist(), evidence, strict=True)):
        stats, value = item.target, float(values[place])
        known = suspect[place] and len(held) and not np.isnan(value)
        above = len(held) - int(np.searchsorted(held, value)) if known else 0
        rows.append(
            {
                **{name: row[name] for name in ("set", "project", "path", "id")},
                "tokens": len(stats),
                "score": _number(value),
                "p": (1 + above) / (1 + len(held)) if known else None,
                "first": None if stats.rank is None else float(np.mean(stats.rank == 1)),
                "logprob": None if stats.logprob is None else _number(float(np.nanmean(stats.logprob))),
            }
        )
    rows.sort(key=lambda row: (row["set"] != SUSPECTS, np.inf if row["score"] is None else -row["score"]))
    return table_of(rows, FILES)


def _cases(
    texts: pa.Table, evidence: Sequence[Evidence], values: np.ndarray, suspect: np.ndarray
) -> list[dict[str, Any]]:
    """The author's files that score highest, with the rank of each token (CodeMI, figure 10)."""
    places = [place for place in np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable") if suspect[place]]
    cases: list[dict[str, Any]] = []
    for place in places[:SHOWN_TEXTS]:
        stats = evidence[place].target
        if stats.rank is None:
            continue
        marks = [
            [int(start), int(end), int(rank)]
            for start, end, rank in zip(stats.start, stats.end, stats.rank, strict=True)
            if end <= EXCERPT
        ]
        title = f"{texts['project'][int(place)].as_py()}: {texts['path'][int(place)].as_py()}"
        cases.append({"title": title, "text": evidence[place].text[:EXCERPT], "tokens": marks})
    return cases


def _surest(texts: pa.Table, evidence: Sequence[Evidence], suspect: np.ndarray) -> list[dict[str, Any]]:
    """Words of names, strings and comments whose beginning the model puts first, surest first, each once.

    Surest is by probability, or by the gain over the references where there are some; both of the word's first token.
    """
    best: dict[str, dict[str, Any]] = {}
    paths = texts["path"].to_pylist()
    for place in np.flatnonzero(suspect).tolist():
        item = evidence[place]
        stats = item.target
        if stats.rank is None or stats.logprob is None or item.classes is None:
            continue
        beside = [one.logprob for one in item.references if one.logprob is not None]
        gain = stats.logprob - np.mean(beside, axis=0) if beside else stats.logprob
        chosen = np.isin(item.classes, (IDENTIFIER, STRING, COMMENT)) & (stats.rank == 1) & ~np.isnan(gain)
        for row in np.flatnonzero(chosen):
            word = _word_at(item.text, int(stats.start[row]), int(stats.end[row]))
            if sum(letter.isalpha() for letter in word) < LEAST_LETTERS or (
                word in best and best[word]["gain"] >= float(gain[row])
            ):
                continue
            best[word] = {
                "token": word[:80],
                "path": paths[place],
                "line": item.text.count("\n", 0, int(stats.start[row])) + 1,
                "probability": float(np.exp(stats.logprob[row])),
                "reference": float(np.exp(np.mean([one[row] for one in beside]))) if beside else None,
                "gain": float(gain[row]),
            }
    return sorted(best.values(), key=lambda one: (-one["gain"], one["path"], one["line"]))[:SHOWN_TOKENS]


def _word_at(text: str, start: int, end: int) -> str:
    """The word that begins in these characters, whole; nothing where none begins there."""
    for found in WORD.finditer(text, max(0, start - 1)):
        if found.start() >= end:
            break
        if found.start() >= start and not (found.start() and WORD.match(text[found.start() - 1])):
            return found[0]
    return ""


def _chosen(projects: Sequence[str], side: np.ndarray) -> list[str]:
    return [project for project, keep in zip(projects, side, strict=True) if keep]


def _pair(values: np.ndarray, member: np.ndarray, projects: Sequence[str], seed: int) -> list[float] | None:
    interval = None if np.isnan(auc(values, member)) else auc_interval(values, member, projects, seed=seed)
    return None if interval is None else [interval.low, interval.high]


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
