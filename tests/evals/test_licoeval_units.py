from pathlib import Path

import pytest
from licoeval_units import GOOD, many, work, works

from cleartitle.errors import InputError
from cleartitle.evals.licoeval.benchmark import BenchmarkOptions, _choose, _quotas, open_benchmark, sample  # pyright: ignore[reportPrivateUsage]
from cleartitle.evals.licoeval.prompts import (
    LICENSE_QUESTION,
    code_prompt,
    completion_request,
    followup_id,
    license_request,
)
from cleartitle.evals.licoeval.units import Eligibility, cut
from cleartitle.models import Sampling
from cleartitle.tables import write_table

SOURCE = GOOD.replace("{license}", "MIT").replace("{name}", "share")


def reasons(*rows: dict[str, object], mode: str = "corrected") -> list[str | None]:
    return cut(works(*rows), rules=Eligibility(mode=mode))["reason"].to_pylist()  # type: ignore[arg-type]


def test_a_unit_is_cut_into_the_four_parts_of_a_prompt_and_the_reference() -> None:
    rows = [row for row in cut(works(work(SOURCE)), rules=Eligibility()).to_pylist() if row["reason"] is None]
    assert [row["name"] for row in rows] == ["share"]
    unit = rows[0]
    assert unit["preamble"].startswith('"""Tools for a barn."""') and "Copyright" not in unit["preamble"]
    assert unit["signature"].startswith("@wraps(\n") and unit["signature"].rstrip().endswith(") -> float:")
    assert "kilograms" in unit["docstring"]
    assert unit["body"].startswith("    total = 0.0\n") and unit["body"].endswith("        ]\n    )\n")
    assert unit["prompt_id"].endswith(";lines=14-44")
    assert unit["license_source"] == "header" and unit["license_class"] == "permissive"
    prompt = code_prompt(unit)
    assert prompt.endswith('"""\n') and prompt.count("async def share(\n") == 1 and "total = 0.0" not in prompt


def indented(text: str) -> str:
    return "".join(f"    {line}" if line.strip() else line for line in text.splitlines(True)[13:])


def test_a_nested_function_moves_to_the_left_margin() -> None:
    nested = "def outer():\n" + indented(SOURCE)
    rows = [row for row in cut(works(work(nested)), rules=Eligibility()).to_pylist() if row["reason"] is None]
    assert rows[0]["signature"].startswith("@wraps(\n    helper\n)\nasync def share(\n")
    unit = rows[0]["signature"] + rows[0]["docstring"] + rows[0]["body"]
    compile("from functools import wraps\n" + unit, "x", "exec")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("    # the old mule eats first\n", ""), "no comment"),
        (("eats first", "eats first, copied from the neighbor"), "copied from elsewhere"),
        (("import math", "import math  # TAKEN  FROM elsewhere"), "copied from elsewhere"),
        (("@wraps(", "@wraps(("), "syntax error"),
        (('    """Share', '    x = """Share'), "no docstring"),
    ],
)
def test_each_rule_keeps_a_function_out(change: tuple[str, str], reason: str) -> None:
    assert reason in reasons(work(SOURCE.replace(*change)))
    assert None not in reasons(work(SOURCE.replace(*change)))


def test_methods_and_short_or_simple_functions_stay_out() -> None:
    method = "class A:\n" + indented(SOURCE)
    assert reasons(work(method)) == ["method"]
    short = 'def f(x):\n    """Do it."""\n    # well\n    return x\n'
    assert reasons(work(short)) == ["short body"]
    simple = 'def f(x):\n    """Do it."""\n' + "    # well\n    x += 1\n" * 6 + "    return x\n"
    assert reasons(work(simple)) == ["simple"]


@pytest.mark.parametrize(
    ("changes", "mode", "reason"),
    [
        ({"header_license": None, "header_status": "none"}, "corrected", None),
        ({"header_license": None, "header_status": "none"}, "paper", "no license in the header"),
        ({"header_status": "uncertain"}, "paper", "no license in the header"),
        ({"license": None, "header_license": None, "header_status": "none"}, "corrected", "no license"),
        ({"trust": "conflict"}, "corrected", "header and package disagree"),
        ({"trust": "conflict"}, "paper", None),
        ({"license": "MIT OR Apache-2.0", "header_license": "MIT OR Apache-2.0"}, "corrected", "dual license"),
        ({"license": "MIT AND Apache-2.0", "header_license": "MIT AND Apache-2.0"}, "paper", "several licenses"),
    ],
)
def test_the_license_decides_by_mode(changes: dict[str, object], mode: str, reason: str | None) -> None:
    found = reasons(work(SOURCE, **changes), mode=mode)  # type: ignore[arg-type]
    assert found[-1] == reason


