"""The token stream that JPlag 6.3.0 makes of C++.

JPlag listens to a parser that ANTLR makes of the public CPP14 grammar. The rules here follow from its token dumps, from
the list of its token types and from that grammar; ``docs/token-streams.md`` says which rules no dump confirms. What
CPP14 reads otherwise than the tree-sitter grammar is told in ``jplag_cpp_readings``.
"""

import re

from tree_sitter import Node

from cleartitle.code.streams import Tokens
from cleartitle.code.streams.jplag_cpp_readings import (
    arguments,
    compares,
    has_values,
    is_called,
    is_cast,
    is_function,
    is_keyword,
    is_name,
    parameters,
    type_words,
    unwrapped,
    without_directives,
)
from cleartitle.code.streams.jplag_cpp_statements import expression_statement, read_parameter
from cleartitle.code.streams.jplag_cpp_walk import BODY, LISTED, TYPES, Handler, Walk
from cleartitle.code.streams.parse import check_deadline, grammar, parse

__all__ = ["tokens"]

_STEPS_PER_CHECK = 4096
_REST_OF_ARRAY = re.compile(rb"(?:\s{0,9}\w{1,99})?[\s*]{0,9}\[")  # tree-sitter does not read ``new T*[n]`` whole
_TYPE_NAMES = frozenset(("type_identifier", "qualified_identifier", "primitive_type"))
_BODIES = frozenset(("compound_statement", "try_statement"))
_CLASSES = {"class_specifier": "CLASS", "struct_specifier": "STRUCT", "union_specifier": "UNION"}


def tokens(source: bytes) -> Tokens:
    """JPlag's tokens of a C++ program, without the one for the end of the file.

    Each has one row: where the construct begins, or where it ends for a token of its end. Preprocessor lines are
    skipped. Any bytes are read; what is no program gives the tokens of the parts that are.

    Raises:
        DeadlineError: the deadline of this thread passed.
    """
    if not _HANDLERS:
        _HANDLERS.update(_by_kind())
    walk = Walk(without_directives(source), _HANDLERS)
    stack = walk.stack
    stack.append((_descend, parse(walk.source, "cpp").root_node, LISTED))
    count = 0
    while stack:
        count += 1
        if count % _STEPS_PER_CHECK == 0:
            check_deadline()
        handler, node, place = stack.pop()
        handler(walk, node, place)
    return Tokens(walk.names, walk.rows, walk.rows.copy())


def _descend(walk: Walk, node: Node, place: int) -> None:
    walk.read(node.children, place)


def _plainly(walk: Walk, node: Node, place: int) -> None:
    walk.read(node.children, place & ~TYPES)


def _in_list(walk: Walk, node: Node, place: int) -> None:
    walk.read(node.children, place | LISTED)


def _block(walk: Walk, node: Node, place: int) -> None:
    """A type alone is a declaration too: ``a::b;``."""
    place = place & BODY | LISTED
    for child in reversed(node.children):
        if child.type in _TYPE_NAMES:
            walk.stack.append((_mark("VARDEF"), child, place))
        else:
            walk.read([child], place)


def _area(name: str) -> Handler:
    def handler(walk: Walk, node: Node, place: int) -> None:
        walk.area(name, node, node.children, place)

    return handler


def _mark(name: str) -> Handler:
    def handler(walk: Walk, node: Node, place: int) -> None:
        walk.add(name, node)
        walk.read(node.children, place)

    return handler


def _function(walk: Walk, node: Node, place: int) -> None:
    declarator = node.child_by_field_name("declarator")
    named = node.child_by_field_name("type")
    head = [child for child in node.children if child.type not in _BODIES]
    body = [child for child in node.children if child.type in _BODIES]
    if _is_member(walk, node):
        walk.read(head, 0)
        if body:
            walk.area("BRACED_INIT", body[0], [], 0)
    elif is_function(node):
        walk.area("FUNCTION", node, body, BODY | LISTED)
        if not _is_macro(node, declarator):
            walk.read(head, 0)
    elif named is not None and named.type in _CLASSES:
        walk.area(_CLASSES[named.type], node, body, LISTED)
    else:
        walk.read(body, place)


