"""Token scores of a study: every model asked about every text that an attack needs, once."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cleartitle.jobs import Shard, map_shards
from cleartitle.membership.evidence import Evidence
from cleartitle.membership.frequency import FrequencyTable
from cleartitle.membership.lstm import load_lstm
from cleartitle.membership.prefixes import behind, opening
from cleartitle.membership.rewrites import python_rewrites
from cleartitle.membership.targets import model_folder
from cleartitle.membership.texts import POOL, TARGET, role, rows_of
from cleartitle.membership.token_classes import token_classes
from cleartitle.models import ScorerOptions, Scores, TokenScorer, TokenStats, score_all
from cleartitle.models.scoring_torch import TorchScorer
from cleartitle.models.scoring_transformers import transformers_scorer
from cleartitle.tables import read_table, table_of

__all__ = ["StudyScores", "study_scorer", "reference_roles", "score_study"]

ASKED = pa.schema([("model", pa.string()), ("texts", pa.int64()), ("calls", pa.int64())])
REWRITES = 2


def study_scorer(run: Path, name: str, target: str) -> TokenScorer:
    """A trained model of a study as a `TokenScorer`, on one thread."""
    folder = model_folder(run, name)
    options = ScorerOptions(long_texts="cut")
    if target == "gpt":
        return transformers_scorer(str(folder), options, threads=1)
    model, tokenizer = load_lstm(folder)
    scorer = TorchScorer(model, tokenizer.spans, name=name, vocabulary=len(tokenizer), options=options)
    scorer.split(model.states, model.head)
    return scorer


def reference_roles(number: int, shadows: int) -> list[str]:
    """The shadows that serve as references for the texts of a set: as many for the target as for each shadow.

    With one shadow the target has it as its reference, and the shadow has none.
    """
    others = [other for other in range(1, shadows + 1) if other != number]
    return [role(other) for other in others[: max(shadows - 1, 1)]]


def score_study(run: Path, target: str, *, shadows: int, workers: int | None, key: str) -> None:
    """Ask every model about every text that it is needed for, into ``run/scores``; a killed call goes on.

    Each shadow is asked about its own texts and, as a reference, about those of the target and of the other shadows;
    the target about its own, about their lower case, after a prefix of public code (ReCaLL), and about
    rewrites of them.
    """
    shards = [Shard(number, pa.table({"number": [number]})) for number in range(shadows + 1)]
    work = partial(_ask, run=run, target=target, shadows=shadows)
    map_shards(work, shards, run / "asked", key=key, workers=workers, label="scoring texts")


def _ask(numbers: pa.Table, run: Path, target: str, shadows: int) -> pa.Table:
    texts = read_table(run / "texts.parquet")
    rows: list[dict[str, Any]] = []
    for number in numbers["number"].to_pylist():
        name = role(number)
        scorer = study_scorer(run, name, target)
        asked = [row["text"] for row in rows_of(texts, name)]
        for other in range(shadows + 1):
            if other != number and name in reference_roles(other, shadows):
                asked += [row["text"] for row in rows_of(texts, role(other))]
        own = [row["text"] for row in rows_of(texts, TARGET)]
        if number == 0:
            asked += [lowered(text) for text in own] + [prefixed(text, texts) for text in own]
            asked += [one for text in own for one in rewritten(text)]
        elif name in reference_roles(0, shadows):
            asked += [one for text in own for one in rewritten(text)[:1]]
        scores = score_all(scorer, asked, run / "scores", label=name)
        rows.append({"model": name, "texts": len(asked), "calls": scores.calls})
    return table_of(rows, ASKED)


def lowered(text: str) -> str:
    """The text in lower case."""
    return text.lower()


def rewritten(text: str) -> list[str]:
    """At most two other texts of the same program; none where nothing can be changed without risk."""
    return python_rewrites(text, REWRITES)


def prefixed(text: str, texts: pa.Table) -> str:
    """The text after public code that neither set holds, for ReCaLL."""
    return public_prefix(texts) + text


def public_prefix(texts: pa.Table) -> str:
    """The first lines of the first file of the pool: known non-members for the target."""
    return opening(rows_of(texts, POOL)[0]["text"])


class StudyScores:
    """The evidence of a study, set by set, read from what `score_study` kept."""

    def __init__(self, run: Path, target: str, *, shadows: int) -> None:
        """Open every model's scores; nothing is asked any more."""
        self.run, self.target, self.shadows = run, target, shadows
        self.texts = read_table(run / "texts.parquet")
        self.scorers = {role(number): study_scorer(run, role(number), target) for number in range(shadows + 1)}
        self._tables = {name: self._frequencies(scorer) for name, scorer in self.scorers.items()}

    def stats(self, name: str, texts: Sequence[str]) -> Scores:
        """Scores of these texts by a model."""
        return score_all(self.scorers[name], texts, self.run / "scores", label=name)

    def labels(self, number: int) -> np.ndarray:
        """Bool, one for each text of a set: whether its model saw it."""
        return np.array([row["member"] for row in rows_of(self.texts, role(number))])

    def evidence(
        self, number: int, *, asked: str | None = None, references: Sequence[str] | None = None
    ) -> list[Evidence]:
        """Evidence of each text of a set.

        Args:
            number: of the set, 0 for the target's.
            asked: the model in question, the set's own by default; another one gives the model control.
            references: other models than `reference_roles`.
        """
        name = asked or role(number)
        rows = rows_of(self.texts, role(number))
        return self._evidence(name, rows, references or reference_roles(number, self.shadows))

    def renamed(self) -> tuple[list[Evidence], np.ndarray]:
        """The target's texts as their first rewrites, those that have one, and which these are (bool, one a text)."""
        rows = rows_of(self.texts, TARGET)
        forms = [rewritten(row["text"])[:1] for row in rows]
        kept = [{**row, "text": form[0]} for row, form in zip(rows, forms, strict=True) if form]
        return self._evidence(TARGET, kept, reference_roles(0, self.shadows)), np.array([bool(form) for form in forms])

    def _evidence(self, name: str, rows: Sequence[dict[str, Any]], references: Sequence[str]) -> list[Evidence]:
        texts = [row["text"] for row in rows]
        target = self.stats(name, texts)
        beside = [self.stats(other, texts) for other in references]
        found: list[Evidence] = []
        for place, row in enumerate(rows):
            stats = target[place]
            found.append(
                Evidence(
                    id=row["id"],
                    project=row["project"],
                    text=row["text"],
                    target=stats,
                    references=tuple(scores[place] for scores in beside),
                    frequency=self._tables[name].relative(stats.token),
                    classes=token_classes(row["text"], stats.start, stats.end),
                )
            )
        return found

    def with_variants(self, evidence: Sequence[Evidence]) -> list[Evidence]:
        """The target's evidence with its scores of lower case, after a prefix, and of rewrites."""
        return with_forms(evidence, lambda texts: self.stats(TARGET, texts), public_prefix(self.texts))

    def _frequencies(self, scorer: TokenScorer) -> FrequencyTable:
        size = scorer.capabilities().vocabulary
        assert size is not None
        pool = rows_of(self.texts, POOL)
        return FrequencyTable.of((scorer.tokenize(row["text"]).token for row in pool), size)


def with_forms(
    evidence: Sequence[Evidence], stats: Callable[[list[str]], Sequence[TokenStats]], prefix: str | None
) -> list[Evidence]:
    """The evidence with the scores of each text in lower case, after ``prefix`` (if there is one), and rewritten."""
    texts = [item.text for item in evidence]
    low = stats([lowered(text) for text in texts])
    after = None if prefix is None else stats([prefix + text for text in texts])
    forms = [rewritten(text) for text in texts]
    others = iter(stats([one for form in forms for one in form]))
    return [
        replace(
            item,
            lowercase=low[place],
            prefixed=None if after is None or prefix is None else behind(after[place], len(prefix)),
            neighbours=tuple(next(others) for _ in forms[place]),
        )
        for place, item in enumerate(evidence)
    ]
