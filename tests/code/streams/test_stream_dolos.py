"""The stream of Dolos equals what dolos-lib 3.5.1 recorded, and any bytes are read."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.code.streams import DeadlineError, deadline, stream
from cleartitle.code.streams.dolos import shape, tokens
from cleartitle.code.streams.parse import parse
from cleartitle.errors import InputError

REFERENCE = Path(__file__).resolve().parents[3].parent / "shared" / "reference"
LANGUAGES = {".py": "python", ".java": "java", ".c": "c", ".cpp": "cpp", ".cs": "csharp"}
PIECES = [
    *"()[]{}<>;:,.=\"'#/*\\@&|!~?\n\r\t \0",
    *"if for while class def return try catch switch case int void static public new yield async".split(),
    *"f' r\" /* */ // \xe9".split(),
    "\r\n",
    "\n    ",
    "x",
    "7",
]
hostile = st.binary(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=80).map(lambda p: "".join(p).encode())
needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="the reference values are not beside the repository"
)


def walked(node, rows):
    """The definition of the stream, by recursion: a node ends where its first named child begins."""
    result = []
    here = [node.start_point[0], node.end_point]
    counted = "comment" not in node.type
    if counted:
        result += [("(", here), (node.type, here)]
    for child in node.named_children:
        result += walked(child, rows)
        here[1] = min(here[1], child.start_point)
    if counted:
        result.append((")", here))
    return result


def unnamed(node):
    return [child for child in node.children if not child.is_named] + [
        found for child in node.children for found in unnamed(child)
    ]


def definition(source, language):
    found = walked(parse(source, language).root_node, [])
    return [name for name, _ in found], [place[0] for _, place in found], [place[1][0] for _, place in found]


@needs_reference
def test_tokens_equal_the_recorded_ones_of_real_code():
    recorded = [json.loads(line) for line in (REFERENCE / "pairs" / "dolos_tokens.jsonl").read_text().splitlines()]
    assert recorded
    for entry in recorded:
        path = REFERENCE / "pairs" / entry["file"]
        found = tokens(path.read_bytes(), LANGUAGES[path.suffix])
        assert found.names == entry["tokens"], entry["file"]


@needs_reference
def test_tokens_equal_the_recorded_ones_with_and_without_comments():
    recorded = json.loads((REFERENCE / "dolos" / "dolos_3.5.1_golden.json").read_text())
    assert {entry["includeComments"] for entry in recorded} == {True, False}
    for entry in recorded:
        for side in ("left", "right"):
            path = REFERENCE / "dolos" / "files" / entry[side]
            source, language = path.read_bytes(), LANGUAGES[path.suffix]
            found = tokens(source, language, include_comments=entry["includeComments"])
            assert found.names == entry[f"{side}File"]["tokens"]


@given(hostile, st.sampled_from(sorted(LANGUAGES.values())))
def test_any_bytes_give_the_tokens_of_their_tree_with_its_rows(source, language):
    found = tokens(source, language)
    assert (found.names, found.first_lines, found.last_lines) == definition(source, language)
    assert shape(source, language).length == len(found.names)


def test_a_node_within_a_sign_gives_nothing_as_in_dolos():
    # The grammar makes one sign of "not in" and puts what stands between into it.
    source = b"a not x y in b\n"
    assert b"not x y in" in {node.text for node in unnamed(parse(source, "python").root_node)}
    assert tokens(source, "python").names == definition(source, "python")[0]


@pytest.mark.parametrize("language", sorted(LANGUAGES.values()))
@pytest.mark.parametrize(
    "text", ["(" * 100_000, "[" * 20_000 + "]" * 20_000, "{([" * 3_000, "\0" * 100_000, "-" * 50_000]
)
def test_deep_nesting_is_read(language, text):
    for tool in ("dolos", "jplag"):
        found = stream(tool, text.encode(), language)
        assert len(found.names) == len(found.first_lines) == len(found.last_lines)


def test_time_that_is_over_ends_parsing_and_walking():
    source = b"def f(x):\n    return [x, (x)]\n" * 20_000
    with pytest.raises(DeadlineError), deadline(0.01):
        tokens(source, "python")
    with deadline(0.0), pytest.raises(DeadlineError):
        tokens(b"x = 1\n", "java")
    assert tokens(b"x\n", "python").names


def test_an_inner_deadline_does_not_prolong_the_outer_one():
    with deadline(0.0), deadline(100.0), pytest.raises(DeadlineError):
        parse(b"other = 2", "python")


def test_an_unknown_language_is_named():
    with pytest.raises(InputError, match="cobol"):
        stream("dolos", b"", "cobol")


COMMENTED = {
    "python": b"# one\nx = 1  # two\n'three'\n# four\n",
    "java": b"/* one */ class A { // two\n /** three */ int f() { return /* four */ 1; } }",
    "c": b"/* one */ int f(int /* two */ x) { // three\n return x; }\n#define A 1 // four\n",
    "cpp": b"// one\nauto f = [](int x /* two */) { return x; }; /* three",
    "csharp": b"/// <summary>one</summary>\nclass A { int F() => 1; /* two */ } // three",
}


@pytest.mark.parametrize("language", sorted(COMMENTED))
@given(data=st.data())
def test_a_shape_without_its_comments_is_the_shape_that_never_had_them(language, data):
    source = data.draw(st.just(COMMENTED[language]) | hostile)
    whole, bare = (shape(source, language, include_comments=comments) for comments in (True, False))
    assert whole.without_comments().steps.tolist() == bare.steps.tolist()
    assert bare.without_comments().steps.tolist() == bare.steps.tolist()
    assert not whole.without_comments().include_comments


def test_comments_are_what_is_left_out():
    for language, source in COMMENTED.items():
        whole = shape(source, language, include_comments=True)
        assert len(whole.without_comments().kinds) < len(whole.kinds)
