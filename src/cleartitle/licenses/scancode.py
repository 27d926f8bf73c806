"""The optional scancode engine for headers that the own rules do not settle, with a deadline per text."""

import hashlib
import importlib
import importlib.metadata
import multiprocessing
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from cleartitle.errors import MissingExtraError, require
from cleartitle.files import cache_dir, read_json, write_json
from cleartitle.licenses.detect import SURE, Detection, Evidence, detect
from cleartitle.licenses.expressions import normalize
from cleartitle.licenses.headers import leading_block
from cleartitle.licenses.notices import flatten
from cleartitle.licenses.vocabulary import UnknownLicenseError

__all__ = ["Scancode"]

_LOADING = 180.0
# Seconds that the license index may take to load; it holds about 1.4 GB of memory.
_LEAST_SCORE = 95.0


def _serve(connection: Connection) -> None:
    """Child process: load the index once, then answer one text at a time."""
    detection = importlib.import_module("licensedcode.detection")
    list(detection.detect_licenses(query_string="MIT License"))
    connection.send("ready")
    while True:
        text = connection.recv()
        found: list[dict[str, Any]] = []
        for item in detection.detect_licenses(query_string=text):
            if not item.matches:
                continue
            scores = [float(match.score()) for match in item.matches]
            expression = getattr(item, "license_expression_spdx", None) or item.license_expression
            lines = (min(match.start_line for match in item.matches), max(match.end_line for match in item.matches))
            found.append({"expression": str(expression), "score": min(scores), "start": lines[0], "end": lines[1]})
        connection.send(found)


class Scancode:
    """Detection by scancode in a process of its own; results are kept on disk by text and scancode version.

    Use as a context manager. ``deadline`` is in seconds per text; a text that takes longer is given up as uncertain
    and the process is started anew. Not safe to share between threads.

    Raises:
        MissingExtraError: scancode is not installed (``pip install "cleartitle[scancode]"``).
    """

    def __init__(self, deadline: float = 24.0) -> None:
        require("licensedcode", "scancode")
        try:
            version = importlib.metadata.version("scancode-toolkit-mini")
        except importlib.metadata.PackageNotFoundError:
            version = importlib.metadata.version("scancode-toolkit")
        self.deadline = deadline
        self._store = cache_dir("licenses") / f"scancode-{version}.json"
        self._cache: dict[str, Any] = read_json(self._store) if self._store.exists() else {}
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None

    def __enter__(self) -> "Scancode":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the process and write the results to disk."""
        self._stop()
        write_json(Path(self._store), self._cache)

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._connection = None

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), daemon=True)
        process.start()
        self._process = process
        theirs.close()
        if not ours.poll(_LOADING) or not self._alive(ours):
            self._stop()
            raise MissingExtraError(
                "scancode did not load its license index; "
                'mend: pip install "cleartitle[scancode]", which pins pluggy<1.7'
            )
        self._connection = ours
        return ours

    @staticmethod
    def _alive(connection: Connection) -> bool:
        try:
            return connection.recv() == "ready"
        except EOFError:
            return False

    def _ask(self, text: str) -> list[dict[str, Any]] | None:
        """What scancode detects, or None when the deadline passed or the process died."""
        key = hashlib.sha1(flatten(text).encode(), usedforsecurity=False).hexdigest()
        if key in self._cache:
            return self._cache[key]
        connection = self._connection or self._start()
        connection.send(text)
        try:
            if not connection.poll(self.deadline):
                raise TimeoutError
            found: list[dict[str, Any]] = connection.recv()
        except (TimeoutError, EOFError):
            self._stop()
            return None
        self._cache[key] = found
        return found

    def detect(self, text: str, path: str | None = None) -> Detection:
        """As ``cleartitle.licenses.detect``, asking scancode where that is uncertain.

        Only detections that all score 95 or more and name known ids give ``ok``.
        """
        first = detect(text, path)
        if first.status != "uncertain":
            return first
        header = leading_block(text)
        found = self._ask("\n".join(line for _, line in header.lines))
        if not found:
            return first
        numbers = [number for number, _ in header.lines]
        evidence = tuple(
            Evidence(
                "scancode",
                numbers[min(item["start"], len(numbers)) - 1],
                numbers[min(item["end"], len(numbers)) - 1],
                int(item["score"]),
                item["expression"],
            )
            for item in found
        )
        try:
            parts = list(dict.fromkeys(normalize(item["expression"]) for item in found))
        except UnknownLicenseError:
            return replace(first, evidence=(*first.evidence, *evidence))
        joined = parts[0] if len(parts) == 1 else " AND ".join(f"({part})" if " " in part else part for part in parts)
        sure = min(item["score"] for item in found) >= max(_LEAST_SCORE, SURE)
        return replace(first, expression=normalize(joined), status="ok" if sure else "uncertain", evidence=evidence)
