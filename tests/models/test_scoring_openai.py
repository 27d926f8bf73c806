"""Token scores over HTTP: a real server with a small model behind it, in three shapes, which lies on command."""

import json
import math
import re
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleartitle.errors import InputError
from cleartitle.models import BEYOND, ModelOptions, QueryBudget, ScorerOptions, open_scorer, score_all
from cleartitle.models.scoring_openai_wire import align
from cleartitle.models.scoring_selftest import PROBE

TEXTS = ["def low(high):\n    return high\n", PROBE, "", "if value < low:\n    value = low\n", "return 日本🙂 value"]
SPLIT = re.compile(r"\s?\w+|\s?[^\w\s]|\s")


def cut(text: str) -> list[bytes]:
    """Words with a blank before them; a sign of four bytes is two tokens."""
    pieces: list[bytes] = []
    for word in SPLIT.findall(text):
        raw = word.encode()
        pieces += [raw[:-2], raw[-2:]] if len(raw) >= 4 and not raw.isascii() and len(word) <= 2 else [raw]
    return pieces


VOCABULARY = sorted({piece for text in TEXTS for piece in cut(text)} | {f" word{i}".encode() for i in range(60)})
IDS = {piece: number for number, piece in enumerate(VOCABULARY)}
BOS = len(VOCABULARY)


def logp(ids: list[int]) -> np.ndarray:
    """The next token depends on the last two."""
    rng = np.random.default_rng([7, *ids[-2:]])
    values = rng.normal(size=len(VOCABULARY)) * 3
    return values - np.log(np.exp(values).sum())


def told(number: int) -> str:
    return "<s>" if number == BOS else VOCABULARY[number].decode("utf-8", "replace")


def top_of(values: np.ndarray, k: int) -> list[int]:
    return [int(i) for i in np.argsort(-values, kind="stable")[:k]]


Lie = Callable[[dict[str, Any]], Any]


