"""C++ statements that are expressions, as the CPP14 grammar reads them: as declarations wherever they can be.

``x = 1;`` declares an ``x`` without a type, ``f(a, b);`` a function with two parameters, ``a::f(1);`` a variable
``::f`` of type ``a``, ``f(a)->g();`` a function that returns a ``g``. JPlag makes calls of most of these again, but the
parameters and types leave their tokens.
"""

from typing import Any

from tree_sitter import Node

from cleartitle.code.streams.jplag_cpp_readings import (
    DECLARATOR,
    NAME,
    arguments,
    has_scope,
    is_keyword,
    parameters,
    reading,
)
from cleartitle.code.streams.jplag_cpp_walk import BODY, LISTED, TYPES, Handler, Walk

__all__ = ["expression_statement", "read_parameter"]

_Part = tuple[Node, list[Node]]


def expression_statement(walk: Walk, node: Node, place: int) -> None:
    """Read a statement that is one expression."""
    place = place & BODY | LISTED
    found = arguments(node)
    if not found:
        return
    expression = found[0]
    reader = _READERS.get(expression.type)
    if reader is None or not reader(walk, expression, place):
        walk.read([expression], place)


def _name(walk: Walk, node: Node, _place: int) -> bool:
    walk.add("VARDEF", node)
    return True


def _product(walk: Walk, node: Node, place: int) -> bool:
    """``T * x(1);`` and ``T & x;``."""
    left, right, operator = (node.child_by_field_name(field) for field in ("left", "right", "operator"))
    if left is None or right is None or operator is None or operator.type not in ("*", "&", "&&"):
        return False
    if not reading(left) & NAME:
        return False
    if right.type == "call_expression":
        base, lists = _calls(right)
        if base is None or len(lists) != 1 or not reading(base) & NAME:
            return False
        called = parameters(lists[0])
        if not called:
            walk.add("VARDEF", left)
        if not called or place & BODY:
            walk.add("APPLY", right)
        _read_arguments(walk, lists[0], place if called else place | TYPES, called)
        return True
    if not reading(right) & DECLARATOR:
        return False
    walk.add("VARDEF", left)
    _read_declarator(walk, right, place | TYPES)
    return True


def _read_arguments(walk: Walk, values: list[Node], place: int, as_parameters: bool) -> None:
    if as_parameters:
        walk.later(read_parameter, values, place)
    else:
        walk.read(values, place)


def _calls(node: Node) -> tuple[Node | None, list[list[Node]]]:
    """What ``f(a)(b)`` calls, ``f``, and the lists of arguments, in order."""
    lists: list[list[Node]] = []
    inner: Node | None = node
    while inner is not None and inner.type == "call_expression":
        listed = inner.child_by_field_name("arguments")
        lists.append(arguments(listed) if listed is not None else [])
        inner = inner.child_by_field_name("function")
    lists.reverse()
    return inner, lists


def _call(walk: Walk, node: Node, place: int) -> bool:
    base, lists = _calls(node)
    if base is None:
        return False
    kind = reading(base)
    if not kind & DECLARATOR:
        return _arrows(walk, node, [], place)
    first = lists[0]
    variable = len(first) == 1 and kind & NAME and reading(first[0]) & DECLARATOR
    able = [bool(variable) or parameters(first), *map(parameters, lists[1:])]
    if not all(able[:-1]):
        return False
    if len(lists) == 1 and not able[0]:
        if has_scope(base):
            walk.add("VARDEF", base)
        walk.add("APPLY", node)
        walk.read(first, place | TYPES)
        return True
    if place & BODY:
        walk.add("APPLY", node)
    if not able[-1]:
        walk.add("APPLY", node)
        walk.read(lists[-1], place)
        lists = lists[:-1]
    for values in reversed(lists[1:]):
        walk.later(read_parameter, values, place)
    walk.later(_read_declarator if variable else read_parameter, first, place)
    return True


def _arrow_parts(node: Node) -> list[_Part] | None:
    """The names and arguments in ``f(a)->g(b)``, the last first, if it is that; the last may be without arguments."""
    parts: list[_Part] = []
    while True:
        values: list[Node] = []
        function: Node | None = node
        if node.type == "call_expression":
            listed = node.child_by_field_name("arguments")
            values = arguments(listed) if listed is not None else []
            function = node.child_by_field_name("function")
        elif parts:
            return None
        if function is None:
            return None
        parts.append((function, values))
        if function.type != "field_expression":
            return parts if len(parts) > 1 and reading(function) & NAME else None
        operator = function.child_by_field_name("operator")
        inner = function.child_by_field_name("argument")
        if operator is None or inner is None or operator.type != "->":
            return None
        node = inner


def _arrows(walk: Walk, node: Node, rest: list[Node], place: int) -> bool:
    """A function with the type that it returns behind an arrow; only its last arguments may be more than parameters.

    Args:
        walk: the walk.
        node: ``f(a)->g`` or ``f(a)->g(b)``.
        rest: what is assigned to it, behind the brackets of a subscript if there are any.
        place: where it stands.
    """
    parts = _arrow_parts(node)
    if parts is None or not all(parameters(values) for _, values in parts[1:]):
        return False
    last, values = parts[0]
    waiting: list[tuple[Handler, Any, int]] = []
    if has_scope(parts[-1][0]):
        walk.add("VARDEF", node)
    if rest:
        walk.add("ASSIGN", node)
        walk.read(rest, place & ~LISTED | TYPES)
    if not parameters(values):
        walk.add("APPLY", node)
        walk.read(values, place | TYPES)
        parts[0] = (last, [])
    for function, listed in reversed(parts):
        if function.type == "field_expression":
            waiting.append((_variable, function, place))
        waiting += [(read_parameter, argument, place) for argument in listed]
    walk.stack += reversed(waiting)
    return True


