import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleartitle.code.streams import DeadlineError, deadline, stream
from cleartitle.code.streams.jplag_cpp import tokens

PAIRS = Path(__file__).resolve().parents[3].parent / "shared" / "reference" / "pairs"

DECLARATIONS = {
    "int f(int a, const B &b);": "VARDEF VARDEF",
    "int f(int a) { }": "FUNCTION_BEGIN VARDEF FUNCTION_END",
    "auto f(int a) -> int { }": "FUNCTION_BEGIN VARDEF FUNCTION_END",
    "A::A(int a) : b(a), c{f(a)} { }": ("FUNCTION_BEGIN VARDEF BRACED_INIT_BEGIN APPLY BRACED_INIT_END FUNCTION_END"),
    "A::operator bool() const { return a; }": "FUNCTION_BEGIN RETURN FUNCTION_END",
    "extern unsigned long long a;": "VARDEF VARDEF",
    "long int a; long double b; long long c; short d; unsigned char e;": " ".join(["VARDEF"] * 8),
    "std::map<int, std::vector<A>> a;": "VARDEF",
    "struct s a; class B; typename T::type c;": "",
    "typedef int A; typedef void (*B)(int); using C = int; using std::string;": "VARDEF VARDEF",
    "int a[] = {1, {2}};": ("VARDEF ASSIGN BRACED_INIT_BEGIN BRACED_INIT_BEGIN BRACED_INIT_END BRACED_INIT_END"),
    "class A : public B { };": "CLASS_BEGIN CLASS_END",
    "struct A { int a = 1, b{2}; A(); virtual void f(int) = 0; A(const A &) = delete; };": (
        "STRUCT_BEGIN VARDEF ASSIGN BRACED_INIT_BEGIN BRACED_INIT_END VARDEF VARDEF FUNCTION_BEGIN VARDEF FUNCTION_END"
        " STRUCT_END"
    ),
    "class A { friend class B; friend int f(int); typedef int C; enum { D }; };": (
        "CLASS_BEGIN VARDEF VARDEF VARDEF ENUM_BEGIN VARDEF ENUM_END CLASS_END"
    ),
    "struct A { virtual ~A() = 0; ~A() {}; ~A() { } };": (
        "STRUCT_BEGIN BRACED_INIT_BEGIN BRACED_INIT_END FUNCTION_BEGIN FUNCTION_END STRUCT_END"
    ),
    "class EXPORT A : B { void f() { } };": "CLASS_BEGIN FUNCTION_BEGIN FUNCTION_END CLASS_END",
    "union A { int a; float b; };": "UNION_BEGIN VARDEF VARDEF UNION_END",
    "enum class A : int { B, C = 2 };": "ENUM_BEGIN VARDEF VARDEF VARDEF ENUM_END",
    "template <class T, int N = 3> struct A { T a[N]; };": "GENERIC VARDEF STRUCT_BEGIN VARDEF STRUCT_END",
    "template <> void f<int>(int a) { }": "GENERIC FUNCTION_BEGIN VARDEF FUNCTION_END",
    'namespace a { extern "C" { static_assert(1, "b"); } }': "STATIC_ASSERT",
    "BEGIN namespace a { int b; }": "VARDEF",
    "EXPORT int a = 1;": "VARDEF VARDEF ASSIGN",
    "TEST(A, B) { } METHOD(C) { } static METHOD(D) { }": (
        "FUNCTION_BEGIN VARDEF VARDEF FUNCTION_END FUNCTION_BEGIN FUNCTION_END FUNCTION_BEGIN VARDEF FUNCTION_END"
    ),
    "#define A int a;\n#if B\nint c;\n#else\nint d;\n#endif\n": "VARDEF VARDEF",
    'const char *a = R"x(int b; #define )" c)x"; // # d\nint e;': "VARDEF ASSIGN VARDEF",
}
STATEMENTS = {
    "if (a) b(); else if (c) { } else d();": "IF_BEGIN APPLY ELSE IF_BEGIN ELSE APPLY IF_END IF_END",
    "if (A *a = f()) { }": "IF_BEGIN ASSIGN APPLY IF_END",
    "for (int i = 0, n = f(); i < n; ++i) { }": "FOR_BEGIN VARDEF ASSIGN ASSIGN APPLY ASSIGN FOR_END",
    "for (A *a = b; a; a = a->c) { }": "FOR_BEGIN ASSIGN ASSIGN FOR_END",
    "for (A a = b; ; ) { }": "FOR_BEGIN VARDEF ASSIGN FOR_END",
    "for (auto &a : f()) continue;": "FOR_BEGIN VARDEF APPLY CONTINUE FOR_END",
    "while (f()) break;": "WHILE_BEGIN APPLY BREAK WHILE_END",
    "do f(); while (g());": "DO_BEGIN APPLY APPLY DO_END",
    "switch (f()) { case 1: g(); default: return; }": "SWITCH_BEGIN APPLY CASE APPLY DEFAULT RETURN SWITCH_END",
    "try { f(); } catch (const A &a) { throw; } catch (...) { throw B(); }": (
        "TRY_BEGIN APPLY CATCH_BEGIN THROW CATCH_END CATCH_BEGIN THROW APPLY CATCH_END TRY_END"
    ),
    "goto a; a: return b ? f() : c;": "GOTO RETURN COND APPLY",
    "x = 1; x += 1; x++; --x; *p = 1; p->q = 1; a[f()] = g(); x = 1, y = 2;": (
        "ASSIGN ASSIGN ASSIGN ASSIGN ASSIGN ASSIGN ASSIGN APPLY APPLY ASSIGN ASSIGN"
    ),
    "a.b = f(); f().a = b; x = y = z;": "ASSIGN APPLY APPLY ASSIGN ASSIGN ASSIGN",
    "a::b = 1; a; a::b;": "VARDEF ASSIGN VARDEF VARDEF",
    "A *a = new A(f()), *b = new A[2];": "VARDEF ASSIGN NEWCLASS VARDEF APPLY ASSIGN NEWARRAY VARDEF",
    "c->d = new char *[n];": "ASSIGN NEWARRAY",
    "delete a; delete[] b;": "",
    "auto f = [&](int a) { return g(a); };": "VARDEF ASSIGN VARDEF RETURN APPLY",
    "a.b(c()).d(e());": "APPLY APPLY APPLY APPLY",
    "int a = (int) b, c = sizeof(int), d = sizeof(T), e = static_cast<long>(f);": (
        "VARDEF ASSIGN VARDEF ASSIGN VARDEF ASSIGN ASSIGN APPLY VARDEF"
    ),
    "return (int) a;": "RETURN",
    "x = (T)(y); x = (T) - y; x = (T *) y; x = (size_t)(y);": "ASSIGN APPLY ASSIGN ASSIGN VARDEF ASSIGN APPLY",
    "x = A{1, 2}; B{3}; c::D{4};": (
        "ASSIGN VARDEF BRACED_INIT_BEGIN BRACED_INIT_END BRACED_INIT_BEGIN BRACED_INIT_END VARDEF BRACED_INIT_BEGIN"
        " BRACED_INIT_END"
    ),
}
# What CPP14 reads otherwise than a compiler would.
READINGS = {
    "f(); f(a); f(&a); f(*a); f(a[1]); f(1); f(a.b);": " ".join(["APPLY"] * 7),
    "f(a, b);": "APPLY VARDEF VARDEF",
    "f(a, 1); f(a, b.c); f(&a, b); f(a, nullptr);": "APPLY APPLY APPLY APPLY",
    "f(a * b); f(a, NULL); f(a = 1); f(a, b[g()]);": (
        "APPLY VARDEF APPLY VARDEF VARDEF APPLY VARDEF APPLY VARDEF VARDEF APPLY"
    ),
    "f(g(a)); f(g()); f(g(1)); f(a, g(b)); f(a, g(b, c));": (
        "APPLY VARDEF APPLY APPLY APPLY APPLY VARDEF VARDEF APPLY VARDEF VARDEF VARDEF VARDEF"
    ),
    "a::f(); a::f(b); a::f(1); ::f(1); a::f(b, 1);": "APPLY APPLY VARDEF APPLY APPLY VARDEF APPLY",
    "f(a)(b); f(a)(1); f(a, b)(c); (*f)(a); (*f)(1);": (
        "APPLY VARDEF APPLY APPLY APPLY VARDEF VARDEF VARDEF APPLY VARDEF APPLY"
    ),
    "f()->g(); f(a)->g(b); f(a)->g(1); f(1)->g();": ("VARDEF VARDEF VARDEF VARDEF APPLY VARDEF VARDEF APPLY APPLY"),
    "f(a)->b = 1; a::f()->b; f()->g()->h(); f().g();": "ASSIGN VARDEF VARDEF VARDEF VARDEF VARDEF VARDEF APPLY APPLY",
    "A a(b); A a(1); A a(b, g(c)); A a(&b);": "APPLY VARDEF VARDEF APPLY APPLY VARDEF VARDEF VARDEF APPLY",
    "A *a(1); A *a(b); A &a; A a(b, sizeof(b));": "VARDEF APPLY APPLY VARDEF VARDEF VARDEF APPLY",
    "x = f<A>(a); x = f<A>(); x = f<int>(a); x = f<A *>(a); x = f<a::B<C>>(a);": (
        "ASSIGN ASSIGN APPLY ASSIGN APPLY ASSIGN APPLY ASSIGN"
    ),
    "x = f<A, B>(a); x += f<A, B>(a); x = g(f<A, B>(a)); return f<A, B>(a);": (
        "ASSIGN APPLY ASSIGN ASSIGN APPLY RETURN"
    ),
    "f<A>(a); f<A>(1); a::f<A>(1); x = f<A>(a).g(); x = a->f<int>(1);": (
        "APPLY APPLY VARDEF APPLY ASSIGN APPLY ASSIGN APPLY"
    ),
    "g(f(a)->b, c); g(f()->b(c), d); g(f(1)->b, c); f()->a[g()] = b;": (
        "APPLY VARDEF VARDEF VARDEF APPLY VARDEF VARDEF VARDEF APPLY APPLY ASSIGN VARDEF APPLY"
    ),
    "int a = unsigned(b); const A &c(d.e);": "VARDEF ASSIGN APPLY VARDEF VARDEF APPLY",
    "f((char *) a); g((char *) a, 1); a.f((char *) b); return f((char *) a);": (
        "APPLY VARDEF APPLY VARDEF APPLY RETURN APPLY"
    ),
}


