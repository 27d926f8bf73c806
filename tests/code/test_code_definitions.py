import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.code import Definition, definitions, normal_line_ends
from cleartitle.errors import InputError

PYTHON = '''\
"""Module."""
# Adds two numbers.
# The second may be missing.
@cached
@retry(
    times=3,
)
async def add(
    first,
    second=0,  # a default, with: a colon
) -> int:  # the sum
    # Before the docstring.
    """Return the sum.

    Of both.
    """
    def inner():
        """Not cut."""
        return 1
    return first + second

class Shape(Base):
    """A shape."""

    # The area.
    def area(self):
        return 0

if DEBUG:
    # Only then.
    def debug(): return 1
'''
JAVA = """\
package demo;
/**
 * Counts things.
 */
@Deprecated
public class Counter<T extends Number>
    extends Base {
  private int n; // trailing words
  // Adds one.
  // Twice if asked.
  public int add(
      final int by) throws IOException
  {
    return n += by;
  }
  /** Declared only. */
  abstract void later();
  /* Makes one. */
  Counter() { }
}
enum Kind { A, B; /** Of a kind. */
  /** The next kind. */
  Kind next() { return A; } }
"""
C = """\
#include <stdio.h>
/* Old style. */
static int
twice(a, b)
int a; char *b;
{
  return b;
}
/* Declared. */
int later(int x);
#ifdef DEBUG
// Says so.
void say(void) {
  puts("{");
}
#endif
struct point { int x; };
"""
CPP = """\
namespace demo {
/// A list.
template <class T, class U = std::vector<T>>
class List : public Base {
 public:
  // The size.
  std::size_t size() const noexcept { return n_; }
  List() = default;
  // Makes one.
  explicit List(int n)
      : n_(n) {
  }
};
// Forward.
class Later;
}
extern "C" {
// Called from C.
int *call(void (*f)(int)) {
  return 0;
}
}
"""
CSHARP = """\
using System;
namespace Demo {
  /// <summary>Stores things.</summary>
  [Serializable]
  public sealed class Store : IStore
  {
    // Gets one.
    public T Get<T>(string key) where T : class
    {
      return null;
    }
    // Short.
    public int Size() => 1;
    public int Count { get { return 2; } }
  }
}
"""


def cut(text: str, language: str) -> dict[str, Definition]:
    return {item.name: item for item in definitions(text, language)}


def test_python_gives_decorators_long_headers_and_what_explains_them() -> None:
    found = cut(PYTHON, "python")
    assert list(found) == ["add", "Shape", "area", "debug"]
    add = found["add"]
    assert add.comment == "# Adds two numbers.\n# The second may be missing.\n"
    assert add.header.startswith("@cached\n@retry(") and add.header.endswith(") -> int:")
    assert add.docstring.endswith('Of both.\n    """') and "# Before the docstring." in add.docstring
    assert (add.first_line, add.header_line, add.prompt_last_line, add.last_line) == (2, 4, 16, 20)
    assert add.body_lines == 4
    assert found["Shape"].kind == "class" and found["Shape"].docstring.strip() == '"""A shape."""'
    assert found["area"].comment.strip() == "# The area."
    assert found["debug"].comment.strip() == "# Only then."


def test_the_comment_above_the_first_method_belongs_to_the_method() -> None:
    found = cut("class A:\n    # About g.\n    def g(self):\n        return 1\n", "python")
    assert found["A"].docstring == "" and found["g"].comment == "    # About g.\n"


def test_java_gives_classes_methods_and_constructors_with_a_body() -> None:
    found = definitions(JAVA, "java")
    assert [(item.kind, item.name) for item in found] == [
        ("class", "Counter"),
        ("function", "add"),
        ("function", "Counter"),
        ("class", "Kind"),
        ("function", "next"),
    ]
    counter, add = found[0], found[1]
    assert counter.comment == "/**\n * Counts things.\n */\n"
    assert counter.header == "@Deprecated\npublic class Counter<T extends Number>\n    extends Base {"
    assert add.comment == "  // Adds one.\n  // Twice if asked.\n"
    assert add.header.endswith("throws IOException\n  {")
    assert found[4].comment == "  /** The next kind. */\n"


