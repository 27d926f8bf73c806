"""A pool from an owner's own folders: images that may be used and images that may not, paired by look and quality."""

import csv
import hashlib
import io
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from PIL import Image

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench.credentials import Signer
from cleartitle.evals.copyright_bench.image_backends import (
    ImageBackendName,
    QualityBackendName,
    image_backend,
    quality_backend,
)
from cleartitle.evals.copyright_bench.policies import FREE_WORDS
from cleartitle.evals.copyright_bench.pool import Asset, Pool, Role
from cleartitle.evals.copyright_bench.pool_build import LONGEST_SIDE, build_pool, make_asset
from cleartitle.evals.copyright_bench.rights import NOTICES, Notices
from cleartitle.evals.copyright_bench.solvable import least_width
from cleartitle.progress import progress, warn

__all__ = ["OwnPoolOptions", "build_own_pool"]

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff"})
LARGEST_FILE = 256 << 20
MOST_FILES = 5_000
MOST_PIXELS = 100_000_000
SMALL = 512
TOGETHER = 32

Pairs = list[tuple[str, float, list[tuple[Asset, bytes | Path]]]]


@dataclass(frozen=True)
class OwnPoolOptions:
    """How images of one's own are paired, and what is said of them.

    ``similarity`` and ``quality_gap`` are by default those of the back ends. ``tags`` is a CSV with the columns
    ``file`` and ``tags`` (several with ``;``); without it the first folder of a file is its tag. Notices and licenses
    are what the owner states: they go into the files and the record, and nothing here checks them.
    """

    tags: Path | None = None
    image_backend: ImageBackendName = "gradients"
    quality_backend: QualityBackendName = "contrast"
    similarity: float | None = None
    quality_gap: float | None = None
    aesthetic_weights: Path | None = None
    free_notice: str = NOTICES["free"]["notice"]
    restricted_notice: str = "All rights reserved."
    free_license: str = "free to use, as the owner of the pool states"
    restricted_license: str = "restricted, as the owner of the pool states"
    equalize: bool = True
    """Give both twins of a pair the same shape, width, height and file size, so that these give nothing away."""

    def __post_init__(self) -> None:
        if not any(word in self.free_notice.lower() for word in FREE_WORDS):
            raise InputError(
                f"--free-notice {self.free_notice[:60]!r}: has to hold one of {', '.join(FREE_WORDS)}, "
                "so that a reader of metadata can tell"
            )
        if any(word in self.restricted_notice.lower() for word in FREE_WORDS):
            raise InputError(f"--restricted-notice {self.restricted_notice[:60]!r}: reads as if all could use it")
        if self.similarity is not None and not -1 <= self.similarity <= 1:
            raise InputError(f"--similarity {self.similarity}: must be from -1 to 1")
        if self.quality_gap is not None and self.quality_gap < 0:
            raise InputError(f"--quality-gap {self.quality_gap}: must not be negative")


@dataclass(frozen=True)
class _Picture:
    path: Path
    name: str
    tags: tuple[str, ...]
    role: Role
    sha256: str
    small: Image.Image
    size: tuple[int, int]
    """Width and height, once no side is longer than LONGEST_SIDE."""


