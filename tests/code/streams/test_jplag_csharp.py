import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleartitle.code.streams import DeadlineError, deadline, stream
from cleartitle.code.streams.jplag_csharp import tokens

PAIRS = Path(__file__).resolve().parents[3].parent / "shared" / "reference" / "pairs"

MEMBERS = {
    "int a, b = f();": "FIELD INVOCATION",
    "public const int A = 1, B = 2;": "CONSTANT",
    "int[] a = { 1, 2 };": "FIELD ARRAY_CREATION",
    "event E A; event E B { add { f(); } remove { } }": "EVENT EVENT INVOCATION",
    "[A(1, B = 2), C] int a;": "ATTRIBUTE ASSIGNMENT ATTRIBUTE FIELD",
    "void F() { g(); }": "METHOD METHOD_BEGIN INVOCATION METHOD_END",
    "int F() => g();": "METHOD INVOCATION",
    "abstract void F();": "METHOD METHOD_BEGIN METHOD_END",
    "void I.F() { }": "METHOD METHOD_BEGIN METHOD_END",
    "W() : base(f(a), g()) { }": "CONSTRUCTOR INVOCATION METHOD_BEGIN METHOD_END",
    "~W() { f(); }": "DESTRUCTOR METHOD_BEGIN INVOCATION METHOD_END",
    "public static W operator +(W a, W b) { return a; }": "OPERATOR METHOD_BEGIN RETURN METHOD_END",
    "public static implicit operator int(W a) => f();": "OPERATOR INVOCATION",
    "int P { get; private set; } = f();": (
        "PROPERTY ACCESSORS_BEGIN ACCESSOR_BEGIN ACCESSOR_END ACCESSOR_BEGIN ACCESSOR_END ACCESSORS_END INVOCATION"
    ),
    "int P { get { return f(); } }": (
        "PROPERTY ACCESSORS_BEGIN ACCESSOR_BEGIN RETURN INVOCATION ACCESSOR_END ACCESSORS_END"
    ),
    "int P => f();": "PROPERTY INVOCATION",
    "int this[int i] { set { a = value; } }": (
        "INDEXER ACCESSORS_BEGIN ACCESSOR_BEGIN ASSIGNMENT ACCESSOR_END ACCESSORS_END"
    ),
    "delegate void D(int a);": "DELEGATE",
    "enum E { A = 1, B }": "ENUM ENUM_BEGIN ENUMERAL ENUMERAL ENUM_END",
    "struct S { int a; }": "STRUCT STRUCT_BEGIN FIELD STRUCT_END",
    "interface I { void f(); }": "INTERFACE CLASS_BEGIN METHOD METHOD_BEGIN METHOD_END CLASS_END",
}
STATEMENTS = {
    "int a = f(), b; const int c = 1;": "LOCAL_VARIABLE INVOCATION LOCAL_VARIABLE",
    "a = b; a += b; a <<= b; a >>= b; a ??= b;": (
        "ASSIGNMENT ASSIGNMENT ASSIGNMENT ASSIGNMENT ASSIGNMENT ASSIGNMENT ASSIGNMENT"
    ),
    "a++; --b; c = -d;": "ASSIGNMENT ASSIGNMENT ASSIGNMENT",
    "if (f()) g(); else if (b) { } else return;": (
        "IF INVOCATION IF_BEGIN INVOCATION IF_END IF IF_BEGIN IF IF_BEGIN IF_END IF IF_BEGIN RETURN IF_END IF_END"
    ),
    "if (a) while (b) c();": "IF IF_BEGIN LOOP_BEGIN INVOCATION LOOP_END IF_END",
    "for (int i = 0, j = f(); i < g(); i++) h();": (
        "LOOP_BEGIN LOCAL_VARIABLE INVOCATION INVOCATION ASSIGNMENT INVOCATION LOOP_END"
    ),
    "foreach (var a in f()) { continue; }": "LOOP_BEGIN INVOCATION CONTINUE LOOP_END",
    "do f(); while (g());": "LOOP_BEGIN INVOCATION INVOCATION LOOP_END",
    "switch (f()) { case 1: case 2: break; default: goto case 1; }": (
        "SWITCH_BEGIN INVOCATION CASE CASE BREAK CASE GOTO SWITCH_END"
    ),
    "try { f(); } catch (E e) when (g()) { } catch { } finally { h(); }": (
        "TRY INVOCATION CATCH INVOCATION CATCH FINALLY INVOCATION"
    ),
    "using (var a = f()) { g(); }": "LOCAL_VARIABLE INVOCATION INVOCATION",
    "using (f()) g();": "INVOCATION INVOCATION",
    "lock (f()) { }": "LOCK INVOCATION",
    "unsafe { fixed (int* p = &a) { } }": "UNSAFE FIXED",
    "checked { a = unchecked(b + c); }": "CHECKED ASSIGNMENT UNCHECKED",
    "throw new E(f());": "THROW OBJECT_CREATION INVOCATION",
    "int f(int a) { return a; }": "RETURN",
    "await a; await b.c(); await d.e;": "LOCAL_VARIABLE INVOCATION",
    "var (a, b) = f(); (c, d) = g();": "INVOCATION ASSIGNMENT INVOCATION ASSIGNMENT INVOCATION",
    "var a = new A { B = 1, C = { 2 } };": "LOCAL_VARIABLE",
    "var a = new A(1) { B = f() }; var b = new { C = g() };": (
        "LOCAL_VARIABLE OBJECT_CREATION INVOCATION LOCAL_VARIABLE INVOCATION"
    ),
    "var a = new int[f()]; var b = new int[] { g() };": "LOCAL_VARIABLE INVOCATION LOCAL_VARIABLE INVOCATION",
    "var a = new[] { 1 }; int[,] b = { { 1 }, { 2 } }; var c = new int[1] { 2 };": (
        "LOCAL_VARIABLE ARRAY_CREATION LOCAL_VARIABLE ARRAY_CREATION ARRAY_CREATION ARRAY_CREATION"
        " LOCAL_VARIABLE ARRAY_CREATION"
    ),
    "F f = a => b(c), g = delegate { d(); };": "LOCAL_VARIABLE INVOCATION INVOCATION",
    "var q = from a in f() where g(a) select h(i(a));": "LOCAL_VARIABLE INVOCATION INVOCATION INVOCATION",
    's = $"a{f(1)}b";': "ASSIGNMENT INVOCATION",
    "a?.b(c)?.d(e);": "INVOCATION INVOCATION",
    "#if A\nf();\n#else\ng();\n#endif\nh();": "INVOCATION INVOCATION INVOCATION",
}
CALLS = {
    "f(g());": 2,
    "f(g(x));": 1,
    "f(g(x, y), h(z));": 1,
    "f(a.b<c>.d(x));": 1,
    "f(A::B.c(x));": 1,
    "f(n: g(x), ref a);": 1,
    "f(g(h(x)));": 2,
    "f(g(h(x), y));": 1,
    "f(g(h(i(j(x)))));": 3,
    "f(g(ref x));": 1,
    "f(g(out x));": 2,
    "f(g(a: x));": 2,
    "f(g(x, out y));": 1,
    "f(g(x).h(y).i());": 3,
    "f(g(x) + h(y));": 2,
    "f(a + g(x));": 2,
    "f(g(x) ? h(y) : i(z));": 3,
    "f(this.g(x), base.h(x));": 3,
    "f(int.Parse(x), string.Format(y));": 3,
    'f("a".g(x), (T)h(x), -i(x), !j(x));': 5,
    "f(await g(x));": 2,
    "f(x => g(x), () => { h(y); });": 3,
    "f(g(x => h(i(y))));": 2,
    "f(a?.b(x));": 2,
    "f(a[g(x)]);": 2,
    "f((g(x), h(y)), (i(z)));": 2,
    "f(nameof(x)); nameof(x);": 2,
    "(f)(x); (f)(); ((T)f)(x);": 2,
    "f(g(x)(y)); f(g(x)()); f(g(1)(y)); g(x)(y);": 7,
    "a = f(g(x)); return f(g(x));": 2,
}


