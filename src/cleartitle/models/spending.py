"""A cap on what a run may spend, held before each call rather than found out after it."""

import asyncio
from dataclasses import dataclass

from cleartitle.errors import InputError
from cleartitle.models.protocol import ModelOptions

__all__ = ["Budget", "Price", "tokens_of"]

CHARACTERS_PER_TOKEN = 4


def tokens_of(text: str) -> int:
    """Tokens of a text by the rule of thumb of four characters a token; real tokenizers differ by a factor of two."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


@dataclass(frozen=True)
class Price:
    """Prices per million tokens."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Cost of one call."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


class Budget:
    """Money spent and promised. A call reserves its upper bound first and settles with what it really cost.

    A call that does not fit waits for those in flight, which mostly cost less than they reserved; when none is left
    and it still does not fit, it is refused. So the cap holds as far as the endpoint's own token counts are right.
    """

    def __init__(self, options: ModelOptions) -> None:
        """Read cap and prices.

        Raises:
            InputError: a cap without both prices cannot be held.
        """
        known = options.price_prompt is not None and options.price_completion is not None
        if options.max_cost is not None and not known:
            raise InputError("max_cost without prices; mend: give price_prompt and price_completion per million tokens")
        self.price = Price(options.price_prompt or 0, options.price_completion or 0) if known else None
        self.cap = options.max_cost
        self.spent = 0.0
        self._promised = 0.0
        self._changed = asyncio.Condition()

    async def reserve(self, amount: float) -> bool:
        """Promise ``amount``; False when the cap does not allow it."""
        if self.cap is None:
            return True
        async with self._changed:
            await self._changed.wait_for(lambda: self._promised == 0 or self._fits(amount))
            if not self._fits(amount):
                return False
            self._promised += amount
            return True

    async def settle(self, amount: float, cost: float) -> None:
        """Replace a promise by the cost."""
        self.spent += cost
        if self.cap is None:
            return
        async with self._changed:
            self._promised = max(0.0, self._promised - amount)
            if self._promised < 1e-12:
                self._promised = 0.0
            self._changed.notify_all()

    def _fits(self, amount: float) -> bool:
        return self.cap is None or self.spent + self._promised + amount <= self.cap
