"""The page on similarity shows what really comes out."""

import doctest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "similarity.md"


def test_every_example_of_the_page_gives_the_output_that_is_shown():
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted >= 12
    assert results.failed == 0
