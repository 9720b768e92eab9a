"""The matches that would tell most: which of all that could be played next, by their expected information."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ...errors import Error
from ...model.prediction import Prediction
from ...progress import steps
from ...validate import whole
from ..player_pool import PlayerPool, Players, Source, make_pool
from .candidates import Ints, Lineup, Shortlist, candidate_lineups, improve_lineup
from .information import expected_information

if TYPE_CHECKING:
    import polars as pl

ALL = 2_000  # pairs that are all looked at closely


@dataclass(frozen=True, eq=False)
class NextMatch:
    """A match that could be played: its teams, how much it would tell (in bits), and what is expected of it.

    >>> import prowess as pw
    >>> [match] = pw.next_matches(pw.TrueSkill(), players=["ann", "bob"])
    >>> match.teams, round(match.information, 3)
    ((('ann',), ('bob',)), 0.447)
    """

    teams: tuple[tuple[str, ...], ...]
    information: float
    prediction: Prediction

    def to_dict(self) -> dict[str, Any]:
        """The match as plain data: teams, information, win and draw.

        >>> import prowess as pw
        >>> pw.next_matches(pw.TrueSkill(), players=["ann", "bob"])[0].to_dict()["teams"]
        [['ann'], ['bob']]
        """
        found = {"teams": [list(team) for team in self.teams], "information": self.information}
        return found | {"win": self.prediction.win.tolist(), "draw": float(self.prediction.draw)}

    def __repr__(self) -> str:
        """Say who would play, and how much it would tell."""
        return f"{' against '.join(' + '.join(team) for team in self.teams)}: {self.information:.3f} bits"


@dataclass(frozen=True, eq=False)
class NextMatches(Sequence[NextMatch]):
    """The matches that would tell most, the most telling one first.

    `exact` tells whether all matches that could be played were compared. `newcomers` are those who were not known.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 1), "bob": pw.Rating(25, 8), "cat": pw.Rating(24, 7)})
    >>> found = pw.next_matches(ladder)
    >>> found
    bob against cat: 0.426 bits
    >>> len(found), found.exact
    (1, True)
    """

    matches: tuple[NextMatch, ...]
    exact: bool
    newcomers: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Count the matches."""
        return len(self.matches)

    @overload
    def __getitem__(self, index: int) -> NextMatch: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[NextMatch, ...]: ...
    def __getitem__(self, index: int | slice) -> NextMatch | tuple[NextMatch, ...]:
        """Give one of the matches, or some."""
        return self.matches[index]

    def __repr__(self) -> str:
        """List the matches."""
        return "\n".join(map(repr, self.matches)) or "no match can be played"

    def to_frame(self) -> pl.DataFrame:
        """A Polars frame with a row for every match: teams as lists of names, information, chances to win, draw.

        >>> import prowess as pw
        >>> pw.next_matches(pw.TrueSkill(), players=["ann", "bob"]).to_frame().columns
        ['match', 'team1', 'team2', 'information', 'win1', 'win2', 'draw']
        """
        import polars as pl

        teams = range(len(self.matches[0].teams) if self.matches else 2)
        columns: dict[str, Any] = {"match": pl.Series(range(1, len(self) + 1), dtype=pl.Int64)}
        for team in teams:
            columns[f"team{team + 1}"] = pl.Series([list(m.teams[team]) for m in self], dtype=pl.List(pl.String))
        columns["information"] = pl.Series([match.information for match in self], dtype=pl.Float64)
        for team in teams:
            columns[f"win{team + 1}"] = pl.Series([match.prediction.win[team] for match in self], dtype=pl.Float64)
        columns["draw"] = pl.Series([match.prediction.draw for match in self], dtype=pl.Float64)
        return pl.DataFrame(columns)


