"""The report of a membership study, and its tables for the terminal."""

from cleartitle.report.membership.check_page import membership_check_page, membership_check_table
from cleartitle.report.membership.page import membership_page
from cleartitle.report.membership.table import membership_table

__all__ = ["membership_check_page", "membership_check_table", "membership_page", "membership_table"]
