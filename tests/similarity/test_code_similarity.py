"""CodeIPPrompt's score finds parts and embedded copies, and does not take chance for likeness."""

import json
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.code.streams.dolos import shape
from cleartitle.similarity import PreparedProgram, code_similarity, program
from cleartitle.similarity.excerpt import best_window, best_windows, without_prompt, without_prompt_paper

REFERENCE = Path(__file__).resolve().parents[2].parent / "shared" / "reference"
needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="the reference values are not beside the repository"
)

COPIED = '''def schedule(jobs, workers, limit=None):
    """Give jobs to workers, the longest first."""
    loads = {worker: 0 for worker in workers}
    plan = []
    for job in sorted(jobs, key=lambda job: -job.size):
        worker = min(loads, key=loads.get)
        if limit is not None and loads[worker] + job.size > limit:
            raise OverflowError(f"no room for {job.name}")
        loads[worker] += job.size
        plan.append((worker, job.name, loads[worker]))
    while plan and plan[-1][2] == 0:
        plan.pop()
    return plan, max(loads.values())
'''
FOREIGN = '''class Table:
    """Rows of text."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as stream:
            self.rows = [line.rstrip().split(";") for line in stream if not line.startswith("#")]
        assert self.rows

    def column(self, name):
        index = self.rows[0].index(name)
        return [row[index] for row in self.rows[1:]]

    def write(self, path, *, encoding="utf-8"):
        with open(path, "w", encoding=encoding) as stream:
            stream.writelines(";".join(row) + "\\n" for row in self.rows)

    def __len__(self):
        return len(self.rows) - 1

    def total(self, name):
        try:
            return sum(float(value) for value in self.column(name))
        except ValueError as error:
            raise TypeError(name) from error
'''


def renamed(text):
    for old, new in (("job", "task"), ("worker", "crew"), ("loads", "w"), ("plan", "result"), ("limit", "top")):
        text = text.replace(old, new)
    return text


def score(reference, candidate, **options):
    return code_similarity(reference=reference, candidate=candidate, language="python", **options)


@needs_reference
def test_parts_and_embedded_copies_are_found_and_unrelated_code_is_not():
    pairs = json.loads((REFERENCE / "pairs" / "reference.json").read_text())["pairs"]
    found = {}
    for pair in pairs:
        sides = [PreparedProgram((REFERENCE / "pairs" / pair[key]).read_bytes(), pair["lang"]) for key in "ab"]
        for reference, candidate in (sides, sides[::-1]):
            result = code_similarity(reference=reference, candidate=candidate.source, language=pair["lang"])
            assert result.state == "scored"
            found.setdefault(pair["kind"], []).append(result.value > 0.5)
    assert not any(found.pop("unrelated"))
    assert {kind for kind, hits in found.items() if not all(hits)} == set()
    assert {"partial", "embedded", "reordered"} <= set(found)


def test_a_copy_within_a_large_file_is_found_with_its_lines():
    source = FOREIGN + "\n\n" + COPIED + "\n\n" + FOREIGN.replace("Table", "Other")
    first = FOREIGN.count("\n") + 3
    result = score(source, renamed(COPIED))
    assert result.value > 0.9 > 0.5 > result.whole_dolos
    assert abs(result.excerpt[0] - first) <= 1
    assert abs(result.excerpt[1] - (first + COPIED.count("\n") - 1)) <= 2
    assert all(first - 1 <= span.reference[0] <= span.reference[1] for span in result.spans)


def test_a_part_that_goes_on_with_other_code_is_found_with_its_lines():
    part = "".join(COPIED.splitlines(keepends=True)[:10])
    result = score(COPIED, renamed(part) + "    return plan\n\n\n" + FOREIGN)
    assert result.value > 0.9 > 0.6 > result.whole_dolos
    assert result.excerpt[0] == result.excerpt_candidate[0] == 1
    assert 8 <= result.excerpt[1] <= 11
    assert 8 <= result.excerpt_candidate[1] <= 12


