"""Recall, precision, size and speed of `cleartitle trace` on a corpus of five languages, beside other methods.

Run: python benchmarks/trace.py [--smoke] [--work DIR] [--seed 0] [--queries 500] [STAGE ...]

The stages, all of them by default: corpus, index, recall, precision, speed, growth, hybrid, peers. The first two take
long and are kept in DIR; each further one adds its figures to DIR/results.json and prints them. Times are processor
seconds. Intervals are Wilson's at 95 %.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from trace_corpus import HELD_OUT, INDEXED, SMOKE, SMOKE_HELD_OUT, make_corpus, shuffled, subset
from trace_edits import EDITS, cut
from trace_queries import Query, Texts, all_common, rank_of, sample

from cleartitle.corpus import Corpus
from cleartitle.evals.statistics import rate
from cleartitle.files import write_json
from cleartitle.trace import Index, IndexOptions, Result, build_index

TOP = 5
SHARES = (0.1, 0.3)


@dataclass
class Bench:
    """What all stages share."""

    work: Path
    seed: int
    queries: int
    smoke: bool
    languages: tuple[str, ...] = tuple(INDEXED)
    snippets: int = 100_000
    results: dict[str, Any] = field(default_factory=dict)

    @property
    def lists(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """Packages of the index, and those that it must not hold."""
        both = (SMOKE, SMOKE_HELD_OUT) if self.smoke else (INDEXED, HELD_OUT)
        indexed, held_out = ({name: specs for name, specs in of.items() if name in self.languages} for of in both)
        return indexed, held_out

    def corpora(self, kind: str = "corpus") -> dict[str, Path]:
        """Folder of the corpus of each language."""
        return {language: self.work / f"{kind}-{language}" for language in self.lists[0]}

    def index(self) -> Index:
        """The index over all corpora."""
        return Index.open(self.work / "index")

    def drawn(self, kind: str) -> list[Query]:
        """The query functions, in equal numbers from each language."""
        corpora = self.corpora(kind)
        each = self.queries // len(corpora)
        found = [query for language, path in corpora.items() for query in sample(path, language, each, self.seed)]
        return [query for query in found if query.text]

    def note(self, stage: str, figures: Any) -> None:
        """Keep the figures of a stage."""
        self.results[stage] = figures
        write_json(self.work / "results.json", self.results)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stages", nargs="*", help=f"of {' '.join(STAGES)}; all by default")
    parser.add_argument("--smoke", action="store_true", help="three small packages and few queries")
    parser.add_argument("--work", type=Path, default=Path("/tmp/trace-bench"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--snippets", type=int, default=100_000, help="of the stage hybrid")
    parser.add_argument("--languages", nargs="+", choices=list(INDEXED), default=list(INDEXED))
    asked = parser.parse_args()
    work = asked.work / "smoke" if asked.smoke else asked.work
    work.mkdir(parents=True, exist_ok=True)
    queries, snippets = (30, 300) if asked.smoke else (asked.queries, asked.snippets)
    bench = Bench(work, asked.seed, queries, asked.smoke, tuple(asked.languages), snippets)
    if (work / "results.json").is_file():
        bench.results = json.loads((work / "results.json").read_text(encoding="utf-8"))
    bench.note("machine", machine())
    print(f"seed {bench.seed}, {bench.queries} functions; {bench.results['machine']}")
    for name in asked.stages or STAGES:
        print(f"\n== {name}", flush=True)
        STAGES[name](bench)


def machine() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    return f"{model}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.0f}, Python {platform.python_version()}"


def processor_seconds() -> float:
    """Of this process and its children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(item.ru_utime + item.ru_stime for item in used)


def corpus(bench: Bench) -> None:
    """Read the packages."""
    indexed, held_out = bench.lists
    rows: dict[str, Any] = {}
    for kind, lists in (("corpus", indexed), ("heldout", held_out)):
        for language, specs in lists.items():
            make_corpus(specs, language, bench.corpora(kind)[language])
            found = Corpus.open(bench.corpora(kind)[language]).info()
            rows[f"{kind} {language}"] = {"files": found.contents, "bytes": found.bytes, "projects": found.projects}
            size = f"{found.contents:>8,} files {found.bytes / 1e6:>8,.0f} MB"
            print(f"{kind:8} {language:8} {size}  {found.projects} projects")
    total = sum(row["bytes"] for name, row in rows.items() if name.startswith("corpus"))
    print(f"indexed: {total / 1e6:,.0f} MB")
    bench.note("corpus", rows)


def index(bench: Bench) -> None:
    """Build the index, and weigh its files."""
    bench.note("index", built(list(bench.corpora().values()), bench.work / "index"))


