"""Other programs on the same files and queries: infini-gram (suffix array over bytes) and copydetect (file pairs).

Both run in the Python that runs this script, in an environment of their own: pip install infini-gram copydetect. One
that is not there is skipped with its reason. They get a part of the Python corpus only, and so does this index here:
copydetect compares a query with every file, and infini-gram takes seven bytes of index for each byte.

Published figures of systems that cannot be run here stand in ``PUBLISHED``, marked as such.
"""

import gzip
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trace_edits import EDITS
from trace_queries import Query, squeezed

from cleartitle.corpus import Corpus
from cleartitle.evals.statistics import rate
from cleartitle.trace import Index, IndexOptions, build_index

__all__ = ["PUBLISHED", "run"]

KINDS = ("verbatim", "stripped and reformatted", "renamed (all)", "10 lines", "4 lines")
FILES = 600
TOP = 5

PUBLISHED = {
    "SCANOSS": "0.31 bytes of postings a source byte by its format; 0.42 s to 57 s a file in its issue threads",
    "OLMoTrace": "4.5 s a text on average over 4.6 T tokens (arXiv 2504.07096); verbatim runs only",
    "infini-gram": "7 bytes a token, 20 ms a count over 5 T tokens (arXiv 2401.17377)",
    "Data Portraits": "3 % of the corpus, milliseconds; membership only, no source (arXiv 2303.03919)",
}  # fmt: skip
"""As their makers publish them; not measured here."""


def run(work: Path, corpora: dict[str, Path], queries: list[Query], *, smoke: bool) -> dict[str, Any]:
    """Recall among the first five, processor time of a query, and size, of each program."""
    queries = [query for query in queries if query.language == "python"][: 10 if smoke else 60]
    texts = chosen(corpora["python"], queries, 60 if smoke else FILES)
    total = sum(len(text.encode()) for text in texts.values())
    print(f"{len(texts)} Python files, {total / 1e6:.1f} MB; {len(queries)} functions")
    figures: dict[str, Any] = {"files": len(texts), "bytes": total, "published": PUBLISHED}
    makers: dict[str, Callable[[Path, dict[str, str]], tuple[Callable[[str], list[str]], float]]] = {
        "cleartitle": of_cleartitle,
        "infini-gram": of_infini_gram,
        "copydetect": of_copydetect,
    }
    for name, make in makers.items():
        folder = Path(tempfile.mkdtemp(prefix="peer-", dir=work))
        try:
            search, size = make(folder, texts)
        except ImportError as error:
            print(f"{name}: left out ({error}); mend: pip install infini-gram copydetect")
            figures[name] = {"left_out": str(error)}
            continue
        figures[name] = {"bytes_per_byte": size / total, **measured(search, queries, texts)}
        shares = ", ".join(f"{kind} {figures[name][kind]['value']:.3f}" for kind in KINDS)
        print(f"{name}: {size / total:.2f} B/B, {figures[name]['milliseconds']:.2f} ms a query; {shares}", flush=True)
        shutil.rmtree(folder)
    for name, words in PUBLISHED.items():
        print(f"{name} (published): {words}")
    return figures


def measured(search: Callable[[str], list[str]], queries: list[Query], texts: dict[str, str]) -> dict[str, Any]:
    tight = {name: squeezed(text) for name, text in texts.items()}
    figures: dict[str, Any] = {}
    spent = 0.0
    for kind in KINDS:
        hits = 0
        for number, query in enumerate(queries):
            text = EDITS[kind](query.text, query.language, number)
            original = squeezed(text if kind.endswith("lines") else query.text)
            start = time.process_time()
            found = search(text)[:TOP]
            spent += time.process_time() - start
            hits += any(name == query.swhid or original in tight[name] for name in found)
        figures[kind] = rate(hits, len(queries)).as_json()
    return {**figures, "milliseconds": 1000 * spent / len(queries) / len(KINDS)}


