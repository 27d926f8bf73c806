"""The token stream that JPlag 6.3.0 makes of Java.

JPlag walks the tree of javac. The rules here follow from its token dumps, from the list of its token types and from
the order in which a ``com.sun.source.util.TreeScanner`` visits a tree; ``docs/token-streams.md`` says which rules no
dump confirms. JPlag refuses what javac cannot parse; here it is read as far as the parser recovers.
"""

from tree_sitter import Node

from cleartitle.code.streams import Tokens
from cleartitle.code.streams.captures import Events, captured
from cleartitle.code.streams.parse import parse

__all__ = ["tokens"]

_QUERY = """
(package_declaration) @J_PACKAGE
(import_declaration) @J_IMPORT
(class_declaration) @class
(object_creation_expression (class_body) @class)
(interface_declaration) @interface
(annotation_type_declaration) @annotation_type
(enum_declaration) @enum
(record_declaration) @record
(module_declaration) @module
(requires_module_directive) @J_REQUIRES
(provides_module_directive) @J_PROVIDES
(exports_module_directive) @J_EXPORTS
(method_declaration) @method
(constructor_declaration) @method
(compact_constructor_declaration) @compact
(annotation_type_element_declaration) @method
(field_declaration) @J_VARDEF
(constant_declaration) @J_VARDEF
(local_variable_declaration) @J_VARDEF
(field_declaration ",") @several
(constant_declaration ",") @several
(local_variable_declaration ",") @several
(formal_parameter) @J_VARDEF
(spread_parameter) @J_VARDEF
(formal_parameters (receiver_parameter)) @received
(catch_formal_parameter) @J_VARDEF
(resource name: (_)) @J_VARDEF
(enhanced_for_statement "(" . (_) @J_VARDEF)
(inferred_parameters (identifier) @parameter)
(lambda_expression parameters: (identifier) @parameter)
(type_pattern (identifier) @parameter .)
(record_pattern_component (identifier) @parameter .)
(instanceof_expression name: (identifier) @J_VARDEF)
(_ name: (underscore_pattern)) @unnamed
(_ (variable_declarator name: (underscore_pattern))) @unnamed
(enhanced_for_statement "(" . (_) @unnamed name: (underscore_pattern))
(enum_constant) @constant
(enum_constant body: (class_body) @enum)
(type_parameter) @J_GENERIC
(annotation) @J_ANNO
(marker_annotation) @J_ANNO
(synchronized_statement) @sync
(while_statement) @loop
(do_statement) @loop
(for_statement) @loop
(enhanced_for_statement) @loop
(switch_expression) @switch
(switch_label) @label
(try_statement) @try
(try_with_resources_statement) @try
(catch_clause) @catch
(finally_clause) @finally
(if_statement) @if
(if_statement consequence: _ @then)
(if_statement alternative: _ @else)
(ternary_expression) @J_COND
(break_statement) @J_BREAK
(continue_statement) @J_CONTINUE
(return_statement) @J_RETURN
(throw_statement) @J_THROW
(yield_statement) @J_YIELD
(assert_statement) @J_ASSERT
(method_invocation) @J_APPLY
(explicit_constructor_invocation) @J_APPLY
(object_creation_expression) @J_NEWCLASS
(array_creation_expression) @J_NEWARRAY
(array_initializer) @initializer
(annotation_type_element_declaration value: (element_value_array_initializer) @initializer)
(array_creation_expression value: (array_initializer) @created)
(assignment_expression) @J_ASSIGN
(update_expression) @J_ASSIGN
"""
_AREAS = (
    ("loop", "J_LOOP"),
    ("switch", "J_SWITCH"),
    ("sync", "J_SYNC"),
    ("try", "J_TRY"),
    ("catch", "J_CATCH"),
    ("finally", "J_FINALLY"),
)
_DECLARATIONS = (
    ("class", "J_CLASS"),
    ("interface", "J_INTERFACE"),
    ("annotation_type", "J_ANNO_T"),
    ("enum", "J_ENUM"),
    ("record", "J_RECORD"),
)
_PLAIN = frozenset(
    (
        *("J_PACKAGE", "J_IMPORT", "J_REQUIRES", "J_PROVIDES", "J_EXPORTS", "J_VARDEF", "J_GENERIC", "J_COND"),
        *("J_BREAK", "J_CONTINUE", "J_RETURN", "J_THROW", "J_YIELD", "J_ASSERT", "J_APPLY", "J_NEWCLASS"),
        *("J_NEWARRAY", "J_ASSIGN"),
    )
)
_KEYWORDS = frozenset(("class", "interface", "@interface", "enum", "record"))


