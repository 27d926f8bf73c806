"""The drawings of reports. Matplotlib is imported when the first one is made.

Colors are of middle lightness, so that they stand off a white and a dark ground, and no series differs from another by
its color alone.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cleartitle.report.svg import INK, to_svg

__all__ = [
    "COLORS",
    "Band",
    "Panel",
    "Series",
    "bands",
    "bars",
    "bubbles",
    "curves",
    "ecdf",
    "histograms",
    "intervals",
    "logarithmic_histograms",
]

COLORS = ("#3d86c6", "#d07a1f", "#4c9a5f", "#b0589a", "#8b949e", "#c9504f", "#8a7a2e", "#6a6fd0")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1)), (0, (3, 1)))
_GRID = "#8b949e"
_SMALL = 8.0
WIDTH = 7.6
"""Inches; text of 8 points then shows at about 13 pixels in a wide window."""


@dataclass(frozen=True)
class Series:
    """Named values; what they are depends on the drawing. None is no value."""

    title: str
    values: Sequence[float | None]


@dataclass(frozen=True)
class Panel:
    """One pair of axes of `bubbles`: the values along the x axis, and whether its scale is logarithmic."""

    title: str
    values: Sequence[float]
    logarithmic: bool = False


@dataclass(frozen=True)
class Band:
    """Named values along an x axis, with what is shaded around them where there is anything. None is no value."""

    title: str
    values: Sequence[float | None]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


def bands(
    name: str,
    places: Sequence[float],
    panels: Sequence[tuple[str, Sequence[Band]]],
    axis: str,
    marked: float,
    *,
    log: bool,
) -> str:
    """Panels beside each other over the same places: lines from 0 to 1, some with a shade, a line at ``marked``."""
    figure, all_axes = _figure(2.9, len(panels))
    for axes, (title, drawn) in zip(all_axes, panels, strict=True):
        for number, one in enumerate(drawn):
            color, values = COLORS[number], [math.nan if value is None else value for value in one.values]
            if one.low is not None and one.high is not None:
                axes.fill_between(places, one.low, one.high, color=color, alpha=0.18, linewidth=0)
            axes.plot(places, values, color=color, linestyle=_DASHES[number], linewidth=1.8, label=_short(one.title))
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlabel(_short(axis))
        axes.set_title(_short(title), fontsize=9, color=INK)
        if log:
            _log_axis(axes, places)
        _threshold(axes, marked, vertical=True)
        _grid(axes, "both")
    handles, labels = all_axes[0].get_legend_handles_labels()
    _legend(all_axes[0], 3, handles, labels)
    return to_svg(figure, name)


def bars(name: str, labels: Sequence[str], series: Sequence[Series], axis: str) -> str:
    """Lying bars, one cluster a label, from top to bottom; values are shares from 0 to 1, drawn in percent."""
    thickness = 0.8 / len(series)
    figure, axes = _figure(max(1.3, 0.55 + (0.17 * len(series) + 0.13) * len(labels)))
    axes = axes[0]
    for number, one in enumerate(series):
        places = [row + thickness * (number - (len(series) - 1) / 2) for row in range(len(labels))]
        known = [(place, 100 * value) for place, value in zip(places, one.values, strict=True) if value is not None]
        drawn = axes.barh(
            [place for place, _ in known],
            [value for _, value in known],
            height=0.92 * thickness,
            color=COLORS[number],
            label=_short(one.title),
        )
        axes.bar_label(drawn, labels=[_percent(value) for _, value in known], padding=3, fontsize=7, color=INK)
    axes.set_yticks(range(len(labels)), [_short(label) for label in labels])
    axes.invert_yaxis()
    axes.set_xlabel(_short(axis))
    axes.margins(x=0.12)
    axes.set_xlim(left=0)
    _grid(axes, "x")
    if len(series) > 1:
        _legend(axes, len(series))
    return to_svg(figure, name)


def ecdf(name: str, series: Sequence[Series], axis: str, threshold: float, of: str = "answers") -> str:
    """The share of values at or below x, one step line a series, over 0 to 1, with a line at ``threshold``."""
    figure, all_axes = _figure(3.3)
    axes = all_axes[0]
    for number, one in enumerate(series):
        values = np.sort(np.asarray([value for value in one.values if value is not None], dtype=float))
        if values.size == 0:
            continue
        # Steps only where the share changes keep the drawing small.
        places, last = np.unique(values, return_index=False, return_counts=True)
        shares = np.cumsum(last) / values.size
        axes.step(
            np.concatenate([[0.0], places, [1.0]]),
            100 * np.concatenate([[0.0], shares, [1.0]]),
            where="post",
            color=COLORS[number % len(COLORS)],
            linestyle=_DASHES[number % len(_DASHES)],
            linewidth=2.2 if number == 0 else 1.3,
            label=f"{_short(one.title)} (n = {values.size:,})",
        )
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 102)
    axes.set_xlabel(_short(axis))
    axes.set_ylabel(f"share of {of} at or below, %")
    _threshold(axes, threshold, vertical=True)
    _grid(axes, "both")
    _legend(axes, 2)
    return to_svg(figure, name)


def histograms(name: str, panels: Sequence[tuple[str, Sequence[Series]]], threshold: float) -> str:
    """Beside each other: shares of values in 20 bins over 0 to 1, outlined, with a line at ``threshold``."""
    figure, all_axes = _figure(2.7, len(panels))
    edges = np.linspace(0, 1, 21)
    for axes, (title, series) in zip(all_axes, panels, strict=True):
        for number, one in enumerate(series):
            values = np.asarray([value for value in one.values if value is not None], dtype=float)
            if values.size == 0:
                continue
            heights = 100 * np.histogram(np.clip(values, 0, 1), edges)[0] / values.size
            axes.stairs(
                heights,
                edges,
                fill=number == 0,
                alpha=0.75 if number == 0 else 1,
                color=COLORS[number],
                linestyle=_DASHES[number],
                linewidth=1.4,
                label=_short(one.title),
            )
        axes.set_xlim(0, 1)
        axes.set_title(_short(title), fontsize=9, color=INK)
        _threshold(axes, threshold, vertical=True)
        _grid(axes, "y")
    all_axes[0].set_ylabel("share of answers, %")
    if len(panels[0][1]) > 1:
        handles, labels = all_axes[0].get_legend_handles_labels()
        _legend(all_axes[0], 2, handles, labels)
    return to_svg(figure, name)


def curves(name: str, panels: Sequence[tuple[Panel, Sequence[Series]]], thresholds: Sequence[float], axis: str) -> str:
    """Panels beside each other: counts as step lines over the values of each panel, with a line at its threshold.

    A count holds from its own value up to the next one, as the number above a threshold does.
    """
    figure, all_axes = _figure(2.7, len(panels))
    for axes, (panel, series), threshold in zip(all_axes, panels, thresholds, strict=True):
        for number, one in enumerate(series):
            axes.step(
                panel.values,
                [math.nan if value is None else value for value in one.values],
                where="post",
                color=COLORS[number],
                linestyle=_DASHES[number],
                linewidth=1.8,
                label=_short(one.title),
            )
        axes.set_ylim(bottom=0)
        axes.margins(y=0.12)
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.set_xlabel(_short(panel.title))
        _threshold(axes, threshold, vertical=True)
        _grid(axes, "both")
    all_axes[0].set_ylabel(_short(axis))
    handles, labels = all_axes[0].get_legend_handles_labels()
    _legend(all_axes[0], 2, handles, labels)
    return to_svg(figure, name)


def intervals(
    name: str,
    labels: Sequence[str],
    series: Sequence[tuple[str, Sequence[tuple[float, float, float] | None]]],
    axis: str,
    *,
    heights: str = "share of answers, %",
    linked: bool = True,
) -> str:
    """Shares with their intervals over labels; ``(value, low, high)`` from 0 to 1, in percent.

    ``linked`` joins the values of neighboring labels by a line, for labels that have an order. None is no value.
    """
    figure, all_axes = _figure(3.0)
    axes = all_axes[0]
    for number, (title, values) in enumerate(series):
        shift = 0.12 * (number - (len(series) - 1) / 2)
        # No value is a gap in the line.
        known = [(math.nan,) * 3 if value is None else tuple(100 * share for share in value) for value in values]
        axes.errorbar(
            [place + shift for place in range(len(values))],
            [value for value, _, _ in known],
            yerr=[
                [value if math.isnan(value) else max(0.0, value - low) for value, low, _ in known],
                [value if math.isnan(value) else max(0.0, high - value) for value, _, high in known],
            ],
            color=COLORS[number],
            linestyle=_DASHES[number] if linked else "none",
            marker="osD^v"[number % 5],
            markersize=5,
            capsize=3,
            linewidth=1.4,
            label=_short(title),
        )
    axes.set_xticks(range(len(labels)), [_short(label) for label in labels])
    axes.set_xlim(-0.5, len(labels) - 0.5)
    axes.set_xlabel(_short(axis))
    axes.set_ylim(-2, 102)
    axes.set_ylabel(_short(heights))
    _grid(axes, "y")
    handles, titles = axes.get_legend_handles_labels()
    # The line alone: an error bar is a container of several artists.
    _legend(axes, 3, [handle[0] for handle in handles], titles)
    return to_svg(figure, name)


def logarithmic_histograms(name: str, panels: Sequence[tuple[str, Sequence[float], Sequence[int]]]) -> str:
    """Small histograms, four a row, from ``(title, edges, counts)``; the x axis is the logarithm of value plus one."""
    columns = 4
    rows = -(-len(panels) // columns)
    figure, all_axes = _figure(1.55 * rows, columns, rows)
    for axes, (title, edges, counts) in zip(all_axes, panels, strict=False):
        axes.stairs(counts, [math.log1p(edge) for edge in edges], fill=True, color=COLORS[0], alpha=0.75)
        ticks = sorted({edges[0], edges[len(edges) // 2], edges[-1]})
        axes.set_xticks([math.log1p(tick) for tick in ticks], [f"{tick:,.0f}" for tick in ticks])
        axes.set_yticks([])
        axes.set_title(_short(title), fontsize=_SMALL, color=INK)
    for axes in all_axes[len(panels) :]:
        axes.set_visible(False)
    return to_svg(figure, name)


def bubbles(
    name: str, panels: Sequence[Panel], heights: Sequence[float], special: Sequence[bool], threshold: float
) -> str:
    """Panels that share the y axis (0 to 1); equal places are one bubble that grows with their number.

    Values are put on a grid of 0.02 in y and of 40 steps in x where there are more than 40, which bounds the drawing.
    ``special`` ones are drawn as diamonds.
    """
    figure, all_axes = _figure(2.9, len(panels))
    for axes, panel in zip(all_axes, panels, strict=True):
        places = _on_grid(panel)
        for kind, marker, color in ((False, "o", COLORS[0]), (True, "D", COLORS[5])):
            cells = Counter(
                (x, round(y * 50) / 50) for x, y, s in zip(places, heights, special, strict=True) if s is kind
            )
            if not cells:
                continue
            # Few sizes: Matplotlib then draws each marker once and refers to it.
            sizes = {point: min(int(math.log2(number)), 6) for point, number in sorted(cells.items())}
            for size in sorted(set(sizes.values())):
                axes.plot(
                    [x for (x, _), one in sizes.items() if one == size],
                    [y for (_, y), one in sizes.items() if one == size],
                    linestyle="none",
                    marker=marker,
                    markersize=4 + 1.3 * size,
                    markerfacecolor=color,
                    markeredgecolor="none",
                    alpha=0.65,
                )
        if panel.logarithmic:
            _log_axis(axes, panel.values)
        else:
            axes.set_xlim(-0.5, max(max(panel.values, default=0), 1) + 0.5)
            axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_ylim(-0.03, 1.03)
        axes.set_xlabel(_short(panel.title))
        _threshold(axes, threshold, vertical=False)
        _grid(axes, "both")
    all_axes[0].set_ylabel("similarity")
    return to_svg(figure, name)


def _figure(height: float, columns: int = 1, rows: int = 1) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    figure.patch.set_alpha(0)
    figure.patch.set_visible(False)
    all_axes = [figure.add_subplot(rows, columns, number + 1) for number in range(rows * columns)]
    for axes in all_axes:
        axes.patch.set_visible(False)
        axes.tick_params(colors=INK, labelsize=_SMALL, length=3)
        axes.xaxis.label.set(color=INK, fontsize=_SMALL)
        axes.yaxis.label.set(color=INK, fontsize=_SMALL)
        for side, spine in axes.spines.items():
            spine.set_color(_GRID)
            spine.set_visible(side in ("left", "bottom"))
    return figure, all_axes


def _grid(axes: Any, axis: str) -> None:
    axes.grid(axis=axis, color=_GRID, alpha=0.25, linewidth=0.7)
    axes.set_axisbelow(True)


def _threshold(axes: Any, value: float, *, vertical: bool) -> None:
    draw = axes.axvline if vertical else axes.axhline
    draw(value, color=INK, linewidth=1, linestyle=(0, (2, 2)))
    place = (value, 1.0) if vertical else (1.0, value)
    axes.annotate(
        f"{value:g}",
        place,
        xytext=(3, -1) if vertical else (0, 1),
        textcoords="offset points",
        xycoords=("data", "axes fraction") if vertical else ("axes fraction", "data"),
        va="top" if vertical else "bottom",
        ha="left" if vertical else "right",
        fontsize=7,
        color=INK,
    )


def _legend(axes: Any, columns: int, *entries: Any) -> None:
    axes.figure.legend(
        *entries, loc="outside lower center", ncols=columns, frameon=False, fontsize=_SMALL, labelcolor=INK
    )


def _log_axis(axes: Any, values: Sequence[float]) -> None:
    low, high = min(values, default=1), max(values, default=1)
    known = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
    first = max((tick for tick in known if tick <= low), default=low)
    last = min((tick for tick in known if tick >= high), default=high)
    ticks = [tick for tick in known if first <= tick <= last]
    axes.set_xscale("log")
    axes.set_xlim(first / 1.05, last * 1.05)
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set_xticks([], minor=True)


def _on_grid(panel: Panel) -> list[float]:
    values = np.asarray(panel.values, dtype=float)
    if np.unique(values).size <= 40:
        return values.tolist()
    scaled = np.log(values) if panel.logarithmic else values
    step = (scaled.max() - scaled.min()) / 40
    snapped = scaled.min() + step * np.round((scaled - scaled.min()) / step)
    return (np.exp(snapped) if panel.logarithmic else snapped).round(6).tolist()


def _percent(value: float) -> str:
    return f"{value:.0f}" if value >= 10 or value == 0 else f"{value:.1f}"


def _short(label: str) -> str:
    """A label without signs that Matplotlib would read as a formula or that XML does not allow."""
    clean = "".join(sign if sign.isprintable() else "?" for sign in label).replace("$", r"\$")
    return clean if len(clean) <= 48 else clean[:47] + "…"
