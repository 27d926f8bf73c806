"""What a team accepts: own projects, ignored paths and licenses, a policy per class, and a baseline of findings."""

import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from cleartitle.errors import InputError
from cleartitle.files import canonical_json, read_json, write_json
from cleartitle.licenses import CLASSES
from cleartitle.trace.matches import Match, Result

__all__ = ["ACTIONS", "Baseline", "Policy", "finding_id", "load_policy"]

Action = Literal["allow", "warn", "deny"]
ACTIONS = ("allow", "warn", "deny")
UNKNOWN = "unknown"

DEFAULT_ACTIONS: dict[str, Action] = {
    "public_domain": "allow",
    "permissive": "warn",
    "weak_copyleft": "deny",
    "strong_copyleft": "deny",
    "restricted": "deny",
    UNKNOWN: "warn",
}
"""A permissive license asks for its notice, so it is shown; it does not fail a check."""

FILE_NAME = ".cleartitle.toml"


@dataclass(frozen=True)
class Policy:
    """Rules over matches, from the table ``[trace]`` of ``.cleartitle.toml``.

    ``own_projects``, ``ignore_paths`` (paths of queries) and ``ignore_licenses`` are patterns with ``*`` and ``?``.
    ``index`` is the index that is searched when none is named, seen from the folder of the file. ``actions`` holds
    ``allow``, ``warn`` or ``deny`` per license class and for ``unknown``.
    """

    own_projects: tuple[str, ...] = ()
    ignore_paths: tuple[str, ...] = ()
    ignore_licenses: tuple[str, ...] = ()
    index: Path | None = None
    actions: dict[str, Action] = field(default_factory=lambda: dict(DEFAULT_ACTIONS))

    def action(self, match: Match) -> Action:
        """What the policy says about a match; a common one is never denied."""
        if self.is_own(match) or (match.license and _any(match.license, self.ignore_licenses)):
            return "allow"
        action = self.actions[match.license_class or UNKNOWN]
        return "warn" if match.common and action == "deny" else action

    def is_own(self, match: Match) -> bool:
        """Whether the match comes from a project that the team calls its own."""
        return _any(match.project, self.own_projects)

    def ignores(self, path: str) -> bool:
        """Whether a file is not to be searched for."""
        return _any(path, self.ignore_paths)


def load_policy(path: Path | None, folder: Path | None = None) -> Policy:
    """The policy in ``path``, or in the nearest ``.cleartitle.toml`` at or above ``folder``; else the default.

    Raises:
        InputError: the file cannot be read, or holds a key or value that means nothing.
    """
    if path is None:
        start = (folder or Path.cwd()).resolve()
        found = (parent / FILE_NAME for parent in (start, *start.parents))
        path = next((candidate for candidate in found if candidate.is_file()), None)
        if path is None:
            return Policy()
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("trace", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: cannot be read as TOML ({error})") from None
    known = {"own_projects", "ignore_paths", "ignore_licenses", "index", "policy"}
    if not isinstance(table, dict) or set(table) - known:
        raise InputError(f"{path}: [trace] may hold {', '.join(sorted(known))}; found {_names(table)}")
    lists = {name: _strings(path, name, table.get(name, [])) for name in known - {"index", "policy"}}
    index = table.get("index")
    if index is not None and not isinstance(index, str):
        raise InputError(f"{path}: [trace] index: must be the path of an index")
    actions = dict(DEFAULT_ACTIONS)
    chosen = table.get("policy", {})
    for name, action in chosen.items() if isinstance(chosen, dict) else [("policy", chosen)]:
        if name not in {*CLASSES, UNKNOWN} or action not in ACTIONS:
            raise InputError(
                f"{path}: [trace.policy] {name} = {action!r}; mend: one of {', '.join([*CLASSES, UNKNOWN])} "
                f"with one of {', '.join(ACTIONS)}"
            )
        actions[name] = action
    return Policy(**lists, index=path.parent / index if index else None, actions=actions)


def finding_id(path: str, match: Match) -> str:
    """16 hexadecimal digits that name a copy by its file and its origin, so that it survives edits elsewhere."""
    names = [path, match.project, match.path, match.license]
    return hashlib.sha256(canonical_json(names).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Baseline:
    """Findings that were accepted before: a check names only what is new."""

    accepted: frozenset[str] = frozenset()

    @classmethod
    def load(cls, path: Path) -> "Baseline":
        """Read a baseline file.

        Raises:
            InputError: absent or damaged.
        """
        record: Any = read_json(path)
        if not isinstance(record, dict) or not isinstance(record.get("findings"), dict):
            raise InputError(f"{path}: not a baseline; mend: write one with --write-baseline {path}")
        return cls(frozenset(record["findings"]))

    def holds(self, path: str, match: Match) -> bool:
        """Whether this finding was accepted."""
        return finding_id(path, match) in self.accepted

    @staticmethod
    def write(path: Path, results: Iterable[Result]) -> int:
        """Accept every match of ``results``; returns how many."""
        findings = {
            finding_id(result.path or "", match): {
                "path": result.path,
                "project": match.project,
                "origin": match.path,
                "license": match.license,
            }
            for result in results
            for match in result.matches
        }
        write_json(path, {"findings": dict(sorted(findings.items()))})
        return len(findings)


def _any(text: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)


def _names(table: Any) -> str:
    return ", ".join(sorted(table)) if isinstance(table, dict) else repr(table)


def _strings(path: Path, name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{path}: [trace] {name}: must be a list of strings")
    return tuple(value)
