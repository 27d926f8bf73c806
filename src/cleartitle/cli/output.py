"""Results go to standard output: a table for people or JSON for machines."""

import json
import sys
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console

__all__ = ["Json", "print_json", "print_rich"]

Json = Annotated[bool, Parameter(negative=(), help="Print JSON on standard output.")]


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write("\n")


def print_rich(*renderables: Any) -> None:
    """Tables and text on standard output; plain where it is not a terminal."""
    out = Console(file=sys.stdout, highlight=False)
    for renderable in renderables:
        out.print(renderable)
