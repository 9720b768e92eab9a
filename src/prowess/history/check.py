"""The rules that every match keeps, however it was given; each is checked on whole columns, and the first offender is
looked for only when there is one."""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import LARGEST
from .draft import Draft
from .ragged import Floats, owners

__all__ = ["check"]


def check(draft: Draft) -> None:
    """Raise an Error for the first match that breaks a rule."""
    _check_sizes(draft)
    _check_players(draft)
    _check_results(draft)
    _check_weights(draft)
    _check_importance(draft)
    _check_home(draft)
    _check_ids(draft)
    _check_times(draft)


def _check_sizes(draft: Draft) -> None:
    empty = np.flatnonzero(np.diff(draft.team_start) == 0)
    if len(empty):
        raise draft.team_error(int(empty[0]), "has no players: a team needs at least one")
    teams = np.diff(draft.match_start)
    alone = np.flatnonzero(teams < 2)
    if len(alone) > len(draft.alone()):
        match = int(alone[0])
        raise draft.match_error(
            match, f"a match needs at least two teams, not {teams[match]}{_only(draft, match)}: drop it"
        )


def _only(draft: Draft, match: int) -> str:
    """Name the players of a match of one team."""
    first, last = draft.team_start[draft.match_start[match]], draft.team_start[draft.match_start[match + 1]]
    return f" ({', '.join(draft.names[player] for player in draft.player[first:last])})" if last > first else ""


def _check_players(draft: Draft) -> None:
    match = draft.match_of_team[owners(draft.team_start)].astype(np.int64)
    key = match * max(1, len(draft.names)) + draft.player
    ordered = np.sort(key)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(twice):
        return
    first, second = np.flatnonzero(key == twice[0])[:2].tolist()
    name = draft.names[draft.player[second]]
    one, other = (draft.team_number(draft.team_of(entry)) for entry in (first, second))
    if one == other:
        raise draft.entry_error(second, f"{name} stands twice in team {one}: a player plays once in a match")
    raise draft.entry_error(second, f"{name} stands in team {one} and in team {other}: a player plays for one team")


def _check_results(draft: Draft) -> None:
    for what, column in (("rank", draft.rank), ("score", draft.score)):
        if column is None:
            continue
        wrong = np.flatnonzero(np.abs(column) > LARGEST)
        if len(wrong):
            team = int(wrong[0])
            raise draft.team_error(
                team, f"has the {what} {column[team]}: a {what} is a finite number within ±{LARGEST:g}"
            )
        partly = np.flatnonzero(np.isnan(column) & (_given(draft, column) > 0)[draft.match_of_team])
        if len(partly):
            raise draft.team_error(
                int(partly[0]), f"has no {what}, and others have: give one to each team, or drop the match"
            )
    if not draft.listed:
        given = sum(_given(draft, column) for column in (draft.rank, draft.score) if column is not None)
        missing = np.flatnonzero(given == 0)
        if len(missing):
            raise draft.match_error(int(missing[0]), "no result: fill in ranks or scores, or drop the match")


def _given(draft: Draft, column: Floats) -> NDArray[Any]:
    """Count the teams of each match that have a value."""
    return np.bincount(draft.match_of_team, ~np.isnan(column), minlength=len(draft.match_start) - 1)


def _check_weights(draft: Draft) -> None:
    weight = draft.weight
    if weight is None:
        return
    wrong = np.flatnonzero(~((weight >= 0) & (weight <= LARGEST)))
    if len(wrong):
        entry = int(wrong[0])
        name = draft.names[draft.player[entry]]
        raise draft.entry_error(
            entry, f"{name} has the weight {weight[entry]}: a weight is a number from 0 to {LARGEST:g}"
        )
    idle = np.flatnonzero(np.bincount(owners(draft.team_start), weight > 0, minlength=len(draft.team_start) - 1) == 0)
    if len(idle):
        raise draft.team_error(int(idle[0]), "has only weights of 0: at least one of its players must have played")


def _check_importance(draft: Draft) -> None:
    if draft.importance is None:
        return
    wrong = np.flatnonzero(~((draft.importance >= 0) & (draft.importance <= LARGEST)))
    if len(wrong):
        match = int(wrong[0])
        raise draft.match_error(
            match, f"importance {draft.importance[match]}: importance is a number from 0 to {LARGEST:g}"
        )


def _check_home(draft: Draft) -> None:
    if draft.home is None:
        return
    teams = np.diff(draft.match_start)
    wrong = np.flatnonzero((draft.home < -1) | (draft.home >= teams))
    if len(wrong):
        match = int(wrong[0])
        raise draft.match_error(
            match, f"home {draft.home[match]}: home is the index of a team, 0 to {teams[match] - 1}"
        )


def _check_times(draft: Draft) -> None:
    if draft.times is None or draft.times.kind != "number":
        return
    wrong = np.flatnonzero(np.abs(draft.times.number) > LARGEST)
    if len(wrong):
        match = int(wrong[0])
        raise draft.match_error(match, f"the time {draft.times.number[match]} does not lie within ±{LARGEST:g}")


def _check_ids(draft: Draft) -> None:
    if draft.ids is None:
        return
    counts = Counter(draft.ids)
    del counts[""]  # a match without an id
    if len(counts) + draft.ids.count("") == len(draft.ids):
        return
    twice = next(name for name, count in counts.items() if count > 1)
    first = draft.ids.index(twice)
    second = draft.ids.index(twice, first + 1)
    raise draft.match_error(
        second, f"the id {twice!r} is also that of {draft.where(first, None)}: two matches cannot have one id"
    )
