"""What may stand as the name of a player, or as the id of a match."""

import numpy as np

from ..errors import Error

__all__ = ["name_of"]


def name_of(value: object, what: str = "a player's name") -> str:
    """Give the name that a value stands for: text without blanks around it, a whole number as its digits.

    >>> name_of(" ann "), name_of(2726956381513258)
    ('ann', '2726956381513258')
    >>> name_of(2.5)
    Traceback (most recent call last):
    ...
    prowess.Error: a player's name must be text or a whole number, not 2.5
    """
    if isinstance(value, str):
        if not value.strip():
            raise Error(f"{what} must not be empty: {value!r}")
        if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise Error(f"{what} must be valid Unicode text, not {value!r}")
        return str(value.strip())  # a NumPy string becomes a plain one
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(int(value))
    raise Error(f"{what} must be text or a whole number, not {value!r}")
