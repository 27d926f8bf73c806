"""Folders of an owner: drawings that show the same, some free and some not."""

import io
import random
from collections.abc import Callable
from pathlib import Path

from PIL import Image, ImageDraw

KINDS = ("bear", "lake", "rock")


def scene(kind: str, seed: int, other: bool, size: tuple[int, int] = (420, 300)) -> Image.Image:
    """A drawing of its own for each kind and seed; the ``other`` one of the same seed differs in small things."""
    rng = random.Random(f"{kind} {seed}")
    image = Image.new("RGB", size, tuple(rng.randrange(100, 256) for _ in range(3)))
    draw = ImageDraw.Draw(image)
    shift = 3 if other else 0
    for _ in range(9):
        x, y, wide = rng.randrange(size[0] - 60), rng.randrange(size[1] - 60), rng.randrange(30, 120)
        color = tuple(rng.randrange(256) for _ in range(3))
        shape = {"bear": draw.ellipse, "lake": draw.rectangle, "rock": draw.rounded_rectangle}[kind]
        shape((x + shift, y + shift, x + wide + shift, y + wide // 2 + shift), fill=color)
    noise = Image.effect_noise(size, 30).convert("RGB")
    return Image.blend(image, noise, 0.08)


def write(path: Path, image: Image.Image, **words: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    stream = io.BytesIO()
    image.save(stream, path.suffix[1:].replace("jpg", "jpeg").upper(), **words)
    path.write_bytes(stream.getvalue())


def own_folders(
    folder: Path, pairs: int = 8, restricted: Callable[[Image.Image], Image.Image] = lambda image: image
) -> tuple[Path, Path]:
    """``free`` and ``restricted``, each with a folder a kind; ``restricted`` changes the images of that half."""
    for number in range(pairs):
        for kind in KINDS:
            write(folder / "free" / kind / f"nps_{number}.jpg", scene(kind, number, False), quality=92)
            write(folder / "restricted" / kind / f"stock_{number}.png", restricted(scene(kind, number, True)))
    return folder / "free", folder / "restricted"
