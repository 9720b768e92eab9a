"""Names of leagues made of their titles, and texts that any database keeps."""

from __future__ import annotations

import re
import unicodedata

from ..errors import Error
from ..history.names import is_unicode


def storable(text: object, most: int) -> bool:
    """Tell whether any database keeps a text: at most `most` letters, without NUL and lone surrogates.

    >>> storable("Zoë", 3), storable("Zoë", 2), storable("a\\0", 3), storable("\\ud800", 3), storable(7, 3)
    (True, False, False, False, False)
    """
    return isinstance(text, str) and len(text) <= most and "\0" not in text and is_unicode(text)


def slug(title: str) -> str:
    """Return a name for a league of this title, as near as its letters allow.

    >>> slug("The Pub, Tuesday's Darts"), slug("Žofie's Spaß")
    ('the-pub-tuesday-s-darts', 'zofie-s-spass')
    """
    return re.sub(r"[^a-z0-9]+", "-", _plain(title)).strip("-")[:63].strip("-") or "league"


def league_name(title: str) -> str:
    """Return the name of a league with this title; a title that would lose letters is an error, as names might collide.

    >>> league_name("Лига 1")
    Traceback (most recent call last):
    ...
    prowess.Error: 'Лига 1' is no name for a league: use small letters (a to z), digits and hyphens, as in 'league-1'
    """
    kept = _plain(title)
    if not any(map(str.isalnum, kept)) or any(letter.isalnum() and not letter.isascii() for letter in kept):
        like = slug(title) if slug(title)[0].isalpha() else f"league-{slug(title)}"
        hint = f"use small letters (a to z), digits and hyphens, as in {like!r}"
        raise Error(f"{title!r} is no name for a league: {hint}", field="league", value=title)
    return slug(title)


def _plain(title: str) -> str:
    letters = unicodedata.normalize("NFKD", title.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
