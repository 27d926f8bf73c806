"""Build a pool: images that a package registry delivers, or folders of one's own."""

import hashlib
import io
import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from PIL import Image, UnidentifiedImageError

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench.cues import check_cues
from cleartitle.evals.copyright_bench.pool import Asset, Pair, Pool, Role
from cleartitle.evals.copyright_bench.rights import NOTICES, write_notices
from cleartitle.files import cache_dir, sha256_file
from cleartitle.progress import progress
from cleartitle.tarballs import read_tar_members
from cleartitle.web import Web

__all__ = ["build_default_pool", "build_pool", "make_asset", "quality_score"]

LONGEST_SIDE = 1024
JPEG_QUALITY = 90
LARGEST_PACKAGE = 1 << 28
QUALITY_BACKEND = "contrast and colorfulness (Hasler and Suesstrunk 2003)"


@cache
def default_pairs() -> dict[str, Any]:
    """The pinned pairs of the default pool: package, files with hashes and tags, similarity."""
    file = resources.files("cleartitle.evals.copyright_bench").joinpath("data/default_pairs.json")
    return json.loads(file.read_text(encoding="utf-8"))


def build_default_pool(output: Path, mirror: str = "http://deb.debian.org/debian") -> Pool:
    """Build the default pool from a package of public domain art.

    Both twins of each pair are in truth free; notices are test fixtures.

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
    pairs: list[tuple[str, float, list[tuple[Asset, bytes]]]] = []
    for pair in pins["pairs"]:
        images: list[tuple[Asset, bytes]] = []
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
        "quality_backend": QUALITY_BACKEND,
        "source": pins["package"],
        "notice": "The rights notices in these files are test fixtures. Every image is in truth free.",
    }
    return build_pool(output, pairs, about)


def build_pool(
    output: Path, pairs: Sequence[tuple[str, float, list[tuple[Asset, bytes]]]], about: Mapping[str, Any]
) -> Pool:
    """Write a pool from pairs of images with their original bytes: re-encoded alike, with each notice and without.

    A pool that gives its restricted half away by a trivial cue is refused.

    Raises:
        InputError: the folder holds something else, an image cannot be read, or a cue tells the halves apart.
    """
    if output.exists() and any(not entry.name.startswith(".") for entry in output.iterdir()):
        if not (output / "pool.json").is_file():
            raise InputError(f"{output}: holds files that are not a pool; mend: choose another folder")
        shutil.rmtree(output)
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output, prefix=".build-") as folder:
        building = Path(folder)
        stripped = building / "images" / "stripped"
        stripped.mkdir(parents=True)
        with progress("images", len(pairs), "pair") as advance:
            for _, _, images in pairs:
                for asset, data in images:
                    (stripped / f"{asset.name}.jpg").write_bytes(_picture(data)[0])
                advance(1)
        roles: tuple[Role, ...] = ("free", "restricted")
        for role in roles:
            shutil.copytree(stripped, building / "images" / role)
            write_notices(building / "images" / role, role)
        records = tuple(Pair(name, (images[0][0], images[1][0]), similarity) for name, similarity, images in pairs)
        Pool.write(building, records, {**about, "notices": {role: dict(NOTICES[role]) for role in roles}})
        check_cues(Pool.open(building))
        (building / "images").replace(output / "images")
        (building / "pool.json").replace(output / "pool.json")
    return Pool.open(output)


def quality_score(image: Image.Image) -> float:
    """A stand-in for an aesthetic score, without a model: colorfulness (Hasler and Suesstrunk 2003, M3) plus contrast.

    Higher is livelier. It says nothing about taste.
    """
    import numpy as np

    small = image.convert("RGB")
    small.thumbnail((256, 256))
    red, green, blue = np.asarray(small, dtype=float).transpose(2, 0, 1)
    opponents = red - green, (red + green) / 2 - blue
    spread = np.hypot(opponents[0].std(), opponents[1].std())
    mean = np.hypot(opponents[0].mean(), opponents[1].mean())
    contrast = (0.299 * red + 0.587 * green + 0.114 * blue).std()
    return round(float(spread + 0.3 * mean + contrast), 3)


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
    encoded, quality = _picture(data)
    digest = hashlib.sha256(data).hexdigest()
    with Image.open(io.BytesIO(encoded)) as image:
        width, height = image.size
    return Asset(digest[:16], tuple(tags), width, height, quality, source, source_path, digest, license, role=role)


def _picture(data: bytes) -> tuple[bytes, float]:
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
    return stream.getvalue(), quality_score(picture)


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
