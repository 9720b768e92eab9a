"""The lineups of a simulated league: attendance, squads, and the teams of every match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history.ragged import Floats, gather, owners, starts
from ...validate import probability, scale, whole

Ints = NDArray[np.int64]
Count = int | tuple[int, int] | list[int] | NDArray[np.integer]
ROUNDS_OF_DRAWING = 40  # attempts to fill all matches at once; after that, open seats are filled match by match


def per_match(name: str, value: Any, matches: int, least: int, rng: np.random.Generator) -> Ints:
    """Return a number for every match; `value` is one number, a range to draw from (a tuple), or a list of numbers.

    Raises an `Error` about the parameter `name` if a number is below `least`.

    >>> rng = np.random.default_rng(1)
    >>> per_match("teams", 2, 3, 2, rng), per_match("teams", [2, 8, 4], 3, 2, rng)
    (array([2, 2, 2]), array([2, 8, 4]))
    >>> bool((per_match("teams", (2, 4), 1000, 2, rng) <= 4).all())
    True
    """
    if isinstance(value, tuple):
        if len(value) != 2:
            message = f"{name} must be a number, a range (least, most) or a list of {matches} numbers, not {value!r}"
            raise Error(message, field=name, value=value)
        low, high = whole(f"the minimum of {name}", value[0], least), whole(f"the maximum of {name}", value[1], least)
        if low > high:
            raise Error(f"the range of {name} must have the minimum first, not {value!r}", field=name, value=value)
        return rng.integers(low, high + 1, matches)
    if isinstance(value, (list, np.ndarray)):
        column = np.asarray(value)
        if column.shape != (matches,) or column.dtype.kind not in "iu" or (column < least).any():
            message = f"{name} must have a whole number of at least {least} for each of the {matches} matches"
            raise Error(message, field=name, value=value)
        return column.astype(np.int64)
    return np.full(matches, whole(name, value, least), np.int64)


class Attendance:
    """How often players or squads take part: the chance of being drawn for a match is proportional to a weight.

    Subclasses implement `weights`. With `everyone`, each player or squad plays in at least one match.

    >>> class Seniors(Attendance):
    ...     def weights(self, rng, units):
    ...         return np.linspace(2.0, 1.0, units)
    >>> Seniors().draw(np.random.default_rng(1), np.array([2, 2]), np.ones(4), np.zeros(4)).shape
    (4,)
    """

    everyone: bool = False

    def weights(self, rng: np.random.Generator, units: int) -> Floats:
        """Return one weight for each of `units` players or squads."""
        raise Error(f"{type(self).__name__} needs a `weights` method; use Even() for equal weights")

    def checked(self, rng: np.random.Generator, units: int) -> Floats:
        """Return the weights; raises `Error` if they are not positive numbers."""
        weights = np.asarray(self.weights(rng, units), np.float64)
        if weights.shape != (units,) or not (np.isfinite(weights) & (weights > 0.0)).all():
            name = type(self).__name__
            right = f"one finite number above 0 for each of the {units} players or squads"
            raise Error(f"{name}.weights must return {right}", field="attendance")
        return weights

    def draw(self, rng: np.random.Generator, counts: Ints, weights: Floats, skill: Floats) -> Ints:
        """Draw players or squads for every match, in random order; `counts` says how many each match needs."""
        match = np.repeat(np.arange(len(counts)), counts)
        seat = np.full(len(match), -1, np.int64)
        if self.everyone:
            if len(match) < len(weights):
                raise Error(
                    f"not everyone can play: {len(match)} seats for {len(weights)} players; add matches",
                    field="attendance",
                )
            # Everyone gets one random seat first; the remaining seats are filled by weight.
            seat[rng.choice(len(seat), len(weights), replace=False)] = rng.permutation(len(weights))
        fill_seats(rng, seat, match, weights)
        return shuffle_within(rng, seat, match)


@dataclass(frozen=True)
class Even(Attendance):
    """Everyone has the same weight; by chance, some play a little more than others.

    >>> Even().weights(np.random.default_rng(1), 3)
    array([1., 1., 1.])
    """

    everyone: bool = False

    def weights(self, rng: np.random.Generator, units: int) -> Floats:
        """Return a weight of 1 for everyone."""
        return np.ones(units)


@dataclass(frozen=True)
class Zipf(Attendance):
    """A few players play a lot: players are put in a random order, and the n-th player has weight 1/n^exponent.

    >>> sorted(Zipf(1.0).weights(np.random.default_rng(1), 4).tolist(), reverse=True)[:2]
    [1.0, 0.5]
    """

    exponent: float = 1.0
    everyone: bool = False

    def __post_init__(self) -> None:
        scale("exponent", self.exponent, zero=True)

    def weights(self, rng: np.random.Generator, units: int) -> Floats:
        """Return the weights in random order."""
        return np.asarray((1.0 + rng.permutation(units).astype(np.float64)) ** -self.exponent)


@dataclass(frozen=True)
class Lognormal(Attendance):
    """Many players hardly play, and a few play a lot: weights are log-normal with parameter `sigma`.

    >>> Lognormal(1.5, everyone=True)
    Lognormal(sigma=1.5, everyone=True)
    """

    sigma: float = 1.0
    everyone: bool = False

    def __post_init__(self) -> None:
        scale("sigma", self.sigma, zero=True)

    def weights(self, rng: np.random.Generator, units: int) -> Floats:
        """Return weights with median 1."""
        return np.asarray(np.exp(self.sigma * rng.standard_normal(units)))


@dataclass(frozen=True)
class Rounds(Attendance):
    """Every player plays once in every round, except those who are left over when the matches of a round are full.

    With `near`, opponents are close in skill: in each round, the players are sorted by skill plus a random error with
    standard deviation `near`, and neighbours play together. The skills are those at the start of the league, even if
    skills change later.

    >>> Rounds(near=2.0)
    Rounds(near=2.0)
    """

    near: float | None = None

    def __post_init__(self) -> None:
        if self.near is not None:
            scale("near", self.near, zero=True)

    def weights(self, rng: np.random.Generator, units: int) -> Floats:
        """Return a weight of 1 for everyone."""
        return np.ones(units)

    def draw(self, rng: np.random.Generator, counts: Ints, weights: Floats, skill: Floats) -> Ints:
        """Assign players or squads to the matches, round by round."""
        units = len(weights)
        if counts.max(initial=0) > units:
            raise Error(
                f"a match needs {counts.max()} players or squads, but the league has only {units}",
                field="players",
                value=units,
            )
        # If skills do not matter and all matches have the same size, all rounds can be drawn at once.
        if self.near is None and (counts == counts[:1]).all():
            used = units // int(counts[0]) * int(counts[0])
            rounds = -(-int(counts.sum()) // used)
            order = rng.permuted(np.tile(np.arange(units), (rounds, 1)), axis=1)[:, :used]
            return np.asarray(order.ravel()[: counts.sum()])
        ends = np.cumsum(counts)
        chosen = np.empty(ends[-1], np.int64)
        first = base = 0
        while first < len(counts):
            last = int(np.searchsorted(ends, base + units, side="right"))
            chosen[base : ends[last - 1]] = self._round(rng, counts[first:last], skill)
            first, base = last, int(ends[last - 1])
        return chosen

    def _round(self, rng: np.random.Generator, counts: Ints, skill: Floats) -> Ints:
        playing = rng.permutation(len(skill))[: counts.sum()]
        if self.near is None:
            return playing
        lined_up = playing[np.argsort(skill[playing] + self.near * rng.standard_normal(len(playing)))]
        # Matches are shuffled, because otherwise the weakest players would always play first in a round.
        order = rng.permutation(len(counts))
        chosen = np.empty_like(playing)
        chosen[gather(starts(counts), order)[1]] = lined_up
        return shuffle_within(rng, chosen, np.repeat(np.arange(len(counts)), counts))


def fill_seats(rng: np.random.Generator, seat: Ints, match: Ints, weights: Floats) -> None:
    """Fill every open seat (−1) of `seat`, in place, at random by weight; no player is in a match twice.

    All open seats are drawn at once. If a player is drawn twice for a match, the second draw is repeated. The result
    has the same distribution as drawing the players of each match one at a time, without replacement.

    >>> seat = np.array([0, -1, -1, 2, -1])
    >>> fill_seats(np.random.default_rng(1), seat, np.array([0, 0, 0, 1, 1]), np.array([1.0, 1.0, 1.0]))
    >>> sorted(seat[:3].tolist())
    [0, 1, 2]
    """
    ladder = np.cumsum(weights)
    ladder /= ladder[-1]
    open_ = np.flatnonzero(seat < 0)
    for _ in range(ROUNDS_OF_DRAWING):
        if not len(open_):
            return
        seat[open_] = np.searchsorted(ladder, rng.random(len(open_)), side="right")
        open_ = _duplicates(seat, match, open_, len(weights))
    seat[open_] = -1
    _fill_singly(rng, seat, match, weights, open_)


def _duplicates(seat: Ints, match: Ints, drawn: Ints, units: int) -> Ints:
    touched = np.zeros(int(match.max()) + 1, bool)
    touched[match[drawn]] = True
    checked = np.flatnonzero(touched[match])
    new = np.zeros(len(seat), bool)
    new[drawn] = True
    key = match[checked] * units + seat[checked]
    order = np.lexsort((new[checked], key))  # players drawn earlier come first and keep their seats
    repeated = key[order][1:] == key[order][:-1]
    return np.asarray(np.sort(checked[order[1:][repeated]]))


def _fill_singly(rng: np.random.Generator, seat: Ints, match: Ints, weights: Floats, open_: Ints) -> None:
    # Every remaining player gets a random waiting time, exponential with a mean of 1/weight. The players with the
    # shortest times play.
    for number in np.unique(match[open_]).tolist():
        seats = open_[match[open_] == number]
        waiting = rng.exponential(size=len(weights)) / weights
        playing = seat[match == number]
        waiting[playing[playing >= 0]] = np.inf
        left = np.argsort(waiting)[: len(seats)]
        if len(left) < len(seats) or not np.isfinite(waiting[left]).all():
            problem = f"match {number + 1} needs {len(playing)} players, more than the league has"
            raise Error(f"{problem}: try more players, or fewer or smaller teams", field="players", match=number)
        seat[seats] = left


def shuffle_within(rng: np.random.Generator, chosen: Ints, match: Ints) -> Ints:
    """Shuffle the players of every match; `match` must be sorted.

    >>> shuffle_within(np.random.default_rng(1), np.array([1, 2, 3, 4]), np.array([0, 0, 0, 1])).tolist()[3]
    4
    """
    return chosen[np.lexsort((rng.random(len(chosen)), match))]


@dataclass(frozen=True)
class Roster:
    """Players belong to squads, which play the matches but are not always complete.

    - `understaffing`: the probability that a member is absent and the seat stays empty; at least `least` members come.
    - `switching`: the probability that a guest takes a member's seat. A guest is a player of another squad who is not
      in this match. Players of squads with a high attendance are guests more often.
    - `substitutes`: the probability that a team has an additional player, who is also a guest.
    - `alike`: how similar the players of a squad are, 0 to 1. All players are sorted by √alike times their skill plus
      √(1 − alike) times noise, and neighbours form a squad. The skills themselves do not change.

    Players who are too few for another squad (the remainder of players/size) play only as guests.

    >>> Roster(understaffing=0.15, switching=0.1)
    Roster(understaffing=0.15, switching=0.1, substitutes=0.0, alike=0.0, least=1)
    """

    understaffing: float = 0.0
    switching: float = 0.0
    substitutes: float = 0.0
    alike: float = 0.0
    least: int = 1

    def __post_init__(self) -> None:
        for name in ("understaffing", "switching", "substitutes", "alike"):
            probability(name, getattr(self, name))
        whole("least", self.least, 1)

    def squads(self, rng: np.random.Generator, skill: Floats, size: int) -> Ints:
        """Return the players of each squad as a row.

        >>> Roster().squads(np.random.default_rng(1), np.zeros(7), 3).shape
        (2, 3)
        """
        if self.least > size:
            message = f"`least` is {self.least}, but a squad has only {size} players"
            raise Error(message, field="least", value=self.least)
        deviation = float(skill.std()) or 1.0
        seen = np.sqrt(self.alike) * skill / deviation + np.sqrt(1.0 - self.alike) * rng.standard_normal(len(skill))
        count = len(skill) // size
        return np.argsort(seen)[: count * size].reshape(count, size)


def staff_teams(
    rng: np.random.Generator, roster: Roster, attendance: Attendance, skill: Floats, teams: Ints, size: int
) -> tuple[Ints, Ints]:
    """Return the sizes and the players of all teams of all matches."""
    squads = roster.squads(rng, skill, size)
    if not len(squads):
        raise Error(f"{len(skill)} players are too few for a squad of {size}", field="players", value=len(skill))
    weights = attendance.checked(rng, len(squads))
    squad = attendance.draw(rng, teams, weights, skill[squads].mean(axis=1))
    match = np.repeat(np.arange(len(teams)), teams)
    luck = rng.random((len(squad), size))
    present = luck >= roster.understaffing
    # The `least` members with the highest random numbers always come.
    present |= luck >= np.partition(luck, size - roster.least, axis=1)[:, [size - roster.least]]
    guest = present & (rng.random(present.shape) < roster.switching)
    extra = rng.random((len(squad), 1)) < roster.substitutes
    members = np.where(guest, -1, squads[squad])
    seats = np.concatenate([members, np.full((len(squad), 1), -1)], axis=1)
    taken = np.concatenate([present, extra], axis=1)
    # Players without a squad are guests with an average weight.
    by_player = np.full(len(skill), float(weights.mean()))
    by_player[squads] = weights[:, None]
    away = squads[squad][guest]  # a member whom a guest replaces must not be a guest in the same match
    seat = np.concatenate([seats[taken], away])
    seat_match = np.concatenate([np.repeat(match, taken.sum(axis=1)), np.repeat(match, guest.sum(axis=1))])
    fill_seats(rng, seat, seat_match, by_player)
    return taken.sum(axis=1), seat[: len(seat) - len(away)]


@dataclass(frozen=True, eq=False)
class Lineup:
    """The teams of every match and the players of every team, as in a history. Players are identified by numbers.

    >>> Lineup(np.array([0, 2], np.int32), np.array([0, 1, 3], np.int32), np.array([4, 2, 5])).match
    array([0, 0, 0], dtype=int32)
    """

    match_start: NDArray[np.int32]
    team_start: NDArray[np.int32]
    player: Ints

    def __len__(self) -> int:
        return len(self.match_start) - 1

    @property
    def match(self) -> NDArray[np.int32]:
        """The match of every entry."""
        return owners(self.match_start)[owners(self.team_start)]


def draw_lineup(
    rng: np.random.Generator,
    matches: int,
    skill: Floats,
    teams: Count,
    size: Count,
    attendance: Attendance,
    roster: Roster | None,
) -> Lineup:
    """Draw the players of every match: random teams, or squads.

    >>> lineup = draw_lineup(np.random.default_rng(1), 10, np.zeros(20), 2, (1, 3), Even(), None)
    >>> len(lineup), len(lineup.team_start)
    (10, 21)
    """
    counts = per_match("teams", teams, matches, 2, rng)
    if roster is not None:
        squad_size = whole("size with a roster", size, 1, field="size")
        sizes, player = staff_teams(rng, roster, attendance, skill, counts, squad_size)
    else:
        if isinstance(size, tuple):  # a range is drawn for each team, not for each match
            sizes = per_match("size", size, int(counts.sum()), 1, rng)
        else:
            sizes = np.repeat(per_match("size", size, len(counts), 1, rng), counts)
        weights = attendance.checked(rng, len(skill))
        player = attendance.draw(rng, np.add.reduceat(sizes, starts(counts)[:-1]), weights, skill)
    if len(player) > np.iinfo(np.int32).max:
        raise Error(f"a history has at most {np.iinfo(np.int32).max} entries, not {len(player)}")
    return Lineup(starts(counts), starts(sizes), player)