def names(text: str) -> str:
    return " ".join(tokens(text.encode()).names)


@pytest.mark.parametrize("text", MEMBERS)
def test_members_of_a_class_give_the_tokens_of_the_grammar(text: str):
    assert names(f"class W {{ {text} }}") == f"CLASS CLASS_BEGIN {MEMBERS[text]} CLASS_END"


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements_give_the_tokens_of_the_grammar(text: str):
    expected = f"CLASS CLASS_BEGIN METHOD METHOD_BEGIN {STATEMENTS[text]} METHOD_END CLASS_END"
    assert names(f"class W {{ void m() {{\n{text}\n}} }}") == expected


@pytest.mark.parametrize("text", CALLS)
def test_a_call_that_could_be_the_type_of_an_argument_is_not_seen(text: str):
    assert tokens(f"class W {{ void m() {{ {text} }} }}".encode()).names.count("INVOCATION") == CALLS[text]


def test_using_directives_and_namespaces_have_their_tokens():
    text = "using A; using static B.C; using D = E.F; using G = H; using I = J.K<L>; namespace M { using N; }"
    expected = "USING_DIRECTIVE USING_DIRECTIVE USING_DIRECTIVE NAMESPACE_BEGIN USING_DIRECTIVE NAMESPACE_END"
    assert names(text) == expected


