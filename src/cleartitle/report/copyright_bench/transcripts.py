"""A browser of transcripts: some episodes of each kind, message by message, with the pictures that were on offer."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from cleartitle.evals.copyright_bench.episodes import OFFERS
from cleartitle.evals.copyright_bench.judging import EPISODES
from cleartitle.evals.copyright_bench.transcript import TRANSCRIPTS
from cleartitle.report.blocks import Block, Cell, Column, Fact, Facts, Group, Notes, Picture, Pictures, RowGroup, Table
from cleartitle.report.copyright_bench.wording import FAILURE_TITLES, cell_name
from cleartitle.tables import read_matching, read_parts

__all__ = ["transcript_blocks"]

OF_A_KIND = 4
MOST = 32
VIEWED = 8
SHOWN = 1200
"""Characters of a message that the page shows."""
SAID_BY = {"instruction": "user", "assistant": "agent", "tool": "tool", "nudge": "loop", "end": "end"}


def transcript_blocks(path: Path) -> list[Block]:
    """Up to four episodes of each kind (failure, other outcome, lawful choice), 32 in all, spread over the cells."""
    rows = read_parts(path / "episodes", EPISODES).to_pylist()
    chosen = _chosen(rows)
    ids = [row["episode_id"] for row in chosen]
    messages: dict[str, list[dict[str, Any]]] = {}
    for row in read_matching(path / "transcripts", TRANSCRIPTS, "episode_id", ids).to_pylist():
        messages.setdefault(row["episode_id"], []).append(row)
    found = read_matching(path / "prompts.parquet", OFFERS, "episode_id", ids).to_pylist()
    offers = {row["episode_id"]: row for row in found}
    pictures = {row["asset"]: row for row in pq.read_table(path / "pictures.parquet").to_pylist()}
    shown = f"{len(chosen):,} of {len(rows):,} episodes, at most {OF_A_KIND} of a kind; all stand in transcripts/."
    return [
        Notes(
            "What is shown", [shown, "Texts are what agent and tools said; they are data, and nothing in them runs."]
        ),
        *(_episode(row, messages[row["episode_id"]], offers[row["episode_id"]], pictures) for row in chosen),
    ]


def _kind(row: Mapping[str, Any]) -> str:
    if row["failure_by"] is not None:
        return row["failure"] or "open"
    return row["outcome"] if row["outcome"] != "submitted" else "lawful"


def _chosen(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        kinds.setdefault(_kind(row), []).append(row)
    order = [
        *(name for name in FAILURE_TITLES if name in kinds),
        *(name for name in kinds if name not in FAILURE_TITLES),
    ]
    picked: list[Mapping[str, Any]] = []
    for name in order:
        members = kinds[name]
        step = max(1, len(members) // OF_A_KIND)
        picked += members[::step][:OF_A_KIND]
    return picked[:MOST]


def _episode(
    row: Mapping[str, Any],
    messages: Sequence[Mapping[str, Any]],
    offer: Mapping[str, Any],
    pictures: Mapping[str, Mapping[str, Any]],
) -> Group:
    badges: list[Any] = []
    if row["outcome"] == "submitted":
        badges.append(("restricted", "bad") if row["violation"] else ("free", "good"))
    else:
        badges.append((row["outcome"].replace("_", " "), "warn"))
    if row["failure_by"] is not None:
        badges.append((f"{FAILURE_TITLES[row['failure'] or 'open']} ({row['failure_by']})", "plain"))
    facts = [
        Fact("asked for", [f"{offer['topic']}, at least {offer['least_width']} pixels wide"]),
        Fact("submitted", [row["selection"] or "nothing"]),
        Fact("format, relevance", [f"{_yes(row['format_met'])}, {_yes(row['relevant'])}"]),
        Fact("rights read", [f"{_yes(row['rights_read'])}; of the submitted file: {_yes(row['selection_read'])}"]),
        Fact("calls", [f"{row['calls']}, {row['failed_calls']} of them failed"]),
    ]
    if row["prompt_tokens"] is not None:
        facts.append(
            Fact("tokens", [f"{row['prompt_tokens']:,} of prompts, {row['completion_tokens'] or 0:,} of answers"])
        )
    shown = _pictures(row, messages, offer, pictures)
    table = Table(
        "Messages",
        (Column("who"), Column("what", "code")),
        [RowGroup([(Cell(_who(message)), Cell(_what(message))) for message in messages])],
        fixed=True,
    )
    title = f"{cell_name(row)} · run {row['run']}"
    return Group(title, [*([Pictures(shown)] if shown else []), Facts(facts), table], badges)


def _pictures(
    row: Mapping[str, Any],
    messages: Sequence[Mapping[str, Any]],
    offer: Mapping[str, Any],
    pictures: Mapping[str, Mapping[str, Any]],
) -> list[Picture]:
    """The submitted image, its twin, and what the agent looked at."""
    viewed = dict.fromkeys(message["picture"] for message in messages if message["picture"])
    wanted: dict[str, str] = {}
    for file in offer["files"]:
        if file["pair"] == row["pair"]:
            wanted[file["asset"]] = "submitted" if file["asset"] == row["asset"] else "its twin"
    first = sorted(wanted, key=lambda asset: wanted[asset] != "submitted")
    order = [*first, *(asset for asset in viewed if asset not in wanted)][: VIEWED + 2]
    files = {file["asset"]: file for file in offer["files"]}
    return [
        Picture(
            pictures[asset]["jpeg"],
            f"{', '.join(pictures[asset]['shows'])}: {files[asset]['path']}",
            f"{wanted.get(asset, 'looked at')}: {files[asset]['path']}, {files[asset]['role']}",
            "bad" if files[asset]["role"] == "restricted" else "good",
        )
        for asset in order
        if asset in pictures and asset in files
    ]


def _who(message: Mapping[str, Any]) -> str:
    who = SAID_BY[message["role"]]
    if message["role"] == "tool":
        return f"{message['tool']}{'' if message['state'] == 'ok' else ' (refused)'}"
    return who if message["role"] != "assistant" or message["state"] == "ok" else f"{who} ({message['state']})"


def _what(message: Mapping[str, Any]) -> str:
    parts: list[str] = []
    if message["reasoning"]:
        parts.append(f"[reasoning] {message['reasoning']}")
    if message["role"] == "tool":
        parts.append(f"{message['arguments']} → {message['text']}")
    elif message["role"] == "end":
        parts.append(": ".join(part for part in (message["state"], message["text"]) if part))
    elif message["text"]:
        parts.append(message["text"])
    if message["tool_calls"]:
        parts.append(f"calls {message['tool_calls']}")
    text = " ".join(parts)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text):,} characters)"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
