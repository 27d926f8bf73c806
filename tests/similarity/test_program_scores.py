"""Scores of programs equal those of Dolos 3.5.1, JPlag 6.3.0 and, from given tokens, JPlag 4.1.0."""

import json
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.code.streams import stream
from cleartitle.similarity import MINIMUM_MATCH, PreparedProgram, dolos, dolos_pairs, jplag, jplag_pairs
from cleartitle.similarity.jplag import program_tiles
from cleartitle.similarity.winnowing import fingerprints, longest_run, shared_fragments

REFERENCE = Path(__file__).resolve().parents[2].parent / "shared" / "reference"
LANGUAGES = {".py": "python", ".java": "java", ".c": "c", ".cpp": "cpp", ".cs": "csharp"}
needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="the reference values are not beside the repository"
)

PROGRAMS = {
    "python": """def mean(values, skip=None):
    total = count = 0
    for value in values:
        if value is skip:
            continue
        total += weight(value, count)
        count = count + 1
    if not count:
        raise ValueError("nothing to average")
    return total / count
""",
    "java": """class Mean {
    static double mean(double[] values, double skip) {
        double total = 0; int count = 0;
        for (double value : values) {
            if (value == skip) continue;
            total += weigh(value, count);
            count++;
        }
        if (count == 0) throw new RuntimeException("nothing");
        return total / count;
    }
}
""",
    "c": """double mean(const double *values, int length, double skip) {
    double total = 0; int count = 0;
    for (int i = 0; i < length; i++) {
        if (values[i] == skip) continue;
        total += weigh(values[i], count);
        count++;
    }
    return count ? total / count : 0;
}
""",
    "cpp": """template <class T> double mean(const std::vector<T> &values, T skip) {
    double total = 0; int count = 0;
    for (const auto &value : values) {
        if (value == skip) continue;
        total += weigh(value, count);
        count++;
    }
    if (count == 0) throw std::runtime_error("nothing");
    return total / count;
}
""",
    "csharp": """class Mean {
    static double Of(double[] values, double skip) {
        double total = 0; int count = 0;
        foreach (var value in values) {
            if (value == skip) continue;
            total += Weigh(value, count);
            count++;
        }
        if (count == 0) throw new Exception("nothing");
        return total / count;
    }
}
""",
}
OTHER = """class Reader:
    def lines(self, path):
        with open(path) as stream:
            return [line.strip() for line in stream if line]

    def pairs(self, path):
        return dict(line.split("=", 1) for line in self.lines(path))
"""


def recorded_pairs():
    return json.loads((REFERENCE / "pairs" / "reference.json").read_text())["pairs"]


def both(pair):
    return {
        side: PreparedProgram((REFERENCE / "pairs" / pair[key]).read_bytes(), pair["lang"])
        for side, key in (("reference", "a"), ("candidate", "b"))
    }


@needs_reference
def test_dolos_scores_equal_the_recorded_ones():
    for pair in recorded_pairs():
        sides, expected = both(pair), pair["dolos"]["default"]
        found = dolos(**sides, language=pair["lang"])
        assert found.value == expected["similarity"], pair["id"]
        assert found.longest == expected["longest"], pair["id"]
        assert len(found.spans) == expected["nFragments"], pair["id"]
        totals = [expected["leftTotal"], expected["rightTotal"]]
        shares = [expected["leftCovered"] / totals[0], expected["rightCovered"] / totals[1]]
        if expected["left"] != "A":
            totals.reverse()
            shares.reverse()
        assert [len(side.fingerprints) for side in sides.values()] == totals
        assert [found.containment_reference, found.containment_candidate] == shares
        assert found.maximum == max(shares)


@needs_reference
@pytest.mark.parametrize(("name", "gram", "window"), [("k12w8", 12, 8), ("k5w3", 5, 3)])
def test_fingerprints_of_other_sizes_equal_the_recorded_ones(name, gram, window):
    for pair in recorded_pairs()[::4]:
        expected = pair["dolos"][name]
        left, right = (fingerprints(side.shape.hashes(), gram=gram, window=window) for side in both(pair).values())
        if expected["left"] != "A":
            left, right = right, left
        assert (len(left), len(right)) == (expected["leftTotal"], expected["rightTotal"])
        assert int(np.isin(left.hashes, right.hashes).sum()) == expected["leftCovered"]
        assert longest_run(left.hashes, right.hashes) == expected["longest"]
        assert len(shared_fragments(left.hashes, right.hashes)) == expected["nFragments"]


