"""Building blocks for sentences: counts in the singular or plural, lists of words, capitals."""

from __future__ import annotations

from collections.abc import Iterable


def count(number: int, one: str, many: str) -> str:
    """Return a number followed by its noun, in the singular or plural.

    >>> count(1, "row is", "rows are"), count(1200, "row is", "rows are")
    ('1 row is', '1,200 rows are')
    """
    return f"{number:,} {one if number == 1 else many}"


def join_words(names: Iterable[object], last: str = "and") -> str:
    """Join words with commas, and the last two words with "and" or another word.

    >>> join_words(["Elo"]), join_words([1500, 1600, 1700], "or")
    ('Elo', '1500, 1600 or 1700')
    """
    *most, end = map(str, names)
    return f"{', '.join(most)} {last} {end}" if most else end


def capitalise(text: str) -> str:
    """Return a text with its first letter capitalised.

    >>> capitalise("no matches yet")
    'No matches yet'
    """
    return text[:1].upper() + text[1:]


def byte_size(number: float) -> str:
    """Return a number of bytes as text, in the largest unit that gives a value of at least 1.

    >>> byte_size(426), byte_size(20_000_000), byte_size(2 * 1024**3)
    ('426 bytes', '19.1 MiB', '2 GiB')
    """
    units = ["bytes", "KiB", "MiB", "GiB"]
    while number >= 1024 and len(units) > 1:
        number /= 1024
        del units[0]
    return f"{number:.3g} {units[0]}" if number < 1000 else f"{number:,.0f} {units[0]}"
