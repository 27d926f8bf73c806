"""Where a text comes from: an index over a corpus, and a search that answers in milliseconds."""

from cleartitle.trace.build import build_index
from cleartitle.trace.changes import changed_lines
from cleartitle.trace.compact import compact
from cleartitle.trace.files import expand, search_files, text_bytes
from cleartitle.trace.findings import Finding, findings, read_results, results_json
from cleartitle.trace.index import Index, index_stamp, search
from cleartitle.trace.license_store import LicenseText, LicenseTexts
from cleartitle.trace.matches import Match, Result, Span
from cleartitle.trace.notice import Notice, make_notice
from cleartitle.trace.options import IndexOptions, SearchOptions
from cleartitle.trace.pack import pack, pull
from cleartitle.trace.policy import Baseline, Policy, load_policy
from cleartitle.trace.sources import text_of
from cleartitle.trace.wire import QUESTION, RESULT, Question
from cleartitle.trace.words import line_starts

__all__ = [
    "QUESTION",
    "RESULT",
    "Baseline",
    "Finding",
    "Index",
    "IndexOptions",
    "LicenseText",
    "LicenseTexts",
    "Match",
    "Notice",
    "Policy",
    "Question",
    "Result",
    "SearchOptions",
    "Span",
    "build_index",
    "changed_lines",
    "compact",
    "expand",
    "findings",
    "index_stamp",
    "line_starts",
    "load_policy",
    "make_notice",
    "pack",
    "pull",
    "read_results",
    "results_json",
    "search",
    "search_files",
    "text_bytes",
    "text_of",
]