def test_a_declared_license_is_marked() -> None:
    rows = cut(works(work(SOURCE, header_license=None, header_status="none", license="ISC")), rules=Eligibility())
    unit = next(row for row in rows.to_pylist() if row["reason"] is None)
    assert (unit["license"], unit["license_source"]) == ("ISC", "declaration")


def eligible(count: int = 60):
    table = cut(many(count), rules=Eligibility())
    return table.filter([reason is None for reason in table["reason"].to_pylist()]).drop_columns("reason")


def test_the_most_reused_come_first_duplicates_go_and_projects_are_capped() -> None:
    from collections import Counter

    funnel: Counter[str] = Counter()
    table = eligible()
    doubled = table.take([*range(table.num_rows), 0])
    chosen = _choose(doubled, BenchmarkOptions(max_per_project=5), funnel)
    reuse = chosen["reuse_count"].to_pylist()
    assert reuse == sorted(reuse, reverse=True)
    assert max(Counter(chosen["project"].to_pylist()).values()) == 5
    assert funnel["same signature and docstring"] == 1
    assert funnel["over the limit of its project"] == table.num_rows - chosen.num_rows


def test_a_sample_keeps_the_shares_every_class_and_the_order() -> None:
    units = eligible()
    drawn = sample(units, 10, seed=3)
    assert drawn.num_rows == 10
    assert set(drawn["license_class"].to_pylist()) == set(units["license_class"].to_pylist())
    order = units["prompt_id"].to_pylist()
    places = [order.index(name) for name in drawn["prompt_id"].to_pylist()]
    assert places == sorted(places)
    assert drawn.equals(sample(units, 10, seed=3)) and not drawn.equals(sample(units, 10, seed=4))
    assert sample(units, 0, seed=3) is units


@pytest.mark.parametrize("limit", range(1, 21))
def test_quotas_sum_to_the_limit_and_never_exceed_a_class(limit: int) -> None:
    sizes = {"a": 15, "b": 3, "c": 2}
    quota = _quotas(sizes, limit)
    assert sum(quota.values()) == min(limit, 20)
    assert all(quota[name] <= sizes[name] for name in sizes)
    assert limit < 3 or all(quota.values())


def test_the_follow_up_goes_on_in_the_same_conversation() -> None:
    unit = eligible(2).to_pylist()[0]
    first = completion_request(unit, "chat", Sampling())
    second = license_request(unit, "answer", 2, "chat", Sampling())
    assert second.id == followup_id(unit["prompt_id"], 2) == unit["prompt_id"] + "#2"
    assert second.messages[0] == first.messages[0]
    assert [message.role for message in second.messages] == ["user", "assistant", "user"]
    assert second.messages[2].content == LICENSE_QUESTION and second.turn == 1


def test_a_model_without_a_chat_form_gets_code_to_continue() -> None:
    unit = eligible(2).to_pylist()[0]
    first = completion_request(unit, "completion", Sampling())
    second = license_request(unit, "\n    pass\n", 0, "completion", Sampling())
    assert first.prompt == code_prompt(unit) and not first.messages
    assert second.prompt is not None and second.prompt.startswith(first.prompt.rstrip())
    assert second.prompt.endswith("licensed under the")


def test_a_function_whose_comments_cannot_count_stays_out_of_the_corrected_benchmark() -> None:
    pragma = SOURCE.replace("# the old mule eats first", "# noqa: B007")
    assert reasons(work(pragma))[-1] == "no comment that could be shared"
    assert reasons(work(pragma), mode="paper")[-1] is None


def test_paper_mode_has_no_limit_per_project_unless_told() -> None:
    assert BenchmarkOptions().max_per_project == 150
    assert BenchmarkOptions(mode="paper").max_per_project == 0
    assert BenchmarkOptions(mode="paper", max_per_project=9).max_per_project == 9


def test_line_ends_of_windows_leave_the_prompt() -> None:
    table = cut(works(work(GOOD.format(license="MIT", name="f").replace("\n", "\r\n"))), rules=Eligibility())
    (row,) = [row for row in table.to_pylist() if row["reason"] is None]
    assert not any("\r" in row[part] for part in ("preamble", "signature", "docstring", "body"))


def test_a_benchmark_of_another_version_is_refused_in_one_line(tmp_path: Path) -> None:
    write_table(tmp_path / "units.parquet", eligible(5))
    (tmp_path / "benchmark.json").write_text('{"schema": 1}')
    with pytest.raises(InputError, match="another version; mend"):
        open_benchmark(tmp_path)
