"""How the CPP14 grammar reads C++ that has several readings, told from the tree of another grammar.

JPlag parses C++ with the public ANTLR grammar CPP14, which knows no names: a statement is a declaration wherever it can
be one, and ``f<T>(x)`` within an expression is two comparisons wherever it can be. The tree-sitter grammar takes the
likely reading. The functions here say which reading CPP14 takes.
"""

import re

from tree_sitter import Node

__all__ = [
    "DECLARATOR",
    "NAME",
    "PARAMETER",
    "arguments",
    "compares",
    "has_scope",
    "has_values",
    "is_called",
    "is_cast",
    "is_function",
    "is_keyword",
    "is_name",
    "parameters",
    "reading",
    "type_words",
    "unwrapped",
    "without_directives",
]

DECLARATOR = 1
"""The expression can also be a declarator: ``x``, ``*x``, ``(x)``, ``x[1]``, ``f(a, b)``."""
PARAMETER = 2
"""The expression can also be a parameter: ``T``, ``T * x``, ``T[1]``, ``T(x)``, ``T = 1``."""
NAME = 4
"""The expression is a name, which can also be that of a type."""

_TYPED = 8  # a type and a declarator in parentheses behind it: ``T(x)``, ``T(*x)(a)``, ``T(x)[1]``
_RETURNING = 16  # with a type behind an arrow: ``f(a)->b``
_DEEPEST = 40
_NAMES = frozenset(("identifier", "qualified_identifier", "template_function"))
_KEYWORDS = frozenset(
    (b"bool", b"char", b"char16_t", b"char32_t", b"double", b"float", b"int", b"void", b"wchar_t")
    + (b"long", b"short", b"signed", b"unsigned")
)
_CASTS = frozenset((b"static_cast", b"dynamic_cast", b"reinterpret_cast", b"const_cast"))
_WRAPPED = frozenset(
    (
        "pointer_declarator",
        "reference_declarator",
        "init_declarator",
        "attributed_declarator",
        "pointer_type_declarator",
    )
)
_ONE_WORD = frozenset(
    ("primitive_type", "type_identifier", "template_type", "qualified_identifier", "placeholder_type_specifier", "auto")
    + ("decltype",)
)
_TEXTS = re.compile(
    rb"\b(?:u8|[uUL])?R\"([^()\\\s]{0,16})\(.*?(?:\)\1\"|\Z)"
    rb"|\"(?:[^\"\\\r\n]|\\\r\n|\\.)*\"?|\d(?:'?[\w.])*|'(?:[^'\\\r\n]|\\\r\n|\\.)*'?"
    rb"|/\*.*?(?:\*/|\Z)|//(?:[^\\\r\n]|\\(?:\r?\n|\r)?)*"
    rb"|(?P<directive>\#(?:[^\\\r\n\"/]|\\(?:\r?\n|\r)?|\"(?:[^\"\\\r\n]|\\\r\n|\\.)*\"?"
    rb"|/\*.*?(?:\*/|\Z)|//(?:[^\\\r\n]|\\(?:\r?\n|\r)?)*|/)*)",
    re.DOTALL,
)
_BLANK = bytes(byte if byte in b"\r\n" else ord(" ") for byte in range(256))


def without_directives(source: bytes) -> bytes:
    """The same text with blanks in place of preprocessor lines and the lines that a backslash adds to them.

    CPP14 skips them, so that all branches of a conditional stand one after the other.
    """
    if b"#" not in source:
        return source
    pieces: list[bytes] = []
    done = 0
    for found in _TEXTS.finditer(source):
        if found.lastgroup == "directive":
            pieces += (source[done : found.start()], found[0].translate(_BLANK))
            done = found.end()
    pieces.append(source[done:])
    return b"".join(pieces)


def type_words(node: Node | None) -> int:
    """How many simple type specifiers CPP14 sees in a type: two in ``unsigned int``, none in ``struct s``."""
    if node is None:
        return 0
    if node.type != "sized_type_specifier":
        return int(node.type in _ONE_WORD)
    words = [child.type for child in node.children]
    lengths = ("long", "short")
    return sum(word not in lengths or words[index - 1] not in lengths for index, word in enumerate(words) if index) + 1