def built(corpora: list[Path], path: Path, *, texts: bool = True) -> dict[str, Any]:
    """Build an index unless it is there; what it takes, in bytes for each byte of source, and how fast it was made."""
    record = path.with_name(f"{path.name}.build.json")
    spent: dict[str, float] = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    for corpus_path in corpora:
        if corpus_path.name not in spent:
            before = processor_seconds()
            build_index([corpus_path], path, IndexOptions(texts=texts, workers=1))
            write_json(record, spent := {**spent, corpus_path.name: processor_seconds() - before})
    opened = Index.open(path)
    source = opened.searched["source_bytes"]
    sizes = Counter[str]()
    for file in path.glob("segments/*/*"):
        sizes[file.name] += file.stat().st_size
    whole = sum(sizes.values())
    figures = {
        "source_bytes": source,
        "documents": opened.searched["documents"],
        "segments": opened.searched["segments"],
        "bytes_per_byte": whole / source,
        "bytes_per_byte_without_texts": (whole - sizes["texts.zst"]) / source,
        "files": {name: size / source for name, size in sizes.most_common()},
        "build_mb_per_cpu_second": source / 1e6 / sum(spent.values()),
    }
    print(
        f"{source / 1e6:,.0f} MB, {figures['documents']:,} documents: {figures['bytes_per_byte_without_texts']:.3f} "
        f"B/B, with texts {figures['bytes_per_byte']:.3f}; built at "
        f"{figures['build_mb_per_cpu_second']:.1f} MB/s and core"
    )
    return figures


def recall(bench: Bench) -> None:
    """Whether an edited function leads to where it came from."""
    index, queries = bench.index(), bench.drawn("corpus")
    texts = Texts(index)
    figures: dict[str, Any] = {"queries": dict(Counter(query.language for query in queries))}
    for name, edit in EDITS.items():
        asked: list[tuple[str, bool]] = []
        states = Counter[str]()
        missed: list[str] = []
        for number, query in enumerate(queries):
            text = edit(query.text, query.language, bench.seed * 1_000_003 + number)
            original = text if name.endswith("lines") else query.text
            found = index.search(text, limit=TOP)
            is_hit = rank_of(found, query, original, texts, TOP) > 0
            if not is_hit and found.state == "too_short":
                states["too short"] += 1
            elif not is_hit and all_common(texts, query, text):
                states["all common"] += 1
            else:
                asked.append((query.language, is_hit))
                if not is_hit:
                    missed.append(f"{number} {query.language} {query.project}:{query.path} {query.name} {found.state}")
        by_language = {
            language: rate(sum(hit for of, hit in asked if of == language), sum(of == language for of, _ in asked))
            for language in dict.fromkeys(query.language for query in queries)
        }
        whole = rate(sum(hit for _, hit in asked), len(asked))
        figures[name] = {
            "rate": whole.as_json(),
            "apart": dict(states),
            "languages": {language: found.value for language, found in by_language.items()},
            "missed": missed,
        }
        shares = " ".join(f"{of} {found.value:.3f}" for of, found in by_language.items() if found.value is not None)
        print(f"{name:31} {whole}  {dict(states) or ''}\n{'':31} {shares}", flush=True)
    bench.note("recall", figures)


def precision(bench: Bench) -> None:
    """What is reported for functions of projects that the index does not hold, and why."""
    index, queries = bench.index(), bench.drawn("heldout")
    texts = Texts(index)
    figures: dict[str, Any] = {}
    cases: list[dict[str, Any]] = []
    kinds: dict[str, Callable[[Query, int], str]] = {
        "functions": lambda query, number: query.text,
        "10 lines": lambda query, number: cut(query.text, 10, number),
        "4 lines": lambda query, number: cut(query.text, 4, number),
    }
    for kind, make in kinds.items():
        reasons = Counter[str]()
        for number, query in enumerate(queries):
            text = make(query, number)
            found = index.search(text)
            reason = reason_of(found, query, text, texts)
            reasons[reason] += 1
            if reason.startswith("reported"):
                cases.append({"kind": kind, "reason": reason, "text": text, **case_of(found, query, texts)})
        total = len(queries)
        figures[kind] = {reason: rate(count, total).as_json() for reason, count in reasons.items()}
        print(kind)
        for reason, count in sorted(reasons.items()):
            print(f"  {reason:44} {rate(count, total)}")
    write_json(bench.work / "precision.json", cases)
    print(f"each reported match, to be read: {bench.work / 'precision.json'}")
    bench.note("precision", figures)