def _broken(walk: Walk, node: Node, place: int) -> None:
    """What does not end, as in a text that is cut short: what begins there gives its token, without the end."""
    children = [child for child in node.children if child.type != "comment"]
    waiting: list[tuple[Handler, Node, int]] = []
    for index, child in enumerate(children):
        handler = _WORDS.get(child.type) or walk.handlers[child.kind_id]
        if _begins_function(children, index):
            start = index
            while start and children[start - 1].type in _SPECIFIERS:
                start -= 1
            waiting.append((_function_begin, children[start], 0))
            place |= BODY
        if handler is not None:
            waiting.append((handler, child, place))
    walk.stack += reversed(waiting)


def _begins_function(children: list[Node], index: int) -> bool:
    following = children[index + 1].type if index + 1 < len(children) else ""
    if following != "{" or children[index].type not in _DECLARATORS:
        return False
    declarator = unwrapped(children[index])
    return declarator is not None and declarator.type == "function_declarator"


def _function_begin(walk: Walk, node: Node, _place: int) -> None:
    walk.add("FUNCTION_BEGIN", node)


def _is_member(walk: Walk, node: Node) -> bool:
    """Whether it is ``~A() = 0;`` or ``~A() {};``, where the braces are read as those of a value."""
    last = node.children[-1]
    if last.type == "pure_virtual_clause":
        return True
    if last.type != "compound_statement" or last.child_count != 2 or node.child_by_field_name("type") is not None:
        return False
    parts = [child.type for child in node.children]
    after = walk.source[node.end_byte : node.end_byte + 1]
    return after == b";" and parts[-2] == "function_declarator"


def _is_macro(node: Node, declarator: Node | None) -> bool:
    """Whether it begins as ``NAME(x) {``, in which ``NAME`` is read as the type of an ``x``."""
    if declarator is None or declarator.type != "function_declarator" or node.child(0) != declarator:
        return False
    listed = declarator.child_by_field_name("parameters")
    return listed is not None and _is_one_name(listed)


def _is_one_name(listed: Node) -> bool:
    values = arguments(listed)
    return len(values) == 1 and values[0].type == "parameter_declaration" and is_name(values[0])


def _type_body(name: str) -> Handler:
    def handler(walk: Walk, node: Node, _place: int) -> None:
        if node.child_by_field_name("body") is not None:
            walk.area(name, node, node.children, LISTED)

    return handler


def _enumeration(walk: Walk, node: Node, _place: int) -> None:
    if node.child_by_field_name("body") is None:
        return
    walk.area("ENUM", node, node.children, LISTED)
    for _ in range(type_words(node.child_by_field_name("base"))):
        walk.add("VARDEF", node)


def _enumerator(walk: Walk, node: Node, place: int) -> None:
    walk.add("VARDEF", node)
    walk.read(node.children, place & ~TYPES)


def _parameter(walk: Walk, node: Node, place: int) -> None:
    walk.add("VARDEF", node)
    declarator = node.child_by_field_name("declarator")
    if declarator is not None and declarator.type == "abstract_function_declarator":
        listed = declarator.child_by_field_name("parameters")
        if listed is not None and _is_one_name(listed):
            return
    walk.read(node.children, place & ~TYPES)


def _declaration(walk: Walk, node: Node, place: int) -> None:
    called = is_called(node)
    if called and place & BODY:
        walk.add("APPLY", node)
    place = place & (BODY | LISTED) | (0 if called else TYPES)
    walk.types(node, place)
    walk.read(node.children, place)


def _function_declarator(walk: Walk, node: Node, place: int) -> None:
    if has_values(node):
        walk.add("APPLY", node)
    else:
        walk.read(node.children, place)


def _initial(walk: Walk, node: Node, place: int) -> None:
    value = node.child_by_field_name("value")
    if value is not None and value.type == "argument_list":
        values = arguments(value)
        if values and parameters(values):
            walk.later(read_parameter, values, place)
            return
        walk.add("APPLY", node)
    elif any(child.type == "=" for child in node.children):
        walk.types(node, place)
        walk.add("ASSIGN", node)
    walk.read(node.children, place & ~LISTED)


def _member(walk: Walk, node: Node, place: int) -> None:
    place |= TYPES
    walk.types(node, place)
    function = is_called(node)
    for child in reversed(node.children):
        if child.type == "=" and not function:
            walk.stack.append((_mark("ASSIGN"), child, 0))
        else:
            walk.read([child], place)