def next_matches(
    source: Source,
    *,
    players: Players | None = None,
    count: int = 10,
    teams: int = 2,
    size: int = 1,
    each: int | None = 1,
    progress: bool | None = None,
) -> NextMatches:
    """The matches whose results are expected to tell most of the players' skills: `NextMatches`.

    TrueSkill, section 4.2; Lindley (1956). `source` is a ladder, a fit or a model; `players` are those who are there,
    by name or with ratings, else all. A match has `teams` teams of `size` players. Nobody plays more than `each`
    matches, one unless given: then they are a round that can be played at the same time. With `each=None` a player may
    be in all of them; what her first match tells is not taken into account in the next. `progress` shows a bar, or not.

    The most telling match is chosen first, then the most telling of what is left. Systems without uncertainty, such as
    Elo, have nothing to learn by this measure, which is an error.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 1), "bob": pw.Rating(25, 8), "cat": pw.Rating(24, 7)})
    >>> pw.next_matches(ladder, each=None, count=2)
    bob against cat: 0.426 bits
    ann against bob: 0.376 bits
    """
    found = make_pool(source, players)
    if found.model.absorb.certain:
        raise Error(
            "this model keeps no uncertainty, so no match tells more of skills than another; choose one with a sigma, "
            "such as TrueSkill or Glicko",
            field="model",
        )
    whole("count", count, 1)
    need = whole("teams", teams, 2) * whole("size", size, 1)
    if len(found) < need:
        raise Error(f"a match of {teams} teams of {size} needs {need} players, not {len(found)}", field="teams")
    limit = count if each is None else whole("each", each, 1)
    chosen, exact = _choose(found, count, (teams, size), limit, progress)
    return NextMatches(tuple(_describe(found, *one) for one in chosen), exact, found.newcomers)


def _describe(found: PlayerPool, information: float, lineup: Lineup) -> NextMatch:
    names = tuple(tuple(found.names[player] for player in team) for team in lineup)
    rated = [[found.ratings[player] for player in team] for team in lineup]
    return NextMatch(names, information, found.model.predict_from(found.memory, rated, None))


def _choose(
    found: PlayerPool, count: int, shape: tuple[int, int], each: int, progress: bool | None
) -> tuple[list[tuple[float, Lineup]], bool]:
    """The most telling match, then the most telling of what is left; and whether all matches were looked at."""
    shortlist = Shortlist(found)
    left = np.full(len(found), each)
    chosen: dict[Lineup, float] = {}
    known: dict[Lineup, float] = {}

    def value(lineup: Lineup) -> float:
        if lineup in chosen:
            return -1.0
        if lineup not in known:
            known[lineup] = expected_information(found, [[found.ratings[p] for p in team] for team in lineup])
        return known[lineup]

    every = shape == (2, 1) and len(found) * (len(found) - 1) // 2 <= ALL
    before = -1
    while before < len(chosen) < count:
        before = len(chosen)
        free = np.flatnonzero(left > 0)
        candidates = list(_candidates(shortlist, free, shape, count - before, every))
        for index in steps(range(len(candidates)), "comparing matches", progress):
            value(candidates[index])
        for lineup in sorted(candidates, key=lambda one: (-value(one), one)):
            members = [player for team in lineup for player in team]
            if len(chosen) == count or value(lineup) < 0.0 or not (left[members] > 0).all():
                continue
            if shape != (2, 1):
                lineup = improve_lineup(shortlist, lineup, np.flatnonzero(left > 0), value)
                members = [player for team in lineup for player in team]
            chosen[lineup] = value(lineup)
            left[members] -= 1
    return sorted(((told, lineup) for lineup, told in chosen.items()), key=lambda one: (-one[0], one[1])), every


def _candidates(shortlist: Shortlist, free: Ints, shape: tuple[int, int], count: int, every: bool) -> Iterator[Lineup]:
    """Matches between those who are free that are worth a closer look."""
    if len(free) < shape[0] * shape[1]:
        return
    if shape != (2, 1):
        yield from candidate_lineups(shortlist, free, shape, count)
        return
    pairs = free[np.column_stack(np.triu_indices(len(free), 1))] if every else shortlist.pairs(free, count)
    for one, other in pairs.tolist():
        yield ((one,), (other,))
