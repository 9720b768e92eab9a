"""The one family of errors: each says what was wrong, where, and what would be right."""

__all__ = ["Error"]


class Error(ValueError):
    """Something that was asked of prowess cannot be done; nothing was changed.

    >>> import prowess as pw
    >>> pw.Rating(25, -1)
    Traceback (most recent call last):
    ...
    prowess.Error: sigma must be a finite number of at least 0, not -1
    """


Error.__module__ = "prowess"
