"""Aliases: other names of a league's players. Matches posted under an alias are recorded for its player.

The `target` of an alias is a name that may itself be an alias; `player` is the name at the end of this chain. If a
match was posted under a name that is now an alias, the table `alias_use` keeps the posted name. So a player's name in a
match is always the end of the chain that begins at the posted name. To undo a merge, the chains are changed, and then
the names in the matches.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from sqlalchemy import Connection, bindparam, delete, insert, or_, select, tuple_, update

from ..errors import Error
from ..history import History
from ..history.ragged import owners
from . import leagues
from .db import schema
from .db.database import InList, RawStatement, write_many
from .leagues import League

_ALIAS, _USE = schema.alias.c, schema.alias_use.c
_CHANGE, _DISTINCT = schema.name_change.c, schema.distinct_name.c
_PLAYERS = RawStatement(
    select(_ALIAS.alias, _ALIAS.player).where(_ALIAS.league_id == bindparam("league"), InList(_ALIAS.alias, "names"))
)
_USES = RawStatement(
    select(_USE.seq, _USE.alias).where(_USE.league_id == bindparam("league"), InList(_USE.alias, "names"))
)
_RATING = schema.rating.c
_STATES = RawStatement(
    select(_RATING.player, _RATING.state).where(
        _RATING.league_id == bindparam("league"),
        _RATING.rating_set == bindparam("set"),
        InList(_RATING.player, "names"),
    )
)


@dataclass(frozen=True)
class Alias:
    """An alias of a player, and the revision that introduced it.

    >>> Alias("Jeevo", "Deevo", 7).player
    'Deevo'
    """

    alias: str
    player: str
    revision: int


@dataclass(frozen=True)
class NameChange:
    """A recorded change of names: a merge, a rename, an alias added or removed, or the undoing of a merge or rename.

    `player` is the name that became an alias of `target`, or ceased to be one. Both names are None if one of the
    players was anonymised later. `ended` maps aliases that a rename removed, because their names are used again, to
    their targets. `undone` is the revision that undid the change. `made_at` is a Unix time.

    >>> NameChange(7, "merge", "Jeevo", "Deevo", {}, None, "ann", "a typo", 0.0, True).kind
    'merge'
    """

    revision: int
    kind: str
    player: str | None
    target: str | None
    ended: Mapping[str, str]
    undone: int | None
    author: str
    reason: str
    made_at: float
    undoable: bool


@dataclass(frozen=True)
class Chains:
    """The aliases of a league. The target of each alias may be an alias itself.

    >>> chains = Chains({"J.": "Jeevo", "Jeevo": "Deevo"})
    >>> chains.player("J."), chains.player("Deevo"), chains.names("Deevo")
    ('Deevo', 'Deevo', ['J.', 'Jeevo'])
    """

    targets: Mapping[str, str]

    def player(self, name: str) -> str:
        """Return the player to whom a name belongs: the end of its chain of aliases."""
        while name in self.targets:
            name = self.targets[name]
        return name

    def names(self, player: str) -> list[str]:
        """Return all aliases of a player."""
        return [alias for alias, end in self.players.items() if end == player]

    @cached_property
    def players(self) -> dict[str, str]:
        """The mapping from every alias to its player."""
        return {alias: self.player(alias) for alias in self.targets}

    def changed(self, removed: Iterable[str], added: Mapping[str, str]) -> Chains:
        """Return a copy without the aliases in `removed`, and with those in `added`."""
        gone = set(removed)
        return Chains({alias: target for alias, target in self.targets.items() if alias not in gone} | dict(added))


def load_chains(connection: Connection, league: League) -> Chains:
    """Return the aliases of a league."""
    query = select(_ALIAS.alias, _ALIAS.target).where(_ALIAS.league_id == league.id)
    rows = connection.execute(query).all() if league.alias_revision else []
    return Chains({row.alias: row.target for row in rows})


def players_of(connection: Connection, league: League, names: Sequence[str]) -> dict[str, str]:
    """Return a mapping from those names that are aliases to their players."""
    return dict(_PLAYERS(connection, league=league.id, names=list(names))) if league.alias_revision and names else {}


def list_aliases(connection: Connection, league: League) -> list[Alias]:
    """Return the aliases of a league, sorted by player and name."""
    query = select(_ALIAS.alias, _ALIAS.player, _ALIAS.revision).where(_ALIAS.league_id == league.id)
    return [Alias(*row) for row in connection.execute(query.order_by(_ALIAS.player, _ALIAS.alias))]


def list_changes(connection: Connection, league: League) -> list[NameChange]:
    """Return all changes of names in a league, newest first."""
    targets = load_chains(connection, league).targets
    columns = [_CHANGE[name] for name in NameChange.__dataclass_fields__ if name != "undoable"]
    query = select(*columns).where(_CHANGE.league_id == league.id).order_by(_CHANGE.revision.desc())
    changes = []
    for row in connection.execute(query).mappings():
        change = NameChange(**{**row, "ended": json.loads(row["ended"] or "{}")}, undoable=False)
        changes.append(replace(change, undoable=_is_undoable(change, targets)))
    return changes


def _is_undoable(change: NameChange, targets: Mapping[str, str]) -> bool:
    if change.kind not in ("merge", "rename") or change.undone is not None or change.player is None:
        return False
    return targets.get(change.player) == change.target and not change.ended.keys() & targets.keys()


def save_chains(connection: Connection, league: League, before: Chains, after: Chains, revision: int) -> None:
    """Write the difference between the aliases of a league before and after a change."""
    old, new = _rows(before), _rows(after)
    gone = [alias for alias in before.targets if alias not in after.targets]
    if gone:
        connection.execute(delete(schema.alias).where(_ALIAS.league_id == league.id, _ALIAS.alias.in_(gone)))
    changed = [(league.id, alias, *row, revision) for alias, row in new.items() if old.get(alias) != row]
    write_many(connection, schema.alias, changed, replacing=True)
    leagues.update_row(connection, league, alias_revision=revision)


def _rows(chains: Chains) -> dict[str, tuple[str, str]]:
    return {alias: (target, chains.players[alias]) for alias, target in chains.targets.items()}


# The names under which matches were posted


def uses_of(connection: Connection, league: League, names: Iterable[str]) -> list[tuple[int, str]]:
    """Return the matches that were posted under one of the names, as pairs of a match number and an alias."""
    wanted = list(names)
    return _USES(connection, league=league.id, names=wanted) if wanted else []


def uses_in(connection: Connection, league: League, seq: int) -> list[str]:
    """Return the aliases that were used when a match was posted."""
    query = select(_USE.alias).where(_USE.league_id == league.id, _USE.seq == seq)
    return list(connection.execute(query).scalars()) if league.alias_revision else []


def add_uses(connection: Connection, league: League, uses: Iterable[tuple[int, str]]) -> None:
    """Record that matches were posted under aliases; `uses` are pairs of a match number and an alias."""
    write_many(connection, schema.alias_use, [(league.id, alias, seq) for seq, alias in uses])


def drop_uses(connection: Connection, league: League, uses: Sequence[tuple[int, str]]) -> None:
    """Delete these records of matches that were posted under aliases, given as in `add_uses`."""
    if uses:
        own = (_USE.league_id == league.id, tuple_(_USE.seq, _USE.alias).in_(uses))
        connection.execute(delete(schema.alias_use).where(*own))


def drop_all_uses(connection: Connection, league: League, names: Sequence[str]) -> None:
    """Delete the records of all matches that were posted under one of the names."""
    if names:
        connection.execute(delete(schema.alias_use).where(_USE.league_id == league.id, _USE.alias.in_(names)))


# The record of changes


def add_change(connection: Connection, league: League, change: NameChange) -> None:
    """Record a change of names."""
    row = {name: getattr(change, name) for name in NameChange.__dataclass_fields__ if name not in ("undoable", "ended")}
    row |= {
        "league_id": league.id,
        "ended": json.dumps(dict(change.ended), ensure_ascii=False) if change.ended else None,
    }
    connection.execute(insert(schema.name_change).values(row))


def mark_undone(connection: Connection, league: League, revision: int, undone: int) -> None:
    """Record which revision undid a change."""
    own = (_CHANGE.league_id == league.id, _CHANGE.revision == revision)
    connection.execute(update(schema.name_change).where(*own).values(undone=undone))


def names_of(connection: Connection, league: League, player: str) -> list[str]:
    """Return all names that a player has had, current name first, except names from renames that were undone.

    A name that another player has now is left out, although earlier versions of matches may contain it.
    """
    chains = load_chains(connection, league)
    names = dict.fromkeys([chains.player(player), *chains.names(chains.player(player))])
    for change in list_changes(connection, league):  # newest first, so that ever earlier names are found
        made = change.kind in ("merge", "rename") and change.undone is None
        if made and change.target in names and change.player is not None:
            names.setdefault(change.player)
    others = [name for name in names if name not in chains.targets and name != chains.player(player)]
    rated = {
        name for name, state in _STATES(connection, league=league.id, set=league.rating_set, names=others) if state
    }
    return [name for name in names if name not in rated]


def erase_names(connection: Connection, league: League, names: Mapping[str, str], keep: bool) -> None:
    """Remove names from the aliases of a league and from its record of changes.

    Changes that involve these names can no longer be undone.

    `names` maps each name to a pseudonym. With `keep`, the pseudonym of every name except the first becomes an alias of
    the first pseudonym.
    """
    current, *others = names.values()
    before = load_chains(connection, league)
    gone = [alias for alias, target in before.targets.items() if names.keys() & {alias, target}]
    after = before.changed(gone, dict.fromkeys(others if keep else (), current))
    if after != before:
        save_chains(connection, league, before, after, league.revision + 1)
        drop_all_uses(connection, league, gone)
    for change in list_changes(connection, league):
        if names.keys() & {change.player, change.target, *change.ended, *change.ended.values()}:
            own = (_CHANGE.league_id == league.id, _CHANGE.revision == change.revision)
            connection.execute(update(schema.name_change).where(*own).values(player=None, target=None, ended=None))
    either = or_(_DISTINCT.first.in_(names), _DISTINCT.second.in_(names))
    connection.execute(delete(schema.distinct_name).where(_DISTINCT.league_id == league.id, either))


# Names that look alike


def list_distinct(connection: Connection, league: League) -> set[tuple[str, str]]:
    """Return the pairs of names that an admin has declared to be different players."""
    query = select(_DISTINCT.first, _DISTINCT.second).where(_DISTINCT.league_id == league.id)
    return {(first, second) for first, second in connection.execute(query)}


def set_distinct(connection: Connection, league: League, names: Sequence[str]) -> None:
    """Declare that two names belong to different players, so that they are no longer suggested for merging."""
    first, second = sorted(names)
    if (first, second) not in list_distinct(connection, league):
        write_many(connection, schema.distinct_name, [(league.id, first, second)])


# Matches


def given_aliases(history: History, players: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yield the index of every match in which an alias is used, with the alias; `players` maps aliases to players."""
    rows = [row for row, name in enumerate(history.players) if name in players]
    entries = np.flatnonzero(np.isin(history.player, rows))
    match = owners(history.match_start)[owners(history.team_start)[entries]]
    for index, row in zip(match.tolist(), history.player[entries].tolist(), strict=True):
        yield index, history.players[row]


