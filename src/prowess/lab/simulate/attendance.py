"""Who comes: how often players, or squads, take part in the matches of a simulated league."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import Error
from ...history.ragged import gather, starts
from ...validate import scale
from .options import Floats, Ints


class Attendance:
    """How eager each of them is to play: the chance to be drawn for a match is in proportion to it.

    One of your own says `weights`. Where `everyone` is set, everybody plays in at least one match.

    >>> class Seniors(Attendance):
    ...     def weights(self, rng, units):
    ...         return np.linspace(2.0, 1.0, units)
    >>> Seniors().draw(np.random.default_rng(1), np.array([2, 2]), np.ones(4), np.zeros(4)).shape
    (4,)
    """

    everyone: bool = False

    def weights(self, rng: np.random.Generator, units: int) -> Floats:
        """How eager each of these many is."""
        raise Error(f"{type(self).__name__} needs a method weights; Even() has the same for all")

    def checked(self, rng: np.random.Generator, units: int) -> Floats:
        """The weights, if they are as they must be."""
        found = np.asarray(self.weights(rng, units), np.float64)
        if found.shape != (units,) or not (np.isfinite(found) & (found > 0.0)).all():
            raise Error(
                f"the weights of {type(self).__name__} must be {units} finite numbers above 0", field="attendance"
            )
        return found

    def draw(self, rng: np.random.Generator, counts: Ints, weights: Floats, skill: Floats) -> Ints:
        """For every match as many of them as it needs, in a random order."""
        match = np.repeat(np.arange(len(counts)), counts)
        seat = np.full(len(match), -1, np.int64)
        if self.everyone:
            if len(match) < len(weights):
                raise Error(
                    f"not everyone can play: {len(weights)} are to have one of {len(match)} seats", field="attendance"
                )
            seat[rng.choice(len(seat), len(weights), replace=False)] = rng.permutation(len(weights))
        fill_seats(rng, seat, match, weights)
        return shuffle_within(rng, seat, match)


@dataclass(frozen=True)
class Even(Attendance):
    """All are as eager: some play a little more than others, by chance.

    >>> Even().weights(np.random.default_rng(1), 3)
    array([1., 1., 1.])
    """

    everyone: bool = False

    def weights(self, rng: np.random.Generator, units: int) -> Floats:
        """One."""
        return np.ones(units)


@dataclass(frozen=True)
class Zipf(Attendance):
    """A few play a lot: the n-th most eager comes in proportion to 1/n^exponent; who that is, is random.

    >>> sorted(Zipf(1.0).weights(np.random.default_rng(1), 4).tolist(), reverse=True)[:2]
    [1.0, 0.5]
    """

    exponent: float = 1.0
    everyone: bool = False

    def __post_init__(self) -> None:
        scale("exponent", self.exponent, zero=True)

    def weights(self, rng: np.random.Generator, units: int) -> Floats:
        """The ranks are dealt at random."""
        found: Floats = (1.0 + rng.permutation(units).astype(np.float64)) ** -self.exponent
        return found


@dataclass(frozen=True)
class Lognormal(Attendance):
    """Many hardly play and a few play a lot: eagerness is log-normal, with this sigma.

    >>> Lognormal(1.5, everyone=True)
    Lognormal(sigma=1.5, everyone=True)
    """

    sigma: float = 1.0
    everyone: bool = False

    def __post_init__(self) -> None:
        scale("sigma", self.sigma, zero=True)

    def weights(self, rng: np.random.Generator, units: int) -> Floats:
        """The median is 1."""
        found: Floats = np.exp(self.sigma * rng.standard_normal(units))
        return found


@dataclass(frozen=True)
class Rounds(Attendance):
    """In every round everybody plays once; who is left over when the others have filled the matches sits out.

    With `near`, opponents are close in skill: in each round all are lined up by skill, which is seen with an error of
    this deviation, and who stands side by side plays together. The skill is that at the first match.

    >>> Rounds(near=2.0)
    Rounds(near=2.0)
    """

    near: float | None = None

    def __post_init__(self) -> None:
        if self.near is not None:
            scale("near", self.near, zero=True)

    def weights(self, rng: np.random.Generator, units: int) -> Floats:
        """All are as eager."""
        return np.ones(units)

    def draw(self, rng: np.random.Generator, counts: Ints, weights: Floats, skill: Floats) -> Ints:
        """Deal them to the matches, round after round."""
        units = len(weights)
        if counts.max(initial=0) > units:
            raise Error(
                f"a match needs {counts.max()} of them, but the league has only {units}", field="players", value=units
            )
        if self.near is None and (counts == counts[:1]).all():
            return _dealt(rng, counts, units)
        ends = np.cumsum(counts)
        chosen = np.empty(ends[-1], np.int64)
        first = base = 0
        while first < len(counts):
            last = int(np.searchsorted(ends, base + units, side="right"))
            chosen[base : ends[last - 1]] = self._round(rng, counts[first:last], skill)
            first, base = last, int(ends[last - 1])
        return chosen

    def _round(self, rng: np.random.Generator, counts: Ints, skill: Floats) -> Ints:
        """Who plays in the matches of one round."""
        playing = rng.permutation(len(skill))[: counts.sum()]
        if self.near is None:
            return playing
        lined_up = playing[np.argsort(skill[playing] + self.near * rng.standard_normal(len(playing)))]
        order = rng.permutation(len(counts))  # or the first matches of a round would be those of the weak
        chosen = np.empty_like(playing)
        chosen[gather(starts(counts), order)[1]] = lined_up
        return shuffle_within(rng, chosen, np.repeat(np.arange(len(counts)), counts))


def _dealt(rng: np.random.Generator, counts: Ints, units: int) -> Ints:
    """All rounds at once, where all matches need the same number."""
    used = units // int(counts[0]) * int(counts[0])
    rounds = -(-int(counts.sum()) // used)
    found: Ints = rng.permuted(np.tile(np.arange(units), (rounds, 1)), axis=1)[:, :used]
    return found.ravel()[: counts.sum()]


TRIES = 40  # rounds of drawing for all matches at once; what is then still open is drawn match by match


def fill_seats(rng: np.random.Generator, seat: Ints, match: Ints, weights: Floats) -> None:
    """Draw somebody for every open seat (−1) in proportion to the weights, nobody twice in a match.

    All open seats are drawn at once; who is in the match already is drawn again. That is the same as drawing one after
    another from those who are left.

    >>> seat = np.array([0, -1, -1, 2, -1])
    >>> fill_seats(np.random.default_rng(1), seat, np.array([0, 0, 0, 1, 1]), np.array([1.0, 1.0, 1.0]))
    >>> sorted(seat[:3].tolist())
    [0, 1, 2]
    """
    ladder = np.cumsum(weights)
    ladder /= ladder[-1]
    open_ = np.flatnonzero(seat < 0)
    for _ in range(TRIES):
        if not len(open_):
            return
        seat[open_] = np.searchsorted(ladder, rng.random(len(open_)), side="right")
        open_ = _twice(seat, match, open_, len(weights))
    seat[open_] = -1
    _fill_singly(rng, seat, match, weights, open_)


def _twice(seat: Ints, match: Ints, drawn: Ints, units: int) -> Ints:
    """Of the seats that were just drawn, those of somebody who is in the match already."""
    mixed = np.zeros(int(match.max()) + 1, bool)
    mixed[match[drawn]] = True
    looked = np.flatnonzero(mixed[match])
    new = np.zeros(len(seat), bool)
    new[drawn] = True
    key = match[looked] * units + seat[looked]
    order = np.lexsort((new[looked], key))  # who was there before comes first, and stays
    again = key[order][1:] == key[order][:-1]
    found: Ints = np.sort(looked[order[1:][again]])
    return found


def _fill_singly(rng: np.random.Generator, seat: Ints, match: Ints, weights: Floats, open_: Ints) -> None:
    """Fill the seats of a few matches from those who are left: with exponential waiting times, the first come first."""
    for one in np.unique(match[open_]):
        seats = open_[match[open_] == one]
        waiting = rng.exponential(size=len(weights)) / weights
        there = seat[match == one]
        waiting[there[there >= 0]] = np.inf
        left = np.argsort(waiting)[: len(seats)]
        if len(left) < len(seats) or not np.isfinite(waiting[left]).all():
            raise Error(
                f"match {one + 1} needs {len(there)} players, but the league has not enough: have more players, or "
                "fewer or smaller teams",
                field="players",
                match=int(one),
            )
        seat[seats] = left


def shuffle_within(rng: np.random.Generator, chosen: Ints, match: Ints) -> Ints:
    """The same choice for every match in a random order; `match` must be sorted.

    >>> shuffle_within(np.random.default_rng(1), np.array([1, 2, 3, 4]), np.array([0, 0, 0, 1])).tolist()[3]
    4
    """
    return chosen[np.lexsort((rng.random(len(chosen)), match))]
