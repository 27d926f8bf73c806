"""Score ``parse_answer`` on sets of labeled phrasings: ``python benchmarks/license_answers.py [SET.jsonl …]``.

Prints n, correct and the Wilson 95 % interval per set for status and expression together, and for the class alone.
``--wrong`` also prints the phrasings that were read wrong.
"""

import argparse
import json
import math
from pathlib import Path

from cleartitle.licenses import classify, parse_answer

DATA = Path(__file__).parent.parent / "tests" / "licenses" / "data"


def same(left: str | None, right: str | None) -> bool:
    """Equal, or the same choice in another order."""
    if left is None or right is None:
        return left == right
    return left == right or (" AND " not in left and sorted(left.split(" OR ")) == sorted(right.split(" OR ")))


def wilson(correct: int, n: int) -> tuple[float, float]:
    """Wilson 95 % interval of a share."""
    z = 1.959964
    center = (correct + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(correct * (n - correct) / n + z * z / 4)
    return center - half, center + half


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", type=Path, default=sorted(DATA.glob("answers_*.jsonl")))
    parser.add_argument("--wrong", action="store_true", help="print what was read wrong")
    options = parser.parse_args()
    for path in options.sets:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        right = classes = 0
        for row in rows:
            answer = parse_answer(row["text"])
            good = answer.status == row["status"] and same(answer.expression, row["expression"])
            right += good
            classes += classify(answer.expression) == classify(row["expression"])
            if options.wrong and not good:
                print(f"  {row['text'][:120]!r}: want {row['status']} {row['expression']}, got {answer}")
        low, high = wilson(right, len(rows))
        print(f"{path.name}: {right} of {len(rows)} = {right / len(rows):.1%} (95 % {low:.1%} to {high:.1%}), ", end="")
        print(f"class right {classes} of {len(rows)}")


if __name__ == "__main__":
    main()