def tokens(source: bytes) -> Tokens:
    """JPlag's tokens of a Java program, without the one for the end of the file.

    Each has the row where JPlag puts it: where the construct begins, or where it ends for a token of its end.

    Raises:
        DeadlineError: the deadline of this thread passed.
    """
    found = captured(parse(source, "java"), "java", _QUERY)
    events = Events()
    unnamed = {node.id for node in found.get("unnamed", ())}
    if unnamed:
        found["J_VARDEF"] = [node for node in found["J_VARDEF"] if node.id not in unnamed]
    for name in found.keys() & _PLAIN:
        events.begin_all(name, found[name])
    for capture, name in _AREAS:
        events.both_all(f"{name}_BEGIN", f"{name}_END", found.get(capture, ()))
    for capture, name in _DECLARATIONS:
        for node in found.get(capture, ()):
            events.begin(f"{name}_BEGIN", node, _keyword_row(node))
            events.end(f"{name}_END", node)
    annotations = found.get("J_ANNO", [])
    events.begin_all("J_ANNO", annotations, rank=1)
    _ifs(events, found)
    _methods(events, found)
    _variables(events, found)
    _labels(events, found)
    _arrays(events, found)
    return events.tokens(hidden=_insides(annotations))


def _keyword_row(declaration: Node) -> int:
    for child in declaration.children:
        if child.type in _KEYWORDS:
            return child.start_point[0]
    return declaration.start_point[0]


def _ifs(events: Events, found: dict[str, list[Node]]) -> None:
    """Every branch is an ``if`` of its own, also that of an ``else``."""
    events.begin_all("J_IF_BEGIN", found.get("if", ()), rank=-1)
    for branch in found.get("then", ()):
        events.end("J_IF_END", branch, rank=-1)
    for branch in found.get("else", ()):
        if branch.type != "if_statement":
            events.begin("J_IF_BEGIN", branch, rank=-1)
            events.end("J_IF_END", branch, rank=-1)


def _methods(events: Events, found: dict[str, list[Node]]) -> None:
    events.both_all("J_METHOD_BEGIN", "J_METHOD_END", found.get("method", ()))
    events.both_all("J_MODULE_BEGIN", "J_MODULE_END", found.get("module", ()))
    for node in found.get("compact", ()):
        events.begin("J_METHOD_BEGIN", node)
        events.end("J_METHOD_END", node)
        name = node.child_by_field_name("name") or node
        for rank, component in enumerate(_components(node)):
            events.begin("J_VARDEF", name, rank=2 * rank + 2)
            for annotation in _annotations(component):
                events.begin("J_ANNO", name, annotation.start_point[0], rank=2 * rank + 3)


def _components(constructor: Node) -> list[Node]:
    """The components of the record; javac makes them the parameters of its compact constructor."""
    body = constructor.parent
    record = body.parent if body is not None else None
    parameters = record.child_by_field_name("parameters") if record is not None else None
    return [] if parameters is None else [node for node in parameters.named_children if "parameter" in node.type]


def _annotations(declaration: Node) -> list[Node]:
    modifiers = declaration.children[:1]
    return [node for child in modifiers for node in child.children if "annotation" in node.type]


def _variables(events: Events, found: dict[str, list[Node]]) -> None:
    for declaration in {node.id: node for node in found.get("several", ())}.values():
        row = declaration.start_point[0]
        annotations = _annotations(declaration)
        for node in declaration.children_by_field_name("declarator")[1:]:
            events.begin("J_VARDEF", node, row)
            for annotation in annotations:
                events.begin("J_ANNO", node, annotation.start_point[0], rank=1)
    for node in found.get("received", ()):
        events.end("J_VARDEF", node)
    events.begin_all("J_VARDEF", (node for node in found.get("parameter", ()) if node.text != b"_"))
    for node in found.get("constant", ()):
        events.begin("J_VARDEF", node, rank=-1)
        events.begin("J_NEWCLASS", node.child_by_field_name("name") or node, rank=2)


def _labels(events: Events, found: dict[str, list[Node]]) -> None:
    for node in found.get("label", ()):
        events.begin("J_CASE", node)
        for child in node.children:
            if child.type == "default" or (child.type == "identifier" and child.text == b"default"):
                events.begin("J_DEFAULT", child, rank=1)


def _arrays(events: Events, found: dict[str, list[Node]]) -> None:
    created = {node.start_byte for node in found.get("created", ())}
    for node in found.get("initializer", ()):
        if node.start_byte not in created:
            events.begin("J_NEWARRAY", node, rank=-1)
        elements = [child for child in node.named_children if "comment" not in child.type]
        if elements:
            events.begin("J_ARRAY_INIT_BEGIN", node, elements[0].start_point[0])
            events.end("J_ARRAY_INIT_END", node)


def _insides(annotations: list[Node]) -> list[tuple[int, int]]:
    """What lies within annotations: JPlag takes no tokens from it."""
    return [(node.start_byte + 1, node.end_byte) for node in annotations if node.type == "annotation"]
