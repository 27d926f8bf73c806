"""What share of a LiCoEval run on the embedded model is the harness's own?

    python benchmarks/licoeval.py [--limit 12] [--max-tokens 256]

The run is made twice: on the model, and on its recorded answers. The second one does all that the first does but ask
the model (units, prompts, journal, parts, scores of model and controls, verdicts, summary, report), so its wall time
over that of the first is the harness's share. Both start from a benchmark that is built. The rates of the measures
beside NLTK, datasketch and rapidfuzz are printed by benchmarks/similarity.py.
"""

import argparse
import os
import platform
import tempfile
import time
from pathlib import Path

from cleartitle.evals.licoeval import BenchmarkOptions, LicoevalOptions, evaluate
from cleartitle.evals.licoeval.prepare import prepare_benchmark
from cleartitle.models import Model, open_model
from cleartitle.report import write_report


def timed(model: Model, folder: Path, options: LicoevalOptions) -> float:
    benchmark = prepare_benchmark("starter", None, BenchmarkOptions())
    started = time.perf_counter()
    evaluate(model, benchmark, folder, options)
    write_report(folder)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=12)
    parser.add_argument("--max-tokens", type=int, default=256)
    chosen = parser.parse_args()
    options = LicoevalOptions(limit=chosen.limit, max_tokens=chosen.max_tokens)
    with tempfile.TemporaryDirectory() as name:
        real, replayed = Path(name, "real"), Path(name, "replayed")
        on_model = timed(open_model("embedded"), real, options)
        on_record = timed(open_model(f"replay:{real / 'generations'}"), replayed, options)
    load = os.getloadavg()[0]
    print(f"{platform.machine()}, {os.cpu_count()} processors, load {load:.1f}, n = {chosen.limit} functions")
    print(f"on the embedded model     {on_model:8.1f} s")
    print(f"on its recorded answers   {on_record:8.1f} s")
    print(f"share of the harness      {100 * on_record / on_model:8.1f} %")


if __name__ == "__main__":
    main()
