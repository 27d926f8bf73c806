"""Signs that a reader does not see or that turn what he sees, found and made visible."""

import re

__all__ = ["HIDDEN_SIGNS", "code_point", "visible"]

# Controls except tab and line feed; what has no glyph or turns the direction of what follows; halves of surrogate
# pairs, which are no characters; line separators; the tag letters, which hide text; private use; noncharacters.
HIDDEN_SIGNS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)


def visible(text: str) -> str:
    """The text with each hidden sign as ``[U+202E]``; tabs and line feeds stay."""
    return HIDDEN_SIGNS.sub(lambda match: f"[{code_point(match[0])}]", text)


def code_point(sign: str) -> str:
    """Its number as Unicode writes it."""
    return f"U+{ord(sign):04X}"
