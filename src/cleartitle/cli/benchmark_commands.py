"""``cleartitle benchmark``: build benchmarks from a corpus."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.corpus import Corpus
from cleartitle.evals.licoeval import BenchmarkOptions, build_benchmark, open_benchmark
from cleartitle.report import benchmark_table

__all__ = ["app"]

app = App(name="benchmark", help="Build a benchmark from a corpus.")


@app.command(name="build")
def build_command(
    corpus: Path,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    json: Json = False,
    options: Annotated[BenchmarkOptions, Parameter(name="*", group="Benchmark")] = BenchmarkOptions(),  # noqa: B008
) -> int:
    """Build a LiCoEval benchmark: licensed functions with all parts that the standard needs.

    Args:
        corpus: Folder of a corpus.
        output: Folder of the benchmark.
        json: Print JSON on standard output.
    """
    built = build_benchmark(Corpus.open(corpus), output, options)
    print_json(built.record) if json else print_rich(*benchmark_table(built.record))
    return 0


@app.command(name="info")
def info_command(benchmark: Path, *, json: Json = False) -> int:
    """Print the statistics of a benchmark beside those of the paper (Table III).

    Args:
        benchmark: Folder of a benchmark.
        json: Print JSON on standard output.
    """
    record = open_benchmark(benchmark).record
    print_json(record) if json else print_rich(*benchmark_table(record))
    return 0
