"""Bootstrap intervals of measures, and of differences between models, from resampled histories.

A 95 % interval means: if leagues like this one were played many times, about 95 of 100 intervals computed in this way
would contain the value for an infinitely long league. The interval applies to these players, these models and the time
span that was scored, not to other leagues.

Matches are put into groups: single matches, or blocks of neighbouring matches, whose errors are correlated (Carlstein,
1986). A resampled history consists of groups drawn with replacement, as many as the original history has. All models
are measured on the same draws, so differences are paired. If there are more than 1,000 groups, they are merged into
1,000. All resampled histories are measured by one matrix product, whose cost does not depend on the number of matches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from ..history import History
from ..history.ragged import Floats
from ..history.times import DAY
from ..validate import probability, scale, whole
from .interval import Interval
from .measures import Tally
from .measures.aggregate import Groups, Sums, group_sums

MAX_GROUPS = 1000


@dataclass(frozen=True)
class Resampling:
    """The settings for resampling histories.

    `block` is the length of a block of neighbouring matches. None means ∛n matches for a history of n matches, or more
    if there would be too many blocks. A number means that many days; it counts units if times are plain numbers, and
    matches if there are no times. "match" resamples single matches, as if they were independent. `confidence` is the
    level of the intervals, `draws` the number of resampled histories, and `seed` the random seed.

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
            message = f'block must be "match", a number of days or matches, or None, not {self.block!r}'
            raise Error(message, field="block", value=self.block)
        if self.block is not None and not isinstance(self.block, str):
            scale("block", self.block)
        probability("confidence", self.confidence, ends=False)
        whole("draws", self.draws, 1)
        whole("seed", self.seed)

    def __str__(self) -> str:
        """Explain how intervals are computed and what they mean."""
        block = "blocks of neighbouring matches" if self.block is None else "single matches"
        if isinstance(self.block, (int, float)):
            block = f"blocks of {self.block:g} days (of {self.block:g} matches if there are no times)"
        return (
            f"Intervals come from {self.draws:,} resampled histories: {block} are drawn with replacement, the same for "
            f"all models. If leagues like this one were played many times, about {100 * self.confidence:g} of 100 such "
            "intervals would contain the value that an endless league would have. The intervals apply to these "
            "players, these models and this time span, not to other leagues."
        )

    def interval(self, tally: Tally, history: History | None = None) -> Interval:
        """Return the mean of a tally over the matches of a history, with its interval.

        `history` has the times for a block in days; without it, the length of a block is in matches.

        >>> Resampling().interval(Tally(np.ones(10), np.ones(10)))
        Interval(value=1.0, low=1.0, high=1.0)
        """
        groups = self._groups(tally, history)
        return self.draw(groups).measure(group_sums(tally, groups)).interval

    def difference(self, one: Tally, other: Tally, history: History | None = None) -> Interval:
        """Return the mean of `one` minus the mean of `other`, over the same matches, with a paired interval.

        >>> column = np.random.default_rng(0).normal(5.0, 2.0, 1000)
        >>> print(Resampling().difference(Tally(column + 1, np.ones(1000)), Tally(column, np.ones(1000))))
        1.0000000 (1.0000000 to 1.0000000)
        """
        if len(one) != len(other):
            raise Error(f"the tallies cover {len(one)} and {len(other)} matches; both must cover the same matches")
        groups = self._groups(one, history)
        draws = self.draw(groups)
        return draws.measure(group_sums(one, groups)).less(draws.measure(group_sums(other, groups)))

    def _groups(self, tally: Tally, history: History | None) -> Groups:
        if history is not None and len(history) != len(tally):
            raise Error(f"the tally has {len(tally)} matches, but the history has {len(history)}")
        return self.groups(np.arange(len(tally)), history)

    def groups(self, match: NDArray[np.intp], history: History | None = None) -> Groups:
        """Assign matches, given by their indices in a history, to groups. A match that is listed twice is in one group.

        >>> Resampling(block=2).groups(np.arange(5)).of
        array([0, 0, 1, 1, 2])
        """
        at, many = np.arange(len(match)), len(match)
        if not (np.diff(match) > 0).all():  # the indices are not sorted, or an index is listed twice
            names, at = np.unique(match, return_inverse=True)
            many = len(names)
        if not many:
            return Groups(at, 0)
        if self.block is None:
            count = min(MAX_GROUPS, round(many ** (2 / 3)))  # blocks of the cube root of the number of matches
            return Groups(at * count // many, count)
        if isinstance(self.block, str):
            # Merge matches that are far from each other, because merged neighbours would act as longer blocks.
            order = np.random.default_rng(self.seed).permutation(many) if many > MAX_GROUPS else np.arange(many)
            return Groups(order[at] * min(many, MAX_GROUPS) // many, min(many, MAX_GROUPS))
        if history is None or history.time is None:
            block = at // max(1, round(self.block))
        else:
            unit = 1 if history.time_kind == "number" else DAY
            time = history.time[match]
            block = ((time - time.min()) // (self.block * unit)).astype(np.intp)
        names, group = np.unique(block, return_inverse=True)
        return Groups(group * min(len(names), MAX_GROUPS) // len(names), min(len(names), MAX_GROUPS))

    def view(self, picked: NDArray[np.intp], match: NDArray[np.intp], history: History) -> View:
        """Group and resample the picked rows; `match` is the index of the match of every row.

        >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3)
        >>> Resampling(block="match").view(np.array([0, 2]), np.arange(3), history).groups.of
        array([0, 1])
        """
        groups = self.groups(match[picked], history)
        return View(picked, groups, self.draw(groups))

    def draw(self, groups: Groups) -> Draws:
        """Draw groups with replacement.

        >>> Resampling(draws=2).draw(Groups(np.arange(3), 3)).counts.sum(axis=1)
        array([3., 3.])
        """
        many = groups.number
        if not many:
            return Draws(np.zeros((self.draws, 0)), self.confidence)
        # The random numbers depend only on the seed and the number of groups, so that all models share the draws.
        drawn = np.random.default_rng([self.seed, many]).integers(many, size=(self.draws, many))
        drawn += np.arange(self.draws)[:, None] * many
        counts = np.bincount(drawn.ravel(), minlength=self.draws * many).reshape(self.draws, many)
        return Draws(counts.astype(np.float64), self.confidence)


@dataclass(frozen=True, eq=False)
class Draws:
    """Resampled histories, stored as the number of times that each group occurs in each history (draws × groups).

    >>> from prowess.lab.measures.aggregate import ratio
    >>> draws = Resampling(draws=3).draw(Groups(np.arange(5), 5))
    >>> draws.measure(Sums(np.ones((5, 2)), ratio)).values
    array([1., 1., 1.])
    """

    counts: Floats
    confidence: float

    def measure(self, sums: Sums) -> Resampled:
        """Return a measure of all matches and of every resampled history."""
        return self.measures({"": sums})[""]

    def measures(self, sums: Mapping[str, Sums]) -> dict[str, Resampled]:
        """Return several measures, computed by one matrix product."""
        if not sums:
            return {}
        parts = [item.parts for item in sums.values()]
        ends = np.cumsum([part.shape[1] for part in parts])
        drawn = np.split(self.counts @ np.hstack(parts), ends[:-1], axis=1)
        return {name: self._measure(sums[name], columns) for name, columns in zip(sums, drawn, strict=True)}

    def _measure(self, sums: Sums, drawn: Floats) -> Resampled:
        if np.count_nonzero(sums.parts.any(axis=1)) < 2:  # a single group does not show how much values vary
            return Resampled(sums, sums.value, np.full(len(self.counts), np.nan), None, self.confidence)
        chance = None if sums.chance is None else sums.chance(drawn, sums.parts.sum(axis=0))
        return Resampled(sums, sums.value, sums.combine(drawn), chance, self.confidence)


@dataclass(frozen=True, eq=False)
class Resampled:
    """A measure with its value on the history, and its values on resampled histories.

    Noise makes some measures larger. For such a measure, `chance` has the values that noise alone would give.

    >>> from prowess.lab.measures.aggregate import ratio
    >>> sums = Sums(np.array([[1.0, 2.0], [2.0, 2.0]]), ratio)
    >>> measure = Resampling().draw(Groups(np.arange(2), 2)).measure(sums)
    >>> measure.interval, measure.less(measure)
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

        Noise makes some measures larger. The interval of such a measure begins at 0 if noise alone can explain the
        value. Otherwise it begins at 2 · value − high, which is the upper end reflected at the value. This is the
        basic bootstrap (Davison, Hinkley, 1997, 5.2).
        """
        interval = self._quantiles(self.value, self.values)
        if self.chance is None or np.isnan(interval.low):
            return interval
        by_chance = float(np.quantile(self.chance, 0.5 + 0.5 * self.confidence))
        high = max(interval.high, self.value)
        return Interval(self.value, 0.0 if self.value <= by_chance else max(2 * self.value - high, 0.0), high)

    def less(self, other: Resampled) -> Interval:
        """Return this value minus `other`, a value for the same matches, with a paired interval.

        The interval is given by quantiles of the resampled differences. For a measure that noise makes larger, it also
        covers these quantiles reflected at the difference.
        """
        value, low, high = self._quantiles(self.value - other.value, self.values - other.values)
        if self.chance is not None:
            low, high = min(low, 2 * value - high), max(high, 2 * value - low)
        return Interval(value, low, high)

    def _quantiles(self, value: float, resampled: Floats) -> Interval:
        resampled = resampled[~np.isnan(resampled)]
        if not len(resampled) or np.isnan(value):
            return Interval(value, np.nan, np.nan)
        tail = 0.5 * (1.0 - self.confidence)
        return Interval(value, *np.quantile(resampled, (tail, 1.0 - tail)).tolist())


class View(NamedTuple):
    """Selected rows, their groups, and the draws of these groups."""

    picked: NDArray[np.intp]
    groups: Groups
    draws: Draws
