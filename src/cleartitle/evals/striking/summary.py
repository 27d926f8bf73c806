"""The figures of a study: both groups, rates by model, pair and repetitions, thresholds found and checked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from cleartitle.evals.licoeval.scoring import MODES
from cleartitle.evals.statistics import cluster_rate, rate
from cleartitle.evals.striking.features import compare_groups
from cleartitle.evals.striking.groups import PAIRS
from cleartitle.evals.striking.thresholds import Answer, curves, find, passes, without
from cleartitle.similarity import StrikingStandard

__all__ = ["FEATURES", "MEASURES", "summarize_study"]

SUMMARY_VERSION = 1

FEATURES = ("prompt_lines", "body_lines", "complexity", "comments")
"""The columns of Table II."""

MEASURES = ("bleu4", "minhash_jaccard", "edit_similarity", "similarity", "shared_comments")
"""What is compared between the groups' answers (figures 4 and 5); similarity is the largest of the first three."""

GROUPS = ("accessed", "unseen")
BOTH = "both"
PAPER_PER_GROUP = 10_000

Row = Mapping[str, Any]


def summarize_study(record: Row, units: Sequence[Row], scores: Sequence[Row]) -> dict[str, Any]:
    """All figures of a study as plain JSON values.

    Args:
        record: the content of ``run.json``.
        units: rows of `STUDY_UNITS`.
        scores: rows of `SCORES` for every model in both modes.

    Thresholds are found on the first pair with the first model that was trained on it, and nowhere else; every other
    model and pair checks them. Rates are over answers that could be scored in ``corrected`` mode and over all in
    ``paper`` mode.
    """
    mode = record["options"]["mode"]
    subjects = record["inputs"]["subjects"]
    joined = _join(units, scores)
    finder = next((subject["name"] for subject in subjects if subject["exposed"]), None)
    by_group = {
        group: _features(joined, mode=mode, source=finder, pair=PAIRS[0], group=group)
        for group in ("accessed", "unseen")
    }
    found = find(by_group["accessed"], by_group["unseen"])
    published = StrikingStandard()
    standards = {"published": published, **({} if found is None else {"found": found.standard})}
    return {
        "schema": SUMMARY_VERSION,
        "capability": "striking",
        "key": record["key"],
        "options": record["options"],
        "headline_mode": mode,
        "groups": record["inputs"]["groups"],
        "teaching": record["inputs"].get("teaching"),
        "training": _training(record.get("training", {})),
        # Where a model stands is in run.json: equal studies in two folders give equal summaries.
        "subjects": [
            {
                "name": subject["name"],
                "exposed": subject["exposed"],
                "model": record.get("models", {}).get(subject["name"], {}),
            }
            for subject in subjects
        ],
        "functions": len(units),
        "projects": len({unit["project"] for unit in units}),
        "table_ii": {pair: _table_ii(units, pair) for pair in PAIRS},
        "standards": {name: asdict(standard) for name, standard in standards.items()},
        "search": {
            "subject": finder,
            "pair": PAIRS[0],
            "accessed": len(by_group["accessed"]),
            "unseen": len(by_group["unseen"]),
            "found": None if found is None else found.as_json(),
            "curves": curves(by_group["accessed"], by_group["unseen"], published),
            "without": without(by_group["accessed"], by_group["unseen"], published),
        },
        "answers": [
            {"subject": subject["name"], "pair": pair, **_measures(joined, mode, subject["name"], pair)}
            for subject in subjects
            for pair in PAIRS
        ],
        "modes": {one: _rates(joined, one, subjects, standards) for one in MODES},
        "notes": _notes(record, units, finder is None or found is not None),
    }


def _join(units: Sequence[Row], scores: Sequence[Row]) -> list[dict[str, Any]]:
    kept = ("prompt_id", "project", "pair", "group", "repetitions", "body_lines", "complexity")
    by_id = {unit["prompt_id"]: {name: unit[name] for name in kept} for unit in units}
    return [{**score, **by_id[score["prompt_id"]]} for score in scores]


def _where(rows: Sequence[Row], **wanted: Any) -> list[Row]:
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def _features(rows: Sequence[Row], **wanted: Any) -> list[Answer]:
    return [_answer(row) for row in _where(rows, state="scored", **wanted)]


def _answer(row: Row) -> Answer:
    return Answer(row["body_lines"], row["complexity"], row["similarity"], len(row["shared_comments"]))


def _table_ii(units: Sequence[Row], pair: str) -> dict[str, Any]:
    def column(name: str, group: str) -> list[float]:
        return [unit[name] for unit in _where(units, pair=pair, group=group)]

    return {name: compare_groups(column(name, "accessed"), column(name, "unseen")) for name in FEATURES}


def _measures(rows: Sequence[Row], mode: str, source: str, pair: str) -> dict[str, Any]:
    """How the answers to the two groups differ in each measure."""
    scored = _where(rows, state="scored", mode=mode, source=source, pair=pair)

    def column(name: str, group: str) -> list[float]:
        values = (row[name] for row in scored if row["group"] == group)
        return [float(len(value) if isinstance(value, list) else value) for value in values]

    return {"measures": {name: compare_groups(column(name, "accessed"), column(name, "unseen")) for name in MEASURES}}


