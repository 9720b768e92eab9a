"""`next_matches`: the most informative matches that could be played next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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

ALL = 2_000  # if there are at most this many pairs, all are evaluated


@dataclass(frozen=True, eq=False)
class NextMatch:
    """A match that could be played: its teams, its expected information (in bits), and its forecast.

    >>> import prowess as pw
    >>> [match] = pw.next_matches(pw.TrueSkill(), players=["ann", "bob"])
    >>> match.teams, round(match.information, 3)
    ((('ann',), ('bob',)), 0.447)
    """

    teams: tuple[tuple[str, ...], ...]
    information: float
    prediction: Prediction

    def to_dict(self) -> dict[str, Any]:
        """Return the match as plain data: teams, information, win and draw.

        >>> import prowess as pw
        >>> pw.next_matches(pw.TrueSkill(), players=["ann", "bob"])[0].to_dict()["teams"]
        [['ann'], ['bob']]
        """
        data = {"teams": [list(team) for team in self.teams], "information": self.information}
        return data | {"win": self.prediction.win.tolist(), "draw": float(self.prediction.draw)}

    def __repr__(self) -> str:
        return f"{' against '.join(' + '.join(team) for team in self.teams)}: {self.information:.3f} bits"


@dataclass(frozen=True, eq=False)
class NextMatches(Sequence[NextMatch]):
    """The most informative matches, the best first.

    `exact` is True if all possible matches were compared. `newcomers` are the names that were unknown.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 1), "bob": pw.Rating(25, 8), "cat": pw.Rating(24, 7)})
    >>> matches = pw.next_matches(ladder)
    >>> matches
    bob against cat: 0.426 bits
    >>> len(matches), matches.exact
    (1, True)
    """

    matches: tuple[NextMatch, ...]
    exact: bool
    newcomers: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.matches)

    @overload
    def __getitem__(self, index: int) -> NextMatch: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[NextMatch, ...]: ...
    def __getitem__(self, index: int | slice) -> NextMatch | tuple[NextMatch, ...]:
        """Return the match at an index, or a slice of matches."""
        return self.matches[index]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.matches)) or "no match can be played"

    def to_frame(self) -> pl.DataFrame:
        """Return a Polars frame with a row for every match: teams as lists of names, information, wins and draw.

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
    context: Mapping[str, Any] | None = None,
    progress: bool | None = None,
) -> NextMatches:
    """Return the matches whose results are expected to reveal most about the players' skills.

    The method is described by Herbrich, Minka, Graepel (2006), section 4.2, and Lindley (1956). `source` is a ladder, a
    fit or a model. `players` are the available players, by name or with ratings; by default all players are available.
    A match has `teams` teams of `size` players. A player is in at most `each` matches. If `each` is 1, the default, the
    matches form a round that can be played at the same time. If `each` is None, there is no limit, and matches are
    chosen independently of each other. `context` has values of the columns of the model's facets, such as
    {"mode": "1v1"}: the matches are those that reveal most about the players at these values. `progress` turns the
    progress bar on or off.

    The most informative match is chosen first, then the most informative of the rest. Raises `Error` for models without
    uncertainty, such as Elo.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 1), "bob": pw.Rating(25, 8), "cat": pw.Rating(24, 7)})
    >>> pw.next_matches(ladder, each=None, count=2)
    bob against cat: 0.426 bits
    ann against bob: 0.376 bits
    """
    pool = make_pool(source, players, context)
    if pool.model.absorb.certain:
        message = "this model has no uncertainty to reduce; choose one with a sigma, such as TrueSkill or Glicko"
        raise Error(message, field="model")
    whole("count", count, 1)
    need = whole("teams", teams, 2) * whole("size", size, 1)
    if len(pool) < need:
        raise Error(f"a match of {teams} teams of {size} needs {need} players, not {len(pool)}", field="teams")
    limit = count if each is None else whole("each", each, 1)
    chosen, exact = _choose(pool, count, (teams, size), limit, progress)
    return NextMatches(tuple(_describe(pool, *match) for match in chosen), exact, pool.newcomers)


def _describe(pool: PlayerPool, information: float, lineup: Lineup) -> NextMatch:
    names = tuple(tuple(pool.names[player] for player in team) for team in lineup)
    return NextMatch(names, information, pool.predict(lineup))


def _choose(
    pool: PlayerPool, count: int, shape: tuple[int, int], each: int, progress: bool | None
) -> tuple[list[tuple[float, Lineup]], bool]:
    # The second value of the result says whether all possible matches were compared.
    shortlist = Shortlist(pool)
    left = np.full(len(pool), each)
    chosen: dict[Lineup, float] = {}
    values: dict[Lineup, float] = {}

    def value(lineup: Lineup) -> float:
        if lineup in chosen:
            # Improving a line-up may lead to one that is already chosen.
            return -1.0
        if lineup not in values:
            values[lineup] = expected_information(pool, [[pool.ratings[p] for p in team] for team in lineup])
        return values[lineup]

    # With larger teams there are far too many line-ups to compare all.
    every = shape == (2, 1) and len(pool) * (len(pool) - 1) // 2 <= ALL
    before = -1
    # A pass without a new match means that no further match is possible.
    while before < len(chosen) < count:
        before = len(chosen)
        free = np.flatnonzero(left > 0)
        candidates = list(_candidates(shortlist, free, shape, count - before, every))
        for index in steps(range(len(candidates)), "comparing matches", progress):
            value(candidates[index])
        for lineup in sorted(candidates, key=lambda candidate: (-value(candidate), candidate)):
            members = [player for team in lineup for player in team]
            # An earlier choice may have used up one of the players.
            if len(chosen) == count or value(lineup) < 0.0 or not (left[members] > 0).all():
                continue
            if shape != (2, 1):
                lineup = improve_lineup(shortlist, lineup, np.flatnonzero(left > 0), value)
                members = [player for team in lineup for player in team]
            chosen[lineup] = value(lineup)
            left[members] -= 1
    ordered = sorted(chosen.items(), key=lambda match: (-match[1], match[0]))
    return [(information, lineup) for lineup, information in ordered], every


def _candidates(shortlist: Shortlist, free: Ints, shape: tuple[int, int], count: int, every: bool) -> Iterator[Lineup]:
    if len(free) < shape[0] * shape[1]:
        return
    if shape != (2, 1):
        yield from candidate_lineups(shortlist, free, shape, count)
        return
    pairs = free[np.column_stack(np.triu_indices(len(free), 1))] if every else shortlist.pairs(free, count)
    for one, other in pairs.tolist():
        yield ((one,), (other,))
