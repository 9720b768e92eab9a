"""The courses of leagues in memory: they follow the journal, and go when they take too much memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from ...history import History
from .. import clock, seasons
from ..cache import Shelf
from ..db import schema
from ..journal import journal
from ..journal.journal import Entry, Rows
from ..leagues import League
from ..seasons import Season
from .trace import Course, View

__all__ = ["Courses"]

MEMORY = 1_500_000_000  # bytes
_JOURNAL = schema.journal.c


class Kept(NamedTuple):
    """A course, what it looks like, and by the model of which generation."""

    course: Course
    view: View
    generation: int


class Courses:
    """The matches of leagues on their way through their models, as far as a process has been asked for them.

    New matches at the end are added. After a correction, a season or another model in the past, what came after it is
    rated anew from a ladder that was kept before it. Views are of one revision each, and are not disturbed by that.
    """

    def __init__(self, memory: float = MEMORY) -> None:
        self._shelf: Shelf[Kept] = Shelf(memory)

    @property
    def room(self) -> float:
        """Bytes of memory that are left."""
        return self._shelf.room

    def of(self, connection: Connection, league: League) -> View:
        """The matches of a league at its revision, or a later one; the league was found on the same connection."""
        kept = self._shelf.get(league.id)
        if kept is not None and kept.view.revision >= league.revision:
            return kept.view
        with self._shelf.lock(league.id):
            kept = self._shelf.get(league.id)
            if kept is not None and kept.view.revision >= league.revision:
                return kept.view
            self._shelf.drop(league.id)  # so that nobody finds what is half done, if this should fail
            found = _followed(connection, league, kept)
            self._shelf.put(league.id, found, found.course.nbytes)
            return found.view


def _followed(connection: Connection, league: League, kept: Kept | None) -> Kept:
    """What is kept of a league, brought to its revision."""
    begun = tuple(seasons.listed(connection, league))
    if kept is None:
        course = Course(league.model, clock.stamp(league.clock), begun)
        rows = journal.current(connection, league)
        course.extend(rows.history(league), rows.seq[rows.order])
    else:
        course = _changed(kept, league, begun, changes(connection, league, kept.view.revision))
    return Kept(course, replace(course.view, revision=league.revision), league.generation)


def changes(connection: Connection, league: League, revision: int) -> list[Entry]:
    """The matches that were posted, edited or deleted since a revision, as they are now."""
    query = select(*[_JOURNAL[name] for name in Entry._fields]).where(
        _JOURNAL.league_id == league.id, _JOURNAL.revision > revision, _JOURNAL.until.is_(None)
    )
    return [Entry(*row) for row in connection.execute(query)]


def _changed(kept: Kept, league: League, begun: Sequence[Season], entries: Sequence[Entry]) -> Course:
    """A course after these matches have become others, and with these seasons."""
    course, view = kept.course, kept.view
    come = Rows.of([(one.seq, one.time, one.id, one.body) for one in entries if one.body is not None])
    known = np.array([one.seq for one in entries if one.seq <= view.seq.max(initial=0)], np.int64)
    gone = np.flatnonzero(np.isin(view.seq, known)) if len(known) else np.zeros(0, np.intp)
    first = _first(kept, league, begun, gone, come)
    history, seq = come.history(league), come.seq[come.order]
    if first < len(view) or kept.generation != league.generation:
        again = course.upto(first) if kept.generation == league.generation else Course(league.model, course.stamp)
        history, seq = _merged(view, len(again), gone, history, seq)
        course = again
    course.seasons = tuple(begun)
    course.extend(history, seq)
    return course


def _first(kept: Kept, league: League, begun: Sequence[Season], gone: NDArray[np.intp], come: Rows) -> int:
    """After how many matches something is another than it was."""
    view = kept.view
    if kept.generation != league.generation:
        return 0
    differing = set(begun) ^ set(view.seasons)
    found: list[int] = [len(view), *gone[:1].tolist(), *(view.between(one.start, one.start)[0] for one in differing)]
    if len(come.seq):
        earliest = come.order[0]
        found.append(view.upto(float(come.time[earliest]), int(come.seq[earliest])))
    return min(found)


def _merged(
    view: View, first: int, gone: NDArray[np.intp], history: History, seq: NDArray[np.int64]
) -> tuple[History, NDArray[np.int64]]:
    """The matches of a view from one on, without some and with others, in the order of the league."""
    left = np.setdiff1d(np.arange(first, len(view)), gone, assume_unique=True)
    seqs = np.concatenate([view.seq[left], seq])
    parts = [view.passage.history.take(left), replace(history, ids=None)]
    joined = History.join(parts, once=False)
    if joined.time is None:
        order = np.argsort(seqs)
        return joined.take(order), seqs[order]
    times = np.concatenate([part.time for part in parts if part.time is not None])
    seqs = seqs[np.argsort(times, kind="stable")]
    order = np.lexsort((seqs, joined.time))
    return joined.take(order), seqs[order]
