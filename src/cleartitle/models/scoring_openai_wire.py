"""What servers say of the tokens of a prompt, in the three shapes that are in use, as plain lists."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from cleartitle.models.openai_wire import MalformedReplyError
from cleartitle.models.token_stats import BEYOND

__all__ = ["Entry", "NotOffered", "align", "echo_entries", "next_entries", "prompt_entries"]

UNKNOWN = "\ufffd"
_BYTES = re.compile(r"bytes:(?:\\x[0-9a-fA-F]{2})+")
SLACK = 1e-3
"""How far probabilities of a list may add up beyond 1, and a logarithm may be above 0, by rounding."""


class NotOffered(MalformedReplyError):
    """The server took the request and left out what was asked for, as servers do that do not know the parameter."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the server leaves out {what}", passing=False)


@dataclass(frozen=True)
class Entry:
    """What a server says of one token: its text, and where given its rank and log-probability, and the likeliest one.

    ``rank`` is `BEYOND` for a token outside of the list. ``id`` is the server's own.
    """

    text: str
    rank: int | None = None
    logprob: float | None = None
    top1: float | None = None
    id: int | None = None
    likeliest: tuple[tuple[str, float], ...] = field(default=(), repr=False)


def prompt_entries(choice: dict[str, Any], ids: Sequence[int] | None) -> list[Entry | None]:
    """Entries of ``prompt_logprobs`` (vLLM): for each token of the prompt a map by id of itself and the likeliest one.

    The first token has none. ``prompt_logprobs=1`` was asked for, so a map has one entry (the given token is the
    likeliest) or two (the given one is the one that is not of rank 1).

    Raises:
        NotOffered: the field is absent.
        MalformedReplyError: it contradicts itself.
    """
    found = choice.get("prompt_logprobs")
    if found is None:
        raise NotOffered("prompt_logprobs")
    if not isinstance(found, list) or not found:
        raise MalformedReplyError("prompt_logprobs is not a list of the prompt's tokens", passing=False)
    if ids is not None and len(found) != len(ids):
        raise MalformedReplyError(f"prompt_logprobs has {len(found)} entries for {len(ids)} tokens", passing=False)
    entries: list[Entry | None] = []
    for place, item in enumerate(cast("list[Any]", found)):
        if item is None:
            entries.append(None)
            continue
        entries.append(_ranked(item, None if ids is None else ids[place], place))
    return entries


def _ranked(item: object, given: int | None, place: int) -> Entry:
    if not isinstance(item, dict) or not item:
        raise MalformedReplyError(f"prompt_logprobs: position {place} is not a map of tokens", passing=False)
    told: dict[int, tuple[int, float, str]] = {}
    for name, value in cast("dict[Any, Any]", item).items():
        entry = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        rank = entry.get("rank")
        if type(rank) is not int or rank < 1 or not str(name).isdigit():
            raise MalformedReplyError(f"prompt_logprobs: position {place} has no rank of 1 or more", passing=False)
        told[int(name)] = (rank, _number(entry.get("logprob"), place), str(entry.get("decoded_token", "")))
    _fits([logprob for _, logprob, _ in told.values()], place)
    order = sorted(told.values())
    if any(low[1] < high[1] for low, high in zip(order, order[1:], strict=False) if low[0] < high[0]):
        raise MalformedReplyError(f"prompt_logprobs: position {place} has ranks against likelihoods", passing=False)
    if given is None:
        if len(told) > 2:
            raise MalformedReplyError(
                f"prompt_logprobs: position {place} lists {len(told)} tokens, not 2", passing=False
            )
        given = max(told, key=lambda token: told[token][0])
    if given not in told:
        raise MalformedReplyError(f"prompt_logprobs: position {place} does not hold its own token", passing=False)
    rank, logprob, text = told[given]
    first = order[0]
    return Entry(text, rank, logprob, first[1] if first[0] == 1 else None, given)


def echo_entries(choice: dict[str, Any], k: int, generated: int) -> tuple[list[Entry | None], list[Entry]]:
    """Entries of the prompt and of the ``generated`` tokens after it, of ``echo`` with ``logprobs=k``.

    Raises:
        NotOffered: there are no log-probabilities, or none of the prompt.
        MalformedReplyError: lists of different lengths, fewer tokens listed than asked for, or impossible numbers.
    """
    found = choice.get("logprobs")
    if not isinstance(found, dict):
        raise NotOffered("logprobs")
    logprobs = cast("dict[str, Any]", found)
    tokens, values, tops = (logprobs.get(name) for name in ("tokens", "token_logprobs", "top_logprobs"))
    if not isinstance(tokens, list) or not isinstance(values, list):
        raise NotOffered("tokens and token_logprobs")
    if not isinstance(tops, list):
        raise NotOffered("top_logprobs")
    texts, numbers = cast("list[Any]", tokens), cast("list[Any]", values)
    lists = cast("list[Any]", tops)
    if not len(texts) == len(numbers) == len(lists):
        message = f"{len(texts)} tokens, {len(numbers)} log-probabilities, {len(lists)} lists of likeliest tokens"
        raise MalformedReplyError(f"echo: {message}", passing=False)
    if len(texts) <= generated:
        raise NotOffered("the tokens of the prompt (echo)")
    entries: list[Entry | None] = []
    for place, (text, number, top) in enumerate(zip(texts, numbers, lists, strict=True)):
        if number is None:
            entries.append(None if place == 0 else Entry(str(text)))
            if place:
                raise MalformedReplyError(f"echo: position {place} has no log-probability", passing=False)
            continue
        entries.append(_listed(str(text), _number(number, place), _top(top, place), k, place))
    cut = len(entries) - generated
    if cut and entries[0] is None:
        entries[0] = Entry(str(texts[0]), logprob=None)
    return entries[:cut], [entry for entry in entries[cut:] if entry is not None]


