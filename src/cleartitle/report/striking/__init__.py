"""The report of a study of striking similarity, and its tables for the terminal."""

from cleartitle.report.striking.page import striking_page
from cleartitle.report.striking.table import striking_table

__all__ = ["striking_page", "striking_table"]
