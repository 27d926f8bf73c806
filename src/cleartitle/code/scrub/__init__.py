"""Secrets and personal data in code: found by rules, replaced by typed placeholders, given back by the owner's map."""

from cleartitle.code.scrub.leaks import Finding, Leaks, leaks
from cleartitle.code.scrub.maps import read_map, write_map
from cleartitle.code.scrub.rule import TYPES
from cleartitle.code.scrub.scrubber import Scrubbed, ScrubOptions, restore, scrub

__all__ = [
    "TYPES",
    "Finding",
    "Leaks",
    "ScrubOptions",
    "Scrubbed",
    "leaks",
    "read_map",
    "restore",
    "scrub",
    "write_map",
]
