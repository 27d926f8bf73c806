"""Speed of ``detect`` on the source files of a folder: ``python benchmarks/license_headers.py DIR [--most N]``.

Prints files per second of CPU time on one core: all files in the order of their names, then those that state a
license with their texts already seen, then those with nothing seen.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from cleartitle.licenses import detect
from cleartitle.licenses.detect import forget

SUFFIXES = {".py", ".c", ".h", ".cc", ".cpp", ".hpp", ".java", ".cs"}


def rate(texts: list[str], before: Callable[[], None] | None = None) -> float:
    start = time.process_time()
    for text in texts:
        if before:
            before()
        detect(text)
    return len(texts) / max(time.process_time() - start, 1e-9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=6000)
    options = parser.parse_args()
    paths = sorted(path for path in options.folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in paths[: options.most]]
    print(f"{len(texts)} files: {rate(texts):.0f} a second")
    licensed = [text for text in texts if detect(text).status != "none"]
    print(f"{len(licensed)} that state a license: {rate(licensed):.0f} a second, {rate(licensed, forget):.0f} unseen")


if __name__ == "__main__":
    main()
