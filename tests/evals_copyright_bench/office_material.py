"""A small pool of drawings, made for the tests."""

import io
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from cleartitle.evals.copyright_bench.pool import Asset, Pool
from cleartitle.evals.copyright_bench.pool_build import build_pool, make_asset

TAGS = ("circle", "square", "star")


def drawing(seed: int, tag: str) -> bytes:
    rng = random.Random(seed)
    image = Image.new("RGB", (rng.randrange(220, 400), rng.randrange(220, 400)), "white")
    draw = ImageDraw.Draw(image)
    for _ in range(12):
        x, y, size = rng.randrange(180), rng.randrange(180), rng.randrange(20, 90)
        color = tuple(rng.randrange(256) for _ in range(3))
        (draw.ellipse if tag == "circle" else draw.rectangle)((x, y, x + size, y + size), fill=color)
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def make_pool(folder: Path, pairs: int = 12, roles: bool = False, small_free: bool = False, signer: Any = None) -> Pool:
    if shutil.which("exiftool") is None:
        pytest.skip("needs the program exiftool")
    made: list[tuple[str, float, list[tuple[Asset, bytes]]]] = []
    for number in range(pairs):
        tag = TAGS[number % len(TAGS)]
        images = []
        for twin in (0, 1):
            data = drawing(number * 2 + twin, tag)
            if small_free and twin == 0:
                with Image.open(io.BytesIO(data)) as image:
                    stream = io.BytesIO()
                    image.resize((205, 205)).save(stream, "PNG")
                    data = stream.getvalue()
            role = ("free", "restricted")[twin] if roles else None
            asset = make_asset(
                data, tags=(tag,), source="tests", source_path=f"{number}-{twin}.png", license="CC0-1.0", role=role
            )
            images.append((asset, data))
        made.append((f"pair-{number:02d}", 0.9, images))
    return build_pool(
        folder, made, {"image_backend": "none (drawn in pairs)", "quality_backend": "contrast"}, signer=signer
    )
