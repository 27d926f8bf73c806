"""One rater at work: an order of their own, sides by lot, and what they have answered."""

import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from math import isfinite
from threading import Lock
from typing import Any

from cleartitle.errors import InputError
from cleartitle.hidden import visible
from cleartitle.labels.journal import Journal
from cleartitle.labels.question import Drawn, Item, Panel, Question
from cleartitle.pages import image_address
from cleartitle.similarity import shared_spans

__all__ = ["Rater", "check_rater"]

SHOWN_CHARACTERS = 20_000
MOST_SECONDS = 86_400.0
MOST_COMMENT = 2_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


def check_rater(name: str) -> str:
    """The name, if it can stand in a file name.

    Raises:
        InputError: it cannot.
    """
    if not _NAME.fullmatch(name):
        raise InputError(f"rater {name!r}: letters, digits, - and _ only, 40 at most; mend: --rater another-name")
    return name


class Rater:
    """What one rater sees and has said.

    The order is drawn from seed and name, so that it is the same after a restart and differs between raters. Neither
    ids nor anything else that tells where a text is from leaves this class.
    """

    def __init__(
        self, name: str, question: Question, drawn: Drawn, journal: Journal, *, seed: int, highlight: bool
    ) -> None:
        self.name = name
        self.question = question
        self.items = list(drawn.items)
        random.Random(f"{seed}/{question.title}/order/{name}").shuffle(self.items)
        self.journal = journal
        self.seed = seed
        self.highlight = highlight
        self.shown_at: dict[str, str] = {}
        self.lock = Lock()

    @property
    def answered(self) -> int:
        """How many items have an answer."""
        return sum(item.id in self.journal.labels for item in self.items)

    @property
    def total(self) -> int:
        """Number of items, controls among them."""
        return len(self.items)

    def view(self, position: int | None = None) -> dict[str, Any]:
        """What the page shows at a position, counted from 0, or at the first item without an answer.

        Where all are answered and no position is asked for, ``position`` is None and nothing else to judge is there.

        Raises:
            InputError: no such position.
        """
        with self.lock:
            if position is None:
                waiting = (number for number, item in enumerate(self.items) if item.id not in self.journal.labels)
                position = next(waiting, None)
            found = {"rater": self.name, "position": position, "total": self.total, "answered": self.answered}
            if position is None:
                return found
            item = self._item(position)
            self.shown_at.setdefault(item.id, datetime.now(UTC).isoformat(timespec="seconds"))
            return {
                **found,
                "question": self.question.as_json(),
                "panels": self._panels(item),
                "context": None if item.context is None else _panel(item.context, _shown(item.context.text)),
                "given": self._given(item),
            }

    def answer(self, given: Mapping[str, Any]) -> None:
        """Record what the page sends: ``position``, ``choice``, ``detail``, ``comment``, ``seconds``.

        Raises:
            InputError: not an answer to the question, or a value out of range.
        """
        position, choice, detail, comment, seconds = (
            given.get(name) for name in ("position", "choice", "detail", "comment", "seconds")
        )
        if not isinstance(choice, str) or not isinstance(detail, str) or not isinstance(comment, str):
            raise InputError("choice, detail and comment have to be texts")
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not isfinite(seconds):
            raise InputError("seconds have to be a number")
        if len(comment) > MOST_COMMENT or len(detail) > MOST_COMMENT:
            raise InputError(f"a comment has at most {MOST_COMMENT:,} characters")
        with self.lock:
            item = self._item(position)
            value = self.question.value_of(choice, detail)
            shown_at = self.shown_at.get(item.id)
            if shown_at is None:
                raise InputError("this item was not shown yet")
            self.journal.add(item.id, value, min(max(float(seconds), 0.0), MOST_SECONDS), visible(comment), shown_at)

    def _item(self, position: object) -> Item:
        if isinstance(position, bool) or not isinstance(position, int) or not 0 <= position < self.total:
            raise InputError(f"no item at position {position!r}")
        return self.items[position]

    def _panels(self, item: Item) -> list[dict[str, Any]]:
        texts = [_shown(panel.text) for panel in item.panels]
        marks: list[list[tuple[int, int]]] = [[] for _ in texts]
        if self.highlight and len(texts) == 2:
            spans = shared_spans(texts[0], texts[1])
            marks = [
                [(span.reference_start, span.reference_end) for span in spans],
                [(span.candidate_start, span.candidate_end) for span in spans],
            ]
        order = list(range(len(texts)))
        lot = random.Random(f"{self.seed}/{self.question.title}/sides/{self.name}/{item.id}")
        if self.question.swap and lot.random() < 0.5:
            order[:2] = 1, 0
        # Titles stay where they are: they name the place, not the text.
        return [_panel(panel, texts[source], marks[source]) for panel, source in zip(item.panels, order, strict=True)]

    def _given(self, item: Item) -> dict[str, str] | None:
        label = self.journal.labels.get(item.id)
        if label is None:
            return None
        plain = {choice.value for choice in self.question.choices if not choice.detail}
        written = next((choice.value for choice in self.question.choices if choice.detail), "")
        choice, detail = (label.answer, "") if label.answer in plain else (written, label.answer)
        return {"choice": choice, "detail": detail, "comment": label.comment}


def _panel(panel: Panel, text: str, marks: list[tuple[int, int]] | None = None) -> dict[str, Any]:
    cut = f"the first {SHOWN_CHARACTERS:,} characters" if len(panel.text) > SHOWN_CHARACTERS else ""
    image = "" if panel.image is None else image_address(panel.image.read_bytes())
    return {"title": panel.title, "text": text, "cut": cut, "marks": sorted(marks or []), "image": image}


def _shown(text: str) -> str:
    return visible(text[:SHOWN_CHARACTERS].replace("\r\n", "\n"))
