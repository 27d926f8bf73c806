"""How often code that has nothing to do with other code passes 0.5 by `code_similarity`, per language.

    python benchmarks/unrelated.py CORPUS [CORPUS …]

takes the functions of corpora, such as the five starter corpora (`cleartitle corpus build starter-c -o CORPUS`), and
compares drawn pairs of different projects: a function with a function, and a function with a whole file, reported
apart. Tests are left out, so are equal texts, pairs of files of one name, and the projects below, which the thresholds
of the excerpts were chosen on. A seed draws the same pairs. Those above 0.5 are printed, to be looked at: what of them
is a copy is no chance. Intervals are Wilson's; pairs share functions, so that the true ones are a little wider.
"""

import argparse
import hashlib
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from cleartitle.code import definitions
from cleartitle.code.streams import DeadlineError, deadline
from cleartitle.corpus import Corpus, Work
from cleartitle.evals.statistics import rate
from cleartitle.similarity import PreparedProgram, code_similarity

SEEN = {"Pygments", "distlib", "hypothesis", "leveldb", "lz4", "re2"}
"""Projects whose code, or a part of it, was among what the thresholds were chosen on."""
LANGUAGES = ("python", "java", "c", "cpp", "csharp")
LINES = 5
MOST_BYTES = 400_000
OF_A_FILE, OF_A_PROJECT = 4, 200
WHOLE_FILES = 400


@dataclass(frozen=True)
class Function:
    """A function of a corpus, and the file that it is of."""

    project: str
    path: str
    text: str
    file: str


def functions(work: Work, draws: random.Random) -> list[Function]:
    """Some drawn functions of a file."""
    try:
        with deadline(10.0):
            found = definitions(work.text, work.language)
    except DeadlineError:
        return []
    lines = work.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    kept: list[Function] = []
    for item in draws.sample(found, len(found)):
        if item.kind == "function" and item.last_line - item.header_line + 1 >= LINES and len(kept) < OF_A_FILE:
            text = "\n".join(lines[item.header_line - 1 : item.last_line])
            kept.append(Function(work.occurrence.project, work.occurrence.path, text, work.text))
    return kept


def collect(corpora: list[Path], language: str, draws: random.Random) -> list[Function]:
    """Functions of all projects, at most so many of each, no two of them equal but for white space."""
    files: dict[str, list[Work]] = {}
    for corpus in map(Corpus.open, corpora):
        if language not in corpus.record["options"]["languages"]:
            continue
        for work in corpus.works():
            place = work.occurrence
            is_fit = work.language == language and len(work.text) <= MOST_BYTES and not place.is_vendored
            if is_fit and "test" not in place.path.lower() and place.project not in SEEN:
                files.setdefault(place.project, []).append(work)
    found: list[Function] = []
    seen: set[bytes] = set()
    for _, works in sorted(files.items()):
        taken = 0
        for work in draws.sample(works, len(works)):
            if taken >= OF_A_PROJECT:
                break
            for one in functions(work, draws):
                key = hashlib.sha256("".join(one.text.split()).encode("utf-8", "replace")).digest()
                if key not in seen:
                    seen.add(key)
                    found.append(one)
                    taken += 1
    return found


def file_name(one: Function) -> str:
    return PurePosixPath(one.path).name


def measure(found: list[Function], language: str, whole: bool, pairs: int, draws: random.Random) -> None:
    """Compare drawn pairs; print one line, and the pairs above 0.5."""
    prepared: dict[str, PreparedProgram] = {}
    files = draws.sample(found, min(WHOLE_FILES, len(found)))
    hits: list[str] = []
    states: Counter[str] = Counter()
    begin = time.process_time()
    while sum(states.values()) < pairs:
        one, other = draws.choice(files if whole else found), draws.choice(found)
        if one.project == other.project or file_name(one) == file_name(other):
            continue
        text = one.file if whole else one.text
        reference = prepared.setdefault(text, PreparedProgram(text, language))
        score = code_similarity(reference=reference, candidate=other.text, language=language, spans=False)
        states[score.state] += 1
        if (score.value or 0.0) > 0.5:
            score = code_similarity(reference=reference, candidate=other.text, language=language)
            hits.append(
                f"{score.value:.2f}  {one.project} {one.path} {score.excerpt}  "
                f"{other.project} {other.path} {score.excerpt_candidate}  {other.text.split(chr(10))[0].strip()[:80]}"
            )
    share = rate(len(hits), pairs)
    assert share.interval is not None
    print(
        f"{language:8} {'file' if whole else 'function':9} {len(hits):4} of {pairs:,} above 0.5: {share.value:.2%} "
        f"({share.interval.low:.2%} to {share.interval.high:.2%}), {states['too_short'] / pairs:4.0%} too short, "
        f"{states['deadline']} out of time; {time.process_time() - begin:.0f} CPU s",
        flush=True,
    )
    for hit in hits:
        print(f"    {hit}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", type=Path, nargs="+")
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--languages", nargs="+", default=LANGUAGES, choices=LANGUAGES)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    for language in chosen.languages:
        draws = random.Random(f"{chosen.seed}/{language}")
        found = collect(chosen.corpora, language, draws)
        projects = {one.project for one in found}
        if len(projects) < 2:
            sys.exit(f"{language}: functions of {len(projects)} projects; mend: name a corpus with at least two")
        print(f"{language:8} {len(found):,} functions of {len(projects)} projects", flush=True)
        for whole in (False, True):
            measure(found, language, whole, chosen.pairs, draws)


if __name__ == "__main__":
    main()
