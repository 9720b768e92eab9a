"""The rules that every match keeps, however it was given; each is checked on whole columns, and who breaks one is
looked for only when somebody does."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...validate import LARGEST
from ..ragged import Floats, owners, pair_codes
from .raw_matches import RawMatches

FEW = 10  # one name in so many may be none


class Fault(NamedTuple):
    """A match that breaks a rule, the entry that is to blame where one is, and what would be right."""

    match: int
    entry: int | None
    text: str
    field: str = "teams"  # the key of a match that is wrong
    team: int | None = None  # the index in the match of the team that is to blame
    value: object = None  # the value that is wrong, such as the name of a player who plays twice
    alone: bool = False  # whether it is only that a team has nobody to play against


def faults(draft: RawMatches) -> Iterator[Fault]:
    """Give all that is wrong with the matches of a draft; a rule that needs another is looked at only if that holds."""
    for rules in ((_sizes,), (_players, _results, _weights, _importance, _home, _ids, _times)):
        broken = False
        for rule in rules:
            for fault in rule(draft):
                broken = True
                yield fault
        if broken:
            return


def _team_fault(draft: RawMatches, team: int, text: str, field: str = "teams") -> Fault:
    empty = draft.team_start[team] == draft.team_start[team + 1]
    entry = None if empty else int(draft.team_start[team])
    number = draft.team_number(team)
    return Fault(int(draft.match_of_team[team]), entry, f"team {number} {text}", field, number - 1)


def doubtful_names(draft: RawMatches) -> Iterator[Fault]:
    """Give the entries whose name is a date or a result, as in a row that lacks a cell, unless many names are so."""
    import polars as pl

    names = pl.Series(draft.names, dtype=pl.String)
    odd = names.str.contains(r"^\s*\d+\s*[-:/.][\d\s\-:./,()]*\d\s*$").to_numpy()
    entries = np.flatnonzero(odd[draft.player]) if odd.any() else np.zeros(0, int)
    if FEW * len(entries) > len(draft.player):
        odd = names.str.contains(r"^(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4})$").to_numpy()
        entries = np.flatnonzero(odd[draft.player])  # nobody is called by a date
    for entry in entries.tolist():
        match = int(draft.match_of_team[draft.team_of(entry)])
        yield Fault(match, entry, f"{draft.names[draft.player[entry]]!r} is no name: a cell may be missing before it")


def _sizes(draft: RawMatches) -> Iterator[Fault]:
    if draft.all_duels:
        return
    for team in np.flatnonzero(draft.sizes == 0).tolist():
        yield _team_fault(draft, team, "has no players: a team needs at least one")
    teams = draft.counts
    alone = np.flatnonzero(teams < 2)
    if len(alone) > len(draft.alone()):
        for match in alone.tolist():
            text = f"a match needs at least two teams, not {teams[match]}{_only(draft, match)}: drop it"
            yield Fault(match, None, text, alone=True)


def _only(draft: RawMatches, match: int) -> str:
    """Name the players of a match of one team."""
    first, last = draft.team_start[draft.match_start[match]], draft.team_start[draft.match_start[match + 1]]
    return f" ({', '.join(draft.names[player] for player in draft.player[first:last])})" if last > first else ""


def _players(draft: RawMatches) -> Iterator[Fault]:
    if draft.all_duels and not (draft.player[0::2] == draft.player[1::2]).any():
        return
    match = draft.match_of_team[owners(draft.team_start)]
    key = pair_codes(match, draft.player)
    ordered = np.sort(key)
    if not (ordered[1:] == ordered[:-1]).any():
        return
    order = np.argsort(key, kind="stable")
    same = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    _, once = np.unique(key[order[same]], return_index=True)  # who stands there three times is told once
    for first, second in zip(order[same[once]].tolist(), order[same[once] + 1].tolist(), strict=True):
        name = draft.names[draft.player[second]]
        team, other_team = (draft.team_number(draft.team_of(entry)) for entry in (first, second))
        what = f"{name} stands twice in team {team}: a player plays once in a match"
        if team != other_team:
            what = f"{name} stands in team {team} and in team {other_team}: a player plays for one team"
        yield Fault(int(match[second]), second, what, team=other_team - 1, value=name)


def _results(draft: RawMatches) -> Iterator[Fault]:
    for what, column in (("rank", draft.rank), ("score", draft.score)):
        if column is None or (np.abs(column) <= LARGEST).all():  # so that none is missing either
            continue
        for team in np.flatnonzero(np.abs(column) > LARGEST).tolist():
            right = f"a {what} is a finite number within ±{LARGEST:g}"
            yield _team_fault(draft, team, f"has the {what} {column[team]}: {right}", f"{what}s")
        missing = np.isnan(column)
        if not missing.any():
            continue
        partly = missing & (_given(draft, column) > 0)[draft.match_of_team]
        for team in np.flatnonzero(partly).tolist():
            right = "give one to each team, or drop the match"
            yield _team_fault(draft, team, f"has no {what}, and others have: {right}", f"{what}s")
    if not draft.listed:
        results = sum(_given(draft, column) for column in (draft.rank, draft.score) if column is not None)
        for match in np.flatnonzero(results == 0).tolist():
            yield Fault(match, None, "no result: fill in ranks or scores, or drop the match", "ranks")


def _given(draft: RawMatches, column: Floats) -> NDArray[Any]:
    """Count the teams of each match that have a value."""
    if len(column) == 2 * (len(draft.match_start) - 1) and draft.all_duels:
        counts: NDArray[Any] = (~np.isnan(column)).reshape(-1, 2).sum(axis=1)
        return counts
    return np.bincount(draft.match_of_team, ~np.isnan(column), minlength=len(draft.match_start) - 1)


def _weights(draft: RawMatches) -> Iterator[Fault]:
    weight = draft.weight
    if weight is None:
        return
    wrong = ~((weight >= 0) & (weight <= LARGEST))
    for entry in np.flatnonzero(wrong).tolist():
        match = int(draft.match_of_team[draft.team_of(entry)])
        name = draft.names[draft.player[entry]]
        text = f"{name} has the weight {weight[entry]}: a weight is a number from 0 to {LARGEST:g}"
        yield Fault(match, entry, text, "weights", draft.team_number(draft.team_of(entry)) - 1)
    played = np.bincount(owners(draft.team_start), wrong | (weight > 0), minlength=len(draft.team_start) - 1)
    for team in np.flatnonzero(played == 0).tolist():
        yield _team_fault(draft, team, "has only weights of 0: at least one of its players must have played", "weights")


def _importance(draft: RawMatches) -> Iterator[Fault]:
    if draft.importance is None:
        return
    for match in np.flatnonzero(~((draft.importance >= 0) & (draft.importance <= LARGEST))).tolist():
        right = f"importance is a number from 0 to {LARGEST:g}"
        yield Fault(match, None, f"importance {draft.importance[match]}: {right}", "importance")


def _home(draft: RawMatches) -> Iterator[Fault]:
    if draft.home is None:
        return
    teams = draft.counts
    for match in np.flatnonzero((draft.home < -1) | (draft.home >= teams)).tolist():
        right = f"home is the index of a team, 0 to {teams[match] - 1}"
        yield Fault(match, None, f"home {draft.home[match]}: {right}", "home")


def _times(draft: RawMatches) -> Iterator[Fault]:
    if draft.times is None or draft.times.kind != "number":
        return
    for match in np.flatnonzero(np.abs(draft.times.number) > LARGEST).tolist():
        yield Fault(match, None, f"the time {draft.times.number[match]} does not lie within ±{LARGEST:g}", "time")


def _ids(draft: RawMatches) -> Iterator[Fault]:
    if draft.ids is None or len(set(draft.ids)) == len(draft.ids):
        return
    counts = Counter(draft.ids)
    del counts[""]  # a match without an id
    if len(counts) + draft.ids.count("") == len(draft.ids):
        return
    first: dict[str, int] = {}
    for match, name in enumerate(draft.ids):
        if name and first.setdefault(name, match) != match:
            also = draft.where(first[name], None)
            yield Fault(match, None, f"the id {name!r} is also that of {also}: two matches cannot have one id", "id")
