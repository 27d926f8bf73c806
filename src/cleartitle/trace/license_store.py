"""License texts of the projects of a segment, each text kept once, so that a notice is complete."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cleartitle.errors import InputError
from cleartitle.trace.segment import Segment

__all__ = ["LICENSES", "LicenseText", "LicenseTexts", "read_license_texts", "write_license_texts"]

FILE_NAME = "licenses.arrow"

LICENSES = pa.schema(
    [
        pa.field("project", pa.string(), nullable=False),
        pa.field("version", pa.string()),
        pa.field("path", pa.string(), nullable=False),
        pa.field("expression", pa.string()),  # SPDX expression of the text, or null
        pa.field("text", pa.dictionary(pa.int32(), pa.large_string()), nullable=False),
    ]
)
"""One license file of a project; equal texts stand once in the dictionary."""

METADATA = ("debian", "license", "licenses", "licence", "licences", "legal")
"""Folders whose license files speak for the whole project."""

FIXED = ("AGPL-", "Apache-2.0", "CC-BY", "CDDL-", "EPL-", "EUPL-", "GPL-", "LGPL-", "MPL-")
"""Licenses whose text names no holder, so that a copy from elsewhere is the same text."""

GNU_TITLE = re.compile(r"\s*GNU (AFFERO |LESSER |LIBRARY )?GENERAL PUBLIC LICENSE\s+Version (\d(?:\.\d)?)")
TITLE_CHARACTERS = 400


@dataclass(frozen=True)
class LicenseText:
    """A license text as found in a project. ``borrowed``: it stands in another project under the same license."""

    project: str
    version: str | None
    path: str
    expression: str | None
    text: str
    borrowed: bool = False


class LicenseTexts:
    """The license texts of an index."""

    def __init__(self, segments: Iterable[Segment]) -> None:
        self._tables = [read_license_texts(segment) for segment in segments]

    def of(self, project: str, version: str | None, path: str, expression: str | None) -> list[LicenseText]:
        """The texts that a notice for one file needs, in a stable order; empty where the index holds none.

        First the license files of this version of the project: those in a folder above the file or in one that speaks
        for the project, or all of them where none is. If the project brings none, for a license whose text is the same
        everywhere the text of another project, marked ``borrowed``.
        """
        own = self._rows(project=project)
        own = [item for item in own if item.version == version]
        near = [item for item in own if _speaks_for(item.path, path)]
        if own:
            return _distinct(near or own)
        wanted = _fixed_ids(expression)
        lent: list[LicenseText] = []
        for name in wanted:
            found = sorted(self._borrowed(name), key=lambda item: (len(item.text), item.project, item.path))
            lent += found[:1]
        return _distinct(lent) if len(lent) == len(wanted) else []

    def _rows(self, *, project: str) -> list[LicenseText]:
        rows: list[dict[str, Any]] = []
        for table in self._tables:
            rows += table.filter(pc.field("project") == project).to_pylist()
        return [LicenseText(**row) for row in rows]

    def _borrowed(self, name: str) -> list[LicenseText]:
        found: list[LicenseText] = []
        for table in self._tables:
            for row in table.to_pylist():
                named = _family(row["expression"]) if row["expression"] else _titled(row["text"])
                if named == name:
                    found.append(LicenseText(**row, borrowed=True))
        return found


def read_license_texts(segment: Segment) -> pa.Table:
    """The license files of a segment (``LICENSES``); empty for a segment from before they were kept.

    Raises:
        InputError: the file is damaged.
    """
    path = segment.folder / FILE_NAME
    if FILE_NAME not in segment.record["files"]:
        return LICENSES.empty_table()
    try:
        with pa.memory_map(str(path)) as source:
            return pa.ipc.open_file(source).read_all().cast(LICENSES)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path}: damaged ({str(error).splitlines()[0]}); mend: build the index again") from None


def write_license_texts(folder: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write the license files of a segment into its folder; of equal rows the first counts."""
    numbers: dict[str, int] = {}
    columns: dict[str, list[Any]] = {name: [] for name in LICENSES.names}
    seen: set[tuple[Any, ...]] = set()
    for row in rows:
        number = numbers.setdefault(row["text"], len(numbers))
        key = (row["project"], row["version"], row["path"], row["expression"], number)
        if key in seen:
            continue
        seen.add(key)
        for name, value in zip(LICENSES.names, key, strict=True):
            columns[name].append(value)
    texts = pa.DictionaryArray.from_arrays(
        pa.array(columns["text"], pa.int32()), pa.array(list(numbers), pa.large_string())
    )
    arrays = [pa.array(columns[field.name], field.type) for field in list(LICENSES)[:-1]]
    table = pa.Table.from_arrays([*arrays, texts], schema=LICENSES)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.OSFile(str(folder / FILE_NAME), "wb") as sink, pa.ipc.new_file(sink, LICENSES, options=options) as writer:
        writer.write_table(table)


def _speaks_for(license_path: str, path: str) -> bool:
    folder = PurePosixPath(license_path).parent
    if any(part.lower() in METADATA or part.lower().endswith(".dist-info") for part in folder.parts[-2:]):
        return True
    return PurePosixPath(path).is_relative_to(folder)


def _family(expression: str) -> str:
    """A license id without what ``-only`` and ``-or-later`` say: both have the same text."""
    return expression.removesuffix("-only").removesuffix("-or-later").removesuffix("+")


def _titled(text: str) -> str | None:
    """The GNU license whose text this is; the text alone does not say whether later versions may be chosen."""
    found = GNU_TITLE.match(text[:TITLE_CHARACTERS])
    if found is None:
        return None
    kind = {"AFFERO": "AGPL", "LESSER": "LGPL", "LIBRARY": "LGPL"}.get((found[1] or "").strip(), "GPL")
    return f"{kind}-{found[2]}" if "." in found[2] else f"{kind}-{found[2]}.0"


def _fixed_ids(expression: str | None) -> list[str]:
    """Ids whose texts are needed, if all of them have a text that is the same everywhere."""
    words = (expression or "").replace("(", " ").replace(")", " ").split()
    names = [word for word in words if word not in {"AND", "OR", "WITH"}]
    if not names or not all(name.startswith(FIXED) for name in names):
        return []
    return list(dict.fromkeys(_family(name) for name in names))


def _distinct(items: list[LicenseText]) -> list[LicenseText]:
    chosen: dict[str, LicenseText] = {}
    for item in sorted(items, key=lambda item: (item.path.count("/"), item.path)):
        chosen.setdefault(item.text.strip(), item)
    return list(chosen.values())
