"""Names of persons in comments, by Presidio and spaCy (extra ``privacy``), without the network."""

import importlib.util
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from cleartitle.code.comments import comments
from cleartitle.code.scan import scan
from cleartitle.code.scrub.scrubber import Span
from cleartitle.errors import InputError, require

__all__ = ["NameFinder"]

_FULL_NAME = re.compile(r"(?=[^\W\d_a-z])[^\W\d_][\w’-]*(?: (?=[^\W\d_a-z])[^\W\d_](?:[\w’-]*|\.)){1,3}\Z")
_LONGEST = 20_000


class NameFinder:
    """Finds names of persons in prose with one spaCy model, by Presidio's entity ``PERSON`` and no other.

    Presidio's recognizers of other entities are not loaded: they take identifiers for names of places and licenses,
    and the one for addresses fetches a list from the network. A name counts when it is two to four capitalized words,
    because single words in comments are mostly identifiers. What is missed or taken wrongly depends on the model.

    Raises:
        MissingExtraError: Presidio is not installed.
        InputError: the spaCy model is not installed; none is ever downloaded.
    """

    def __init__(self, model: str) -> None:
        """Load the model; `of` keeps loaded ones."""
        analyzer: Any = require("presidio_analyzer", "privacy")
        engines: Any = require("presidio_analyzer.nlp_engine", "privacy")
        recognizers: Any = require("presidio_analyzer.predefined_recognizers", "privacy")
        if importlib.util.find_spec(model) is None:
            raise InputError(f"spaCy model {model!r} is not installed; mend: install its package, or name another one")
        self.model = model
        recognizer = recognizers.SpacyRecognizer(supported_language="en", supported_entities=["PERSON"])
        self._analyzer: Any = analyzer.AnalyzerEngine(
            registry=analyzer.RecognizerRegistry(recognizers=[recognizer], supported_languages=["en"]),
            nlp_engine=engines.SpacyNlpEngine(models=[{"lang_code": "en", "model_name": model}]),
            supported_languages=["en"],
        )

    @staticmethod
    @lru_cache(maxsize=2)
    def of(model: str) -> "NameFinder":
        """The finder with this model, loaded once a process."""
        return NameFinder(model)

    def bound(self, language: str | None) -> Callable[[str], Iterator[Span]]:
        """A function that finds names in the comments and docstrings of a language; None: in the whole text."""
        return lambda text: self._find(text, language)

    def _find(self, text: str, language: str | None) -> Iterator[Span]:
        for start, end in _prose(text, language):
            for begin in range(start, end, _LONGEST):
                piece = text[begin : min(begin + _LONGEST, end)]
                for result in self._analyzer.analyze(piece, "en", entities=["PERSON"]):
                    name = piece[result.start : result.end]
                    plain = name.removesuffix("'s").removesuffix("’s")
                    if _FULL_NAME.match(plain):
                        first = begin + result.start
                        yield Span(first, first + len(plain), "PERSON", "name in prose")


def _prose(text: str, language: str | None) -> Iterator[tuple[int, int]]:
    if language is None:
        yield 0, len(text)
        return
    for comment in comments(text, language):
        yield comment.offset, comment.offset + len(comment.text)
    if language == "python":
        for piece in scan(text):
            if piece.kind == "string" and text.startswith(('"""', "'''"), piece.start):
                yield piece.start, piece.end
