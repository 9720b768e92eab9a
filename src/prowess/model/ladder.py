"""A ladder: players by name with their current ratings, one match after another."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from ..history import name_of
from ..history.times import Stamp
from .given import given, once
from .model import Model
from .rating import Rating, stored

if TYPE_CHECKING:
    import polars as pl

    from .prediction import Prediction

__all__ = ["Ladder"]

State = NDArray[np.float64]


class Ladder:
    """Players by name and what is believed of them, kept in memory; saved and loaded as one file.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill())
    >>> [[ann, bob], [cat]] = ladder.record([["ann", "bob"], ["cat"]], ranks=[1, 2], time="2026-01-31")
    >>> ladder["ann"] == ann, "dan" in ladder, len(ladder)
    (True, False, 3)
    """

    def __init__(self, model: Model, ratings: Mapping[str, Rating] | None = None) -> None:
        """An empty ladder, or one with players whose ratings are known."""
        if not isinstance(model, Model):
            hint = "; call it: TrueSkill()" if callable(model) else ""
            raise Error(f"a ladder needs a Model, not {model!r}{hint}")
        if ratings is not None and not isinstance(ratings, Mapping):
            raise Error(f"ratings must be a mapping from names to ratings, not {ratings!r}")
        self.model = model
        self.names: list[str] = []
        self._rows: dict[str, int] = {}
        self.state: State = np.full((8, model.pipeline.width), np.nan)
        self.stamp: Stamp | None = None
        for name, rating in (ratings or {}).items():
            self._enter(name_of(name), rating)

    def _enter(self, name: str, rating: Rating) -> None:
        """Take in a player with a rating but no match."""
        if name in self.rows:
            raise Error(f"{name} is named twice")
        if not isinstance(rating, Rating) or rating.sigma is None:
            raise Error(f"{name} must have a Rating with mu and sigma, not {rating!r}")
        traits = self.model.pipeline.traits
        self.reserve(len(self) + 1)
        self.state[len(self), : 2 * traits] = [rating.mu, rating.sigma**2] * traits
        self.state[len(self), 2 * traits + 1 :] = 0.0
        self.names.append(name)

    def reserve(self, rows: int) -> None:
        """Make room for this many players.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill())
        >>> ladder.reserve(100)
        >>> len(ladder), len(ladder.state) >= 100
        (0, True)
        """
        if rows > len(self.state):
            more = np.full((max(rows, 2 * len(self.state)), self.state.shape[1]), np.nan)
            more[: len(self.state)] = self.state
            self.state = more

    @property
    def rows(self) -> dict[str, int]:
        """The row of every player, by name; newcomers are indexed when somebody asks.

        >>> import prowess as pw
        >>> pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)}).rows
        {'ann': 0}
        """
        if len(self._rows) < len(self.names):
            self._rows.update(zip(self.names[len(self._rows) :], count(len(self._rows)), strict=False))
        return self._rows

    def __len__(self) -> int:
        """Count the players."""
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        """Give the names in the order in which they were first seen."""
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        """Tell whether a player has been seen."""
        try:
            return name_of(name) in self.rows
        except Error:
            return False

    def __getitem__(self, name: str) -> Rating:
        """Give a player's rating."""
        key = name_of(name)
        if key not in self.rows:
            raise Error(f"no player is called {key!r}{self._hint(key)}")
        mu, variance = self.state[self.rows[key], :2].tolist()
        return stored(mu, variance**0.5, self.model.caution)

    def _hint(self, name: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(name, self.names[:10_000], 1)
        known = f"did you mean {near[0]!r}?" if near else f"there are {len(self)} others"
        return f" ({known}); for a newcomer give model.rating() in place of the name"

    def __eq__(self, other: object) -> bool:
        """Compare the model and every belief, to the last bit."""
        if not isinstance(other, Ladder):
            return NotImplemented
        mine, theirs = self.state[: len(self)], other.state[: len(other)]
        same = (self.model, self.names, self.stamp) == (other.model, other.names, other.stamp)
        return same and np.array_equal(mine, theirs, equal_nan=True)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Say how many players there are."""
        return f"Ladder({len(self)} player{'s' * (len(self) != 1)})"

    def copy(self) -> Ladder:
        """A ladder that goes its own way from here.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)})
        >>> ladder.copy() == ladder
        True
        """
        other = Ladder(self.model)
        other.names = list(self.names)
        other.state, other.stamp = self.state.copy(), self.stamp
        return other

    def record(
        self,
        teams: Sequence[Sequence[str]],
        ranks: Sequence[float] | None = None,
        scores: Sequence[float] | None = None,
        *,
        time: Any = None,
        weights: Sequence[Sequence[float]] | None = None,
        importance: float = 1.0,
        elapsed: float | Sequence[Sequence[float]] | None = None,
        home: int | None = None,
    ) -> list[list[Rating]]:
        """Learn from a match and give the new ratings, nested like the teams; newcomers are welcome.

        `time` (a date, a timestamp or a number) says when it was played; it may not be before a player's last match.
        The rest is as in `Model.rate`. When an error is raised, nothing has changed.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill())
        >>> [[ann], [bob]] = ladder.record([["ann"], ["bob"]], scores=[3, 1])
        >>> ann.mu > bob.mu
        True
        """
        from .online import record

        return record(self, teams, given(teams, ranks, scores, weights, importance, elapsed, home), time)

    def ratings(self, teams: Sequence[Sequence[str | Rating]]) -> list[list[Rating]]:
        """The ratings of the players of some teams, each given by name or as a rating.

        >>> import prowess as pw
        >>> pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)}).ratings([["ann"], [pw.Rating(25, 1)]])
        [[Rating(mu=30.0, sigma=4.0)], [Rating(mu=25.0, sigma=1.0)]]
        """
        once(teams)
        return [[one if isinstance(one, Rating) else self[one] for one in team] for team in teams]

    def predict(self, teams: Sequence[Sequence[str | Rating]], **details: Any) -> Prediction:
        """What is expected of a match between players of the ladder; details as in `Model.predict`.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 1), "bob": pw.Rating(25, 1)})
        >>> ladder.predict([["ann"], ["bob"]]).win.round(3)
        array([0.759, 0.172])
        """
        return self.model.predict(self.ratings(teams), **details)

    def quality(self, teams: Sequence[Sequence[str | Rating]], **details: Any) -> float:
        """How fair a match between players of the ladder would be, 0 to 1; details as in `Model.quality`.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 1), "bob": pw.Rating(30, 1)})
        >>> round(ladder.quality([["ann"], ["bob"]]), 2)
        0.97
        """
        return self.model.quality(self.ratings(teams), **details)

    def leaderboard(self) -> pl.DataFrame:
        """The players from best to worst: rank, player, mu, sigma, shown, matches, last_seen.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill())
        >>> _ = ladder.record([["ann"], ["bob"]], time="2026-01-31")
        >>> ladder.leaderboard().row(0)[:2]
        (1, 'ann')
        """
        from .standings import leaderboard

        return leaderboard(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the ladder, with its model, to one file; the old file stays until the new one is whole.

        >>> import prowess as pw, tempfile, os
        >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ladder.save(os.path.join(folder, "league.prowess"))
        ...     pw.Ladder.load(os.path.join(folder, "league.prowess")) == ladder
        True
        """
        from .saved import save

        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], model: Model | None = None) -> Ladder:
        """The ladder that `save` wrote; `model` is needed only if that had parts of your own.

        >>> import prowess as pw
        >>> pw.Ladder.load("nowhere.prowess")
        Traceback (most recent call last):
        ...
        prowess.Error: nowhere.prowess: no such file
        """
        from .saved import load

        return load(path, model)