def reason_of(found: Result, query: Query, text: str, texts: Texts) -> str:
    """Why a search answers as it does. The kinds of reports rest on the words alone; who wrote first is not known."""
    if found.state != "matches":
        return {"none": "nothing found", "common": "shown as common", "too_short": "too short"}[found.state]
    best = next(match for match in found.matches if not match.common)
    if query.project in {match.project for match in found.matches}:
        return "reported: the project itself, packed elsewhere"
    if texts.holds(best.swhid, text) or best.exact >= 0.7:
        return "reported: duplicate, most words in a row"
    if any(span.kind == "exact" and span.words >= 23 for span in best.spans):
        return "reported: passage of 23 words or more"
    return "reported: equal but for names"


def case_of(found: Result, query: Query, texts: Texts) -> dict[str, Any]:
    """What a person needs to judge a report."""
    best = next(match for match in found.matches if not match.common)
    return {
        "query": f"{query.project}:{query.path} {query.name}",
        "match": f"{best.project}:{best.path}",
        "containment": best.containment,
        "exact": best.exact,
        "projects": best.projects,
        "spans": [(span.query, span.origin, span.words, span.kind) for span in best.spans],
        "there": "\n...\n".join(lines_of(texts.of(best.swhid), span.origin) for span in best.spans),
    }


def lines_of(text: str, lines: tuple[int, int]) -> str:
    return "\n".join(text.splitlines()[lines[0] - 1 : lines[1]])


def speed(bench: Bench) -> None:
    """Time of a query on one core, warm, and the memory of a process that does nothing else."""
    bench.note("speed", {**timed(bench.index(), bench), "memory": memory(bench)})


def timed(index: Index, bench: Bench) -> dict[str, Any]:
    queries = [(query, 0) for query in bench.drawn("corpus")] + [(query, 1) for query in bench.drawn("heldout")]
    texts = [
        EDITS[name](query.text, query.language, 1)
        for query, out in queries
        for name in (list(EDITS)[:1] if out else EDITS)
    ]
    for text in texts:
        index.search(text)
    times: list[float] = []
    for text in texts:
        start = time.thread_time()
        index.search(text)
        times.append(1000 * (time.thread_time() - start))
    values = {f"p{share}": float(np.percentile(times, share)) for share in (50, 90, 99)}
    print(f"{len(times)} queries, milliseconds: {values}, longest {max(times):.1f}", flush=True)
    return {"queries": len(times), **values, "longest": max(times)}


MEMORY = """
import sys
from pathlib import Path
from cleartitle.trace import Index
index = Index.open(sys.argv[1])
for text in sys.stdin.read().split(chr(0)):
    index.search(text)
rows = Path("/proc/self/smaps_rollup").read_text().splitlines()
print(next(row.split()[1] for row in rows if row.startswith("Anonymous:")))
"""


def memory(bench: Bench) -> float:
    """Anonymous memory (MB) of a process that answered all query functions."""
    texts = "\0".join(query.text for query in bench.drawn("corpus"))
    command = [sys.executable, "-c", MEMORY, str(bench.work / "index")]
    done = subprocess.run(command, input=texts, capture_output=True, text=True, check=True)
    megabytes = int(done.stdout) / 1024
    print(f"anonymous memory of a query process: {megabytes:.0f} MB")
    return megabytes


def growth(bench: Bench) -> None:
    """Size, speed of building and of queries at a tenth, three tenths and all of the corpus."""
    figures: dict[str, Any] = {}
    for share in SHARES:
        corpora: list[Path] = []
        for language, whole in bench.corpora().items():
            order = shuffled(whole, bench.seed)
            label = {"share": share, "seed": bench.seed}
            keep = set(order[: int(share * len(order))])
            corpora.append(subset(whole, bench.work / f"share-{share}-{language}", keep, label))
        path = bench.work / f"index-{share}"
        figures[str(share)] = {**built(corpora, path), **timed(Index.open(path), bench)}
    figures["1"] = {**bench.results.get("index", {}), **timed(bench.index(), bench)}
    bench.note("growth", figures)


def hybrid(bench: Bench) -> None:
    """The protocol of HybridSourceTracker."""
    from trace_hybrid import run

    bench.note("hybrid", run(bench.work, bench.corpora(), bench.snippets, seed=bench.seed))


def peers(bench: Bench) -> None:
    """The same corpus and queries through other programs."""
    from trace_peers import run

    bench.note("peers", run(bench.work, bench.corpora(), bench.drawn("corpus"), smoke=bench.smoke))


STAGES: dict[str, Callable[[Bench], None]] = {
    stage.__name__: stage for stage in (corpus, index, recall, precision, speed, growth, hybrid, peers)
}

if __name__ == "__main__":
    main()
