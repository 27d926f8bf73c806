"""A process that searches: questions on standard input, answers on standard output, until the input ends.

A question is JSON; an answer is a line of
JSON about it (``state``, ``words``, ``seconds``) and then the result as JSON, which the service passes on as it is. The
first message says which index was opened, or why none was.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import IO, Any

from cleartitle.serve.frames import LENGTH

__all__ = ["main"]


def main(path: Path, may_show: bool) -> None:
    """Serve an index until standard input ends."""
    # Who ends the service ends the input; requests in flight are answered before.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not come between answers

    from cleartitle.errors import CleartitleError
    from cleartitle.trace import Index, Question

    try:
        index = Index.open(path)
        manifest = [segment["name"] for segment in index.manifest["segments"]]
        facts = {**index.searched, "texts": all(segment.has_texts for segment in index.segments), "key": manifest}
    except (CleartitleError, OSError) as error:
        _send(target, json.dumps({"error": str(error)}).encode())
        return
    _send(target, json.dumps(facts).encode())
    while (data := _receive(source)) is not None:
        start = time.perf_counter()
        try:
            result = Question(**json.loads(data)).ask(index, may_show=may_show)
        except Exception as error:
            # A store that was damaged under way is named. Of what should not happen the kind is told alone: the
            # message may hold the text, and must not enter a log.
            words = str(error) if isinstance(error, CleartitleError) else f"{type(error).__name__} in a search"
            _send(target, json.dumps({"error": words}).encode() + b"\n")
            continue
        facts = {"state": result["state"], "words": result["words"], "seconds": time.perf_counter() - start}
        _send(target, json.dumps(facts).encode() + b"\n" + json.dumps(result).encode())


def _receive(source: IO[bytes]) -> bytes | None:
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack(head)
    data = source.read(size)
    return data if len(data) == size else None


def _send(target: IO[bytes], data: Any) -> None:
    try:
        target.write(LENGTH.pack(len(data)) + data)
        target.flush()
    except BrokenPipeError:
        raise SystemExit(0) from None


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] == "show")
