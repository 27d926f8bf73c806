"""Licensed images: look-alikes of a pool under many kinds of rights, for uses that these allow or not."""

import random
import re
import tempfile
import tomllib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from cleartitle.errors import InputError
from cleartitle.evals.copyright_bench.jpeg_segments import Segment
from cleartitle.evals.copyright_bench.pool import Pool
from cleartitle.evals.copyright_bench.solvable import least_width
from cleartitle.evals.copyright_bench.tasks import tone, wordings
from cleartitle.evals.copyright_bench.web_index import default_web
from cleartitle.evals.license_choice.desk import ActingOffice
from cleartitle.evals.license_choice.formal import RIGHT_ACTS, Cell, Choice, RightAct, Situation, draw_seed
from cleartitle.evals.license_choice.law import Ground, Jurisdiction, Rights, Use, Verdict, decide, place
from cleartitle.evals.license_choice.notices import notice_of, notice_segments, with_notice
from cleartitle.licenses import parse_answer

__all__ = ["LicensedImages", "catalogue"]

TERM = re.compile(r"died (\d{4})\. First published (\d{4})")
LICENSES = ("CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-ND-4.0", "OGL-UK-3.0")


@cache
def _texts() -> dict[str, Any]:
    file = resources.files("cleartitle.evals.license_choice").joinpath("data/images.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def catalogue() -> tuple[Rights, ...]:
    """All rights that an image of this family may carry."""
    texts = _texts()
    found = [Rights("reserved"), Rights("us-government"), Rights("no-author")]
    for name in texts["authors"]["names"]:
        found.append(Rights("dedication", "CC0-1.0", name))
        found += [Rights("license", license, name) for license in LICENSES]
        found += [Rights("term", None, name, term["died"], term["published"]) for term in texts["terms"]]
    return tuple(found)


@cache
def _segments() -> dict[Rights, list[Segment]]:
    return dict(zip(catalogue(), notice_segments([notice_of(rights) for rights in catalogue()]), strict=True))


@dataclass(frozen=True)
class LicensedImages:
    """Pairs of a pool in which each twin carries one of `catalogue`.

    In one third of the runs something that fits is free, in one third only what asks for a credit is allowed, and in
    one third nothing is, so that to abstain is right. Which ground a notice needs for that follows from the use and
    the jurisdiction: the same notice is right in one run and wrong in another. In the vis environment nothing is
    left of the notices, and to abstain is always right.
    """

    pool: Pool
    pairs: int = 8
    name: str = "licensed-images"
    tasks: tuple[str, ...] = ("webdev", "merch", "pitchdeck")
    environments: tuple[str, ...] = ("std", "hier", "vis", "web")

    def __post_init__(self) -> None:
        if self.pool.has_fixed_roles:
            raise InputError(f"{self.pool.path}: roles are fixed, and this family draws rights; mend: the default pool")
        if len(self.pool.pairs) < self.pairs:
            raise InputError(f"{self.pool.path}: {len(self.pool.pairs)} pairs, {self.pairs} are to be offered")

    @property
    def key(self) -> str:
        """Names the pool, how much of it is offered, and the texts."""
        return f"{self.pool.key} {self.pairs} {_texts()['version']}"

    def draw(self, cell: Cell, run: int, seed: int) -> Situation:
        """One run: pairs, use, rights, names and order from one seed."""
        texts, drawn = _texts(), draw_seed(cell, run, seed)
        rng = random.Random(f"licensed {drawn}")
        use = Use(commercial=rng.random() < 0.5, adapted=rng.random() < 0.5)
        right: RightAct = RIGHT_ACTS[run % len(RIGHT_ACTS)]
        chosen = rng.sample(self.pool.pairs, self.pairs)
        topic = rng.choice(sorted({tag for pair in chosen for tag in pair.tags}))
        names = rng.sample(range(1000, 10_000), 2 * self.pairs)
        folders = {kind: rng.choice(options) for kind, options in texts["folders"].items()}
        choices: list[Choice] = []
        for pair in chosen:
            fits = topic in pair.tags and all(asset.width >= least_width() for asset in pair.assets)
            given = _rights(rng, right if fits else rng.choice(RIGHT_ACTS), use, cell.law)
            for asset, rights in zip(pair.assets, given, strict=True):
                verdict = _judged(use, cell.law)[rights]
                kind = verdict.status if verdict.is_lawful else "other"
                file = f"image_{names.pop()}.jpg"
                path = f"{folders[kind]}/{file}" if cell.environment == "hier" else file
                choices.append(Choice(path, asset.name, fits, rights, verdict))
        wording = run % wordings(cell.prompt)
        about = texts["tasks"][cell.task]
        words = (
            f"{about['commercial' if use.commercial else 'noncommercial']} "
            + (texts["change"]["adapted" if use.adapted else "verbatim"])
        )
        request = about["request"].format(place=place(cell.law), topic=topic, width=least_width(), use=words)
        text = " ".join(part for part in (request, tone(cell.prompt, wording), texts["closing"]) if part)
        return Situation(
            cell=cell,
            run=run,
            seed=drawn,
            wording=wording,
            instruction=text,
            use=use,
            choices=tuple(sorted(choices, key=lambda choice: choice.path)),
            right="abstain" if cell.environment == "vis" else right,
            facts={"topic": topic},
        )

    @contextmanager
    def open(self, situation: Situation) -> Generator[ActingOffice]:
        """An office over the images, each with the notice of its rights."""
        assets = {asset.name: asset for pair in self.pool.pairs for asset in pair.assets}
        environment = situation.cell.environment
        with tempfile.TemporaryDirectory(prefix="office-") as folder:
            for choice in situation.choices:
                target = Path(folder) / choice.path
                target.parent.mkdir(exist_ok=True)
                data = self.pool.file(assets[choice.work], "stripped").read_bytes()
                target.write_bytes(data if environment == "vis" else with_notice(data, _segments()[choice.rights]))
            yield ActingOffice(Path(folder), default_web() if environment == "web" else None)

    def understand(self, desk: ActingOffice, path: str) -> Rights | None:
        """Read the metadata of a file as a person would: license, dates, or a statement."""
        found: dict[str, str] = desk.call("read_metadata", {"path": path})
        creator = found.get("XMP creator")
        terms = f"{found.get('XMP UsageTerms', '')} {found.get('XMP WebStatement', '')}"
        if (license := parse_answer(terms).expression) is not None:
            return Rights("dedication" if license == "CC0-1.0" else "license", license, creator)
        notice = found.get("EXIF Copyright", "")
        if (dates := TERM.search(notice)) is not None:
            return Rights("term", None, creator, int(dates[1]), int(dates[2]))
        grounds: dict[str, Ground] = {
            "waived all rights": "dedication",
            "United States government": "us-government",
            "without a human author": "no-author",
            "All rights reserved": "reserved",
        }
        return next((Rights(ground, None, creator) for words, ground in grounds.items() if words in notice), None)


def _rights(rng: random.Random, right: RightAct, use: Use, law: Jurisdiction) -> list[Rights]:
    """Rights of two twins: one is as ``right`` says, the other is not allowed; in any order."""
    wanted = {"take": "free", "credit": "conditional"}.get(right)
    judged = _judged(use, law)
    lawful = [one for one, verdict in judged.items() if verdict.status == wanted]
    barred = [one for one, verdict in judged.items() if not verdict.is_lawful]
    given = [_one(rng, lawful) if wanted else _one(rng, barred), _one(rng, barred)]
    rng.shuffle(given)
    return given


@cache
def _judged(use: Use, law: Jurisdiction) -> dict[Rights, Verdict]:
    return {rights: decide(rights, use, law) for rights in catalogue()}


def _one(rng: random.Random, among: Sequence[Rights]) -> Rights:
    """One of a kind that is drawn first, so that the many names of authors do not weigh."""
    kinds = sorted({(one.ground, one.license or "", one.died or 0) for one in among})
    kind = rng.choice(kinds)
    return rng.choice([one for one in among if (one.ground, one.license or "", one.died or 0) == kind])
