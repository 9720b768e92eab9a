"""What may stand as the name of a player, or as the id of a match."""

import unicodedata
from functools import lru_cache

import numpy as np

from ..errors import Error

__all__ = ["is_unicode", "name_of", "plain_name"]


def name_of(value: object, what: str = "a player's name", field: str = "player") -> str:
    """Return the name that a value stands for: text without blanks around it, a whole number as its digits.

    >>> name_of(" ann "), name_of(2726956381513258)
    ('ann', '2726956381513258')
    >>> name_of(2.5)
    Traceback (most recent call last):
    ...
    prowess.Error: a player's name must be text or a whole number, not 2.5
    """
    if isinstance(value, str):
        if not value.strip():
            raise Error(f"{what} must not be empty: {value!r}", field=field, value=value)
        if not is_unicode(value):
            raise Error(f"{what} must be valid Unicode text, not {value!r}", field=field, value=value)
        return str(value.strip())  # a NumPy string becomes a plain one
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(int(value))
    raise Error(f"{what} must be text or a whole number, not {value!r}", field=field, value=value)


def is_unicode(text: str) -> bool:
    """Whether all letters of a text are whole: half of a surrogate pair is none, and cannot be written anywhere.

    >>> is_unicode("Zoë"), is_unicode("\\ud83d")
    (True, False)
    """
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


@lru_cache(1024)
def plain_name(name: str) -> str:
    """Spell a name of a column, or a word, in the one way in which they are compared.

    >>> plain_name("Home_Team"), plain_name("home team"), plain_name("Équipe")
    ('hometeam', 'hometeam', 'equipe')
    """
    spelt = unicodedata.normalize("NFKD", name.casefold()) if not name.isascii() else name.casefold()
    return "".join(letter for letter in spelt if letter.isalnum())