def chosen(corpus: Path, queries: list[Query], count: int) -> dict[str, str]:
    """The files of the queries and others drawn from the corpus."""
    wanted = {query.swhid for query in queries}
    draws = random.Random(0)
    texts: dict[str, str] = {}
    others: dict[str, str] = {}
    for work in Corpus.open(corpus).works():
        if work.swhid in wanted:
            texts[work.swhid] = work.text
        elif draws.random() < 0.1 and len(others) < count:
            others[work.swhid] = work.text
    return {**others, **texts}


def of_cleartitle(folder: Path, texts: dict[str, str]) -> tuple[Callable[[str], list[str]], float]:
    from trace_corpus import corpus_of

    build_index([corpus_of(texts, "python", folder / "corpus")], folder / "index", IndexOptions(workers=1))
    index = Index.open(folder / "index")
    size = sum(file.stat().st_size for file in folder.glob("index/segments/*/*"))
    return (lambda text: [match.swhid for match in index.search(text, limit=TOP).matches]), size


def of_infini_gram(folder: Path, texts: dict[str, str]) -> tuple[Callable[[str], list[str]], float]:
    """The documents that hold the longest run of bytes of the query, from the starts of its lines on."""
    from infini_gram.engine import InfiniGramEngine  # pyright: ignore[reportMissingImports]

    names = list(texts)
    data, saved = folder / "data", folder / "saved"
    data.mkdir()
    with gzip.open(data / "part.jsonl.gz", "wt", encoding="utf-8") as stream:
        for text in texts.values():
            stream.write(json.dumps({"text": text.replace("\xff", " ")}) + "\n")
    command = [sys.executable, "-m", "infini_gram.indexing", "--data_dir", str(data), "--save_dir", str(saved)]
    command += ["--temp_dir", str(folder), "--token_dtype", "u8", "--cpus", "1", "--mem", "2", "--ulimit", "1024"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ImportError((done.stderr.strip().splitlines() or ["its indexing failed"])[-1])
    engine = InfiniGramEngine(index_dir=str(saved), eos_token_id=254, vocab_size=255, token_dtype="u8", version=4)

    def longest(ids: list[int]) -> int:
        low, high = 0, len(ids)
        while low < high:
            middle = (low + high + 1) // 2
            if engine.find(input_ids=ids[:middle])["cnt"] > 0:
                low = middle
            else:
                high = middle - 1
        return low

    def search(text: str) -> list[str]:
        ids = list(text.encode())
        starts = [0, *(place + 1 for place, value in enumerate(ids[:-1]) if value == 10)]
        best = max(((longest(ids[start:]), -start) for start in starts), default=(0, 0))
        length, start = best[0], -best[1]
        if length < 20:
            return []
        found = engine.find(input_ids=ids[start : start + length])
        ranks = [
            (shard, rank)
            for shard, (a, b) in enumerate(found["segment_by_shard"])
            for rank in range(a, min(b, a + TOP))
        ]
        documents = [engine.get_doc_by_rank(s=shard, rank=rank, max_disp_len=1) for shard, rank in ranks[:TOP]]
        return [names[document["doc_ix"]] for document in documents]

    return search, sum(file.stat().st_size for file in saved.iterdir())


def of_copydetect(folder: Path, texts: dict[str, str]) -> tuple[Callable[[str], list[str]], float]:
    """Every file compared with the query; those that hold the largest share of it first. It keeps no index."""
    import copydetect  # pyright: ignore[reportMissingImports]

    prints: dict[str, Any] = {}
    for number, (name, text) in enumerate(texts.items()):
        path = folder / f"{number}.py"
        path.write_text(text, encoding="utf-8")
        prints[name] = copydetect.CodeFingerprint(str(path), 25, 1)

    def search(text: str) -> list[str]:
        path = folder / "query.py"
        path.write_text(text, encoding="utf-8")
        asked = copydetect.CodeFingerprint(str(path), 25, 1)
        shares = {name: copydetect.compare_files(asked, other)[1][0] for name, other in prints.items()}
        return [name for name in sorted(shares, key=lambda name: -shares[name])[:TOP] if shares[name] > 0]

    return search, 0.0
