"""`balance`: split players into teams whose match has the highest quality."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.prediction import Prediction
from ...validate import whole
from ..player_pool import Performances, PlayerPool, Players, Source, make_pool
from .local_search import log_quality_of, search
from .rules import Rules, check_feasible, parse_groups, parse_sizes, random_split

Ints = NDArray[np.intp]
Splits = NDArray[np.int8]
Names = Iterable[Sequence[str]] | Sequence[str]

CELLS = 2_000_000  # limit of splits times players; allows 20 players in two teams, 15 in three, 14 in pairs


@dataclass(frozen=True, eq=False)
class Balance:
    """A split of players into teams, and the fairness of the match between these teams.

    `teams` holds the names; the players of a team are in the order in which they were given. `quality` is the match
    quality (0 to 1), `prediction` the forecast. `exact` is True if this is certainly the best split: all splits were
    compared, or all players have the same rating. `compared` is the number of compared splits. `newcomers` are the
    unknown names, which are rated as newcomers. `unconstrained` is the best quality without `together` and `apart`, or
    None if neither was given.

    >>> import prowess as pw
    >>> split = pw.balance(pw.TrueSkill(), {"ann": pw.Rating(30, 2), "bob": pw.Rating(27, 2), "cat": pw.Rating(24, 2),
    ...                                     "dan": pw.Rating(21, 2)})
    >>> split.teams
    (('ann', 'dan'), ('bob', 'cat'))
    >>> split
    As even as can be: ann + dan 45.5 %; bob + cat 45.5 %; draw 9.0 %. Quality 0.902, the best of all 3 splits.
    """

    teams: tuple[tuple[str, ...], ...]
    quality: float
    prediction: Prediction
    exact: bool
    compared: int
    newcomers: tuple[str, ...] = ()
    unconstrained: float | None = None

    @property
    def fairness(self) -> str:
        """How fair the match is, in words. The more equal the teams' chances to win, the fairer the match.

        >>> import prowess as pw
        >>> pw.balance(pw.TrueSkill(), {"ann": pw.Rating(40, 1), "bob": pw.Rating(10, 1)}).fairness
        'one-sided'
        """
        return self.prediction.fairness

    @property
    def tilt(self) -> float:
        """How far the teams' chances to win are from equal: 0 for equal chances, 1 if one team certainly wins.

        >>> import prowess as pw
        >>> pw.balance(pw.TrueSkill(draw_probability=0), {"ann": pw.Rating(30, 1), "bob": pw.Rating(30, 1)}).tilt
        0.0
        """
        return self.prediction.tilt

    @property
    def summary(self) -> str:
        """The result in a sentence or two.

        >>> import prowess as pw
        >>> pw.balance(pw.Elo(), ["ann", "bob"]).summary
        'As even as can be: ann 50.0 %; bob 50.0 %. Quality 1.000; all players are rated alike. Newcomers: ann, bob.'
        """
        wins = zip(self.teams, self.prediction.win, strict=True)
        chances = [f"{_join_names(team, ' + ')} {100 * win:.1f} %" for team, win in wins]
        chances += [f"draw {100 * self.prediction.draw:.1f} %"] * (self.prediction.draw >= 0.0005)
        parts = [f"{self.fairness.capitalize()}: {'; '.join(chances)}.", f"Quality {self.quality:.3f}{self._search}."]
        if self.unconstrained is not None:
            parts.append(f"If no players were kept together or apart, the quality would be {self.unconstrained:.3f}.")
        if self.newcomers:
            parts.append(f"Newcomer{'s' * (len(self.newcomers) != 1)}: {_join_names(self.newcomers, ', ')}.")
        return " ".join(parts)

    @property
    def _search(self) -> str:
        if not self.exact:
            return f", the best of {self.compared:,} splits compared, not proven to be the best of all"
        if self.compared < 2:
            return "; all players are rated alike" if self.compared == 0 else ", the only split"
        return f", the best of all {self.compared:,} splits"

    def to_dict(self) -> dict[str, Any]:
        """Return the teams, the forecast of their match and the result of the search as plain data.

        >>> import prowess as pw
        >>> list(pw.balance(pw.Elo(), ["ann", "bob"]).to_dict())[-6:]
        ['quality', 'fairness', 'exact', 'compared', 'unconstrained', 'newcomers']
        """
        data = {"teams": [list(team) for team in self.teams]} | self.prediction.to_dict() | {"quality": self.quality}
        data |= {"fairness": self.fairness, "exact": self.exact, "compared": self.compared}
        return data | {"unconstrained": self.unconstrained, "newcomers": list(self.newcomers)}

    def __repr__(self) -> str:
        return self.summary


def balance(
    source: Source,
    players: Players,
    *,
    teams: int = 2,
    sizes: Sequence[int] | None = None,
    together: Names = (),
    apart: Names = (),
    seed: int = 0,
    context: Mapping[str, Any] | None = None,
) -> Balance:
    """Split players into teams whose match has the highest quality (TrueSkill, equation 7); return a `Balance`.

    `source` is a ladder, a fit or a model. `players` are names, or ratings by name; such ratings override those of the
    source. Unknown players are rated as newcomers. `sizes` lists the team sizes; by default, there are `teams` teams of
    sizes as equal as possible. `together` lists groups whose players stay in one team, and `apart` lists groups whose
    players are all in different teams. `context` has values of the columns of the model's facets, such as
    {"mode": "2v2"}: the teams are the fairest at these values, and the forecast is that of `Ladder.predict` with them.

    If there are few splits (up to 20 players in two teams, 15 in three), all splits are compared. If there are too many
    splits, a random search finds a good split; `seed` makes the search repeatable. If the team function weighs
    positions (`pw.team.Weighted`), a team's players are in the order in which they were given.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(32, 2), "bob": pw.Rating(27, 2), "cat": pw.Rating(24, 2)})
    >>> pw.balance(ladder, ["ann", "bob", "cat", "dan"], apart=[["bob", "cat"]]).teams
    (('ann', 'cat'), ('bob', 'dan'))
    """
    pool = make_pool(source, players, context)
    whole("seed", seed)
    groups = parse_groups("together", together, pool.names), parse_groups("apart", apart, pool.names)
    rules = Rules(parse_sizes(len(pool), teams, sizes), *groups)
    check_feasible(rules, pool.names)
    performances = Performances(pool, rules.sizes)
    split, compared, exact = _best_split(performances, rules, seed)
    rosters = [np.flatnonzero(split == team).tolist() for team in range(len(rules.sizes))]
    return Balance(
        teams=tuple(tuple(pool.names[player] for player in roster) for roster in rosters),
        quality=pool.quality(rosters),
        prediction=pool.predict(rosters),
        exact=exact and pool.is_exact,
        compared=compared,
        newcomers=pool.newcomers,
        unconstrained=_unconstrained_quality(pool, performances, rules, seed) if rules else None,
    )


def _best_split(performances: Performances, rules: Rules, seed: int) -> tuple[Ints, int, bool]:
    """Return the team of every player, how many splits were compared, and whether the split is certainly the best."""
    # If all players have the same rating, every split is equally good.
    if not np.ptp(performances.mu, axis=0).any() and not np.ptp(performances.var, axis=0).any():
        units = random_split(rules, np.random.default_rng(seed))
        assert units is not None
        return units[rules.unit_of], 0, True
    splits = all_splits(rules)
    if splits is None:
        return (*search(performances, rules, seed), False)
    values = _log_qualities(performances, rules, splits)
    return splits[np.argmax(values)].astype(np.intp), len(splits), True


def _log_qualities(performances: Performances, rules: Rules, splits: Splits) -> NDArray[np.float64]:
    # A stable sort keeps the given order, which weighted positions depend on.
    members = np.argsort(splits, axis=1, kind="stable")
    ends = np.cumsum(rules.sizes)
    columns = np.empty((3, len(splits), len(ends)))
    for team, (end, size) in enumerate(zip(ends, rules.sizes, strict=True)):
        columns[:, :, team] = performances.of(members[:, end - size : end])
    return log_quality_of(columns)


def _unconstrained_quality(pool: PlayerPool, performances: Performances, rules: Rules, seed: int) -> float:
    split, _, _ = _best_split(performances, Rules(rules.sizes), seed)
    return pool.quality([np.flatnonzero(split == team).tolist() for team in range(len(rules.sizes))])


def _join_names(names: Sequence[str], between: str) -> str:
    return between.join(names if len(names) <= 6 else [*names[:5], f"{len(names) - 5} others"])


def all_splits(rules: Rules, cells: int = CELLS) -> Splits | None:
    """Return all splits that follow the rules, or None if their array would have more than `cells` elements.

    Each row has the team of every player. Units (players, or groups that stay together) are assigned to teams one after
    the other, for all partial splits at once. Teams of the same size are interchangeable: if several of these teams are
    empty, only the first gets a unit, so that no split is listed twice.

    >>> all_splits(Rules((2, 2)))
    array([[0, 0, 1, 1],
           [0, 1, 0, 1],
           [0, 1, 1, 0]], dtype=int8)
    """
    # Team numbers are stored as int8.
    if len(rules.sizes) > 127:
        return None
    most = cells // sum(rules.sizes)
    assigned = np.empty((1, 0), np.int8)
    room = np.array([rules.sizes])
    for unit, members in enumerate(rules.units):
        assigned_foes = [foe for foe in rules.foes[unit] if foe < unit]
        parts, rooms = [], []
        for team, size in enumerate(rules.sizes):
            allowed = room[:, team] >= len(members)
            allowed &= (assigned[:, assigned_foes] != team).all(axis=1)
            if rules.twins[team] >= 0:
                allowed &= room[:, rules.twins[team]] < size
            parts.append(np.column_stack([assigned[allowed], np.full(int(allowed.sum()), team, np.int8)]))
            rooms.append(room[allowed])
            rooms[-1][:, team] -= len(members)
        if sum(map(len, parts)) > most:
            return None
        assigned, room = np.concatenate(parts), np.concatenate(rooms)
    splits: Splits = assigned[:, rules.unit_of]
    # Sorted, so that the choice among equally good splits does not depend on the enumeration.
    return splits[np.lexsort(splits.T[::-1])]
