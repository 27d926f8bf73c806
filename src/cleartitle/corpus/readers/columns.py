"""Which column of a data set holds what: known data sets are recognized by their columns, the rest by names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cleartitle.errors import InputError

__all__ = ["ROLES", "Columns", "recognize"]

ROLES: dict[str, tuple[str, ...]] = {
    "content": ("content", "text", "whole_func_string", "original_string", "func_code_string", "code", "source_code"),
    "path": ("path", "max_stars_repo_path", "func_path_in_repository", "file_path", "filename"),
    "project": ("repo_name", "max_stars_repo_name", "repository_name", "repo", "project"),
    "license": ("license", "detected_licenses", "max_stars_repo_licenses", "gha_license_id", "licenses"),
    "language": ("language", "lang", "programming_language"),
    "blob_id": ("blob_id", "hexsha"),
    "encoding": ("src_encoding", "encoding"),
    "revision": ("revision_id", "max_stars_repo_head_hexsha", "sha", "commit"),
    "date": ("revision_date", "committer_date"),
    "reuse": ("copies",),
    "url": ("func_code_url", "url"),
}
"""Roles with the column names that may hold them, first one first."""

# A data set is the first whose columns are all there.
_KNOWN: tuple[tuple[str, frozenset[str]], ...] = (
    ("The Stack v2", frozenset({"blob_id", "repo_name", "detected_licenses"})),
    ("The Stack v1", frozenset({"hexsha", "max_stars_repo_name", "max_stars_repo_path"})),
    ("StarCoderData", frozenset({"max_stars_repo_name", "max_stars_repo_path", "id"})),
    ("codeparrot-clean", frozenset({"repo_name", "path", "copies", "license", "hash"})),
    ("CodeSearchNet", frozenset({"repository_name", "func_path_in_repository"})),
    ("CodeSearchNet (raw)", frozenset({"repo", "path", "func_name", "original_string"})),
    ("github-code", frozenset({"code", "repo_name", "path", "language", "license"})),
)


@dataclass(frozen=True)
class Columns:
    """The recognized data set and the column of each role that it has."""

    data_set: str
    roles: Mapping[str, str]

    def line(self) -> str:
        """One line for people."""
        found = " ".join(f"{role}={column}" for role, column in self.roles.items())
        absent = " ".join(role for role in ("path", "project", "license") if role not in self.roles)
        return f"{self.data_set}: {found}" + (f"; no column for {absent}" if absent else "")

    def names(self) -> list[str]:
        """The columns to read."""
        return list(dict.fromkeys(self.roles.values()))


def recognize(names: Iterable[str], overrides: Mapping[str, str], label: str) -> Columns:
    """Assign columns to roles; ``overrides`` win.

    Raises:
        InputError: an override names an unknown role or an absent column, or no column holds the content.
    """
    present = list(names)
    shown = ", ".join(present[:40]) or "(none)"
    roles: dict[str, str] = {}
    for role, column in overrides.items():
        if role not in ROLES:
            raise InputError(f"column override {role}={column}: no such role; mend: one of {', '.join(ROLES)}")
        if column not in present:
            raise InputError(f"{label}: no column {column!r}; mend: one of {shown}")
    for role, aliases in ROLES.items():
        column = overrides.get(role) or _first(aliases, present)
        if column:
            roles[role] = column
    data_set = next((name for name, marks in _KNOWN if marks <= set(present)), "data set")
    if "content" not in roles:
        why = "The Stack v2 comes without contents: fetch them by blob_id, then " if data_set == "The Stack v2" else ""
        raise InputError(f"{label}: no column with the content; mend: {why}name it with content=COLUMN, one of {shown}")
    return Columns(data_set, roles)


def _first(aliases: Sequence[str], present: Sequence[str]) -> str | None:
    return next((name for name in aliases if name in present), None)