def streamed(source: str) -> list[str]:
    return tokens(source.encode()).names


@pytest.mark.parametrize(("source", "expected"), DECLARATIONS.items())
def test_each_declaration_gives_its_tokens(source: str, expected: str) -> None:
    assert streamed(source) == expected.split()


@pytest.mark.parametrize(("source", "expected"), [*STATEMENTS.items(), *READINGS.items()])
def test_each_statement_gives_its_tokens(source: str, expected: str) -> None:
    assert streamed(f"void f() {{ {source} }}") == ["FUNCTION_BEGIN", *expected.split(), "FUNCTION_END"]


def test_tokens_stand_in_the_rows_where_constructs_begin_and_end() -> None:
    found = tokens(b"void\nf()\n{\n  if (a)\n    x\n    = g();\n  else {\n  }\n}\n")
    assert list(zip(found.names, found.first_lines, strict=True)) == [
        ("FUNCTION_BEGIN", 0),
        ("IF_BEGIN", 3),
        ("ASSIGN", 4),
        ("APPLY", 5),
        ("ELSE", 6),
        ("IF_END", 7),
        ("FUNCTION_END", 8),
    ]
    assert found.last_lines == found.first_lines


def test_tokens_are_those_of_jplag_6_on_the_reference_files() -> None:
    dump = PAIRS / "jplag_tokens.jsonl"
    if not dump.exists():
        pytest.skip("the reference pairs are not beside this checkout")
    rows = [json.loads(line) for line in dump.read_text().splitlines()]
    rows = [row for row in rows if row["lang"] == "cpp"]
    assert rows
    for row in rows:
        found = stream("jplag", (PAIRS / row["file"]).read_bytes(), "cpp")
        expected = [(token["t"], token["l"] - 1) for token in row["tokens"][:-1]]
        assert list(zip(found.names, found.first_lines, strict=True)) == expected, row["file"]


