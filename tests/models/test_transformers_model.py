"""The transformers adapter on a tiny randomly initialized model made here; nothing comes from a model hub."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from cleartitle.errors import InputError
from cleartitle.models import Message, Model, ModelOptions, Request, Sampling, open_model

torch: Any = pytest.importorskip("torch", reason="torch is not installed (extra: train)")
hf: Any = pytest.importorskip("transformers", reason="transformers is not installed (extra: train)")

TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from cleartitle.models.training import _tokenizer
    from cleartitle.models.transformers import quiet_transformers

    quiet_transformers()
    torch.manual_seed(1)
    tokenizer = _tokenizer(hf, ["def add(a, b):\n    return a + b\n"] * 4, 300)
    tokenizer.chat_template = TEMPLATE
    config = hf.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=128,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    path = tmp_path_factory.mktemp("tiny") / "llama"
    hf.LlamaForCausalLM(config).save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


def continued(text: str, number: int = 0, **sampling: Any) -> Request:
    return Request(f"p{number}", prompt=text, sampling=Sampling(**{"max_tokens": 20, **sampling}))


async def answers(folder: Path, *requests: Request, **options: Any) -> list[Any]:
    model = open_model(f"hf:{folder}", ModelOptions(**{"threads": 1, **options}))
    try:
        return list(await asyncio.gather(*(model.generate(request) for request in requests)))
    finally:
        await model.aclose()


async def test_greedy_answers_are_the_argmax_of_the_model_itself(folder: Path) -> None:
    ((row,),) = await answers(folder, continued("def add(a"))
    model = hf.AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = hf.AutoTokenizer.from_pretrained(folder)
    tokens = tokenizer("def add(a")["input_ids"]
    with torch.inference_mode():
        for _ in range(20):
            tokens.append(int(model(torch.tensor([tokens])).logits[0, -1].argmax()))
    assert row.text == tokenizer.decode(tokens)[len("def add(a") :]
    assert (row.status, row.completion_tokens) == ("truncated", 20)


async def test_a_left_padded_batch_gives_the_texts_of_single_requests(folder: Path) -> None:
    requests = [continued(text, i) for i, text in enumerate(["def", "def add(a, b):\n    return", "a + b", "x"])]
    together = await answers(folder, *requests, concurrency=4)
    alone = await answers(folder, *requests, concurrency=1)
    assert [rows[0].text for rows in together] == [rows[0].text for rows in alone]


async def test_sampled_answers_follow_the_seed_and_not_the_company(folder: Path) -> None:
    drawn = continued("def", temperature=1.0, seed=5, n=3)
    (first,) = await answers(folder, drawn)
    _, second = await answers(folder, continued("a + b"), drawn)
    (other,) = await answers(folder, continued("def", temperature=1.0, seed=6, n=3))
    texts = [row.text for row in first]
    assert texts == [row.text for row in second] and len(set(texts)) > 1
    assert texts != [row.text for row in other]


async def test_an_answer_ends_before_a_stop_text(folder: Path) -> None:
    ((free,),) = await answers(folder, continued("def add(a"))
    stop = free.text[5:8]
    ((row,),) = await answers(folder, continued("def add(a", stop=(stop,)))
    assert row.text == free.text[: free.text.index(stop)]
    assert (row.status, row.finish_reason) == ("ok", "stop")


async def test_a_conversation_goes_through_the_template_and_a_prompt_does_not(folder: Path) -> None:
    chat = Request("c", (Message("user", "def add(a"),), sampling=Sampling(max_tokens=8))
    raw = continued("<user>def add(a\n<assistant>", max_tokens=8)
    plain = continued("def add(a", max_tokens=8)
    chatted, same, other = await answers(folder, chat, raw, plain)
    assert chatted[0].text == same[0].text
    assert chatted[0].prompt_tokens != other[0].prompt_tokens


async def test_what_does_not_fit_is_an_error_row_and_the_rest_goes_on(folder: Path) -> None:
    long, short, chat = await answers(
        folder, continued("def " * 200), continued("def"), Request("c", (Message("user", "x"),)), style="completion"
    )
    assert long[0].status == "error" and "context of 128" in str(long[0].error)
    assert short[0].status == "truncated"
    assert chat[0].status == "error" and "completion style" in str(chat[0].error)


async def test_an_answer_is_cut_at_the_end_of_the_context(folder: Path) -> None:
    ((row,),) = await answers(folder, continued("def", max_tokens=5000))
    assert row.finish_reason in ("stop", "length")
    assert row.prompt_tokens + row.completion_tokens <= 128


async def test_closing_ends_what_is_under_way(folder: Path) -> None:
    model = open_model(f"hf:{folder}", ModelOptions(threads=1))
    assert isinstance(model, Model)
    task = asyncio.create_task(model.generate(continued("def", max_tokens=100)))
    await asyncio.sleep(0.03)
    await model.aclose()
    await model.aclose()
    (row,) = await task
    assert row.error == "the model was closed before the answer was whole"
    (row,) = await model.generate(continued("def"))
    assert row.error == "the model is closed"


async def test_the_longest_prompt_of_a_batch_does_not_shorten_the_other_answers(folder: Path) -> None:
    long, short = continued("def add(a, b): " * 9, 1, max_tokens=60), continued("def", 2, max_tokens=60)
    together = await answers(folder, long, short)
    alone = await answers(folder, short)
    assert together[1][0].text == alone[0][0].text
    assert together[0][0].prompt_tokens + 60 > 128


async def test_a_conversation_that_the_template_refuses_is_an_error_row(folder: Path, tmp_path: Path) -> None:
    strict = tmp_path / "strict"
    shutil.copytree(folder, strict)
    template = "{{ raise_exception('roles must alternate') }}"
    (strict / "chat_template.jinja").write_text(template)
    bad, good = await answers(strict, Request("c", (Message("user", "x"),)), continued("def"))
    assert bad[0].status == "error" and "roles must alternate" in str(bad[0].error)
    assert good[0].status == "truncated"


def test_weights_that_would_run_code_are_refused(folder: Path, tmp_path: Path) -> None:
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(InputError, match="cannot load"):
        open_model(f"hf:{tmp_path}")


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot load"):
        open_model(f"hf:{tmp_path}")


async def test_the_record_names_runtime_and_weights(folder: Path) -> None:
    model = open_model(f"hf:{folder}", ModelOptions(threads=1, concurrency=1))
    record = model.describe()
    assert len(record["weights_sha256"]["model.safetensors"]) == 64
    assert record["runtime_version"]["torch"] == torch.__version__
    assert model.capabilities().deterministic and model.capabilities().chat
    assert model.estimate((continued("def add(a, b):"),)).prompt_tokens > 3
    await model.aclose()
