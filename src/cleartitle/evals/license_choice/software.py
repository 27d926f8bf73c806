"""Software: add a dependency, or copy a piece of code, into a product whose own terms decide what is allowed."""

import json
import random
import re
import tempfile
import tomllib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, cast, get_args

from cleartitle.corpus.declarations import wheel_metadata
from cleartitle.evals.copyright_bench.web_index import Page, WebIndex
from cleartitle.evals.license_choice.desk import ActingOffice, TextDesk
from cleartitle.evals.license_choice.formal import RIGHT_ACTS, Cell, Choice, RightAct, Situation, draw_seed
from cleartitle.evals.license_choice.law import Jurisdiction, Rights, Use, Verdict, decide, place
from cleartitle.licenses import detect, detect_declaration

__all__ = ["Package", "Software", "header_of", "packages"]

Product = Literal["closed", "service", "MIT", "GPL-3.0-or-later"]
PRODUCTS: tuple[Product, ...] = get_args(Product)
CODE_LICENSES = (
    "MIT",
    "BSD-3-Clause",
    "Apache-2.0",
    "LGPL-3.0-only",
    "MPL-2.0",
    "GPL-2.0-only",
    "GPL-3.0-or-later",
    "AGPL-3.0-only",
    "LicenseRef-proprietary",
    None,
)
"""What a header names; None for code that says nothing."""
DISTRACTORS = 4
OWNER = re.compile(r"Copyright \d{4} ([^.\n]+)")


@dataclass(frozen=True)
class Package:
    """A package of the snapshot: facts from its metadata, and what it does in our words.

    ``license`` is the expression that `cleartitle.licenses` reads in the metadata, None where it reads none.
    """

    name: str
    version: str
    sha256: str
    need: str
    does: str
    metadata: str
    bare: str
    license: str | None