def _members(walk: Walk, node: Node, place: int) -> None:
    for child in reversed(node.children):
        if child.type == "type_definition":
            walk.stack.append((_member, child, place))
        else:
            walk.read([child], place)


def _friend(walk: Walk, node: Node, place: int) -> None:
    for child in node.children:
        if child.type == "declaration":
            walk.types(child, place | TYPES)
    walk.read(node.children, place)


def _condition(walk: Walk, node: Node, place: int) -> None:
    for child in reversed(node.children):
        if child.type == "declaration":
            walk.stack.append((_condition_declaration, child, place))
        else:
            walk.read([child], place)


def _condition_declaration(walk: Walk, node: Node, place: int) -> None:
    if any(child.type == "=" for child in node.children):
        walk.add("ASSIGN", node)
    walk.read(node.children, place & ~TYPES)


def _for(walk: Walk, node: Node, place: int) -> None:
    """The first part of the head is read as an expression where it can be one, as in ``for (T *p = q; ...)``."""
    initial = node.child_by_field_name("initializer")
    walk.area("FOR", node, [child for child in node.children if child != initial], place)
    if initial is not None:
        product = initial.type == "declaration" and _is_product(initial)
        walk.read(initial.children if product else [initial], place)


def _is_product(declaration: Node) -> bool:
    named = declaration.children[0]
    declarator = declaration.child_by_field_name("declarator")
    if declarator is not None and declarator.type == "init_declarator":
        declarator = declarator.child_by_field_name("declarator")
    pointer = declarator is not None and declarator.type in ("pointer_declarator", "reference_declarator")
    return pointer and named.type in _TYPE_NAMES and not is_keyword(named)


def _range_loop(walk: Walk, node: Node, place: int) -> None:
    walk.area("FOR", node, node.children, place)
    walk.add("VARDEF", node)


def _case(walk: Walk, node: Node, place: int) -> None:
    walk.add("DEFAULT" if node.children[0].type == "default" else "CASE", node)
    walk.read(node.children, place)


def _catch(walk: Walk, node: Node, place: int) -> None:
    walk.area("CATCH", node, [child for child in node.children if child.type != "parameter_list"], place)


def _new(walk: Walk, node: Node, place: int) -> None:
    array = node.child_by_field_name("declarator") is not None
    if not array and node.child_by_field_name("arguments") is None:
        array = _REST_OF_ARRAY.match(walk.source, node.end_byte) is not None
    walk.add("NEWARRAY" if array else "NEWCLASS", node)
    walk.types(node, place)
    walk.read(node.children, place)


def _typed(walk: Walk, node: Node, place: int) -> None:
    walk.types(node, place)
    walk.read(node.children, place)


def _size(walk: Walk, node: Node, place: int) -> None:
    """``sizeof (T)`` is read with an expression in the parentheses where ``T`` can be one."""
    named = node.child_by_field_name("type")
    walk.read(node.children, place & ~TYPES if named is not None and is_name(named) else place)


def _cast(walk: Walk, node: Node, place: int) -> None:
    """``(T)(x)`` is read as a call and ``(T)-x`` as a difference where ``T`` can be the name of a value."""
    named = node.child_by_field_name("type")
    value = node.child_by_field_name("value")
    if named is not None and value is not None:
        start = walk.source[value.start_byte : value.start_byte + 2]
        call = start[:1] == b"(" and value.type != "cast_expression"
        if (call or (start[:1] in b"&*+-" and start not in (b"++", b"--"))) and is_name(named):
            if call:
                walk.add("APPLY", node)
            walk.read([value], place)
            return
    walk.read(node.children, place)


def _assignment(walk: Walk, node: Node, place: int) -> None:
    operator = node.child_by_field_name("operator")
    for child in reversed(node.children):
        if child == operator:
            walk.stack.append((_mark("ASSIGN"), child, 0))
        else:
            walk.read([child], place)


def _braces(walk: Walk, node: Node, place: int) -> None:
    walk.area("BRACED_INIT", node, node.children, place | LISTED)


