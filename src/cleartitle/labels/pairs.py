"""Pairs of original and answer to judge: drawn from strata of scores, with attention checks, whatever the benchmark."""

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pyarrow as pa

from cleartitle.errors import InputError
from cleartitle.labels.question import CONTROL, Drawn, Item, LabelOptions, Panel, Said, Stratum
from cleartitle.labels.sampling import draw_indices, shares
from cleartitle.similarity import edit_similarity
from cleartitle.tables import read_table

__all__ = ["Case", "Original", "Pairs", "cases"]

DEFAULT_LIMIT = 40
WEIGHTS = (0.5, 0.25, 0.25)
TRIES = 8
UNLIKE = 0.4
"""Edit similarity below which originals of two projects pass for unrelated."""

Case = tuple[str, int]


@dataclass(frozen=True)
class Original:
    """What an answer is compared with: ``context`` is what both continue."""

    context: str
    text: str


@dataclass(frozen=True)
class Pairs:
    """Answers of one run and what they are compared with.

    Attributes:
        path: folder of the run, whose ``prompts.parquet`` has ``prompt_id``, ``project`` and ``language``.
        key: of the run.
        strata: what was scored by what the program says, flagged first, then two more, as tables with ``prompt_id`` and
            ``sample_index``.
        originals: of some prompts, by prompt id.
        answers: texts of some answers.
    """

    path: Path
    key: str
    strata: Mapping[str, pa.Table]
    originals: Callable[[Collection[str]], Mapping[str, Original]]
    answers: Callable[[Collection[Case]], Mapping[Case, str]]

    def draw(self, options: LabelOptions) -> Drawn:
        """Half of the items from the first stratum, a quarter from each other; what one cannot give goes to the rest.

        Controls are originals of other prompts against themselves, and against one of another project.

        Raises:
            InputError: there is no scored answer.
        """
        counts = shares(options.limit or DEFAULT_LIMIT, [table.num_rows for table in self.strata.values()], WEIGHTS)
        strata: list[Stratum] = []
        drawn: list[Case] = []
        for (name, table), count in zip(self.strata.items(), counts, strict=True):
            chosen = list(cases(table.take(draw_indices(table.num_rows, count, f"{options.seed}/pairs/{name}"))))
            strata.append(Stratum(name, table.num_rows, tuple(map(_name, chosen))))
            drawn += chosen
        if not drawn:
            raise InputError(f"{self.path}: no answer could be scored, so there is none to judge")
        originals, answers = self.originals({prompt for prompt, _ in drawn}), self.answers(drawn)
        items = [_pair(_name(case), originals[case[0]], answers[case]) for case in sorted(drawn)]
        controls = self._controls(options, len(items), {prompt for prompt, _ in drawn})
        return Drawn((*items, *controls), tuple(strata), self.key)

    def _controls(self, options: LabelOptions, judged: int, prompts: set[str]) -> list[Item]:
        """Known copies and known strangers in turn, of prompts that are not judged while there are such."""
        count = round(judged * options.controls / (1 - options.controls))
        if not count:
            return []
        table = read_table(self.path / "prompts.parquet", ["prompt_id", "project", "language"])
        places = {row["prompt_id"]: (row["language"], row["project"]) for row in table.to_pylist()}
        free = [name for name in places if name not in prompts]
        free = free if len(free) >= 2 * count else list(places)
        lot = random.Random(f"{options.seed}/pairs/controls")
        chosen = lot.sample(free, min(count, len(free)))
        others = {name: _others(name, free, places, lot) for name in chosen[1::2]}
        originals = self.originals({*chosen, *(other for names in others.values() for other in names)})
        items: list[Item] = []
        for name in chosen:
            own = originals[name]
            if name not in others:
                items.append(_pair(f"{CONTROL}copy:{name}", own, own.text, "copied"))
                continue
            strange = (originals[other].text for other in others[name] if _unlike(own.text, originals[other].text))
            if (text := next(strange, None)) is not None:
                items.append(_pair(f"{CONTROL}unrelated:{name}", own, text, "independent"))
        return items

    def said(self, items: Collection[str]) -> Said:
        """What the program says of the items: ``copied`` in the first stratum, ``independent`` in the others."""
        flagged = next(iter(self.strata))
        known = {_name(case): name for name, table in self.strata.items() for case in cases(table)}
        strata = {item: known[item] for item in items if item in known}
        values = {item: "copied" if name == flagged else "independent" for item, name in strata.items()}
        sizes = {name: table.num_rows for name, table in self.strata.items()}
        return Said({**dict.fromkeys(items), **values}, strata, sizes)


def cases(table: pa.Table) -> Iterator[Case]:
    """Prompt id and sample index of each row."""
    return zip(table["prompt_id"].to_pylist(), table["sample_index"].to_pylist(), strict=True)


def _others(name: str, names: Sequence[str], places: Mapping[str, tuple[str, str]], lot: random.Random) -> list[str]:
    """Some prompts of the same language and of other projects."""
    language, project = places[name]
    others = [one for one in names if places[one][0] == language and places[one][1] != project]
    return lot.sample(others, min(TRIES, len(others)))


def _unlike(first: str, second: str) -> bool:
    """Whether two originals do not share what one project took from the other."""
    return bool(first.strip() and second.strip()) and edit_similarity(reference=first, candidate=second) < UNLIKE


def _pair(name: str, original: Original, answer: str, expected: str | None = None) -> Item:
    context = Panel("The task: both texts continue this", original.context)
    return Item(name, (Panel("Text A", _bare(original.text)), Panel("Text B", _bare(answer))), context, expected)


def _bare(body: str) -> str:
    """Without the depth of its block and blank lines around it, which could tell original and answer apart."""
    return dedent(body.replace("\r\n", "\n")).strip("\n").rstrip()


def _name(case: Case) -> str:
    return f"{case[0]}#{case[1]}"
