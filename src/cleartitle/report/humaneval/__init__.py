"""The report of a HumanEval run, and its table for the terminal."""

from cleartitle.report.humaneval.page import humaneval_page
from cleartitle.report.humaneval.table import humaneval_table

__all__ = ["humaneval_page", "humaneval_table"]