def _listed(text: str, logprob: float, likeliest: list[tuple[str, float]], k: int, place: int) -> Entry:
    # Some servers add the given token to the list where it is not among the k.
    if len(likeliest) < k:
        raise MalformedReplyError(
            f"position {place} lists {len(likeliest)} likeliest tokens where {k} were asked for;"
            f" mend: top_k={max(1, len(likeliest))}",
            passing=False,
        )
    numbers = [value for _, value in likeliest[:k]]
    _fits(numbers, place)
    if logprob > numbers[0] + SLACK:
        raise MalformedReplyError(f"position {place}: the given token is likelier than the likeliest", passing=False)
    rank = 1 + sum(value > logprob for value in numbers)
    if rank > k or (rank == k and logprob < numbers[-1]):
        rank = BEYOND
    return Entry(text, rank, logprob, numbers[0], likeliest=tuple(likeliest))


def next_entries(choice: dict[str, Any], k: int) -> list[tuple[str, float]]:
    """The ``k`` likeliest next tokens, likeliest first, in the layout of completions or in that of chat.

    Raises:
        NotOffered: there are none.
        MalformedReplyError: fewer than asked for, or impossible numbers.
    """
    found = choice.get("logprobs")
    logprobs = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    content, tops = logprobs.get("content"), logprobs.get("top_logprobs")
    top: Any = None
    if isinstance(content, list) and content and isinstance(content[0], dict):
        top = cast("dict[str, Any]", content[0]).get("top_logprobs")
    elif isinstance(tops, list) and tops:
        top = cast("list[Any]", tops)[0]
    if not top:
        raise NotOffered("the likeliest next tokens (logprobs)")
    likeliest = _top(top, 0)
    if len(likeliest) < k:
        raise MalformedReplyError(
            f"{len(likeliest)} likeliest tokens came where {k} were asked for; mend: top_k={max(1, len(likeliest))}",
            passing=False,
        )
    _fits([value for _, value in likeliest[:k]], 0)
    return likeliest[:k]


def _top(top: object, place: int) -> list[tuple[str, float]]:
    """Tokens and log-probabilities, sorted, out of a map or a list of objects."""
    pairs: list[tuple[str, float]] = []
    if isinstance(top, dict):
        pairs = [(str(token), _number(value, place)) for token, value in cast("dict[Any, Any]", top).items()]
    elif isinstance(top, list):
        for item in cast("list[Any]", top):
            if not isinstance(item, dict) or not isinstance(item.get("token"), str):
                raise MalformedReplyError(f"position {place}: a likeliest token has no text", passing=False)
            pairs.append((item["token"], _number(item.get("logprob"), place)))
    return sorted(pairs, key=lambda pair: -pair[1])


def _number(value: object, place: int) -> float:
    if isinstance(value, str) and value.lower() in ("-inf", "-infinity"):
        value = -math.inf
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value) or value > SLACK:
        raise MalformedReplyError(f"position {place}: {str(value)[:40]} is not a log-probability", passing=False)
    return min(float(value), 0.0)


def _fits(numbers: Sequence[float], place: int) -> None:
    """Probabilities of one distribution add up to 1 at most."""
    total = sum(math.exp(value) for value in numbers)
    if total > 1 + SLACK:
        raise MalformedReplyError(f"position {place}: listed probabilities add up to {total:.3f}", passing=False)


def align(pieces: Sequence[str], text: str) -> tuple[np.ndarray, np.ndarray] | None:
    r"""Character spans of the texts of tokens, int32, or None if they do not make up ``text``.

    Tokens that are parts of characters come as U+FFFD or ``bytes:\xf0\x9f``; a run of them covers together the
    characters up to where the tokens after it go on. An empty or foreign first token (a beginning-of-text token) has an
    empty span.
    """
    spans: list[tuple[int, int]] = []
    at = place = 0
    while place < len(pieces):
        piece = pieces[place]
        if text.startswith(piece, at):
            spans.append((at, at + len(piece)))
            at += len(piece)
            place += 1
            continue
        if not _partial(piece):
            return None
        stop = place
        while stop < len(pieces) and _partial(pieces[stop]):
            stop += 1
        after = "".join(pieces[stop : stop + 8]) if stop < len(pieces) else None
        clean = after.split(UNKNOWN)[0].split("bytes:")[0] if after else None
        most = sum(1 if _BYTES.fullmatch(part) else len(part) for part in pieces[place:stop])
        ends = [end for end in range(at + 1, min(at + most, len(text)) + 1) if _goes_on(text, end, clean)]
        if not ends:
            return None
        spans += [(at, ends[0])] * (stop - place)
        at, place = ends[0], stop
    if at != len(text):
        return None
    found = np.array(spans, dtype=np.int32).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _partial(piece: str) -> bool:
    return UNKNOWN in piece or bool(_BYTES.fullmatch(piece))


def _goes_on(text: str, at: int, clean: str | None) -> bool:
    return at == len(text) if clean is None else text.startswith(clean, at)
