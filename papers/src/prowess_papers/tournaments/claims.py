"""Claims about which model predicts better, judged by differences that are paired over the tournaments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from prowess.lab.compare import Comparison
from prowess.lab.interval import Interval, all_above_zero
from prowess.lab.measures import Tally
from prowess.lab.report import Claim
from prowess.lab.slices import Mask

Pair = tuple[str, str]


class Judge(NamedTuple):
    """Judges claims about models by one measure of a comparison, on selected tournaments.

    Differences are multiplied by `factor` and printed in `unit`, such as percentage points. `labels` maps other names
    of models, such as the names in a paper, to the names in the comparison.
    """

    comparison: Comparison
    where: Mask
    measure: str = "pair_error"
    factor: float = 100.0
    unit: str = "percentage points"
    labels: dict[str, str] = {}  # noqa: RUF012 - a NamedTuple's default, never changed

    def apart(self, one: Sequence[str], other: Sequence[str]) -> Interval:
        """Return the mean error of the models `one` minus the mean error of the models `other`, with its interval."""
        return self.comparison.resampling.difference(self._mean(one), self._mean(other))

    def _mean(self, names: Sequence[str]) -> Tally:
        # All models are measured on the same tournaments, so their tallies can be averaged.
        tallies = [self.comparison.tally(self.labels.get(name, name), self.measure, self.where) for name in names]
        return Tally(np.mean([tally.total for tally in tallies], axis=0), tallies[0].weight)

    def better(self, text: str, pairs: Sequence[Pair]) -> Claim:
        """Return the claim that the first model of each pair has the lower error.

        The claim holds if all intervals lie below 0. It does not hold if a whole interval lies at or above 0.
        """
        found = [self.apart([one], [other]) for one, other in pairs]
        holds = all_above_zero(interval.times(-1) for interval in found)
        return Claim(text, holds, self._evidence([f"{one} − {other}" for one, other in pairs], found))

    def alike(self, text: str, pairs: Sequence[Pair], within: float) -> Claim:
        """Return the claim that the models of each pair differ by at most `within`, measured in `unit`.

        The claim holds if all intervals lie within ±`within`. It does not hold if a whole interval lies outside.
        """
        found = [self.apart([one], [other]) for one, other in pairs]
        most = [max(abs(interval.low), abs(interval.high)) * self.factor for interval in found]
        # If an interval contains 0, the smallest possible difference is 0.
        least = [
            0.0 if interval.within_noise else min(abs(interval.low), abs(interval.high)) * self.factor
            for interval in found
        ]
        holds = True if max(most) <= within else False if max(least) > within else None
        return Claim(text, holds, self._evidence([f"{one} − {other}" for one, other in pairs], found))

    def _evidence(self, names: Sequence[str], found: Sequence[Interval]) -> str:
        parts = [f"{name} {self.said(interval)}" for name, interval in zip(names, found, strict=True)]
        return f"difference with its 95 % interval, in {self.unit}: {'; '.join(parts)}"

    def said(self, interval: Interval) -> str:
        """Format a difference with its interval."""
        return interval.times(self.factor).words()
