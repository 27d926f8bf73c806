"""The grammar of corpus specs, and the pinned starter list."""

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from cleartitle.corpus.documents import Source
from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.readers import plan_folder, plan_git, plan_jsonl, plan_parquet, plan_pypi, plan_wheel
from cleartitle.errors import InputError

__all__ = ["SPECS", "Pin", "Spec", "parse_specs", "starter_pins"]

SPECS = """\
starter               a pinned list of wheels whose licenses cover all classes
pypi:NAME==VERSION    a wheel from the package registry, read as data
wheel:PATH            a wheel file
git:PATH@REVISION     a local git repository at a branch, tag or commit (default HEAD)
folder:PATH           a folder with the sources of one project
jsonl:PATH            a data set in JSON lines (.jsonl, .jsonl.gz, .jsonl.zst)
parquet:PATH          a data set in Parquet, one file or a folder of them
PATH                  one of the above, by what stands there"""
"""Help text of the spec grammar."""


@dataclass(frozen=True)
class Pin:
    """One wheel of the starter list; ``license`` and ``license_class`` are for people, the build finds its own."""

    name: str
    version: str
    sha256: str
    license: str
    license_class: str


@dataclass(frozen=True)
class Spec:
    """One source that is still to be planned: its text and how to plan it."""

    text: str
    plan: Callable[[CorpusOptions], Source]


@cache
def starter_pins() -> tuple[Pin, ...]:
    """The starter list (package data ``starter.toml``)."""
    text = resources.files("cleartitle.corpus").joinpath("starter.toml").read_text(encoding="utf-8")
    return tuple(Pin(**entry) for entry in tomllib.loads(text)["wheel"])


def parse_specs(texts: list[str]) -> list[Spec]:
    """The sources that specs name, in order, each once.

    Raises:
        InputError: no spec, an unknown kind, or a bare path that is nothing readable.
    """
    specs: dict[str, Spec] = {}
    for text in texts:
        for spec in _parse(text.strip()):
            specs.setdefault(spec.text, spec)
    if not specs:
        raise InputError(f"no source given; mend: name at least one of\n{SPECS}")
    return list(specs.values())


def _parse(text: str) -> list[Spec]:
    if text == "starter":
        return [_pinned(pin) for pin in starter_pins()]
    kind, colon, argument = text.partition(":")
    if not colon or not re.fullmatch(r"[a-z]{3,8}", kind) or kind not in _PLANS:
        if colon and re.fullmatch(r"[a-z]{3,8}", kind) and not Path(text).exists():
            raise InputError(f"{text}: unknown kind {kind!r}; mend: one of\n{SPECS}")
        kind, argument = _kind_of(Path(text)), text
    if not argument:
        raise InputError(f"{text}: nothing after the colon; mend: one of\n{SPECS}")
    return [_spec(kind, one) for one in _files(kind, argument)]


def _spec(kind: str, argument: str) -> Spec:
    return Spec(f"{kind}:{argument}", lambda options: _PLANS[kind](argument, options))


def _files(kind: str, argument: str) -> list[str]:
    """A data set in a folder is each of its files."""
    if kind not in ("jsonl", "parquet") or not Path(argument).is_dir():
        return [argument]
    suffixes = _JSONL if kind == "jsonl" else (".parquet",)
    found = sorted(str(path) for path in Path(argument).rglob("*") if path.is_file() and path.name.endswith(suffixes))
    if not found:
        raise InputError(f"{kind}:{argument}: no such files in the folder ({', '.join(suffixes)})")
    return found


def _pinned(pin: Pin) -> Spec:
    argument = f"{pin.name}=={pin.version}"
    return Spec(f"pypi:{argument}", lambda options: plan_pypi(argument, options, pin.sha256))


def _kind_of(path: Path) -> str:
    name = path.name.lower()
    if path.is_dir():
        if (path / "HEAD").is_file() and (path / "objects").is_dir():
            return "git"
        entries = [entry.suffix.lower() for entry in path.iterdir() if entry.is_file()]
        return "parquet" if entries and set(entries) == {".parquet"} else "folder"
    if path.is_file():
        if name.endswith(_JSONL):
            return "jsonl"
        if name.endswith((".parquet", ".whl")):
            return "parquet" if name.endswith(".parquet") else "wheel"
    if not path.exists():
        raise InputError(f"{path}: no such file or folder; mend: a path, or one of\n{SPECS}")
    raise InputError(f"{path}: not a folder, wheel, JSONL or Parquet file; mend: one of\n{SPECS}")


_PLANS: dict[str, Callable[[str, CorpusOptions], Source]] = {
    "pypi": plan_pypi,
    "wheel": lambda argument, options: plan_wheel(Path(argument), options),
    "git": plan_git,
    "folder": lambda argument, options: plan_folder(Path(argument), options),
    "jsonl": lambda argument, options: plan_jsonl(Path(argument), options),
    "parquet": lambda argument, options: plan_parquet(Path(argument), options),
}
_JSONL = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson")
