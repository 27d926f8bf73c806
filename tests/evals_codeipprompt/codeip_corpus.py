"""A corpus in five languages, written for the tests of prompts."""

from pathlib import Path

from cleartitle.corpus import Corpus, CorpusOptions, build

SOURCES = {
    "code.py": '''\
# SPDX-License-Identifier: {license}
"""Module {name}."""


# Adds the numbers of {name}.
def add_{name}(first, second):
    """Write to owner.{name}@acme.io about it."""
    total = first + second
    total += {number}
    return total


class Box{name}:
    """Holds one thing of {name}."""

    def __init__(self, thing):
        """Keep the thing."""
        self.thing = thing
        self.size = len(thing)
        self.name = "{name}"
''',
    "code.c": """\
/* SPDX-License-Identifier: {license} */
#include <stdio.h>

/* Says {name}
   on two lines. */
static int
say_{name}(const char *text,
           int times)
{{
    int done = {number};
    while (times-- > 0)
        done += puts(text);
    return done;
}}
""",
    "code.cpp": """\
// SPDX-License-Identifier: {license}
#include <vector>

// Sums the values of {name}.
int sum_{name}(const std::vector<int>& values) {{
  int sum = {number};
  for (int value : values)
    sum += value;
  return sum;
}}
""",
    "Code.cs": """\
// SPDX-License-Identifier: {license}
using System;

namespace Demo.{name}
{{
    /// <summary>Keeps the score of {name}.</summary>
    public class Score{name}
    {{
        // Adds to the score.
        public int Add(int by)
        {{
            score += by;
            score += {number};
            return score;
        }}

        private int score;
    }}
}}
""",
    "Code.java": """\
// SPDX-License-Identifier: {license}
package demo;

/**
 * Counts for {name}.
 */
public class Code {{
    private int n;

    // Adds by.
    public int add{name}(int by) {{
        n += by;
        n += {number};
        return n;
    }}
}}
""",
}
LANGUAGES = ("python", "c", "cpp", "csharp", "java")
LICENSES = ("MIT", "LGPL-2.1-or-later", "GPL-3.0-only", "Unlicense", "CC-BY-NC-4.0", "GPL-2.0-only OR MIT")


def write_projects(root: Path, copies: int = 2) -> list[str]:
    """One folder a project, each with one license and all five languages; specs of a corpus."""
    specs: list[str] = []
    for number, expression in enumerate(LICENSES * copies):
        folder = root / f"project{number:02d}"
        folder.mkdir(parents=True)
        for name, text in SOURCES.items():
            content = text.format(license=expression, name=f"P{number:02d}", number=number)
            (folder / name).write_text(content, encoding="utf-8")
        if " OR " not in expression and expression != "CC-BY-NC-4.0":
            about = f'[project]\nname = "project{number:02d}"\nversion = "1"\nlicense = "{expression}"\n'
            (folder / "pyproject.toml").write_text(about)
        specs.append(f"folder:{folder}")
    return specs


def make_corpus(root: Path, copies: int = 2) -> Corpus:
    build(write_projects(root, copies), root / "corpus", CorpusOptions(languages=LANGUAGES, workers=1))
    return Corpus.open(root / "corpus")
