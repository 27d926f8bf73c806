"""What lies in a folder while another process writes there."""

import os
from fnmatch import fnmatch
from pathlib import Path


def sizes_below(folder: Path, pattern: str) -> list[int]:
    """Bytes of each file below `folder` whose name fits `pattern`; what vanishes while we look is left out."""
    sizes: list[int] = []
    for root, _, names in os.walk(folder):
        for name in names:
            if fnmatch(name, pattern):
                try:
                    sizes.append(os.stat(os.path.join(root, name)).st_size)
                except FileNotFoundError:
                    continue
    return sizes
