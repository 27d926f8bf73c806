import base64
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleartitle.code.streams import DeadlineError, deadline, stream
from cleartitle.code.streams.jplag_java import tokens

PAIRS = Path(__file__).resolve().parents[3].parent / "shared" / "reference" / "pairs"

MEMBERS = {
    "int a = f(), b;": "VARDEF APPLY VARDEF",
    "@A int a = 1, /* next */ b = f();": "VARDEF ANNO VARDEF ANNO APPLY",
    "@A(x = f(), y = @B(z = g())) int a = h();": "VARDEF ANNO APPLY",
    "static { f(); }": "APPLY",
    "void f();": "METHOD_BEGIN METHOD_END",
    "<T> T f(T a, int... b) { }": "METHOD_BEGIN GENERIC VARDEF VARDEF METHOD_END",
    "void f(X this, int a) { }": "METHOD_BEGIN VARDEF VARDEF METHOD_END",
    "X(int a) { super(a); }": "METHOD_BEGIN VARDEF APPLY METHOD_END",
    "class Y<S, T extends S> { int a; }": "CLASS_BEGIN GENERIC GENERIC VARDEF CLASS_END",
    "interface I { int A = f(); void g(); }": "INTERFACE_BEGIN VARDEF APPLY METHOD_BEGIN METHOD_END INTERFACE_END",
    "enum E { A, B(f()) { int a; }; E() { } }": (
        "ENUM_BEGIN VARDEF NEWCLASS VARDEF NEWCLASS APPLY ENUM_BEGIN VARDEF ENUM_END METHOD_BEGIN METHOD_END ENUM_END"
    ),
    "@interface N { int v() default 1; int[] w() default {1}; }": (
        "ANNO_T_BEGIN METHOD_BEGIN METHOD_END METHOD_BEGIN NEWARRAY ARRAY_INIT_BEGIN ARRAY_INIT_END METHOD_END"
        " ANNO_T_END"
    ),
    "record R(@A int a, int b) { @B R { f(); } }": (
        "RECORD_BEGIN VARDEF ANNO VARDEF METHOD_BEGIN ANNO VARDEF ANNO VARDEF APPLY METHOD_END RECORD_END"
    ),
}
STATEMENTS = {
    "a = b; a += b; a >>>= b; a++; --a; -a;": "ASSIGN ASSIGN ASSIGN ASSIGN ASSIGN",
    "a[f()] = g().b = h();": "ASSIGN APPLY ASSIGN APPLY APPLY",
    "a.b(c()).d(e());": "APPLY APPLY APPLY APPLY",
    "var a = (int) f();": "VARDEF APPLY",
    "if (f()) g(); else if (h()) { } else return;": (
        "IF_BEGIN APPLY APPLY IF_END IF_BEGIN APPLY IF_END IF_BEGIN RETURN IF_END"
    ),
    "if (a) ; else while (b) c();": "IF_BEGIN IF_END IF_BEGIN LOOP_BEGIN APPLY LOOP_END IF_END",
    "if (a) if (b) c(); else d();": "IF_BEGIN IF_BEGIN APPLY IF_END IF_BEGIN APPLY IF_END IF_END",
    "for (int i = 0, n = f(); i < g(); i++) h();": "LOOP_BEGIN VARDEF VARDEF APPLY APPLY ASSIGN APPLY LOOP_END",
    "for (final @A String s : f()) continue;": "LOOP_BEGIN VARDEF ANNO APPLY CONTINUE LOOP_END",
    "while (f()) break;": "LOOP_BEGIN APPLY BREAK LOOP_END",
    "do f(); while (g());": "LOOP_BEGIN APPLY APPLY LOOP_END",
    "switch (f()) { case 1: case 2: g(); break; default: h(); }": (
        "SWITCH_BEGIN APPLY CASE CASE APPLY BREAK CASE DEFAULT APPLY SWITCH_END"
    ),
    "int a = switch (b) { case 1, 2 -> f(); case null, default -> { yield g(); } };": (
        "VARDEF SWITCH_BEGIN CASE APPLY CASE DEFAULT YIELD APPLY SWITCH_END"
    ),
    "switch (a) { case B b when b.c() -> d(); case R(var e, int _) -> f(); default -> throw g; }": (
        "SWITCH_BEGIN CASE VARDEF APPLY APPLY CASE VARDEF APPLY CASE DEFAULT THROW SWITCH_END"
    ),
    "try { f(); } catch (A | B e) { g(); } finally { h(); }": (
        "TRY_BEGIN APPLY CATCH_BEGIN VARDEF APPLY CATCH_END FINALLY_BEGIN APPLY FINALLY_END TRY_END"
    ),
    "try (A a = f(); b) { g(); }": "TRY_BEGIN VARDEF APPLY APPLY TRY_END",
    "synchronized (a()) { b(); }": "SYNC_BEGIN APPLY APPLY SYNC_END",
    "a: while (true) { break a; }": "LOOP_BEGIN BREAK LOOP_END",
    "assert a() : b();": "ASSERT APPLY APPLY",
    "throw new A(f());": "THROW NEWCLASS APPLY",
    "return a() ? b() : c();": "RETURN COND APPLY APPLY APPLY",
    "A a = new A(f()) { int b; };": "VARDEF NEWCLASS APPLY CLASS_BEGIN VARDEF CLASS_END",
    "f().new A();": "NEWCLASS APPLY",
    "int[] a = new int[f()];": "VARDEF NEWARRAY APPLY",
    "int[] a = new int[] { f() }, b = {}, c = { 1 };": (
        "VARDEF NEWARRAY ARRAY_INIT_BEGIN APPLY ARRAY_INIT_END VARDEF NEWARRAY"
        " VARDEF NEWARRAY ARRAY_INIT_BEGIN ARRAY_INIT_END"
    ),
    "F f = (a, _) -> a.b(), g = c -> d, h = (int e) -> { return; };": (
        "VARDEF VARDEF APPLY VARDEF VARDEF VARDEF VARDEF RETURN"
    ),
    "F f = A::new;": "VARDEF",
    "if (a instanceof B b && b.c()) ;": "IF_BEGIN VARDEF APPLY IF_END",
    "int _ = f(); for (var _ : g()) ;": "APPLY LOOP_BEGIN APPLY LOOP_END",
    '// f();\n/* g(); */ String s = "h();";': "VARDEF",
}