def _braced(walk: Walk, node: Node, place: int) -> bool:
    """``T{1};`` and ``a::T{1};``."""
    named, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    if named is None or value is None or is_keyword(named):
        return False
    if has_scope(named):
        walk.add("VARDEF", named)
    walk.read([value], place | TYPES)
    return True


def _field(walk: Walk, node: Node, place: int) -> bool:
    return _arrows(walk, node, [], place)


def _variable(walk: Walk, node: Node, _place: int) -> None:
    walk.add("VARDEF", node)


def _assignment(walk: Walk, node: Node, place: int) -> bool:
    if _is_initial(node):
        _read_initial(walk, node, place)
        return True
    left, right, operator = (node.child_by_field_name(field) for field in ("left", "right", "operator"))
    if left is None or right is None or operator is None or operator.type != "=":
        return False
    inner = left.child_by_field_name("argument") if left.type == "subscript_expression" else left
    if inner is None or inner.type != "field_expression":
        return False
    indices = left.child_by_field_name("indices")
    return _arrows(walk, inner, [*(indices.children if indices is not None else []), right], place)


def _list(walk: Walk, node: Node, place: int) -> bool:
    """``x = 1, y = 2;``."""
    parts: list[Node] = []
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if part.type == "comma_expression":
            waiting += reversed(arguments(part))
        else:
            parts.append(part)
    if not all(map(_is_initial, parts)):
        return False
    walk.later(_read_initial, parts, place)
    return True


def _is_initial(expression: Node) -> bool:
    """Whether it declares a variable: a declarator, with ``=`` and a value or without."""
    if expression.type != "assignment_expression":
        return bool(reading(expression) & DECLARATOR) and expression.type != "call_expression"
    left = expression.child_by_field_name("left")
    operator = expression.child_by_field_name("operator")
    if left is None or operator is None or operator.type != "=" or left.type == "call_expression":
        return False
    return bool(reading(left) & DECLARATOR)


def _read_initial(walk: Walk, node: Node, place: int) -> None:
    left = node.child_by_field_name("left") if node.type == "assignment_expression" else node
    if left is None:
        return
    if has_scope(left):
        walk.add("VARDEF", left)
    right = node.child_by_field_name("right")
    if right is not None and left is not node:
        walk.add("ASSIGN", node)
        walk.read([right], place & BODY | TYPES)
    _read_declarator(walk, left, place | TYPES)


def read_parameter(walk: Walk, node: Node, place: int) -> None:
    """Read an expression that CPP14 takes for a parameter."""
    walk.add("VARDEF", node)
    place &= ~TYPES
    if node.type == "assignment_expression":
        right = node.child_by_field_name("right")
        left = node.child_by_field_name("left")
        if right is None or left is None:
            return
        walk.read([right], place)
        node = left
    if node.type == "binary_expression":
        right = node.child_by_field_name("right")
        walk.later(_read_declarator, [right] if right is not None else [], place)
    elif node.type in ("call_expression", "subscript_expression", "field_expression"):
        parts = _arrow_parts(node)
        if parts is None:
            _read_typed(walk, node, place)
        else:
            for _, values in parts:
                walk.later(read_parameter, values, place)


def _read_typed(walk: Walk, node: Node, place: int) -> None:
    """Read what stands behind the type of a parameter: ``(x)``, ``(*x)(a)``, ``[1]``."""
    inner = node.child_by_field_name("function" if node.type == "call_expression" else "argument")
    if inner is not None and inner.type in ("call_expression", "subscript_expression"):
        walk.stack.append((_read_suffix, node, place))
        walk.stack.append((_read_typed, inner, place))
        return
    listed = node.child_by_field_name("arguments")
    values = arguments(listed) if listed is not None else []
    if len(values) == 1 and reading(values[0]) & DECLARATOR:
        walk.later(_read_declarator, values, place)
    else:
        _read_suffix(walk, node, place)


def _read_suffix(walk: Walk, node: Node, place: int) -> None:
    listed = node.child_by_field_name("arguments")
    indices = node.child_by_field_name("indices")
    walk.later(read_parameter, arguments(listed) if listed is not None else [], place)
    walk.read(indices.children if indices is not None else [], place)


def _read_declarator(walk: Walk, node: Node, place: int) -> None:
    """Read an expression that CPP14 takes for a declarator."""
    kind = node.type
    if kind == "call_expression":
        listed = node.child_by_field_name("arguments")
        function = node.child_by_field_name("function")
        walk.later(read_parameter, arguments(listed) if listed is not None else [], place)
        walk.later(_read_declarator, [function] if function is not None else [], place)
    elif kind == "subscript_expression":
        indices = node.child_by_field_name("indices")
        argument = node.child_by_field_name("argument")
        walk.read(indices.children if indices is not None else [], place)
        walk.later(_read_declarator, [argument] if argument is not None else [], place)
    elif kind in ("pointer_expression", "parenthesized_expression"):
        walk.later(_read_declarator, arguments(node), place)


_READERS = {
    "identifier": _name,
    "qualified_identifier": _name,
    "call_expression": _call,
    "compound_literal_expression": _braced,
    "field_expression": _field,
    "assignment_expression": _assignment,
    "comma_expression": _list,
    "binary_expression": _product,
}
