"""Agreement for the terminal."""

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from cleartitle.evals.statistics import Interval
from cleartitle.hidden import visible
from cleartitle.labels.against import Against, Share
from cleartitle.labels.agreement import Agreement, PairAgreement

__all__ = ["agreement_table"]

LISTED = 20
MOST_COLUMNS = 8


def agreement_table(found: Agreement, beside: Against | None = None) -> list[RenderableType]:
    """Sentences and tables: raters, pairs, confusion, items of disagreement, and the program beside the raters."""
    blocks: list[RenderableType] = [
        f"{escape(found.task)} ({escape(found.question_version)}): {found.items:,} items, "
        f"{found.rated_twice:,} judged by two raters or more",
        _raters(found),
    ]
    if found.pairs:
        blocks.append(_pairs(found))
        blocks.append(
            f"all agree on {escape(str(found.unanimous))}; Fleiss' kappa {_kappa(found.fleiss, found.fleiss_interval)}"
        )
        blocks.extend(_confusion(pair) for pair in found.pairs if 1 < len(pair.answers) <= MOST_COLUMNS)
        blocks.extend(_disagreements(found))
    if beside is not None:
        blocks.extend(_beside(beside))
    return blocks


def _raters(found: Agreement) -> Table:
    table = Table("rater", "items", "attention checks passed", "median seconds")
    for one in found.raters:
        seconds = "–" if one.median_seconds is None else f"{one.median_seconds:.1f}"
        table.add_row(escape(one.rater), f"{one.items:,}", escape(str(one.checks)), seconds)
    return table


def _pairs(found: Agreement) -> Table:
    table = Table("raters", "same answer", "Cohen's kappa")
    for pair in found.pairs:
        table.add_row(escape(f"{pair.first}, {pair.second}"), escape(str(pair.same)), _kappa(pair.kappa, pair.interval))
    return table


def _confusion(pair: PairAgreement) -> Table:
    table = Table(escape(f"{pair.first} \\ {pair.second}"), *map(_plain, pair.answers))
    for answer, row in zip(pair.answers, pair.confusion, strict=True):
        table.add_row(_plain(answer), *map(str, row))
    return table


def _disagreements(found: Agreement) -> list[RenderableType]:
    if not found.disagreements:
        return []
    table = Table("items of disagreement", "answers")
    for one in found.disagreements[:LISTED]:
        table.add_row(
            _plain(one.item), _plain(", ".join(f"{rater}: {answer}" for rater, answer in one.answers.items()))
        )
    left = len(found.disagreements) - LISTED
    return [table, *([f"{left:,} more with --json"] if left > 0 else [])]


def _beside(found: Against) -> list[RenderableType]:
    drawn = ", ".join(f"{judged:,} of {size:,} {name}" for name, (judged, size) in found.strata.items())
    table = Table("the program, judged by the majority", "")
    table.add_row("same answer, of what was judged", escape(str(found.same)))
    table.add_row("precision", _share(found.precision))
    table.add_row("recall in the whole run", _share(found.recall))
    blocks: list[RenderableType] = [
        table,
        f"{found.decided:,} of {found.judged:,} items have a majority; judged: {escape(drawn)}",
    ]
    if found.differences:
        differ = Table("item", "people", "program")
        for row in found.differences[:LISTED]:
            differ.add_row(*map(_plain, row))
        blocks.append(differ)
    return blocks


def _share(share: Share) -> str:
    if share.value is None:
        return f"not known (n = {share.n})"
    return f"{100 * share.value:.1f} %{_interval(share.interval, 100)} (n = {share.n})"


def _kappa(value: float | None, interval: Interval | None) -> str:
    return "not defined: no answer varies" if value is None else f"{value:.2f}{_interval(interval)}"


def _interval(interval: Interval | None, scale: float = 1) -> str:
    if interval is None:
        return ""
    digits = 1 if scale > 1 else 2
    return escape(f" [{scale * interval.low:.{digits}f}, {scale * interval.high:.{digits}f}]")


def _plain(text: str) -> str:
    return escape(visible(text))
