"""Long corrections: rate past matches of a league again without blocking posts to this or other leagues.

Correcting an old match may replay all matches of a league, which takes seconds. A replay in a single transaction would
block posts to the league and, on SQLite, posts to all leagues. Instead, a long correction

1. takes a lease on the corrections of the league, so that only posts can change the league in the meantime;
2. plans the change, and rates the matches that were recorded up to now, a few at a time;
3. rates the matches that were posted in the meantime, which so far have been rated only with the old ratings;
4. writes the ratings and checkpoints as a new rating set, which nobody reads yet, in many short transactions;
5. in a last short transaction, rates the last few posts, writes the change and switches the league to the new set;
6. deletes the old set, in many short transactions.

If the process dies before step 5, nothing has changed. The lease then expires, and the next correction deletes the
unfinished rating set. A correction that has lost its lease starts again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Event
from time import monotonic, sleep, time

from sqlalchemy import Connection, Table, delete, func, select, tuple_, update

from ...model.ladder.ladder import Ladder
from .. import facets, leagues, ratings
from ..db import schema
from ..db.database import Database, lock_league
from ..errors import RatingError, Unavailable, WriteClash
from ..journal import journal
from ..journal.journal import END, START, JournalRows, Position
from ..leagues import League
from ..seasons import Season
from .commands import Command, CommandResult, Post
from .corrections import Plan, draft, write_changes
from .posts import is_late, locate_in_post
from .renaming import RenamedMatch, Renaming, renamed_matches
from .replay import (
    Checkpoint,
    checkpoint_positions,
    copy_checkpoint,
    drop_checkpoints,
    last_checkpoint,
    replay_rows,
    save_checkpoints,
    spacing,
)

MAX_SHORT = 5_000  # matches that a correction may rate again under the league's lock, which takes some 50 ms
LEASE = 15.0  # seconds after which another process may take over the corrections of a league
CHUNK = 1_000  # matches rated before other threads get a turn, because rating holds the interpreter lock
REST, MAX_REST = 0.25, 0.05  # pause per second of work; longest pause in seconds
MAX_ROWS = 500  # ratings written or deleted in one transaction
BREATH = 0.02  # pause in seconds between two transactions that delete old ratings
_UNNUMBERED = 1 << 62  # added to the numbers of new matches, so that they come after matches posted in the meantime
_LEAGUE, _GENERATION = schema.league.c, schema.generation.c


class LeaseLost(WriteClash):
    """Raised if another process has changed past matches of the league, so that the correction must start again."""


def abandoned() -> Unavailable:
    """Return the error for a correction that the service abandons because it shuts down."""
    return Unavailable("the service is shutting down", "the correction was not recorded; try again")


def takes_long(connection: Connection, command: Command) -> bool:
    """Return whether a correction must rate so many matches again that posts should not wait for it."""
    planned = draft(connection, command)
    if planned.since is None:
        return False
    if len(planned.rated) > MAX_SHORT:
        return True
    positions = checkpoint_positions(connection, planned.league, planned.since)
    return journal.has_more(connection, planned.league, positions[0] if positions else START, MAX_SHORT)


class LongCorrection:
    """A long correction in progress; setting `stopping` aborts it."""

    def __init__(self, database: Database, command: Command, stopping: Event) -> None:
        self._database, self._command, self._stopping = database, command, stopping
        self._league: League  # the league after the correction, with the number of the new rating set
        self._ladder: Ladder  # the new ratings
        self._last_time: float  # the latest time of the matches rated
        self._revision: int  # all matches up to this revision are rated
        self._old_league: League
        self._old: dict[str, bytes | None]  # the old packed ratings of all players
        self._earliest = END  # the earliest position of a match posted in the meantime
        self._renaming: Renaming | None = None
        self._renamed: list[RenamedMatch] = []  # matches posted in the meantime under names that the command changes
        self._unsaved: dict[str, int] = {}  # players whose new ratings are not in the database yet
        self._renewed = self._rested = monotonic()

    def run(self) -> CommandResult | None:
        """Carry out the correction and return its result; return None if another process is correcting the league."""
        leased = _take_lease(self._database, self._command.league)
        if leased is None:
            return None
        self._league = leased
        try:
            return self._correct()
        except BaseException:
            with suppress(Exception), self._database.writing() as connection:
                self._renew(connection)
                _end_lease(connection, self._league)
            raise

    def _correct(self) -> CommandResult:
        with self._database.reading() as connection:
            planned = _unnumbered(draft(connection, self._command))
            since, seasons = planned.since or END, planned.seasons(connection)
            begin = last_checkpoint(connection, planned.league, since)
            positions = checkpoint_positions(connection, planned.league, since)
            self._old_league = leagues.find(connection, self._command.league)
            self._old = dict(ratings.load_states(connection, self._old_league))
            self._revision = self._old_league.revision
            step = spacing(begin.matches + journal.count(connection, self._old_league, begin.position))
        if planned.since is None and planned.renaming is not None:
            raise LeaseLost("the matches to rename were changed in the meantime")
        if planned.since is None:  # another process has corrected the league in the meantime
            with self._database.writing() as connection:
                self._renew(connection)
                _end_lease(connection, self._league)
            return planned.result
        season_start = seasons[-1].start if seasons else None
        self._league = replace(planned.league, rating_set=self._league.rating_set, season_start=season_start)
        planned = replace(planned, league=self._league)
        self._renaming = planned.renaming
        self._copy_checkpoints(positions)
        try:
            self._rate(planned, seasons, begin, step)
            return self._switch(planned)
        except RatingError as error:
            located = locate_in_post(error, planned.result.ids)
            raise (error.reason.within(f"match {error.id!r}: ") if located is error else located) from None

    def _copy_checkpoints(self, positions: Sequence[Position]) -> None:
        for position in positions:
            self._rest()
            with self._database.writing() as connection:
                copy_checkpoint(connection, self._old_league, position, self._league.rating_set)
                self._renew(connection)

    def _rate(self, planned: Plan, all_seasons: Sequence[Season], begin: Checkpoint, step: int) -> None:
        # Matches posted after the correction was planned are rated later, by `_catch_up`.
        saved = begin.matches
        for rows, is_last in self._chunks(planned, begin.position):
            self._rest()
            end = rows.position(-1) if len(rows.seq) else begin.position
            due = all_seasons if is_last else [season for season in all_seasons if season.start <= end.time]
            ladder = replay_rows(self._league, due, rows, begin, in_place=True).ladder
            begin = Checkpoint(end, begin.matches + len(rows.seq), ladder)
            if begin.matches >= saved + step and end.seq < _UNNUMBERED and not is_last:
                saved = begin.matches
                with self._database.writing() as connection:
                    save_checkpoints(connection, self._league, [begin])
                    self._renew(connection)
        self._ladder, self._last_time = begin.ladder, begin.position.time

    def _chunks(self, planned: Plan, after: Position) -> Iterator[tuple[JournalRows, bool]]:
        # Every chunk is read in its own short transaction, because a long one would keep SQLite from reusing its log.
        added = sorted(planned.rated, key=lambda entry: entry.position)
        first, is_last, gone = 0, False, set(planned.unrated)
        while not is_last:
            with self._database.reading() as connection:
                rows = journal.next_rows(connection, self._league, after, self._revision, CHUNK)
            is_last = len(rows.seq) < CHUNK
            after = END if is_last else rows.position(-1)
            last = bisect_right(added, after, lo=first, key=lambda entry: entry.position)
            yield rows.changed([seq for seq in rows.seq.tolist() if seq in gone], added[first:last]), is_last
            first = last

    def _switch(self, planned: Plan) -> CommandResult:
        self._unsaved = dict.fromkeys([*self._old, *self._ladder.names], 0)
        while len(self._unsaved) > MAX_ROWS:
            self._save_ratings()
            with self._database.reading() as connection:
                self._catch_up(connection)
        with self._database.writing() as connection:
            lock_league(connection, self._league.id)
            self._renew(connection)
            self._catch_up(connection)
            ratings.save_players(connection, self._league, self._ladder, self._unsaved)
            drop_checkpoints(connection, self._league, self._earliest)
            planned = planned.with_renamed(self._renamed)
            revision = write_changes(connection, planned)
            memory = facets.pack_memory(self._ladder)
            ours = {"rating_set": self._league.rating_set, "set_revision": revision, "memory": memory}
            leagues.update_generation(connection, self._league, **ours)
        before = ratings.ladder_of(self._old_league, self._old.items())
        return replace(planned.with_ratings(before, self._ladder).result, revision=revision)

    def _catch_up(self, connection: Connection) -> None:
        # Rate the matches that were posted since the previous call.
        now = leagues.find(connection, self._command.league)
        now.check_writable()
        rows = journal.rows_since(connection, self._league, self._revision)  # the new model may need the context
        if self._renaming is not None and len(rows.seq):
            renamed = renamed_matches(connection, now, self._renaming, self._revision)
            rows = rows.changed([match.old.seq for match in renamed], [match.new for match in renamed])
            self._renamed += renamed
        self._old |= {row.player: row.state for row in ratings.changed_since(connection, now, self._revision)}
        self._old_league, self._revision = now, now.revision
        history = rows.history(now)
        if not len(history):
            return
        # The matches of a late post are numbered last, so matches posted in the meantime come first at the same time.
        ties = isinstance(self._command, Post)
        if is_late(self._ladder, self._league, self._last_time, history, before_ties=ties):
            raise LeaseLost(
                "during the correction, a match was posted that is earlier than matches already rated again"
            )
        ratings.learn(self._ladder, history)
        self._unsaved |= dict.fromkeys(history.players, 0)
        self._earliest = min(self._earliest, rows.position(0))
        self._last_time = max(self._last_time, rows.position(-1).time)

    def _save_ratings(self) -> None:
        players = list(self._unsaved)
        for first in range(0, len(players), MAX_ROWS):
            self._rest()
            with self._database.writing() as connection:
                some = dict.fromkeys(players[first : first + MAX_ROWS], 0)
                ratings.save_players(connection, self._league, self._ladder, some)
                self._renew(connection)
        self._unsaved = {}

    def _rest(self) -> None:
        # Other threads get time to work; a service that shuts down aborts the correction here.
        if self._stopping.is_set():
            raise abandoned()
        if monotonic() > self._renewed + LEASE / 3:
            with self._database.writing() as connection:
                self._renew(connection)
        sleep(min(REST * (monotonic() - self._rested), MAX_REST))
        self._rested = monotonic()

    def _renew(self, connection: Connection) -> None:
        own = (_LEAGUE.id == self._league.id, _LEAGUE.rating_sets == self._league.rating_set)
        renewal = update(schema.league).where(*own, _LEAGUE.replay_until.is_not(None))
        if not connection.execute(renewal.values(replay_until=time() + LEASE)).rowcount:
            raise LeaseLost("another process has changed past matches of the league")
        self._renewed = monotonic()


def _unnumbered(planned: Plan) -> Plan:
    """Give the new matches of a plan provisional numbers.

    The numbers are larger than the numbers of all other matches, including matches that are posted from now on.
    """
    if not planned.posted:
        return planned
    return replace(planned, added=[entry._replace(seq=entry.seq + _UNNUMBERED) for entry in planned.added])


def _take_lease(database: Database, name: str) -> League | None:
    """Take the lease on the corrections of a league; return None if another process has it.

    The returned league has the number of a new rating set.
    """
    with database.writing() as connection:
        lock_league(connection, leagues.find(connection, name).id)
        league = leagues.find(connection, name)
        if league.replaying:
            return None
        number = league.rating_sets + 1
        leagues.update_row(connection, league, rating_sets=number, replay_until=time() + LEASE)
        return replace(league, rating_sets=number, rating_set=number)


def _end_lease(connection: Connection, league: League) -> None:
    leagues.update_row(connection, league, replay_until=None)


def delete_unused_sets(database: Database, name: str, stopping: Event) -> None:
    """Delete the ratings and checkpoints of rating sets that were replaced or never finished."""
    with database.reading() as connection:
        league = leagues.find(connection, name)
    if league.replay_until is not None and not league.replaying:
        with database.writing() as connection:
            expired = (_LEAGUE.id == league.id, _LEAGUE.replay_until < time())
            # End the expired lease, so that its owner cannot renew it.
            connection.execute(update(schema.league).where(*expired).values(replay_until=None))
    with database.reading() as connection:
        league = leagues.find(connection, name)
        current = {league.rating_set, league.rating_sets if league.replaying else league.rating_set}
        generations = select(_GENERATION.rating_set).where(_GENERATION.league_id == league.id)
        used = current.union(connection.execute(generations).scalars())
        unused = [(schema.rating, number, MAX_ROWS) for number in _sets(connection, schema.rating, league, used)]
        unused += [(schema.checkpoint, number, 1) for number in _sets(connection, schema.checkpoint, league, current)]
    for table, number, limit in unused:
        deleted = limit
        while deleted == limit and not stopping.wait(BREATH):
            with database.writing() as connection:
                deleted = _delete_rows(connection, table, league, number, limit)


def _sets(connection: Connection, table: Table, league: League, used: Collection[int]) -> Iterator[int]:
    # Each number is found by one index search, even if the set is large.
    number: int | None = 0
    while number is not None:
        if number and number not in used:
            yield number
        query = select(func.min(table.c.rating_set)).where(table.c.league_id == league.id, table.c.rating_set > number)
        number = connection.execute(query).scalar()


def _delete_rows(connection: Connection, table: Table, league: League, number: int, limit: int) -> int:
    key = table.primary_key.columns
    rows = select(*key).where(table.c.league_id == league.id, table.c.rating_set == number).limit(limit)
    return connection.execute(delete(table).where(tuple_(*key).in_(rows))).rowcount
