"""The token stream that JPlag 6.3.0 makes of C#.

JPlag listens to a parser that ANTLR makes of the public C# 6 grammar. The rules here follow from its token dumps, from
the list of its token types and from that grammar; ``docs/token-streams.md`` says which rules no dump confirms.

The grammar is ambiguous in one place that shows in nearly every program: an argument may begin with the type of a
declared variable, as in ``f(out int x)``. ANTLR takes that reading wherever it can, so that in ``f(g(x))`` the ``g``
is the type of an argument ``(x)``, and no call of ``g`` is seen. ``_Calls`` finds these.
"""

from collections.abc import Callable

from tree_sitter import Node

from cleartitle.code.streams import Tokens
from cleartitle.code.streams.events import Events, child_of, visit
from cleartitle.code.streams.parse import parse

__all__ = ["tokens"]

_PLAIN = {
    "attribute": "ATTRIBUTE",
    "break_statement": "BREAK",
    "continue_statement": "CONTINUE",
    "goto_statement": "GOTO",
    "return_statement": "RETURN",
    "throw_statement": "THROW",
    "try_statement": "TRY",
    "catch_clause": "CATCH",
    "finally_clause": "FINALLY",
    "lock_statement": "LOCK",
    "unsafe_statement": "UNSAFE",
    "fixed_statement": "FIXED",
}
_AREAS = {
    "while_statement": "LOOP",
    "do_statement": "LOOP",
    "foreach_statement": "LOOP",
    "switch_statement": "SWITCH",
}
_BEGUN_BY = {
    "delegate_declaration": ("DELEGATE", ("delegate",)),
    "event_declaration": ("EVENT", ("event",)),
    "event_field_declaration": ("EVENT", ("event",)),
    "attribute_argument": ("ASSIGNMENT", ("=",)),
    "switch_section": ("CASE", ("case", "default")),
    "postfix_unary_expression": ("ASSIGNMENT", ("++", "--")),
    "prefix_unary_expression": ("ASSIGNMENT", ("++", "--")),
}
_TYPES = {
    "class_declaration": ("CLASS", "class", "CLASS"),
    "record_declaration": ("CLASS", "record", "CLASS"),
    "interface_declaration": ("INTERFACE", "interface", "CLASS"),
    "struct_declaration": ("STRUCT", "struct", "STRUCT"),
    "enum_declaration": ("ENUM", "enum", "ENUM"),
}
_METHODS = {
    "method_declaration": ("METHOD", ("explicit_interface_specifier",)),
    "constructor_declaration": ("CONSTRUCTOR", ()),
    "destructor_declaration": ("DESTRUCTOR", ("~",)),
    "operator_declaration": ("OPERATOR", ("operator",)),
    "conversion_operator_declaration": ("OPERATOR", ("implicit", "explicit")),
}
_ONCE = ("=", "??=", ">>=", ">>>=")
_TYPE_NAMES = frozenset(("identifier", "generic_name", "alias_qualified_name", "qualified_name"))


def tokens(source: bytes) -> Tokens:
    """JPlag's tokens of a C# program, without the one for the end of the file.

    Each has the row where JPlag puts it: where the construct begins, or where it ends for a token of its end.

    Raises:
        DeadlineError: the deadline of this thread passed.
    """
    events = Events()
    handlers: dict[str, Callable[[Node], None]] = {}
    handlers |= {kind: events.beginner(name) for kind, name in _PLAIN.items()}
    handlers |= {kind: events.enclosing(name) for kind, name in _AREAS.items()}
    for part in (_Declarations(events), _Statements(events), _Expressions(events), _Calls(events)):
        handlers |= part.handlers()
    visit(parse(source, "csharp"), handlers)
    return events.tokens()


