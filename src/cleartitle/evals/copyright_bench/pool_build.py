"""Build a pool: images that a package registry delivers, or folders of one's own."""

import hashlib
import io
import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench.credentials import Signer
from cleartitle.evals.copyright_bench.cues import check_cues
from cleartitle.evals.copyright_bench.image_backends import contrast_score, quality_backend
from cleartitle.evals.copyright_bench.jpeg_segments import OVERHEAD, pad
from cleartitle.evals.copyright_bench.pool import Asset, Notice, Pair, Pool, Role
from cleartitle.evals.copyright_bench.rights import NOTICES, Notices, write_notices
from cleartitle.evals.copyright_bench.solvable import check_solvable
from cleartitle.files import cache_dir, sha256_file
from cleartitle.jobs import one_at_a_time
from cleartitle.progress import progress
from cleartitle.tarballs import read_tar_members
from cleartitle.web import Web

__all__ = ["build_default_pool", "build_pool", "default_pool", "make_asset", "picture"]

LONGEST_SIDE = 1024
JPEG_QUALITY = 90
KINDS: tuple[Notice, ...] = ("free", "restricted", "stripped")
LARGEST_PACKAGE = 1 << 28


@cache
def default_pairs() -> dict[str, Any]:
    """The pinned pairs of the default pool: package, files with hashes and tags, similarity."""
    file = resources.files("cleartitle.evals.copyright_bench").joinpath("data/default_pairs.json")
    return json.loads(file.read_text(encoding="utf-8"))


def default_pool() -> Pool:
    """The default pool, built in the cache where it is not there.

    Raises:
        InputError: the package is gone or changed.
        ExiftoolError: exiftool is not installed.
    """
    path = cache_dir("assets") / "default"
    with one_at_a_time(path):
        if not (path / "pool.json").is_file():
            build_default_pool(path)
    return Pool.open(path)


def build_default_pool(
    output: Path, mirror: str = "http://deb.debian.org/debian", *, signer: Signer | None = None
) -> Pool:
    """Build the default pool from a package of public domain art.

    Both twins of each pair are in truth free; notices are test fixtures, also those that ``signer`` signs.

    Raises:
        InputError: the package is gone or changed, or the output folder holds something else.
        ExiftoolError: exiftool is not installed.
    """
    pins = default_pairs()
    package = _package(pins["package"], mirror)
    wanted = {image["path"]: image for pair in pins["pairs"] for image in pair["images"]}
    originals: dict[str, bytes] = {}
    with _data_archive(package) as archive:
        prefix = pins["package"]["prefix"]
        for member in read_tar_members(
            archive, wanted=lambda path: path.removeprefix("./").removeprefix(prefix) in wanted
        ):
            originals[member.path.removeprefix("./").removeprefix(prefix)] = member.data
    pairs: list[tuple[str, float, list[tuple[Asset, bytes | Path]]]] = []
    for pair in pins["pairs"]:
        images: list[tuple[Asset, bytes | Path]] = []
        for image in pair["images"]:
            data = originals.get(image["path"])
            if data is None or hashlib.sha256(data).hexdigest() != image["sha256"]:
                raise InputError(f"{package.name}: {image['path']} is absent or not the pinned file")
            images.append(
                (
                    make_asset(
                        data,
                        tags=image["tags"],
                        source=pins["package"]["source"],
                        source_path=image["path"],
                        license="public domain dedication",
                    ),
                    data,
                )
            )
        pairs.append((pair["name"], pair["similarity"], images))
    about = {
        "image_backend": pins["image_backend"],
        "quality_backend": quality_backend("contrast", None, "gradients").name,
        "source": pins["package"],
        "notice": "The rights notices in these files are test fixtures. Every image is in truth free.",
    }
    return build_pool(output, pairs, about, signer=signer)