def test_unrelated_code_shares_nothing():
    result = score(FOREIGN, COPIED)
    assert (result.state, result.value) == ("scored", result.value)
    assert result.value < 0.2


def test_few_shared_lines_do_not_count_as_an_excerpt():
    loop = "    for job in sorted(jobs, key=lambda job: -job.size):\n        worker = min(loads, key=loads.get)\n"
    result = score(COPIED, FOREIGN + "\ndef f(jobs, loads, limit):\n" + loop)
    assert 0 < result.value < 0.5


@pytest.mark.parametrize("text", ["", "\n\n", "x = 1\n", "return plan\n", b"\xff\xfe\0"])
def test_what_is_too_short_is_a_state(text):
    for reference, candidate in ((COPIED, text), (text, COPIED)):
        result = score(reference, candidate)
        assert (result.state, result.value, result.dolos, result.jplag) == ("too_short", None, None, None)


def test_the_repeated_prompt_does_not_count():
    prompt = "".join(COPIED.splitlines(keepends=True)[:10])
    answer = prompt + FOREIGN.replace("    def", "    def")
    assert score(COPIED, answer).value > 0.9
    assert score(COPIED, answer, prompt=prompt).value < 0.3
    assert score(COPIED, answer, prompt=prompt, mode="paper").value < 0.3


def test_lines_of_the_candidate_are_its_own_with_the_prompt():
    prompt = "# schedule the jobs\n\n"
    result = score(COPIED, prompt + COPIED, prompt=prompt)
    assert result.excerpt == (1, 13)
    assert result.excerpt_candidate == (3, 15)


def test_an_indented_answer_is_scored_like_one_at_the_margin():
    body = "".join(COPIED.splitlines(keepends=True)[1:])
    assert score(COPIED, body).value == score(COPIED, "\n".join(line[4:] for line in body.split("\n"))).value > 0.9


def test_paper_mode_puts_overlapping_fragments_one_after_the_other():
    source = COPIED + "\n\n" + renamed(COPIED)
    paper, corrected = score(source, COPIED, mode="paper"), score(source, COPIED)
    assert corrected.value > 0.95
    assert paper.value < corrected.value
    assert len(paper.spans) > 1
    assert score(FOREIGN, "x = 1", mode="paper").value == 0.0


def test_a_prepared_source_gives_the_same_score():
    source = PreparedProgram(FOREIGN + COPIED, "python")
    for candidate in (COPIED, renamed(COPIED), FOREIGN, COPIED[:300]):
        assert score(source, candidate) == score(FOREIGN + COPIED, candidate)


@pytest.mark.parametrize("mode", ["corrected", "paper"])
def test_the_score_is_the_same_without_the_lines(mode):
    for candidate in (COPIED, renamed(COPIED) + FOREIGN, COPIED[:300], FOREIGN, "x = 1"):
        with_lines, bare = (score(FOREIGN + COPIED, candidate, mode=mode, spans=spans) for spans in (True, False))
        assert (bare.value, bare.dolos, bare.jplag) == (with_lines.value, with_lines.dolos, with_lines.jplag)
        assert bare.state == with_lines.state
        assert (bare.excerpt, bare.spans) == (None, ())


def test_the_margin_of_a_generation_does_not_matter():
    body = "".join(f"    if (a[{n}] > b) {{\n        b = f(a[{n}], b);\n    }}\n" for n in range(12))
    for language in ("java", "c", "cpp", "csharp"):
        source = f"class A {{\n  int f(int[] a, int b) {{\n{body}    return b;\n  }}\n}}\n"
        at_margin, inside = (
            code_similarity(reference=source, candidate=text, language=language)
            for text in (textwrap.dedent(body), textwrap.indent(body, "        "))
        )
        assert at_margin.value == inside.value > 0.5


def test_both_modes_share_what_was_cut_of_a_text(monkeypatch):
    cut = []
    program.recent_program.cache_clear()
    monkeypatch.setattr(
        program, "shape", lambda source, *_, **options: cut.append(source) or shape(source, *_, **options)
    )
    source, candidate = PreparedProgram(FOREIGN + COPIED, "python"), "import os\n\n\n" + renamed(COPIED)
    for mode in ("paper", "corrected"):
        score(source, candidate, mode=mode)
    fragments = [text for text in cut if text not in (source.source, candidate.encode())]
    assert sorted(cut) == sorted([source.source, candidate.encode(), *fragments])
    assert len(fragments) == 1  # those that paper mode puts together


