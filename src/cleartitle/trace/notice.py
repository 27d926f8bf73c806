"""A THIRD-PARTY-NOTICES text: what the licenses of matched works ask to be passed on."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from cleartitle.licenses import OBLIGATIONS
from cleartitle.trace.license_store import LicenseText, LicenseTexts
from cleartitle.trace.matches import Match, Result

__all__ = ["Notice", "make_notice"]

RULE = "=" * 80
THIN = "-" * 80


@dataclass(frozen=True)
class Notice:
    """The text, how many works it names, and the works for whose license the index holds no text."""

    text: str
    works: int
    without_text: tuple[str, ...]
    left_out: int


@dataclass
class _Work:
    project: str
    version: str | None
    licenses: dict[str, None] = field(default_factory=dict[str, None])
    copyrights: dict[str, None] = field(default_factory=dict[str, None])
    duties: dict[str, None] = field(default_factory=dict[str, None])
    origins: dict[tuple[str, str], Match] = field(default_factory=dict[tuple[str, str], Match])

    @property
    def name(self) -> str:
        return f"{self.project} {self.version}" if self.version else self.project


def make_notice(results: Iterable[Result], texts: LicenseTexts, *, common: bool = False) -> Notice:
    """A notice for the works that ``results`` match.

    Works stand by project and version, with license, copyright lines, what was matched where, and the license texts
    that the index holds; a text that several works share is printed once. Matches of words that many projects share
    are left out and counted, unless ``common``. A work without a text in the index is named as such: the notice is
    then not complete. Equal matches give an equal text.

    The notice passes on what the corpus says. It does not establish that the license is right, that the words are
    protected, or that a notice is all that the license asks for.
    """
    works: dict[tuple[str, str], _Work] = {}
    left_out = 0
    for result in results:
        for match in result.matches:
            if match.common and not common:
                left_out += 1
                continue
            work = works.setdefault((match.project, match.version or ""), _Work(match.project, match.version))
            work.licenses[match.license or "unknown license"] = None
            work.copyrights.update(dict.fromkeys(_clean(line) for line in match.copyright_lines))
            work.duties.update(dict.fromkeys(match.obligations))
            work.origins[result.path or "text", match.path] = match
    ordered = [works[key] for key in sorted(works)]
    numbered: dict[str, tuple[int, LicenseText]] = {}
    blocks: list[str] = []
    missing: list[str] = []
    for work in ordered:
        found = _texts_of(work, texts)
        numbers: list[int] = []
        for item in found:
            number, _ = numbered.setdefault(item.text.strip(), (len(numbered) + 1, item))
            numbers.append(number)
        if not found:
            missing.append(f"{work.name} ({', '.join(work.licenses)})")
        blocks.append(_block(work, list(dict.fromkeys(numbers))))
    parts = [_head(len(ordered)), *blocks, *_license_parts(numbered), *_gaps(missing)]
    return Notice("\n".join(parts).rstrip() + "\n", len(ordered), tuple(missing), left_out)


def _texts_of(work: _Work, texts: LicenseTexts) -> list[LicenseText]:
    """The texts of all matched files of a work; none if one of them has none."""
    found: dict[str, LicenseText] = {}
    for match in work.origins.values():
        here = texts.of(work.project, work.version, match.path, match.license)
        if not here:
            return []
        for item in here:
            found.setdefault(item.text.strip(), item)
    return list(found.values())


def _head(works: int) -> str:
    count = "1 work" if works == 1 else f"{works} works"
    return (
        "THIRD-PARTY NOTICES\n\n"
        f"This software holds text that also stands in {count} of other authors, listed below with\n"
        "license and copyright as the sources state them. Shared words do not show who copied\n"
        "from whom. This list is no legal advice.\n"
    )


def _block(work: _Work, numbers: list[int]) -> str:
    lines = [RULE, work.name, f"License: {'; '.join(work.licenses)}"]
    links = dict.fromkeys(match.permalink for match in work.origins.values() if match.permalink)
    lines += [f"Source: {_clean(link)}" for link in links]
    lines += [f"  {line}" for line in work.copyrights] or ["  (the matched files name no holder)"]
    lines += [f"Used in {_clean(here)}: {_clean(there)}" for here, there in work.origins]
    doubts = dict.fromkeys(match.conflict for match in work.origins.values() if match.conflict)
    lines += [f"To be checked: {_clean(doubt)}" for doubt in doubts]
    lines += [f"The license asks for: {', '.join(duty for duty in OBLIGATIONS if duty in work.duties)}"] * bool(
        work.duties
    )
    named = ", ".join(f"[{number}]" for number in numbers)
    lines.append(f"License text: {named}" if numbers else "License text: NOT FOUND in the index; to be added by hand")
    return "\n".join(lines) + "\n"


def _license_parts(numbered: dict[str, tuple[int, LicenseText]]) -> list[str]:
    parts: list[str] = []
    for text, (number, item) in numbered.items():
        version = f" {item.version}" if item.version else ""
        lent = ", which has the same license" if item.borrowed else ""
        parts.append(f"{RULE}\n[{number}] {item.path} of {item.project}{version}{lent}\n{THIN}\n{_body(text)}\n")
    return parts


def _gaps(missing: list[str]) -> list[str]:
    if not missing:
        return []
    return [f"{RULE}\nNo license text was found for:\n" + "\n".join(f"  {name}" for name in missing) + "\n"]


def _body(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join("".join(sign for sign in line if sign.isprintable() or sign == "\t").rstrip() for line in lines)


def _clean(text: str) -> str:
    """One line without control signs."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
