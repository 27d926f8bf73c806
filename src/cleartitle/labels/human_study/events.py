"""What happened in a study, one line of JSON an event, on disk before anything is answered."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError

__all__ = ["Events"]

Event = dict[str, Any]


class Events:
    """An append-only file of events; a line that a kill tore is cut off.

    Raises:
        InputError: the file holds something else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known = list(self._read())
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)

    def add(self, event: Event) -> None:
        """Write an event; when this returns it is on disk."""
        with self.path.open("ab") as stream:
            stream.write(json.dumps(event, ensure_ascii=False).encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        self.known.append(event)

    def _read(self) -> Iterator[Event]:
        if not self.path.exists():
            return
        whole = 0
        with self.path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):
                    break
                try:
                    event = json.loads(line)
                except ValueError:
                    event = None
                if not isinstance(event, dict) or "event" not in event:
                    raise InputError(f"{self.path}: line {number} is no event of a study; mend: repair or remove it")
                whole += len(line)
                yield event
        os.truncate(self.path, whole)
