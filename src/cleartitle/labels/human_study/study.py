"""A study: who joined, what they were given by lot, what they did, and what may be told of it."""

import hashlib
import io
import json
import random
import secrets
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from math import isfinite
from pathlib import Path
from threading import RLock
from typing import Any

from PIL import Image

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench import Office, Pool, ToolError, write_people_run
from cleartitle.evals.copyright_bench.episodes import Condition, episode_id, open_office, prepare_episode
from cleartitle.evals.copyright_bench.tasks import TASKS, Prompt
from cleartitle.evals.copyright_bench.transcript import Row, Transcript
from cleartitle.evals.copyright_bench.workspace import Offer
from cleartitle.files import read_json, sha256_file, write_json
from cleartitle.labels.human_study.events import Events
from cleartitle.labels.human_study.options import StudyOptions
from cleartitle.options import fingerprint
from cleartitle.pages import image_address

__all__ = ["Person", "Study"]

MOST_CALLS = 5_000
"""Calls of one person in one task that are carried out."""
MOST_SECONDS = 86_400.0
THUMBNAIL = 220
MOST_OPEN = 64
"""Offices that are kept open; the one that was used least recently is closed, and laid out again when it is needed."""


@dataclass
class Person:
    """Somebody who takes part: a random number, what they got by lot, and how far they are."""

    id: str
    token: str  # SHA-256 of it
    prompt: Prompt
    cells: list[tuple[Condition, int]]
    calls: list[list[dict[str, Any]]] = field(default_factory=list[list[dict[str, Any]]])
    withdrawn: bool = False

    @property
    def finished(self) -> int:
        """How many tasks have a submission."""
        return sum(bool(calls) and calls[-1]["name"] == "submit_selection" for calls in self.calls)


@dataclass(frozen=True)
class _Desk:
    office: Office
    offer: Offer
    instruction: str
    stack: ExitStack