def test_time_that_is_over_is_a_state():
    for mode in ("corrected", "paper"):
        result = score(COPIED * 3000, COPIED * 3000, seconds=0.05, mode=mode)
        assert (result.state, result.value) == ("deadline", None)


def test_another_mode_is_refused():
    with pytest.raises(ValueError, match="mode"):
        score(COPIED, COPIED, mode="exact")


def test_a_large_function_is_scored_within_its_time():
    source = "def f(x):\n" + "    x = g(x, [1, 2])\n    if x:\n        x.y = h(x)\n" * 5_000
    assert score(source, source, seconds=300.0).value == 1.0


def test_every_prefix_of_a_source_is_scored():
    source = PreparedProgram(COPIED, "python")
    values = [score(source, COPIED[:size]).value for size in range(0, len(COPIED), 2)]
    assert all(value is None or 0 <= value <= 1 for value in values)
    assert values[0] is None
    assert min(value for value in values[-30:]) > 0.8


stretches = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)), max_size=8)


def laid_out(gaps):
    result, place = [], 0
    for gap, size in gaps:
        result.append((place + gap, place + gap + size))
        place += gap + size
    return result


@given(stretches, st.integers(1, 100))
def test_the_best_window_is_the_best_of_all_that_begin_and_end_with_a_stretch(gaps, other_length):
    parts = laid_out(gaps)

    def quotient(window):
        shared = sum(end - start for start, end in parts if window[0] <= start and end <= window[1])
        return 2 * shared / (window[1] - window[0] + other_length)

    best = max((quotient((s, e)) for s, _ in parts for _, e in parts if s < e), default=None)
    found = best_window(parts, other_length)
    assert (found is None) == (best is None)
    assert found is None or quotient(found) == pytest.approx(best)


@given(stretches.filter(bool), st.randoms(use_true_random=False))
def test_best_windows_hold_the_matches_that_they_return(gaps, random):
    left = laid_out(gaps)
    order = list(range(len(left)))
    random.shuffle(order)
    place, matches = 0, []
    for number in order:
        start, end = left[number]
        matches.append((start, place + start % 5, end - start))
        place += start % 5 + end - start
    one, other, inside = best_windows(matches, (left[-1][1], place))
    assert inside
    assert set(inside) <= set(matches)
    for start, other_start, size in inside:
        assert one[0] <= start and start + size <= one[1]
        assert other[0] <= other_start and other_start + size <= other[1]


def test_the_prompt_is_cut_where_it_stands_and_lines_keep_their_numbers():
    prompt = "# sum up\ndef total(values):"
    for before in ("", "Here it is:\n\n"):
        candidate = before + "# sum up\n\n  def total(values):  # yes\n    return 1\n"
        expected = before + "\n\n  # yes\n    return 1\n"
        assert without_prompt(candidate, prompt) == expected
    for unchanged in ("    return 1\n", "# sum up\ndef other():\n", ""):
        assert without_prompt(unchanged, prompt) == unchanged
    assert without_prompt("a\n", "") == without_prompt("a\n", "\n \n") == "a\n"
    assert without_prompt("a\r\nb\r\n", "a") == "\r\nb\r\n"


def test_the_paper_cuts_single_lines_as_often_as_the_prompt_has_them():
    assert without_prompt_paper("b\na\nb\nc\nb\n", "b\nx\nb\n") == "\na\n\nc\nb\n"
    assert without_prompt_paper("a\n\nb", "\n\n") == "a\n\nb"


@given(st.text(max_size=60), st.text(max_size=20))
def test_any_text_keeps_its_number_of_lines(candidate, prompt):
    for cut in (without_prompt, without_prompt_paper):
        assert cut(candidate, prompt).count("\n") == candidate.count("\n")
