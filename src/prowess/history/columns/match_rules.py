"""The rules that every match must follow, whether it comes from a file, a frame or Python.

Each rule is first checked on whole columns; single matches are searched only if the rule is broken.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import Remark
from ...text import count
from ...validate import LARGEST, SMALLEST
from ..cells.words import NO_VALUES
from ..ragged import Floats, owners, pair_codes
from .raw_matches import RawMatches

FEW = 10  # names that look like results are faults only if at most one name in this many looks like a result


class Fault(NamedTuple):
    """A match that breaks a rule: the entry at fault, if any, and a message about what would be valid."""

    match: int
    entry: int | None
    text: str
    field: str = "teams"  # the key of the match at fault
    team: int | None = None  # the index within the match of the team at fault
    value: object = None  # the value at fault, such as the name of a player who is listed twice
    alone: bool = False  # whether the only fault is that a team has no opponent


def find_faults(draft: RawMatches) -> Iterable[Fault]:
    """Return all faults of raw matches; before the check, drop meaningless values from `draft` in place.

    If team sizes are invalid, only the faults of team sizes are returned.
    """
    _drop_partial_scores(draft)
    for name in ("weight", "importance"):  # tiny numbers become 0: the square of 1e-200 would be 0
        if (column := getattr(draft, name)) is not None:
            setattr(draft, name, np.where(np.abs(column) < SMALLEST, 0.0, column))
    rules = (_players, _results, _weights, _importance, _home, _ids, _times)
    return list(_sizes(draft)) or chain.from_iterable(rule(draft) for rule in rules)


def _drop_partial_scores(draft: RawMatches) -> None:
    # If every team has a rank, scores of only some teams are meaningless.
    if draft.rank is not None and draft.score is not None and np.isnan(draft.score).any():
        ranked = _count_values(draft, draft.rank) == np.diff(draft.match_start)
        values = _count_values(draft, draft.score)
        partly = values < np.diff(draft.match_start)
        some = np.flatnonzero(ranked & partly & (values > 0))
        if len(some):
            only = "scores for some teams only"
            matches = count(len(some), f"match has {only}", f"matches have {only}")
            text = f"{matches}, so these scores are not used (first: {draft.where(int(some[0]), None)})"
            draft.remarks += (Remark("partial-scores", (text,), count=len(some)),)
        draft.score = np.where((ranked & partly)[draft.match_of_team], np.nan, draft.score)


def _team_fault(draft: RawMatches, team: int, text: str, field: str = "teams") -> Fault:
    empty = draft.team_start[team] == draft.team_start[team + 1]
    entry = None if empty else int(draft.team_start[team])
    number = draft.team_number(team)
    return Fault(int(draft.match_of_team[team]), entry, f"team {number} {text}", field, number - 1)


def _entry_fault(draft: RawMatches, entry: int, text: str, field: str = "teams", value: object = None) -> Fault:
    team = draft.team_of(entry)
    return Fault(int(draft.match_of_team[team]), entry, text, field, draft.team_number(team) - 1, value)


def doubtful_names(draft: RawMatches) -> Iterator[Fault]:
    """Yield a fault for each name that is a date or a spreadsheet error.

    Names that look like results are also faults, unless there are many.
    """
    import polars as pl

    names = pl.Series(draft.names, dtype=pl.String)
    date = names.str.contains(r"^(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4})([ T]\d.*)?$")
    odd = (date | names.is_in(list(NO_VALUES))).to_numpy()  # these are never names
    result = names.str.contains(r"^\s*\d+\s*[-:/.][\d\s\-:./,()]*\d\s*$").to_numpy()
    number = np.count_nonzero(result[draft.player]) if result.any() else 0
    if number == 1 or FEW * number <= len(draft.player):
        odd |= result
    entries = np.flatnonzero(odd[draft.player]) if odd.any() else np.zeros(0, int)
    for entry in entries.tolist():
        name = draft.names[draft.player[entry]]
        hint = "fill it in, or drop the row" if name in NO_VALUES else "a cell to the left of it may be missing"
        yield _entry_fault(draft, entry, f"{name!r} is not a name; {hint}")


def _sizes(draft: RawMatches) -> Iterator[Fault]:
    if draft.all_duels:
        return
    for team in np.flatnonzero(np.diff(draft.team_start) == 0).tolist():
        yield _team_fault(draft, team, "has no players: a team needs at least one")
    teams = np.diff(draft.match_start)
    alone = np.flatnonzero(teams < 2)
    if len(alone) > len(draft.alone()):
        for match in alone.tolist():
            first, last = draft.team_start[draft.match_start[match : match + 2]]
            names = ", ".join(draft.names[player] for player in draft.player[first:last])
            text = f"a match needs at least two teams, not {teams[match]}{f' ({names})' * bool(names)}"
            yield Fault(match, None, f"{text}; add the other team, or drop the match", alone=True)


def _players(draft: RawMatches) -> Iterator[Fault]:
    if draft.all_duels and not (draft.player[0::2] == draft.player[1::2]).any():
        return
    key = pair_codes(draft.match_of_team[owners(draft.team_start)], draft.player)
    ordered = np.sort(key)
    if not (ordered[1:] == ordered[:-1]).any():
        return
    order = np.argsort(key, kind="stable")
    same = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    _, once = np.unique(key[order[same]], return_index=True)  # a player who is listed three times is one fault
    for first, second in zip(order[same[once]].tolist(), order[same[once] + 1].tolist(), strict=True):
        name = draft.names[draft.player[second]]
        team, other_team = (draft.team_number(draft.team_of(entry)) for entry in (first, second))
        text = f"{name} is listed twice in team {team}; a player can only appear once per match"
        if team != other_team:
            text = f"{name} is listed in team {team} and in team {other_team}; a player can only play for one team"
        yield _entry_fault(draft, second, text, value=name)


def _results(draft: RawMatches) -> Iterator[Fault]:
    complete = False  # whether every team has a rank, or every team has a score
    for what, column in (("rank", draft.rank), ("score", draft.score)):
        if column is None:
            continue
        if (np.abs(column) <= LARGEST).all():  # this also means that no value is NaN
            complete = True
            continue
        for team in np.flatnonzero(np.abs(column) > LARGEST).tolist():
            right = f"a {what} must be a finite number within ±{LARGEST:g}"
            yield _team_fault(draft, team, f"has the {what} {column[team]}: {right}", f"{what}s")
        partly = np.isnan(column) & (_count_values(draft, column) > 0)[draft.match_of_team]
        for team in np.flatnonzero(partly).tolist():
            right = f"give every team a {what}, or drop the match"
            yield _team_fault(draft, team, f"has no {what}, but other teams do: {right}", f"{what}s")
    if not draft.listed and not complete:
        results = sum(_count_values(draft, column) for column in (draft.rank, draft.score) if column is not None)
        for match in np.flatnonzero(results == 0).tolist():
            yield Fault(match, None, "no result: fill in ranks or scores, or drop the match", "ranks")


def _count_values(draft: RawMatches, column: Floats) -> NDArray[Any]:
    if draft.all_duels:
        counts: NDArray[Any] = (~np.isnan(column)).reshape(-1, 2).sum(axis=1)
        return counts
    return np.bincount(draft.match_of_team, ~np.isnan(column), minlength=len(draft))


def _weights(draft: RawMatches) -> Iterator[Fault]:
    weight = draft.weight
    if weight is None:
        return
    wrong = ~((weight >= 0) & (weight <= LARGEST))
    for entry in np.flatnonzero(wrong).tolist():
        name, right = draft.names[draft.player[entry]], f"a weight must be a number from 0 to {LARGEST:g}"
        yield _entry_fault(draft, entry, f"{name} has the weight {weight[entry]}: {right}", "weights")
    played = np.bincount(owners(draft.team_start), wrong | (weight > 0), minlength=len(draft.team_start) - 1)
    for team in np.flatnonzero(played == 0).tolist():
        yield _team_fault(draft, team, "has only weights of 0: at least one of its players must have played", "weights")


def _importance(draft: RawMatches) -> Iterator[Fault]:
    if draft.importance is not None:
        for match in np.flatnonzero(~((draft.importance >= 0) & (draft.importance <= LARGEST))).tolist():
            text = f"importance must be a number from 0 to {LARGEST:g}, not {draft.importance[match]}"
            yield Fault(match, None, text, "importance")


def _home(draft: RawMatches) -> Iterator[Fault]:
    if draft.home is not None:
        teams = np.diff(draft.match_start)
        for match in np.flatnonzero((draft.home < -1) | (draft.home >= teams)).tolist():
            text = f"home must be the index of a team, 0 to {teams[match] - 1}, not {draft.home[match]}"
            yield Fault(match, None, text, "home")


def _times(draft: RawMatches) -> Iterator[Fault]:
    if draft.times is not None and draft.times.kind == "number":
        for match in np.flatnonzero(np.abs(draft.times.number) > LARGEST).tolist():
            text = f"the time {draft.times.number[match]} is too large; it must be within ±{LARGEST:g}"
            yield Fault(match, None, text, "time")


def _ids(draft: RawMatches) -> Iterator[Fault]:
    if draft.ids is None or len(set(draft.ids)) == len(draft.ids):
        return
    first: dict[str, int] = {}
    for match, name in enumerate(draft.ids):
        if name and first.setdefault(name, match) != match:
            other = draft.where(first[name], None)
            yield Fault(match, None, f"the id {name!r} is also used by {other}; every match needs its own", "id")