class Served:
    """What the server offers (``ways``), how it lies, and what it was asked."""

    def __init__(self, *ways: str, bos: bool = False, lie: Lie | None = None, refuse: int = 0) -> None:
        self.ways, self.bos, self.lie, self.refuse = ways, bos, lie, refuse
        self.bodies: list[dict[str, Any]] = []
        self.fails: set[str] = set()

    def reply(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.bodies.append(body)
        if body["prompt"] in self.fails if isinstance(body["prompt"], str) else False:
            return 400, {"error": {"message": "this text is too long for the context length of the model"}}
        for parameter in ("prompt_logprobs", "echo"):
            if self.refuse and parameter in body and parameter not in self.ways:
                return 400, {"error": {"message": f"{parameter}: extra inputs are not permitted"}}
        prompt = body["prompt"]
        ids = list(prompt) if isinstance(prompt, list) else [IDS[piece] for piece in cut(prompt)]
        ids = [BOS, *ids] if self.bos and isinstance(prompt, str) else ids
        best = top_of(logp(ids), 1)[0]
        choice: dict[str, Any] = {"index": 0, "text": told(best), "finish_reason": "length"}
        if "prompt_logprobs" in body and "prompt_logprobs" in self.ways:
            choice["prompt_logprobs"] = [None, *(self.ranked(ids, place) for place in range(1, len(ids)))]
        if body.get("logprobs") and self.ways:
            k = body["logprobs"]
            tops = [{told(i): float(logp(ids)[i]) for i in top_of(logp(ids), k)}]
            choice["logprobs"] = {"tokens": [told(best)], "token_logprobs": [logp(ids)[best]], "top_logprobs": tops}
            if body.get("echo") and "echo" in self.ways:
                whole = [*ids, best]
                values = [None, *(float(logp(whole[:i])[whole[i]]) for i in range(1, len(whole)))]
                lists = [None, *(self.listed(whole, i, k) for i in range(1, len(whole)))]
                choice["text"] = "".join(map(told, whole))
                choice["logprobs"] = {
                    "tokens": [told(i) for i in whole],
                    "token_logprobs": values,
                    "top_logprobs": lists,
                }
        changed = self.lie(choice) if self.lie else None
        return 200, {"model": "small", "choices": [choice if changed is None else changed]}

    def ranked(self, ids: list[int], place: int) -> dict[str, Any]:
        values = logp(ids[:place])
        wanted = dict.fromkeys([ids[place], *top_of(values, 1)])
        return {
            str(i): {"logprob": float(values[i]), "rank": int((values > values[i]).sum()) + 1, "decoded_token": told(i)}
            for i in wanted
        }

    def listed(self, ids: list[int], place: int, k: int) -> dict[str, float]:
        values = logp(ids[:place])
        return {told(i): float(values[i]) for i in dict.fromkeys([*top_of(values, k), ids[place]])}


@contextmanager
def serving(served: Served) -> Generator[ModelOptions]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, reply = served.reply(body)
            data = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *arguments: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield ModelOptions(base_url=f"http://127.0.0.1:{server.server_address[1]}/v1", retries=0)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def connected(served: Served, *, tested: bool = True, **scoring: Any) -> Iterator[Any]:
    with serving(served) as options:
        scorer = open_scorer("openai:small", options, ScorerOptions(**{"top_k": 5, **scoring}), tested=tested)
        try:
            yield scorer
        finally:
            scorer.close()


def expected(text: str, bos: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ids = [IDS[piece] for piece in cut(text)]
    whole = [BOS, *ids] if bos else ids
    rows = [logp(whole[:i]) for i in range(1, len(whole))]
    given = whole[1:]
    own = np.array([row[i] for row, i in zip(rows, given, strict=True)])
    return np.array([(r > o).sum() + 1 for r, o in zip(rows, own, strict=True)]), own, np.array([r.max() for r in rows])


@pytest.mark.parametrize("bos", [False, True])
@pytest.mark.parametrize("way", ["prompt_logprobs", "echo"])
def test_numbers_of_a_prompt_are_those_of_the_model_behind_the_server(way: str, bos: bool) -> None:
    with connected(Served(way, bos=bos)) as scorer:
        has = scorer.capabilities()
        assert (has.scores_first_token, has.output_size) == (bos, None if way == "prompt_logprobs" else 5)
        for text, stats in zip(TEXTS, scorer.score(TEXTS), strict=True):
            assert stats.error is None
            if not text:
                assert len(stats) == 0
                continue
            rank, logprob, top1 = expected(text, bos)
            shown = rank if way == "prompt_logprobs" else np.where(rank <= 5, rank, BEYOND)
            assert stats.rank.tolist() == shown.tolist()
            np.testing.assert_allclose(stats.logprob, logprob, atol=1e-5)
            np.testing.assert_allclose(stats.top1, top1, atol=1e-5)
            assert stats.tokens_in_text == len(cut(text)) and stats.position[0] == (0 if bos else 1)
            for piece, start, end in zip(cut(text)[0 if bos else 1 :], stats.start, stats.end, strict=True):
                assert text[start:end].encode() == piece or not piece.isascii()
            if way == "prompt_logprobs":
                assert stats.token.tolist() == [IDS[p] for p in cut(text)][0 if bos else 1 :]


def test_a_server_that_only_generates_is_asked_prefix_by_prefix() -> None:
    served = Served("logprobs")
    with connected(served, access="auto") as scorer:
        assert scorer.capabilities().queries_per_text == "per token" and scorer.capabilities().output_size == 5
        text = TEXTS[3]
        before = len(served.bodies)
        (stats,) = scorer.score([text])
        assert len(served.bodies) - before == len(stats) == scorer.calls(stats.tokens_in_text, len(stats))
        for start, end, rank, logprob, top1 in zip(
            stats.start, stats.end, stats.rank, stats.logprob, stats.top1, strict=True
        ):
            values = logp([IDS[piece] for piece in cut(text[:start])])
            listed = [VOCABULARY[i].decode("utf-8", "replace") for i in top_of(values, 5)]
            fits = [token for token in listed if text.startswith(token, start)]
            assert abs(top1 - values.max()) < 1e-5 and text[start:end]
            if fits:
                assert rank == listed.index(max(fits, key=len)) + 1
                assert abs(logprob - values[IDS[max(fits, key=len).encode()]]) < 1e-5
            else:
                assert rank == BEYOND and math.isnan(logprob)
        (few,) = scorer.score([text], positions=[np.array([2, 4])])
        assert few.position.tolist() == [2, 4]


def test_the_first_way_that_the_server_answers_is_taken() -> None:
    for refuse in (0, 1):
        for ways, taken in ((("echo", "prompt_logprobs"), "prompt_logprobs"), (("echo",), "echo"), (("x",), "prefix")):
            with connected(Served(*ways, refuse=refuse)) as scorer:
                assert scorer.name.endswith(f"by {taken}") and scorer.describe()["way"] == taken
    with pytest.raises(InputError, match=r"prompt_logprobs: the server leaves out prompt_logprobs; echo: .*prefix: "):
        with connected(Served()):
            pass
    with pytest.raises(InputError, match=r"\(echo: the server leaves out the tokens of the prompt \(echo\)\)"):
        with connected(Served("x"), access="echo"):
            pass


def shift(choice: dict[str, Any]) -> None:
    """Each number stands one position too late, as a known server of llama.cpp did."""
    found = choice.get("logprobs")
    if isinstance(found, dict) and len(found["tokens"]) > 1:
        for name in ("token_logprobs", "top_logprobs"):
            values = found[name]
            found[name] = [None, values[1], *values[1:-1]]


def each(change: Callable[[dict[str, Any], int], None]) -> Lie:
    def lie(choice: dict[str, Any]) -> None:
        found = choice.get("logprobs")
        if isinstance(found, dict) and len(found["tokens"]) > 1:
            for place in range(1, len(found["tokens"])):
                change(found, place)

    return lie


def zeros(found: dict[str, Any], place: int) -> None:
    found["token_logprobs"][place] = 0.0
    found["top_logprobs"][place] = {f"t{i}": 0.0 if not i else -50.0 for i in range(5)}


def fewer(found: dict[str, Any], place: int) -> None:
    found["top_logprobs"][place] = dict(list(found["top_logprobs"][place].items())[:2])


def nan(found: dict[str, Any], place: int) -> None:
    found["token_logprobs"][place] = float("nan")


def wild(found: dict[str, Any], place: int) -> None:
    found["top_logprobs"][place] = {f"t{i}": -0.1 for i in range(5)}


def above(found: dict[str, Any], place: int) -> None:
    found["token_logprobs"][place] = 0.0


def other(found: dict[str, Any], place: int) -> None:
    found["tokens"][place] = " other"


def short(choice: dict[str, Any]) -> None:
    if isinstance(choice.get("logprobs"), dict) and len(choice["logprobs"]["tokens"]) > 1:
        choice["logprobs"]["token_logprobs"].pop()


LIES: dict[str, tuple[Lie, str]] = {
    "shifted by one": (shift, "next token: .*rows are shifted or made up|rank"),
    "zeros": (each(zeros), "every logprob is 0: the layer does not compute it"),
    "fewer than asked": (each(fewer), r"lists 2 likeliest tokens where 5 were asked for; mend: top_k=2"),
    "NaN": (each(nan), "nan is not a log-probability"),
    "more than 1": (each(wild), "listed probabilities add up to 4.524"),
    "likelier than the likeliest": (each(above), "likelier than the likeliest"),
    "other tokens": (each(other), "do not make up the text"),
    "half a list": (short, r"tokens, \d+ log-probabilities"),
}


@pytest.mark.parametrize("name", LIES)
def test_a_server_that_lies_is_told_from_one_that_does_not(name: str) -> None:
    lie, words = LIES[name]
    with pytest.raises(InputError, match=words) as caught:
        with connected(Served("echo", lie=lie)):
            pass
    assert "\n" not in str(caught.value) and "mend" in str(caught.value)


def ranks(change: Callable[[dict[str, Any]], None]) -> Lie:
    def lie(choice: dict[str, Any]) -> None:
        for item in choice.get("prompt_logprobs") or []:
            if item:
                change(item)

    return lie


def swapped(item: dict[str, Any]) -> None:
    order = sorted(item.values(), key=lambda entry: entry["rank"])
    if len(order) == 2:
        order[0]["rank"], order[1]["rank"] = order[1]["rank"], order[0]["rank"]


def unranked(item: dict[str, Any]) -> None:
    for entry in item.values():
        del entry["rank"]


def three(item: dict[str, Any]) -> None:
    item["500"] = {"logprob": -40.0, "rank": 400, "decoded_token": "?"}
    item["501"] = {"logprob": -41.0, "rank": 401, "decoded_token": "!"}


@pytest.mark.parametrize(
    ("change", "words"), [(swapped, "ranks against"), (unranked, "no rank"), (three, "lists [34] tokens")]
)
def test_ranks_that_cannot_be_are_told(change: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        with connected(Served("prompt_logprobs", lie=ranks(change)), access="prompt_logprobs"):
            pass


def test_prompt_logprobs_that_are_shifted_are_told() -> None:
    def late(choice: dict[str, Any]) -> None:
        found = choice.get("prompt_logprobs")
        if found and len(found) > 2:
            numbers = [list(item.values()) for item in found[1:]]
            for item, values in zip(found[2:], numbers, strict=False):
                own = next(iter(item.values()))
                kept = own["decoded_token"], next(iter(item))
                item.clear()
                item[kept[1]] = {**values[0], "decoded_token": kept[0]}
                if len(values) > 1:
                    item["999"] = values[1]

    with pytest.raises(InputError, match="self-test: next token"):
        with connected(Served("prompt_logprobs", lie=late), access="prompt_logprobs"):
            pass


def test_a_server_that_draws_at_random_fails_the_repetition() -> None:
    rng = np.random.default_rng(1)

    def noise(found: dict[str, Any], place: int) -> None:
        found["token_logprobs"][place] -= float(rng.uniform(0, 4))

    with pytest.raises(InputError, match="self-test: repetition: two runs differ"):
        with connected(Served("echo", lie=each(noise)), access="echo"):
            pass


def test_one_bad_text_is_a_row_with_an_error_and_the_rest_goes_on(tmp_path: Path) -> None:
    served = Served("echo")
    with connected(served) as scorer:
        served.fails = {TEXTS[3]}
        scores = score_all(scorer, TEXTS, tmp_path)
        assert [stats.error is None for stats in scores] == [True, True, True, False, True]
        assert "HTTP 400" in str(scores[3].error) and "context length" in str(scores[3].error)
        before = len(served.bodies)
        served.fails = set()
        scores = score_all(scorer, TEXTS, tmp_path)
        assert len(served.bodies) == before + 1 and scores[3].error is None and scores.calls == 1


def test_a_budget_is_held_before_anything_is_sent(tmp_path: Path) -> None:
    served = Served("x")
    with connected(served, access="prefix") as scorer:
        sent = len(served.bodies)
        with pytest.raises(InputError, match="nothing was sent"):
            score_all(scorer, TEXTS, tmp_path, budget=QueryBudget(calls=10))
        assert len(served.bodies) == sent
        budget = QueryBudget(per_text=3, calls=12)
        scores = score_all(scorer, TEXTS, tmp_path, budget=budget)
        assert len(served.bodies) - sent == scores.calls == 12
        assert [len(stats) for stats in scores] == [3, 3, 0, 3, 3]
    served = Served("echo")
    with connected(served, access="echo") as scorer:
        sent = len(served.bodies)
        with pytest.raises(InputError, match="need 4 calls, allowed are 3, nothing was sent"):
            score_all(scorer, TEXTS, tmp_path, budget=QueryBudget(calls=3))
        assert len(served.bodies) == sent
        # Choosing positions needs the tokens, whose reply serves the scoring: still one call a text.
        scores = score_all(scorer, TEXTS, tmp_path, budget=QueryBudget(per_text=2, calls=4))
        assert len(served.bodies) - sent == 4 and [len(stats) for stats in scores] == [2, 2, 0, 2, 2]


def test_a_self_test_costs_few_calls_where_each_position_costs_one() -> None:
    served = Served("x")
    with connected(served, access="prefix"):
        assert len(served.bodies) <= 20


def test_the_key_is_in_no_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-seen")
    with connected(Served("echo")) as scorer:
        assert "sk-not" not in json.dumps(scorer.describe()) + repr(scorer) + scorer.name


pieces = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4), max_size=8)


@given(pieces, st.data())
def test_spans_of_token_texts_make_up_the_text(words: list[str], data: st.DataObject) -> None:
    text = "".join(words)
    found = align(words, text)
    assert found is not None
    assert [text[a:b] for a, b in zip(*found, strict=True)] == words
    if text and data.draw(st.booleans()):
        wrong = align([*words, "x"], text)
        assert wrong is None


def test_parts_of_characters_cover_the_whole_character() -> None:
    for parts in (["�", "�"], ["bytes:\\xf0\\x9f", "bytes:\\x98\\x80"], ["�"]):
        found = align(["a", *parts, " b"], "a🙂 b")
        assert found is not None
        assert list(zip(*(part.tolist() for part in found), strict=True)) == [(0, 1), *[(1, 2)] * len(parts), (2, 4)]
    assert align(["a", "�"], "a") is None
    assert align(["�"] * 3, "ab" * 9) is None
    assert align([" �", "�", "x"], " 🙂x") is not None


def test_a_megabyte_of_hostile_tokens_is_aligned_in_linear_time() -> None:
    import time

    started = time.process_time()
    align(["�"] * 20_000, "🙂" * 9_000)
    align([" "] * 200_000 + ["x"], " " * 200_000)
    assert time.process_time() - started < 5
