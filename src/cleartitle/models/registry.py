"""From a word on the command line to a model."""

from collections.abc import Callable
from pathlib import Path

from cleartitle.errors import InputError
from cleartitle.models.protocol import Model, ModelOptions
from cleartitle.models.scoring_options import ScorerOptions
from cleartitle.models.scoring_selftest import self_test
from cleartitle.models.token_stats import TokenScorer

__all__ = ["KINDS", "SCORERS", "open_model", "open_scorer"]


def _embedded(_: str, options: ModelOptions) -> Model:
    from cleartitle.models.embedded import EmbeddedModel

    return EmbeddedModel(options)


def _gguf(rest: str, options: ModelOptions) -> Model:
    from cleartitle.models.embedded import EmbeddedModel

    return EmbeddedModel(options, path=Path(rest))


def _openai(rest: str, options: ModelOptions) -> Model:
    from cleartitle.models.openai_compatible import OpenAIModel

    return OpenAIModel(rest, options)


def _openai_completions(rest: str, options: ModelOptions) -> Model:
    from cleartitle.models.openai_compatible import OpenAIModel

    return OpenAIModel(rest, options, completions=True)


def _hf(rest: str, options: ModelOptions) -> Model:
    from cleartitle.models.transformers import TransformersModel

    return TransformersModel(rest, options)


def _replay(rest: str, options: ModelOptions) -> Model:
    from cleartitle.models.replay import ReplayModel

    return ReplayModel(Path(rest), options)


KINDS: dict[str, tuple[str, Callable[[str, ModelOptions], Model]]] = {
    "embedded": ("the small model that runs on the CPU with nothing else to set up", _embedded),
    "gguf": ("gguf:FILE, another GGUF model on the CPU", _gguf),
    "openai": ("openai:NAME, a chat model behind an OpenAI-compatible endpoint", _openai),
    "openai-completions": ("openai-completions:NAME, a base model behind /v1/completions", _openai_completions),
    "hf": ("hf:FOLDER, a model in the format of Hugging Face transformers", _hf),
    "replay": ("replay:FILE, answers recorded elsewhere", _replay),
}
"""Kind of model → what it is, and how it is opened. An adapter adds its line here."""


def open_model(spec: str, options: ModelOptions = ModelOptions()) -> Model:  # noqa: B008 - frozen
    """Open the model that ``spec`` names: ``embedded``, or ``KIND:NAME`` with a kind of `KINDS`.

    Heavy packages and weights are loaded here, not at import.

    Raises:
        InputError: no such kind, or the name that the kind needs is absent.
        MissingExtraError: the adapter's package is not installed; the message says how to install it.
    """
    kind, colon, rest = spec.partition(":")
    if kind not in KINDS or bool(rest) == (kind == "embedded") or (colon and not rest):
        known = "; ".join(text if ":" in text else f"{name}: {text}" for name, (text, _) in KINDS.items())
        raise InputError(f"model {spec[:200]!r}: not understood; mend: one of {known}")
    return KINDS[kind][1](rest, options)


def _scores_hf(rest: str, options: ModelOptions, scoring: ScorerOptions) -> TokenScorer:
    from cleartitle.models.scoring_transformers import transformers_scorer

    return transformers_scorer(rest, scoring, threads=options.threads)


def _scores_embedded(_: str, options: ModelOptions, scoring: ScorerOptions) -> TokenScorer:
    from cleartitle.models.scoring_embedded import EmbeddedScorer

    return EmbeddedScorer(options, scoring)


def _scores_gguf(rest: str, options: ModelOptions, scoring: ScorerOptions) -> TokenScorer:
    from cleartitle.models.scoring_embedded import EmbeddedScorer

    return EmbeddedScorer(options, scoring, Path(rest))


def _scores_openai(rest: str, options: ModelOptions, scoring: ScorerOptions) -> TokenScorer:
    from cleartitle.models.scoring_openai import OpenAIScorer

    return OpenAIScorer(rest, options, scoring)


def _scores_recorded(rest: str, options: ModelOptions, scoring: ScorerOptions) -> TokenScorer:
    from cleartitle.models.scoring_recorded import RecordedScorer

    return RecordedScorer(Path(rest))


SCORERS: dict[str, tuple[str, Callable[[str, ModelOptions, ScorerOptions], TokenScorer]]] = {
    "embedded": ("the small model that runs on the CPU with nothing else to set up: every number", _scores_embedded),
    "gguf": ("gguf:FILE, another GGUF model on the CPU: every number", _scores_gguf),
    "openai": ("openai:NAME, a model behind /v1/completions: rank, logprob and top1", _scores_openai),
    "openai-completions": ("openai-completions:NAME, the same", _scores_openai),
    "recorded": ("recorded:FILE, numbers that write_scores wrote (.jsonl or .parquet)", _scores_recorded),
    "hf": ("hf:FOLDER, a causal model in the format of Hugging Face transformers: every number", _scores_hf),
}
"""Kind of token scorer → what it is, and how it is opened; the names are those of `KINDS`."""


def open_scorer(
    spec: str,
    options: ModelOptions = ModelOptions(),  # noqa: B008 - frozen
    scoring: ScorerOptions = ScorerOptions(),  # noqa: B008 - frozen
    *,
    tested: bool = True,
) -> TokenScorer:
    """Open the model that ``spec`` names as a token scorer: the same names as `open_model`, see `SCORERS`.

    It is asked about a short text first (`self_test`), unless ``tested`` is false. Close it when done.

    Raises:
        InputError: no such kind, or the name that the kind needs is absent, or the self-test failed.
        MissingExtraError: the adapter's package is not installed; the message says how to install it.
    """
    kind, colon, rest = spec.partition(":")
    if kind not in SCORERS or bool(rest) == (kind == "embedded") or (colon and not rest):
        known = "; ".join(text if ":" in text else f"{name}: {text}" for name, (text, _) in SCORERS.items())
        raise InputError(f"scorer {spec[:200]!r}: not understood; mend: one of {known}")
    scorer = SCORERS[kind][1](rest, options, scoring)
    if tested and kind != "recorded":
        try:
            self_test(scorer)
        except BaseException:
            scorer.close()
            raise
    return scorer