def names(text: str) -> str:
    return " ".join(name.removeprefix("J_") for name in tokens(text.encode()).names)


@pytest.mark.parametrize("text", MEMBERS)
def test_members_of_a_class_give_the_tokens_of_javac_s_walk(text: str):
    assert names(f"class X {{ {text} }}") == f"CLASS_BEGIN {MEMBERS[text]} CLASS_END"


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements_give_the_tokens_of_javac_s_walk(text: str):
    expected = f"CLASS_BEGIN METHOD_BEGIN {STATEMENTS[text]} METHOD_END CLASS_END"
    assert names(f"class X {{ void x() {{ {text} }} }}") == expected


def test_files_begin_with_package_and_imports():
    assert names("package a.b;\nimport c.*;\nimport static d.E.f;\n") == "PACKAGE IMPORT IMPORT"


def test_modules_have_their_tokens():
    text = "module a { requires b; exports c to d; provides e.F with g.H; }"
    assert names(text) == "MODULE_BEGIN REQUIRES EXPORTS PROVIDES MODULE_END"


def test_tokens_know_the_rows_of_beginnings_and_ends():
    text = (
        "@A\npublic class X {\n  @B\n  void f(\n    int a) {\n    if (a > 0) {\n    }\n    else\n      g();\n  }\n}\n"
    )
    found = tokens(text.encode())
    rows = dict(zip(found.names, found.first_lines, strict=True))
    assert rows["J_CLASS_BEGIN"] == 1
    assert rows["J_METHOD_BEGIN"] == 2
    assert rows["J_VARDEF"] == 4
    assert [row for name, row in zip(found.names, found.first_lines, strict=True) if name == "J_IF_END"] == [6, 8]
    assert (rows["J_METHOD_END"], rows["J_CLASS_END"]) == (9, 10)
    assert found.last_lines == found.first_lines


def test_streams_of_java_are_found_by_tool_and_language():
    source = b"class A { int a; }"
    assert stream("jplag", source, "java") == tokens(source)


def test_reference_files_have_the_tokens_and_lines_of_jplag():
    if not PAIRS.exists():
        pytest.skip("the reference pairs are not here")
    count = 0
    for line in (PAIRS / "jplag_tokens.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if entry["lang"] != "java":
            continue
        found = tokens((PAIRS / entry["file"]).read_bytes())
        expected = [(token["t"], token["l"]) for token in entry["tokens"] if token["t"] != "FILE_END"]
        got = list(zip(found.names, (row + 1 for row in found.first_lines), strict=True))
        assert got == expected, entry["file"]
        count += 1
    assert count == 32


PROGRAM = "\n".join(
    [f"class X {{ {member} }}" for member in MEMBERS]
    + [f"class X {{ void x() {{ {statement} }} }}" for statement in STATEMENTS]
)


def test_every_prefix_of_a_program_is_read():
    source = PROGRAM.encode()
    for end in range(0, len(source), 13):
        found = tokens(source[:end])
        assert len(found.names) == len(found.first_lines) == len(found.last_lines)
        assert all(0 <= row <= source[:end].count(b"\n") for row in found.first_lines)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.integers(0, len(PROGRAM)), st.integers(0, len(PROGRAM)))
def test_any_bytes_are_read(noise: bytes, cut: int, resume: int):
    source = PROGRAM.encode()[:cut] + noise + PROGRAM.encode()[resume:]
    found = tokens(source)
    assert len(found.names) == len(found.first_lines) == len(found.last_lines)


@pytest.mark.parametrize("bracket", [b"(", b"{", b"[", b"f(", b"<", b"@A(", b"if (a) b(); else "])
def test_deep_nesting_is_read_in_time(bracket: bytes):
    with deadline(20):
        found = tokens(b"class A { void f() { " + bracket * (100_000 // len(bracket)))
    assert len(found.first_lines) == len(found.names)


def test_the_deadline_ends_a_walk():
    with deadline(0.0), pytest.raises(DeadlineError):
        tokens(b"class A { void f() { a(); } }" * 1000)


def test_the_walk_meets_what_a_walk_over_javac_s_own_tree_meets():
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin") if home else None)
    if java is None or shutil.which("javac", path=str(Path(java).parent)) is None:
        pytest.skip("no Java compiler is here")
    programs = [f"class X {{ {member} }}" for member in MEMBERS]
    programs += [f"class X {{ void x() {{ {statement} }} }}" for statement in STATEMENTS]
    lines = "\n".join(base64.b64encode(program.encode()).decode() for program in programs)
    walk = Path(__file__).with_name("JavacWalk.java")
    done = subprocess.run([java, str(walk)], input=lines, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    compared = 0
    for program, line in zip(programs, done.stdout.splitlines(), strict=True):
        errors, expected = line.split("\t")
        if errors == "0":
            assert names(program) == expected, program
            compared += 1
    assert compared > 0.7 * len(programs)
