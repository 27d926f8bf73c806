import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleartitle.code.streams import DeadlineError, deadline, stream
from cleartitle.code.streams.jplag_c import tokens

REFERENCE = Path(__file__).resolve().parents[3].parent / "shared" / "reference"

STREAMS = {
    "static unsigned long f(const char *s, int n);": "STATIC UNSIGNED LONG CONST CHAR INT",
    "x = y; x += 1; x <<= 2; x >>= 2; x ^= 1; x %= 2; i++; --j;": " ".join(["ASSIGN"] * 8),
    "x == y; x != y; x <= y; x >= y; !x; x << 1; x >> 1; x - y; p->q; x.y; &x; *x; ~x;": "",
    "a=-1;b=*p;c=&d;e=!f;": "ASSIGN ASSIGN ASSIGN ASSIGN",
    "x = a ? b : NULL;": "ASSIGN QUESTIONMARK NULL",
    "int f(char *format, ...) { return g(h(1)); }": "INT CHAR ELLIPSIS BLOCK_BEGIN RETURN BLOCK_END",
    "if (a) { b(); } else goto end;": "IF BLOCK_BEGIN BLOCK_END ELSE GOTO",
    "for (;;) { break; } while (1) continue;": "FOR BLOCK_BEGIN BREAK BLOCK_END WHILE CONTINUE",
    "do x(); while (y); switch (z) { case 1: default: ; }": ("DO WHILE SWITCH BLOCK_BEGIN CASE DEFAULT BLOCK_END"),
    "typedef struct s { union u { float a; double b; } c; enum e d; } t;": (
        "TYPEDEF STRUCT BLOCK_BEGIN UNION BLOCK_BEGIN FLOAT DOUBLE BLOCK_END ENUM BLOCK_END"
    ),
    "extern volatile register signed short a; auto b; inline void c(); sizeof(d);": (
        "EXTERN VOLATILE REGISTER SIGNED SHORT AUTO INLINE VOID SIZEOF"
    ),
    "internal integer _if If IF if2 _Bool size_t true nullptr": "",
    "/* if = */ int // else = \n long": "INT LONG",
    "// joined \\\n if = \nint": "INT",
    "f(\"if { \\\" = \"); int '{'; long '\\''; ": "INT LONG",
    "#include <a.h>\n#define IF if (x = 1) { \\\n return 1; }\nint": "INT",
    "#define A /* begins = \n if = ends */ 1\nint": "INT",
    '#define P "/*"\nint x = 1; /* */': "INT ASSIGN",
    "#if A\nint a;\n#else\nlong a;\n#endif\n": "INT LONG",
    "#define A 1\r\nint\r\nlong": "INT LONG",
    "#define A 1\rint\rlong": "INT LONG",
    'char *s = "not closed\nint x;': "CHAR ASSIGN INT",
    "int x; /* not closed\nlong y;": "INT",
    "class A : public B { virtual int f() { throw 1; } };": (
        "CLASS PUBLIC BLOCK_BEGIN VIRTUAL INT BLOCK_BEGIN THROW BLOCK_END BLOCK_END"
    ),
    "": "",
}


@pytest.mark.parametrize(("source", "expected"), STREAMS.items())
def test_each_construct_gives_its_tokens(source: str, expected: str) -> None:
    assert [name.removeprefix("C_") for name in tokens(source.encode()).names] == expected.split()


def test_tokens_stand_in_the_rows_of_their_text() -> None:
    found = tokens(b"int\n/* \n */ f = '\\n'\r\n\n{\n}")
    assert found.names == ["C_INT", "C_ASSIGN", "C_BLOCK_BEGIN", "C_BLOCK_END"]
    assert found.first_lines == [0, 2, 4, 5]
    assert found.last_lines == found.first_lines


def test_tokens_are_those_of_jplag_6_on_the_reference_files() -> None:
    dump = REFERENCE / "pairs" / "jplag_tokens.jsonl"
    if not dump.exists():
        pytest.skip("the reference pairs are not beside this checkout")
    rows = [json.loads(line) for line in dump.read_text().splitlines()]
    rows = [row for row in rows if row["lang"] == "c"]
    assert rows
    for row in rows:
        found = stream("jplag", (REFERENCE / "pairs" / row["file"]).read_bytes(), "c")
        expected = [(token["t"], token["l"] - 1) for token in row["tokens"][:-1]]
        assert list(zip(found.names, found.first_lines, strict=True)) == expected, row["file"]


def test_tokens_are_those_of_the_scanner_of_jplag_4() -> None:
    golden = REFERENCE / "jplag" / "jplag_4.1.0_golden.json"
    if not golden.exists():
        pytest.skip("the reference values are not beside this checkout")
    seen: set[str] = set()
    for entry in json.loads(golden.read_text()):
        for side in ("left", "right"):
            file = entry[side]
            if file.endswith((".c", ".cpp")):
                seen.add(file)
                found = tokens((REFERENCE / "dolos" / "files" / file).read_bytes())
                expected = [(token[0], token[2] - 1) for token in entry[f"{side}_tokens"][:-1]]
                assert list(zip(found.names, found.first_lines, strict=True)) == expected, file
    assert len(seen) == 5


@settings(deadline=None, max_examples=100)
@given(st.text("if{}=+-<>\"'\\/*#?.\n\r x0", max_size=40) | st.binary(max_size=40))
def test_any_bytes_are_read(source: str | bytes) -> None:
    data = source.encode() if isinstance(source, str) else source
    found = tokens(data)
    assert found.first_lines == sorted(found.first_lines)
    assert all(0 <= row <= data.count(b"\n") for row in found.first_lines)


@given(st.lists(st.sampled_from(list(STREAMS)), max_size=6))
def test_streams_of_whole_texts_add_up(parts: list[str]) -> None:
    whole = [part for part in parts if "not closed" not in part]
    expected = [name for part in whole for name in STREAMS[part].split()]
    found = tokens("\n".join(whole).encode())
    assert [name.removeprefix("C_") for name in found.names] == expected


@pytest.mark.parametrize("unit", [b"/*", b'"', b'"\\', b"#\\", b'#"', b"#/*", b"'", b"//\\\n", b".", b"{", b"\x80"])
def test_time_grows_with_the_text_alone(unit: bytes) -> None:
    with deadline(60):
        found = tokens(unit * (1_000_000 // len(unit)))
    assert set(found.names) <= {"C_BLOCK_BEGIN", "C_ELLIPSIS"}


def test_a_deadline_ends_the_work() -> None:
    with deadline(0), pytest.raises(DeadlineError):
        tokens(b"int x;")
