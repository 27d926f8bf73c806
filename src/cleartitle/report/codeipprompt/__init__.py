"""The report of a CodeIPPrompt run, and its tables for the terminal."""

from pathlib import Path

from cleartitle.report.against import against_section
from cleartitle.report.blocks import Section
from cleartitle.report.codeipprompt.cases import cases
from cleartitle.report.codeipprompt.drawings import drawings, thresholds
from cleartitle.report.codeipprompt.headline import headline, subtitle, title
from cleartitle.report.codeipprompt.made import made
from cleartitle.report.codeipprompt.run import open_run
from cleartitle.report.codeipprompt.table import codeipprompt_table, published_codeipprompt_table, thresholds_table
from cleartitle.report.codeipprompt.tables import comparison, figures, training
from cleartitle.report.made import meta_of
from cleartitle.report.page import render

__all__ = ["codeipprompt_page", "codeipprompt_table", "published_codeipprompt_table", "thresholds_table"]


def codeipprompt_page(path: Path, *, redact: bool = False) -> str:
    """The page of the run in a folder; ``redact`` leaves texts of the corpus and of the model out.

    Raises:
        InputError: it is not a scored CodeIPPrompt run.
    """
    run = open_run(path, redact=redact)
    sections = (
        Section("answer", "", headline(run)),
        figures(run),
        comparison(run),
        drawings(run),
        training(run),
        thresholds(run),
        cases(run),
        against_section(path, run.summary),
        made(run),
    )
    return render(
        title(run),
        [section for section in sections if section is not None],
        subtitle(run),
        meta_of(run.record, run.model),
    )
