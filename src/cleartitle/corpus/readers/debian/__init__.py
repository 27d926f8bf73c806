"""Debian source packages, with the license of each file by ``debian/copyright``."""

from cleartitle.corpus.readers.debian.reader import plan_debian

__all__ = ["plan_debian"]
