"""Which calls of a run failed, and why."""

from collections import Counter
from pathlib import Path

from cleartitle.tables import part_paths, read_table

__all__ = ["failures"]

REASONS = 3


def failures(run: Path, rounds: dict[str, str]) -> list[str]:
    """One line for each round of questions with failed calls, with the commonest reasons.

    A call of several samples may fail in each. ``rounds`` maps the folder of a round to what its answers are called.
    """
    notes: list[str] = []
    for folder, words in rounds.items():
        errors: Counter[str] = Counter()
        for path in part_paths(run / folder):
            errors.update(read_table(path, ["error"])["error"].drop_null().to_pylist())
        if errors:
            reasons = "; ".join(f"{count} times {reason}" for reason, count in errors.most_common(REASONS))
            notes.append(f"{errors.total()} {words} failed ({reasons}); the same command asks for them again.")
    return notes
