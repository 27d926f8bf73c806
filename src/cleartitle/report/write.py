"""Write the report of a run, whatever its capability."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from cleartitle.errors import InputError
from cleartitle.files import read_json, write_text
from cleartitle.report.codeipprompt import codeipprompt_page, codeipprompt_table
from cleartitle.report.copyright_bench import copyright_bench_page, copyright_bench_table
from cleartitle.report.humaneval import humaneval_page, humaneval_table
from cleartitle.report.license_choice import license_choice_page, license_choice_table
from cleartitle.report.licoeval import licoeval_page
from cleartitle.report.membership import (
    membership_check_page,
    membership_check_table,
    membership_page,
    membership_table,
)
from cleartitle.report.striking import striking_page, striking_table
from cleartitle.report.terminal import licoeval_table

__all__ = ["summary_table", "write_report"]

_PAGES: dict[str, Callable[..., str]] = {
    "codeipprompt": codeipprompt_page,
    "copyright-bench": copyright_bench_page,
    "humaneval": humaneval_page,
    "license-choice": license_choice_page,
    "licoeval": licoeval_page,
    "membership": membership_page,
    "membership-check": membership_check_page,
    "membership-evaluate": membership_page,
    "striking": striking_page,
}
_TABLES: dict[str, Callable[[Mapping[str, Any]], Sequence[RenderableType]]] = {
    "codeipprompt": codeipprompt_table,
    "copyright-bench": copyright_bench_table,
    "humaneval": humaneval_table,
    "license-choice": license_choice_table,
    "licoeval": licoeval_table,
    "membership": membership_table,
    "membership-check": membership_check_table,
    "membership-evaluate": membership_table,
    "striking": striking_table,
}


def write_report(run: Path, *, redact: bool = False) -> Path:
    """Write ``report.html`` into the folder of a run, from its tables, and return its path.

    Equal tables give an equal page. With ``redact`` the page is ``report-redacted.html``, fit to be shared: each text
    of the corpus and of the model is left out, with its length and SHA-256 in its place.

    Raises:
        InputError: the folder holds no finished run, or one of a capability that has no report.
    """
    if not (run / "summary.json").is_file():
        raise InputError(f"{run}: holds no finished run; mend: name the folder that `cleartitle eval` wrote")
    summary = read_json(run / "summary.json")
    capability = summary.get("capability") if isinstance(summary, dict) else None
    if capability not in _PAGES:
        raise InputError(f"{run}: no report for a run of {capability!r}; known: {', '.join(sorted(_PAGES))}")
    page = run / ("report-redacted.html" if redact else "report.html")
    write_text(page, _PAGES[capability](run, redact=redact))
    return page


def summary_table(summary: Mapping[str, Any]) -> Sequence[RenderableType]:
    """The figures of a run for the terminal, whatever its capability.

    Raises:
        KeyError: a capability that has no table.
    """
    return _TABLES[summary["capability"]](summary)
