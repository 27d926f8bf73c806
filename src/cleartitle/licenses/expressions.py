"""SPDX expressions: canonical form, class, duals and obligations."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from license_expression import ExpressionError, LicenseSymbol, LicenseWithExceptionSymbol, Licensing

from cleartitle.licenses.vocabulary import (
    CLASSES,
    OBLIGATIONS,
    UnknownLicenseError,
    Vocabulary,
    default_vocabulary,
    lookup,
)

__all__ = ["classify", "expression_ids", "is_dual", "license_class", "normalize", "obligations"]

_LONGEST = 2_000
_PARSER = Licensing()
# This parser knows no symbols: its own aliases would read "GPL" as GPL-1.0-or-later.


@lru_cache(maxsize=4096)
def _parse(expression: str) -> Any:
    text = expression.strip()
    depth = text.count("(")
    if not text or len(text) > _LONGEST or depth > 50:
        shown = text[:60] + ("..." if len(text) > 60 else "")
        raise UnknownLicenseError(f"{shown!r} is not a license expression; mend: give ids joined by AND, OR, WITH")
    try:
        tree = _PARSER.parse(text, simple=True)
    except (ExpressionError, IndexError, ValueError, TypeError, AttributeError) as error:
        raise UnknownLicenseError(f"{text[:80]!r} is not a license expression ({str(error)[:80]})") from None
    if tree is None:
        raise UnknownLicenseError(f"{text[:80]!r} is not a license expression; mend: give at least one id")
    return tree


def _id(symbol: str, vocabulary: Vocabulary) -> str:
    row = vocabulary.get(symbol)
    if row is None and symbol.endswith("+"):
        row = vocabulary.get(symbol[:-1] + "-or-later")
        if row is not None:
            return row.id
        row = vocabulary.get(symbol[:-1])
        if row is not None:
            return row.id + "+"
    row = row or lookup(symbol, vocabulary)
    return row.replaced_by or row.id


def _exception(symbol: str, vocabulary: Vocabulary) -> tuple[str, bool]:
    found = vocabulary.exception(symbol)
    if found is None:
        raise UnknownLicenseError(f"unknown license exception {symbol[:80]!r}; mend: use an SPDX exception id")
    return found


def _render(tree: Any, vocabulary: Vocabulary, parent: str = "") -> str:
    if isinstance(tree, LicenseWithExceptionSymbol):
        base = _id(tree.license_symbol.key, vocabulary)
        return f"{base} WITH {_exception(tree.exception_symbol.key, vocabulary)[0]}"
    if isinstance(tree, LicenseSymbol):
        return _id(tree.key, vocabulary)
    operator = tree.operator.strip()
    parts: list[str] = []
    for arg in tree.args:
        part = _render(arg, vocabulary, operator)
        if part not in parts:
            parts.append(part)
    text = f" {operator} ".join(parts)
    return f"({text})" if parent and parent != operator and len(parts) > 1 else text


def _whole(expression: str, vocabulary: Vocabulary) -> str | None:
    row = vocabulary.get(expression)
    return (row.replaced_by or row.id) if row else None


def normalize(expression: str, vocabulary: Vocabulary | None = None) -> str:
    """The canonical form of a license expression: ids in SPDX's spelling, operators in capitals, no repeats.

    ``GPL-3.0+`` becomes ``GPL-3.0-or-later``; ``GPL-3.0`` and other families keep their name, because they do not say
    whether later versions are meant. The order of the terms is kept.

    Raises:
        UnknownLicenseError: a name that the vocabulary does not hold, or no expression.
    """
    words = vocabulary or default_vocabulary()
    return _whole(expression, words) or _render(_parse(expression), words)


def _fold_tree(tree: Any, leaf: Callable[[str, bool], Any], join: Callable[[str, list[Any]], Any], words: Vocabulary):
    if isinstance(tree, LicenseWithExceptionSymbol):
        return leaf(_id(tree.license_symbol.key, words), _exception(tree.exception_symbol.key, words)[1])
    if isinstance(tree, LicenseSymbol):
        return leaf(_id(tree.key, words), False)
    return join(tree.operator.strip(), [_fold_tree(arg, leaf, join, words) for arg in tree.args])


def license_class(expression: str, vocabulary: Vocabulary | None = None) -> str:
    """The class of an SPDX expression or a family: one of ``CLASSES``.

    ``AND`` takes the most restrictive class, ``OR`` the least restrictive one, since the user may choose. ``WITH`` an
    exception that allows linking or frees output (``Classpath-exception-2.0``) turns strong into weak copyleft; any
    other exception keeps the class of the base. The class says what kind of terms a license has, not whether a use
    is lawful.

    Raises:
        UnknownLicenseError: a name that the vocabulary does not hold; it is never classed by guess.
    """
    words = vocabulary or default_vocabulary()

    def leaf(key: str, weakened: bool) -> int:
        class_ = lookup(key.rstrip("+"), words).class_
        return CLASSES.index("weak_copyleft" if weakened and class_ == "strong_copyleft" else class_)

    def join(operator: str, values: list[int]) -> int:
        return max(values) if operator == "AND" else min(values)

    whole = _whole(expression, words)
    return CLASSES[leaf(whole, False) if whole else _fold_tree(_parse(expression), leaf, join, words)]


def classify(expression: str | None, default: str | None = None, vocabulary: Vocabulary | None = None) -> str | None:
    """As ``license_class``, but ``default`` for None and for names that the vocabulary does not hold."""
    if expression is None:
        return default
    try:
        return license_class(expression, vocabulary)
    except UnknownLicenseError:
        return default


def is_dual(expression: str, vocabulary: Vocabulary | None = None) -> bool:
    """Whether the expression offers a choice (``OR``) of different licenses.

    Raises:
        UnknownLicenseError: a name that the vocabulary does not hold, or no expression.
    """
    return " OR " in normalize(expression, vocabulary)


def expression_ids(expression: str, vocabulary: Vocabulary | None = None) -> tuple[str, ...]:
    """The ids and families of an expression in order, each once, without exceptions.

    Raises:
        UnknownLicenseError: a name that the vocabulary does not hold, or no expression.
    """
    words = vocabulary or default_vocabulary()
    whole = _whole(expression, words)
    if whole:
        return (whole,)
    keys = _fold_tree(
        _parse(expression),
        lambda key, _: [key],
        lambda _, values: [key for value in values for key in value],
        words,
    )
    return tuple(dict.fromkeys(keys))


def obligations(expression: str, vocabulary: Vocabulary | None = None) -> tuple[str, ...]:
    """What the license asks for, as keys of ``OBLIGATIONS`` in their order.

    ``AND`` unites; ``OR`` takes those of the term with the least restrictive class, the shorter list on a tie. An
    empty result means that the table knows of none, not that none exist.

    Raises:
        UnknownLicenseError: a name that the vocabulary does not hold, or no expression.
    """
    words = vocabulary or default_vocabulary()

    def leaf(key: str, weakened: bool) -> tuple[int, frozenset[str]]:
        row = lookup(key.rstrip("+"), words)
        class_ = "weak_copyleft" if weakened and row.class_ == "strong_copyleft" else row.class_
        return CLASSES.index(class_), frozenset(row.obligations)

    def join(operator: str, values: list[tuple[int, frozenset[str]]]) -> tuple[int, frozenset[str]]:
        if operator == "OR":
            return min(values, key=lambda value: (value[0], len(value[1])))
        return max(value[0] for value in values), frozenset[str]().union(*(value[1] for value in values))

    whole = _whole(expression, words)
    _, found = leaf(whole, False) if whole else _fold_tree(_parse(expression), leaf, join, words)
    return tuple(key for key in OBLIGATIONS if key in found)
