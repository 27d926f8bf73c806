"""A membership study in the terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Table

from cleartitle.report.membership.wording import answer_sentence, auc_line, shown_attacks, warnings

__all__ = ["membership_table"]


def membership_table(summary: Mapping[str, Any]) -> Sequence[RenderableType]:
    """The verdict with its reasons, the attacks from best to worst, and what they do not establish."""
    found: list[RenderableType] = [answer_sentence(summary)]
    found += [f"- {reason}" for reason in summary["validity_report"]["reasons"]]
    attacks = shown_attacks(summary)
    if attacks:
        table = Table("attack", "AUC [95 %]", "accuracy", "precision", "recall", box=box.SIMPLE)
        for name, attack in sorted(attacks.items(), key=lambda item: -(item[1]["auc"] or 0)):
            shares = (attack["accuracy"], attack["precision"], attack["recall"])
            table.add_row(name, auc_line(attack), *("–" if share is None else f"{share:.3f}" for share in shares))
        found.append(table)
        found += [
            f"{item['attack']} minus {item['against']}: {item['value']:+.3f} "
            f"[{_interval(item)['low']:+.3f}, {_interval(item)['high']:+.3f}], paired"
            for item in summary["differences"]
            if _interval(item)
        ]
    found.append(summary["dataset_test"].get("sentence", ""))
    found += [f"- {line}" for line in warnings(summary)]
    return found


def _interval(item: Mapping[str, Any]) -> Mapping[str, Any]:
    return item["bootstrap"] or item["interval"] or {}
