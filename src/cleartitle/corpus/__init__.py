"""Works at rest: readers, build, and a table layout in which content stands apart from its occurrences."""

from cleartitle.corpus.build import build
from cleartitle.corpus.corpus import Corpus, Occurrence, Work
from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.resolve import Resolution, resolve
from cleartitle.corpus.schema import CONTENTS, LICENSE_TEXTS, OCCURRENCES, SCHEMA_VERSION, SOURCES, TRUST_GRADES, WORKS
from cleartitle.corpus.specs import SPECS, STARTERS, Pin, starter_pins
from cleartitle.corpus.summary import CorpusInfo, info

__all__ = [
    "CONTENTS",
    "LICENSE_TEXTS",
    "OCCURRENCES",
    "SCHEMA_VERSION",
    "SOURCES",
    "SPECS",
    "STARTERS",
    "TRUST_GRADES",
    "WORKS",
    "Corpus",
    "CorpusInfo",
    "CorpusOptions",
    "Occurrence",
    "Pin",
    "Resolution",
    "Work",
    "build",
    "info",
    "resolve",
    "starter_pins",
]
