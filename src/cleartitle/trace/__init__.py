"""Where a text comes from: an index over a corpus, and a search that answers in milliseconds."""

from cleartitle.trace.build import build_index
from cleartitle.trace.changes import changed_lines
from cleartitle.trace.compact import compact
from cleartitle.trace.files import expand, search_files
from cleartitle.trace.index import Index, search
from cleartitle.trace.matches import Match, Result, Span
from cleartitle.trace.options import IndexOptions, SearchOptions
from cleartitle.trace.policy import Baseline, Policy, load_policy

__all__ = [
    "Baseline",
    "Index",
    "IndexOptions",
    "Match",
    "Policy",
    "Result",
    "SearchOptions",
    "Span",
    "build_index",
    "changed_lines",
    "compact",
    "expand",
    "load_policy",
    "search",
    "search_files",
]
