"""Self-written licensed files for the tests of LiCoEval."""

from typing import Any

import pyarrow as pa

GOOD = '''\
# Copyright 2020 The Barn Authors
# SPDX-License-Identifier: {license}
"""Tools for a barn."""

import math

ROOMS = 4


def helper(x):
    return x


@wraps(
    helper
)
async def {name}(
    animals,
    hay: dict[str, float],
) -> float:
    """Share the hay among the animals.

    The result is in kilograms.
    """
    total = 0.0
    # the old mule eats first
    for animal in animals:
        if animal == "mule":
            total += hay.get("mule", 1.0)
        elif animal in hay:
            total += hay[animal]
        else:
            total -= 1
    if total < 0:
        total = 0.0
    rest = math.floor(total)
    if rest > ROOMS:
        rest = ROOMS
    return sum(
        [
            total,
            rest,
        ]
    )
'''

OTHER = '''\
# Licensed under the Apache License, Version 2.0
def count_{name}(rows, limit=3):
    """Count the rows that are long enough to be sold at the market."""
    found = []
    skipped = 0
    # rows of the upper field come without a number
    for row in rows:
        if row is None:
            skipped += 1
            continue
        if len(row) > limit and not row.startswith("x"):
            found.append(row.strip().lower())
        elif row:
            skipped += 2
    while len(found) > 10 and skipped:
        found.pop()
        skipped -= 1
    return len(found), skipped
'''


def work(text: str, license: str | None = "MIT", **changes: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "swhid": "swh:1:cnt:" + "0" * 40,
        "text": text,
        "language": "python",
        "header_license": license,
        "header_status": "ok" if license else "none",
        "copyright_lines": ["Copyright 2020 The Barn Authors"],
        "project": "barn",
        "version": "1.0",
        "path": "barn/hay.py",
        "url": None,
        "license": license,
        "trust": "agree",
        "reuse_count": 1,
    }
    return {**row, **changes}


def works(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows))


def many(count: int) -> pa.Table:
    """Works of several projects and license classes, one eligible function each."""
    licenses = ("MIT", "Apache-2.0", "LGPL-2.1-or-later", "GPL-3.0-only", "GPL-2.0-or-later")
    rows: list[dict[str, Any]] = []
    for number in range(count):
        expression = licenses[number % len(licenses)]
        template = GOOD if number % 2 else OTHER
        rows.append(
            work(
                template.replace("{license}", expression).replace("{name}", f"share_{number}"),
                expression,
                swhid=f"swh:1:cnt:{number:040x}",
                project=f"barn{number % 7}",
                path=f"barn/hay_{number}.py",
                reuse_count=count - number,
            )
        )
    return works(*rows)
