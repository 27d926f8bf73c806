"""A small real language model over characters, for tests without PyTorch: counts of what follows six characters."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from cleartitle.models.scoring_torch import ALL_NUMBERS
from cleartitle.models.token_stats import ScorerCapabilities, TokenSpans, TokenStats

ORDER, VOCABULARY = 6, 128
WORDS = ["price", "total", "index", "value", "buffer", "name", "shape", "limit", "offset", "cache", "token", "rate"]


class CharModel:
    """Probability of a character: what was counted after the last six, mixed with an even draw from 128."""

    def __init__(self, texts: Iterable[str], *, seconds: float = 0.0, shift: int = 0) -> None:
        self.counts: dict[str, Counter[int]] = defaultdict(Counter)
        self.seconds, self.shift, self.asked = seconds, shift, 0
        seen = 0
        for text in texts:
            seen += len(text)
            for place in range(1, len(text)):
                self.counts[text[max(0, place - ORDER) : place]][min(ord(text[place]), VOCABULARY - 1)] += 1
        self.name = f"characters {seen}"

    def describe(self) -> dict[str, Any]:
        return {"adapter": "characters", "contexts": len(self.counts), "shift": self.shift}

    def capabilities(self) -> ScorerCapabilities:
        return ScorerCapabilities(ALL_NUMBERS, VOCABULARY, independent=True)

    def tokenize(self, text: str) -> TokenSpans:
        token = np.array([(min(ord(one), VOCABULARY - 1) + self.shift) % VOCABULARY for one in text], np.int32)
        place = np.arange(len(text), dtype=np.int32)
        return TokenSpans(token, place, place + 1)

    def calls(self, tokens: int, rows: int) -> int:
        return 1 if rows else 0

    def score(
        self, texts: Iterable[str], *, positions: Sequence[np.ndarray | None] | None = None
    ) -> Iterator[TokenStats]:
        for number, text in enumerate(texts):
            self.asked += 1
            time.sleep(self.seconds)
            wanted = None if positions is None else positions[number]
            rows = np.arange(1, len(text), dtype=np.int32) if wanted is None else wanted
            yield self._rows(text, rows)

    def close(self) -> None:
        pass

    def _rows(self, text: str, rows: np.ndarray) -> TokenStats:
        spans = self.tokenize(text)
        found = np.zeros((5, len(rows)))
        for at, place in enumerate(rows):
            counted = self.counts.get(text[max(0, place - ORDER) : place], Counter())
            p = np.full(VOCABULARY, 1 / VOCABULARY)
            for token, count in counted.items():
                p[token] += count
            p /= p.sum()
            log = np.log(p)
            mean = float((p * log).sum())
            given = min(ord(text[place]), VOCABULARY - 1)
            spread = float(np.sqrt(max((p * log**2).sum() - mean**2, 0)))
            found[:, at] = (1 + (p > p[given]).sum(), log[given], log.max(), mean, spread)
        numbers = [found[0].astype(np.int32), *(row.astype(np.float32) for row in found[1:])]
        return TokenStats(
            rows, spans.start[rows], spans.end[rows], spans.token[rows], *numbers, tokens_in_text=len(text)
        )


def program(draws: Random) -> str:
    """A function of random names and numbers."""
    lines = [f"def {draws.choice(WORDS)}_{draws.randrange(1000)}({draws.choice(WORDS)}):"]
    for _ in range(draws.randrange(6, 12)):
        left, right = draws.choice(WORDS), draws.choice(WORDS)
        lines.append(f"    {left} = {right} {draws.choice('+-*')} {draws.randrange(10000)}  # {draws.choice(WORDS)}")
    return "\n".join([*lines, f"    return {draws.choice(WORDS)}", ""])


def write_projects(folder: Path, seed: int, projects: int = 10, files: int = 2) -> list[str]:
    """Projects with files of one function each; returns their folders."""
    draws = Random(seed)
    found: list[str] = []
    for number in range(projects):
        project = folder / f"project{seed}-{number}"
        project.mkdir(parents=True)
        for file in range(files):
            (project / f"part{file}.py").write_text(program(draws))
        found.append(str(project))
    return found


def texts_of(folders: Iterable[str]) -> list[str]:
    """All files below the folders."""
    return [path.read_text() for folder in folders for path in sorted(Path(folder).rglob("*.py"))]
