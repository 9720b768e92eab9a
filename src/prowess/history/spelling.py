"""How names are spelt: the same but for case, accents and blanks, or nearly the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

__all__ = ["nearest", "plain_letters", "plain_spelling"]

MANY = 10_000  # names that are compared letter by letter, at the most
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "’": "'"})


def plain_spelling(name: str) -> str:
    """A name without what is easily written in another way: case, accents, blanks, dots and hyphens.

    >>> plain_spelling(" José  Ødegård-Smith Jr."), plain_spelling("JOSE ODEGARD SMITH JR")
    ('jose odegard smith jr', 'jose odegard smith jr')
    >>> plain_spelling("Ё"), plain_spelling("王"), plain_spelling("!?")
    ('е', '王', '!?')
    """
    text = plain_letters(name)
    words = "".join(letter if letter.isalnum() or letter == "'" else " " for letter in text).split()
    return " ".join(words) or name


def plain_letters(text: str) -> str:
    """A text in small letters without accents.

    >>> plain_letters("Éléonore Ødegård-Smith!"), plain_letters("Straße")
    ('eleonore odegard-smith!', 'strasse')
    """
    if text.isascii():
        return text.lower()
    split = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(letter for letter in split if not unicodedata.combining(letter)).translate(_LETTERS)


def nearest(name: str, names: Sequence[str], count: int = 3) -> list[str]:
    """The names that may be meant by one that is not there, the likeliest first.

    >>> nearest("rosa maria", ["Rosa María", "Maria", "Ada"])
    ['Rosa María', 'Maria']
    >>> nearest("Jhon", ["John", "Ada"]), nearest("zzz", ["John", "Ada"])
    (['John'], [])
    """
    from difflib import get_close_matches

    wanted = plain_spelling(name)
    spelt: dict[str, list[str]] = {}
    for known in names:
        spelt.setdefault(plain_spelling(known), []).append(known)
    found = list(spelt.get(wanted, ()))
    parts = [known for plain, same in _first(spelt).items() if _holds(plain, wanted) for known in same]
    close = get_close_matches(wanted, _first(spelt), count, 0.6)
    found += parts[:count] + [known for plain in close for known in spelt[plain]]
    return list(dict.fromkeys(found))[:count]


def _first(spelt: dict[str, list[str]]) -> dict[str, list[str]]:
    return dict(list(spelt.items())[:MANY])


def _holds(plain: str, wanted: str) -> bool:
    """Whether one is a word, or some words, of the other."""
    return plain != wanted and (f" {wanted} " in f" {plain} " or f" {plain} " in f" {wanted} ")
