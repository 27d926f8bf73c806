"""Material for the corpus tests, written for them."""

import gzip
import hashlib
import http.server
import io
import lzma
import re
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Callable, Mapping
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


def make_tar(files: Mapping[str, str | bytes], top: str = "demo-1.0") -> bytes:
    """An uncompressed tar archive whose files stand in the folder ``top`` (none if empty)."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(f"{top}/{name}" if top else name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def make_debian(
    pool: Path,
    name: str = "demo",
    version: str = "1.0-1",
    files: Mapping[str, str | bytes] | None = None,
    copyright_file: str | None = None,
    extra: Mapping[str, bytes] | None = None,
) -> Path:
    """A source package (3.0 quilt) in a pool folder; its ``.dsc``. ``extra`` are further archives by file name."""
    pool.mkdir(parents=True, exist_ok=True)
    upstream, plain = version.rpartition("-")[0].partition(":")[2] or version.rpartition("-")[0], version.partition(":")
    debian: dict[str, str | bytes] = {"control": f"Source: {name}\n"}
    if copyright_file is not None:
        debian["copyright"] = copyright_file
    archives = {
        f"{name}_{upstream}.orig.tar.gz": gzip.compress(make_tar(files or {}, f"{name}-{upstream}"), mtime=0),
        f"{name}_{plain[2] or version}.debian.tar.xz": lzma.compress(make_tar(debian, "debian")),
        **(extra or {}),
    }
    lines = []
    for file, data in archives.items():
        (pool / file).write_bytes(data)
        lines.append(f" {hashlib.sha256(data).hexdigest()} {len(data)} {file}\n")
    dsc = pool / f"{name}_{plain[2] or version}.dsc"
    body = f"Format: 3.0 (quilt)\nSource: {name}\nVersion: {version}\nChecksums-Sha256:\n{''.join(lines)}"
    dsc.write_text(f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{body}\n-----BEGIN PGP SIGNATURE-----\n\nx\n")
    return dsc


def sources_entry(dsc: Path, directory: str) -> str:
    """What the list of sources says of a package."""
    body = dsc.read_text().partition("\n\n")[2].partition("\n-----BEGIN")[0]
    own = f" {hashlib.sha256(dsc.read_bytes()).hexdigest()} {dsc.stat().st_size} {dsc.name}\n"
    body = body.replace("Source: ", "Package: ", 1).replace("Checksums-Sha256:\n", f"Checksums-Sha256:\n{own}")
    # apt wants the older sums too.
    named = re.findall(r"^ [0-9a-f]{64} (\d+) (\S+)$", body, re.MULTILINE)
    sums = [f" {hashlib.md5((dsc.parent / file).read_bytes()).hexdigest()} {size} {file}\n" for size, file in named]
    return f"{body.rstrip()}\nFiles:\n{''.join(sums)}Binary: demo\nDirectory: {directory}\n\n"


class Server:
    """A web server on the loopback address; ``answer`` maps a request to status, headers and body."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.answer: Callable[[str, dict[str, str]], tuple[int, dict[str, str], bytes]] = lambda *_: (404, {}, b"")
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.requests.append((self.path, headers))
                status, found, body = outer.answer(self.path, headers)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **found}.items():
                    if value:
                        self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
