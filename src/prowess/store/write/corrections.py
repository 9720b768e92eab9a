"""Corrections: matches that come late, are edited or taken out, other models, new seasons.

Each is worked out first, which reads only, and then written; a preview stops after the first.
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
from . import checkpoints
from .append import advance, entries, repeated
from .commands import Act, Delete, Done, Edit, NewSeason, Post, Remodel
from .prepare import in_post, prepare
from .replay import Replayed, replay

__all__ = ["Plan", "plan", "written"]


@dataclass(frozen=True, eq=False)
class Plan:
    """What a correction comes to, before it is written.

    The rows of the journal that hold no longer (`gone`) and those that hold now (`come`), of which `posted` are new;
    from where on the league is rated anew (`since`), and what that gives (`replayed`; None if there is nothing to do).
    `league` is the league as it will be, `done` the answer.
    """

    act: Act
    league: League
    done: Done
    since: Position = START
    replayed: Replayed | None = None
    gone: Sequence[int] = ()
    come: Sequence[Entry] = ()
    posted: int = 0
    season: Season | None = None


def plan(connection: Connection, act: Act) -> Plan:
    """Work out a correction; nothing is written."""
    return _plan(act, connection, leagues.find(connection, act.league))


@singledispatch
def _plan(act: Act, connection: Connection, league: League) -> Plan:
    raise TypeError(f"{act!r} is nothing that can be done to a league")


@_plan.register
def _(act: Post, connection: Connection, league: League) -> Plan:
    post = prepare(act, league.clock)
    posted = journal.first_posts(connection, league, post.ids if post.given else ())
    known = repeated(post, posted, lambda id: journal.found(connection, league, id))
    new = post.without(known).at(clock.now())
    come = entries(new, league.posted + 1)
    times = {one.id: one.time for one in [*come, *known.values()]}
    done = _done(league, post.ids, [times[one] for one in post.ids], [one in known for one in post.ids], post.players)
    return _replayed(connection, Plan(act, league, done, come=come, posted=len(come)))


@_plan.register
def _(act: Edit, connection: Connection, league: League) -> Plan:
    old = journal.entry_of(connection, league, act.id)
    if act.match.get("id", old.id) != old.id:
        raise Error(f"id: a match keeps its id: {old.id!r} cannot become {act.match['id']!r}")
    kept = act.match.get("time") is None
    match = {**act.match, "id": old.id, "time": clock.show(league.clock, old.time) if kept else act.match["time"]}
    post = prepare(Post(act.league, [match]), league.clock)
    [new] = entries(post, old.seq)
    new = new._replace(kind="edit", stamped=kept and old.stamped)
    same = (old.body, old.time) == (new.body, new.time)
    done = _done(league, [old.id], [new.time], [same], post.players)
    if same:
        return Plan(act, league, done)
    _check_seen(connection, league, act)
    return _amended(connection, Plan(act, league, done), old, new)


@_plan.register
def _(act: Delete, connection: Connection, league: League) -> Plan:
    old = journal.entry_of(connection, league, act.id)
    done = _done(league, [old.id], [old.time], [old.body is None])
    if old.body is None:
        return Plan(act, league, done)
    _check_seen(connection, league, act)
    return _amended(connection, Plan(act, league, done), old, old._replace(kind="delete", body=None))


def _check_seen(connection: Connection, league: League, act: Edit | Delete) -> None:
    """Refuse to change a match that somebody else has changed since it was looked at."""
    last = journal.revisions(connection, league, act.id)[-1]
    if act.seen not in (None, last["revision"]):
        who = f" by {last['author']}" if last["author"] else ""
        raise Conflict(f"the match {act.id!r} was changed{who} since you looked at it: look again")


@_plan.register
def _(act: Remodel, connection: Connection, league: League) -> Plan:
    model = act.preset.model
    done = _done(league)
    if model == league.model:
        return Plan(act, league, done)
    memory = Ladder(model).memory.tobytes()
    number = league.generation + 1
    anew = replace(league, generation=number, model=model, preset=act.preset, memory=memory)
    replayed = replay(connection, anew, seasons.listed(connection, league), START)
    before, after = ratings.of_all(connection, league), replayed.ladder
    done = replace(done, players=after.names, before=before, after=after)
    return Plan(act, anew, done, replayed=replayed)


@_plan.register
def _(act: NewSeason, connection: Connection, league: League) -> Plan:
    season = seasons.season_of(connection, league, act)
    return _replayed(connection, Plan(act, league, _done(league), season=season))


def _done(
    league: League,
    ids: Sequence[str] = (),
    times: Sequence[float] = (),
    repeated: Sequence[bool] = (),
    own: Sequence[str] = (),
) -> Done:
    return Done(league.name, league.revision, ids, times, repeated, own=own)


def _amended(connection: Connection, begun: Plan, old: Entry, new: Entry) -> Plan:
    return _replayed(connection, replace(begun, gone=[old.seq], come=[new]), old)


def _replayed(connection: Connection, begun: Plan, *old: Entry) -> Plan:
    """Rate the league anew from the first position that a plan touches."""
    league, season = begun.league, begun.season
    touched = [one.position for one in [*begun.come, *old]] + ([Position(season.start, 0)] if season else [])
    if not touched:
        return begun
    all_seasons = sorted(
        [*seasons.listed(connection, league), *([season] if season else [])], key=lambda one: one.start
    )
    try:
        replayed = replay(connection, league, all_seasons, min(touched), begun.gone, begun.come)
    except Error as error:
        raise in_post(error, begun.done.ids) from None
    before, after = ratings.of_all(connection, league), replayed.ladder
    done = replace(begun.done, players=ratings.differing(after, before), before=before, after=after)
    return replace(begun, done=done, since=min(touched), replayed=replayed)


def written(connection: Connection, planned: Plan) -> Done:
    """Write a correction that was worked out in the same transaction."""
    league, act, replayed = planned.league, planned.act, planned.replayed
    if replayed is None:
        return planned.done
    revision, seq = advance(connection, league, 1, planned.posted, None)
    assert seq == league.posted, "a league was changed by two at once"
    revision += 1
    for one in planned.gone:
        journal.supersede(connection, league, one, revision)
    journal.append(connection, league, planned.come, revision, act)
    if isinstance(act, Remodel):
        _remodel(connection, league, act, revision)
    if planned.season is not None:
        seasons.add(connection, league, planned.season, revision, act.author)
        audit.write(connection, act.author, "new season", league.name, season=planned.season.name, reason=act.reason)
    leagues.set_corrected(connection, league, revision, journal.last_time(connection, league))
    checkpoints.drop(connection, league, planned.since)
    checkpoints.take(connection, league, replayed.passed)
    ratings.keep(connection, league, replayed.ladder, dict.fromkeys(planned.done.players, revision))
    ratings.remember(connection, league, replayed.ladder)
    return replace(planned.done, revision=revision)


def _remodel(connection: Connection, league: League, act: Remodel, revision: int) -> None:
    leagues.add_generation(connection, league.id, league.generation, act.preset, revision, act.author, act.reason)
    leagues.set_generation(connection, league)
    checkpoints.drop(connection, replace(league, generation=league.generation - 1), START)
    audit.write(connection, act.author, "change model", league.name, model=act.preset.name, reason=act.reason)
