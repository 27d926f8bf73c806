"""Errors that are meant for a person: one clear line that names the input and the mend."""

import importlib
from types import ModuleType

__all__ = ["CleartitleError", "InputError", "MissingExtraError", "require"]


class CleartitleError(Exception):
    """Base of every error that the command line prints as a single line."""

    exit_status = 2


class InputError(CleartitleError):
    """Wrong use or unreadable input; the message names the input and the mend."""


class MissingExtraError(CleartitleError):
    """A feature needs a package that is installed only with an extra."""


def require(module: str, extra: str) -> ModuleType:
    """Import ``module``, or name the extra that installs it.

    Raises:
        MissingExtraError: the module is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        raise MissingExtraError(f'{module} is not installed; mend: pip install "cleartitle[{extra}]"') from error