def _rates(
    rows: Sequence[Row], mode: str, subjects: Sequence[Row], standards: Mapping[str, StrikingStandard]
) -> dict[str, Any]:
    """Rates in one mode: by model, pair and group, by model and repetitions, and precision."""
    groups: list[dict[str, Any]] = []
    doses: list[dict[str, Any]] = []
    precision: list[dict[str, Any]] = []
    for subject in subjects:
        own = _where(rows, mode=mode, source=subject["name"])
        for pair in (*PAIRS, BOTH):
            of_pair = own if pair == BOTH else _where(own, pair=pair)
            cells = {group: _cell(_where(of_pair, group=group), mode, standards) for group in GROUPS}
            groups.extend(
                {"subject": subject["name"], "pair": pair, "group": group, **cell} for group, cell in cells.items()
            )
            precision.extend(
                {
                    "subject": subject["name"],
                    "exposed": subject["exposed"],
                    "pair": pair,
                    "standard": name,
                    **_precision(cells, name),
                }
                for name in standards
            )
        own = [{**row, "repetitions": _seen(row, subject)} for row in own]
        known = sorted({row["repetitions"] for row in own if row["repetitions"] is not None})
        doses.extend(
            {
                "subject": subject["name"],
                "repetitions": dose,
                **_cell([row for row in own if row["repetitions"] == dose], mode, standards),
            }
            for dose in known
        )
    return {"groups": groups, "doses": doses, "precision": precision}


def _seen(row: Row, subject: Row) -> int | None:
    """How often this model was taught the function; for a control, how often the other models were."""
    return row["repetitions"] if row["group"] == "unseen" else subject.get("seen") or row["repetitions"]


def _cell(rows: Sequence[Row], mode: str, standards: Mapping[str, StrikingStandard]) -> dict[str, Any]:
    states = Counter(row["state"] for row in rows)
    counted = [row for row in rows if mode == "paper" or row["state"] == "scored"]

    def share(hits: Sequence[bool]) -> dict[str, Any]:
        return cluster_rate(hits, [row["project"] for row in counted], [row["prompt_id"] for row in counted]).as_json()

    return {
        "answers": len(rows),
        "scored": states["scored"],
        "errors": states["error"],
        "empty": states["empty"],
        "refusals": states["refusal"],
        "too_short": states["too short"],
        "truncated": sum(row["truncated"] for row in rows),
        "similar": share([(row["similarity"] or 0) > StrikingStandard().similarity_gt for row in counted]),
        "same_comment": share([bool(row["shared_comments"]) for row in counted]),
        "striking": {
            name: share([row["similarity"] is not None and passes(_answer(row), standard) for row in counted])
            for name, standard in standards.items()
        },
    }


def _precision(cells: Mapping[str, Mapping[str, Any]], name: str) -> dict[str, Any]:
    """Of the answers that a standard calls striking, how many are to accessed functions; and what it lets through."""
    hits = {group: cells[group]["striking"][name] for group in GROUPS}
    total = sum(one["count"] for one in hits.values())
    return {
        "precision": rate(hits["accessed"]["count"], total).as_json(),
        "accessed": hits["accessed"],
        "unseen": hits["unseen"],
    }


def _training(records: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("texts", "texts_cut_off", "tokens", "parameters", "final_loss", "torch", "options")
    return {name: {field: record[field] for field in kept} for name, record in records.items()}


def _notes(record: Row, units: Sequence[Row], found: bool) -> list[str]:
    """In what this study is weaker than the published one, and what it does not establish."""
    size = max(Counter((unit["pair"], unit["group"]) for unit in units).values())
    taught = record["inputs"]["groups"]["design"] == "taught"
    notes = [
        f"Groups of at most {size} functions, not {PAPER_PER_GROUP:,}: none striking among {size} unseen ones "
        f"still allows {100 * (rate(0, size).at_most or 0):.1f} % (exact, 95 %); "
        f"none among {PAPER_PER_GROUP:,} allows {100 * (rate(0, PAPER_PER_GROUP).at_most or 0):.3f} %."
    ]
    if taught:
        notes += [
            "Unseen means not taught here and like nothing that was taught. Whether the base model met a function in "
            "its own training is not known; the untouched model shows what comes of that.",
            "All functions could be striking (more than 10 lines, complexity above 3, a comment), so the study says "
            "nothing of the thresholds on length and complexity.",
            "A small model that is taught a few texts on purpose is not a large one that met them among billions: "
            "rates by repetitions do not carry over.",
        ]
    else:
        notes += [
            "That the unseen functions are unseen rests on the training data being complete, and on its copies being "
            "whole functions in files that can be cut.",
            "The groups come from two sources and may differ in more than exposure: see the effect sizes of Table II.",
        ]
    if not found:
        notes.append("No combination of thresholds finds an accessed answer, so these answers give no thresholds.")
    if any(subject["spec"].startswith("replay:") for subject in record["inputs"]["subjects"]):
        notes.append("Answers were recorded elsewhere: this run neither chose nor knows how they were drawn.")
    notes.append(
        "A standard that holds for one model and language need not hold for another. It is a minimum standard, it "
        "establishes no copying in law, and nothing here is legal advice."
    )
    return notes
