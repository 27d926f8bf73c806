"""The token stream that JPlag 6.3.0 makes of Java.

JPlag walks the tree of javac. The rules here follow from its token dumps, from the list of its token types and from
the order in which a ``com.sun.source.util.TreeScanner`` visits a tree; ``docs/token-streams.md`` says which rules no
dump confirms. JPlag refuses what javac cannot parse; here it is read as far as the parser recovers.
"""

from collections.abc import Callable

from tree_sitter import Node

from cleartitle.code.streams import Tokens
from cleartitle.code.streams.events import Events, child_of, visit
from cleartitle.code.streams.parse import parse

__all__ = ["tokens"]

_PLAIN = {
    "package_declaration": "J_PACKAGE",
    "import_declaration": "J_IMPORT",
    "requires_module_directive": "J_REQUIRES",
    "provides_module_directive": "J_PROVIDES",
    "exports_module_directive": "J_EXPORTS",
    "type_parameter": "J_GENERIC",
    "ternary_expression": "J_COND",
    "break_statement": "J_BREAK",
    "continue_statement": "J_CONTINUE",
    "return_statement": "J_RETURN",
    "throw_statement": "J_THROW",
    "yield_statement": "J_YIELD",
    "assert_statement": "J_ASSERT",
    "method_invocation": "J_APPLY",
    "explicit_constructor_invocation": "J_APPLY",
    "assignment_expression": "J_ASSIGN",
    "update_expression": "J_ASSIGN",
}
_AREAS = {
    "module_declaration": "J_MODULE",
    "method_declaration": "J_METHOD",
    "constructor_declaration": "J_METHOD",
    "synchronized_statement": "J_SYNC",
    "while_statement": "J_LOOP",
    "do_statement": "J_LOOP",
    "for_statement": "J_LOOP",
    "switch_expression": "J_SWITCH",
    "try_statement": "J_TRY",
    "try_with_resources_statement": "J_TRY",
    "catch_clause": "J_CATCH",
    "finally_clause": "J_FINALLY",
}
_TYPES = {
    "class_declaration": "J_CLASS",
    "interface_declaration": "J_INTERFACE",
    "annotation_type_declaration": "J_ANNO_T",
    "enum_declaration": "J_ENUM",
    "record_declaration": "J_RECORD",
}
_VARIABLES = ("field_declaration", "constant_declaration", "local_variable_declaration", "spread_parameter")
_NAMED = ("formal_parameter", "catch_formal_parameter", "resource")
_KEYWORDS = ("class", "interface", "@interface", "enum", "record")


def tokens(source: bytes) -> Tokens:
    """JPlag's tokens of a Java program, without the one for the end of the file.

    Each has the row where JPlag puts it: where the construct begins, or where it ends for a token of its end.

    Raises:
        DeadlineError: the deadline of this thread passed.
    """
    return _Walk().tokens(source)


