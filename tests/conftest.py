"""Shared by all tests."""

from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine may take any time for one example; tests of speed measure processor time themselves.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

REFERENCE = Path(__file__).resolve().parents[1].parent / "shared" / "reference"


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder of reference values beside the checkout; skips where it is absent."""
    if not REFERENCE.is_dir():
        pytest.skip("reference values are not beside this checkout")
    return REFERENCE