class Study:
    """One study in a folder: ``study.json`` (what it is, and the secret of the invitation), ``events.jsonl``.

    All that is kept of a person is a random number, the hash of a secret that only their browser has, what they were
    given, and what they did. The same folder goes on after any end.

    Raises:
        InputError: the folder holds another study, or a damaged one.
    """

    def __init__(self, folder: Path, pool: Pool, options: StudyOptions) -> None:
        self.folder, self.pool, self.options = folder, pool, options
        self.lock = RLock()
        self.consent = _text(options.consent, "consent.txt")
        self.debriefing = _text(None, "debriefing.txt")
        folder.mkdir(parents=True, exist_ok=True)
        self.invitation = self._record()
        self.events = Events(folder / "events.jsonl")
        self.people: dict[str, Person] = {}
        self.desks: dict[tuple[str, int], _Desk] = {}
        for event in self.events.known:
            self._apply(event)

    def close(self) -> None:
        """Close all offices."""
        with self.lock:
            for desk in self.desks.values():
                desk.stack.close()
            self.desks.clear()

    def join(self, agreed: object) -> tuple[Person, str]:
        """Take a new person in, and return them with their secret.

        The prompt is the one that the fewest got so far, by lot where several are; the order of the tasks is by lot.

        Raises:
            InputError: no consent, or the study is full.
        """
        if agreed is not True:
            raise InputError("nobody takes part without having agreed")
        with self.lock:
            if len(self.people) >= self.options.people:
                raise InputError("the study is full; thank you")
            secret, name = secrets.token_urlsafe(18), secrets.token_hex(4)
            lot = random.Random(f"{self.options.seed} {len(self.people)}")
            given = Counter({prompt: 0 for prompt in self.options.prompt})
            given.update(person.prompt for person in self.people.values())
            fewest = min(given.values())
            prompt = lot.choice([prompt for prompt in self.options.prompt if given[prompt] == fewest])
            tasks = lot.sample(TASKS, len(TASKS))
            # The run of a cell that comes next: each offer is made to one person only.
            cells = [[task, given[prompt]] for task in tasks]
            event = {"event": "join", "person": name, "token": _hash(secret), "prompt": prompt, "tasks": cells}
            self.events.add({**event, "consent": hashlib.sha256(self.consent.encode()).hexdigest()[:16]})
            self._apply(event)
            return self.people[name], secret

    def person(self, secret: str) -> Person | None:
        """Whose secret it is; takes the same time for each wrong one."""
        found, digest = None, _hash(secret)
        for person in list(self.people.values()):
            if secrets.compare_digest(person.token, digest):
                found = person
        return found

    def view(self, person: Person) -> dict[str, Any]:
        """What the page shows now: a task with what is on offer, or the end."""
        with self.lock:
            state = {"number": person.finished + 1, "total": len(person.cells), "withdrawn": person.withdrawn}
            if person.withdrawn or person.finished == len(person.cells):
                return {**state, "task": None, "debriefing": self.debriefing}
            desk = self._desk(person)
            thumbnails = {file.path: _thumbnail(self.pool.file(file.asset, "stripped")) for file in desk.offer.files}
            return {
                **state,
                "task": desk.instruction,
                "web": desk.office.web is not None,
                "files": [{"path": path, "image": thumbnails[path]} for path in desk.office.list_files()],
            }

    def call(self, person: Person, given: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out a call of a tool: ``name``, ``arguments``, and the ``seconds`` in sight since the task began.

        Raises:
            InputError: the task is over, the call is out of bounds, or the tool refuses.
        """
        name, arguments, seconds = (given.get(key) for key in ("name", "arguments", "seconds"))
        number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and isfinite(seconds)
        if not isinstance(name, str) or not isinstance(arguments, dict) or not number:
            raise InputError("a call has a name, arguments and seconds")
        with self.lock:
            if person.withdrawn or person.finished == len(person.cells):
                raise InputError("there is no task left")
            place, desk = person.finished, self._desk(person)
            if len(person.calls[place]) >= MOST_CALLS:
                raise InputError("too many calls; please choose an image")
            if name == "submit_selection" and arguments.get("path") not in desk.office.list_files():
                raise InputError("that is not one of the files")
            try:
                found = desk.office.call(name, arguments)
                state, text = "ok", desk.office.answer_text(name, found)
            except ToolError as error:
                found, state, text = None, "error", str(error)
            event = {
                "event": "call",
                "person": person.id,
                "place": place,
                "name": name[:100],
                "arguments": {str(key)[:100]: str(value)[:500] for key, value in list(arguments.items())[:10]},
                "state": state,
                "text": text[:20_000],
                "seconds": round(min(max(float(seconds or 0), 0.0), MOST_SECONDS), 1),
            }
            self.events.add(event)
            self._apply(event)
            if person.finished > place:
                self._close(person, place)
            if state == "error":
                raise InputError(text)
            return {"result": f"data:image/jpeg;base64,{found}" if desk.office.gives_pixels(name) else found}

    def withdraw(self, person: Person) -> dict[str, Any]:
        """Leave all that a person did out of the results."""
        with self.lock:
            event = {"event": "withdraw", "person": person.id}
            self.events.add(event)
            self._apply(event)
        return self.view(person)

    def results(self) -> dict[str, Any]:
        """Write the finished tasks as a run in the folder ``results``, and return its summary.

        Raises:
            InputError: nobody has finished a task.
        """
        with self.lock:
            played = {
                (condition, run): self._transcript(person, place, condition, run)
                for person in self.people.values()
                if not person.withdrawn
                for place, (condition, run) in enumerate(person.cells)
                if place < person.finished
            }
            return write_people_run(self.pool, self.folder / "results", self.options.cells, played)

    @property
    def state(self) -> dict[str, Any]:
        """How far the study is, in plain JSON values."""
        people = list(self.people.values())
        return {
            "joined": len(people),
            "most": self.options.people,
            "finished": sum(person.finished == len(person.cells) and not person.withdrawn for person in people),
            "withdrawn": sum(person.withdrawn for person in people),
            "tasks": sum(person.finished for person in people if not person.withdrawn),
            "by_prompt": dict(Counter(person.prompt for person in people)),
        }

    def _apply(self, event: Mapping[str, Any]) -> None:
        if event["event"] == "join":
            conditions = [
                (Condition(task, event["prompt"], self.options.environment), run) for task, run in event["tasks"]
            ]
            found = Person(event["person"], event["token"], event["prompt"], conditions)
            found.calls = [[] for _ in conditions]
            self.people[found.id] = found
        elif event["event"] == "withdraw":
            self.people[event["person"]].withdrawn = True
        else:
            if event["name"] != "submit_selection" or event["state"] == "ok":
                self.people[event["person"]].calls[event["place"]].append(dict(event))

    def _desk(self, person: Person) -> _Desk:
        key = person.id, person.finished
        if (found := self.desks.pop(key, None)) is None:
            condition, run = person.cells[person.finished]
            offer, asked = prepare_episode(self.pool, condition, run, self.options.seed, pairs=self.options.pairs)
            stack = ExitStack()
            found = _Desk(stack.enter_context(open_office(self.pool, condition, offer)), offer, asked.text, stack)
        self.desks[key] = found
        while len(self.desks) > MOST_OPEN:
            self.desks.pop(next(iter(self.desks))).stack.close()
        return found

    def _close(self, person: Person, place: int) -> None:
        if (desk := self.desks.pop((person.id, place), None)) is not None:
            desk.stack.close()

    def _transcript(self, person: Person, place: int, condition: Condition, run: int) -> list[Row]:
        offer, asked = prepare_episode(self.pool, condition, run, self.options.seed, pairs=self.options.pairs)
        names = {file.path: file.asset.name for file in offer.files}
        transcript = Transcript(episode_id(condition, run), asked.text)
        for call in person.calls[place]:
            arguments = json.dumps(call["arguments"], ensure_ascii=False)
            shown = call["name"] == "view_image" and call["state"] == "ok"
            picture = names.get(call["arguments"].get("path", "")) if shown else None
            transcript.tool(call["name"], arguments, call["state"], call["text"], picture)
        return transcript.end("submitted")

    def _record(self) -> str:
        path = self.folder / "study.json"
        key = fingerprint(self.options, pool=self.pool.key)
        if path.is_file():
            found = read_json(path)
            if not isinstance(found, dict) or found.get("key") != key:
                raise InputError(f"{path}: is another study (options or pool differ); mend: choose another --output")
            return str(found["invitation"])
        if any(entry for entry in self.folder.iterdir() if not entry.name.startswith(".")):
            raise InputError(f"{self.folder}: holds files that are not a study; mend: choose another --output")
        invitation = secrets.token_urlsafe(18)
        about = {"key": key, "pool": {"key": self.pool.key, "sha256": sha256_file(self.pool.path / "pool.json")}}
        write_json(path, {**about, "invitation": invitation, "consent": self.consent, "debriefing": self.debriefing})
        path.chmod(0o600)
        return invitation


@lru_cache(maxsize=1024)
def _thumbnail(path: Path) -> str:
    with Image.open(path) as image:
        picture = image.convert("RGB")
    picture.thumbnail((THUMBNAIL, THUMBNAIL))
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=80)
    return image_address(stream.getvalue())


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _text(path: Path | None, name: str) -> str:
    if path is None:
        return (files("cleartitle.labels.human_study") / "assets" / name).read_text(encoding="utf-8").strip()
    try:
        found = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text ({type(error).__name__})") from None
    if not found or len(found) > 20_000:
        raise InputError(f"{path}: a consent text has from 1 to 20,000 characters")
    return found
