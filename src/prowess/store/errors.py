"""Errors that the store raises, except those about invalid match data."""

from collections.abc import Sequence

from ..errors import Error


class NotFound(Error):
    """A league, match, player, season or key does not exist."""


class Renamed(NotFound):
    """A league was renamed; `new` is its name now.

    >>> print(Renamed("darts", "pub-darts"))
    league 'darts' is now named 'pub-darts'
    """

    def __init__(self, old: str, new: str) -> None:
        super().__init__(f"league {old!r} is now named {new!r}", field="league", value=old)
        self.old, self.new = old, new


class Conflict(Error):
    """The change conflicts with the current state; for example, another match has the same id."""


class NameConflict(Conflict):
    """Two players cannot be merged, because both play in the `matches`, given by their ids and times.

    >>> NameConflict("ann and bob both played in match 'final'", [("final", None)]).matches
    [('final', None)]
    """

    def __init__(self, message: str, matches: Sequence[tuple[str, str | float | None]]) -> None:
        super().__init__(message, field="player", value=matches[0][0])
        self.matches = list(matches)


class Unavailable(Error):
    """The database does not respond, or is full; nothing was changed, and the caller may try again.

    `summary` may be shown to anybody. `reason` comes from the database and can reveal internals, so it is only for
    logs.

    >>> error = Unavailable("the database (sqlite) cannot be used now", "disk I/O error")
    >>> str(error), error.summary
    ('the database (sqlite) cannot be used now: disk I/O error', 'the database (sqlite) cannot be used now')
    """

    def __init__(self, summary: str, reason: str = "") -> None:
        super().__init__(f"{summary}: {reason}" if reason else summary)
        self.summary, self.reason = summary, reason


class CommitUnknown(Unavailable):
    """The connection was lost during a commit, which may have succeeded; trying again with the same ids is safe."""


class RatingError(Error):
    """The model cannot rate the match with this id; `reason` says why, without the match number.

    >>> RatingError(Error("the model needs scores", match=6), "final").id
    'final'
    """

    def __init__(self, error: Error, id: str) -> None:
        super().__init__(*error.pieces)
        self.__dict__.update(error.__dict__)
        self.id = id
        self.reason = error.__cause__ if isinstance(error.__cause__, Error) else error


class WriteClash(Exception):
    """Two transactions wrote the same row at once; one of them is rolled back and retried."""
