"""Importing optional dependencies; if one is missing, the error says how to install it."""

from importlib import import_module
from typing import Any

from .errors import Error


def import_extra(module: str, package: str, name: str) -> Any:
    """Import a module of an optional dependency; `name` is the extra that installs it, as in `prowess[lab]`.

    >>> import_extra("nowhere_to_be_found", "nowhere", "lab")
    Traceback (most recent call last):
    ...
    prowess.Error: this needs nowhere, which is not installed: pip install 'prowess[lab]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise Error(f"this needs {package}, which is not installed: pip install 'prowess[{name}]'") from error
