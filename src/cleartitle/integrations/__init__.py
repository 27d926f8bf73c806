"""Cleartitle inside other tools. Nothing here is imported by the rest; each tool loads its own module.

`inspect_registry` is what Inspect AI finds (extra ``inspect``).
"""

__all__: list[str] = []