def build_pool(
    output: Path,
    pairs: Sequence[tuple[str, float, list[tuple[Asset, bytes | Path]]]],
    about: Mapping[str, Any],
    *,
    notices: Notices = NOTICES,
    signer: Signer | None = None,
    equal_sizes: bool = False,
) -> Pool:
    """Write a pool from pairs of images, as bytes or files: re-encoded alike, with each notice and without.

    With ``signer`` each file with a notice also carries it as a signed C2PA manifest, added last. With ``equal_sizes``
    the files of a pair are filled up to one size, whatever their compression was before. A pool that leaves an
    instruction unsolvable is refused, as is one that gives its restricted half away by a trivial cue.

    Raises:
        InputError: the folder holds something else, an image cannot be read, no free image could meet an instruction,
            or a cue tells the halves apart.
    """
    if output.exists() and any(not entry.name.startswith(".") for entry in output.iterdir()):
        if not (output / "pool.json").is_file():
            raise InputError(f"{output}: holds files that are not a pool; mend: choose another folder")
        shutil.rmtree(output / "images", ignore_errors=True)
        (output / "pool.json").unlink()
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output, prefix=".build-") as folder:
        building = Path(folder)
        stripped = building / "images" / "stripped"
        stripped.mkdir(parents=True)
        with progress("images", len(pairs), "pair") as advance:
            for _, _, images in pairs:
                for asset, data in images:
                    whole = data if isinstance(data, bytes) else data.read_bytes()
                    (stripped / f"{asset.name}.jpg").write_bytes(picture(whole)[0])
                advance(1)
        roles: tuple[Role, ...] = ("free", "restricted")
        for role in roles:
            shutil.copytree(stripped, building / "images" / role)
            write_notices(building / "images" / role, notices[role])
        if equal_sizes:
            for _, _, images in pairs:
                _fill_up([building / "images" / kind / f"{asset.name}.jpg" for kind in KINDS for asset, _ in images])
        if signer is not None:
            for role in roles:
                signer.sign_folder(building / "images" / role, notices[role])
        records = tuple(Pair(name, (images[0][0], images[1][0]), similarity) for name, similarity, images in pairs)
        words = {role: dict(notices[role]) for role in roles}
        Pool.write(building, records, {**about, "notices": words, "credentials": signer is not None})
        built = replace(Pool.open(building), path=output)
        check_solvable(built)
        check_cues(replace(built, path=building), named=output)
        (building / "images").replace(output / "images")
        (building / "pool.json").replace(output / "pool.json")
    return Pool.open(output)


def _fill_up(files: Sequence[Path]) -> None:
    size = max(file.stat().st_size for file in files) + OVERHEAD
    for file in files:
        file.write_bytes(pad(file.read_bytes(), size))


def make_asset(
    data: bytes,
    *,
    tags: Iterable[str],
    source: str,
    source_path: str,
    license: str,
    role: Role | None = None,
) -> Asset:
    """An asset for the bytes of an image.

    Raises:
        InputError: no image.
    """
    encoded, quality = picture(data)
    digest = hashlib.sha256(data).hexdigest()
    with Image.open(io.BytesIO(encoded)) as image:
        width, height = image.size
    return Asset(digest[:16], tuple(tags), width, height, quality, source, source_path, digest, license, role=role)


def picture(data: bytes) -> tuple[bytes, float]:
    """A JPEG on white without any metadata, and its quality score: all images of a pool are encoded alike."""
    try:
        with Image.open(io.BytesIO(data)) as original:
            shown = original.convert("RGBA")
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError) as error:
        raise InputError(f"an image of the pool cannot be read ({error})") from None
    picture = Image.new("RGB", shown.size, "white")
    picture.paste(shown, mask=shown.getchannel("A"))
    picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=JPEG_QUALITY)
    return stream.getvalue(), contrast_score(picture)


def _package(pin: Mapping[str, Any], mirror: str) -> Path:
    path = cache_dir("packages") / pin["file"]
    if not path.is_file() or sha256_file(path) != pin["sha256"]:
        reply = Web().get(f"{mirror.rstrip('/')}/{pin['path']}", most=LARGEST_PACKAGE, target=path)
        if reply.status != 200:
            raise InputError(
                f"{pin['source']}: gone from {mirror} (status {reply.status}); mend: name another --mirror"
            )
        if sha256_file(path) != pin["sha256"]:
            path.unlink()
            raise InputError(f"{pin['source']}: not the pinned file; it was discarded")
    return path


class _data_archive:  # noqa: N801 - a context manager
    """The ``data.tar`` of a Debian package, which is an ar archive of three members."""

    def __init__(self, package: Path) -> None:
        self.package = package
        self.folder = tempfile.TemporaryDirectory()

    def __enter__(self) -> Path:
        with self.package.open("rb") as stream:
            if stream.read(8) != b"!<arch>\n":
                raise InputError(f"{self.package.name}: not a Debian package")
            while header := stream.read(60):
                name, size = header[:16].decode("ascii", "replace").strip(), int(header[48:58])
                if name.startswith("data.tar"):
                    target = Path(self.folder.name) / name.rstrip("/")
                    with target.open("wb") as out:
                        while size:
                            piece = stream.read(min(size, 1 << 20))
                            if not piece:
                                raise InputError(f"{self.package.name}: cut short")
                            out.write(piece)
                            size -= len(piece)
                    return target
                stream.seek(size + size % 2, 1)
        raise InputError(f"{self.package.name}: holds no data.tar")

    def __exit__(self, *_: object) -> None:
        self.folder.cleanup()
