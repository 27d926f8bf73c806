"""The grammar of corpus specs, and the pinned starter list."""

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from cleartitle.code import LANGUAGES
from cleartitle.corpus.documents import Source
from cleartitle.corpus.options import CorpusOptions
from cleartitle.corpus.readers import (
    plan_debian,
    plan_folder,
    plan_git,
    plan_github,
    plan_jsonl,
    plan_npm,
    plan_parquet,
    plan_pypi,
    plan_wheel,
)
from cleartitle.errors import InputError

__all__ = ["SPECS", "STARTERS", "Pin", "Spec", "languages_of", "parse_specs", "starter_pins"]

STARTERS = {
    "starter": "python",
    "starter-c": "c",
    "starter-cpp": "cpp",
    "starter-java": "java",
    "starter-csharp": "csharp",
}
"""Names of the starter lists, each with its language."""

SPECS = """\
starter               a pinned list of Python wheels whose licenses cover all classes
starter-LANGUAGE      such a list of C, C++ (cpp), Java or C# (csharp) sources
pypi:NAME==VERSION    a wheel from the package registry, read as data
debian:NAME=VERSION   a Debian source package, with the license of each file
npm:NAME@VERSION      a package of the npm registry
github:OWNER/NAME@REVISION
                      a GitHub repository at a branch, tag or commit
github:license=KEY,language=NAME,limit=N,stars=N
                      GitHub repositories by license and language
wheel:PATH            a wheel file
git:PATH@REVISION     a local git repository at a branch, tag or commit (default HEAD)
folder:PATH           a folder with the sources of one project
jsonl:PATH            a data set in JSON lines (.jsonl, .jsonl.gz, .jsonl.zst)
parquet:PATH          a data set in Parquet, one file or a folder of them
PATH                  one of the above, by what stands there"""
"""Help text of the spec grammar."""


@dataclass(frozen=True)
class Pin:
    """One package of a starter list; ``license`` and ``license_class`` are for people, the build finds its own.

    ``digest`` is the SHA-256 of a wheel or of the ``.dsc`` of a source package, or the integrity of an npm package.
    """

    name: str
    version: str
    digest: str
    license: str
    license_class: str
    kind: str = "pypi"
    suite: str | None = None
    """The Debian release that holds the version."""


@dataclass(frozen=True)
class Spec:
    """One source that is still to be planned: its text, how to plan it, and the language that it is about, if one."""

    text: str
    plan: Callable[[CorpusOptions], Source]
    language: str | None = None


@cache
def starter_pins(name: str = "starter") -> tuple[Pin, ...]:
    """A starter list (package data), by one of the names in ``STARTERS``."""
    text = resources.files("cleartitle.corpus").joinpath("starters", f"{name}.toml").read_text(encoding="utf-8")
    tables: dict[str, list[dict[str, str]]] = tomllib.loads(text)
    return tuple(
        Pin(**{_RENAMED.get(name, name): value for name, value in entry.items()}, kind=kind)
        for kind in tables
        for entry in tables[kind]
    )


def languages_of(specs: Sequence[Spec]) -> tuple[str, ...]:
    """The languages to keep where none is named: those of starter lists and searches, else Python."""
    return tuple(dict.fromkeys(spec.language for spec in specs if spec.language)) or ("python",)


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
    if text in STARTERS:
        return [_pinned(pin, STARTERS[text]) for pin in starter_pins(text)]
    kind, colon, argument = text.partition(":")
    if not colon or not re.fullmatch(r"[a-z]{3,8}", kind) or kind not in _PLANS:
        if colon and re.fullmatch(r"[a-z]{3,8}", kind) and not Path(text).exists():
            raise InputError(f"{text}: unknown kind {kind!r}; mend: one of\n{SPECS}")
        kind, argument = _kind_of(Path(text)), text
    if not argument:
        raise InputError(f"{text}: nothing after the colon; mend: one of\n{SPECS}")
    return [_spec(kind, one) for one in _files(kind, argument)]


def _spec(kind: str, argument: str) -> Spec:
    # A search that names a language asks for it to be kept.
    named = re.search(r"(?:^|,)language=([a-z]+)", argument) if kind == "github" else None
    language = named[1] if named and named[1] in LANGUAGES else None
    return Spec(f"{kind}:{argument}", lambda options: _PLANS[kind](argument, options), language)


def _files(kind: str, argument: str) -> list[str]:
    """A data set in a folder is each of its files."""
    if kind not in ("jsonl", "parquet") or not Path(argument).is_dir():
        return [argument]
    suffixes = _JSONL if kind == "jsonl" else (".parquet",)
    found = sorted(str(path) for path in Path(argument).rglob("*") if path.is_file() and path.name.endswith(suffixes))
    if not found:
        raise InputError(f"{kind}:{argument}: no such files in the folder ({', '.join(suffixes)})")
    return found


def _pinned(pin: Pin, language: str) -> Spec:
    argument, plan = f"{pin.name}=={pin.version}", plan_pypi
    if pin.kind == "debian":
        argument, plan = f"{pin.name}={pin.version}" + (f"/{pin.suite}" if pin.suite else ""), plan_debian
    elif pin.kind == "npm":
        argument, plan = f"{pin.name}@{pin.version}", plan_npm
    return Spec(f"{pin.kind}:{argument}", lambda options: plan(argument, options, pin.digest), language)


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
    "debian": plan_debian,
    "npm": plan_npm,
    "wheel": lambda argument, options: plan_wheel(Path(argument), options),
    "git": plan_git,
    "github": plan_github,
    "folder": lambda argument, options: plan_folder(Path(argument), options),
    "jsonl": lambda argument, options: plan_jsonl(Path(argument), options),
    "parquet": lambda argument, options: plan_parquet(Path(argument), options),
}
_RENAMED = {"sha256": "digest", "integrity": "digest"}
_JSONL = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson")
