"""Does a scorer say what it seems to say? These layers fail silently, so a connection begins with questions."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from cleartitle.errors import InputError
from cleartitle.models.token_stats import ScorerCapabilities, TokenScorer, TokenSpans, TokenStats

__all__ = ["PROBE", "self_test"]

PROBE = "def clamp(value, low, high):\n    if value < low:\n        return low\n    return min(value, high)\n"
NEXT = 4
"""Places of the probe at which the next token is asked for by the route of generation."""
CLOSE = 0.7
"""Nats by which two routes of one served or quantized model may differ; a shift by one position differs by more."""
EXACT = 1e-2
FEW = 8
"""Positions that are asked about where each costs a query."""


def self_test(scorer: TokenScorer) -> dict[str, str]:
    """Ask about a short text in several ways; what was found, check by check.

    Two runs are equal; there is a row for each token but the first; spans lie in the text in order and leave out white
    space only; log-probabilities are numbers, not positive, neither all zero nor all equal; the given token is never
    likelier than the likeliest and has rank 1 exactly where it is that one; the next token after several beginnings,
    asked for by generation, stands in the row after them (a shift by one is found so); what follows a token changes
    none of its numbers.

    Raises:
        InputError: a check failed; the line names it and the mend.
    """
    test = _Test(scorer)
    return dict(test.checks())


class _Test:
    def __init__(self, scorer: TokenScorer) -> None:
        self.scorer = scorer
        self.has: ScorerCapabilities = scorer.capabilities()
        self.spans: TokenSpans = scorer.tokenize(PROBE)
        self.first = 0 if self.has.scores_first_token else 1
        everything = np.arange(self.first, len(self.spans.token), dtype=np.int32)
        per_token = self.has.queries_per_text == "per token"
        self.rows = everything[:: max(1, len(everything) // FEW)][:FEW] if per_token else everything
        self.tolerance = EXACT if self.has.deterministic and not self.has.independent else CLOSE

    def fail(self, check: str, found: str, mend: str) -> InputError:
        return InputError(f"{self.scorer.name}: self-test: {check}: {found}; mend: {mend}")

    def ask(self, text: str, rows: np.ndarray | None) -> TokenStats:
        stats = next(iter(self.scorer.score([text], positions=None if rows is None else [rows])))
        if stats.error is not None:
            raise self.fail("connection", stats.error, "see the message")
        return stats

    def checks(self) -> Iterator[tuple[str, str]]:
        yield "spans", self._spans()
        per_token = len(self.rows) < len(self.spans.token) - self.first
        stats = self.ask(PROBE, self.rows if per_token else None)
        yield "rows", self._rows(stats)
        yield "repetition", self._repetition(stats, self.ask(PROBE, self.rows if per_token else None))
        yield "numbers", self._numbers(stats)
        yield "order", self._order(stats)
        if hasattr(self.scorer, "next_token"):
            yield "next token", self._next_token(stats)
        if not per_token:
            yield "causality", self._causality(stats)

    def _spans(self) -> str:
        start, end = self.spans.start, self.spans.end
        if len(start) < 4:
            found = f"{len(start)} tokens in {len(PROBE)} characters"
            raise self.fail("spans", found, "check the tokenizer")
        covered = np.zeros(len(PROBE), dtype=bool)
        for a, b in zip(start, end, strict=True):
            covered[a:b] = True
        left = "".join(c for c, known in zip(PROBE, covered, strict=True) if not known)
        if (np.diff(start) < 0).any() or (np.diff(end) < 0).any() or end[-1] > len(PROBE):
            raise self.fail("spans", "tokens are not in the order of the text", "check the tokenizer's offsets")
        if left.strip():
            raise self.fail("spans", f"no token covers {left.strip()[:20]!r}", "the tokenizer of this very model")
        return f"{len(start)} tokens"

    def _rows(self, stats: TokenStats) -> str:
        expected = self.rows[self.rows < len(self.spans.token) - stats.truncated]
        if len(stats) != len(expected) or (stats.position != expected).any():
            found = f"{len(stats)} rows for {len(expected)} positions of a text of {len(self.spans.token)} tokens"
            raise self.fail("rows", found, "the tokenizer of this very model, and a server that scores each token")
        if (stats.token != self.spans.token[expected]).any() or (stats.start != self.spans.start[expected]).any():
            raise self.fail("rows", "rows belong to other tokens than the text's", "the tokenizer of this very model")
        return f"{len(stats)} rows"

    def _repetition(self, one: TokenStats, two: TokenStats) -> str:
        worst = 0.0
        for name in ("logprob", "top1", "mean", "spread"):
            a, b = getattr(one, name), getattr(two, name)
            if a is not None:
                with np.errstate(invalid="ignore"):
                    worst = max(worst, float(np.nanmax(np.where(a == b, 0, np.abs(a - b)), initial=0)))
        limit = 1e-5 if self.has.deterministic else CLOSE
        ranks = one.rank is not None and two.rank is not None and self.has.deterministic
        if worst > limit or (ranks and (one.rank != two.rank).any()):
            found = f"two runs differ by {worst:.3g} nats" if worst > limit else "two runs give other ranks"
            raise self.fail("repetition", found, "switch off sampling and dropout")
        return f"two runs differ by {worst:.3g} nats at most"

    def _numbers(self, stats: TokenStats) -> str:
        for name in ("logprob", "top1", "mean", "spread"):
            values: Any = getattr(stats, name)
            if values is None:
                continue
            # A token beyond the output size has no number.
            known = values[~np.isnan(values)] if self.has.output_size is not None else values
            if np.isnan(known).any():
                raise self.fail("numbers", f"{name} is NaN", "check the weights, or another server")
            if name != "spread" and (known > 1e-3).any():
                raise self.fail("numbers", f"{name} is positive", "a server that gives natural logarithms")
            if len(known) > 1 and not known.any():
                found = f"every {name} is 0: the layer does not compute it"
                raise self.fail("numbers", found, "another way of access, or another server")
            if len(known) > 3 and name == "logprob" and (known == known[0]).all():
                raise self.fail("numbers", f"every {name} is {known[0]:.3g}", "another way of access")
        if stats.rank is not None and (stats.rank < 0).any():
            raise self.fail("numbers", "a rank is negative", "another server")
        return "finite, not positive, not all equal"

    def _order(self, stats: TokenStats) -> str:
        if stats.logprob is None or stats.top1 is None:
            return "not tested: needs logprob and top1"
        known = ~np.isnan(stats.logprob)
        lead = stats.top1[known] - stats.logprob[known]
        if (lead < -1e-3).any():
            found = "a given token is likelier than the likeliest"
            raise self.fail("order", found, "a server that lists the likeliest tokens of the same position")
        if stats.rank is not None:
            best = stats.rank[known] == 1
            if (best & (lead > 1e-3)).any() or (~best & (lead == 0)).any():
                raise self.fail("order", "rank 1 is not where the likeliest token is", "another way of access")
        return "rank 1 where the likeliest token is given"

    def _next_token(self, stats: TokenStats) -> str:
        """Compare rows of the first window with what the model generates after the text before them.

        Later rows are predicted from less than that.
        """
        tested = told_any = 0
        last = len(self.spans.token) if self.has.context is None else self.has.context - 1
        rows = [int(row) for row in self.rows if 1 < row <= last]
        places = rows[:: max(1, len(rows) // NEXT)][:NEXT]
        for place in places:
            before = PROBE[: self.spans.start[place]]
            if not np.array_equal(self.scorer.tokenize(before).token, self.spans.token[:place]):
                continue
            told = self.scorer.next_token(before)  # type: ignore[attr-defined]
            if told is None:
                continue
            told_any += 1
            row = int(np.flatnonzero(stats.position == place)[0])
            if told.id is not None:
                self._compare(stats, row, told.id == int(stats.token[row]), told.logprob)
                tested += 1
            elif told.text:
                tested += self._append(before, place, told.text, told.logprob)
        if not told_any:
            return "not tested: there is no other way to the next token"
        if not tested:
            raise self.fail("next token", "no beginning of the probe could be compared", "another way of access")
        return f"equal at {tested} places"

    def _append(self, before: str, place: int, text: str, logprob: float | None) -> int:
        """Score the beginning with the generated token after it."""
        spans = self.scorer.tokenize(before + text)
        if len(spans.token) != place + 1:
            return 0
        stats = self.ask(before + text, np.array([place], dtype=np.int32))
        if not len(stats):
            raise self.fail("next token", "the last token of a text has no row", "a server that scores each token")
        self._compare(stats, len(stats) - 1, True, logprob)
        return 1

    def _compare(self, stats: TokenStats, row: int, same: bool, logprob: float | None) -> None:
        """The row of a token whose rank and likelihood another route told."""
        for name in ("top1", "logprob") if same else ("top1",):
            values = getattr(stats, name)
            if values is not None and logprob is not None and abs(float(values[row]) - logprob) > self.tolerance:
                found = f"{name} {values[row]:.3g} where generation says {logprob:.3g}: rows are shifted or made up"
                raise self.fail("next token", found, "another way of access, or another server")
        close = stats.top1 is not None and stats.logprob is not None
        near = close and float(stats.top1[row] - stats.logprob[row]) <= self.tolerance  # type: ignore[index]
        if stats.rank is not None and same and stats.rank[row] != 1 and not near:
            found = f"the token that the model generates has rank {stats.rank[row]}"
            raise self.fail("next token", found, "another way of access, or another server")

    def _causality(self, stats: TokenStats) -> str:
        place = len(self.spans.token) // 2
        before = PROBE[: self.spans.start[place]]
        if not np.array_equal(self.scorer.tokenize(before).token, self.spans.token[:place]):
            return "not tested: the tokenizer looks ahead"
        half = self.ask(before, None)
        worst = 0.0
        for name in ("logprob", "top1", "mean", "spread"):
            a, b = getattr(half, name), getattr(stats, name)
            if a is not None:
                difference = np.abs(a - b[: len(a)])
                worst = max(worst, float(np.nanmax(np.where(a == b[: len(a)], 0, difference), initial=0)))
        if worst > self.tolerance:
            found = f"what follows a token changes its numbers by {worst:.3g} nats"
            raise self.fail("causality", found, "a causal model, with rows for the tokens before them")
        return f"what follows changes nothing ({worst:.2g} nats)"
