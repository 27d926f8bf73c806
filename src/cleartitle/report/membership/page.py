"""The page of a membership study."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError
from cleartitle.evals.run_folder import RunFolder
from cleartitle.files import read_json
from cleartitle.report.blocks import (
    Block,
    Cell,
    Column,
    Fact,
    Facts,
    Figure,
    KeyFigure,
    KeyFigures,
    MarkedText,
    Notes,
    Paragraph,
    RowGroup,
    Section,
    Table,
    TextBox,
    Tone,
)
from cleartitle.report.membership.cases import cases
from cleartitle.report.membership.wording import CURVES, answer_sentence, auc_line, shown_attacks, warnings
from cleartitle.report.page import render
from cleartitle.report.plots import Band, bands, intervals

__all__ = ["membership_page", "validity_section"]

PUBLISHED = {
    "lstm": {"CodeMI paper": (0.842, 0.902), "highest posterior": (0.652, 0.649), "perplexity": (0.728, 0.776)},
    "gpt": {"CodeMI paper": (0.730, 0.804), "highest posterior": (0.617, 0.649), "perplexity": (0.672, 0.717)},
}
"""Accuracy and AUC of table 1 of CodeMI for the LSTM, and for CodeGPT beside our GPT; shadows of the same kind."""
EVEN = -0.693
"""Nats of a probability of one half, marked in the histograms."""
OTHER_SCALE = "table 1 of the paper, at its scale: not the same experiment"
TABLE_2 = {"lstm": (0.707, 0.540), "gpt": (0.767, 0.740)}


def membership_page(path: Path, *, redact: bool = False) -> str:
    """The page of the study or evaluation in a folder; ``redact`` leaves the two texts of the case study out.

    Raises:
        InputError: it is not a finished membership study or evaluation.
    """
    record = RunFolder.open(path).record()
    summary = read_json(path / "summary.json")
    if "attacks" not in summary or "common_tokens" not in summary:
        raise InputError(f"{path}: its summary is not that of a membership study; mend: give the command again")
    kind = summary["options"].get("target")
    sections = [
        Section("answer", "", _headline(summary)),
        validity_section(summary),
        *([_attacks(summary, kind), _curves(summary), _questions(summary)] if shown_attacks(summary) else []),
        *([_memory(summary, kind)] if summary["table_2"] and summary["memory"] else []),
        *([cases(summary, redact=redact)] if shown_attacks(summary) else []),
        _made(summary, record),
    ]
    if kind is None:
        subtitle = f"Attacks on {summary['model']['name']}, with sets whose membership is known to who ran this."
        meta = {"Run": record["key"], "Model": summary["model"]["name"], "Started": record["started"]}
        return render("Can it be told what this model was trained on?", sections, subtitle, meta)
    name = {"lstm": "an LSTM over words", "gpt": "a GPT over byte pairs"}[kind]
    subtitle = f"CodeMI and the attacks since, on {name} that was trained here on known files."
    meta = {"Run": record["key"], "Preset": summary["preset"], "Started": record["started"]}
    return render("Can it be told what a code model was trained on?", sections, subtitle, meta)


def _headline(summary: Mapping[str, Any]) -> list[Block]:
    tones: dict[str, Tone] = {"VALID": "good", "CAUTION": "warn", "INVALID": "bad"}
    tone = tones[summary["validity"]]
    texts = summary["texts"]
    n = f"{texts['members']:,} + {texts['non_members']:,} files"
    figures = [KeyFigure("validity", summary["validity"], tone=tone, n=n)]
    attacks = shown_attacks(summary)
    named = [] if summary["headline"] is None else [summary["headline"]["attack"]]
    for name in dict.fromkeys(("CodeMI paper", "ranks with references (CodeMI-C)", "fused", *named)):
        if name in attacks and attacks[name]["auc"] is not None:
            low, high = attacks[name]["auc_interval"] or (None, None)
            interval = "" if low is None else f"{low:.3f} to {high:.3f}"
            figures.append(KeyFigure(f"AUC, {name}", f"{attacks[name]['auc']:.3f}", interval))
    return [
        Paragraph(answer_sentence(summary), lead=True),
        KeyFigures(figures),
        Notes("What this does not establish", warnings(summary), "warn"),
    ]


def validity_section(summary: Mapping[str, Any]) -> Section:
    """The verdict on the two sets of texts, with the classifiers that never ask the model."""
    report = summary["validity_report"]
    rows = [
        (Cell(one["name"]), Cell.number(one["auc"], auc_line(one)), Cell.number(one["p"], absent="not permuted"))
        for one in report["blind"]
    ]
    control = report["control"]
    facts = [Fact("verdict on", [report["attack"]])]
    if control is not None:
        facts.append(Fact("the same attack on a model that saw neither set", [f"AUC {control['auc']:.3f}"]))
    if report["matched"] and report["matched"]["auc"] is not None:
        matched = report["matched"]
        facts.append(
            Fact(
                "on pairs that look alike to blind classifiers", [f"AUC {matched['auc']:.3f}, {matched['pairs']} pairs"]
            )
        )
    return Section(
        "validity",
        "May these texts say anything?",
        (
            Notes("Reasons", report["reasons"]),
            Facts(facts),
            Table(
                "Classifiers that never ask the model",
                (Column("classifier"), Column("AUC [95 %]", "number"), Column("p by permutation", "number")),
                [RowGroup(rows)],
                fixed=True,
            ),
        ),
    )


def _attacks(summary: Mapping[str, Any], kind: str | None) -> Section:
    published = {} if kind is None else PUBLISHED[kind]
    rows = []
    for name, attack in sorted(shown_attacks(summary).items(), key=lambda item: -(item[1]["auc"] or 0)):
        of_paper = published.get(name)
        rows.append(
            (
                Cell(name),
                Cell.number(attack["auc"], auc_line(attack)),
                *(Cell.number(attack[share]) for share in ("accuracy", "precision", "recall")),
                *(_tpr(item) for item in summary["tpr"][name][:2]),
                *([Cell("" if of_paper is None else f"{of_paper[0]:.3f} / {of_paper[1]:.3f}")] if published else []),
            )
        )
    columns = (
        Column("attack"),
        Column("AUC [95 %]", "number"),
        Column("accuracy", "number", "at the threshold from the shadows, else the highest half"),
        Column("precision", "number"),
        Column("recall", "number"),
        Column("TPR at 5 % FPR", "number"),
        Column("TPR at 1 % FPR", "number"),
        *([Column("published accuracy / AUC", "number", OTHER_SCALE)] if published else []),
    )
    differences = [
        (
            Cell(f"{item['attack']} minus {item['against']}"),
            Cell.number(item["value"], f"{item['value']:+.3f}"),
            Cell(_interval(item)),
            Cell.number(item["p_holm"], _p_value(item["p_holm"]), absent="–"),
        )
        for item in summary["differences"]
    ]
    return Section(
        "attacks",
        "Every attack on the same texts (table 1 of the paper)",
        (
            Table("Attacks", columns, [RowGroup(rows)]),
            Table(
                "Differences of AUC, paired, named before looking",
                (Column("pair"), Column("difference", "number"), Column("95 %"), Column("p (Holm)", "number")),
                [RowGroup(differences)],
                fixed=True,
            ),
            *([Notes("Not run", list(summary["not_run"].values()))] if summary["not_run"] else []),
            Paragraph(f"All files together (dataset test): {summary['dataset_test'].get('sentence', 'not made')}"),
        ),
    )


def _curves(summary: Mapping[str, Any]) -> Section:
    steps = summary["common_tokens"]
    labels = [str(step["common_in"]) for step in steps]
    shown = [name for name in CURVES if any(name in step["attacks"] for step in steps)]
    series = [(name, [_triple(step["attacks"].get(name)) for step in steps]) for name in shown]
    rows = [
        (
            Cell(str(step["common_in"]), step["common_in"]),
            Cell.number(step["tokens_per_file"], f"{step['tokens_per_file']:.0f}"),
            *(Cell.number(step["attacks"][name]["auc"] if name in step["attacks"] else None) for name in shown),
        )
        for step in steps
    ]
    columns = (
        Column("in at least … files", "number"),
        Column("tokens a file", "number"),
        *(Column(name, "number") for name in shown),
    )
    return Section(
        "common",
        "The whole curve over common tokens",
        (
            Paragraph(
                "Only tokens count that stand in so many files of every training set, the target's and the shadows'. "
                "At 0 all count, also words that the model never saw. The choice of one point would decide the result; "
                "so all are here."
            ),
            Figure(
                "AUC over the filter",
                intervals("common", labels, series, "files of every training set", heights="AUC, %"),
                "; ".join(
                    f"{name}: {' '.join(row[2 + place].text for row in rows)}" for place, name in enumerate(shown)
                ),
                Table("AUC by filter", columns, [RowGroup(rows)], fixed=True),
            ),
        ),
    )


def _questions(summary: Mapping[str, Any]) -> Section:
    renamed = summary["renamed"]
    sweeps: list[tuple[str, str, Sequence[Mapping[str, Any]], str]] = [
        ("RQ2: number of shadow models (figure 7)", "shadows", summary.get("shadow_models", ()), "shadows"),
        ("RQ3: tokens that the model lists (figure 8)", "outputs", summary["output_size"], "output_size"),
        *(
            (
                f"RQ4: tokens asked about, {title} (figure 9)",
                f"queries-{choice}",
                [step for step in summary["queries"] if step["choice"] == choice],
                "queries",
            )
            for choice, title in (("random", "drawn at random"), ("rare", "the rarest in public code"))
        ),
    ]
    blocks: list[Block] = [_sweep(*sweep) for sweep in sweeps if any(step["attacks"] for step in sweep[2])]
    if "attacks" in renamed:
        rows = [
            (Cell(name), Cell.number(found["auc"]), Cell.number(found["auc_renamed"]))
            for name, found in renamed["attacks"].items()
        ]
        columns = (Column("attack"), Column("AUC as they are", "number"), Column("AUC rewritten", "number"))
        blocks.append(
            Table(
                f"{renamed['texts']:,} texts asked about as another spelling of the same program",
                columns,
                [RowGroup(rows)],
                note="Names of locals, order of imports, quotes.",
            )
        )
    return Section("questions", "Shadows, outputs, queries, renaming", blocks)


def _sweep(title: str, name: str, steps: Sequence[Mapping[str, Any]], key: str) -> Block:
    known = [one for one in steps[0]["attacks"] if all(one in step["attacks"] for step in steps)]
    attacks = [one for one in CURVES if one in known] or known[:6]
    labels = [f"{step[key]:,}" for step in steps]
    series = [(one, [_triple(step["attacks"][one]) for step in steps]) for one in attacks]
    rows = [
        (Cell(label), *(Cell.number(step["attacks"][one]["auc"], auc_line(step["attacks"][one])) for one in attacks))
        for label, step in zip(labels, steps, strict=True)
    ]
    columns = (Column(key.replace("_", " "), "number"), *(Column(one, "number") for one in attacks))
    return Figure(
        title,
        intervals(name, labels, series, key.replace("_", " "), heights="AUC, %"),
        "; ".join(f"{label}: {row[1].text}" for label, row in zip(labels, rows, strict=True)),
        Table(title, columns, [RowGroup(rows)], fixed=True),
    )


def _memory(summary: Mapping[str, Any], kind: str | None) -> Section:
    found, memory = summary["table_2"], summary["memory"]
    rows = [
        (Cell("here"), *(Cell.number(found[name]) for name in ("members", "non_members", "gap"))),
    ]
    if kind is not None:
        high, low = TABLE_2[kind]
        name = "published, " + {"lstm": "LSTM", "gpt": "CodeGPT"}[kind]
        rows.append((Cell(name), *(Cell.number(value) for value in (high, low, high - low))))
    columns = (
        Column("model"),
        Column("accuracy, members", "number"),
        Column("accuracy, non-members", "number"),
        Column("gap", "number"),
    )
    edges = memory["edges"]
    middles = [(low + high) / 2 for low, high in zip(edges, edges[1:], strict=False)]
    panels = [
        (top, [Band(who, memory["histograms"][f"{top} {who}"]) for who in ("members", "non-members")])
        for top in ("top", "tail")
    ]
    bands_rows = [
        (
            Cell(f"{band['frequency']:.1e}", -band["frequency"]),
            Cell.number(band["members"], f"{band['members']:.2f}"),
            Cell.number(band["non_members"], f"{band['non_members']:.2f}"),
        )
        for band in memory["rank_by_frequency"]
    ]
    return Section(
        "memory",
        "Why it works (table 2, figures 11 and 12)",
        (
            Table("Share of tokens that the model puts first", columns, [RowGroup(rows)], fixed=True),
            Figure(
                "Log-probabilities of tokens: the commonest fifth of the distinct tokens (top) and the rest (tail)",
                bands("memory", middles, panels, "log-probability, nats", EVEN, log=False),
                "Members against non-members.",
            ),
            Table(
                "Rank in the prediction by public frequency (mean of log2)",
                (Column("public frequency"), Column("members", "number"), Column("non-members", "number")),
                [RowGroup(bands_rows)],
                fixed=True,
            ),
        ),
    )


def _made(summary: Mapping[str, Any], record: Mapping[str, Any]) -> Section:
    models = [
        Fact(row["model"], [f"{row['texts']:,} texts, {row['parameters']:,} parameters, loss {row['final_loss']:.2f}"])
        for row in summary.get("models", ())
    ]
    options = "\n".join(f"{name} = {value}" for name, value in summary["options"].items())
    return Section(
        "made",
        "How this was made",
        (
            Facts(
                [
                    Fact("command", [shlex.join(record["command"])]),
                    Fact("versions", [", ".join(f"{name} {version}" for name, version in record["versions"].items())]),
                    *models,
                    *_asked(summary),
                ]
            ),
            TextBox(MarkedText("Options, fixed before the run and part of its key", options)),
        ),
    )


def _asked(summary: Mapping[str, Any]) -> list[Fact]:
    """The models of an evaluation, how often each was asked, and whose shadows taught."""
    if "model" not in summary:
        return []
    names = ["model", *(f"reference {number}" for number in range(1, 1 + len(summary["references"])))]
    models = [summary["model"], *summary["references"]]
    facts = [
        Fact(name, [f"{model['name']}, {calls:,} calls"])
        for name, model, calls in zip(names, models, summary["calls"].values(), strict=True)
    ]
    shadow = summary["shadow"]
    taught = "none: attacks that shadows teach were not run" if shadow is None else f"study {shadow['study']}. "
    return [*facts, Fact("shadows", [taught + ("" if shadow is None else shadow["note"])])]


def _tpr(item: Mapping[str, Any]) -> Cell:
    rate = item["rate"]
    return Cell.number(None, absent="too few") if rate is None else Cell.number(rate["value"])


def _p_value(p: float | None) -> str | None:
    return None if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def _triple(attack: Mapping[str, Any] | None) -> tuple[float, float, float] | None:
    if attack is None or attack["auc"] is None or attack["auc_interval"] is None:
        return None
    return (attack["auc"], *attack["auc_interval"])


def _interval(item: Mapping[str, Any]) -> str:
    found = item["bootstrap"] or item["interval"]
    return "–" if found is None else f"{found['low']:+.3f} to {found['high']:+.3f} ({found['method']})"