def test_a_function_that_is_cut_short_begins_like_the_whole() -> None:
    body = " ".join(source for source in STATEMENTS if "goto" not in source)
    source = f"static int f(int a, A *b) {{ {body} }}"
    whole = streamed(source)
    for end in range(27, len(source), 7):
        found = streamed(source[:end])
        assert found[:3] == whole[:3]
    cut = streamed(source[: source.index("switch")])[:-1]
    assert cut == whole[: len(cut)]


def test_every_prefix_of_a_program_is_read() -> None:
    source = " ".join(DECLARATIONS).encode()
    for end in range(0, len(source), 5):
        found = tokens(source[:end])
        assert len(found.names) == len(found.first_lines) == len(found.last_lines)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from([*DECLARATIONS, *STATEMENTS, *READINGS, "{", "}", "(", ")", "<", ">", "#", "\0", "\xff"]))
    | st.binary(max_size=60)
)
def test_any_bytes_are_read(source: list[str] | bytes) -> None:
    data = " ".join(source).encode("latin-1") if isinstance(source, list) else source
    found = tokens(data)
    assert all(0 <= row <= data.count(b"\n") for row in found.first_lines)


@pytest.mark.parametrize(
    "source",
    [
        "(" * 100_000,
        "{" * 100_000,
        "void f() { x = " + "(" * 100_000 + ")" * 100_000 + "; }",
        "void f() { " + "f(a, " * 20_000 + "b" + ")" * 20_000 + "; }",
        "void f() { a()" + "->b()" * 20_000 + "; }",
        "void f() { x = " + "(T)(" * 20_000 + "y" + ")" * 20_000 + "; }",
        "void f() { x = " + "f<" * 20_000 + "A" + ">" * 20_000 + "(x); }",
        "void f() { " + "if (a) {" * 20_000,
        "int x = " + "{" * 20_000 + "}" * 20_000 + ";",
        "#/*" * 100_000,
        'R"(' * 100_000,
    ],
    ids=range(11),
)
def test_deep_nesting_ends_soon(source: str) -> None:
    with deadline(120):
        tokens(source.encode())


def test_a_deadline_ends_the_work() -> None:
    with deadline(0), pytest.raises(DeadlineError):
        tokens(b"int x;")
