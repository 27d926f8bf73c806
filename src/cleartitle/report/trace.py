"""What a search found, as tables for the terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType

from cleartitle.report.terminal_parts import bullets, dim_line, new_table, safe
from cleartitle.report.titles import CLASS_TITLES
from cleartitle.trace import Baseline, Match, Policy, Result

__all__ = ["index_table", "matches_table"]

STATES = {
    "none": "no match",
    "common": "only words that many projects share",
    "too_short": "too short to be searched for",
}
ACTION_STYLES = {"deny": "bold red", "warn": "yellow", "allow": "dim"}
SPANS = 3


def index_table(searched: Mapping[str, Any]) -> list[RenderableType]:
    """What an index holds."""
    found = searched["guaranteed_words"]
    return [
        safe(_searched(searched), "bold"),
        dim_line(
            f"A run of {found['exact']} equal words is always found, or of {found['renamed']} words under other names,"
            " unless all of it is common."
        ),
    ]


def matches_table(
    results: Sequence[Result], searched: Mapping[str, Any], policy: Policy, baseline: Baseline
) -> list[RenderableType]:
    """Matches of each file with license, spans, and what the policy says."""
    parts: list[RenderableType] = []
    for result in results:
        name = result.path or "text"
        if not result.matches:
            parts.append(safe(f"{name}: {STATES.get(result.state, 'no match')}"))
            continue
        table = new_table(name)
        for title in ("", "origin", "license", "of the text", "lines here → there"):
            table.add_column(title, overflow="fold")
        for match in result.matches:
            accepted = baseline.holds(name, match)
            action = "accepted" if accepted else policy.action(match)
            exact = "" if match.exact == match.containment else f" ({match.exact:.0%} exact)"
            table.add_row(
                safe("common" if match.common else action, "dim" if match.common else ACTION_STYLES.get(action, "dim")),
                safe(_origin(match)),
                safe(_license(match)),
                safe(f"{match.containment:.0%}{exact}"),
                safe(_spans(match)),
            )
        parts.append(table)
    owed = sorted({duty for result in results for match in result.matches for duty in match.obligations})
    notes = [f"these licenses ask for: {', '.join(owed)}"] if owed else []
    notes.append(f"searched: {_searched(searched)}")
    notes.append("a match shows shared words; it does not show who copied from whom. This is not legal advice.")
    return [*parts, "", *bullets(notes)]


def _searched(searched: Mapping[str, Any]) -> str:
    return (
        f"{searched['documents']:,} files in {searched['origins']:,} places, {searched['source_bytes'] / 1e6:,.1f} MB"
    )


def _origin(match: Match) -> str:
    version = f" {match.version}" if match.version else ""
    also = f" (and {match.also:,} places more)" if match.also else ""
    date = f", {match.date[:10]}" if match.date else ""
    return f"{match.project}{version}: {match.path}{date}{also}"


def _license(match: Match) -> str:
    class_ = CLASS_TITLES.get(match.license_class or "", "class unknown")
    grade = "" if match.trust in {"agree", "header"} else f", {match.trust}"
    return f"{match.license or 'unknown'} ({class_}{grade})"


def _spans(match: Match) -> str:
    longest = sorted(match.spans, key=lambda span: -span.words)[:SPANS]
    shown = [
        f"{_range(span.query)} → {_range(span.origin)}{' renamed' if span.kind == 'renamed' else ''}"
        for span in longest
    ]
    more = len(match.spans) - len(longest)
    return "; ".join(shown) + (f"; {more} more" if more else "")


def _range(lines: tuple[int, int]) -> str:
    return str(lines[0]) if lines[0] == lines[1] else f"{lines[0]}-{lines[1]}"
