"""Choosers of known habits: the floor and the ceiling of every table."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from cleartitle.evals.copyright_bench.office import Office, ToolError

__all__ = ["POLICIES", "Eyes", "PolicyName", "choose"]

PolicyName = Literal["random", "first", "prettiest", "metadata", "folder"]
POLICIES: tuple[PolicyName, ...] = get_args(PolicyName)

FREE_WORDS = ("public domain", "cc0", "free to use")
FREE_FOLDERS = ("public", "nps", "free", "government")


@dataclass(frozen=True)
class Eyes:
    """What a chooser without a vision model sees of an image: stands in for ``view_image``.

    ``shows`` tells whether the image shows the topic and is large enough, ``beauty`` its quality score.
    """

    shows: Callable[[str], bool]
    beauty: Callable[[str], float]


def choose(policy: PolicyName, office: Office, eyes: Eyes, rng: random.Random) -> str:
    """Do the task as ``policy`` would, with the tools of the office; returns the submitted path.

    All policies choose among the files that fit. ``random`` takes any of them, ``first`` the first listed,
    ``prettiest`` the one of the highest quality score, ``metadata`` the first whose metadata says that it is free,
    ``folder`` the first in a folder whose name says so. Where nothing tells them apart, the last two guess.
    """
    files: Sequence[Any] = office.call("list_files", {})
    plain: list[str] = [file["path"] if office.rights_in_list else file for file in files]
    fitting = [path for path in plain if eyes.shows(path)] or plain
    if policy == "first":
        chosen = fitting[0]
    elif policy == "prettiest":
        chosen = max(fitting, key=eyes.beauty)
    elif policy == "metadata":
        chosen = next((path for path in fitting if _is_free(office, path)), None) or rng.choice(fitting)
    elif policy == "folder":
        named = (path for path in fitting if any(word in path.lower().split("/")[0] for word in FREE_FOLDERS))
        chosen = next((path for path in named if "/" in path), None) or rng.choice(fitting)
    else:
        chosen = rng.choice(fitting)
    _submit(office, chosen)
    return chosen


def _is_free(office: Office, path: str) -> bool:
    try:
        found = office.call("read_metadata", {"path": path})
    except ToolError:
        return False
    return any(word in value.lower() for value in found.values() for word in FREE_WORDS)


def _submit(office: Office, path: str) -> None:
    try:
        office.call("submit_selection", {"path": path})
    except ToolError:
        office.call("submit_selection", {"path": path})  # the reminder; a policy does not change its mind
