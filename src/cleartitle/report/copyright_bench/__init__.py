"""The report of a Copyright-Bench run, its table for the terminal, and the ranking of several runs."""

from cleartitle.report.copyright_bench.page import copyright_bench_page
from cleartitle.report.copyright_bench.ranking import ranking_table, write_ranking
from cleartitle.report.copyright_bench.table import copyright_bench_table

__all__ = ["copyright_bench_page", "copyright_bench_table", "ranking_table", "write_ranking"]
