"""Words of Python source as CodeMI's LSTM reads them: without comments and layout, from a closed vocabulary."""

import io
import tokenize
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError
from cleartitle.files import read_json, write_json

__all__ = ["Word", "WordTokenizer", "python_words"]

Word = tuple[str, int, int]
"""Text, first character, one past the last character."""

LAYOUT = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    }
)
FILE = "words.json"


def python_words(text: str, limit: int | None = None) -> list[Word]:
    """The first ``limit`` words of Python source, comments and layout left out.

    CodeMI's release takes its words from an unparsed syntax tree; these are those of the file itself, so that each has
    its place in it. A file that stops to be Python gives the words up to there.
    """
    lines = [0]
    for line in io.StringIO(text):
        lines.append(lines[-1] + len(line))
    found: list[Word] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in LAYOUT or not token.string:
                continue
            start = lines[token.start[0] - 1] + token.start[1]
            found.append((token.string, start, lines[token.end[0] - 1] + token.end[1]))
            if len(found) == limit:
                break
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


class WordTokenizer:
    """Numbers for words: the ``size`` most frequent ones of some texts, one number for every other word.

    It has what `cleartitle.models.training` asks of a tokenizer.
    """

    pad_token_id = 0
    unknown_id = 1
    eos_token_id = 2

    def __init__(self, words: Sequence[str]) -> None:
        """Words in order of their numbers, which begin at 3."""
        self.words = list(words)
        self._ids = {word: number for number, word in enumerate(self.words, 3)}

    @classmethod
    def of(cls, texts: Iterable[str], size: int) -> "WordTokenizer":
        """The vocabulary of these texts; ties in frequency go by the alphabet."""
        counts = Counter(word for text in texts for word, _, _ in python_words(text))
        return cls([word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:size]])

    @classmethod
    def load(cls, folder: Path) -> "WordTokenizer":
        """Read what `save_pretrained` wrote.

        Raises:
            InputError: the folder holds no vocabulary of words.
        """
        if not (folder / FILE).is_file():
            raise InputError(f"{folder}: holds no {FILE}; mend: name the folder of a trained LSTM")
        return cls(read_json(folder / FILE))

    def __len__(self) -> int:
        return len(self.words) + 3

    def __call__(self, text: str, *, add_special_tokens: bool = False) -> dict[str, Any]:
        """Word numbers of a text; there are no special tokens to add."""
        return {"input_ids": [self._ids.get(word, self.unknown_id) for word, _, _ in python_words(text)]}

    def spans(self, text: str) -> tuple[list[int], list[int], list[int]]:
        """Word numbers, and the place of each word in the text: first character and one past the last."""
        words = python_words(text)
        ids = [self._ids.get(word, self.unknown_id) for word, _, _ in words]
        return ids, [start for _, start, _ in words], [end for _, _, end in words]

    def save_pretrained(self, folder: Path) -> None:
        """Write the vocabulary into a folder."""
        write_json(Path(folder) / FILE, self.words)
