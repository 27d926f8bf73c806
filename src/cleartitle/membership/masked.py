"""Masked names for models that give text alone: what would the model write where the author wrote a name?"""

import builtins
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cleartitle.code.languages import lex_tokens
from cleartitle.errors import InputError
from cleartitle.membership.evidence import Completion
from cleartitle.membership.token_classes import COMMENT, IDENTIFIER, STRING, token_classes
from cleartitle.models import Generation, Request, Sampling

__all__ = ["FillTemplate", "MaskOptions", "MaskedPlace", "completions", "masked_places", "mask_requests"]

KINDS = {IDENTIFIER: "identifier", STRING: "string", COMMENT: "comment"}
LEAST_LETTERS = 4
_WORD = re.compile(r"[^\W\d]\w{3,80}")
_FENCE = re.compile(r"\A\s*```[^\n]*\n")


@dataclass(frozen=True)
class MaskOptions:
    """Fixed before looking.

    Attributes:
        places: most places of a text, drawn among all.
        kinds: what is masked: ``identifier``, ``string``, ``comment``.
        context: characters of the text before the place that the model sees.
        after: characters behind it, for models with a fill template.
        max_tokens: of an answer.
        seed: of the draw.
    """

    places: int = 20
    kinds: tuple[str, ...] = ("identifier",)
    context: int = 4000
    after: int = 2000
    max_tokens: int = 16
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse kinds and numbers that have no meaning."""
        unknown = sorted(set(self.kinds) - set(KINDS.values()))
        if unknown or not self.kinds:
            raise InputError(f"masked kinds {unknown}: mend: choose among {', '.join(KINDS.values())}")
        if min(self.places, self.context, self.max_tokens) < 1 or self.after < 0:
            raise InputError("masked places, context and max_tokens: mend: at least 1")


@dataclass(frozen=True)
class FillTemplate:
    """The special strings of a fill-in-the-middle model, around what stands before and behind the place."""

    prefix: str
    suffix: str
    middle: str


@dataclass(frozen=True)
class MaskedPlace:
    """One masked place: the text before and behind it, what stood there, and its kind."""

    before: str
    behind: str
    expected: str
    kind: str


def masked_places(text: str, options: MaskOptions, language: str = "python") -> list[MaskedPlace]:
    """Places of a text to ask about, in its order.

    A name counts at its first occurrence alone, where nothing before it gives it away, and from four letters on, but
    for Python's builtins; a string or comment counts with its first word of four letters that was not named
    before. Of more places than ``options.places`` a sample is drawn.

    Raises:
        InputError: unknown language.
    """
    found = list(_candidates(text, options.kinds, language))
    if len(found) > options.places:
        found = sorted(random.Random(f"{options.seed}/{len(text)}").sample(found, options.places))
    return [
        MaskedPlace(
            text[max(0, start - options.context) : start], text[end : end + options.after], text[start:end], kind
        )
        for start, end, kind in found
    ]


def mask_requests(
    id: str, places: Sequence[MaskedPlace], options: MaskOptions, template: FillTemplate | None = None
) -> list[Request]:
    """One greedy request for each place: a text to continue, or one to fill in where the model has a template.

    Requests are named ``id/0``, ``id/1`` and so on.
    """
    sampling = Sampling(max_tokens=options.max_tokens, seed=options.seed)
    requests: list[Request] = []
    for number, place in enumerate(places):
        prompt = place.before
        if template is not None:
            prompt = f"{template.prefix}{place.before}{template.suffix}{place.behind}{template.middle}"
        requests.append(Request(f"{id}/{number}", prompt=prompt, sampling=sampling))
    return requests


def completions(
    id: str, places: Sequence[MaskedPlace], answers: Mapping[str, Generation | None]
) -> tuple[Completion, ...]:
    """What the model wrote at each place; None where the call failed, is missing or was refused."""
    found: list[Completion] = []
    for number, place in enumerate(places):
        answer = answers.get(f"{id}/{number}")
        usable = answer is not None and answer.status in ("ok", "truncated", "empty")
        text = _FENCE.sub("", answer.text) if usable and answer is not None else None
        found.append(Completion(place.expected, place.kind, text))
    return tuple(found)


def _candidates(text: str, kinds: Sequence[str], language: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of each place that nothing before gives away."""
    tokens = [(offset, offset + len(value)) for offset, _, value in lex_tokens(text, language) if value.strip()]
    spans = np.array(tokens, np.int64).reshape(-1, 2)
    codes = token_classes(text, spans[:, 0], spans[:, 1], language)
    seen = set(dir(builtins)) if language == "python" else set[str]()
    for (start, end), code in zip(tokens, codes, strict=True):
        words = list(_WORD.finditer(text, start, end))
        fresh = next((word for word in words if word[0] not in seen), None)
        if fresh is not None and KINDS.get(int(code)) in kinds:
            yield fresh.start(), fresh.end(), KINDS[int(code)]
        seen.update(word[0] for word in words)
