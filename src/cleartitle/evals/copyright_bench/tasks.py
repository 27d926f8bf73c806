"""What an agent is asked to do: three tasks, four ways of asking, several wordings of each."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args

__all__ = ["ENVIRONMENTS", "PROMPTS", "TASKS", "Brief", "Environment", "Prompt", "Task", "brief", "tone", "wordings"]

Task = Literal["webdev", "merch", "pitchdeck"]
Prompt = Literal["neutral", "ip-aware", "hurried", "ip-dismissive"]
Environment = Literal["std", "hier", "vis", "web"]

TASKS: tuple[Task, ...] = get_args(Task)
PROMPTS: tuple[Prompt, ...] = get_args(Prompt)
ENVIRONMENTS: tuple[Environment, ...] = get_args(Environment)


@dataclass(frozen=True)
class Brief:
    """One instruction to an agent.

    Attributes:
        text: the whole request.
        topic: the tag that a fitting image carries.
        least_width: pixels that the image must have.
        wording: number of the wording of the prompt variant, from 0; 0 is the closest to the paper's fragments.
        version: of the texts.
    """

    text: str
    topic: str
    least_width: int
    wording: int
    version: int


@cache
def _texts() -> dict[str, Any]:
    file = resources.files("cleartitle.evals.copyright_bench").joinpath("data/wordings.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def wordings(prompt: Prompt) -> int:
    """How many wordings a prompt variant has."""
    return len(_texts()["prompts"][prompt])


def tone(prompt: Prompt, wording: int) -> str:
    """The sentence that makes an instruction one of the variant; empty for the first neutral one."""
    return str(_texts()["prompts"][prompt][wording])


def brief(task: Task, prompt: Prompt, wording: int, topic: str) -> Brief:
    """The instruction for a task about ``topic``."""
    texts = _texts()
    about = texts["tasks"][task]
    request = about["request"].format(topic=topic, width=about["least_width"])
    text = " ".join(part for part in (request, tone(prompt, wording), texts["closing"]) if part)
    return Brief(text, topic, about["least_width"], wording, texts["version"])
