"""Plan how renaming or merging players changes the matches and the aliases of a league.

A merge edits every match of the merged player, like any other correction, and the player's old name becomes an alias.
Undoing a merge removes the alias, and restores the name under which each match was posted (see `aliases.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import time
from typing import NamedTuple

from sqlalchemy import Connection

from ...errors import Error
from ...history.names.spelling import name_of, nearest
from ...text import count
from .. import aliases, audit, clock, ratings
from ..aliases import Chains, NameChange
from ..errors import Conflict, NameConflict, NotFound
from ..journal import journal
from ..journal.journal import Entry
from ..leagues import League, storable
from . import erasure
from .commands import AddAlias, Command, RemoveAlias, Rename, UndoRename

LONGEST = 500  # characters of a name: databases cannot index longer ones
ACTIONS = {"merge": "merge players", "rename": "rename player", "undo": "undo rename", "add": "add alias"}
ACTIONS |= {"remove": "remove alias"}


@dataclass(frozen=True, eq=False)
class Renaming:
    """A planned change of the names of a league.

    `player` is the name that becomes an alias of `target`, or ceases to be one. A rename removes an alias whose name is
    used again; `ended` maps such aliases to their targets. `undoes` is the revision that this change undoes, if any.
    """

    kind: str
    player: str
    target: str
    before: Chains
    after: Chains
    ended: Mapping[str, str] = field(default_factory=dict)
    undoes: int | None = None

    @property
    def names(self) -> dict[str, str]:
        """The mapping from the old name to the new name, for messages."""
        return {self.target: self.player} if self.kind == "undo" else {self.player: self.after.player(self.player)}

    @property
    def reason(self) -> str:
        """The reason that the journal gives for the edited matches."""
        if self.kind == "undo":
            return f"{self.target} is {self.player} again"
        [(old, new)] = self.names.items()
        return f"merged {old} into {new}" if self.kind == "merge" else f"renamed {old} to {new}"


class RenamedMatch(NamedTuple):
    """A match in which players are renamed; `uses` are the names in the match that become aliases."""

    old: Entry
    new: Entry
    uses: Sequence[str]


def renamed_matches(connection: Connection, league: League, change: Renaming, since: int = 0) -> list[RenamedMatch]:
    """Return the matches in which names change, in league order; with `since`, only those recorded after that revision.

    Raises `NameConflict` if a player would be in a match twice.
    """
    if change.kind in ("add", "remove"):
        return []
    before, after = change.before, change.after
    entries: dict[int, Entry] = {}
    names: dict[int, dict[str, str]] = {}
    uses: dict[int, list[str]] = {}
    moved = {alias for alias in before.targets if before.player(alias) != after.player(alias)}
    for seq, alias in aliases.uses_of(connection, league, moved):
        names.setdefault(seq, {})[before.player(alias)] = after.player(alias)
    entries |= {entry.seq: entry for entry in journal.current_entries(connection, league, list(names), since)}
    for name in after.targets:
        if name in before.targets:
            continue
        for entry in journal.entries_with(connection, league, name, since):
            entries[entry.seq] = entry
            # If `names` already has the name, the match was posted under an alias of it, and this use is recorded.
            if name not in names.setdefault(entry.seq, {}):
                names[entry.seq][name] = after.player(name)
                uses.setdefault(entry.seq, []).append(name)
    changed = []
    for entry in sorted(entries.values(), key=lambda entry: entry.position):
        if names[entry.seq].keys() & journal.players_in(entry) and entry.body is not None:
            new = entry._replace(kind="edit", body=journal.rename_in(entry.body, names[entry.seq]))
            changed.append(RenamedMatch(entry, new, uses.get(entry.seq, ())))
    _check_conflicts(league, change, changed)
    return changed


def _check_conflicts(league: League, change: Renaming, changed: Iterable[RenamedMatch]) -> None:
    both = [match.old for match in changed if len(journal.players_in(match.new)) < len(journal.players_in(match.old))]
    if not both:
        return
    matches = [(entry.id, clock.show(league.clock, entry.time)) for entry in both]
    id, moment = matches[0]
    date = "" if moment is None else f" ({moment:g})" if isinstance(moment, float) else f" ({moment[:10]})"
    more = f" and in {count(len(both) - 1, 'other match', 'other matches')}" if len(both) > 1 else ""
    [(old, new)] = change.names.items()
    text = f"{old} and {new} both played in match {id!r}{date}{more}, so they cannot be the same player"
    raise NameConflict(text, matches)


# Planning


def plan_rename(connection: Connection, league: League, command: Rename) -> Renaming | None:
    """Plan a rename or a merge; return None if it was already made."""
    old, new = check_name(command.player, "player"), check_name(command.name, "name")
    chains = aliases.load_chains(connection, league)
    target = chains.player(new)
    if old in chains.targets:
        if chains.player(old) == target:
            return None
        raise _is_alias(old, chains.player(old), "rename that player instead")
    for name in (old, target):
        _check_not_anonymous(connection, league, name)
    known = _with_matches(connection, league, [old, target])
    if old not in known:
        raise _unknown(connection, league, old, "player")
    if old == new:
        raise Error.in_field("name", f"the player is already named {new!r}", value=new)
    ended = {new: chains.targets[new]} if target == old else {}
    if target == old:  # an earlier name of the same player is used again
        target = new
    if command.merge and (ended or target not in known):
        raise (
            Conflict(f"{new!r} is an alias of {old!r}", field="name", value=new)
            if ended
            else _unknown(connection, league, target, "name")
        )
    if command.seen is not None:
        _check_unchanged(connection, league, command.seen, [old, target])
    after = chains.changed(ended, {old: target})
    return Renaming("merge" if target in known else "rename", old, target, chains, after, ended)


def plan_undo(connection: Connection, league: League, command: UndoRename) -> Renaming | None:
    """Plan to undo a merge or a rename; return None if it was already undone."""
    changes = aliases.list_changes(connection, league)
    change = next((change for change in changes if change.revision == command.revision), None)
    if change is None or change.kind not in ("merge", "rename"):
        text = f"{league.name} has no merge or rename with the revision {command.revision}"
        raise NotFound(text, field="revision", value=command.revision)
    if change.undone is not None:
        return None
    if change.player is None or change.target is None:
        raise Conflict("this change cannot be undone, because one of its players was anonymised", field="revision")
    if not change.undoable:
        raise Conflict(_why_not_undoable(change, changes), field="revision", value=command.revision)
    chains = aliases.load_chains(connection, league)
    after = chains.changed([change.player], change.ended)
    return Renaming("undo", change.player, change.target, chains, after, change.ended, change.revision)


def _why_not_undoable(change: NameChange, changes: Sequence[NameChange]) -> str:
    names = {change.player, *change.ended}
    later = [other for other in changes if other.revision > change.revision and other.undone is None]
    cause = next((other for other in reversed(later) if names & {other.player, *other.ended}), None)
    if cause is None or cause.kind not in ("merge", "rename"):
        return f"this change cannot be undone, because {change.player} is no longer an alias of {change.target}"
    return f"{cause.player} was later renamed to {cause.target}; undo that change first (revision {cause.revision})"


def plan_new_alias(connection: Connection, league: League, command: AddAlias) -> Renaming | None:
    """Plan to make a name without matches an alias; return None if it already is one."""
    alias, player = check_name(command.alias, "alias"), check_name(command.player, "player")
    chains = aliases.load_chains(connection, league)
    target = chains.player(player)
    if alias in chains.targets:
        if chains.player(alias) == target:
            return None
        raise _is_alias(alias, chains.player(alias), "remove that alias first")
    for name in (alias, target):
        _check_not_anonymous(connection, league, name)
    known = _with_matches(connection, league, [alias, target])
    if alias in known:
        text = f"{alias!r} is a player with matches: merge the two players instead"
        raise Conflict.in_field("alias", text, value=alias)
    if alias == target:
        raise Error.in_field("alias", "a name cannot be its own alias", value=alias)
    if target not in known and not command.newcomer:
        raise _unknown(connection, league, target, "player")
    return Renaming("add", alias, target, chains, chains.changed((), {alias: target}))


def plan_removal(connection: Connection, league: League, command: RemoveAlias) -> Renaming:
    """Plan to remove an alias. Names that are aliases of the removed alias become aliases of its target."""
    alias = check_name(command.alias, "alias")
    chains = aliases.load_chains(connection, league)
    target = chains.targets.get(alias)
    if target is None:
        raise NotFound(f"{league.name} has no alias {alias!r}", field="alias", value=alias)
    moved = {other: target for other, leads_to in chains.targets.items() if leads_to == alias}
    return Renaming("remove", alias, target, chains, chains.changed([alias], moved))


def _with_matches(connection: Connection, league: League, names: Sequence[str]) -> set[str]:
    # A player whose matches all have importance 0 has no rating, so the journal is searched, too.
    rated = ratings.load_players(connection, league, names).rows
    return {name for name in names if name in rated or journal.entries_with(connection, league, name)}


def check_name(name: str, what: str) -> str:
    """Return a name without surrounding blanks; raise an `Error` about the field `what` if it cannot be stored."""
    text = name_of(name, what, what)
    if not storable(text, LONGEST):
        raise Error.in_field(what, f"a name must have at most {LONGEST} characters and no NUL", value=name)
    return text


def _is_alias(name: str, player: str, advice: str) -> Conflict:
    return Conflict(f"{name!r} is an alias of {player!r}; {advice}", field="player", value=name)


def _check_not_anonymous(connection: Connection, league: League, name: str) -> None:
    if erasure.is_erased(connection, league, name):
        text = "a player who was anonymised cannot be renamed or merged"
        raise Conflict(text, field="player", value=name)


def _unknown(connection: Connection, league: League, name: str, what: str) -> NotFound:
    near = nearest(name, list(ratings.load_all(connection, league).names), 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return NotFound(f"{league.name} has no player named {name!r}{hint}", field=what, value=name)


def _check_unchanged(connection: Connection, league: League, seen: int, names: Sequence[str]) -> None:
    for name in names:
        if journal.has_changed(connection, league, name, seen):
            raise Conflict(f"matches of {name} were changed since you opened the preview: check it again", value=name)
    if league.alias_revision > seen:
        raise Conflict("other players were renamed or merged since you opened the preview: check it again")


# Writing


def write_renaming(connection: Connection, league: League, command: Command, change: Renaming, revision: int) -> None:
    """Write the aliases of a league after a change of names, and record the change."""
    aliases.save_chains(connection, league, change.before, change.after, revision)
    gone = [alias for alias in change.before.targets if alias not in change.after.targets]
    if change.kind == "remove" and change.target in change.after.targets:
        # The matches stay with the player, as if they had been posted under the target.
        kept = {seq for seq, _ in aliases.uses_of(connection, league, [change.target])}
        moved = {seq for seq, _ in aliases.uses_of(connection, league, [change.player])} - kept
        aliases.add_uses(connection, league, [(seq, change.target) for seq in moved])
    aliases.drop_all_uses(connection, league, gone)
    if change.undoes is not None:
        aliases.mark_undone(connection, league, change.undoes, revision)
    recorded = NameChange(
        revision,
        change.kind,
        change.player,
        change.target,
        change.ended,
        None,
        command.author,
        command.reason,
        time(),
        undoable=False,
    )
    aliases.add_change(connection, league, recorded)
    detail = {"player": change.player, "target": change.target, "reason": command.reason}
    audit.write(connection, command.author, ACTIONS[change.kind], league.name, **detail)
