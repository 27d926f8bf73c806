"""Get a source package: from the cache, through apt, or straight from a mirror."""

import shutil
import tempfile
from pathlib import Path

from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.readers.debian.apt import apt_download
from cleartitle.corpus.readers.debian.mirror import mirror_download
from cleartitle.corpus.readers.debian.package import SourcePackage, SourceUnavailableError, read_package
from cleartitle.files import cache_dir

__all__ = ["fetch_debian"]


def fetch_debian(
    name: str,
    version: str | None,
    suite: str | None,
    options: CorpusOptions,
    *,
    sha256: str | None = None,
) -> SourcePackage:
    """The source package ``name`` at ``version`` (default: the newest in the lists), cached by name and version.

    Raises:
        SourceUnavailableError: it cannot be had, or a hash differs; another version is never taken instead.
    """
    root = cache_dir("debian")
    if version is not None and (folder := root / _folder(name, version)).is_dir():
        try:
            return read_package(folder, name, version, sha256)
        except SourceUnavailableError:
            shutil.rmtree(folder)  # damaged: fetched again below, and compared again
    label = f"debian:{name}" + (f"={version}" if version else "")
    with tempfile.TemporaryDirectory(prefix=".new-", dir=root) as temporary:
        new = Path(temporary) / "new"
        new.mkdir()
        if options.debian_mirror:
            mirror_download(label, name, version, suite, new, options.debian_mirror, refresh=options.refresh)
        else:
            wanted = f"{name}={version}" if version else f"{name}/{suite}" if suite else name
            apt_download(label, wanted, suite, new, refresh=options.refresh)
        package = read_package(new, name, version, sha256)
        folder = root / _folder(name, package.version)
        if not folder.is_dir():
            new.rename(folder)
    return read_package(folder, name, package.version, sha256)


def _folder(name: str, version: str) -> str:
    return f"{name}_{version.replace(':', '%3a')}"
