"""Built-in answers to the same prompts: what the score sees, and what it is blind to."""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cleartitle.code.streams.parse import parse
from cleartitle.evals.codeipprompt.training_set import unit_text

__all__ = ["CONTROLS", "Control", "rename_all"]

Prompt = Mapping[str, Any]
PART = 0.6
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Control:
    """One artificial model: how it answers a prompt."""

    name: str
    title: str
    answer: Callable[[Prompt, Prompt | None], str | None]
    """Answer to a prompt, given the prompt whose source is its null; None where there is no such prompt."""


def _verbatim(prompt: Prompt, _: Prompt | None) -> str:
    return unit_text(prompt) or prompt["source"]


def _renamed(prompt: Prompt, _: Prompt | None) -> str:
    return rename_all(_verbatim(prompt, None), prompt["language"])


def _part(prompt: Prompt, _: Prompt | None) -> str:
    lines = _verbatim(prompt, None).splitlines(keepends=True)
    return "".join(lines[: round(PART * len(lines))])


def _unrelated(_: Prompt, other: Prompt | None) -> str | None:
    return None if other is None else _verbatim(other, None)


CONTROLS = (
    Control("verbatim", "verbatim copy", _verbatim),
    Control("renamed", "copy with all names changed", _renamed),
    Control("part", "first 60 % of the lines", _part),
    Control("unrelated", "code of another prompt", _unrelated),
)


def rename_all(text: str, language: str, seed: int = 0) -> str:
    """The text with every name replaced by a drawn one, the same name by the same one; any of the five languages.

    Names of the language's library change as well, so that the result may not run: it looks as a copyist would leave
    it to a reader of names. What the syntax tree of a broken text does not take for a name stays.

    Raises:
        DeadlineError: the deadline of this thread passed.
        InputError: unknown language.
    """
    source = text.encode("utf-8", "replace")
    draws = random.Random(seed)
    names: dict[bytes, bytes] = {}
    pieces: list[bytes] = []
    position = 0
    for start, end in _names(source, language):
        name = source[start:end]
        if name not in names:
            drawn = "".join(draws.choices(_LETTERS, k=max(3, len(name))))
            names[name] = (drawn.capitalize() if name[:1].isupper() else drawn).encode() + str(len(names)).encode()
        pieces += (source[position:start], names[name])
        position = end
    return b"".join((*pieces, source[position:])).decode("utf-8", "replace")


def _names(source: bytes, language: str) -> Iterator[tuple[int, int]]:
    cursor = parse(source, language).walk()
    while True:
        node = cursor.node
        assert node is not None
        if node.child_count == 0 and node.type.endswith("identifier") and node.end_byte > node.start_byte:
            yield node.start_byte, node.end_byte
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