def test_c_gives_functions_old_and_new_and_no_declaration() -> None:
    found = cut(C, "c")
    assert list(found) == ["twice", "say"]
    assert found["twice"].header == "static int\ntwice(a, b)\nint a; char *b;\n{"
    assert found["twice"].comment == "/* Old style. */\n"
    assert found["say"].comment == "// Says so.\n" and found["say"].body_lines == 2


def test_cpp_gives_templates_members_and_linked_functions() -> None:
    found = definitions(CPP, "cpp")
    assert [item.name for item in found] == ["List", "size", "List", "call"]
    assert found[0].comment == "/// A list.\n" and found[0].header.startswith("template <class T")
    assert found[2].comment == "  // Makes one.\n" and found[2].header.endswith(": n_(n) {")
    assert found[3].comment == "// Called from C.\n"


def test_csharp_gives_classes_and_methods_with_a_block() -> None:
    found = cut(CSHARP, "csharp")
    assert list(found) == ["Store", "Get"]
    assert found["Store"].comment.strip() == "/// <summary>Stores things.</summary>"
    assert found["Get"].header.strip() == "public T Get<T>(string key) where T : class\n    {"


def test_a_blank_line_or_code_between_parts_comment_and_definition() -> None:
    assert cut("// Far.\n\nint f(void) { return 1; }\n", "c")["f"].comment == ""
    assert cut("int x; // of x\nint f(void) { return 1; }\n", "c")["f"].comment == ""
    assert cut("// old\n\n// new\nint f(void) { return 1; }\n", "c")["f"].comment == "// new\n"


def test_a_keyword_that_a_parser_takes_for_a_name_is_no_function() -> None:
    assert not cut("} // broken\nif (x) {\n  y();\n}\nelse if (z) {\n  y();\n}\n", "cpp").keys() & {"if", "else"}


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_line_ends_do_not_matter(ends: str) -> None:
    for text, language in ((PYTHON, "python"), (JAVA, "java"), (CSHARP, "csharp")):
        assert definitions("\ufeff" + text.replace("\n", ends), language) == definitions(text, language)


@pytest.mark.parametrize(
    ("text", "language"), [(PYTHON, "python"), (JAVA, "java"), (C, "c"), (CPP, "cpp"), (CSHARP, "csharp")]
)
def test_every_prefix_is_read_and_parts_are_exact_text(text: str, language: str) -> None:
    for end in range(0, len(text), 3):
        part = text[:end]
        lines = part.split("\n")
        for item in definitions(part, language):
            prompt = item.comment + item.header + item.docstring
            assert "\n".join(lines[item.first_line - 1 : item.last_line]).startswith(prompt)
            assert item.first_line <= item.header_line <= item.prompt_last_line <= item.last_line <= len(lines)


@given(st.text(max_size=200), st.sampled_from(["python", "java", "c", "cpp", "csharp"]))
def test_any_text_is_read(text: str, language: str) -> None:
    for item in definitions("// c\nint f(int a) {\n" + text, language):
        assert item.header


@given(st.text(max_size=200))
def test_normal_line_ends_leave_no_carriage_return(text: str) -> None:
    normal = normal_line_ends(text)
    assert "\r" not in normal and normal_line_ends(normal.removeprefix("\ufeff")) == normal.removeprefix("\ufeff")


@pytest.mark.parametrize("language", ["python", "java", "c", "cpp", "csharp"])
def test_deep_nesting_many_comments_and_huge_lines_take_bounded_time(language: str) -> None:
    sign = "#" if language == "python" else "//"
    hostile = ["{" * 20_000, "(" * 20_000, f"{sign} word\n" * 20_000, "class A " * 20_000, "x" * 500_000, "\0" * 1000]
    started = time.process_time()
    for text in hostile:
        definitions(text, language)
    assert time.process_time() - started < 30


def test_another_language_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="cobol"):
        definitions("x", "cobol")
