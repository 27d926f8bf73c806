"""Repositories of GitHub, one by name or many by license and language, at a commit."""

from cleartitle.corpus.readers.github.reader import plan_github

__all__ = ["plan_github"]