def test_tokens_know_the_rows_of_beginnings_and_ends():
    text = "[A]\npublic\nclass W\n{\n  int\n  P\n  {\n    get;\n  }\n  void\n  m(\n    )\n  {\n    f\n    ();\n  }\n}\n"
    found = tokens(text.encode())
    rows = dict(zip(found.names, found.first_lines, strict=True))
    expected = {
        "ATTRIBUTE": 0,
        "CLASS": 2,
        "CLASS_BEGIN": 3,
        "PROPERTY": 5,
        "ACCESSORS_BEGIN": 7,
        "ACCESSOR_BEGIN": 7,
        "ACCESSOR_END": 7,
        "ACCESSORS_END": 7,
        "METHOD": 10,
        "METHOD_BEGIN": 12,
        "INVOCATION": 14,
        "METHOD_END": 15,
        "CLASS_END": 16,
    }
    assert rows == expected
    assert found.last_lines == found.first_lines


def test_streams_of_csharp_are_found_by_tool_and_language():
    source = b"class A { int a; }"
    assert stream("jplag", source, "csharp") == tokens(source)


def test_reference_files_have_the_tokens_and_lines_of_jplag():
    if not PAIRS.exists():
        pytest.skip("the reference pairs are not here")
    count = 0
    for line in (PAIRS / "jplag_tokens.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if entry["lang"] != "csharp":
            continue
        found = tokens((PAIRS / entry["file"]).read_bytes())
        expected = [(token["t"], token["l"]) for token in entry["tokens"] if token["t"] != "FILE_END"]
        got = list(zip(found.names, (row + 1 for row in found.first_lines), strict=True))
        assert got == expected, entry["file"]
        count += 1
    assert count == 16


PROGRAM = "\n".join(
    [f"class W {{ {member} }}" for member in MEMBERS]
    + [f"class W {{ void m() {{\n{statement}\n}} }}" for statement in (*STATEMENTS, *CALLS)]
)


def test_every_prefix_of_a_program_is_read():
    source = PROGRAM.encode()
    for end in range(0, len(source), 23):
        found = tokens(source[:end])
        assert len(found.names) == len(found.first_lines) == len(found.last_lines)
        assert all(0 <= row <= source[:end].count(b"\n") for row in found.first_lines)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.integers(0, len(PROGRAM)), st.integers(0, len(PROGRAM)))
def test_any_bytes_are_read(noise: bytes, cut: int, resume: int):
    source = PROGRAM.encode()[:cut] + noise + PROGRAM.encode()[resume:]
    found = tokens(source)
    assert len(found.names) == len(found.first_lines) == len(found.last_lines)


@pytest.mark.parametrize("bracket", [b"(", b"{", b"[", b"f(", b"f(g(x),", b"a.b(c).", b"(a)"])
def test_deep_nesting_is_read_in_time(bracket: bytes):
    with deadline(30):
        found = tokens(b"class A { void f() { " + bracket * (100_000 // len(bracket)))
    assert len(found.first_lines) == len(found.names)


def test_the_deadline_ends_a_walk():
    with deadline(0.0), pytest.raises(DeadlineError):
        tokens(b"class A { void f() { a(); } }" * 1000)