class _Declarations:
    """Namespaces, types and their members."""

    def __init__(self, events: Events) -> None:
        self.events = events

    def handlers(self) -> dict[str, Callable[[Node], None]]:
        return {
            "using_directive": self.using,
            "namespace_declaration": self.namespace,
            "enum_member_declaration": self.events.beginner("ENUMERAL"),
            "property_declaration": self.property,
            "indexer_declaration": self.property,
            "accessor_declaration": self.accessor,
            "field_declaration": self.field,
            **dict.fromkeys(_TYPES, self.type),
            **dict.fromkeys(_METHODS, self.method),
            **dict.fromkeys(_BEGUN_BY, self.begun),
        }

    def begun(self, node: Node) -> None:
        name, signs = _BEGUN_BY[node.type]
        sign = child_of(node, *signs)
        if sign is not None:
            self.events.begin(name, sign)

    def using(self, node: Node) -> None:
        """Every ``using`` gives a token, but an alias of a name without dots or of a generic type."""
        if node.child_by_field_name("name") is not None:
            target = node.named_children[-1]
            if target.type != "qualified_name" or child_of(target, "generic_name") is not None:
                return
        self.events.begin("USING_DIRECTIVE", node)

    def namespace(self, node: Node) -> None:
        self.events.area("NAMESPACE", node.child_by_field_name("body"))

    def type(self, node: Node) -> None:
        """The body of an interface is that of a class for the grammar."""
        name, keyword, body = _TYPES[node.type]
        self.events.begin(name, child_of(node, keyword) or node)
        self.events.area(body, node.child_by_field_name("body"))

    def method(self, node: Node) -> None:
        name, signs = _METHODS[node.type]
        self.events.begin(name, child_of(node, *signs) or node.child_by_field_name("name") or node)
        body = node.child_by_field_name("body")
        if body is None:
            self.events.area("METHOD", child_of(node, ";"))
        elif body.type == "block":
            self.events.area("METHOD", body)
        if name == "OPERATOR":
            sign = child_of(node, "++", "--")
            if sign is not None:
                self.events.begin("ASSIGNMENT", sign)

    def property(self, node: Node) -> None:
        if node.type == "indexer_declaration":
            self.events.begin("INDEXER", child_of(node, "this") or node)
        else:
            name = child_of(node, "explicit_interface_specifier") or node.child_by_field_name("name")
            self.events.begin("PROPERTY", name or node)
        accessors = node.child_by_field_name("accessors")
        listed = [] if accessors is None else [child for child in accessors.named_children if child.type != "comment"]
        if accessors is not None and listed:
            self.events.begin("ACCESSORS_BEGIN", accessors, listed[0].start_point[0])
            self.events.end("ACCESSORS_END", accessors, listed[-1].end_point[0])

    def accessor(self, node: Node) -> None:
        if child_of(node, "get", "set", "init") is not None:
            self.events.area("ACCESSOR", node.child_by_field_name("body") or child_of(node, ";"))

    def field(self, node: Node) -> None:
        """One token for each declaration, however many names it declares."""
        constant = _modifier(node, b"const")
        declared = child_of(node, "variable_declaration")
        if constant is not None:
            self.events.begin("CONSTANT", constant)
        elif declared is not None:
            self.events.begin("FIELD", child_of(declared, "variable_declarator") or declared)


class _Statements:
    """Statements of more than one token, and local variables."""

    def __init__(self, events: Events) -> None:
        self.events = events

    def handlers(self) -> dict[str, Callable[[Node], None]]:
        return {
            "local_declaration_statement": self.local,
            "for_statement": self.loop,
            "using_statement": self.declares,
            "expression_statement": self.awaiting,
            "if_statement": self.branches,
            "checked_statement": self.checked,
            "checked_expression": self.checked,
        }

    def local(self, node: Node) -> None:
        """A variable or constant; ``var (a, b) = c`` is a call and an assignment for the grammar of C# 6."""
        declared = child_of(node, "variable_declaration")
        declarator = None if declared is None else child_of(declared, "variable_declarator")
        pattern = None if declarator is None else child_of(declarator, "tuple_pattern")
        if declarator is None or pattern is None:
            self.events.begin("LOCAL_VARIABLE", node)
            return
        self.events.begin("INVOCATION", pattern)
        sign = child_of(declarator, "=")
        if sign is not None:
            self.events.begin("ASSIGNMENT", sign)

    def loop(self, node: Node) -> None:
        self.events.area("LOOP", node)
        self.declares(node)

    def declares(self, node: Node) -> None:
        declared = child_of(node, "variable_declaration")
        if declared is not None:
            self.events.begin("LOCAL_VARIABLE", declared)

    def awaiting(self, node: Node) -> None:
        """``await x;`` declares an ``x`` of the type ``await`` for the grammar."""
        awaited = child_of(node, "await_expression")
        if awaited is not None and child_of(awaited, "identifier") is not None:
            self.events.begin("LOCAL_VARIABLE", node)

    def branches(self, node: Node) -> None:
        for child in node.children:
            if child.type in ("if", "else"):
                self.events.begin("IF", child)
        self.events.area("IF", node.child_by_field_name("consequence"), -1)
        self.events.area("IF", node.child_by_field_name("alternative"), -1)

    def checked(self, node: Node) -> None:
        name = "CHECKED" if child_of(node, "checked") is not None else "UNCHECKED"
        self.events.begin(name, node)