def build_own_pool(
    free: Path,
    restricted: Path,
    output: Path,
    options: OwnPoolOptions = OwnPoolOptions(),  # noqa: B008
    *,
    signer: Signer | None = None,
) -> tuple[Pool, dict[str, int]]:
    """Build a pool with fixed roles; returns it with a count of what was left out, by reason.

    Each free image is paired with at most one restricted image that shows the same (a shared tag), looks alike and is
    of like quality, so that the sum of similarities is greatest (the assignment problem). Links are not followed.

    Raises:
        InputError: no folder, no pair, the same image in both, an instruction that cannot be met, or a cue that tells
            the halves apart.
    """
    left: Counter[str] = Counter()
    tags = None if options.tags is None else _read_tags(options.tags)
    folders: tuple[tuple[Role, Path], ...] = (("free", free), ("restricted", restricted))
    halves = [_gather(folder, role, tags, left) for role, folder in folders]
    both = {one.sha256: one for one in halves[0]}
    twice = next((one for one in halves[1] if one.sha256 in both), None)
    if twice is not None:
        raise InputError(f"{twice.path} and {both[twice.sha256].path}: the same image, free and restricted")
    for half, (role, folder) in zip(halves, folders, strict=True):
        if not half:
            raise InputError(
                f"{folder}: no image for the {role} half ({_counts(left)}); "
                "mend: folders named for what they show, or --tags"
            )
    images = image_backend(options.image_backend)
    quality = quality_backend(options.quality_backend, options.aesthetic_weights, options.image_backend)
    similarity = images.threshold if options.similarity is None else options.similarity
    gap = quality.threshold if options.quality_gap is None else options.quality_gap
    rows, scores = _measured(halves, images.embed, quality.score)
    matched = _match(halves, rows, scores, similarity, gap)
    left["without a twin"] += sum(map(len, halves)) - 2 * len(matched)
    if options.equalize:
        wide = [pair for pair in matched if _equal_size(halves[0][pair[0]], halves[1][pair[1]])[0] >= least_width()]
        left["too small once cropped"] += 2 * (len(matched) - len(wide))
        matched = wide
    if not matched:
        raise InputError(
            f"{free}, {restricted}: no two images show the same, look alike ({similarity:.2f} by {images.name}) "
            f"and are of like quality (within {gap:g}); mend: more images, or a lower --similarity"
        )
    about: dict[str, Any] = {
        "image_backend": images.name,
        "quality_backend": quality.name,
        "similarity": similarity,
        "quality_gap": gap,
        "source": {"source": "folders of the owner", "free": free.name, "restricted": restricted.name},
        "notice": "Roles, notices and licenses are those that the owner of the pool states.",
        "left_out": dict(left),
    }
    notices: Notices = {
        "free": {**NOTICES["free"], "notice": options.free_notice},
        "restricted": {
            "notice": options.restricted_notice,
            "terms": "A license of the owner is needed for any use.",
            "statement": "",
            "marked": "True",
        },
    }
    with tempfile.TemporaryDirectory(prefix="pool-") as folder:
        pairs = _pairs(halves, matched, scores, Path(folder), options)
        pool = build_pool(output, pairs, about, notices=notices, signer=signer, equal_sizes=options.equalize)
    return pool, dict(left)


def _counts(left: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in left.items()) or "it holds none"


