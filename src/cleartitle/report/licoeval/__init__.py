"""The report of a LiCoEval run."""

from pathlib import Path

from cleartitle.report.against import against_section
from cleartitle.report.blocks import Section
from cleartitle.report.licoeval.benchmark import benchmark
from cleartitle.report.licoeval.both_modes import modes_table
from cleartitle.report.licoeval.cases import cases
from cleartitle.report.licoeval.comparison import comparison
from cleartitle.report.licoeval.distributions import distributions
from cleartitle.report.licoeval.headline import headline, subtitle, title
from cleartitle.report.licoeval.made import made
from cleartitle.report.licoeval.run import open_run
from cleartitle.report.made import meta_of
from cleartitle.report.page import render

__all__ = ["licoeval_page"]


def licoeval_page(path: Path, *, redact: bool = False) -> str:
    """The page of the run in a folder; ``redact`` leaves texts of the corpus and of the model out.

    Raises:
        InputError: it is not a scored LiCoEval run.
    """
    run = open_run(path, redact=redact)
    sections = (
        Section("answer", "", headline(run)),
        Section("figures", "All figures", (modes_table(run),)),
        comparison(run),
        cases(run),
        against_section(path, run.summary),
        distributions(run),
        benchmark(run),
        made(run),
    )
    return render(
        title(run),
        [section for section in sections if section is not None],
        subtitle(run),
        meta_of(run.record, run.model),
    )
