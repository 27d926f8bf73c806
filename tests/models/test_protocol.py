"""The types that adapters share, and how a model is named."""

import sys

import pytest

from cleartitle.errors import InputError, MissingExtraError
from cleartitle.models import Image, Message, ModelOptions, Request, Sampling, Text, failed, open_model, plain_text
from cleartitle.models.answers import answer, cut_prompt


def test_a_request_has_exactly_one_form() -> None:
    with pytest.raises(InputError, match="either messages or a prompt"):
        Request("a")
    with pytest.raises(InputError, match="either messages or a prompt"):
        Request("a", (Message("user", "x"),), prompt="x")
    assert Request("a", prompt="").style == "completion"
    assert Request("a", (Message("user", "x"),)).style == "chat"


@pytest.mark.parametrize(
    "wrong", [{"n": 0}, {"max_tokens": 0}, {"temperature": -1}, {"temperature": 3}, {"top_p": 0.0}]
)
def test_sampling_that_no_model_can_honor_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match="temperature|n="):
        Sampling(**wrong)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "wrong",
    [{"retries": -1}, {"timeout": 0.0}, {"timeout": float("nan")}, {"threads": -2}, {"max_cost": -1.0}, {"context": 1}],
)
def test_options_out_of_range_are_named(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(wrong))}=.*out of range"):
        ModelOptions(**wrong)  # pyright: ignore[reportArgumentType]


def test_a_failed_request_has_one_row_for_each_sample() -> None:
    rows = failed(Request("a", prompt="", sampling=Sampling(n=3)), "first line\nsecond line")
    assert [(row.status, row.error) for row in rows] == [("error", "first line second line")] * 3


def test_plain_text_leaves_out_images() -> None:
    messages = (Message("system", "s"), Message("user", (Text("a"), Image(b"1", "image/png"), Text("b"))))
    assert plain_text(Request("a", messages)) == "s\na\nb"


def test_an_image_does_not_show_its_bytes() -> None:
    assert "secret" not in repr(Image(b"secret", "image/png"))


def test_a_continuation_of_code_is_never_judged_by_its_wording() -> None:
    text = "I'm sorry, but I can't help with that."
    assert answer(text, "stop", chat=False).status == "ok"
    assert answer(text, "stop").status == "refusal"
    assert answer("<think>x</think>", "stop", chat=False).text == "<think>x</think>"


def test_a_prompt_is_cut_before_white_space_at_its_end() -> None:
    assert cut_prompt("def f():\n    ") == "def f():"
    assert cut_prompt(" \n") == " \n"


@pytest.mark.parametrize("spec", ["", "nope", "embedded:x", "openai", "openai:", "replay:", "hf", "x" * 10_000])
def test_a_model_that_is_not_understood_lists_the_kinds(spec: str) -> None:
    with pytest.raises(InputError, match="openai-completions:NAME") as caught:
        open_model(spec)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(("spec", "package", "extra"), [("hf:x", "torch", "train"), ("embedded", "xllamacpp", "local")])
def test_an_absent_package_names_the_extra(
    spec: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"{package} is not installed.*cleartitle\[{extra}\]"):
        open_model(spec)
