"""Comments of a text, and which of them two texts share."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from pygments.token import Comment as CommentType

from cleartitle.code.languages import language as find_language
from cleartitle.code.languages import lex_tokens, split_lines
from cleartitle.code.scan import scan_comments
from cleartitle.errors import InputError

__all__ = ["Comment", "comment_lines_paper", "comments", "is_worded", "shared_comments"]

_WORD = re.compile(r"[^\W\d_]{2}")
_PRAGMA = re.compile(
    r"(?:no(?:qa|sec|pep8|lint|inspection|cover)\b|(?:resharper|clang-(?:format|tidy))\b|type:\s*ignore|-\*-|!"
    r"|(?:en)?coding[:=]"
    r"|(?:pylint|pragma|fmt|isort|mypy|pyright|pyre|pytype|yapf|black|ruff|flake8|skipcq|codespell|doctest)\s*[:-])",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"^(?:#+|/\*+|//+)[!:]?|\*+/$")


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment: its first line (1-based), its exact text with the comment signs, and its offset in the text."""

    line: int
    text: str
    offset: int


def comments(text: str, language: str = "python") -> list[Comment]:
    """Real comments of a text, in order; signs inside strings do not count.

    The text need not be a valid or whole program. Python is read by a scanner of its own, other languages by their
    Pygments lexer.

    Raises:
        InputError: unknown language.
    """
    find_language(language, "comments")
    starts: list[int] = []
    found: list[Comment] = []
    for start, end in _spans(text, language):
        starts = starts or [0, *accumulate(len(line) for line in split_lines(text))]
        found.append(Comment(bisect_right(starts, start), text[start:end], start))
    return found


def comment_lines_paper(text: str) -> set[str]:
    """What LiCoEval's release takes for comments: on each line, all that follows the first ``#``, strings included."""
    return set(re.findall(r"#(.*)", text))


def shared_comments(
    reference: str,
    candidate: str,
    prompt: str = "",
    mode: Literal["paper", "corrected"] = "corrected",
    language: str = "python",
) -> list[str]:
    """Distinct comments that two texts share and that the prompt does not already hold, sorted, without their signs.

    ``paper`` follows the release of LiCoEval: equal text after any ``#``, not empty, no substring of the prompt.
    ``corrected`` takes real comments only, with white space made even; a comment needs a word of two letters, and
    notes to tools (``noqa``, ``type: ignore``, ``pylint:`` and the like) do not count, since their wording is not a
    person's choice.

    Raises:
        InputError: unknown mode or language.
    """
    if mode == "paper":
        shared = {text.strip() for text in comment_lines_paper(reference) & comment_lines_paper(candidate)}
        return sorted(text for text in shared if text not in prompt)
    if mode != "corrected":
        raise InputError(f"mode {mode!r} is unknown; choose one of: paper, corrected")
    known = " ".join(prompt.split())
    shared = _worded(reference, language) & _worded(candidate, language)
    return sorted(text for text in shared if text not in known)


def _worded(text: str, language: str) -> set[str]:
    plain = (" ".join(_SIGNS.sub("", comment.text).split()) for comment in comments(text, language))
    return {words for words in plain if is_worded(words)}


def is_worded(comment: str) -> bool:
    """Whether a comment, without its signs, has a word of two letters and is no note to a tool."""
    return _WORD.search(comment) is not None and not _PRAGMA.match(comment)


def _spans(text: str, language: str) -> Iterator[tuple[int, int]]:
    if language == "python":
        yield from scan_comments(text)
        return
    for offset, kind, value in lex_tokens(text, language):
        if kind in CommentType and kind not in CommentType.Preproc and kind not in CommentType.PreprocFile:
            stripped = value.rstrip("\r\n")
            yield offset, offset + len(stripped)
