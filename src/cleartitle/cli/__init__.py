"""The command line: one file per command group, no logic."""

from cleartitle.cli.app import main

__all__ = ["main"]