class _Expressions:
    """Assignments, new objects and new arrays."""

    def __init__(self, events: Events) -> None:
        self.events = events
        self.members: set[int] = set()
        self.arrays: set[int] = set()

    def handlers(self) -> dict[str, Callable[[Node], None]]:
        return {
            "assignment_expression": self.assignment,
            "object_creation_expression": self.creation,
            "implicit_object_creation_expression": self.creation,
            "variable_declarator": self.array,
            "implicit_array_creation_expression": self.array,
            "array_creation_expression": self.sized_array,
            "initializer_expression": self.initializer,
        }

    def assignment(self, node: Node) -> None:
        """One token for ``=``; two for ``+=`` and its kind, whose sign counts as well as what it does."""
        sign = node.child_by_field_name("operator")
        if sign is None or node.id in self.members:
            return
        self.events.begin("ASSIGNMENT", sign)
        if sign.type not in _ONCE:
            self.events.begin("ASSIGNMENT", sign)

    def creation(self, node: Node) -> None:
        arguments = child_of(node, "argument_list")
        if arguments is not None:
            self.events.begin("OBJECT_CREATION", arguments)

    def array(self, node: Node) -> None:
        self.arrays |= {child.id for child in node.named_children if child.type == "initializer_expression"}

    def sized_array(self, node: Node) -> None:
        """``new int[] {…}`` is no array for the grammar, but a collection; ``new int[2] {…}`` is one."""
        made = node.child_by_field_name("type")
        rank = None if made is None else made.child_by_field_name("rank")
        if rank is not None and rank.named_child_count:
            self.array(node)

    def initializer(self, node: Node) -> None:
        if node.id in self.arrays:
            self.events.begin("ARRAY_CREATION", node)
            self.array(node)
        else:
            self.members |= {child.id for child in node.named_children if child.type == "assignment_expression"}


class _Calls:
    """The calls that the grammar sees.

    An argument may be a type and an expression. So a call that an argument begins with, whose function could be a
    type, and whose own arguments could be an expression in brackets, is taken for these. One argument in brackets is
    no argument anymore, but a plain expression, in which the calls are seen; several are those of a tuple. In the
    same way ``(f)(x)`` is a cast. Lists are visited before the calls that they hold.
    """

    def __init__(self, events: Events) -> None:
        self.events = events
        self.unseen: set[int] = set()
        self.plain: set[int] = set()

    def handlers(self) -> dict[str, Callable[[Node], None]]:
        return {"argument_list": self.listed, "tuple_expression": self.listed, "invocation_expression": self.call}

    def listed(self, node: Node) -> None:
        for argument in node.named_children:
            if argument.type == "argument" and argument.id not in self.plain:
                call = _leading_call(argument)
                if call is not None and _could_be_type(call.child_by_field_name("function")):
                    self.take_for_brackets(call)

    def call(self, node: Node) -> None:
        function = node.child_by_field_name("function")
        if function is not None and _could_be_type(self.bracketed(function)):
            self.take_for_brackets(node)
        arguments = node.child_by_field_name("arguments")
        if arguments is not None and node.id not in self.unseen:
            self.events.begin("INVOCATION", arguments)

    def bracketed(self, function: Node) -> Node | None:
        """The expression in the brackets that a function is, or that the end of it is taken for."""
        if function.type == "parenthesized_expression":
            return _expression(function)
        arguments = function.child_by_field_name("arguments") if function.id in self.unseen else None
        inner = None if arguments is None else _expression(arguments)
        return None if inner is None or inner.id not in self.plain else _expression(inner)

    def take_for_brackets(self, call: Node) -> None:
        arguments = call.child_by_field_name("arguments")
        inner = [] if arguments is None else [child for child in arguments.named_children if child.type == "argument"]
        if len(inner) > 1:
            self.unseen.add(call.id)
        elif inner and _could_be_bracketed(inner[0]):
            self.unseen.add(call.id)
            self.plain.add(inner[0].id)


def _modifier(declaration: Node, keyword: bytes) -> Node | None:
    return next((node for node in declaration.children if node.type == "modifier" and node.text == keyword), None)


def _expression(holder: Node) -> Node | None:
    return next((child for child in reversed(holder.named_children) if child.type != "comment"), None)


def _leading_call(argument: Node) -> Node | None:
    """The innermost call whose text the expression of an argument begins with."""
    node = _expression(argument)
    call = None
    while node is not None:
        if node.type == "invocation_expression":
            call = node
        node = node.child(0) if node.child_count else None
    return call


def _could_be_type(function: Node | None) -> bool:
    while function is not None and function.type == "member_access_expression":
        function = function.child_by_field_name("expression")
    return function is not None and function.type in _TYPE_NAMES


def _could_be_bracketed(argument: Node) -> bool:
    """Whether ``(argument)`` is an expression: it is not with a name, ``out`` or ``in``."""
    return argument.child_by_field_name("name") is None and child_of(argument, "out", "in") is None
