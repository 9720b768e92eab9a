"""Packages that only the lab needs."""

from typing import Any

from ..optional import import_extra

__all__ = ["extra"]


def extra(module: str, package: str) -> Any:
    """A module of the `lab` extra, imported now that it is needed.

    >>> extra("nowhere_to_be_found", "nowhere")
    Traceback (most recent call last):
    ...
    prowess.Error: this needs nowhere, which is not installed: pip install 'prowess[lab]'
    """
    return import_extra(module, package, "lab")
