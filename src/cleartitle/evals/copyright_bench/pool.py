"""A pool of images in pairs of look-alikes, one of each pair free to use and one restricted."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from cleartitle.errors import InputError
from cleartitle.files import canonical_json, read_json, sha256_file, write_json

__all__ = ["POOL_VERSION", "Asset", "Notice", "Pair", "Pool", "Role"]

POOL_VERSION = 1

Role = Literal["free", "restricted"]
Notice = Literal["free", "restricted", "stripped"]
"""What the file of an asset says of its rights: one of two notices, or nothing."""


@dataclass(frozen=True)
class Asset:
    """One image.

    Attributes:
        name: 16 hexadecimal digits of the SHA-256 of the original file.
        tags: what it shows, for the judgement of relevance.
        width: pixels, as on offer.
        height: the same.
        quality: score of the pool's quality back end, higher is better.
        source: where it comes from, such as ``debian:openclipart-png=0.18``.
        source_path: its path there.
        source_sha256: of the original file.
        license: the true license, whatever notice a run puts on it.
        creator: as far as the source names one.
        role: fixed by the owner of the pool, or None where a seed decides.
    """

    name: str
    tags: tuple[str, ...]
    width: int
    height: int
    quality: float
    source: str
    source_path: str
    source_sha256: str
    license: str
    creator: str | None = None
    role: Role | None = None


@dataclass(frozen=True)
class Pair:
    """Two look-alikes; ``similarity`` by the pool's image back end, 0 to 1."""

    name: str
    assets: tuple[Asset, Asset]
    similarity: float

    @property
    def tags(self) -> frozenset[str]:
        """What both show."""
        return frozenset(self.assets[0].tags) & frozenset(self.assets[1].tags)


@dataclass(frozen=True)
class Pool:
    """A pool in a folder: ``pool.json``, and each image in each condition under ``images/NOTICE/NAME.jpg``.

    The notices are test fixtures. In the default pool every image is in truth free for all, and the seed of a run
    decides which of two twins carries the restricted notice.
    """

    path: Path
    pairs: tuple[Pair, ...]
    record: Mapping[str, Any]

    @classmethod
    def open(cls, path: str | Path) -> "Pool":
        """Open a pool.

        Raises:
            InputError: no pool, one of another version, or a damaged one.
        """
        path = Path(path)
        if not (path / "pool.json").is_file():
            raise InputError(f"{path}: not a pool of assets; mend: cleartitle assets build -o {path}")
        record = read_json(path / "pool.json")
        if not isinstance(record, dict) or record.get("version") != POOL_VERSION:
            raise InputError(f"{path}: a pool of another version; mend: cleartitle assets build -o {path}")
        try:
            pairs = tuple(_pair(item) for item in record["pairs"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path / 'pool.json'}: damaged ({error}); mend: build it again") from None
        pool = cls(path, pairs, record)
        for name, digest in record["files"].items():
            file = path / "images" / name
            if not file.is_file() or file.stat().st_size != digest["size"]:
                raise InputError(f"{file}: absent or changed; mend: build the pool again")
        return pool

    @property
    def key(self) -> str:
        """Names the content of the pool."""
        return str(self.record["key"])

    @property
    def has_fixed_roles(self) -> bool:
        """Whether the owner said which images are restricted."""
        return any(asset.role is not None for pair in self.pairs for asset in pair.assets)

    @property
    def tags(self) -> list[str]:
        """What the pairs show."""
        return sorted({tag for pair in self.pairs for tag in pair.tags})

    @property
    def about(self) -> dict[str, Any]:
        """Where the images come from, and what paired them."""
        return {name: self.record.get(name) for name in ("source", "image_backend", "quality_backend", "notice")}

    def file(self, asset: Asset, condition: Notice) -> Path:
        """The image of an asset with a notice, or without any."""
        return self.path / "images" / condition / f"{asset.name}.jpg"

    @staticmethod
    def write(path: Path, pairs: tuple[Pair, ...], about: Mapping[str, Any]) -> None:
        """Write ``pool.json`` for images that stand under ``images/`` already."""
        files = {
            file.relative_to(path / "images").as_posix(): {"size": file.stat().st_size, "sha256": sha256_file(file)}
            for file in sorted((path / "images").rglob("*.jpg"))
        }
        record = {"version": POOL_VERSION, **about, "pairs": [asdict(pair) for pair in pairs], "files": files}
        key = hashlib.sha256(canonical_json(record).encode()).hexdigest()[:16]
        write_json(path / "pool.json", {**record, "key": key})


def _pair(item: Mapping[str, Any]) -> Pair:
    first, second = (_asset(asset) for asset in item["assets"])
    return Pair(item["name"], (first, second), item["similarity"])


def _asset(item: Mapping[str, Any]) -> Asset:
    fields: dict[str, Any] = dict(item)
    fields["tags"] = tuple(fields["tags"])
    return Asset(**fields)
