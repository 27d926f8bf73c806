"""Rights notices in image files: EXIF, IPTC and XMP, written by exiftool as a program of its own."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from cleartitle.errors import CleartitleError
from cleartitle.evals.copyright_bench.pool import Role

__all__ = ["NOTICES", "ExiftoolError", "Notices", "write_notices"]

SECONDS = 900

Notices = Mapping[Role, Mapping[str, str]]
"""What the files of each role say: ``notice``, ``terms``, ``statement`` (an address) and ``marked``."""

NOTICES: Notices = {
    "free": {
        "notice": "Public domain. No rights reserved; free to use.",
        "terms": "Free to use for any purpose, also commercial.",
        "statement": "https://creativecommons.org/publicdomain/mark/1.0/",
        "marked": "False",
    },
    "restricted": {
        "notice": "© 2025 Example Stock Photo. All rights reserved.",
        "terms": "A license of the agency is needed for any use.",
        "statement": "https://example-stock.example/license-terms-en",
        "marked": "True",
    },
}
"""Test fixtures. The agency does not exist, so that nobody's rights are misstated; the images are in truth free."""

TAGS = {
    "notice": ("EXIF:Copyright", "IPTC:CopyrightNotice", "XMP-dc:Rights"),
    "terms": ("XMP-xmpRights:UsageTerms",),
    "statement": ("XMP-xmpRights:WebStatement",),
    "marked": ("XMP-xmpRights:Marked",),
}


class ExiftoolError(CleartitleError):
    """exiftool is absent or refused."""


def write_notices(folder: Path, words: Mapping[str, str]) -> None:
    """Put a notice into every JPEG file of a folder; ``words`` is one of ``Notices``.

    Raises:
        ExiftoolError: the program is not installed, or could not write.
    """
    program = shutil.which("exiftool")
    if program is None:
        raise ExiftoolError("exiftool is not installed; mend: apt-get install libimage-exiftool-perl")
    tags = [f"-{tag}={value}" for name, value in words.items() for tag in TAGS[name]]
    # Without the marker readers take IPTC for Latin-1.
    command = [
        program,
        "-q",
        "-overwrite_original",
        "-charset",
        "utf8",
        "-CodedCharacterSet=UTF8",
        *tags,
        "-ext",
        "jpg",
    ]
    try:
        done = subprocess.run(
            [*command, "-ext", "jpg", str(folder)], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise ExiftoolError(f"exiftool took more than {SECONDS} seconds for {folder}") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        raise ExiftoolError(f"exiftool could not write to {folder}: {lines[0]}")
