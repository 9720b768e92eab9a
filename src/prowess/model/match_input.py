"""Checks the arguments of one match: teams, result, weights, importance, elapsed time, home team."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import Error
from ..history import name_of
from ..validate import number, scale, team_index
from .engine.board import Board
from .rating import Rating


class MatchDetails(NamedTuple):
    """The checked details of a match: `home` is -1 without a home team, `importance` is 1 by default.

    All other details that were not given are None.
    """

    places: list[int] | None
    scores: list[float] | None
    weights: list[float] | None
    importance: float
    elapsed: list[float] | None
    home: int

    def write(self, board: Board) -> None:
        """Write the details to a board.

        The board's defaults are teams in the order of their places, full weights, and no elapsed time.
        """
        board.importance = self.importance
        board.home = self.home
        weights = self.weights
        # A player's share of the match is the same for all traits.
        if weights is not None and board.traits > 1:
            weights = [weight for weight in weights for _ in range(board.traits)]
        columns: tuple[tuple[Any, Sequence[float] | None], ...] = (
            (board.place, self.places),
            (board.score, self.scores),
            (board.alpha, weights),
            (board.elapsed, self.elapsed),
        )
        for column, values in columns:
            if values is not None:
                for index, value in enumerate(values):
                    column[index] = value


BY_NAME = "; pw.Ladder keeps the ratings of players by name"


def check_teams(teams: Sequence[Sequence[Any]], rated: bool = True) -> None:
    """Raise an `Error` unless teams are lists of players; a bare name would be read as a team of letters.

    If `rated` is true, players must be ratings, as in a model, so the message does not suggest names.
    """
    if isinstance(teams, str) or not isinstance(teams, Sequence):
        message = f"teams must be a list of teams, such as [['ann'], ['bob']], not {teams!r}"
        raise Error(message, field="teams", value=teams)
    for index, team in enumerate(teams):
        if isinstance(team, str) or not isinstance(team, Sequence):
            such = "ratings, such as [model.rating()]" if rated else f"players, such as [{team!r}]"
            message = f"team {index + 1} must be a list of {such}, not {team!r}"
            message += BY_NAME if rated and isinstance(team, str) else ""
            raise Error(message, field="teams", team=index, value=team)


def unique_names(teams: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return the names of the players of a match; raise `Error` for duplicates. `Rating` objects are passed through.

    >>> unique_names([["ann"], [7, "bob"]])
    [['ann'], ['7', 'bob']]
    """
    check_teams(teams, rated=False)
    team_of: dict[str, int] = {}
    names = []
    for at, team in enumerate(teams, 1):
        names.append([player if isinstance(player, Rating) else name_of(player) for player in team])
        for name in names[-1]:
            if isinstance(name, str) and name in team_of:
                first = team_of[name]
                where = f"twice in team {at}" if first == at else f"in teams {first} and {at}"
                message = f"{name} is listed {where}; a player can only appear once per match"
                raise Error(message, field="teams", team=at - 1, value=name)
            if isinstance(name, str):
                team_of[name] = at
    return names


def check_details(
    teams: Sequence[Sequence[Any]],
    ranks: Sequence[float] | None = None,
    scores: Sequence[float] | None = None,
    weights: Sequence[Sequence[float]] | None = None,
    importance: float = 1.0,
    elapsed: float | Sequence[Sequence[float]] | None = None,
    home: int | None = None,
    rated: bool = False,
) -> MatchDetails | None:
    """Check and return the details of a match between the given teams; None if all have their default values.

    >>> check_details([["ann"], ["bob"]], scores=[1, 3]).places
    [2, 1]
    """
    # Most matches have no details; this shortcut keeps `rate` fast for them.
    usual = type(importance) in (float, int) and importance == 1
    if usual and all(detail is None for detail in (ranks, scores, weights, elapsed, home)):
        return None
    check_teams(teams, rated)
    rank = None if ranks is None else _per_team("rank", ranks, len(teams))
    score = None if scores is None else _per_team("score", scores, len(teams))
    # Ranks take precedence, because a match may be decided by something other than the score.
    key = rank if rank is not None else None if score is None else [-value for value in score]
    return MatchDetails(
        places=None if key is None else _places(key),
        scores=score,
        weights=_weights(teams, weights),
        importance=scale("importance", importance, zero=True),
        elapsed=_elapsed(teams, elapsed),
        home=-1 if home is None else team_index("home", home, len(teams)),
    )


def _places(key: list[float]) -> list[int]:
    # After ties there are gaps, as in sports: 1, 2, 2, 4.
    order = sorted(key)
    return [1 + bisect_left(order, value) for value in key]


def _per_team(what: str, values: Sequence[float], teams: int) -> list[float]:
    _check_length(f"{what}s", values, teams, "team", f"{what}s")
    return [number(f"{what}s[{index}]", value, field=f"{what}s") for index, value in enumerate(values)]


def _weights(teams: Sequence[Sequence[Any]], weights: Sequence[Sequence[float]] | None) -> list[float] | None:
    if weights is None:
        return None
    flat = _per_player("weights", teams, weights)
    first = 0
    for index, team in enumerate(teams):
        # A team in which nobody played would have a performance without any noise.
        if not any(flat[first : first + len(team)]):
            message = f"weights[{index}]: at least one player of a team must have a weight above 0"
            raise Error(message, field="weights", team=index)
        first += len(team)
    return flat


def _elapsed(teams: Sequence[Sequence[Any]], elapsed: float | Sequence[Sequence[float]] | None) -> list[float] | None:
    if elapsed is None:
        return None
    if isinstance(elapsed, (Sequence, np.ndarray)) and not isinstance(elapsed, str):
        return _per_player("elapsed", teams, elapsed)
    return [scale("elapsed", elapsed, zero=True)] * sum(len(team) for team in teams)


def _per_player(what: str, teams: Sequence[Sequence[Any]], nested: Sequence[Sequence[float]]) -> list[float]:
    _check_length(what, nested, len(teams), "team", what)
    flat = []
    for index, (team, values) in enumerate(zip(teams, nested, strict=True)):
        _check_length(f"{what}[{index}]", values, len(team), "player", what)
        names = (f"{what}[{index}][{place}]" for place in range(len(team)))
        flat += [scale(name, value, zero=True, field=what) for name, value in zip(names, values, strict=True)]
    return flat


def _check_length(what: str, values: Any, length: int, each: str, field: str) -> None:
    try:
        count = len(values)
    except TypeError:
        raise Error(f"{what} must be a list, not {values!r}", field=field, value=values) from None
    if not isinstance(values, (Sequence, np.ndarray)) or isinstance(values, (str, bytes)) or count != length:
        message = f"{what} must have one number per {each} ({length}), not {values!r}"
        raise Error(message, field=field, value=values)
