"""What may go wrong with a store, beside what may go wrong with a match."""

from ..errors import Error

__all__ = ["Clash", "Conflict", "NotFound", "Unavailable", "Unsure"]


class NotFound(Error):
    """There is no such league, match or player.

    >>> issubclass(NotFound, Error)
    True
    """


class Conflict(Error):
    """Something else stands in the way, such as another match of the same id.

    >>> issubclass(Conflict, Error)
    True
    """


class Unavailable(Error):
    """The database does not answer, or is full; nothing was changed, and it may be tried again.

    `summary` may be shown to anybody; `reason` comes from the database and can reveal internals: it is for logs.

    >>> error = Unavailable("the database (sqlite) cannot be used now", "disk I/O error")
    >>> str(error), error.summary
    ('the database (sqlite) cannot be used now: disk I/O error', 'the database (sqlite) cannot be used now')
    """

    def __init__(self, summary: str, reason: str = "") -> None:
        super().__init__(f"{summary}: {reason}" if reason else summary)
        self.summary, self.reason = summary, reason


class Unsure(Unavailable):
    """The database was lost while it made a change durable: it is there or not, and the same ids tell who tries again.

    >>> issubclass(Unsure, Unavailable)
    True
    """


class Clash(Exception):
    """Two transactions changed the same thing at once: one of them is undone, and begins again.

    >>> issubclass(Clash, Error)
    False
    """
