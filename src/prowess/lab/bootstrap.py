"""Bootstrap: how sure a measure is, and a difference between two models, from resampled histories.

A 95 % interval means: if leagues like this one were played again and again, about 95 of 100 intervals that are made so
would hold the measure that an endless league of this kind would give. It speaks of these players, these models and the
span of time that was scored, not of other leagues.

Matches are put into groups; a resampled history draws as many groups as there are, with replacement, and all models are
measured on the same draws, so that differences are paired. Groups are blocks of neighbouring matches, because errors of
neighbours are alike (Carlstein, 1986), or single matches. More than 1,000 groups are merged, so that the cost of a
draw does not depend on the number of matches: it is a product of matrices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from ..history import History
from ..history.times import DAY
from ..validate import number, scale, whole
from .interval import Interval
from .measures import Tally
from .measures.aggregate import Groups, Sums, group_sums
from .measures.tally import Floats

MOST = 1000  # groups


@dataclass(frozen=True)
class Resampling:
    """How histories are resampled.

    `block`: None for blocks of neighbouring matches (∛n of n matches, more where that makes too many blocks); a number
    for blocks of so many days (units of plain times; matches, where there are no times); "match" for single matches, as
    if none of them knew of another. `confidence` of the intervals, number of `draws`, `seed` of the draws.

    >>> column = np.random.default_rng(0).normal(5.0, 2.0, 1000)
    >>> print(Resampling(block="match").interval(Tally(column, np.ones(1000))))
    4.90 (4.79 to 5.03)
    """

    block: float | str | None = None
    confidence: float = 0.95
    draws: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the settings."""
        if isinstance(self.block, str) and self.block != "match":
            raise Error(
                f'block must be "match", a number of days or matches, or None, not {self.block!r}',
                field="block",
                value=self.block,
            )
        if self.block is not None and not isinstance(self.block, str):
            scale("block", self.block)
        if not 0.0 < number("confidence", self.confidence) < 1.0:
            raise Error(
                f"confidence must lie between 0 and 1, not {self.confidence!r}",
                field="confidence",
                value=self.confidence,
            )
        whole("draws", self.draws, 1)
        whole("seed", self.seed)

    def __str__(self) -> str:
        """How intervals are made, and what they mean."""
        if self.block is None:
            block = "blocks of neighbouring matches"
        elif isinstance(self.block, str):
            block = "single matches"
        else:
            block = f"blocks of {self.block:g} days (matches, where there are no times)"
        return (
            f"Intervals are made from {self.draws:,} resampled histories: {block} are drawn with replacement, the same "
            f"for all models. If leagues like this one were played again and again, about {100 * self.confidence:g} of "
            "100 such intervals would hold what an endless league of this kind would give. They speak of these "
            "players, these models and this span of time, not of other leagues."
        )

    def interval(self, tally: Tally, history: History | None = None) -> Interval:
        """The mean of a tally over the matches of a history, with its interval.

        >>> Resampling().interval(Tally(np.ones(10), np.ones(10)))
        Interval(value=1.0, low=1.0, high=1.0)
        """
        groups = self._groups(tally, history)
        return self.draw(groups).measure(group_sums(tally, groups)).interval

    def difference(self, one: Tally, other: Tally, history: History | None = None) -> Interval:
        """How much higher the mean of one tally is than that of another over the same matches, paired.

        >>> column = np.random.default_rng(0).normal(5.0, 2.0, 1000)
        >>> print(Resampling().difference(Tally(column + 1, np.ones(1000)), Tally(column, np.ones(1000))))
        1.0000000 (1.0000000 to 1.0000000)
        """
        if len(one) != len(other):
            raise Error(f"these are not the same matches: {len(one)} of them and {len(other)}")
        groups = self._groups(one, history)
        draws = self.draw(groups)
        return draws.measure(group_sums(one, groups)).less(draws.measure(group_sums(other, groups)))

    def _groups(self, tally: Tally, history: History | None) -> Groups:
        if history is not None and len(history) != len(tally):
            raise Error(f"a tally of {len(tally)} matches does not belong to a history of {len(history)}")
        return self.groups(np.arange(len(tally)), history)

    def groups(self, match: NDArray[np.intp], history: History | None = None) -> Groups:
        """Put matches, by their indices in a history, into groups; a match that stands there twice is in one group.

        >>> Resampling(block=2).groups(np.arange(5)).of
        array([0, 0, 1, 1, 2])
        """
        at, many = _positions(match)
        if not many:
            return Groups(at, 0)
        if self.block is None:
            count = min(MOST, round(many ** (2 / 3)))  # blocks of the cube root
            return Groups(at * count // many, count)
        if isinstance(self.block, str):
            order = np.random.default_rng(self.seed).permutation(many) if many > MOST else np.arange(many)
            return Groups(order[at] * min(many, MOST) // many, min(many, MOST))
        if history is None or history.time is None:
            block = at // max(1, round(self.block))
        else:
            unit = 1 if history.time_kind == "number" else DAY
            time = history.time[match]
            block = ((time - time.min()) // (self.block * unit)).astype(np.intp)
        names, group = np.unique(block, return_inverse=True)
        return Groups(group * min(len(names), MOST) // len(names), min(len(names), MOST))

    def view(self, picked: NDArray[np.intp], match: NDArray[np.intp], history: History) -> View:
        """Some rows, of whose matches the indices are known, grouped and resampled.

        >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3)
        >>> Resampling(block="match").view(np.array([0, 2]), np.arange(3), history).groups.of
        array([0, 1])
        """
        groups = self.groups(match[picked], history)
        return View(picked, groups, self.draw(groups))

    def draw(self, groups: Groups) -> Draws:
        """Resample so many groups.

        >>> Resampling(draws=2).draw(Groups(np.arange(3), 3)).counts.sum(axis=1)
        array([3., 3.])
        """
        many = groups.number
        if not many:
            return Draws(np.zeros((self.draws, 0)), self.confidence)
        found = np.random.default_rng([self.seed, many]).integers(many, size=(self.draws, many))
        found += np.arange(self.draws)[:, None] * many
        counts = np.bincount(found.ravel(), minlength=self.draws * many).reshape(self.draws, many)
        return Draws(counts.astype(np.float64), self.confidence)


@dataclass(frozen=True, eq=False)
class Draws:
    """Resampled histories: how often each group stands in each of them (draws × groups).

    >>> from prowess.lab.measures.aggregate import ratio
    >>> draws = Resampling(draws=3).draw(Groups(np.arange(5), 5))
    >>> draws.measure(Sums(np.ones((5, 2)), ratio)).values
    array([1., 1., 1.])
    """

    counts: Floats
    confidence: float

    def measure(self, sums: Sums) -> Resampled:
        """A measure of all matches and on every resampled history."""
        return self.measures({"": sums})[""]

    def measures(self, sums: Mapping[str, Sums]) -> dict[str, Resampled]:
        """The same for several, by one product of matrices."""
        if not sums:
            return {}
        ends = np.cumsum([one.parts.shape[1] for one in sums.values()])
        whole = np.split(self.counts @ np.hstack([one.parts for one in sums.values()]), ends[:-1], axis=1)
        return {name: self._measure(one, drawn) for (name, one), drawn in zip(sums.items(), whole, strict=True)}

    def _measure(self, sums: Sums, drawn: Floats) -> Resampled:
        if np.count_nonzero(sums.parts.any(axis=1)) < 2:  # one group says nothing of how others would differ
            return Resampled(sums, sums.value, np.full(len(self.counts), np.nan), None, self.confidence)
        chance = None if sums.chance is None else sums.chance(drawn, sums.parts.sum(axis=0))
        return Resampled(sums, sums.value, sums.combine(drawn), chance, self.confidence)


@dataclass(frozen=True, eq=False)
class Resampled:
    """A measure: its sums, its value, its values on the resampled histories, and what chance alone makes of it there.

    >>> from prowess.lab.measures.aggregate import ratio
    >>> sums = Sums(np.array([[1.0, 2.0], [2.0, 2.0]]), ratio)
    >>> one = Resampling().draw(Groups(np.arange(2), 2)).measure(sums)
    >>> one.interval, one.less(one)
    (Interval(value=0.75, low=0.5, high=1.0), Interval(value=0.0, low=0.0, high=0.0))
    """

    sums: Sums
    value: float
    values: Floats
    chance: Floats | None
    confidence: float

    @property
    def interval(self) -> Interval:
        """The measure with its interval: quantiles of the resampled values.

        Where chance makes the measure larger, the interval begins at 0 if chance alone could have made all of it, and
        else at the reflected upper end, 2 · value − high: the basic bootstrap (Davison, Hinkley, 1997, section 5.2).
        """
        found = self._between(self.value, self.values)
        if self.chance is None or np.isnan(found.low):
            return found
        alone = float(np.quantile(self.chance, 0.5 + 0.5 * self.confidence))
        high = max(found.high, self.value)
        return Interval(self.value, 0.0 if self.value <= alone else max(2 * self.value - high, 0.0), high)

    def less(self, other: Resampled) -> Interval:
        """How much higher it is than another measure of the same matches, paired.

        Where chance makes them larger, the interval is as wide as quantiles and reflected quantiles together.
        """
        value, low, high = self._between(self.value - other.value, self.values - other.values)
        if self.chance is not None:
            low, high = min(low, 2 * value - high), max(high, 2 * value - low)
        return Interval(value, low, high)

    def _between(self, value: float, found: Floats) -> Interval:
        """The quantiles of what was found."""
        found = found[~np.isnan(found)]
        if not len(found) or np.isnan(value):
            return Interval(value, np.nan, np.nan)
        tail = 0.5 * (1.0 - self.confidence)
        return Interval(value, *np.quantile(found, (tail, 1.0 - tail)).tolist())


class View(NamedTuple):
    """Some rows, how they are grouped, and resampled."""

    picked: NDArray[np.intp]
    groups: Groups
    draws: Draws


def _positions(match: NDArray[np.intp]) -> tuple[NDArray[np.intp], int]:
    """Where every match stands among those that are there, and how many there are."""
    if (np.diff(match) > 0).all():
        return np.arange(len(match)), len(match)
    names, at = np.unique(match, return_inverse=True)
    return at, len(names)
