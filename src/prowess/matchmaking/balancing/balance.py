"""Fair teams: the split of a group into teams whose match has the highest quality."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
Names = Iterable[Sequence[str]] | Sequence[str]


@dataclass(frozen=True, eq=False)
class Balance:
    """Teams that were made of a group, and how fair a match between them is.

    `teams` holds the names, the players of a team in the order in which they were given. `quality` is that of the match
    (0 to 1), `prediction` what is expected of it. `exact` tells whether surely none has a higher quality: all splits
    were compared (`compared` of them), or there was nothing to compare, because all players are rated alike.
    `newcomers` are those who were not known, and were taken for newcomers. `unconstrained` is the quality that was
    found without keeping anybody together or apart, or None if nobody was.

    >>> import prowess as pw
    >>> found = pw.balance(pw.TrueSkill(), {"ann": pw.Rating(30, 2), "bob": pw.Rating(27, 2), "cat": pw.Rating(24, 2),
    ...                                     "dan": pw.Rating(21, 2)})
    >>> found.teams
    (('ann', 'dan'), ('bob', 'cat'))
    >>> found
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
        """How fair the match is, in words: by how far the teams' chances to win are from equal ones.

        >>> import prowess as pw
        >>> pw.balance(pw.TrueSkill(), {"ann": pw.Rating(40, 1), "bob": pw.Rating(10, 1)}).fairness
        'one-sided'
        """
        return self.prediction.fairness

    @property
    def tilt(self) -> float:
        """How far the teams' chances to win are from equal ones: 0 where they are equal, 1 where one team surely wins.

        >>> import prowess as pw
        >>> pw.balance(pw.TrueSkill(draw_probability=0), {"ann": pw.Rating(30, 1), "bob": pw.Rating(30, 1)}).tilt
        0.0
        """
        return self.prediction.tilt

    @property
    def summary(self) -> str:
        """What was found, in a sentence or two.

        >>> import prowess as pw
        >>> pw.balance(pw.Elo(), ["ann", "bob"]).summary
        'As even as can be: ann 50.0 %; bob 50.0 %. Quality 1.000; all players are rated alike. Newcomers: ann, bob.'
        """
        wins = zip(self.teams, self.prediction.win, strict=True)
        chances = [f"{_join_names(team, ' + ')} {100 * win:.1f} %" for team, win in wins]
        chances += [f"draw {100 * self.prediction.draw:.1f} %"] * (self.prediction.draw >= 0.0005)
        said = [f"{self.fairness.capitalize()}: {'; '.join(chances)}.", f"Quality {self.quality:.3f}{self._search}."]
        if self.unconstrained is not None:
            said.append(f"Without keeping players together or apart it would be {self.unconstrained:.3f}.")
        if self.newcomers:
            said.append(f"Newcomer{'s' * (len(self.newcomers) != 1)}: {_join_names(self.newcomers, ', ')}.")
        return " ".join(said)

    @property
    def _search(self) -> str:
        """What the split was chosen from."""
        if not self.exact:
            return f", the best that was found in {self.compared:,} splits, not proven to be the best of all"
        if self.compared < 2:
            return "; all players are rated alike" if self.compared == 0 else ", the only split"
        return f", the best of all {self.compared:,} splits"

    def to_dict(self) -> dict[str, Any]:
        """The teams, what is expected of their match and how they were found, as plain data.

        >>> import prowess as pw
        >>> list(pw.balance(pw.Elo(), ["ann", "bob"]).to_dict())[-6:]
        ['quality', 'fairness', 'exact', 'compared', 'unconstrained', 'newcomers']
        """
        found = {"teams": [list(team) for team in self.teams]} | self.prediction.to_dict() | {"quality": self.quality}
        found |= {"fairness": self.fairness, "exact": self.exact, "compared": self.compared}
        return found | {"unconstrained": self.unconstrained, "newcomers": list(self.newcomers)}

    def __repr__(self) -> str:
        """Say what was found."""
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
) -> Balance:
    """Split players into teams so that the match has the highest quality (TrueSkill, equation 7): a `Balance`.

    `source` is a ladder, a fit or a model; `players` are names, or ratings by name, which count more than those of the
    source. Who is not known is rated as a newcomer. `sizes` are those of the teams; else `teams` of them are as even as
    possible. `together` are groups that stay in one team, `apart` groups whose players are all in different teams.

    All splits are compared where they are few (20 players in two teams, 15 in three); else a search finds a good one,
    the same for the same `seed`. Where the team function weighs positions (`pw.team.Weighted`), players of a team stand
    in the order in which they were given.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(32, 2), "bob": pw.Rating(27, 2), "cat": pw.Rating(24, 2)})
    >>> pw.balance(ladder, ["ann", "bob", "cat", "dan"], apart=[["bob", "cat"]]).teams
    (('ann', 'cat'), ('bob', 'dan'))
    """
    found = make_pool(source, players)
    whole("seed", seed)
    asked = parse_groups("together", together, found.names), parse_groups("apart", apart, found.names)
    rules = Rules(parse_sizes(len(found), teams, sizes), *asked)
    check_feasible(rules, found.names)
    performances = Performances(found, rules.sizes)
    split, compared, exact = _best_split(performances, rules, seed)
    rosters = [np.flatnonzero(split == team).tolist() for team in range(len(rules.sizes))]
    rated = [[found.ratings[player] for player in roster] for roster in rosters]
    return Balance(
        teams=tuple(tuple(found.names[player] for player in roster) for roster in rosters),
        quality=found.model.quality_from(found.memory, rated, None),
        prediction=found.model.predict_from(found.memory, rated, None),
        exact=exact,
        compared=compared,
        newcomers=found.newcomers,
        unconstrained=_unconstrained_quality(found, performances, rules, seed) if rules else None,
    )


