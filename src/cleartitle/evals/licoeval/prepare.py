"""From nothing to a benchmark: the starter corpus and what is built from it are kept in the cache between runs."""

from pathlib import Path

from cleartitle.corpus import Corpus, CorpusOptions, build
from cleartitle.errors import InputError
from cleartitle.evals.licoeval.benchmark import Benchmark, BenchmarkOptions, build_benchmark, open_benchmark
from cleartitle.files import cache_dir
from cleartitle.jobs import one_at_a_time
from cleartitle.options import fingerprint

__all__ = ["prepare_benchmark", "starter_corpus"]


def starter_corpus() -> Corpus:
    """Assemble the starter corpus (pinned wheels of all license classes) in the cache, or open it there."""
    options = CorpusOptions()
    folder = cache_dir("corpora") / f"starter-{fingerprint(options)}"
    with one_at_a_time(folder):
        build(("starter",), folder, options)
    return Corpus.open(folder)


def prepare_benchmark(corpus: str, benchmark: Path | None, options: BenchmarkOptions) -> Benchmark:
    """Open ``benchmark``, or build one from ``corpus`` (``starter`` or the folder of a built corpus) in the cache.

    Raises:
        InputError: neither exists.
    """
    if benchmark is not None:
        return open_benchmark(benchmark)
    if corpus == "starter":
        opened = starter_corpus()
    elif Path(corpus).is_dir():
        opened = Corpus.open(Path(corpus))
    else:
        raise InputError(f"{corpus}: no such corpus; mend: `cleartitle corpus build SPEC -o {corpus}`, or use starter")
    folder = cache_dir("benchmarks") / f"licoeval-{fingerprint(options, corpus=opened.key)}"
    with one_at_a_time(folder):
        return build_benchmark(opened, folder, options)
