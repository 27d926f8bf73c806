"""Where a text comes from: an index over a corpus, and a search that answers in milliseconds."""

from cleartitle.trace.build import build_index
from cleartitle.trace.index import Index
from cleartitle.trace.matches import Match, Result, Span
from cleartitle.trace.options import IndexOptions, SearchOptions

__all__ = ["Index", "IndexOptions", "Match", "Result", "SearchOptions", "Span", "build_index"]
