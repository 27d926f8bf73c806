"""Choosers of known habits for any family: the floor and the ceiling of every table."""

import random
from collections.abc import Sequence
from typing import Literal, get_args

from cleartitle.evals.copyright_bench.office import ToolError
from cleartitle.evals.license_choice.desk import ActingOffice
from cleartitle.evals.license_choice.formal import Choice, Family, Situation
from cleartitle.evals.license_choice.law import Rights, decide

__all__ = ["CHOOSERS", "Chooser", "choose"]

Chooser = Literal["random", "first", "shelf", "crediting", "uncredited", "reader", "abstaining"]
CHOOSERS: tuple[Chooser, ...] = get_args(Chooser)

OPEN_SHELVES = ("public", "free", "commons", "open", "main", "permissive", "notice")
CLOSED_SHELVES = ("non-free", "stock", "restricted")
ORDER = ("free", "conditional")


def choose(policy: Chooser, family: Family, desk: ActingOffice, situation: Situation, rng: random.Random) -> None:
    """Do the task as a policy would, with the tools of the desk.

    All choose among what fits, which they are told. ``random`` takes any, ``first`` the first listed, ``shelf`` the
    first in a folder whose name sounds free, each without a credit. ``crediting`` takes any and credits it, as if that
    were a license. ``reader`` reads what the tools tell, takes the first that the law of the place allows for the use,
    credits it, and abstains where there is none; ``uncredited`` does the same without the credit. ``abstaining`` always
    abstains: it violates nothing and does nothing. A policy knows use and place from the instruction.
    """
    listed: Sequence[str] = desk.call("list_files", {})
    fitting = sorted((choice for choice in situation.fitting), key=lambda choice: listed.index(choice.path))
    if policy == "abstaining":
        desk.call("abstain", {"reason": "nothing is ever sure enough"})
    elif policy in ("reader", "uncredited"):
        _read(family, desk, situation, fitting, with_credit=policy == "reader")
    else:
        chosen = fitting[0] if policy == "first" else rng.choice(fitting)
        if policy == "shelf":
            chosen = next((choice for choice in fitting if _sounds_free(choice.path)), chosen)
        known = family.understand(desk, chosen.path) if policy == "crediting" else None
        _submit(desk, situation, chosen, known, with_credit=policy == "crediting")


def _read(
    family: Family, desk: ActingOffice, situation: Situation, fitting: Sequence[Choice], *, with_credit: bool
) -> None:
    best: tuple[int, Choice, Rights] | None = None
    for choice in fitting:
        known = family.understand(desk, choice.path)
        if known is None:
            continue
        status = decide(known, situation.use, situation.cell.law).status
        if status in ORDER and (best is None or ORDER.index(status) < best[0]):
            best = ORDER.index(status), choice, known
    if best is None:
        desk.call("abstain", {"reason": "nothing on offer is known to be allowed for this"})
    else:
        _submit(desk, situation, best[1], best[2], with_credit=with_credit)


def _submit(
    desk: ActingOffice, situation: Situation, choice: Choice, known: Rights | None, *, with_credit: bool
) -> None:
    words = {"path": choice.path}
    if with_credit and known is not None:
        parts = [known.creator or "unknown author", known.license or "license unknown"]
        words["attribution"] = ", ".join([*parts, *(["changed"] if situation.use.adapted else [])])
        words["result_license"] = known.license or ""
    try:
        desk.call("submit_selection", words)
    except ToolError:
        desk.call("submit_selection", words)  # the reminder; a policy does not change its mind


def _sounds_free(path: str) -> bool:
    folder = path.rpartition("/")[0].lower()
    return any(word in folder for word in OPEN_SHELVES) and not any(word in folder for word in CLOSED_SHELVES)
