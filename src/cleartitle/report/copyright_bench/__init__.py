"""The report of a Copyright-Bench run, and its table for the terminal."""

from cleartitle.report.copyright_bench.page import copyright_bench_page
from cleartitle.report.copyright_bench.table import copyright_bench_table

__all__ = ["copyright_bench_page", "copyright_bench_table"]
