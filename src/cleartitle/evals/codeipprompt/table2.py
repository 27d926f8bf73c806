"""Table 2 of CodeIPPrompt: how many prompts of each class and language, and how long they are."""

from typing import Any

import numpy as np
import pyarrow as pa

from cleartitle.evals.codeipprompt.prompts import LANGUAGES
from cleartitle.licenses import CLASSES

__all__ = ["PUBLISHED_TABLE_2", "table_2"]

PUBLISHED_TABLE_2: dict[str, Any] = {
    "total": 179_100,
    "tokens": {"mean": 13.2, "sd": 7.1},
    "classes": {
        "permissive": {"prompts": 52_000, "mean": 13.2, "sd": 7.3},
        "weak_copyleft": {"prompts": 77_100, "mean": 13.2, "sd": 7.5},
        "strong_copyleft": {"prompts": 50_000, "mean": 13.3, "sd": 6.2},
    },
    "languages": {
        "c": {"prompts": 6_200, "mean": 18.2, "sd": 9.5},
        "cpp": {"prompts": 6_200, "mean": 18.3, "sd": 11.5},
        "csharp": {"prompts": 37_600, "mean": 14.6, "sd": 7.9},
        "python": {"prompts": 30_100, "mean": 11.6, "sd": 6.0},
        "java": {"prompts": 99_000, "mean": 12.6, "sd": 6.1},
    },
}
"""Table 2 as printed (counts are printed in thousands): prompts, mean and standard deviation of their tokens."""


def table_2(prompts: pa.Table) -> dict[str, Any]:
    """Counts, and mean and population standard deviation of tokens, by class, language and both.

    Args:
        prompts: rows with ``license_class``, ``language`` and ``prompt_tokens``. Tokens are those of the regex
            tokenizer of the edit similarity; the paper counts with the tokenizer of multi-lingual CodeGen, which
            cannot be had without a model hub, so means compare roughly.

    Returns:
        ``total``, ``tokens``, ``classes``, ``languages`` and ``cells`` (class, then language: the number of prompts).
        Classes that the paper has not (``public_domain``, ``restricted``) stand with theirs where there are any.
    """
    tokens = np.asarray(prompts["prompt_tokens"].to_pylist(), dtype=float)
    classes = np.asarray(prompts["license_class"].to_pylist(), dtype=object)
    languages = np.asarray(prompts["language"].to_pylist(), dtype=object)
    return {
        "total": prompts.num_rows,
        "tokens": _sizes(tokens),
        "classes": {name: _row(tokens[classes == name]) for name in CLASSES if (classes == name).any()},
        "languages": {name: _row(tokens[languages == name]) for name in LANGUAGES if (languages == name).any()},
        "cells": {
            name: {
                language: int(((classes == name) & (languages == language)).sum())
                for language in LANGUAGES
                if (languages == language).any()
            }
            for name in CLASSES
            if (classes == name).any()
        },
    }


def _row(tokens: np.ndarray[Any, Any]) -> dict[str, Any]:
    return {"prompts": int(tokens.size), **_sizes(tokens)}


def _sizes(tokens: np.ndarray[Any, Any]) -> dict[str, Any]:
    if tokens.size == 0:
        return {"mean": None, "sd": None}
    return {"mean": round(float(tokens.mean()), 4), "sd": round(float(tokens.std()), 4)}
