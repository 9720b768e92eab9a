"""Check a database: its file, its tables, the journal, and whether the ratings equal those of a replay of the journal.

The checks read a single snapshot and write nothing, so that a service can use the database in the meantime.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from math import inf
from pathlib import Path
from time import time
from typing import Literal

import sqlalchemy as sa
from sqlalchemy import Connection, func, select
from sqlalchemy.exc import DBAPIError

from ..errors import Error
from ..history import History
from ..model.engine_version import ENGINE_VERSION
from ..model.ladder.ladder import Ladder
from ..text import count
from . import audit, clock, facets, leagues, ratings
from .db import schema
from .db.backup import is_backup, verify
from .db.database import Database, lock_league
from .db.migrate import check_version, head, version_of
from .errors import Conflict, Unavailable
from .journal import journal
from .journal.journal import Position
from .leagues import League
from .seasons import stretches
from .write.posts import advance_counters
from .write.replay import Checkpoint, RatedGeneration, list_checkpoints, rated_generations, rebuild

Status = Literal["ok", "warning", "problem"]
NAMED = 3  # matches or players listed in a message
RESTORE = "Restore a backup into a new database: prowess restore FILE --database NEW"
REPAIR = "Rate the league again; the journal stays unchanged: prowess doctor --repair"
BACK_UP = "Make a backup every day: prowess backup FILE"
STALE = 50  # hours; long enough for a daily backup to fail once
# If one of these settings is off, a power cut can lose acknowledged matches or damage the database.
DURABLE = ("fsync", "full_page_writes", "synchronous_commit")
_JOURNAL = schema.journal.c


@dataclass(frozen=True)
class Check:
    """The result of a check: a sentence about what was found, and a sentence about what to do.

    A problem needs action; a warning is a risk that may be acceptable. `name` never changes, so programs can use it.

    >>> Check("ratings", "problem", "darts: 3 of 40 ratings are wrong.", "Rate the league again.").status
    'problem'
    """

    name: str
    status: Status
    text: str
    hint: str = ""
    league: str | None = None


def examine(database: Database) -> Iterator[Check]:
    """Check a database and yield the result of each check; a severe problem ends the checks early.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"sqlite:///{folder}/league.db")
    ...     database.migrate()
    ...     statuses = {check.status for check in examine(database)}
    ...     database.close()
    >>> statuses
    {'ok'}
    """
    try:
        with database.reading() as connection:
            yield from examine_tables(connection)
    except Unavailable as error:
        yield Check("database", "problem", f"The database cannot be read: {error.reason}.", RESTORE)


def examine_tables(connection: Connection) -> Iterator[Check]:
    """Check a database as this transaction sees it; raises an exception if the database does not answer."""
    version = _check_version(connection)
    yield version
    if version.status == "ok":
        yield from (_check_sqlite if connection.dialect.name == "sqlite" else _check_postgresql)(connection)
        tables = _check_tables(connection)
        yield tables
        if tables.status == "ok":
            yield from _check_leagues(connection)
            yield from _check_engine(connection)
            yield from _check_leftovers(connection)
            yield from _check_erasures(connection)


def _check_version(connection: Connection) -> Check:
    version = version_of(connection)
    try:
        check_version(connection)
    except Error as error:
        return Check("version", "problem", f"{error}.")
    if version != head():
        text = f"The tables have version {version or 'none'}, and this prowess needs {head()}."
        return Check("version", "problem", text, "Make a backup, then start the service once to upgrade the tables.")
    return Check("version", "ok", f"The tables have the version of this prowess, {version}.")


def _check_sqlite(connection: Connection) -> Iterator[Check]:
    damage = connection.exec_driver_sql(f"PRAGMA integrity_check({NAMED})").scalars().all()
    if list(damage) != ["ok"]:
        yield Check("file", "problem", f"The database file is damaged: {shorten(damage)}.", RESTORE)
        return
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    if orphans:
        tables = shorten(sorted({str(row[0]) for row in orphans}))
        yield Check("file", "problem", f"{count(len(orphans), 'row belongs', 'rows belong')} to no league: {tables}.")
    else:
        yield Check("file", "ok", "The database file is intact.")


def _check_postgresql(connection: Connection) -> Iterator[Check]:
    off = [name for name in DURABLE if connection.exec_driver_sql(f"SHOW {name}").scalar() == "off"]
    if off:
        text = f"PostgreSQL runs with {shorten(off)} switched off: a power cut can lose acknowledged matches."
        yield Check("durability", "problem", text, f"Switch {shorten(off)} on in postgresql.conf.")
    else:
        yield Check("durability", "ok", "PostgreSQL writes every commit to disk.")


def _check_tables(connection: Connection) -> Check:
    # A missing unique index would let a match be recorded twice.
    inspector, missing = sa.inspect(connection), []
    names = set(inspector.get_table_names())
    for table in schema.metadata.sorted_tables:
        if table.name not in names:
            missing.append(f"table {table.name}")
            continue
        columns = {column["name"] for column in inspector.get_columns(table.name)}
        indexes = {index["name"] for index in inspector.get_indexes(table.name)}
        missing += [f"column {table.name}.{column.name}" for column in table.columns if column.name not in columns]
        missing += sorted(f"index {index.name}" for index in table.indexes if index.name not in indexes)
    if missing:
        return Check("tables", "problem", f"The database lacks {shorten(missing)}.", RESTORE)
    return Check("tables", "ok", "All tables, columns and indexes exist.")


_LEAGUE_CHECKS = {
    "journal": "The journal is complete and in order: {matches} in {leagues}.",
    "ratings": "All ratings exactly match a replay of the journal.",
    "checkpoints": "All checkpoints exactly match a replay of the journal.",
}


def _check_leagues(connection: Connection) -> Iterator[Check]:
    columns = schema.league.c
    rows = connection.execute(select(columns.name, columns.posted).order_by(columns.name)).all()
    failed = set()
    for row in rows:
        for check in _check_league(connection, row.name):
            failed.add(check.name)
            yield check
    matches = count(sum(row.posted for row in rows), "match", "matches")
    for name, text in _LEAGUE_CHECKS.items():
        if name not in failed:
            yield Check(name, "ok", text.format(matches=matches, leagues=count(len(rows), "league", "leagues")))


def _check_engine(connection: Connection) -> Iterator[Check]:
    # Ratings of another engine version differ from a replay in their last digits.
    names = leagues.list_outdated(connection)
    if names:
        text = f"Another version of the engine computed the ratings, so they were not checked: {shorten(names)}."
        yield Check("engine", "warning", text, "Nothing needs to be done: the service rates these leagues again.")
    other = schema.generation.c.engine_version != ENGINE_VERSION
    kept = connection.execute(select(func.count()).select_from(schema.generation).where(other)).scalar_one()
    if kept and not names:
        some = count(kept, "earlier set of ratings was", "earlier sets of ratings were")
        yield Check("engine", "ok", f"{some} computed by another version of the engine, and not checked.")


def _check_leftovers(connection: Connection) -> Iterator[Check]:
    # Unused ratings remain if a crash interrupts a correction.
    league, generation, rating = schema.league.c, schema.generation.c, schema.rating.c
    used = select(generation.rating_set).where(
        generation.league_id == rating.league_id, generation.rating_set == rating.rating_set
    )
    unused = select(league.name).join(schema.rating).where(~used.exists(), ~(league.replay_until > time()).is_(True))
    names = connection.execute(unused.distinct().order_by(league.name)).scalars().all()
    if names:
        text = f"Ratings of an interrupted correction are left over: {shorten(names)}."
        yield Check("leftovers", "warning", text, "Nothing needs to be done: the next correction deletes them.")


def _check_erasures(connection: Connection) -> Iterator[Check]:
    if connection.execute(select(func.count()).where(schema.erasure.c.scrub_due)).scalar_one():
        text = "Unused pages of the database file may still hold a name that was erased."
        yield Check("erasure", "warning", text, "Keep the service running: it rewrites the file when it is idle.")


def _check_league(connection: Connection, name: str) -> Iterator[Check]:
    part, hint = "journal", RESTORE
    try:
        league = leagues.find(connection, name)
        faults = [*_journal_faults(connection, league), *_counter_faults(connection, league)]
        faults += _alias_faults(connection, league)
        yield from (_problem(part, name, fault, hint) for fault in faults)
        for rated in rated_generations(connection, league) if not faults else ():
            part, hint = "journal", RESTORE
            history = rated.rows.history(rated.league)
            part, hint = "ratings", REPAIR
            if rated.league.outdated:
                continue
            yield from (
                _problem(check, name, fault, hint) for check, fault in _replay_faults(connection, rated, history)
            )
    except DBAPIError:
        raise
    except Exception as error:  # damaged rows can raise anything; the other leagues are checked nevertheless
        yield _problem(part, name, f"the {part} cannot be read: {error or type(error).__name__}", hint)


def _problem(check: str, league: str, fault: str, hint: str) -> Check:
    return Check(check, "problem", f"{league}: {fault}.", hint, league)


def _journal_faults(connection: Connection, league: League) -> Iterator[str]:
    following = func.lead(_JOURNAL.revision).over(partition_by=_JOURNAL.seq, order_by=_JOURNAL.revision)
    earlier_id = func.lag(_JOURNAL.id).over(partition_by=_JOURNAL.seq, order_by=_JOURNAL.revision)
    rules = {
        "with a missing version, or with two versions valid at once": _JOURNAL.until.is_distinct_from(following),
        "that were not posted exactly once": earlier_id.is_(None) != (_JOURNAL.kind == "post"),
        "whose id differs between versions": earlier_id != _JOURNAL.id,
        "without a result, or deleted and with a result": (_JOURNAL.kind == "delete") != _JOURNAL.body.is_(None),
        "with a revision that the league has not reached": ~_JOURNAL.revision.between(1, league.revision),
        "with a number that the league has not reached": ~_JOURNAL.seq.between(1, league.posted),
    }
    flags = [sa.case((rule, 1), else_=0).label(f"rule_{number}") for number, rule in enumerate(rules.values())]
    rows = select(_JOURNAL.seq, _JOURNAL.id, *flags).where(_JOURNAL.league_id == league.id).subquery()
    broken = [rows.c[flag.name] == 1 for flag in flags]
    found = connection.execute(select(rows).where(sa.or_(*broken)).order_by(rows.c.seq)).mappings().all()
    for text, flag in zip(rules, flags, strict=True):
        ids = list(dict.fromkeys(row["id"] for row in found if row[flag.name]))
        if ids:
            yield f"the journal has {count(len(ids), 'match', 'matches')} {text} ({shorten(ids)})"


def _counter_faults(connection: Connection, league: League) -> Iterator[str]:
    posts = select(func.count(), func.count(_JOURNAL.id.distinct()))
    posted, ids = connection.execute(posts.where(_JOURNAL.league_id == league.id, _JOURNAL.kind == "post")).one()
    if posted != league.posted:
        yield f"{count(league.posted, 'match was', 'matches were')} posted, but the journal has {posted:,}"
    if ids != posted:
        yield f"{count(posted - ids, 'match has', 'matches have')} the id of another match"
    last = journal.last_time(connection, league)
    if last != league.last_time:
        times = [str(clock.show(league.clock, time)) for time in (last, league.last_time)]
        yield f"the latest match is at {times[0]}, but the league's row says {times[1]}"
    numbers = [generation.number for generation in leagues.list_generations(connection, league)]
    if numbers != list(range(1, league.generation + 1)):
        yield f"the league has models {shorten(numbers)}, but its row says that model {league.generation} is current"


def _alias_faults(connection: Connection, league: League) -> Iterator[str]:
    """Yield a sentence if aliases do not lead to their players, and another if aliases have matches of their own."""
    columns = schema.alias.c
    rows = connection.execute(
        select(columns.alias, columns.target, columns.player).where(columns.league_id == league.id)
    )
    targets, players = {}, {}
    for alias, target, player in rows:
        targets[alias], players[alias] = target, player
    if not targets:
        return
    wrong = [alias for alias in targets if _end_of_chain(targets, alias) != players[alias]]
    if wrong:
        yield f"{count(len(wrong), 'alias does', 'aliases do')} not lead to the right player ({shorten(wrong)})"
    rated = ratings.load_players(connection, league, list(targets)).names
    if rated:
        yield f"{count(len(rated), 'alias has', 'aliases have')} matches of their own ({shorten(rated)})"


def _end_of_chain(targets: Mapping[str, str], alias: str) -> str | None:
    # None means that the chain is circular.
    for _ in range(len(targets) + 1):
        if alias not in targets:
            return alias
        alias = targets[alias]
    return None


def _replay_faults(connection: Connection, rated: RatedGeneration, history: History) -> Iterator[tuple[str, str]]:
    """Replay the journal; yield the name of each check that fails, with a sentence about the difference."""
    league, wrong = rated.league, 0
    checkpoints = list_checkpoints(connection, league)
    for checkpoint, (matches, ladder) in zip_longest(checkpoints, _replay_to(rated, history, checkpoints)):
        if checkpoint is not None:
            wrong += checkpoint.matches != matches or not _is_same(ladder, checkpoint.ladder)
    if wrong:
        some = count(wrong, f"checkpoint of {len(checkpoints)} differs", f"checkpoints of {len(checkpoints)} differ")
        yield "checkpoints", f"{some} from a replay of the journal"
    stored = ratings.load_all(connection, league)
    players = ratings.changed_players(ladder, stored)
    if players:
        some = count(len(players), f"rating of {len(ladder):,} differs", f"ratings of {len(ladder):,} differ")
        yield "ratings", f"{some} from a replay of the journal ({shorten(players)})"
    elif not _is_same(ladder, stored):
        yield "ratings", "what the model has learnt about the league differs from a replay of the journal"


def _is_same(ladder: Ladder, other: Ladder) -> bool:
    return not ratings.changed_players(ladder, other) and facets.pack_memory(ladder) == facets.pack_memory(other)


def _replay_to(
    rated: RatedGeneration, history: History, checkpoints: Sequence[Checkpoint]
) -> Iterator[tuple[int, Ladder]]:
    """Rate all matches; at each checkpoint and at the end, yield the number of rated matches and the ladder.

    Unlike a correction, this replay never starts from a checkpoint, because checkpoints may be damaged.
    """
    ladder, rows = Ladder(rated.league.model), rated.rows
    times, numbers = rows.time[rows.order], rows.seq[rows.order]
    done, since = 0, -inf
    for position in [*(checkpoint.position for checkpoint in checkpoints), Position(inf, 0)]:
        end = int(((times < position.time) | ((times == position.time) & (numbers <= position.seq))).sum())
        new = [season for season in rated.seasons if since < season.start <= position.time]
        for matches, _, season in stretches(history[done:end], new):
            ratings.learn(ladder, matches)
            if season is not None:
                season.begin(ladder)
        yield end, ladder
        done, since = end, position.time


def shorten(names: Iterable[object]) -> str:
    """Return the first three names, separated by commas; an ellipsis shows that there are more.

    >>> shorten(["ann", "bob", "cat", "dan"])
    'ann, bob, cat, …'
    """
    some = [str(name) for name in islice(names, NAMED + 1)]
    return ", ".join(some[:NAMED]) + (", …" if len(some) > NAMED else "")


def examine_backups(folder: Path) -> Check:
    """Check that the latest backup in a folder is recent and intact."""
    files = [path for path in folder.iterdir() if path.is_file() and is_backup(path)] if folder.is_dir() else []
    if not files:
        return Check("backup", "problem", f"{folder} has no backup.", BACK_UP)
    latest = max(files, key=lambda path: path.stat().st_mtime)
    hours = (time() - latest.stat().st_mtime) / 3600
    try:
        verify(latest)
    except Error as error:
        return Check("backup", "problem", f"The latest backup cannot be restored: {error}.", BACK_UP)
    if hours > STALE:
        return Check("backup", "problem", f"The latest backup, {latest}, is {hours / 24:.0f} days old.", BACK_UP)
    return Check("backup", "ok", f"The latest backup, {latest}, is intact and {hours:.0f} hours old.")


def repair(database: Database, name: str, author: str = "") -> None:
    """Replay the journal of a league and replace its ratings and checkpoints; the journal stays unchanged.

    The league gets a new revision, so that every process of a running service reads the ratings again.
    """
    with database.writing() as connection:
        lock_league(connection, leagues.find(connection, name).id)
        league = leagues.find(connection, name)
        if league.replaying:
            raise Conflict(f"{name}: a correction is under way; repair the league when it has ended", value=name)
        revision = advance_counters(connection, league, 1, 0, None)[0] + 1
        for rated in rated_generations(connection, replace(league, revision=revision)):
            rebuild(connection, rated)
        # End the lease of a long correction under way, which may have read wrong ratings, so that it starts again.
        leagues.update_row(connection, league, corrected=revision, replay_until=None)
        audit.write(connection, author, "repair ratings", name, revision=revision)
