"""Which texts any database keeps."""

from __future__ import annotations

from ..history.names import is_unicode

__all__ = ["storable"]


def storable(text: object, most: int) -> bool:
    """Whether something is text of at most so many letters, without the character 0 and halves of characters.

    >>> storable("Zoë", 3), storable("Zoë", 2), storable("a\\0", 3), storable("\\ud800", 3), storable(7, 3)
    (True, False, False, False, False)
    """
    return isinstance(text, str) and len(text) <= most and "\0" not in text and is_unicode(text)
