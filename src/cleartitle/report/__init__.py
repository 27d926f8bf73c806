"""Reports: one self-contained HTML page from the tables of a run, and tables for the terminal."""

from cleartitle.report.blocks import (
    Block,
    Cell,
    Column,
    Fact,
    Facts,
    Figure,
    Group,
    KeyFigure,
    KeyFigures,
    Mark,
    MarkedText,
    Notes,
    Paragraph,
    RowGroup,
    Section,
    SideBySide,
    Table,
    TextBox,
)
from cleartitle.report.codeipprompt import codeipprompt_table, published_codeipprompt_table, thresholds_table
from cleartitle.report.comparison import comparison_table, write_comparison
from cleartitle.report.copyright_bench import copyright_bench_table
from cleartitle.report.corpus import corpus_table
from cleartitle.report.humaneval import humaneval_table
from cleartitle.report.page import render
from cleartitle.report.prompts import prompts_table
from cleartitle.report.terminal import benchmark_table, licoeval_table, published_table
from cleartitle.report.trace import index_table, matches_table
from cleartitle.report.trace_page import trace_page
from cleartitle.report.write import summary_table, write_report

__all__ = [
    "Block",
    "Cell",
    "Column",
    "Fact",
    "Facts",
    "Figure",
    "Group",
    "KeyFigure",
    "KeyFigures",
    "Mark",
    "MarkedText",
    "Notes",
    "Paragraph",
    "RowGroup",
    "Section",
    "SideBySide",
    "Table",
    "TextBox",
    "benchmark_table",
    "codeipprompt_table",
    "comparison_table",
    "copyright_bench_table",
    "corpus_table",
    "humaneval_table",
    "index_table",
    "licoeval_table",
    "matches_table",
    "prompts_table",
    "published_codeipprompt_table",
    "published_table",
    "render",
    "summary_table",
    "thresholds_table",
    "trace_page",
    "write_comparison",
    "write_report",
]
