"""Cleartitle tells what the output of a generative model owes to other people's work.

Each capability is a subpackage with its own public names (``__all__``); this package imports none of them,
so that ``import cleartitle`` costs nothing.
"""

from importlib.metadata import version

__version__ = version("cleartitle")
__all__ = ["__version__"]