@needs_reference
@pytest.mark.parametrize("comments", [False, True])
def test_shared_lines_of_dolos_equal_the_recorded_fragments(comments):
    recorded = json.loads((REFERENCE / "dolos" / "dolos_3.5.1_golden.json").read_text())
    for entry in recorded:
        if entry["includeComments"] != comments:
            continue
        language = LANGUAGES[Path(entry["left"]).suffix]
        one, other = (
            PreparedProgram(
                (REFERENCE / "dolos" / "files" / entry[side]).read_bytes(), language, include_comments=comments
            )
            for side in ("left", "right")
        )
        found = dolos(reference=one, candidate=other, language=language)
        assert found.value == entry["similarity"]
        expected = [
            tuple((fragment[side][0] + 1, fragment[side][2] + 1) for side in ("left", "right"))
            for fragment in entry["fragments"]
        ]
        assert [(span.reference, span.candidate) for span in found.spans] == expected


@needs_reference
def test_jplag_scores_from_recorded_tokens_equal_the_recorded_ones():
    lines = (REFERENCE / "pairs" / "jplag_tokens.jsonl").read_text().splitlines()
    streams = {entry["file"]: entry["tokens"][:-1] for entry in map(json.loads, lines)}
    for pair in recorded_pairs():
        left, right = (numbers([token["t"] for token in streams[pair[side]]]) for side in "ab")
        for name in ("default", "min5"):
            expected = pair["jplag"][name]
            found = program_tiles(left, right, expected["minTokens"])
            assert sorted(found.tolist()) == sorted(match[:3] for match in expected["matches"]), pair["id"]
            assert 2 * int(found[:, 2].sum()) / (len(left) + len(right)) == expected["avg"]


@needs_reference
def test_jplag_4_scores_from_recorded_tokens_equal_the_recorded_ones():
    for entry in json.loads((REFERENCE / "jplag" / "jplag_4.1.0_golden.json").read_text()):
        sides = {
            entry[side]: numbers([token[0] for token in entry[f"{side}_tokens"]][:-1]) for side in ("left", "right")
        }
        first, second = sides[entry["first"]], sides[entry["second"]]
        found = program_tiles(first, second, entry["min_token_match"])
        assert sorted(found.tolist()) == sorted(entry["matches"])
        matched = int(found[:, 2].sum())
        assert 2 * matched / (len(first) + len(second)) == entry["similarity_avg"]
        assert matched / min(len(first), len(second)) == entry["similarity_max"]


@needs_reference
def test_jplag_scores_of_python_equal_the_recorded_ones():
    pairs = [pair for pair in recorded_pairs() if pair["lang"] == "python"]
    for pair in pairs:
        expected = pair["jplag"]["default"]
        found = jplag(**both(pair), language="python")
        assert (found.value, found.maximum) == (expected["avg"], expected["max"]), pair["id"]
        assert (found.tokens_reference, found.tokens_candidate) == (expected["tokensA"] - 1, expected["tokensB"] - 1)
        assert found.longest == expected["longest"]
        assert jplag(**both(pair), language="python", metric="max").value == expected["max"]


def numbers(names):
    return np.array([zlib.crc32(name.encode()) for name in names], np.uint32)


@needs_reference
def test_no_two_token_names_have_the_same_number():
    lines = (REFERENCE / "pairs" / "jplag_tokens.jsonl").read_text().splitlines()
    names = {token["t"] for line in lines for token in json.loads(line)["tokens"]}
    assert len({zlib.crc32(name.encode()) for name in names}) == len(names)


@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize("measure", [dolos, jplag])
def test_a_program_is_like_itself_with_all_of_its_lines(language, measure):
    text = PROGRAMS[language]
    found = measure(reference=text, candidate=text.encode(), language=language)
    assert (found.state, found.value, found.maximum) == ("scored", 1.0, 1.0)
    assert found.containment_reference == found.containment_candidate == 1.0
    assert [span.reference for span in found.spans] == [span.candidate for span in found.spans]
    assert found.spans[0].reference[0] == 1
    assert max(span.reference[1] for span in found.spans) >= text.count("\n") - 3
    assert measure(reference=text, candidate=text, language=language, spans=False).spans == ()


@pytest.mark.parametrize("measure", [dolos, jplag])
def test_other_names_and_comments_make_no_difference(measure):
    text = PROGRAMS["python"]
    changed = "# a comment, more\n" + text.replace("total", "s").replace("value", "v").replace("0", "17")
    found = measure(reference=text, candidate=changed, language="python")
    assert found.value == 1.0
    assert found.spans[0].candidate[0] - found.spans[0].reference[0] in (0, 1)


