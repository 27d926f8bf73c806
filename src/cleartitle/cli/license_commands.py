"""``cleartitle license``: what a text, an answer or an identifier says about its license."""

from dataclasses import asdict
from pathlib import Path

from cyclopts import App
from rich.markup import escape
from rich.table import Table

from cleartitle.cli.output import Json, print_json, print_rich
from cleartitle.errors import InputError
from cleartitle.licenses import detect, license_class, obligations, parse_answer
from cleartitle.progress import warn

__all__ = ["app"]

app = App(name="license", help="Read licenses: of files, in answers of models, by SPDX identifier.")


@app.command(name="detect")
def detect_command(*files: Path, json: Json = False) -> int:
    """Name the license that each file states in its header.

    Args:
        files: Source files or license texts.
        json: Print JSON on standard output.
    """
    found: list[tuple[Path, dict[str, object]]] = []
    for path in files:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            warn(f"{path}: could not be read ({error.strerror})")
            continue
        found.append((path, asdict(detect(text, str(path)))))
    if not found:
        raise InputError("no file could be read; mend: name at least one readable file")
    if json:
        print_json([{"path": str(path), **detection} for path, detection in found])
        return 0
    table = Table("file", "license", "status", "rule", "lines")
    for path, detection in found:
        evidence = detection["evidence"]
        first = evidence[0] if isinstance(evidence, (list, tuple)) and evidence else {}
        lines = f"{first.get('start_line')}-{first.get('end_line')}" if first else ""
        table.add_row(
            escape(str(path)),
            escape(str(detection["expression"] or "none")),
            str(detection["status"]),
            escape(str(first.get("rule", ""))),
            lines,
        )
    print_rich(table)
    return 0


@app.command
def answer(text: str, *, json: Json = False) -> int:
    """Read the license that a free-text answer names.

    Args:
        text: The answer.
        json: Print JSON on standard output.
    """
    parsed = parse_answer(text)
    if json:
        print_json(asdict(parsed))
    else:
        print_rich(f"{parsed.status}: {escape(parsed.expression or 'no license')}")
    return 0


@app.command
def show(expression: str, *, json: Json = False) -> int:
    """Print class and obligations of an SPDX expression.

    Args:
        expression: For example MIT, or GPL-2.0-only WITH Classpath-exception-2.0.
        json: Print JSON on standard output.
    """
    found = {"license": expression, "class": license_class(expression), "obligations": list(obligations(expression))}
    if json:
        print_json(found)
    else:
        print_rich(f"{escape(expression)}: {found['class']}", *(f"  {name}" for name in found["obligations"]))
    return 0
