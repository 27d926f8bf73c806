"""Shared by all tests."""

from hypothesis import settings

# A busy machine may take any time for one example; tests of speed measure processor time themselves.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
