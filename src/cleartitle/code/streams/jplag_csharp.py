"""The token stream that JPlag 6.3.0 makes of C#.

JPlag listens to a parser that ANTLR makes of the public C# 6 grammar. The rules here follow from its token dumps, from
the list of its token types and from that grammar; ``docs/token-streams.md`` says which rules no dump confirms.

The grammar is ambiguous in one place that shows in nearly every program: an argument may begin with the type of a
declared variable, as in ``f(out int x)``. ANTLR takes that reading wherever it can, so that in ``f(g(x))`` the ``g``
is the type of an argument ``(x)``, and no call of ``g`` is seen. ``_unseen_calls`` finds these.
"""

from collections.abc import Iterable

from tree_sitter import Node

from cleartitle.code.streams import Tokens
from cleartitle.code.streams.captures import Events, captured
from cleartitle.code.streams.parse import parse

__all__ = ["tokens"]

_QUERY = """
(using_directive) @using
(namespace_declaration body: (declaration_list) @namespace)
(class_declaration "class" @CLASS)
(record_declaration "record" @CLASS)
(struct_declaration "struct" @STRUCT)
(interface_declaration "interface" @INTERFACE)
(enum_declaration "enum" @ENUM)
(class_declaration body: (declaration_list) @class)
(record_declaration body: (declaration_list) @class)
(interface_declaration body: (declaration_list) @class)
(struct_declaration body: (declaration_list) @struct)
(enum_declaration body: (enum_member_declaration_list) @enum)
(enum_member_declaration name: (_) @ENUMERAL)
(delegate_declaration "delegate" @DELEGATE)
(event_declaration "event" @EVENT)
(event_field_declaration "event" @EVENT)
(attribute) @ATTRIBUTE
(attribute_argument "=" @ASSIGNMENT)
(method_declaration name: (_) @METHOD)
(constructor_declaration name: (_) @CONSTRUCTOR)
(destructor_declaration "~" @DESTRUCTOR)
(operator_declaration "operator" @OPERATOR)
(operator_declaration operator: ["++" "--"] @ASSIGNMENT)
(conversion_operator_declaration ["implicit" "explicit"] @OPERATOR)
(method_declaration body: (block) @body)
(constructor_declaration body: (block) @body)
(destructor_declaration body: (block) @body)
(operator_declaration body: (block) @body)
(conversion_operator_declaration body: (block) @body)
(method_declaration !body ";" @body)
(constructor_declaration !body ";" @body)
(destructor_declaration !body ";" @body)
(operator_declaration !body ";" @body)
(conversion_operator_declaration !body ";" @body)
(property_declaration name: (_) @PROPERTY)
(indexer_declaration "this" @INDEXER)
(property_declaration accessors: (accessor_list) @accessors)
(indexer_declaration accessors: (accessor_list) @accessors)
(accessor_declaration name: ["get" "set" "init"] body: (_) @accessor)
(accessor_declaration name: ["get" "set" "init"] !body ";" @accessor)
(field_declaration) @field
(local_declaration_statement) @local
(for_statement initializer: (variable_declaration) @LOCAL_VARIABLE)
(using_statement (variable_declaration) @LOCAL_VARIABLE)
(expression_statement (await_expression (identifier))) @LOCAL_VARIABLE
(if_statement ["if" "else"] @IF)
(if_statement consequence: _ @branch)
(if_statement alternative: _ @branch)
(switch_statement) @switch
(switch_section ["case" "default"] @CASE)
(while_statement) @loop
(do_statement) @loop
(for_statement) @loop
(foreach_statement) @loop
(break_statement) @BREAK
(continue_statement) @CONTINUE
(goto_statement) @GOTO
(return_statement) @RETURN
(throw_statement) @THROW
(try_statement) @TRY
(catch_clause) @CATCH
(finally_clause) @FINALLY
(lock_statement) @LOCK
(unsafe_statement) @UNSAFE
(fixed_statement) @FIXED
(checked_statement "checked" @CHECKED)
(checked_statement "unchecked" @UNCHECKED)
(checked_expression "checked" @CHECKED)
(checked_expression "unchecked" @UNCHECKED)
(invocation_expression) @call
(object_creation_expression arguments: (argument_list) @OBJECT_CREATION)
(implicit_object_creation_expression (argument_list) @OBJECT_CREATION)
(variable_declarator (initializer_expression) @array)
(property_declaration value: (initializer_expression) @array)
(implicit_array_creation_expression (initializer_expression) @array)
(array_creation_expression (initializer_expression)) @created
(argument_list (argument) @argument)
(tuple_expression (argument) @argument)
(assignment_expression) @assignment
(postfix_unary_expression ["++" "--"] @ASSIGNMENT)
(prefix_unary_expression ["++" "--"] @ASSIGNMENT)
"""
_PLAIN = frozenset(
    (
        *("CLASS", "STRUCT", "INTERFACE", "ENUM", "ENUMERAL", "DELEGATE", "EVENT", "ATTRIBUTE", "ASSIGNMENT"),
        *("METHOD", "CONSTRUCTOR", "DESTRUCTOR", "OPERATOR", "PROPERTY", "INDEXER", "LOCAL_VARIABLE", "IF", "CASE"),
        *("BREAK", "CONTINUE", "GOTO", "RETURN", "THROW", "TRY", "CATCH", "FINALLY", "LOCK", "UNSAFE", "FIXED"),
        *("CHECKED", "UNCHECKED", "OBJECT_CREATION"),
    )
)
_AREAS = (
    ("namespace", "NAMESPACE"),
    ("class", "CLASS"),
    ("struct", "STRUCT"),
    ("enum", "ENUM"),
    ("body", "METHOD"),
    ("accessors", "ACCESSORS"),
    ("accessor", "ACCESSOR"),
    ("switch", "SWITCH"),
    ("loop", "LOOP"),
    ("branch", "IF"),
)
_TYPE_NAMES = frozenset(("identifier", "generic_name", "alias_qualified_name", "qualified_name"))


