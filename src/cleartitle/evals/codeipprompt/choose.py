"""Which of the candidates become prompts: seeded, one of a file, none twice, capped by project, even over cells."""

import hashlib
from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from cleartitle.evals.codeipprompt.options import PromptOptions
from cleartitle.evals.codeipprompt.prompts import even_quotas

__all__ = ["choose"]


def choose(table: pa.Table, options: PromptOptions, funnel: Counter[str]) -> list[int]:
    """Rows of the chosen candidates; ``funnel`` counts the reasons of the others.

    Candidates are taken in the order of a seeded hash of their ids. Under a limit each cell of license class and
    language gives as many as the others while it has them, and within a cell the projects take turns.
    """
    columns = ("prompt_id", "content_id", "digest", "project", "language", "license_class")
    rows = list(zip(*(table[name].to_pylist() for name in columns), strict=True))
    order = sorted(range(len(rows)), key=lambda row: _hash(options.seed, rows[row][0]))
    files: set[str] = set()
    texts: set[tuple[str, str]] = set()
    per_project: Counter[tuple[str, str]] = Counter()
    kept: list[int] = []
    for row in order:
        _, content, digest, project, language, _ = rows[row]
        if options.one_per_file and content in files:
            funnel["another prompt of its file"] += 1
        elif options.mode == "corrected" and (language, digest) in texts:
            funnel["same prompt"] += 1
        elif options.max_per_project and per_project[project, language] >= options.max_per_project:
            funnel["over the limit of its project"] += 1
        else:
            files.add(content)
            texts.add((language, digest))
            per_project[project, language] += 1
            kept.append(row)
    cells: dict[tuple[str, str], list[int]] = {}
    for row in kept:
        cells.setdefault((rows[row][5], rows[row][4]), []).append(row)
    quota = even_quotas({cell: len(members) for cell, members in cells.items()}, options.limit)
    chosen: list[int] = []
    for cell, members in cells.items():
        chosen.extend(_in_turn(members, [rows[row][3] for row in members])[: quota[cell]])
    funnel["beyond the limit"] += len(kept) - len(chosen)
    return chosen


def _in_turn(members: Sequence[int], projects: Sequence[str]) -> list[int]:
    """Members with those of each project spread: first the first of every project, then the second of every one."""
    seen: Counter[str] = Counter()
    turns: list[tuple[int, int]] = []
    for place, project in enumerate(projects):
        turns.append((seen[project], place))
        seen[project] += 1
    return [members[place] for _, place in sorted(turns)]


def _hash(seed: int, prompt_id: str) -> bytes:
    return hashlib.sha256(f"{seed}/{prompt_id}".encode()).digest()
