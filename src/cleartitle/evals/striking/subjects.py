"""The models of a study."""

from dataclasses import dataclass

__all__ = ["Subject"]


@dataclass(frozen=True)
class Subject:
    """One model: its name in tables, how it is opened, and whether it was trained on the accessed groups.

    A model that was not is a control: there the accessed functions are as unseen as the others. ``seen`` is how often
    it saw each accessed function where that is one number for all; None where the functions say it or nobody knows.
    """

    name: str
    spec: str
    exposed: bool
    seen: int | None = None