def _call(walk: Walk, node: Node, place: int) -> None:
    function = node.child_by_field_name("function")
    cast = function is not None and is_cast(function)
    if cast or not compares(node, bool(place & LISTED)):
        walk.add("APPLY", node)
    if function is not None and place & TYPES:
        if cast:
            listed = function.child_by_field_name("arguments")
            for value in arguments(listed) if listed is not None else []:
                walk.types(value, place)
        elif is_keyword(function):
            walk.add("VARDEF", function)
    walk.read(node.children, place)


_RULES: dict[str, Handler | None] = {
    "function_definition": _function,
    "class_specifier": _type_body("CLASS"),
    "struct_specifier": _type_body("STRUCT"),
    "union_specifier": _type_body("UNION"),
    "enum_specifier": _enumeration,
    "enumerator": _enumerator,
    "parameter_declaration": _parameter,
    "optional_parameter_declaration": _parameter,
    "variadic_parameter_declaration": _parameter,
    "declaration": _declaration,
    "type_definition": _declaration,
    "init_declarator": _initial,
    "function_declarator": _function_declarator,
    "field_declaration": _member,
    "friend_declaration": _friend,
    "field_declaration_list": _members,
    "template_declaration": _mark("GENERIC"),
    "static_assert_declaration": _mark("STATIC_ASSERT"),
    "alias_declaration": _plainly,
    "template_argument_list": _plainly,
    "compound_statement": _block,
    "expression_statement": expression_statement,
    "condition_clause": _condition,
    "if_statement": _area("IF"),
    "else_clause": _mark("ELSE"),
    "switch_statement": _area("SWITCH"),
    "case_statement": _case,
    "while_statement": _area("WHILE"),
    "do_statement": _area("DO"),
    "for_statement": _for,
    "for_range_loop": _range_loop,
    "try_statement": _area("TRY"),
    "catch_clause": _catch,
    "return_statement": _mark("RETURN"),
    "break_statement": _mark("BREAK"),
    "continue_statement": _mark("CONTINUE"),
    "goto_statement": _mark("GOTO"),
    "throw_statement": _mark("THROW"),
    "new_expression": _new,
    "compound_literal_expression": _typed,
    "type_descriptor": _typed,
    "sizeof_expression": _size,
    "cast_expression": _cast,
    "call_expression": _call,
    "assignment_expression": _assignment,
    "update_expression": _mark("ASSIGN"),
    "conditional_expression": _mark("COND"),
    "argument_list": _in_list,
    "parenthesized_expression": _in_list,
    "initializer_list": _braces,
}
_WORDS: dict[str, Handler] = {
    **{word: _mark(f"{word.upper()}_BEGIN") for word in ("if", "switch", "while", "do", "for", "try", "catch")},
    **{
        word: _mark(word.upper())
        for word in ("else", "case", "default", "break", "continue", "goto", "return", "throw")
    },
}
_DECLARATORS = frozenset(("function_declarator", "pointer_declarator", "reference_declarator"))
_SPECIFIERS = frozenset(
    ("primitive_type", "type_identifier", "qualified_identifier", "template_type", "sized_type_specifier", "auto")
    + ("storage_class_specifier", "type_qualifier", "placeholder_type_specifier", "virtual", "inline")
)
_LEAVES = frozenset(
    ("comment", "string_literal", "raw_string_literal", "char_literal", "concatenated_string", "user_defined_literal")
    + ("attribute_declaration", "attribute_specifier", "gnu_asm_expression", "ms_declspec_modifier", "type_qualifier")
    + ("storage_class_specifier", "access_specifier", "using_declaration", "identifier", "field_identifier")
    + ("type_identifier", "namespace_identifier", "statement_identifier", "primitive_type", "number_literal")
    + ("this", "true", "false", "null", "auto", "placeholder_type_specifier", "sized_type_specifier")
)
_ERROR = 0xFFFF
_HANDLERS: dict[int, Handler | None] = {}


def _by_kind() -> dict[int, Handler | None]:
    language = grammar("cpp")
    handlers: dict[int, Handler | None] = {_ERROR: _broken}
    for kind in range(language.node_kind_count):
        name = language.node_kind_for_id(kind) or ""
        leaf = not language.node_kind_is_named(kind) or name in _LEAVES
        handlers[kind] = None if leaf else _RULES.get(name, _descend)
    return handlers