def _best_split(performances: Performances, rules: Rules, seed: int) -> tuple[Ints, int, bool]:
    """The team of every player, how many splits were compared, and whether no other one is better for sure."""
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
    """The logarithm of the quality of every split."""
    members = np.argsort(splits, axis=1, kind="stable")
    ends = np.cumsum(rules.sizes)
    columns = np.empty((3, len(splits), len(ends)))
    for team, (end, size) in enumerate(zip(ends, rules.sizes, strict=True)):
        columns[:, :, team] = performances.of(members[:, end - size : end])
    return log_quality_of(columns)


def _unconstrained_quality(found: PlayerPool, performances: Performances, rules: Rules, seed: int) -> float:
    """The quality of the best split that keeps the sizes alone."""
    split, _, _ = _best_split(performances, Rules(rules.sizes), seed)
    rated = [[found.ratings[player] for player in np.flatnonzero(split == team)] for team in range(len(rules.sizes))]
    return found.model.quality_from(found.memory, rated, None)


def _join_names(names: Sequence[str], between: str) -> str:
    """Some names; of many only the first."""
    return between.join(names if len(names) <= 6 else [*names[:5], f"{len(names) - 5} others"])


Splits = NDArray[np.int8]

CELLS = 2_000_000  # splits times players: 20 in two teams, 15 in three, 14 in pairs


def all_splits(rules: Rules, cells: int = CELLS) -> Splits | None:
    """The team of every player in every split that keeps the rules, a row for each; None where they are too many.

    Units are dealt out one after the other, in all ways at once. Teams of one size have no order: of those that are
    still empty only the first is dealt to, so that no split comes twice.

    >>> all_splits(Rules((2, 2)))
    array([[0, 0, 1, 1],
           [0, 1, 0, 1],
           [0, 1, 1, 0]], dtype=int8)
    """
    if len(rules.sizes) > 127:
        return None
    most = cells // sum(rules.sizes)
    dealt = np.empty((1, 0), np.int8)
    room = np.array([rules.sizes])
    for unit, members in enumerate(rules.units):
        known = [foe for foe in rules.foes[unit] if foe < unit]
        parts, rooms = [], []
        for team, size in enumerate(rules.sizes):
            may = room[:, team] >= len(members)
            may &= (dealt[:, known] != team).all(axis=1)
            if rules.twins[team] >= 0:
                may &= room[:, rules.twins[team]] < size
            parts.append(np.column_stack([dealt[may], np.full(int(may.sum()), team, np.int8)]))
            rooms.append(room[may])
            rooms[-1][:, team] -= len(members)
        if sum(map(len, parts)) > most:
            return None
        dealt, room = np.concatenate(parts), np.concatenate(rooms)
    found: Splits = dealt[:, rules.unit_of]
    return found[np.lexsort(found.T[::-1])]
