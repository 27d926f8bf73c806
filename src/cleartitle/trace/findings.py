"""Findings: matches of files with what policy and baseline say about them, for everything that reports them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError
from cleartitle.files import read_json
from cleartitle.trace.matches import Match, Result
from cleartitle.trace.policy import Action, Baseline, Policy, finding_id

__all__ = ["Finding", "findings", "read_results", "results_json"]


@dataclass(frozen=True)
class Finding:
    """One match of one file. ``action`` is the policy's; ``accepted`` says that the baseline holds the finding."""

    id: str
    path: str
    match: Match
    action: Action
    accepted: bool

    @property
    def denied(self) -> bool:
        """Whether the finding fails a check."""
        return self.action == "deny" and not self.accepted


def findings(results: Iterable[Result], policy: Policy, baseline: Baseline) -> list[Finding]:
    """Each match of each result, in order."""
    return [
        Finding(
            finding_id(result.path or "", match),
            result.path or "",
            match,
            policy.action(match),
            baseline.holds(result.path or "", match),
        )
        for result in results
        for match in result.matches
    ]


def results_json(results: Sequence[Result], policy: Policy, baseline: Baseline) -> list[dict[str, Any]]:
    """The results as plain JSON values, each match with its action and whether it was accepted."""
    return [
        {
            **result.as_json(),
            "matches": [
                {**finding.match.as_json(), "action": finding.action, "accepted": finding.accepted}
                for finding in findings([result], policy, baseline)
            ],
        }
        for result in results
    ]


def read_results(path: Path) -> list[Result]:
    """The results in a file that ``cleartitle trace search --json`` wrote.

    Raises:
        InputError: absent, or not such a file.
    """
    value = read_json(path)
    try:
        return [Result.from_json(item) for item in value]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{path}: not the results of a search ({type(error).__name__}: {str(error)[:80]}); "
            "mend: cleartitle trace search FILE --index INDEX --json > FILE.json"
        ) from None
