"""Made-up prompts in five languages with answers to them, from the generator of the benchmark."""

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cleartitle.evals.codeipprompt import PromptSet

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "codeipprompt.py"
_spec = importlib.util.spec_from_file_location("benchmark_codeipprompt", BENCHMARK)
assert _spec is not None and _spec.loader is not None
made_up: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(made_up)

SECRET = "api_key = 'sk-proj-Zx81kQmB07LwTnYc3hVdRs6UaEj9fGpOi5'"


def write_prompts(folder: Path, count: int) -> PromptSet:
    return made_up.prompt_set(folder, count)


def body(number: int, language: str) -> str:
    """The body of the function that a prompt begins."""
    return made_up.source(number, language)[2]


def number_of(row: dict[str, Any]) -> int:
    return int(row["name"].removeprefix("f"))


def other_body(number: int, language: str, sample: int = 0) -> str:
    return made_up.function(f"other {number}/{sample}", language, 6)[1]


def write_answers(path: Path, rows: Sequence[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"replay:{path}"
