"""From nothing to prompts: those of the starter corpus are built in the cache and kept between runs."""

from pathlib import Path

from cleartitle.evals.codeipprompt.build import build_prompts
from cleartitle.evals.codeipprompt.options import PromptOptions
from cleartitle.evals.codeipprompt.prompts import PromptSet
from cleartitle.evals.licoeval.prepare import starter_corpus
from cleartitle.files import cache_dir
from cleartitle.jobs import one_at_a_time
from cleartitle.options import fingerprint

__all__ = ["prepare_prompts"]


def prepare_prompts(prompts: Path | None) -> PromptSet:
    """Open a folder of prompts, or build those of the starter corpus (Python) in the cache.

    Raises:
        InputError: the folder holds no prompts.
    """
    if prompts is not None:
        return PromptSet.open(prompts)
    corpus, options = starter_corpus(), PromptOptions()
    folder = cache_dir("prompts") / f"starter-{fingerprint(options, corpus=corpus.key)}"
    with one_at_a_time(folder):
        return build_prompts([corpus], folder, options)
