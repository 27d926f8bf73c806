"""A prompt set of CodeIPPrompt, as tables for the terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType

from cleartitle.evals.codeipprompt import PUBLISHED_TABLE_2, REPORTED_APART
from cleartitle.report.licoeval.run import CLASS_TITLES
from cleartitle.report.terminal_parts import add_count, bullets, count_table, dim_line, new_table, safe

__all__ = ["LANGUAGE_TITLES", "prompts_table"]

LANGUAGE_TITLES = {"python": "Python", "c": "C", "cpp": "C++", "csharp": "C#", "java": "Java"}


def prompts_table(record: Mapping[str, Any]) -> list[RenderableType]:
    """A prompt set: Table 2 beside the published one, the cells that it was drawn from, and what was left out.

    Args:
        record: content of ``prompt_set.json``.
    """
    found, mode = record["table_2"], record["options"]["mode"]
    head = (
        f"{record['prompts']:,} prompts ({mode} mode) from {record['files']:,} files"
        f" of {record['projects']:,} projects, of {record['looked_at']:,} looked at"
    )
    sizes = new_table("Prompts and their tokens, beside Table 2 of the paper")
    sizes.add_column("")
    for title in ("prompts", "paper", "mean", "sd", "paper"):
        sizes.add_column(title, justify="right", no_wrap=True, style="dim" if title == "paper" else "")
    total = {"prompts": found["total"], **found["tokens"]}
    sizes.add_row(*_sizes("all", total, {"prompts": PUBLISHED_TABLE_2["total"], **PUBLISHED_TABLE_2["tokens"]}))
    for part, titles in (("classes", CLASS_TITLES), ("languages", LANGUAGE_TITLES)):
        names = [name for name in titles if name in found[part] or name in PUBLISHED_TABLE_2[part]]
        for name in names:
            title = titles[name] + (" (apart)" if name in REPORTED_APART else "")
            sizes.add_row(*_sizes(title, found[part].get(name), PUBLISHED_TABLE_2[part].get(name)))
    scrubbed = record["scrubbed"]
    shown: list[RenderableType] = [safe(head, "bold"), dim_line(_scrub_line(record)), "", sizes]
    if len(found["languages"]) > 1:
        shown.extend(("", _cells(found)))
    funnel = count_table("Left out")
    for reason, number in record["left_out"].items():
        if number:
            add_count(funnel, reason, number, record["looked_at"])
    shown.extend(("", funnel) if funnel.rows else ())
    notes = ["Tokens are pieces of subword size; the paper counts with the tokenizer of multi-lingual CodeGen."]
    if any(name in found["classes"] for name in REPORTED_APART):
        notes.append("Prompts of the public domain are kept and reported apart: to reproduce them infringes nothing.")
    if record["options"]["scrub"] and not scrubbed["places_in_files"]:
        notes.append("No rule of the scrubber found anything; that does not establish that there is nothing.")
    return [*shown, "", *bullets(notes)]


def _scrub_line(record: Mapping[str, Any]) -> str:
    if not record["options"]["scrub"]:
        return "Secrets and personal data were not scrubbed."
    scrubbed = record["scrubbed"]
    return (
        f"Scrubbed: {scrubbed['places_in_prompts']:,} places in {scrubbed['prompts']:,} prompts,"
        f" {scrubbed['places_in_files']:,} in their files."
    )


def _cells(found: Mapping[str, Any]) -> RenderableType:
    table = new_table("Prompts by class and language")
    table.add_column("")
    languages = [name for name in LANGUAGE_TITLES if name in found["languages"]]
    for name in languages:
        table.add_column(LANGUAGE_TITLES[name], justify="right", no_wrap=True)
    for name, row in found["cells"].items():
        table.add_row(CLASS_TITLES[name], *(f"{row[language]:,}" for language in languages))
    return table


def _sizes(title: str, own: Mapping[str, Any] | None, paper: Mapping[str, Any] | None) -> list[str]:
    def number(value: float | None) -> str:
        return "–" if value is None else f"{value:.1f}"

    counts = [f"{row['prompts']:,}" if row else "" for row in (own, paper)]
    lengths = [number(own["mean"]), number(own["sd"])] if own else ["", ""]
    return [title, *counts, *lengths, f"{paper['mean']:.1f} ± {paper['sd']:.1f}" if paper else ""]
