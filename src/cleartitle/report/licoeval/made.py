"""How a run was made: its benchmark, beside what every run says."""

from cleartitle.report.blocks import Fact, Section
from cleartitle.report.licoeval.run import Run
from cleartitle.report.made import made_of

__all__ = ["made"]


def made(run: Run) -> Section:
    """The section with the record of the run and its notes."""
    benchmark = run.summary["benchmark"]
    inputs = [
        Fact("Benchmark", [f"{benchmark['content_hash']} (hash of its functions)"]),
        Fact("Corpus", [str(benchmark["corpus"])]),
        Fact("Edit tokenizer", [run.record["inputs"]["edit_tokenizer"]]),
    ]
    return made_of(run.record, run.summary, inputs, ("Options of the benchmark", benchmark["options"]))
