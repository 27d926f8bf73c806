"""``cleartitle scrub``: take secrets and personal data out of texts, put them back, or count them."""

import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.markup import escape
from rich.table import Table

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.code import language_of_path
from cleartitle.code.scrub import TYPES, ScrubOptions, leaks, read_map, restore, scrub, write_map
from cleartitle.errors import InputError
from cleartitle.files import write_text
from cleartitle.progress import console, warn

__all__ = ["app"]

app = App(name="scrub", help="Take secrets and personal data out of texts; put them back; count leaks.")


@app.command(name="apply")
def apply_command(
    *files: Path,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    map: Path | None = None,
    json: Json = False,
    options: Annotated[ScrubOptions, Parameter(name="*", group="Scrubbing")] = ScrubOptions(),  # noqa: B008
) -> int:
    """Replace secrets and personal data by placeholders such as <EMAIL_1>.

    One file goes to standard output, or all into a folder. What was taken out is kept only if --map names a file.

    Args:
        files: Text files in UTF-8.
        output: Folder for the scrubbed files, under their own paths below the working folder.
        map: File for what was taken out, readable by its owner only, for scrub restore.
        json: Print counts by file and type as JSON on standard output; needs an output folder.
    """
    if output is None and (len(files) != 1 or json):
        raise InputError("several files or JSON need a folder for the scrubbed texts; mend: add `-o FOLDER`")
    if map is not None and output is not None and output.resolve() in map.resolve().parents:
        raise InputError(f"{map}: lies in the folder of the scrubbed files; mend: keep the map elsewhere")
    counts: dict[str, dict[str, int]] = {}
    mappings: dict[str, dict[str, str]] = {}
    for path, text in _texts(files):
        found = scrub(text, language=language_of_path(str(path)), options=options)
        name = _name(path)
        counts[name], mappings[name] = found.counts, found.mapping
        if output is None:
            sys.stdout.write(found.text)
        else:
            write_text(output / name, found.text)
    if map is not None:
        write_map(map, mappings)
    if json:
        print_json({"files": counts, "counts": _total(counts)})
    else:
        console().print(_summary(_total(counts), len(counts), "replaced"))
    return 0


@app.command(name="restore")
def restore_command(
    *files: Path, map: Path, output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None
) -> int:
    """Put back what scrub apply took out.

    Args:
        files: Scrubbed files, under the paths that they had when the map was written.
        map: File that scrub apply --map wrote.
        output: Folder for the texts; without it one file goes to standard output.
    """
    if output is None and len(files) != 1:
        raise InputError("several files need a folder for the texts; mend: add `-o FOLDER`")
    mappings = read_map(map)
    for path, text in _texts(files):
        name = _known_name(path, mappings, map)
        if output is None:
            sys.stdout.write(restore(text, mappings[name]))
        else:
            write_text(output / name, restore(text, mappings[name]))
    return 0


@app.command(name="leaks")
def leaks_command(*files: Path, json: Json = False) -> int:
    """Count secrets and personal data in texts and show them masked; the status is 1 where there is any.

    Args:
        files: Text files in UTF-8.
        json: Print JSON on standard output.
    """
    found = {str(path): leaks(text) for path, text in _texts(files)}
    if json:
        print_json(
            {
                name: {
                    "counts": leak.counts,
                    "distinct": leak.distinct,
                    "findings": [asdict(finding) for finding in leak.findings],
                }
                for name, leak in found.items()
            }
        )
    else:
        table = Table("file", "line", "type", "what", "value")
        for name, leak in found.items():
            for item in leak.findings:
                example = " (reserved for documentation)" if item.is_example else ""
                table.add_row(escape(name), str(item.line), item.type, item.rule, escape(item.masked) + example)
        total = _total({name: leak.counts for name, leak in found.items()})
        print_rich(*([table] if table.rows else []), _summary(total, len(found), "found"))
    return 1 if any(leak.findings for leak in found.values()) else 0


def _texts(files: tuple[Path, ...]) -> list[tuple[Path, str]]:
    found: list[tuple[Path, str]] = []
    for path in files:
        try:
            text = path.read_bytes().decode("utf-8")
        except OSError as error:
            warn(f"{path}: could not be read ({error.strerror})")
        except UnicodeDecodeError:
            warn(f"{path}: not a text in UTF-8; left out")
        else:
            found.append((path, text))
    if not found:
        raise InputError("no file could be read; mend: name at least one readable text file in UTF-8")
    return found


def _name(path: Path) -> str:
    """The path below the working folder, else the name alone."""
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return path.name


def _known_name(path: Path, mappings: dict[str, dict[str, str]], map: Path) -> str:
    name = _name(path)
    matching = [known for known in mappings if known == name or name.endswith(f"/{known}")]
    if not matching and len(mappings) == 1:
        matching = list(mappings)
    if not matching:
        raise InputError(f"{path}: not in {map}; mend: give the file under the path that it had")
    return max(matching, key=len)


def _total(counts: dict[str, dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for found in counts.values():
        total.update(found)
    return {name: total[name] for name in TYPES if total[name]}


def _summary(total: dict[str, int], files: int, verb: str) -> str:
    inside = f"in {files} file{'' if files == 1 else 's'}"
    if not total:
        return f"nothing {verb} {inside}"
    return f"{verb} {inside}: " + ", ".join(f"{number} {name}" for name, number in total.items())