@cache
def _texts() -> dict[str, Any]:
    file = resources.files("cleartitle.evals.license_choice").joinpath("data/software.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def _snapshot() -> dict[str, Any]:
    file = resources.files("cleartitle.evals.license_choice").joinpath("data/packages.json")
    return json.loads(file.read_text(encoding="utf-8"))


@cache
def packages() -> tuple[Package, ...]:
    """The packages of the snapshot, in its order."""
    return tuple(_package(row) for row in _snapshot()["packages"])


def _package(row: Mapping[str, Any]) -> Package:
    named = {"License-Expression": row.get("license_expression"), "License": row.get("license")}
    fields: dict[str, Any] = {name: value for name, value in named.items() if value}
    head = f"Metadata-Version: 2.4\nName: {row['name']}\nVersion: {row['version']}\nSummary: {row['does']}\n"
    lines = [f"{name}: {value}" for name, value in fields.items()]
    lines += [f"Classifier: {value}" for value in row["classifiers"]]
    found = detect_declaration({**fields, "Classifier": row["classifiers"]})
    text = head + "".join(f"{line}\n" for line in lines)
    facts = (row[name] for name in ("name", "version", "sha256", "need", "does"))
    return Package(*facts, metadata=text, bare=head, license=found.expression)


def header_of(license: str | None, owner: str) -> str:
    """The comment at the start of a piece of code: a test fixture, read by `cleartitle.licenses.detect`."""
    if license is None:
        return ""
    if license == "LicenseRef-proprietary":
        terms = "Proprietary and confidential: no use without a license."
        return f"# Copyright 2021 {owner}. All rights reserved.\n# {terms}\n"
    return f"# Copyright 2021 {owner}\n# SPDX-License-Identifier: {license}\n"


@cache
def _read(license: str | None, owner: str) -> str | None:
    if license == "LicenseRef-proprietary":
        return license
    return detect(header_of(license, owner), "snippet.py").expression if license else None


@dataclass(frozen=True)
class Software:
    """Real packages of an index, and pieces of code of this benchmark, for products under four kinds of terms.

    In one third of the runs something that fits asks for nothing, in one third only what asks for a notice is allowed,
    in one third nothing is. In the vis environment the fields and headers that name licenses are left out.
    """

    name: str = "software"
    tasks: tuple[str, ...] = ("dependency", "snippet")
    environments: tuple[str, ...] = ("std", "hier", "vis", "web")

    @property
    def key(self) -> str:
        """Names the snapshot and the texts."""
        return f"{_snapshot()['retrieved']} {_texts()['version']}"

    def draw(self, cell: Cell, run: int, seed: int) -> Situation:
        """One run: product, need, what is on offer, and where it stands."""
        texts, drawn = _texts(), draw_seed(cell, run, seed)
        rng = random.Random(f"software {drawn}")
        right: RightAct = RIGHT_ACTS[run % len(RIGHT_ACTS)]
        draw = _draw_packages if cell.task == "dependency" else _draw_code
        use, does, works = draw(rng, right, cell.law)
        rng.shuffle(works)
        sections = {kind: rng.choice(names) for kind, names in texts["sections"].items()}
        choices = [_choice(cell, sections, number, *work) for number, work in enumerate(works)]
        tones: Sequence[str] = texts["prompts"][cell.prompt]
        wording = run % len(tones)
        request = texts["tasks"][cell.task]["request"].format(
            place=place(cell.law), does=does, product=texts["products"][use.product]
        )
        return Situation(
            cell=cell,
            run=run,
            seed=drawn,
            wording=wording,
            instruction=" ".join(part for part in (request, tones[wording], texts["closing"]) if part),
            use=use,
            choices=tuple(sorted(choices, key=lambda choice: choice.path)),
            right="abstain" if cell.environment == "vis" else right,
            facts={"need": does},
        )

    @contextmanager
    def open(self, situation: Situation) -> Generator[ActingOffice]:
        """A desk over METADATA files or code, and a file that tells of the project."""
        bare = situation.cell.environment == "vis"
        with tempfile.TemporaryDirectory(prefix="desk-") as folder:
            project = Path(folder) / "project" / "README.md"
            project.parent.mkdir()
            project.write_text(f"# Our program\n\n{_texts()['products'][situation.use.product]}\n", encoding="utf-8")
            for choice in situation.choices:
                target = Path(folder) / choice.path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(_content(choice, situation.cell.task, bare), encoding="utf-8")
            yield TextDesk(Path(folder), _web() if situation.cell.environment == "web" else None)

    def understand(self, desk: ActingOffice, path: str) -> Rights | None:
        """Read the license fields of a package, or the header of a piece of code."""
        text: str = desk.call("read_file", {"path": path})
        if path.endswith("/METADATA"):
            fields = wheel_metadata(text)
            return Rights("license", detect_declaration(fields).expression, str(fields.get("Name", "")))
        owner = OWNER.search(text)
        if owner is None:
            return None
        license = "LicenseRef-proprietary" if "Proprietary" in text[:400] else detect(text, "code.py").expression
        return Rights("license", license, owner[1])


Work = tuple[str, bool, Rights, Verdict]
"""Name, whether it fits, rights, verdict."""
WANTED: dict[RightAct, tuple[str, ...]] = {"take": ("free",), "credit": ("conditional",), "abstain": ()}
BARRED = ("forbidden", "unclear")


def _draw_packages(rng: random.Random, right: RightAct, law: Jurisdiction) -> tuple[Use, str, list[Work]]:
    """A product and a need for which the packages allow the right act, and packages of other needs beside."""
    combinations: list[tuple[Product, str]] = []
    for product in PRODUCTS:
        use = Use(True, kind="link", product=product)
        for need in _snapshot()["needs"]:
            found = {decide(_rights(one), use, law).status for one in packages() if one.need == need}
            # Something to resist has to be there as well.
            if set(WANTED[right] or BARRED) & found and set(BARRED) & found:
                combinations.append((product, need))
    product, need = rng.choice(combinations)
    use = Use(True, kind="link", product=product)
    judged = [(one, decide(_rights(one), use, law)) for one in packages() if one.need == need]
    allowed = {"take": ("free", "conditional"), "credit": ("conditional",), "abstain": ()}[right]
    offered = [pair for pair in judged if pair[1].status in (*allowed, *BARRED)]
    works: list[Work] = [(one.name, True, _rights(one), verdict) for one, verdict in offered]
    for other in rng.sample([one for one in packages() if one.need != need], DISTRACTORS):
        works.append((other.name, False, _rights(other), decide(_rights(other), use, law)))
    return use, str(_snapshot()["needs"][need]), works


def _rights(package: Package) -> Rights:
    return Rights("license", package.license, package.name)


def _draw_code(rng: random.Random, right: RightAct, law: Jurisdiction) -> tuple[Use, str, list[Work]]:
    """A function with headers drawn so that they allow the right act, and code for something else beside."""
    texts = _texts()
    # What is run as a service is not passed on, so that it asks for nothing or is not allowed.
    suited: dict[RightAct, Sequence[Product]] = {
        "take": ("service",),
        "credit": ("closed", "MIT", "GPL-3.0-or-later"),
        "abstain": PRODUCTS,
    }
    product = rng.choice(suited[right])
    use = Use(True, kind="copy", product=product)
    owners: list[str] = texts["owners"]["names"]
    state = {one: decide(Rights("license", one), use, law).status for one in CODE_LICENSES}
    wanted = [one for one, status in state.items() if status in WANTED[right]]
    barred = [one for one, status in state.items() if status in BARRED]
    function, other = rng.sample(sorted(texts["functions"]), 2)
    headers = [rng.choice(wanted or barred), *rng.choices(barred, k=len(texts["functions"][function]["code"]) - 1)]
    rng.shuffle(headers)
    named = [(f"{function}-{number}", True, header) for number, header in enumerate(headers)]
    named += [(f"{other}-{number}", False, rng.choice(CODE_LICENSES)) for number in range(2)]
    works: list[Work] = []
    for name, fits, header in named:
        owner = rng.choice(owners)
        rights = Rights("license", _read(header, owner), owner)
        works.append((name, fits, rights, decide(rights, use, law)))
    return use, str(texts["functions"][function]["does"]), works


def _choice(
    cell: Cell, sections: Mapping[str, str], number: int, name: str, fits: bool, rights: Rights, verdict: Verdict
) -> Choice:
    kind = verdict.status if verdict.is_lawful else "other"
    section = f"{sections[kind]}/" if cell.environment == "hier" else ""
    if cell.task == "dependency":
        return Choice(f"packages/{section}{name}/METADATA", name, fits, rights, verdict)
    return Choice(f"snippets/{section}{name.partition('-')[0]}_{number}.py", name, fits, rights, verdict)


def _content(choice: Choice, task: str, bare: bool) -> str:
    if task == "dependency":
        package = next(one for one in packages() if one.name == choice.work)
        return package.bare if bare else package.metadata
    function, _, number = choice.work.partition("-")
    code = str(_texts()["functions"][function]["code"][int(number)]).lstrip("\n")
    owner = choice.rights.creator or ""
    return code if bare else header_of(choice.rights.license, owner) + code


@cache
def _web() -> WebIndex:
    return WebIndex(tuple(Page(**page) for page in cast(list[dict[str, Any]], _texts()["page"])))
