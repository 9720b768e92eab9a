"""Corrections of the past: late, edited and deleted matches, model changes, new seasons.

Each is planned first, which only reads, and then written; a preview stops after the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import singledispatch

from sqlalchemy import Connection

from ...errors import Error
from ...model.ladder.ladder import Ladder
from .. import audit, clock, leagues, ratings, seasons
from ..errors import Conflict
from ..journal import journal
from ..journal.journal import START, Entry, Position
from ..leagues import League
from ..seasons import Season
from .commands import ChangeModel, Command, CommandResult, Delete, Edit, NewSeason, Post
from .posts import advance_counters, check_future, find_repeated, locate_in_post, validate, with_aliases
from .replay import Replay, drop_checkpoints, replay, save_checkpoints


@dataclass(frozen=True, eq=False)
class Plan:
    """A planned correction that is not written yet.

    `removed` are the superseded journal rows and `added` the new ones, of which `posted` are new matches. `replay` is
    the result of rating the league again from the position `since` on; None if there is nothing to do. `league` is the
    league after the correction, `result` the result of the command.
    """

    command: Command
    league: League
    result: CommandResult
    since: Position = START
    replay: Replay | None = None
    removed: Sequence[int] = ()
    added: Sequence[Entry] = ()
    posted: int = 0
    season: Season | None = None


def plan(connection: Connection, command: Command) -> Plan:
    """Plan a correction without writing anything."""
    league = leagues.find(connection, command.league)
    league.check_writable()
    return _plan(command, connection, league)


@singledispatch
def _plan(command: Command, connection: Connection, league: League) -> Plan:
    raise TypeError(f"unknown command: {command!r}")


@_plan.register
def _(command: Post, connection: Connection, league: League) -> Plan:
    post = with_aliases(connection, league, validate(command, league.clock))
    first_posts = journal.first_posts(connection, league, post.ids if post.own_ids else ())
    recorded = find_repeated(connection, league, post, first_posts)
    new = post.without(recorded).at(clock.now())
    check_future(new, league.settings)
    added = new.entries(league.posted + 1)
    times = {entry.id: entry.time for entry in [*added, *recorded.values()]}
    repeated = [id in recorded for id in post.ids]
    result = _result(league, post.ids, [times[id] for id in post.ids], repeated, post.players)
    return _with_replay(connection, Plan(command, league, result, added=added, posted=len(added)))


@_plan.register
def _(command: Edit, connection: Connection, league: League) -> Plan:
    old = journal.get(connection, league, command.id)
    if command.match.get("id", old.id) != old.id:
        text = f"a match keeps its id: {old.id!r} cannot become {command.match['id']!r}"
        raise Error.in_field("id", text, value=command.match["id"])
    untimed = command.match.get("time") is None
    time = clock.show(league.clock, old.time) if untimed else command.match["time"]
    post = validate(Post(command.league, [{**command.match, "id": old.id, "time": time}]), league.clock)
    post = with_aliases(connection, league, post)
    [new] = post.entries(old.seq)
    if new.time != old.time:
        check_future(post, league.settings)
    new = new._replace(kind="edit", stamped=untimed and old.stamped)
    same = (old.body, old.time) == (new.body, new.time)
    planned = Plan(command, league, _result(league, [old.id], [new.time], [same], post.players))
    return planned if same else _with_amendment(connection, planned, command, old, new)


@_plan.register
def _(command: Delete, connection: Connection, league: League) -> Plan:
    old = journal.get(connection, league, command.id)
    planned = Plan(command, league, _result(league, [old.id], [old.time], [old.body is None]))
    if old.body is None:
        return planned
    return _with_amendment(connection, planned, command, old, old._replace(kind="delete", body=None))


@_plan.register
def _(command: ChangeModel, connection: Connection, league: League) -> Plan:
    model = command.preset.model
    if model == league.model:
        return Plan(command, league, _result(league))
    memory = Ladder(model).memory.tobytes()
    changed = replace(league, generation=league.generation + 1, rating_set=league.rating_sets + 1)
    changed = replace(changed, model=model, preset=command.preset, memory=memory)
    replayed = replay(connection, changed, seasons.list_seasons(connection, league), START)
    before, after = ratings.load_all(connection, league), replayed.ladder
    result = replace(_result(league), players=after.names, before=before, after=after)
    return Plan(command, changed, result, replay=replayed)


@_plan.register
def _(command: NewSeason, connection: Connection, league: League) -> Plan:
    season = seasons.build_season(connection, league, command.name, command.start, command.carry, command.tau)
    return _with_replay(connection, Plan(command, league, _result(league), season=season))


def _result(
    league: League,
    ids: Sequence[str] = (),
    times: Sequence[float] = (),
    repeated: Sequence[bool] = (),
    own: Sequence[str] = (),
) -> CommandResult:
    return CommandResult(league.name, league.revision, ids, times, repeated, own=own)


def _with_amendment(connection: Connection, planned: Plan, command: Edit | Delete, old: Entry, new: Entry) -> Plan:
    """Replace the row of a match, unless somebody else has changed it since the author saw it."""
    last = journal.revisions(connection, planned.league, command.id)[-1]
    if command.seen not in (None, last["revision"]):
        who = f" by {last['author']}" if last["author"] else ""
        raise Conflict(
            f"match {command.id!r} was changed{who} since you opened it: check the current version", value=command.id
        )
    return _with_replay(connection, replace(planned, removed=[old.seq], added=[new]), old)


def _with_replay(connection: Connection, planned: Plan, *old: Entry) -> Plan:
    """Rate the league again from the first position that a plan changes."""
    league, new = planned.league, [] if planned.season is None else [planned.season]
    touched = [entry.position for entry in [*planned.added, *old]] + [Position(season.start, 0) for season in new]
    if not touched:
        return planned
    all_seasons = sorted([*seasons.list_seasons(connection, league), *new], key=lambda season: season.start)
    try:
        replayed = replay(connection, league, all_seasons, min(touched), planned.removed, planned.added)
    except Error as error:
        raise locate_in_post(error, planned.result.ids) from None
    before, after = ratings.load_all(connection, league), replayed.ladder
    result = replace(planned.result, players=ratings.changed_players(after, before), before=before, after=after)
    return replace(planned, result=result, since=min(touched), replay=replayed)


def write_plan(connection: Connection, planned: Plan) -> CommandResult:
    """Write a correction that was planned in the same transaction."""
    league, command, replayed = planned.league, planned.command, planned.replay
    if replayed is None:
        return planned.result
    revision, seq = advance_counters(connection, league, 1, planned.posted, None)
    assert seq == league.posted, "the league was changed although it is locked"
    revision += 1
    for superseded in planned.removed:
        journal.supersede(connection, league, superseded, revision)
    journal.append(connection, league, planned.added, revision, command.author, command.reason)
    if isinstance(command, ChangeModel):
        _write_model(connection, league, command, revision)
    if planned.season is not None:
        name = planned.season.name
        seasons.add(connection, league, planned.season, revision, command.author)
        audit.write(connection, command.author, "new season", league.name, season=name, reason=command.reason)
    leagues.update_row(connection, league, corrected=revision, last_time=journal.last_time(connection, league))
    drop_checkpoints(connection, league, planned.since)
    save_checkpoints(connection, league, replayed.checkpoints)
    ratings.save(connection, league, replayed.ladder, dict.fromkeys(planned.result.players, revision))
    return replace(planned.result, revision=revision)


def _write_model(connection: Connection, league: League, command: ChangeModel, revision: int) -> None:
    name, author, reason = command.preset.name, command.author, command.reason
    numbers = league.generation, league.rating_set
    drop_checkpoints(connection, leagues.with_generation(connection, league, league.generation - 1), START)
    leagues.add_generation(connection, league.id, *numbers, command.preset, revision, author, reason)
    leagues.update_row(connection, league, generation=league.generation, rating_sets=league.rating_set)
    audit.write(connection, author, "change model", league.name, model=name, reason=reason)