@pytest.mark.parametrize("measure", [dolos, jplag])
def test_containment_tells_the_whole_from_the_part(measure):
    text = PROGRAMS["python"]
    found = measure(reference=text, candidate=OTHER + "\n\n" + text, language="python")
    assert found.value < found.maximum == found.containment_reference
    assert found.containment_reference > 0.8 > 0.6 > found.containment_candidate
    assert measure(reference=text, candidate=OTHER, language="python").value == 0.0


@pytest.mark.parametrize("measure", [dolos, jplag])
@pytest.mark.parametrize("text", ["", "x = 1\n", "\0\0", b"\xff\xfe"])
def test_a_short_program_is_too_short_and_not_unlike(measure, text):
    found = measure(reference=PROGRAMS["python"], candidate=text, language="python")
    assert (found.state, found.value, found.maximum, found.spans) == ("too_short", None, None, ())
    assert found.tokens_reference > found.tokens_candidate >= 0


@pytest.mark.parametrize("measure", [dolos, jplag])
def test_time_that_is_over_is_a_state(measure):
    text = PROGRAMS["python"] * 2000
    assert measure(reference=text, candidate=text, language="python", seconds=0.01).state == "deadline"


@pytest.mark.parametrize("language", PROGRAMS)
def test_prepared_programs_give_the_same_scores(language):
    one, other = PreparedProgram(PROGRAMS[language], language), PreparedProgram(PROGRAMS[language][:200], language)
    for measure in (dolos, jplag):
        plain = measure(reference=PROGRAMS[language], candidate=PROGRAMS[language][:200], language=language)
        assert measure(reference=one, candidate=other, language=language) == plain


def test_a_program_prepared_in_another_language_is_refused():
    with pytest.raises(ValueError, match="prepared as c"):
        dolos(reference=PreparedProgram("", "c"), candidate="", language="java")


def test_matrices_hold_the_scores_of_all_pairs():
    texts = [PROGRAMS["python"], OTHER, OTHER + PROGRAMS["python"], "x", PROGRAMS["python"][:200], PROGRAMS["python"]]
    programs = [PreparedProgram(text, "python") for text in texts]
    for measure, matrix in ((dolos, dolos_pairs(programs)), (jplag, jplag_pairs(programs))):
        for row, one in enumerate(programs):
            for column, other in enumerate(programs):
                expected = measure(reference=one, candidate=other, language="python").value
                assert matrix[row, column] == pytest.approx(expected, nan_ok=True) or (
                    expected is None and np.isnan(matrix[row, column])
                )
    assert dolos_pairs([]).shape == jplag_pairs([]).shape == (0, 0)


@pytest.mark.parametrize("language", PROGRAMS)
def test_every_prefix_of_a_program_is_scored(language):
    reference = PreparedProgram(PROGRAMS[language], language)
    for size in range(0, len(PROGRAMS[language]), 1 if language == "python" else 5):
        prefix = PreparedProgram(PROGRAMS[language][:size], language)
        for measure in (dolos, jplag):
            found = measure(reference=reference, candidate=prefix, language=language, spans=False)
            assert found.state == "too_short" or 0 <= found.value <= found.maximum <= 1
    long = PROGRAMS[language][:-20]
    assert jplag(reference=reference, candidate=long, language=language).maximum > 0.7


@given(st.sampled_from(sorted(PROGRAMS)), st.data())
def test_broken_programs_are_scored(language, data):
    text = PROGRAMS[language]
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    broken = text[:start].encode() + data.draw(st.binary(max_size=30)) + text[end:].encode()
    for measure in (dolos, jplag):
        found = measure(reference=text, candidate=broken, language=language)
        assert found.state == "too_short" or 0 <= found.value <= found.maximum <= 1


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n\r\n"])
def test_line_ends_do_not_change_the_score(ends):
    text = PROGRAMS["java"]
    for measure in (dolos, jplag):
        assert measure(reference=text, candidate=text.replace("\n", ends), language="java").value == 1.0


def test_repetitive_programs_are_scored():
    text = "x = [" + "1, " * 30_000 + "]\n" + "f(a)\n" * 10_000
    assert dolos(reference=text, candidate=text, language="python").value == 1.0
    assert jplag(reference=text, candidate=text, language="python").value == 1.0


def test_tokens_have_rows_of_the_text():
    for language, text in PROGRAMS.items():
        for tool in ("dolos", "jplag"):
            found = stream(tool, text.encode(), language)
            assert max(found.last_lines) <= text.count("\n")
            assert len(found.names) >= MINIMUM_MATCH[language]
