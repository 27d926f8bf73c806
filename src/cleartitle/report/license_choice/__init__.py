"""The report of a run over conditional licenses and other kinds of works, and its table for the terminal."""

from cleartitle.report.license_choice.page import license_choice_page
from cleartitle.report.license_choice.table import license_choice_table

__all__ = ["license_choice_page", "license_choice_table"]
