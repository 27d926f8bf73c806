"""Options of an index build and of a search."""

from dataclasses import dataclass, field

from cleartitle.errors import InputError
from cleartitle.options import NOT_IN_KEY

__all__ = ["IndexOptions", "SearchOptions"]


@dataclass(frozen=True)
class IndexOptions:
    """How an index is built.

    ``texts``: store the texts, compressed, so that matches are verified and shown; without them the index holds
    fingerprints and places only. A run of words that more than ``common_share`` of all documents (but at least
    ``common_least``) hold is common.
    """

    texts: bool = True
    common_share: float = 0.001
    common_least: int = 100
    workers: int | None = field(default=None, metadata=NOT_IN_KEY)

    def __post_init__(self) -> None:
        if not 0 < self.common_share <= 1:
            raise InputError(f"--common-share {self.common_share}: must be above 0 and at most 1")
        if self.common_least < 1:
            raise InputError(f"--common-least {self.common_least}: must be at least 1")


@dataclass(frozen=True)
class SearchOptions:
    """What counts as a match.

    A span of at least ``exact_words`` equal words is a match, if it has ``exact_shapes`` distinct shapes of three words
    or ``exact_distinct`` distinct words (rulers, alphabets and the fields of a date have fewer). So is a span of
    ``renamed_words`` words that are equal up to a renaming of identifiers, if it has ``renamed_shapes`` such shapes
    (prose and tables look the same everywhere) and one name stands for one name; so are ``renamed_least`` words in one
    or several such spans, in the same order in both texts, if they are ``renamed_share`` of the query; so is a shorter
    text of which at least ``short_share`` is found. A match whose words stand in more than ``common_projects`` projects
    is common. At most ``candidates`` documents (and those with as many votes as the last) are compared with the query,
    those with at least ``least_votes`` (0 to 1) of the votes of the first.
    """

    limit: int = 10
    candidates: int = 16
    least_votes: float = 0.25
    exact_words: int = 32
    exact_shapes: int = 8
    exact_distinct: int = 48
    renamed_words: int = 64
    renamed_least: int = 40
    renamed_shapes: int = 18
    renamed_share: float = 0.8
    short_share: float = 0.7
    common_projects: int = 10