def rename_players(history: History, names: Mapping[str, str], *, secret: bool = False) -> History:
    """Rename players; raises `Error` if a match then lists a player twice.

    If `secret` is true, the message omits the old names.

    >>> match = {"teams": [["Jeevo"], ["Deevo"]]}
    >>> rename_players(History.from_matches([match]), {"Jeevo": "Deevo"})
    Traceback (most recent call last):
    ...
    prowess.Error: match 1: teams: Deevo is listed twice, also as 'Jeevo'
    """
    renamed = [names.get(name, name) for name in history.players]
    players = {name: row for row, name in enumerate(dict.fromkeys(renamed))}
    rows = np.array([players[name] for name in renamed], history.player.dtype)
    player = rows[history.player]
    if len(players) < len(renamed):
        match = owners(history.match_start)[owners(history.team_start)]
        order = np.lexsort((player, match))
        twice = (np.diff(match[order]) == 0) & (np.diff(player[order]) == 0)
        if twice.any():
            at = int(twice.argmax())
            name, number = list(players)[player[order[at]]], int(match[order[at]])
            given = sorted({history.players[history.player[entry]] for entry in order[at : at + 2]} - {name})
            also = "" if secret else f", also as {' and '.join(map(repr, given))}"
            text = f"match {number + 1}: teams: {name} is listed twice{also}"
            raise Error(text, match=number, field="teams", value=name)
    return replace(history, players=tuple(players), player=player)
