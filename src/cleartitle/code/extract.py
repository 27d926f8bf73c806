"""From a model's answer to the body of the function that was asked for."""

import re
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from cleartitle.code.answer_lines import after_docstring, header_end, opens_more, read_block, read_line
from cleartitle.code.continuation import continuation, defines_another
from cleartitle.code.languages import language as find_language
from cleartitle.errors import InputError

__all__ = ["Extraction", "extract_body", "fenced_blocks", "without_thoughts"]

How = Literal["definition", "continuation", "other definition", "raw", "nothing"]

# Each may reach to the end of the text, so that the work stays a small multiple of its length.
DEFINITIONS_TRIED = 16
_FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})[ \t]*([^\n`]*)$", re.MULTILINE)
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_ANY_DEFINITION = re.compile(r"^(?:async[ \t]+)?def[ \t]+\w+[ \t]*[(\[]", re.MULTILINE)
_LABELS = {
    "python": re.compile(r"py", re.IGNORECASE),
    "java": re.compile(r"java\b(?!script)", re.IGNORECASE),
    "c": re.compile(r"[ch]\b(?![+#])", re.IGNORECASE),
    "cpp": re.compile(r"c(?:pp|xx|c|\+\+)|h(?:pp|h)\b", re.IGNORECASE),
    "csharp": re.compile(r"c(?:#|s\b|sharp|-sharp)", re.IGNORECASE),
}
_LEADING_BLANKS = re.compile(r"\A(?:[ \t\f]*\n)+")


@dataclass(frozen=True)
class Extraction:
    """The body found in an answer.

    Attributes:
        body: the body as it stands in the answer, without blank lines before and after it; empty if none was found.
        how: ``definition`` (a ``def`` of the name), ``continuation`` (the answer goes on where the prompt ended),
            ``other definition`` (only functions of other names; the first is taken), ``raw`` (paper mode: no
            definition at all), ``nothing`` (no code).
        truncated: the answer stops within a string, a bracket or a statement. Always False in paper mode.
    """

    body: str
    how: How
    truncated: bool


def extract_body(
    answer: str,
    name: str,
    prompt: str = "",
    mode: Literal["paper", "corrected"] = "corrected",
    language: str = "python",
) -> Extraction:
    """Cut the body of function ``name`` out of a model's ``answer`` to ``prompt``.

    ``paper`` follows the release of LiCoEval as far as it is described: the fence, then what follows the next colon
    and line end behind ``def name``, no leading docstring, cut at the next ``def`` at a line start, at the main guard
    and at "# Example usage". Its quirks are kept: a header that ends in a comment loses lines, a class after the
    function stays. ``corrected`` takes the fenced block that defines the function, reads its header whole, ends the
    body where its indentation ends, understands an answer that only continues the prompt, keeps code that was cut
    short, and drops prose. Neither looks for refusals.

    Raises:
        InputError: unknown mode, or a language whose functions cannot be cut.
    """
    find_language(language, "functions")
    if mode == "paper":
        return _paper(answer, name)
    if mode != "corrected":
        raise InputError(f"mode {mode!r} is unknown; choose one of: paper, corrected")
    text = without_thoughts(answer)
    if prompt.strip() and text.startswith(prompt):
        text = text[len(prompt) :]
    return _corrected(text, name)


def without_thoughts(answer: str) -> str:
    r"""The answer without a block of reasoning at its start, without a byte order mark and with ``\n`` ends."""
    text = answer.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return _THOUGHTS.sub("", text, count=1)


def _paper(answer: str, name: str) -> Extraction:
    text = answer
    for fenced in (answer, answer + "\n```"):
        match = re.search(r"```python(.*?)```", fenced, re.DOTALL) or re.search(r"```(.*?)```", fenced, re.DOTALL)
        if match:
            text = match[1]
            break
    how: How = "raw"
    start = text.find(f"def {name}")
    if start >= 0:
        how, text = "definition", _past_colon(text[start:])
    elif generic := re.search(r"\ndef \w+\(", text):
        how, text = "other definition", _past_colon(text[generic.start() + 1 :])
    text = _past_docstring(text)
    for mark in ("\ndef", '__name__ == "__main__":', "# Example usage"):
        text = text.split(mark, 1)[0]
    return Extraction(text.strip("\n"), how, truncated=False)


def _past_colon(text: str) -> str:
    _, colon, rest = text.partition(":\n")
    return rest if colon else text


def _past_docstring(text: str) -> str:
    bare = text.lstrip()
    for quotes in ('"""', "'''"):
        if bare.startswith(quotes):
            _, closed, rest = bare[3:].partition(quotes)
            return rest if closed else text
    return text


def _corrected(text: str, name: str) -> Extraction:
    marked, others = fenced_blocks(text)
    blocks = marked + others
    definition = re.compile(rf"^[ \t]*(?:async[ \t]+)?def[ \t]+{re.escape(name)}[ \t]*[(\[]", re.MULTILINE)
    for places in (blocks, [text]):
        matches = ((place, match) for place in places for match in definition.finditer(place))
        found = [_from_definition(place, match, "definition") for place, match in islice(matches, DEFINITIONS_TRIED)]
        if found:
            return max(found, key=_size)
    code = blocks[0] if blocks else text
    other = _ANY_DEFINITION.search(code)
    if other and defines_another(code, other.start()):
        return _from_definition(code, other, "other definition")
    body, truncated = continuation(code, fenced=bool(blocks))
    body = _trim(body)
    return Extraction(body, "continuation" if body else "nothing", truncated and bool(body))


def _size(extraction: Extraction) -> int:
    return len(extraction.body.split())


def _trim(body: str) -> str:
    return _LEADING_BLANKS.sub("", body).rstrip()


def fenced_blocks(text: str, language: str = "python") -> tuple[list[str], list[str]]:
    """Contents of the fenced blocks marked as ``language``, and of the others; one that was left open comes last.

    A closing fence stands no deeper than its opening one, so that fences in an indented docstring do not count. An
    unmarked fence after indented code closes a fence that stood in the prompt; then the code before it counts.
    """
    marks = list(_FENCE.finditer(text))
    if marks and not marks[0][3] and re.match(r"\n*[ \t]+\S", text[: marks[0].start()]):
        return [text[: marks[0].start()]], []
    label = _LABELS[language]
    marked: list[str] = []
    others: list[str] = []

    def sort_in(opened: re.Match[str], end: int) -> None:
        (marked if label.match(opened[3].strip()) else others).append(text[opened.end() + 1 : end])

    opened: re.Match[str] | None = None
    for mark in marks:
        if opened is None:
            opened = mark
        elif not mark[3].strip() and mark[2].startswith(opened[2]) and len(mark[1]) <= len(opened[1]):
            sort_in(opened, mark.start())
            opened = None
    if opened is not None:
        sort_in(opened, len(text))
    return marked, others


def _from_definition(text: str, match: re.Match[str], how: How) -> Extraction:
    lead = match[0][: len(match[0]) - len(match[0].lstrip())]
    outer = len(lead.expandtabs(8))
    start = header_end(text, match.start())
    if start is None:
        return Extraction("", how, truncated=True)
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    rest = text[start:line_end].strip()
    if not rest or rest.startswith("#"):
        start = min(line_end + 1, len(text))
    body_start = after_docstring(text, start)
    on_header_line = body_start < line_end and bool(text[body_start:line_end].strip())
    end, truncated = read_line(text, body_start) if on_header_line else read_block(text, body_start, outer)
    body = _trim(text[body_start:end])
    if not body and not text[body_start:].strip():
        truncated = not text[start:].strip() or opens_more(text, start)
    return Extraction(body, how, truncated)
