"""The leading comment block of a source file, with line numbers and without comment signs."""

import re
from dataclasses import dataclass

__all__ = ["Header", "Paragraph", "is_license_file", "leading_block", "whole_text"]

LONGEST_HEADER = 60_000
"""Signs of a file in which the leading block is sought; a longer header is cut there."""
_LONGEST_LINE = 2_000
_LONGEST_LICENSE_FILE = 200_000
_LICENSE_FILE = re.compile(
    r"(?:^|[/\\])(?:(?:licen[cs]es?|copying|copyright|notice|unlicense|ofl|patents)(?:[-._][\w.-]{0,40})?|"
    r"[\w-]{0,40}[-._](?:licen[cs]e|copying))(?:\.(?:txt|md|rst|html?))?$|(?:^|[/\\])LICENSES[/\\][^/\\]{1,80}$",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    r"\.(?:py|pyx|pyi|c|h|cc|cpp|cxx|hpp|hh|java|cs|js|ts|go|rs|rb|php|sh|pl|swift|kt|scala|m)$", re.IGNORECASE
)
_LINE_SIGNS = re.compile(
    r"\s*(?://[/!]?|#+(?!\s*(?:include|define|undef|ifn?def|if|elif|else|endif|error|pragma)\b|!)|--+|;+|%+|dnl\b|rem\b)",
    re.IGNORECASE,
)
_SKIPPED = re.compile(
    r"#!|\s*#.{0,20}coding[:=]|\s*#\s*(?:vim?:|-\*-)|\s*(?:/\*|//)\s*-\*-|<\?(?:php|xml)|\s*//\s*clang-format"
    r"|#\s*(?:pylint|flake8|mypy|noqa)|\s*#\s*(?:ifndef|define)\s+\w+_H\w*\s*$|\s*#\s*pragma\s+once"
    r"|\s*['\"]use strict['\"]",
    re.IGNORECASE,
)
_BLOCKS = [
    ("/*", "*/"),
    ("<!--", "-->"),
    ('"""', '"""'),
    ("'''", "'''"),
    ("{-", "-}"),
    ("(*", "*)"),
    ("=begin", "=end"),
]
_DOC_PREFIX = re.compile(r"\s*[rRuUbB]{0,2}(?=\"\"\"|''')")
_LEFT = re.compile(r"^\s*(?:\*+(?!/)|//+!?|/\*+!?|#+|--+|;+|%+|dnl\b|rem\b|!+|\|)?[ \t]?", re.IGNORECASE)
_RIGHT = re.compile(r"\s*(?:\*+/|-->|[*#/|]{2,}|\*)\s*$")


@dataclass(frozen=True)
class Paragraph:
    """A run of non-empty lines, 1-based and inclusive, as ``text`` without comment signs."""

    start_line: int
    end_line: int
    text: str


@dataclass(frozen=True)
class Header:
    """The leading block: ``raw`` as it stands in the file, its last line, its cleaned lines by number.

    ``docstring`` holds the first and last line of a triple-quoted text in it, (0, 0) without one.
    """

    raw: str
    end_line: int
    lines: tuple[tuple[int, str], ...]
    docstring: tuple[int, int] = (0, 0)

    def paragraphs(self) -> list[Paragraph]:
        """The runs of lines that hold words."""
        found: list[Paragraph] = []
        run: list[tuple[int, str]] = []
        for number, line in [*self.lines, (self.end_line + 1, "")]:
            if re.search(r"\w", line):
                run.append((number, line))
            elif run:
                found.append(Paragraph(run[0][0], run[-1][0], "\n".join(text for _, text in run)))
                run = []
        return found


def is_license_file(path: str | None) -> bool:
    """Whether a path names a license text (LICENSE, COPYING, NOTICE, LICENSES/MIT.txt) rather than source code."""
    return bool(path) and not _SOURCE.search(path or "") and bool(_LICENSE_FILE.search(path or ""))


def whole_text(text: str) -> Header:
    """A license file as one block; at most 200,000 signs are read."""
    cut = text.removeprefix("\ufeff")[:_LONGEST_LICENSE_FILE]
    lines = tuple((number, line[:_LONGEST_LINE].strip()) for number, line in enumerate(cut.splitlines(), 1))
    return Header(cut, len(lines), lines)


def _clean(line: str) -> str:
    line = line[:_LONGEST_LINE]
    return _RIGHT.sub("", _LEFT.sub("", line, count=1), count=1)


def _block_end(lines: list[str], index: int, opening: str, closing: str, offset: int) -> int:
    """Index of the line that closes the block opened on ``index``; the last line if none does."""
    if lines[index].find(closing, offset + len(opening)) >= 0:
        return index
    for number in range(index + 1, len(lines)):
        if closing in lines[number]:
            return number
    return len(lines) - 1


def _opening(line: str) -> tuple[str, str, int] | None:
    prefix = _DOC_PREFIX.match(line)
    stripped = line[prefix.end() :] if prefix else line.lstrip()
    for opening, closing in _BLOCKS:
        if stripped.startswith(opening):
            return opening, closing, line.index(opening)
    return None


def leading_block(text: str) -> Header:
    """Comments and the docstring at the head of a source file, up to the first line of code.

    A byte order mark, interpreter, coding and editor lines are passed over. The first 60,000 signs are read.
    """
    text = text.removeprefix("\ufeff")
    for size in (4_000, LONGEST_HEADER):
        lines = text[:size].splitlines()
        kept, end, docstring = _scan(lines)
        # Most headers end early; only one that fills the first piece is read again from a longer one.
        if end < len(lines) - 1 or size >= len(text):
            break
    return Header("\n".join(lines[:end]), end, tuple(item for item in kept if item[0] <= end), docstring)


def _scan(lines: list[str]) -> tuple[list[tuple[int, str]], int, tuple[int, int]]:
    """Cleaned lines of the leading block with their numbers, the number of its last line, and the docstring's span."""
    kept: list[tuple[int, str]] = []
    index = end = 0
    docstring = (0, 0)
    while index < len(lines):
        line = lines[index][:_LONGEST_LINE]
        block = _opening(line)
        if not line.strip():
            kept.append((index + 1, ""))
        elif _SKIPPED.match(line):
            kept.append((index + 1, ""))
            end = index + 1
        elif block is not None:
            last = _block_end(lines, index, *block)
            kept.extend(_block_lines(lines, index, last, *block))
            if block[0] in {'"""', "'''"}:
                docstring = (index + 1, last + 1)
            index = last
            end = index + 1
        elif _LINE_SIGNS.match(line):
            kept.append((index + 1, _clean(line)))
            end = index + 1
        else:
            break
        index += 1
    return kept, end, docstring


def _block_lines(
    lines: list[str], first: int, last: int, opening: str, closing: str, offset: int
) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for number in range(first, last + 1):
        line = lines[number][:_LONGEST_LINE]
        if number == first:
            line = line[offset + len(opening) :]
        if number == last and closing in line:
            line = line[: line.index(closing)]
        found.append((number + 1, _clean(line)))
    return found