def _read_tags(path: Path) -> dict[str, tuple[str, ...]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = csv.DictReader(stream)
            if not {"file", "tags"} <= set(rows.fieldnames or ()):
                raise InputError(f"{path}: lacks a column; mend: file,tags")
            return {row["file"]: _words((row["tags"] or "").split(";")) for row in rows}
    except OSError as error:
        raise InputError(f"{path}: could not be read ({error.strerror})") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: not a CSV file in UTF-8 ({error})") from None


def _words(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({tag.replace("_", " ").strip().lower()[:60] for tag in tags if tag.strip()}))


def _gather(folder: Path, role: Role, tags: Mapping[str, tuple[str, ...]] | None, left: Counter[str]) -> list[_Picture]:
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    if len(files) > MOST_FILES:
        raise InputError(f"{folder}: {len(files):,} files, at most {MOST_FILES:,} are taken; mend: a smaller folder")
    found: list[_Picture] = []
    seen: set[str] = set()
    with progress(f"{role} images", len(files), "file") as advance:
        for path in files:
            advance(1)
            name = path.relative_to(folder).as_posix()
            shown = _words(name.split("/")[:-1][:1]) if tags is None else tags.get(name, ())
            one = _open(path, name, shown, role, left)
            if one is not None and one.sha256 in seen:
                left["twice in one folder"] += 1
            elif one is not None:
                seen.add(one.sha256)
                found.append(one)
    return found


def _open(path: Path, name: str, tags: tuple[str, ...], role: Role, left: Counter[str]) -> _Picture | None:
    if path.suffix.lower() not in SUFFIXES or path.stat().st_size > LARGEST_FILE:
        left["no image"] += 1
        return None
    if not tags:
        left["without a tag"] += 1
        return None
    data = path.read_bytes()
    try:
        with Image.open(io.BytesIO(data)) as image:
            if image.width * image.height > MOST_PIXELS:
                raise ValueError("too many pixels")
            small = image.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        warn(f"{path}: left out, it cannot be read ({error})")
        left["not readable"] += 1
        return None
    small.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    size = small.size
    if size[0] < least_width():
        left["too small"] += 1
        return None
    small.thumbnail((SMALL, SMALL))
    return _Picture(path, name, tags, role, hashlib.sha256(data).hexdigest(), small, size)


def _measured(halves: list[list[_Picture]], embed: Any, score: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
    rows: list[np.ndarray] = []
    scores: list[np.ndarray] = []
    for half in halves:
        parts = [[one.small for one in half[start : start + TOGETHER]] for start in range(0, len(half), TOGETHER)]
        found = [embed(part) for part in parts]
        rows.append(np.concatenate(found))
        scores.append(np.concatenate([score(part, row) for part, row in zip(parts, found, strict=True)]))
    return rows, scores


def _match(
    halves: list[list[_Picture]], rows: list[np.ndarray], scores: list[np.ndarray], similarity: float, gap: float
) -> list[tuple[int, int, float]]:
    alike = rows[0] @ rows[1].T
    fit = alike >= similarity
    fit &= np.abs(scores[0][:, None] - scores[1][None, :]) <= gap
    shown = [[set(one.tags) for one in half] for half in halves]
    fit &= np.array([[bool(one & other) for other in shown[1]] for one in shown[0]])
    # What does not fit is worth nothing, what fits more than anything else: as many pairs as there can be.
    one, other = scipy.optimize.linear_sum_assignment(np.where(fit, 2 + alike, 0), maximize=True)
    chosen = [(int(i), int(j), float(alike[i, j])) for i, j in zip(one, other, strict=True) if fit[i, j]]
    return sorted(chosen, key=lambda pair: -pair[2])


def _pairs(
    halves: list[list[_Picture]],
    matched: list[tuple[int, int, float]],
    scores: list[np.ndarray],
    folder: Path,
    options: OwnPoolOptions,
) -> Pairs:
    pairs: Pairs = []
    for number, (one, other, similarity) in enumerate(matched):
        twins = halves[0][one], halves[1][other]
        pictures = _equal(twins) if options.equalize else [_whole(twin) for twin in twins]
        images: list[tuple[Asset, bytes | Path]] = []
        for twin, image, score in zip(twins, pictures, (scores[0][one], scores[1][other]), strict=True):
            file = folder / f"{twin.role}-{number}.png"
            image.save(file, "PNG", compress_level=1)
            asset = make_asset(
                file.read_bytes(),
                tags=twin.tags,
                source=f"{twin.role} images of the owner",
                source_path=twin.name,
                license=options.free_license if twin.role == "free" else options.restricted_license,
                role=twin.role,
            )
            known = {"name": twin.sha256[:16], "source_sha256": twin.sha256, "quality": round(float(score), 3)}
            images.append((replace(asset, **known), file))
        pairs.append((f"pair-{number:03d}", round(similarity, 3), images))
    return pairs


def _whole(picture: _Picture) -> Image.Image:
    with Image.open(picture.path) as image:
        whole = image.convert("RGB")
    whole.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    return whole


def _equal_size(one: _Picture, other: _Picture) -> tuple[int, int]:
    return min(_crops(one, other))


def _crops(one: _Picture, other: _Picture) -> list[tuple[int, int]]:
    """The largest part of each that has the shape between theirs; pixels, once no side is too long."""
    shape = float(np.sqrt(np.prod([picture.size[0] / picture.size[1] for picture in (one, other)])))
    sizes = [picture.size for picture in (one, other)]
    return [(min(wide, round(high * shape)), min(high, round(wide / shape))) for wide, high in sizes]


def _equal(twins: tuple[_Picture, _Picture]) -> list[Image.Image]:
    """Both twins cropped around their middle to one shape, and scaled to the smaller size."""
    size = _equal_size(*twins)
    cropped: list[Image.Image] = []
    for twin, (wide, high) in zip(twins, _crops(*twins), strict=True):
        image = _whole(twin)
        left, top = (image.width - wide) // 2, (image.height - high) // 2
        cropped.append(image.crop((left, top, left + wide, top + high)).resize(size))
    return cropped
