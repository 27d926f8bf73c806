"""What the service counts, in the text format of Prometheus (exposition format 0.0.4)."""

import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

COUNTERS = {
    "cleartitle_requests_total": "Requests by route, method and status.",
    "cleartitle_texts_total": "Texts searched for, by state of the result.",
    "cleartitle_words_total": "Words of the texts searched for.",
    "cleartitle_refused_total": "Requests refused, by reason.",
    "cleartitle_reloads_total": "Indexes opened after the first one, by outcome.",
    "cleartitle_worker_events_total": "Search processes that ended, started anew, or could not be started.",
}
HISTOGRAMS = {
    "cleartitle_request_seconds": "Seconds from the head of a request to the end of its answer, by route.",
    "cleartitle_search_seconds": "Seconds of one search in its process.",
}
GAUGES = {
    "cleartitle_requests_in_flight": "Requests to search that are taken in.",
    "cleartitle_workers": "Search processes that can be asked.",
    "cleartitle_index_documents": "Documents of the index.",
    "cleartitle_index_source_bytes": "Bytes of the corpus behind the index.",
    "cleartitle_index_opened_timestamp_seconds": "When the index was opened.",
    "process_start_time_seconds": "When the service started.",
}

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counters and histograms of one service; gauges are given when they are read. Not for several threads."""

    def __init__(self) -> None:
        self.started = time.time()
        self._counts: dict[str, dict[Labels, float]] = {name: defaultdict(float) for name in COUNTERS}
        self._times: dict[str, dict[Labels, list[float]]] = {name: {} for name in HISTOGRAMS}

    def count(self, name: str, amount: float = 1, /, **labels: str) -> None:
        """Add to a counter."""
        self._counts[name][_key(labels)] += amount

    def observe(self, name: str, seconds: float, /, **labels: str) -> None:
        """Add a time to a histogram: a count for each bound, then all, then the sum."""
        cells = self._times[name].setdefault(_key(labels), [0.0] * (len(BOUNDS) + 2))
        place = bisect_left(BOUNDS, seconds)
        if place < len(BOUNDS):
            cells[place] += 1
        cells[-2] += 1
        cells[-1] += seconds

    def text(self, gauges: Mapping[str, float]) -> str:
        """All that was counted, and the gauges as they are now."""
        return "".join(f"{line}\n" for line in self._lines({"process_start_time_seconds": self.started, **gauges}))

    def _lines(self, gauges: Mapping[str, float]) -> Iterator[str]:
        for name, help_ in COUNTERS.items():
            yield from (f"# HELP {name} {help_}", f"# TYPE {name} counter")
            for key, value in self._counts[name].items():
                yield f"{name}{_labels(key)} {value:g}" if value < 1e6 else f"{name}{_labels(key)} {value:.0f}"
        for name, help_ in HISTOGRAMS.items():
            yield from (f"# HELP {name} {help_}", f"# TYPE {name} histogram")
            for key, cells in self._times[name].items():
                below = 0.0
                for bound, cell in zip(BOUNDS, cells, strict=False):
                    below += cell
                    yield f"{name}_bucket{_labels((*key, ('le', f'{bound:g}')))} {below:.0f}"
                yield f"{name}_bucket{_labels((*key, ('le', '+Inf')))} {cells[-2]:.0f}"
                yield f"{name}_sum{_labels(key)} {cells[-1]:.6f}"
                yield f"{name}_count{_labels(key)} {cells[-2]:.0f}"
        for name, help_ in GAUGES.items():
            yield from (f"# HELP {name} {help_}", f"# TYPE {name} gauge")
            if name in gauges:
                yield f"{name} {gauges[name]:.17g}"


def _key(labels: Mapping[str, str]) -> Labels:
    return tuple(sorted(labels.items()))


def _labels(key: Labels) -> str:
    """Labels in braces; all values are the service's own words, never a client's."""
    return "{" + ",".join(f'{name}="{value}"' for name, value in key) + "}" if key else ""
