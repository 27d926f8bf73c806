"""The transformers adapter on a tiny T5 with random weights made here: an encoder-decoder model."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cleartitle.models import ModelOptions, Request, Sampling, open_model

torch: Any = pytest.importorskip("torch", reason="torch is not installed (extra: train)")
hf: Any = pytest.importorskip("transformers", reason="transformers is not installed (extra: train)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from cleartitle.models.training import _tokenizer
    from cleartitle.models.transformers import quiet_transformers

    quiet_transformers()
    torch.manual_seed(2)
    tokenizer = _tokenizer(hf, ["def add(a, b):\n    return a + b\n"] * 4, 300)
    config = hf.T5Config(
        vocab_size=len(tokenizer),
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=2,
        num_heads=2,
        n_positions=64,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
    )
    path = tmp_path_factory.mktemp("tiny") / "t5"
    hf.T5ForConditionalGeneration(config).save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


def asked(text: str, number: int = 0, **sampling: Any) -> Request:
    return Request(f"p{number}", prompt=text, sampling=Sampling(**{"max_tokens": 12, **sampling}))


async def answers(folder: Path, *requests: Request, **options: Any) -> list[Any]:
    model = open_model(f"hf:{folder}", ModelOptions(threads=1, **options))
    try:
        assert model.describe()["kind"] == "encoder-decoder"
        return list(await asyncio.gather(*(model.generate(request) for request in requests)))
    finally:
        await model.aclose()


async def test_greedy_answers_are_the_argmax_of_the_decoder(folder: Path) -> None:
    ((row,),) = await answers(folder, asked("def add(a"))
    model = hf.AutoModelForSeq2SeqLM.from_pretrained(folder)
    tokenizer = hf.AutoTokenizer.from_pretrained(folder)
    prompt = torch.tensor([tokenizer("def add(a")["input_ids"]])
    written = [tokenizer.pad_token_id]
    with torch.inference_mode():
        for _ in range(12):
            output = model(input_ids=prompt, decoder_input_ids=torch.tensor([written]))
            written.append(int(output.logits[0, -1].argmax()))
    assert row.text == tokenizer.decode(written[1:], skip_special_tokens=True)
    assert (row.prompt_tokens, row.completion_tokens) == (prompt.shape[1], 12)


async def test_the_answer_does_not_begin_with_the_prompt_and_takes_none_of_its_room(folder: Path) -> None:
    long = "def add(a, b): return a + b; " * 4
    ((row,),) = await answers(folder, asked(long, max_tokens=40))
    assert row.prompt_tokens is not None and row.prompt_tokens + 40 > 64
    assert row.completion_tokens == 40
    assert not row.text.startswith("def add")


async def test_a_padded_batch_gives_the_texts_of_single_requests(folder: Path) -> None:
    requests = [asked(text, i) for i, text in enumerate(["def", "def add(a, b):\n    return", "a + b"])]
    together = await answers(folder, *requests, concurrency=4)
    alone = await answers(folder, *requests, concurrency=1)
    assert [rows[0].text for rows in together] == [rows[0].text for rows in alone]


async def test_nucleus_samples_differ_and_follow_the_seed(folder: Path) -> None:
    request = asked("def add", temperature=1.0, top_p=0.95, n=3)
    (first,), (again,) = await answers(folder, request), await answers(folder, request)
    assert [row.text for row in first] == [row.text for row in again]
    assert len({row.text for row in first}) == 3


async def test_a_closed_model_still_describes_itself(folder: Path) -> None:
    model = open_model(f"hf:{folder}", ModelOptions(threads=1))
    before = model.describe()
    await model.aclose()
    assert model.describe() == before
