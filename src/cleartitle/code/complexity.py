"""Cyclomatic complexity: radon's count for Python, lizard's for the other languages."""

import ast
import textwrap
from typing import Any

from radon.visitors import ComplexityVisitor

from cleartitle.code.languages import language as find_language
from cleartitle.code.python_source import PythonSource, UnparsableError
from cleartitle.errors import InputError

__all__ = ["complexity", "function_complexity"]


def complexity(text: str, language: str = "python") -> int:
    """Cyclomatic complexity of the most complex outermost function in ``text``, at least 1.

    Radon's count for Python (see :func:`function_complexity`), lizard's for other languages; the two differ on
    boolean operators, comprehensions and nested functions, so that values of different languages do not compare.

    Raises:
        UnparsableError: not a Python program.
        InputError: unknown language, or no function in the text.
    """
    entry = find_language(language, "complexity")
    counts = _python_counts(text) if language == "python" else _lizard_counts(text, entry.extensions[0])
    if not counts:
        raise InputError(f"no {language} function in the text, so no complexity; pass a whole function")
    return max(counts)


def function_complexity(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Cyclomatic complexity (McCabe 1976) of a function as radon counts it, at least 1.

    One for the function and one more for each branch, loop, boolean operator, comprehension and its conditions,
    ``assert`` and handler; nested functions add theirs. The number tells how many paths there are, not how original
    they are.
    """
    visitor = ComplexityVisitor()
    visitor.visit(node)
    return int(visitor.functions[0].complexity)


def _python_counts(text: str) -> list[int]:
    tree = PythonSource(textwrap.dedent(text)).tree
    try:
        visitor: Any = ComplexityVisitor.from_ast(tree)
    except RecursionError:
        raise UnparsableError("nested too deeply") from None
    methods = [method for block in visitor.classes for method in block.methods]
    return [int(function.complexity) for function in [*visitor.functions, *methods]]


def _lizard_counts(text: str, suffix: str) -> list[int]:
    import lizard

    result = lizard.analyze_file.analyze_source_code(f"text{suffix}", text)
    return [int(function.cyclomatic_complexity) for function in result.function_list]
