"""Material for the corpus tests, written for them."""

import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path

MIT_HEADER = "# SPDX-License-Identifier: MIT\n# Copyright 2024 Ada Example\n"
GPL_HEADER = "# SPDX-License-Identifier: GPL-3.0-or-later\n"
BODY = "\n\ndef add(a, b):\n    return a + b\n"


def make_wheel(
    folder: Path, files: Mapping[str, str | bytes], *, name: str = "demo", version: str = "1.0", metadata: str = ""
) -> Path:
    path = folder / f"{name}-{version}-py3-none-any.whl"
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n{metadata}\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\n")
        for member, data in files.items():
            archive.writestr(member, data)
    return path


def make_folder(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
    return root


def bytes_of(corpus: Path) -> dict[str, bytes]:
    return {str(path.relative_to(corpus)): path.read_bytes() for path in sorted(corpus.rglob("*")) if path.is_file()}


def git(folder: Path, *arguments: str, date: str = "2020-01-02T03:04:05+0000") -> str:
    """Run the git command as another tool would; only the tests need it."""
    environment = {
        "PATH": "/usr/bin:/bin:/usr/local/bin",
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@example.org",
        "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_DATE": date,
    }
    command = ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()