def arguments(node: Node) -> list[Node]:
    """The arguments in a list of them, without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def is_cast(function: Node) -> bool:
    """Whether what is called is ``static_cast`` or one of its kind."""
    if function.type != "template_function":
        return False
    name = function.child_by_field_name("name")
    return name is not None and name.text in _CASTS


def is_keyword(name: Node) -> bool:
    """Whether a type is a word of the language: ``int`` is, ``size_t`` and ``uint8_t`` are names."""
    return name.type in ("primitive_type", "identifier") and name.text in _KEYWORDS


def is_name(descriptor: Node) -> bool:
    """Whether a type can also be the name of a value: ``T`` and ``a::T`` can, ``int`` and ``T*`` can not."""
    return _is_expression(descriptor, True, 0)


def has_scope(name: Node) -> bool:
    """Whether a name has a scope before its last part (``a::f``, but not ``::f``)."""
    if name.type != "qualified_identifier":
        return False
    inner = name.child_by_field_name("name")
    return name.child_by_field_name("scope") is not None or (inner is not None and inner.type == "qualified_identifier")


def parameters(values: list[Node], depth: int = 0) -> bool:
    """Whether all arguments can be parameters; true of none."""
    return all(reading(value, depth) & PARAMETER for value in values)


def reading(node: Node, depth: int = 0) -> int:
    """What else an expression can be: ``DECLARATOR``, ``PARAMETER``, both added, or 0.

    Of what nests deeper than 40 the answer is 0.
    """
    kind = node.type
    if kind in _NAMES:
        return 0 if is_cast(node) else DECLARATOR | PARAMETER | NAME
    if depth > _DEEPEST:
        return 0
    if kind == "null":
        return DECLARATOR | PARAMETER | NAME if node.text == b"NULL" else 0
    if kind == "primitive_type":
        return PARAMETER | NAME | (0 if is_keyword(node) else DECLARATOR)
    part = _PARTS.get(kind)
    return part(node, depth + 1) if part else 0


def _of_pointer(node: Node, depth: int) -> int:
    argument = node.child_by_field_name("argument")
    return 0 if argument is None else reading(argument, depth) & DECLARATOR


def _of_parentheses(node: Node, depth: int) -> int:
    inner = arguments(node)
    return reading(inner[0], depth) & DECLARATOR if len(inner) == 1 else 0


def _of_subscript(node: Node, depth: int) -> int:
    argument = node.child_by_field_name("argument")
    indices = node.child_by_field_name("indices")
    if argument is None or indices is None:
        return 0
    values = arguments(indices)
    if len(values) != 1 or values[0].type in ("assignment_expression", "initializer_list", "comma_expression"):
        return 0
    inner = reading(argument, depth)
    return inner & (DECLARATOR | _TYPED) | (PARAMETER if inner & (NAME | _TYPED) else 0)


def _of_call(node: Node, depth: int) -> int:
    function = node.child_by_field_name("function")
    listed = node.child_by_field_name("arguments")
    if function is None or listed is None or listed.type != "argument_list":
        return 0
    inner = reading(function, depth)
    values = arguments(listed) if inner else []
    flags = [reading(value, depth) for value in values]
    if inner & _RETURNING:
        return PARAMETER if all(flag & PARAMETER for flag in flags) else 0
    typed = _TYPED if inner & NAME and len(flags) == 1 and flags[0] & DECLARATOR else 0
    if all(flag & PARAMETER for flag in flags):
        return inner & (DECLARATOR | _TYPED) | typed | (PARAMETER if inner & (NAME | _TYPED) else 0)
    return PARAMETER | typed if typed else 0


def _of_field(node: Node, depth: int) -> int:
    """``f(a)->b`` can be a parameter of type ``f``, a function that returns a ``b``."""
    operator = node.child_by_field_name("operator")
    argument = node.child_by_field_name("argument")
    if operator is None or argument is None or operator.type != "->" or argument.type != "call_expression":
        return 0
    function = argument.child_by_field_name("function")
    listed = argument.child_by_field_name("arguments")
    if function is None or listed is None or not parameters(arguments(listed), depth):
        return 0
    return PARAMETER | _RETURNING if reading(function, depth) & (NAME | _RETURNING) else 0


def _of_operation(node: Node, depth: int) -> int:
    left = node.child_by_field_name("left")
    right = node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None or operator.type not in ("*", "&", "&&"):
        return 0
    return PARAMETER if left.type in _NAMES and reading(right, depth) & DECLARATOR else 0


def _of_assignment(node: Node, depth: int) -> int:
    left = node.child_by_field_name("left")
    operator = node.child_by_field_name("operator")
    return reading(left, depth) & PARAMETER if left is not None and operator is not None and operator.type == "=" else 0


_PARTS = {
    "pointer_expression": _of_pointer,
    "parenthesized_expression": _of_parentheses,
    "subscript_expression": _of_subscript,
    "call_expression": _of_call,
    "field_expression": _of_field,
    "binary_expression": _of_operation,
    "assignment_expression": _of_assignment,
}


def is_called(declaration: Node) -> bool:
    """Whether the first declarator of a declaration has parameters or stands in parentheses, as a call would."""
    node = unwrapped(declaration.child_by_field_name("declarator"))
    if node is None or (node.type == "function_declarator" and has_values(node)):
        return False
    return node.type in ("init_declarator", "function_declarator", "parenthesized_declarator")


def has_values(declarator: Node) -> bool:
    """Whether what the tree takes for parameters is values, as in ``T x(y, sizeof (y));`` and ``T &x(y.z);``."""
    listed = declarator.child_by_field_name("parameters")
    return any(_is_value(parameter) for parameter in (listed.named_children if listed is not None else ()))


def _is_value(parameter: Node) -> bool:
    named = parameter.child_by_field_name("type")
    if named is not None and named.type == "type_identifier" and named.text == b"sizeof":
        return True
    if not parameter.has_error:
        return False
    return any(
        child.is_error and child.children and child.children[0].type in (".", "->") for child in parameter.children
    )


def unwrapped(node: Node | None) -> Node | None:
    """The declarator without pointers, references and values; with its value where that can be parameters."""
    while node is not None:
        if node.type == "qualified_identifier":
            node = node.child_by_field_name("name")
            continue
        if node.type not in _WRAPPED:
            return node
        value = node.child_by_field_name("value") if node.type == "init_declarator" else None
        if value is not None and value.type == "argument_list" and (values := arguments(value)) and parameters(values):
            return node
        inner = node.child_by_field_name("declarator")
        node = inner if inner is not None else next(reversed(node.named_children), None)
    return None


def is_function(definition: Node) -> bool:
    """Whether what the tree takes for the definition of a function has parameters.

    Macros let it take other things for functions, as the class in ``class EXPORT C {}`` and the block in
    ``BEGIN namespace n {}``.
    """
    node = unwrapped(definition.child_by_field_name("declarator"))
    return node is not None and node.type in ("function_declarator", "operator_cast")


def compares(call: Node, listed: bool) -> bool:
    """Whether CPP14 takes a call with template arguments, ``f<T>(x)``, for the comparisons ``f < T > (x)``.

    It does where both are possible: the template arguments must be expressions, not types such as ``int`` or ``T*``,
    and there must be an argument in the parentheses. Several of either need a place where a comma may stand
    (``listed``).
    """
    template = call.child_by_field_name("function")
    while template is not None and template.type in ("qualified_identifier", "field_expression"):
        template = template.child_by_field_name("field" if template.type == "field_expression" else "name")
    if template is None or template.type not in ("template_function", "template_method"):
        return False
    listed_values = call.child_by_field_name("arguments")
    values = arguments(listed_values) if listed_values is not None else []
    if not values or any(value.type in ("initializer_list", "parameter_pack_expansion") for value in values):
        return False
    return _are_expressions(template, listed, 0)


def _are_expressions(template: Node, listed: bool, depth: int) -> bool:
    found = template.child_by_field_name("arguments")
    values = arguments(found) if found is not None else []
    if not values or (len(values) > 1 and not listed) or depth > _DEEPEST:
        return False
    return all(value.type != "type_descriptor" or _is_expression(value, listed, depth) for value in values)


def _is_expression(descriptor: Node, listed: bool, depth: int) -> bool:
    parts = descriptor.named_children
    if len(parts) != 1:
        return False
    node: Node | None = parts[0]
    while node is not None and node.type == "qualified_identifier":
        scope = node.child_by_field_name("scope")
        if scope is not None and scope.type == "template_type" and not _are_expressions(scope, listed, depth + 1):
            return False
        node = node.child_by_field_name("name")
    if node is None or node.type in ("type_identifier", "primitive_type"):
        return node is not None and not is_keyword(node)
    return node.type == "template_type" and _are_expressions(node, listed, depth + 1)
