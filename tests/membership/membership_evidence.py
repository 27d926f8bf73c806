"""Evidence for tests: token scores drawn from a simple model of memory."""

import numpy as np

from cleartitle.membership.evidence import Evidence
from cleartitle.models.token_stats import TokenStats


def stats(logprob, *, rank=None, top1=None, mean=None, spread=None, token=None, position=None, **more) -> TokenStats:
    """Scores with these log-probabilities; tokens of four characters, positions from 0."""
    values = np.asarray(logprob, np.float32)
    count = len(values)
    places = np.arange(count, dtype=np.int32) if position is None else np.asarray(position, np.int32)
    return TokenStats(
        position=places,
        start=places * 4,
        end=places * 4 + 4,
        token=np.arange(count, dtype=np.int32) if token is None else np.asarray(token, np.int32),
        rank=None if rank is None else np.asarray(rank, np.int32),
        logprob=values,
        top1=None if top1 is None else np.asarray(top1, np.float32),
        mean=None if mean is None else np.asarray(mean, np.float32),
        spread=None if spread is None else np.asarray(spread, np.float32),
        tokens_in_text=more.pop("tokens_in_text", count),
        **more,
    )


def drawn(generator: np.random.Generator, count: int = 60, memory: float = 0.0, hardness: np.ndarray | None = None):
    """Scores of a model: each token has a hardness, shared with references, that memory lowers."""
    hard = generator.exponential(1.5, count) if hardness is None else hardness
    logprob = -hard * np.exp(generator.normal(0, 0.2, count) - memory)
    rank = 1 + np.floor(np.expm1(np.minimum(-logprob, 11))).astype(np.int32)
    top1 = np.where(rank == 1, logprob, np.maximum(logprob, -0.7))
    spread = generator.uniform(0.8, 1.2, count)
    return stats(logprob, rank=rank, top1=top1, mean=-hard, spread=spread, token=generator.integers(0, 500, count))


def evidence_of(generator: np.random.Generator, number: int, memory: float, *, tokens: int = 60) -> Evidence:
    """Everything about one text, ten of which come from one project."""
    hardness = generator.exponential(1.5, tokens)

    def scores(strength: float) -> TokenStats:
        return drawn(generator, tokens, strength, hardness)

    target = scores(memory)
    return Evidence(
        id=f"text {number}",
        project=f"project {number // 10}",
        text="name = 'value'  # why\n" * (tokens * 4 // 22 + 1),
        target=target,
        references=(scores(0.0), scores(0.0)),
        lowercase=scores(0.0),
        prefixed=scores(memory / 2),
        neighbours=(scores(0.0), scores(0.0)),
        frequency=generator.uniform(1e-5, 1e-2, tokens),
        classes=generator.integers(0, 7, tokens).astype(np.int8),
        member_prefixed=scores(memory),
    )


def labeled(count: int, memory: float, *, seed: int, tokens: int = 60) -> tuple[list[Evidence], np.ndarray]:
    """Texts of which every second one is a member."""
    generator = np.random.default_rng(seed)
    member = np.arange(count) % 2 == 0
    return [evidence_of(generator, n, memory if m else 0.0, tokens=tokens) for n, m in enumerate(member)], member
