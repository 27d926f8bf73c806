"""Source packages straight from a mirror, for machines without apt: hashes are compared, signatures are not."""

import gzip
import hashlib
import lzma
from pathlib import Path
from urllib.parse import quote

from cleartitle.corpus.readers.debian.copyright import control_paragraphs
from cleartitle.corpus.readers.debian.package import SourceUnavailableError, parse_dsc
from cleartitle.files import cache_dir, sha256_file
from cleartitle.web import Reply, Web

__all__ = ["mirror_download"]

_COMPONENTS = ("main", "contrib", "non-free", "universe")
_SUITE = "stable"
_LARGEST_INDEX = 2**28
_LARGEST_ARCHIVE = 2**31
_LARGEST_DESCRIPTION = 2**20


def mirror_download(
    label: str,
    name: str,
    version: str | None,
    suite: str | None,
    folder: Path,
    mirror: str,
    *,
    refresh: bool = False,
) -> None:
    """Put a source package into an empty folder.

    A version is looked for where the pool keeps it, so that no list is needed; without one the list of ``suite``
    (default: stable) says which is the newest.

    Raises:
        SourceUnavailableError: the mirror does not have it, or a file is not the one that the ``.dsc`` lists.
        WebError: no answer.
    """
    web = Web()
    root = mirror.rstrip("/")
    if version is None:
        directory, file = _newest(label, name, suite or _SUITE, root, web, refresh)
        places = [f"{root}/{directory}/{quote(file)}"]
    else:
        prefix = name[:4] if name.startswith("lib") else name[0]
        file = f"{name}_{version.partition(':')[2] or version}.dsc"
        places = [f"{root}/pool/{part}/{prefix}/{quote(name)}/{quote(file)}" for part in _COMPONENTS]
    for place in places:
        reply = web.get(place, most=_LARGEST_DESCRIPTION, target=folder / file)
        if reply.status == 200:
            break
    else:
        raise SourceUnavailableError(f"{label}: gone from the mirror, or never there ({file} is not there)")
    try:
        description = parse_dsc((folder / file).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, ValueError) as error:
        raise SourceUnavailableError(f"{label}: its .dsc cannot be read ({error})") from None
    for other, (size, digest) in description.files.items():
        _archive(label, web, f"{place.rpartition('/')[0]}/{quote(other)}", folder / other, size, digest)


def _archive(label: str, web: Web, url: str, path: Path, size: int, digest: str) -> None:
    if size > _LARGEST_ARCHIVE:
        raise SourceUnavailableError(f"{label}: {path.name} has {size} bytes, over the limit of {_LARGEST_ARCHIVE}")
    reply = web.get(url, most=size, target=path)
    if reply.status != 200:
        raise SourceUnavailableError(f"{label}: gone from the mirror ({path.name} is not there)")
    if sha256_file(path) != digest:
        raise SourceUnavailableError(f"{label}: {path.name} is not the file that its .dsc lists; it was discarded")


def _newest(label: str, name: str, suite: str, root: str, web: Web, refresh: bool) -> tuple[str, str]:
    """Folder and ``.dsc`` of the package that the list of a suite names last."""
    found: tuple[str, str] | None = None
    blocks = _index(label, suite, root, web, refresh).split("\n\n")
    listed = [block for block in blocks if f"Package: {name}\n" in block]
    for fields in control_paragraphs("\n\n".join(listed)):
        if fields.get("package") == name and fields.get("extra-source-only", "no").lower() != "yes":
            files = [line.split()[-1] for line in fields.get("checksums-sha256", "").split("\n") if line.strip()]
            described = [file for file in files if file.endswith(".dsc") and "/" not in file]
            if described:
                found = fields.get("directory", ""), described[0]
    if found is None or ".." in found[0].split("/"):
        raise SourceUnavailableError(f"{label}: gone, or never there: the list of {suite} does not hold it")
    return found


def _index(label: str, suite: str, root: str, web: Web, refresh: bool) -> str:
    """The list of the sources of a suite, kept in the cache."""
    for suffix, open_ in ((".xz", lzma.open), (".gz", gzip.open)):
        url = f"{root}/dists/{suite}/main/source/Sources{suffix}"
        path = cache_dir("debian") / f"index-{hashlib.sha256(url.encode()).hexdigest()[:16]}{suffix}"
        reply = Reply(200, {}, b"", url)
        if refresh or not path.is_file():
            reply = web.get(url, most=_LARGEST_INDEX, target=path)
        if reply.status == 200:
            try:
                with open_(path, "rb") as stream:
                    data = stream.read(_LARGEST_INDEX)
            except (OSError, EOFError, lzma.LZMAError) as error:
                path.unlink()
                raise SourceUnavailableError(f"{label}: the list of {suite} is damaged ({error})") from None
            return data.decode("utf-8", "replace")
    raise SourceUnavailableError(f"{label}: the mirror has no list of sources of {suite}")