def tokens(source: bytes) -> Tokens:
    """JPlag's tokens of a C# program, without the one for the end of the file.

    Each has the row where JPlag puts it: where the construct begins, or where it ends for a token of its end.

    Raises:
        DeadlineError: the deadline of this thread passed.
    """
    found = captured(parse(source, "csharp"), "csharp", _QUERY)
    events = Events()
    for name in found.keys() & _PLAIN:
        events.begin_all(name, found[name])
    for capture, name in _AREAS:
        rank = -1 if capture == "branch" else 0
        events.both_all(f"{name}_BEGIN", f"{name}_END", found.get(capture, ()), rank)
    events.begin_all("USING_DIRECTIVE", (node for node in found.get("using", ()) if _names_a_namespace(node)))
    _declarations(events, found)
    _assignments(events, found)
    _arrays(events, found)
    unseen = _unseen_calls(found.get("argument", ()))
    for call in found.get("call", ()):
        arguments = call.child_by_field_name("arguments")
        if arguments is not None and call.id not in unseen:
            events.begin("INVOCATION", arguments)
    return events.tokens()


def _names_a_namespace(directive: Node) -> bool:
    """Whether a ``using`` gives a token: all do but an alias of a name without dots or of a generic type."""
    if directive.child_by_field_name("name") is None:
        return True
    target = directive.named_children[-1]
    return target.type == "qualified_name" and all(node.type != "generic_name" for node in target.named_children)


def _declarations(events: Events, found: dict[str, list[Node]]) -> None:
    """Fields, constants and local variables: one token for each declaration, however many names it declares."""
    for node in found.get("field", ()):
        constant = _keyword(node, b"const")
        declared = next((child for child in node.named_children if child.type == "variable_declaration"), None)
        if constant is not None:
            events.begin("CONSTANT", constant)
        elif declared is not None:
            events.begin("FIELD", next((c for c in declared.children if c.type == "variable_declarator"), declared))
    for node in found.get("local", ()):
        declared = next((child for child in node.named_children if child.type == "variable_declaration"), None)
        pattern = None if declared is None else _tuple_pattern(declared)
        if pattern is None:
            events.begin("LOCAL_VARIABLE", node)
            continue
        events.begin("INVOCATION", pattern)
        sign = pattern.next_sibling
        if sign is not None and sign.type == "=":
            events.begin("ASSIGNMENT", sign)