class _Walk:
    def __init__(self) -> None:
        self.events = Events()
        self.annotations: list[tuple[int, int]] = []
        self.created: set[int] = set()

    def tokens(self, source: bytes) -> Tokens:
        events = self.events
        handlers: dict[str, Callable[[Node], None]] = {
            "enhanced_for_statement": self.each,
            "compact_constructor_declaration": self.compact_constructor,
            "annotation_type_element_declaration": self.annotation_method,
            "formal_parameters": self.parameters,
            "inferred_parameters": self.inferred,
            "lambda_expression": self.single_parameter,
            "instanceof_expression": self.single_parameter,
            "type_pattern": self.pattern,
            "record_pattern_component": self.pattern,
            "enum_constant": self.constant,
            "annotation": self.annotation,
            "marker_annotation": self.annotation,
            "switch_label": self.label,
            "if_statement": self.branches,
            "object_creation_expression": self.creation,
            "array_creation_expression": self.array,
            "array_initializer": self.initializer,
        }
        handlers |= {kind: events.beginner(name) for kind, name in _PLAIN.items()}
        handlers |= {kind: events.enclosing(name) for kind, name in _AREAS.items()}
        handlers |= dict.fromkeys(_TYPES, self.type)
        handlers |= dict.fromkeys(_VARIABLES, self.variables)
        handlers |= dict.fromkeys(_NAMED, self.named)
        visit(parse(source, "java"), handlers)
        return events.tokens(hidden=self.annotations)

    def type(self, node: Node) -> None:
        name = _TYPES[node.type]
        keyword = child_of(node, *_KEYWORDS) or node
        self.events.begin(f"{name}_BEGIN", node, keyword.start_point[0])
        self.events.end(f"{name}_END", node)
        if node.type == "record_declaration":
            self.compact_parameters(node)

    def compact_parameters(self, record: Node) -> None:
        """The components of a record are the parameters of its compact constructors, as in javac's tree."""
        body, parameters = record.child_by_field_name("body"), record.child_by_field_name("parameters")
        if body is None or parameters is None:
            return
        components = [node for node in parameters.named_children if "parameter" in node.type]
        for constructor in body.named_children:
            if constructor.type != "compact_constructor_declaration":
                continue
            name = constructor.child_by_field_name("name") or constructor
            for place, component in enumerate(components):
                self.variable(name, name.start_point[0], _annotations(component), 2 * place + 2)

    def variable(self, node: Node, row: int, annotations: list[Node], rank: int = 0) -> None:
        """A variable that shares its text with another: its annotations are met once more."""
        self.events.begin("J_VARDEF", node, row, rank)
        for annotation in annotations:
            self.events.begin("J_ANNO", node, annotation.start_point[0], rank + 1)

    def compact_constructor(self, node: Node) -> None:
        self.events.area("J_METHOD", node)

    def annotation_method(self, node: Node) -> None:
        self.events.area("J_METHOD", node)
        value = node.child_by_field_name("value")
        if value is not None and value.type == "element_value_array_initializer":
            self.initializer(value)

    def variables(self, node: Node) -> None:
        """One token for each variable; all have the line where the declaration begins."""
        declarators = [child for child in node.named_children if child.type == "variable_declarator"]
        if not declarators or _has_name(declarators[0]):
            self.events.begin("J_VARDEF", node)
        if len(declarators) > 1:
            annotations = _annotations(node)
            for declarator in declarators[1:]:
                self.variable(declarator, node.start_point[0], annotations)

    def named(self, node: Node) -> None:
        if node.type != "resource" or node.child_by_field_name("name") is not None:
            if _has_name(node):
                self.events.begin("J_VARDEF", node)

    def each(self, node: Node) -> None:
        self.events.area("J_LOOP", node)
        bracket = child_of(node, "(")
        if bracket is not None and _has_name(node):
            variable = next((c for c in node.named_children if c.start_byte > bracket.start_byte), node)
            self.events.begin("J_VARDEF", variable)

    def parameters(self, node: Node) -> None:
        """The parameter ``this`` is met after all others."""
        if child_of(node, "receiver_parameter") is not None:
            self.events.end("J_VARDEF", node)

    def inferred(self, node: Node) -> None:
        for child in node.named_children:
            self.parameter(child)

    def single_parameter(self, node: Node) -> None:
        self.parameter(node.child_by_field_name("parameters" if node.type == "lambda_expression" else "name"))

    def pattern(self, node: Node) -> None:
        if node.named_child_count > 1:
            self.parameter(node.named_children[-1])

    def parameter(self, name: Node | None) -> None:
        if name is not None and name.type == "identifier" and name.text != b"_":
            self.events.begin("J_VARDEF", name)

    def constant(self, node: Node) -> None:
        """A constant of an enumeration is a variable that holds an object made anew, maybe of a class of its own."""
        self.events.begin("J_VARDEF", node, None, -1)
        self.events.begin("J_NEWCLASS", node.child_by_field_name("name") or node, None, 2)
        self.events.area("J_ENUM", node.child_by_field_name("body"))

    def annotation(self, node: Node) -> None:
        """JPlag takes no tokens from what an annotation holds."""
        self.events.begin("J_ANNO", node, None, 1)
        if node.type == "annotation":
            self.annotations.append((node.start_byte + 1, node.end_byte))

    def label(self, node: Node) -> None:
        self.events.begin("J_CASE", node)
        for child in node.children:
            if child.type == "default" or (child.type == "identifier" and child.text == b"default"):
                self.events.begin("J_DEFAULT", child, None, 1)

    def branches(self, node: Node) -> None:
        """Every branch is an ``if`` of its own, also that of an ``else``."""
        self.events.begin("J_IF_BEGIN", node, None, -1)
        branch = node.child_by_field_name("consequence")
        if branch is not None:
            self.events.end("J_IF_END", branch, None, -1)
        branch = node.child_by_field_name("alternative")
        if branch is not None and branch.type != "if_statement":
            self.events.area("J_IF", branch, -1)

    def creation(self, node: Node) -> None:
        self.events.begin("J_NEWCLASS", node)
        self.events.area("J_CLASS", child_of(node, "class_body"))

    def array(self, node: Node) -> None:
        self.events.begin("J_NEWARRAY", node)
        value = node.child_by_field_name("value")
        if value is not None:
            self.created.add(value.id)

    def initializer(self, node: Node) -> None:
        if node.id not in self.created:
            self.events.begin("J_NEWARRAY", node, None, -1)
        elements = [child for child in node.named_children if "comment" not in child.type]
        if elements:
            self.events.begin("J_ARRAY_INIT_BEGIN", node, elements[0].start_point[0])
            self.events.end("J_ARRAY_INIT_END", node, elements[-1].end_point[0])


def _has_name(declaration: Node) -> bool:
    """Whether it declares a name, not just ``_``."""
    name = declaration.child_by_field_name("name")
    return name is None or name.type != "underscore_pattern"


def _annotations(declaration: Node) -> list[Node]:
    modifiers = declaration.children[:1]
    return [node for child in modifiers for node in child.children if "annotation" in node.type]
