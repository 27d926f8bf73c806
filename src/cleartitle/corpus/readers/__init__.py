"""Readers, one a file. Each turns the argument of a spec into a ``Source`` of shards."""

from cleartitle.corpus.readers.data_set import plan_jsonl, plan_parquet
from cleartitle.corpus.readers.debian import plan_debian
from cleartitle.corpus.readers.folder import plan_folder
from cleartitle.corpus.readers.git import plan_git
from cleartitle.corpus.readers.github import plan_github
from cleartitle.corpus.readers.npm import plan_npm
from cleartitle.corpus.readers.wheel import plan_pypi, plan_wheel

__all__ = [
    "plan_debian",
    "plan_folder",
    "plan_git",
    "plan_github",
    "plan_jsonl",
    "plan_npm",
    "plan_parquet",
    "plan_pypi",
    "plan_wheel",
]