def _keyword(declaration: Node, keyword: bytes) -> Node | None:
    return next((node for node in declaration.children if node.type == "modifier" and node.text == keyword), None)


def _tuple_pattern(declaration: Node) -> Node | None:
    """The ``(a, b)`` of ``var (a, b) = c``, which the grammar of C# 6 reads as a call and an assignment."""
    for declarator in declaration.named_children:
        if declarator.type == "variable_declarator" and declarator.children[0].type == "tuple_pattern":
            return declarator.children[0]
    return None


def _assignments(events: Events, found: dict[str, list[Node]]) -> None:
    """One token for ``=``; two for ``+=`` and its kind, whose sign counts as well as what it does."""
    for node in found.get("assignment", ()):
        sign = node.child_by_field_name("operator")
        if sign is None:
            continue
        parent = node.parent
        if sign.type == "=" and parent is not None and parent.type == "initializer_expression":
            continue
        events.begin("ASSIGNMENT", sign)
        if sign.type not in ("=", "??=", ">>=", ">>>="):
            events.begin("ASSIGNMENT", sign)


def _arrays(events: Events, found: dict[str, list[Node]]) -> None:
    """Initializers of arrays, but not of ``new int[] {…}``, which the grammar reads as one of a collection."""
    waiting = list(found.get("array", ()))
    for creation in found.get("created", ()):
        sizes = creation.child_by_field_name("type")
        rank = None if sizes is None else sizes.child_by_field_name("rank")
        if rank is not None and rank.named_child_count:
            waiting += [child for child in creation.named_children if child.type == "initializer_expression"]
    while waiting:
        node = waiting.pop()
        events.begin("ARRAY_CREATION", node)
        waiting += [child for child in node.named_children if child.type == "initializer_expression"]


def _unseen_calls(arguments: Iterable[Node]) -> set[int]:
    """Ids of the calls that are read as the type of an argument, given all arguments.

    An argument may be a type and an expression. So a call that an argument begins with, whose function could be a
    type, and whose own arguments could be an expression in brackets, is taken for these. One argument in brackets is
    no argument anymore, but a plain expression, in which the calls are seen; several are those of a tuple.
    """
    unseen: set[int] = set()
    plain: set[int] = set()
    for argument in sorted(arguments, key=_outer_first):
        if argument.id in plain:
            continue
        call = _leading_call(argument)
        if call is None or not _could_be_type(call.child_by_field_name("function")):
            continue
        listed = call.child_by_field_name("arguments")
        inner = [] if listed is None else [child for child in listed.named_children if child.type == "argument"]
        if not inner or (len(inner) == 1 and not _is_expression(inner[0])):
            continue
        unseen.add(call.id)
        if len(inner) == 1:
            plain.add(inner[0].id)
    return unseen


def _outer_first(node: Node) -> tuple[int, int]:
    return node.start_byte, -node.end_byte


def _leading_call(argument: Node) -> Node | None:
    """The innermost call whose text the expression of an argument begins with."""
    node = next((child for child in reversed(argument.named_children) if child.type != "comment"), None)
    call = None
    while node is not None and node.child_count:
        if node.type == "invocation_expression":
            call = node
        node = node.children[0]
    return call


def _could_be_type(function: Node | None) -> bool:
    while function is not None and function.type == "member_access_expression":
        function = function.child_by_field_name("expression")
    return function is not None and function.type in _TYPE_NAMES


def _is_expression(argument: Node) -> bool:
    """Whether it is one in brackets too: it is not if it has a name, ``out`` or ``in``."""
    if argument.child_by_field_name("name") is not None:
        return False
    return all(child.type not in ("out", "in") for child in argument.children)
