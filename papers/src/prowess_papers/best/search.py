"""The search for parameters: tunes every candidate on the training span and keeps the best candidate."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from prowess.lab.tune import Tuning, tune

from .sets import data_set


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The candidate with the lowest loss on the training span, and the tunings of all candidates."""

    candidate: str
    tunings: dict[str, Tuning]

    @property
    def tuning(self) -> Tuning:
        """The tuning of the best candidate."""
        return self.tunings[self.candidate]

    @property
    def values(self) -> dict[str, float]:
        """The tuned parameters, rounded to four digits."""
        found = self.tuning.model.params
        # More digits would suggest a precision that the search does not have.
        return {name: float(f"{found[name]:.4g}") for name in self.tuning.space}


def search(
    name: str,
    data: str | os.PathLike[str],
    *,
    trials: int = 200,
    seed: int = 0,
    jobs: int = 1,
    progress: bool | None = None,
) -> SearchResult:
    """Tune every candidate for a data set on the training span, and choose the candidate with the lowest loss there.

    >>> search("afl", "no such folder")
    Traceback (most recent call last):
    ...
    prowess.Error: no such folder/afl_1999_2009.csv: file not found
    """
    chosen = data_set(name)
    history = chosen.read(Path(data) / chosen.file).history
    first, until = chosen.cut(history)
    tunings = {
        label: tune(
            candidate.model,
            history,
            parameters=candidate.ranges,
            train=until,
            burn_in=first,
            measure=chosen.loss,
            trials=trials,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
        for label, candidate in chosen.candidates.items()
    }
    # The candidate is chosen on the training span, because the later matches are only for the final comparison.
    return SearchResult(min(tunings, key=lambda label: tunings[label].loss[1]), tunings)
