"""The owner's map: which placeholder stands for what, in a file that only its owner can read."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from cleartitle.errors import InputError
from cleartitle.files import atomic_path

__all__ = ["read_map", "write_map"]

KIND = "cleartitle scrub map"


def write_map(path: Path, documents: Mapping[str, Mapping[str, str]]) -> None:
    """Write the mappings of documents, by name, with permission 0600; a file that is there is replaced.

    The file holds what the scrubber took out. Keep it out of folders that are shared.
    """
    content = {"kind": KIND, "schema": 1, "documents": {name: dict(mapping) for name, mapping in documents.items()}}
    with atomic_path(path) as temporary:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            json.dump(content, stream, indent=1, ensure_ascii=False)
            stream.write("\n")


def read_map(path: Path) -> dict[str, dict[str, str]]:
    """The mappings of a map file, by the name of the document.

    Raises:
        InputError: absent, or not a map file; the message holds nothing of its content.
    """
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such map file") from None
    except (UnicodeDecodeError, json.JSONDecodeError):
        content = None
    documents: Any = cast(dict[str, Any], content).get("documents") if isinstance(content, dict) else None
    if not isinstance(documents, dict) or cast(dict[str, Any], content).get("kind") != KIND:
        raise InputError(f"{path}: not a map file; mend: give the file that `--map` wrote")
    return {
        str(name): {str(key): str(value) for key, value in cast(dict[str, Any], mapping).items()}
        for name, mapping in cast(dict[str, Any], documents).items()
        if isinstance(mapping, dict)
    }
