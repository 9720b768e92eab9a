"""Corrections of past matches: late, edited and deleted matches, model changes, new seasons, renamed players.

Planning a correction only reads the database; afterwards, the plan is written. A preview stops after planning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

from sqlalchemy import Connection

from ...errors import Error
from ...history.context.columns import Kind
from ...model.engine_version import ENGINE_VERSION
from ...model.ladder.ladder import Ladder
from ...model.model import Model
from .. import aliases, audit, clock, facets, leagues, ratings, seasons
from ..errors import Conflict
from ..journal import journal
from ..journal.context import is_same, is_same_in
from ..journal.journal import START, Entry, Position
from ..leagues import League
from ..seasons import Season
from .commands import (
    AddAlias,
    ChangeModel,
    Command,
    CommandResult,
    Delete,
    Edit,
    NewSeason,
    Post,
    Rederive,
    RemoveAlias,
    Rename,
    UndoRename,
)
from .posts import (
    advance_counters,
    check_future,
    context_edits,
    find_repeated,
    fit_context,
    locate_in_post,
    validate,
    with_aliases,
)
from .renaming import (
    RenamedMatch,
    Renaming,
    plan_new_alias,
    plan_removal,
    plan_rename,
    plan_undo,
    renamed_matches,
    write_renaming,
)
from .replay import Replay, drop_checkpoints, replay, save_checkpoints


@dataclass(frozen=True, eq=False)
class Plan:
    """A planned correction that is not written yet.

    `removed` are the numbers of the matches whose journal rows are superseded, and `added` are the new rows. `posted`
    counts the new rows that are new matches, not corrections. The league must be rated again from the position `since`
    on; `replay` has the new ratings. Both `since` and `replay` are None if nothing must be rated again. `annotated` are
    new rows by which an import or an edit changes only the context of matches; `rerated` are those among them that
    change a column of which the model has a facet or a statistic, so that ratings change, too. `renaming` is the change
    of the league's aliases. `uses` has the id and the alias of each match that was posted under an alias.
    `dropped_uses` has the number and the alias of each match that no longer counts as posted under this alias. `league`
    is the league after the correction, and `result` is the result of the command. `context_kinds` are the context
    columns after the correction.
    """

    command: Command
    league: League
    result: CommandResult
    since: Position | None = None
    replay: Replay | None = None
    removed: Sequence[int] = ()
    added: Sequence[Entry] = ()
    posted: int = 0
    season: Season | None = None
    renaming: Renaming | None = None
    uses: Sequence[tuple[str, str]] = ()
    dropped_uses: Sequence[tuple[int, str]] = ()
    annotated: Sequence[Entry] = ()
    rerated: Sequence[Entry] = ()
    context_kinds: Mapping[str, Kind] | None = None

    @property
    def is_new_generation(self) -> bool:
        """Whether the correction rates all matches again in a new generation; the old ratings are kept."""
        return isinstance(self.command, ChangeModel | Rederive)

    @property
    def unrated(self) -> list[int]:
        """The numbers of the matches that are left out of the new ratings, or are rated in another version."""
        return [*self.removed, *(entry.seq for entry in self.rerated)]

    @property
    def rated(self) -> list[Entry]:
        """The new rows that are rated: the added rows, and those with another context."""
        return [*self.added, *self.rerated]

    def seasons(self, connection: Connection) -> list[Season]:
        """Return the seasons of the league after the correction, in chronological order."""
        new = [] if self.season is None else [self.season]
        return sorted([*seasons.list_seasons(connection, self.league), *new], key=lambda season: season.start)

    def with_ratings(self, before: Ladder, after: Ladder) -> Plan:
        """Return a copy of the plan whose result has the ratings before and after the correction."""
        players = after.names if self.is_new_generation else ratings.changed_players(after, before)
        return replace(self, result=replace(self.result, players=players, before=before, after=after))

    def with_renamed(self, matches: Sequence[RenamedMatch]) -> Plan:
        """Return a copy of the plan with more matches in which players are renamed."""
        if not matches:
            return self
        ids, times = [match.old.id for match in matches], [match.old.time for match in matches]
        result = replace(
            self.result,
            ids=[*self.result.ids, *ids],
            times=[*self.result.times, *times],
            repeated=[*self.result.repeated, *[False] * len(ids)],
        )
        return replace(
            self,
            result=result,
            removed=[*self.removed, *(match.old.seq for match in matches)],
            added=[*self.added, *(match.new for match in matches)],
            uses=[*self.uses, *((match.new.id, alias) for match in matches for alias in match.uses)],
        )


def plan(connection: Connection, command: Command) -> Plan:
    """Plan a correction and rate the league again, without writing anything."""
    planned = draft(connection, command)
    if planned.since is None:
        return planned
    before = ratings.load_all(connection, leagues.find(connection, command.league))
    changes = planned.unrated, planned.rated
    try:
        replayed = replay(connection, planned.league, planned.seasons(connection), planned.since, *changes)
    except Error as error:
        raise locate_in_post(error, planned.result.ids) from None
    return replace(planned.with_ratings(before, replayed.ladder), replay=replayed)


def draft(connection: Connection, command: Command) -> Plan:
    """Plan a correction, but do not rate the league again yet."""
    league = leagues.find(connection, command.league)
    league.check_writable()
    return _draft(command, connection, league)


@singledispatch
def _draft(command: Command, connection: Connection, league: League) -> Plan:
    raise TypeError(f"unknown command: {command!r}")


@_draft.register
def _(command: Post, connection: Connection, league: League) -> Plan:
    post = with_aliases(connection, league, validate(command, league.clock))
    post, kinds = fit_context(connection, league, post, league.context_kinds)
    first_posts = journal.first_posts(connection, league, post.ids if post.own_ids else ())
    recorded = find_repeated(connection, league, post, first_posts)
    new = post.without(recorded).at(clock.now())
    check_future(new, league.settings)
    added = new.entries(league.posted + 1)
    times = {entry.id: entry.time for entry in [*added, *recorded.values()]}
    repeated = [id in recorded for id in post.ids]
    result = _result(league, post.ids, [times[id] for id in post.ids], repeated, post.players)
    result = replace(result, aliases=post.aliases)
    uses = [use for use in post.uses if use[0] not in recorded]
    edits = context_edits(connection, league, post, recorded)
    rerated = _rerated(connection, league, edits)
    since = min((entry.position for entry in [*added, *rerated]), default=None)
    planned = Plan(command, league, result, since, added=added, posted=len(added), uses=uses)
    return replace(planned, annotated=edits, rerated=rerated, context_kinds=kinds)


def _rerated(connection: Connection, league: League, edits: Sequence[Entry]) -> list[Entry]:
    """Return the edits of the context that change a rating."""
    columns = league.model.context_columns
    if not columns or not edits:
        return []
    current = journal.current_entries(connection, league, [edit.seq for edit in edits])
    old = {entry.seq: entry.context for entry in current}
    return [edit for edit in edits if not is_same_in(columns, edit.context, old.get(edit.seq))]


@_draft.register
def _(command: Edit, connection: Connection, league: League) -> Plan:
    old = journal.get(connection, league, command.id)
    if command.match.get("id", old.id) != old.id:
        text = f"a match keeps its id: {old.id!r} cannot become {command.match['id']!r}"
        raise Error.in_field("id", text, value=command.match["id"])
    untimed = command.match.get("time") is None
    time = clock.show(league.clock, old.time) if untimed else command.match["time"]
    post = validate(Post(command.league, [{**command.match, "id": old.id, "time": time}]), league.clock)
    post = with_aliases(connection, league, post)
    post, kinds = fit_context(connection, league, post, league.context_kinds, old.seq)
    [new] = post.entries(old.seq)
    if new.time != old.time:
        check_future(post, league.settings)
    new = new._replace(kind="edit", stamped=untimed and old.stamped)
    same = (old.body, old.time) == (new.body, new.time) and is_same(old.context, new.context)
    result = replace(_result(league, [old.id], [new.time], [same], post.players), aliases=post.aliases)
    if same:
        return Plan(command, league, result)
    given = aliases.uses_in(connection, league, old.seq)
    players = aliases.players_of(connection, league, given)
    own = set(post.players) - set(post.aliases.values())  # players who are given by their own names
    dropped = [(old.seq, alias) for alias in given if alias not in post.aliases and players.get(alias) not in own]
    uses = [use for use in post.uses if use[1] not in given]
    planned = Plan(command, league, result, uses=uses, dropped_uses=dropped, context_kinds=kinds)
    return _with_amendment(connection, planned, command, old, new)


@_draft.register
def _(command: Delete, connection: Connection, league: League) -> Plan:
    old = journal.get(connection, league, command.id)
    planned = Plan(command, league, _result(league, [old.id], [old.time], [old.body is None]))
    if old.body is None:
        return planned
    dropped = [(old.seq, alias) for alias in aliases.uses_in(connection, league, old.seq)]
    planned = replace(planned, dropped_uses=dropped)
    return _with_amendment(connection, planned, command, old, old._replace(kind="delete", body=None, context=None))


@_draft.register
def _(command: ChangeModel, connection: Connection, league: League) -> Plan:
    replaces = league.generation if command.replaces is None else command.replaces
    if not leagues.first_generation(connection, league) <= replaces <= league.generation:
        text = f"the model of league {league.name!r} was changed in the meantime; look at the current model first"
        raise Conflict(text, field="league", value=league.name)
    if command.unrated and league.posted:
        raise Conflict(f"league {league.name!r} already has matches", field="league", value=league.name)
    model = command.preset.model
    if model == league.model:
        return Plan(command, league, _result(league))
    return _with_new_generation(command, league, replace(league, model=model, preset=command.preset))


@_draft.register
def _(command: Rederive, connection: Connection, league: League) -> Plan:
    if not league.outdated:
        return Plan(command, league, _result(league))
    if not league.posted:  # no rating was derived yet, so the generation stays
        return Plan(command, replace(league, **_underived(league.model)), _result(league))
    return _with_new_generation(command, league, league)


def _with_new_generation(command: ChangeModel | Rederive, league: League, changed: League) -> Plan:
    changed = replace(changed, generation=league.generation + 1, rating_set=league.rating_sets + 1)
    return Plan(command, replace(changed, **_underived(changed.model)), _result(league), START)


def _underived(model: Model) -> dict[str, Any]:
    return {"memory": facets.pack_memory(Ladder(model)), "engine_version": ENGINE_VERSION}


@_draft.register
def _(command: NewSeason, connection: Connection, league: League) -> Plan:
    season = seasons.build_season(connection, league, command.name, command.start, command.carry, command.tau)
    return Plan(command, league, _result(league), Position(season.start, 0), season=season)


@_draft.register
def _(command: Rename, connection: Connection, league: League) -> Plan:
    return _plan_renaming(connection, command, league, plan_rename(connection, league, command))


@_draft.register
def _(command: UndoRename, connection: Connection, league: League) -> Plan:
    return _plan_renaming(connection, command, league, plan_undo(connection, league, command))


@_draft.register
def _(command: AddAlias, connection: Connection, league: League) -> Plan:
    return _plan_renaming(connection, command, league, plan_new_alias(connection, league, command))


@_draft.register
def _(command: RemoveAlias, connection: Connection, league: League) -> Plan:
    return _plan_renaming(connection, command, league, plan_removal(connection, league, command))


def _plan_renaming(connection: Connection, command: Command, league: League, change: Renaming | None) -> Plan:
    if change is None:
        return Plan(command, league, _result(league, repeated=[True]))
    own = [*change.names, *change.names.values()]
    result = replace(_result(league, own=own), aliases=change.names, merged=change.kind == "merge")
    matches = renamed_matches(connection, league, change)
    since = min((match.old.position for match in matches), default=None)
    return Plan(command, league, result, since, renaming=change).with_renamed(matches)


def _result(
    league: League,
    ids: Sequence[str] = (),
    times: Sequence[float] = (),
    repeated: Sequence[bool] = (),
    own: Sequence[str] = (),
) -> CommandResult:
    return CommandResult(league.name, league.revision, ids, times, repeated, own=own)


def _with_amendment(connection: Connection, planned: Plan, command: Edit | Delete, old: Entry, new: Entry) -> Plan:
    last = journal.revisions(connection, planned.league, command.id)[-1]
    if command.seen not in (None, last["revision"]):
        who = f" by {last['author']}" if last["author"] else ""
        raise Conflict(
            f"match {command.id!r} was changed{who} since you opened it: check the current version", value=command.id
        )
    if (old.body, old.time) == (new.body, new.time):
        changes_rating = not is_same_in(planned.league.model.context_columns, old.context, new.context)
        planned = replace(planned, annotated=[new], rerated=[new] if changes_rating else ())
        return replace(planned, since=new.position) if changes_rating else planned
    return replace(planned, since=min(old.position, new.position), removed=[old.seq], added=[new])


def write_plan(connection: Connection, planned: Plan) -> CommandResult:
    """Write a correction that was planned in the same transaction."""
    league, replayed = planned.league, planned.replay
    if planned.since is None or replayed is None:
        if isinstance(planned.command, Rederive) and not league.posted:
            leagues.update_generation(connection, league, **_underived(league.model))
        if planned.renaming is None and not planned.annotated:
            return planned.result
        return replace(planned.result, revision=write_changes(connection, planned))  # no rating changes
    revision = write_changes(connection, planned)
    if planned.is_new_generation:
        drop_checkpoints(connection, leagues.with_generation(connection, league, league.generation - 1), START)
    drop_checkpoints(connection, league, planned.since)
    save_checkpoints(connection, league, replayed.checkpoints)
    ratings.save(connection, league, replayed.ladder, dict.fromkeys(planned.result.players, revision))
    return replace(planned.result, revision=revision)


def write_changes(connection: Connection, planned: Plan) -> int:
    """Write everything of a correction except ratings and checkpoints; return the new revision."""
    league, command, added = planned.league, planned.command, planned.added
    revision, seq = advance_counters(connection, league, 1, planned.posted, None)
    revision += 1
    if planned.posted:  # other matches may have been posted since the correction was planned
        added = [entry._replace(seq=number) for number, entry in enumerate(added, seq + 1)]
    journal.supersede(connection, league, [*planned.removed, *(entry.seq for entry in planned.annotated)], revision)
    reason = command.reason
    if planned.renaming is not None:
        reason = ": ".join(filter(None, [planned.renaming.reason, command.reason]))
    journal.append(connection, league, [*added, *planned.annotated], revision, command.author, reason)
    written = {entry.id: entry.seq for entry in [*added, *planned.annotated]}
    _write_names(connection, planned, written, revision)
    if planned.context_kinds is not None:
        leagues.set_context_kinds(connection, league, planned.context_kinds)
    if planned.is_new_generation:
        _write_generation(connection, league, command, revision)
    if planned.season is not None:
        name = planned.season.name
        seasons.add(connection, league, planned.season, revision, command.author)
        audit.write(connection, command.author, "new season", league.name, season=name, reason=command.reason)
    # End an expired lease, so that its long correction starts again and does not overwrite this change.
    values: dict[str, Any] = {"replay_until": None}
    if planned.since is not None:  # otherwise no rating depends on the change
        values |= {"corrected": revision, "last_time": journal.last_time(connection, league)}
    leagues.update_row(connection, league, **values)
    return revision


def _write_names(connection: Connection, planned: Plan, seqs: Mapping[str, int], revision: int) -> None:
    if planned.renaming is not None:
        write_renaming(connection, planned.league, planned.command, planned.renaming, revision)
    aliases.drop_uses(connection, planned.league, planned.dropped_uses)
    aliases.add_uses(connection, planned.league, [(seqs[id], alias) for id, alias in planned.uses])


def _write_generation(connection: Connection, league: League, command: Command, revision: int) -> None:
    author, reason = command.author, command.reason
    about = league.generation, league.rating_set, league.preset, revision, author, reason
    # The stored model is used, because the defaults of its preset may differ between versions.
    leagues.add_generation(connection, league.id, *about, league.model)
    leagues.update_row(connection, league, generation=league.generation, rating_sets=league.rating_set)
    action = "change model" if isinstance(command, ChangeModel) else "rate again"
    audit.write(connection, author, action, league.name, model=league.preset.name, reason=reason)
