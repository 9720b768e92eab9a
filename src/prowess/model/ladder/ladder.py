"""The ladder: players by name with their current ratings, updated match by match."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import name_of
from ...history.names.index import NameIndex
from ...history.times import Stamp
from ...text import count
from ...validate import number
from ..components.drift import Seasons, Still
from ..engine.buffers import Table, aligned
from ..engine.rate import build_upcoming, carry_over, read_memory, read_row, settle_periods, write_row
from ..engine.state_layout import StateLayout
from ..match_input import MatchDetails, check_details, unique_names
from ..model import Model
from ..rating import Rating
from ..scale import Points, Scale, read_scale
from .facet_rows import FacetRows, facet_rows

if TYPE_CHECKING:
    import polars as pl

    from ..prediction import Prediction

NO_BREAK = 1e-30  # the shortest break that `Seasons` accepts; every player has had a break of at least this length

State = NDArray[np.float64]
Memory = NDArray[np.float64]


class Ladder:
    """Players with their current ratings, in memory. A ladder can be saved to a file and loaded again.

    With a `scale` such as (1500, 400), leaderboards also have ratings in points: newcomers have 1500 points, and a lead
    of 400 points means win odds of 10:1 (see `Model.points`). The scale changes no rating, but it does change the order
    of leaderboards: ratings in points are ranked by the mean.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill())
    >>> [[ann, bob], [cat]] = ladder.record([["ann", "bob"], ["cat"]], ranks=[1, 2], time="2026-01-31")
    >>> ladder["ann"] == ann, "dan" in ladder, len(ladder)
    (True, False, 3)
    """

    _name_index: NameIndex | None = None

    def __init__(
        self,
        model: Model,
        ratings: Mapping[str, Rating] | None = None,
        *,
        scale: tuple[float, float] | None = None,
    ) -> None:
        """Create an empty ladder, or one with players and their ratings."""
        if not isinstance(model, Model):
            hint = "; call it: TrueSkill()" if callable(model) else ""
            raise Error(f"a ladder needs a Model, not {model!r}{hint}", field="model", value=model)
        if ratings is not None and not isinstance(ratings, Mapping):
            message = f"ratings must be a mapping from names to ratings, not {ratings!r}"
            raise Error(message, field="ratings", value=ratings)
        self.model = model
        self.scale: Scale | None = read_scale(scale)
        self.names: list[str] = []
        self._rows: dict[str, int] = {}
        self.state: State = aligned(8, self.layout.width)
        self.memory: Memory = np.array(model.pipeline.memory())
        self.facets = facet_rows(model)
        self.stamp: Stamp | None = None
        self.first_time = nan  # the time of the first match, as in histories; NaN if unknown
        for name, rating in (ratings or {}).items():
            self._enter(name_of(name), rating)

    def _enter(self, name: str, rating: Rating) -> None:
        if name in self.rows:
            raise Error(f"{name} is listed twice", field="ratings", value=name)
        if not isinstance(rating, Rating):
            raise Error(f"{name} must have a Rating, not {rating!r}", field="ratings", value=rating)
        self.reserve(len(self) + 1)
        try:
            write_row(self.model.pipeline, self.table, len(self), rating)
        except Error as error:
            raise error.within(f"{name}: {rating!r}: ", field="ratings", value=rating) from None
        self.names.append(name)

    @property
    def layout(self) -> StateLayout:
        """The layout of the state: which number is in which column.

        >>> import prowess as pw
        >>> pw.Ladder(pw.TrueSkill()).layout.columns
        ['skill mean', 'skill variance', 'last seen', 'matches']
        """
        layout: StateLayout = self.model.pipeline.layout
        return layout

    @property
    def last_seen(self) -> NDArray[np.float64]:
        """The time of every player's last match, as a number as in `History.time`; NaN if unknown.

        >>> import prowess as pw
        >>> pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)}).last_seen
        array([nan])
        """
        return self.state[: len(self), self.layout.last_seen]

    @property
    def table(self) -> Table:
        """The state and the memory, in the form that the kernels need.

        >>> import prowess as pw
        >>> type(pw.Ladder(pw.TrueSkill()).table).__name__
        'Table'
        """
        return Table(self.state, self.memory, [rows.table for rows in self.facets])

    @property
    def settled(self) -> State:
        """The state of all players as if the open rating periods ended now.

        >>> import prowess as pw
        >>> pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)}).settled[0, :2]
        array([30., 16.])
        """
        state = self.state[: len(self)]
        if self.model.period is None:
            return state
        state = state.copy()
        # Use copies, because reading ratings must not close periods that are still open.
        settle_periods(self.model.pipeline, Table(state, self.memory.copy()), len(self))
        return state

    @property
    def home(self) -> Rating | None:
        """The current home advantage; None if the model has no home advantage.

        >>> import prowess as pw
        >>> pw.Ladder(pw.TrueSkill().replace(home_mu=2, home_sigma=1)).home
        Rating(mu=2.0, sigma=1.0)
        """
        pipeline, home = self.model.pipeline, self.model.home
        if home is None or not home.learnt:
            return None if home is None else Rating(home.home_mu, home.home_sigma, self.model.caution)
        cells = read_memory(pipeline, self.table)[pipeline.home_memory :]
        beliefs = zip(self.model.outcome.traits, cells[::2], cells[1::2], strict=False)
        parts: dict[str, Any] = {
            trait: Rating(mu, variance**0.5, self.model.caution) for trait, mu, variance in beliefs
        }
        return Rating(caution=self.model.caution, **parts) if len(parts) > 1 else next(iter(parts.values()))

    @property
    def newcomer(self) -> Rating:
        """The rating of a new player. This rating changes with recorded matches only if the prior learns.

        >>> import prowess as pw
        >>> pw.Ladder(pw.TrueSkill()).newcomer.mu
        25.0
        """
        return self.model.newcomer_from(self.memory.tolist())

    @property
    def points(self) -> Points | None:
        """The conversion of skills to points on the ladder's scale; None without a scale.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill(), scale=(1500, 400))
        >>> [[ann], [bob]] = ladder.record([["ann"], ["bob"]])
        >>> ladder.points.text(ann.mu, ann.sigma)
        '1741 ± 772'
        """
        return None if self.scale is None else self.points_on(self.scale)

    def points_on(self, scale: tuple[float, float]) -> Points:
        """Return the conversion of skills to points on a scale, given what the model has learnt about the league.

        >>> import prowess as pw
        >>> pw.Ladder(pw.Elo()).points_on((1000, 200)).of(1700.0)
        1100.0
        """
        return self.model.points(scale, read_memory(self.model.pipeline, self.table), self._levels())

    def _levels(self) -> list[float] | None:
        """Return the mean of each trait over all players, weighted by their numbers of matches.

        Return None if there is only one trait, or no match.
        """
        matches = self.state[: len(self), self.layout.matches]
        if len(self.layout.traits) == 1 or not np.nansum(matches):
            return None
        levels: list[float] = np.average(self.settled[:, self.layout.means], axis=0, weights=matches).tolist()
        return levels

    def reserve(self, rows: int) -> None:
        """Make room for `rows` players in total.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill())
        >>> ladder.reserve(100)
        >>> len(ladder), len(ladder.state) >= 100
        (0, True)
        """
        if rows > len(self.state):
            # Doubling keeps the cost of many newcomers linear.
            more = aligned(max(rows, 2 * len(self.state)), self.state.shape[1])
            more[: len(self.state)] = self.state
            self.state = more

    @property
    def rows(self) -> dict[str, int]:
        """The row of every player, by name. New players are added to this index the next time that the index is read.

        >>> import prowess as pw
        >>> pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)}).rows
        {'ann': 0}
        """
        # A fit adds many players at once and may never look one up, so the index is updated only when it is read.
        if len(self._rows) < len(self.names):
            self._rows.update(zip(self.names[len(self._rows) :], itertools.count(len(self._rows)), strict=False))
        return self._rows

    @property
    def name_index(self) -> NameIndex:
        """The index that finds players by typed names. New players are added the next time that the index is read.

        >>> import prowess as pw
        >>> pw.Ladder(pw.Elo(), {"Rafael Nadal": pw.Rating(1500)}).name_index.find("Nadal, Rafael").name
        'Rafael Nadal'
        """
        index = self._name_index
        if index is None or len(index) > len(self):
            index = NameIndex(self.names)
        self._name_index = index.extended(self.names[len(index) :])
        return self._name_index

    @name_index.setter
    def name_index(self, index: NameIndex) -> None:
        self._name_index = index

    def find(self, name: str) -> str:
        """Return the player whom a typed name means, ignoring case, accents, punctuation and the order of words.

        Raises an `Error` with the most similar names if nobody has this name, or if several players may be meant.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.Elo(), {"João Silva": pw.Rating(1500), "Rafael Nadal": pw.Rating(1600)})
        >>> ladder.find("joao silva"), ladder.find("Nadal, Rafael")
        ('João Silva', 'Rafael Nadal')
        """
        key = name_of(name)
        found = self.name_index.find(key)
        if found.name is not None:
            return found.name
        raise self._unknown(key)

    def _unknown(self, name: str) -> Error:
        # A misspelt name is the usual cause.
        similar = " or ".join(map(repr, self.name_index.similar(name, 2)))
        among = f" among {count(len(self), 'player', 'players')}"
        hint = f"; did you mean {similar}?" if similar else "; for a new player use model.rating()"
        return Error(f"no player named {name!r}{among}{hint}", field="player", value=name)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        try:
            return name_of(name) in self.rows
        except Error:
            return False

    def __getitem__(self, name: str) -> Rating:
        key = name_of(name)
        if key not in self.rows:
            raise self._unknown(key)
        return read_row(self.model.pipeline, self.table, self.rows[key])

    def rating(self, name: str, **context: Any) -> Rating:
        """Return a player's rating at values of the context: means and variances of skill and facets add up.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill().replace(facets=(pw.facet.By("surface", sigma=3.0),)))
        >>> [[nadal], _] = ladder.record([["nadal"], ["federer"]], context={"surface": "clay"})
        >>> ladder["nadal"] == nadal, ladder.rating("nadal", surface="clay").mu > nadal.mu
        (True, True)
        """
        from .effects import rating_at

        return rating_at(self, name, context)

    @property
    def effects(self) -> pl.DataFrame:
        """What all players share: a frame with facet, value, mu, sigma and matches. The home advantage comes first.

        A given effect is one row with sigma 0 and without a value, because it is the same for all values. Models with
        several traits have a column `trait`, and a ladder with a scale has `points` and `points_sigma`.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill().replace(home_sigma=1.0, facets=(pw.facet.Shared("side", sigma=1.0),)))
        >>> _ = ladder.record([["ann"], ["bob"]], home=0, context={"side": ["blue", "red"]})
        >>> ladder.effects.select("facet", "value", "matches").rows()
        [('home', '', None), ('side', 'blue', 1), ('side', 'red', 1)]
        """
        from .effects import effects

        return effects(self)

    @property
    def deviations(self) -> pl.DataFrame:
        """How players differ from their skills: a frame with facet, player, value, mu, sigma and matches.

        Models with several traits have a column `trait`, and a ladder with a scale has `points` and `points_sigma`.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill().replace(facets=(pw.facet.By("surface", sigma=3.0),)))
        >>> _ = ladder.record([["nadal"], ["federer"]], context={"surface": "clay"})
        >>> ladder.deviations.select("facet", "player", "value").rows()
        [('surface', 'nadal', 'clay'), ('surface', 'federer', 'clay')]
        """
        from .effects import deviations

        return deviations(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ladder):
            return NotImplemented
        mine, theirs = self.state[: len(self)], other.state[: len(other)]
        same = (self.model, self.names, self.stamp, self.scale) == (other.model, other.names, other.stamp, other.scale)
        same = same and all(map(FacetRows.equals, self.facets, other.facets))
        return same and np.array_equal(mine, theirs, equal_nan=True) and np.array_equal(self.memory, other.memory)

    # A ladder changes with every match, so it must not be a dictionary key.
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Ladder({count(len(self), 'player', 'players')})"

    def copy(self) -> Ladder:
        """Return an independent copy.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)})
        >>> ladder.copy() == ladder
        True
        """
        # `__init__` is not called, because it would allocate a state only to discard it.
        other = Ladder.__new__(Ladder)
        other.model, other.stamp, other.first_time = self.model, self.stamp, self.first_time
        other.scale = self.scale
        other.names, other._rows = list(self.names), {}
        other.state, other.memory = aligned(*self.state.shape), self.memory.copy()
        other.state[:] = self.state
        other.facets = [rows.copy() for rows in self.facets]
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
        context: Mapping[str, Any] | None = None,
        statistics: Mapping[str, Any] | None = None,
    ) -> list[list[Rating]]:
        """Record a match and return the new ratings, nested like the teams; unknown names are new players.

        `time` (a date, a timestamp or a number) is when the match was played. This time must not be before the last
        match of any of the players. `context` has the values of the columns that the model's facets need: each is one
        value for the match, a list with one for each team, or a list of lists with one for each player. `statistics`
        has the numbers of each player that the model's statistics need, such as {"kills": [[9, 4], [5, 6]]}. The other
        arguments are those of `Model.rate`. If an error is raised, nothing has changed.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill())
        >>> [[ann], [bob]] = ladder.record([["ann"], ["bob"]], scores=[3, 1])
        >>> ann.mu > bob.mu
        True
        """
        from .record import record

        details = check_details(teams, ranks, scores, weights, importance, elapsed, home)
        return record(self, teams, details, time, context, statistics)

    def new_season(self, carry: float = 0.8, season_tau: float | None = None) -> None:
        """Begin a season: every skill moves towards the newcomers' mean, and beliefs become less certain.

        A skill keeps the share `carry` of its distance from the newcomers' mean. The effect is the same as that of
        `drift.Seasons` after a break, but for all players at once. All open rating periods end. `season_tau` is the
        added standard deviation, by default σ√(1 − carry²).

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(35, 4)})
        >>> ladder.new_season(carry=0.5, season_tau=3)
        >>> ladder["ann"]
        Rating(mu=30.0, sigma=3.605551275463989)
        """
        model = self.model
        tau = usual_tau(model, carry) if season_tau is None else season_tau
        through = model.replace(drift=Seasons(Still(), gap=NO_BREAK, carry=carry, season_tau=tau))
        # If matches never change sigma, they could not undo a change made here.
        steady = model.absorb.certain or model.absorb.keeps_variance
        self.state[: len(self)] = self.settled  # close open rating periods first, with the model's own drift
        carry_over(through.pipeline, self.table, len(self), steady)

    def ratings(self, teams: Sequence[Sequence[str | Rating]]) -> list[list[Rating]]:
        """Return the ratings of the players of the given teams; each player is a name or a rating.

        >>> import prowess as pw
        >>> pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)}).ratings([["ann"], [pw.Rating(25, 1)]])
        [[Rating(mu=30.0, sigma=4.0)], [Rating(mu=25.0, sigma=1.0)]]
        """
        unique_names(teams)
        return [[player if isinstance(player, Rating) else self[player] for player in team] for team in teams]

    def predict(
        self,
        teams: Sequence[Sequence[str | Rating]],
        *,
        time: Any = None,
        weights: Sequence[Sequence[float]] | None = None,
        elapsed: float | Sequence[Sequence[float]] | None = None,
        home: int | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Prediction:
        """Predict a match between players of the ladder, with the arguments of `Model.predict`.

        `time` is when the match will be played; skills drift until that time. By default the match is played now, or
        `elapsed` after each player's last match. The prediction equals the forecast that a fit would make for a match
        at this time. In models with rating periods, ratings are those that the ladder shows, as if the period ended
        now. `context` has the values that the model's facets need, as in `record`; facets without a value are left out.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 1), "bob": pw.Rating(25, 1)})
        >>> ladder.predict([["ann"], ["bob"]]).win.round(3)
        array([0.759, 0.172])
        """
        from .record import check_one_time, upcoming, upcoming_rows

        check_one_time(time, elapsed)
        players, now, unit = upcoming(self, teams, time)
        details = check_details(teams, None, None, weights, 1.0, elapsed, home)
        board = build_upcoming(
            self.model.pipeline, players, details, self.table, now, unit, upcoming_rows(self, players, context)
        )
        return self.model.predict_on(board)

    def quality(
        self,
        teams: Sequence[Sequence[str | Rating]],
        *,
        weights: Sequence[Sequence[float]] | None = None,
        home: int | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> float:
        """Return how fair a match between players of the ladder would be, from 0 to 1.

        The arguments are the same as in `Model.quality`; `context` is the same as in `predict`.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 1), "bob": pw.Rating(30, 1)})
        >>> round(ladder.quality([["ann"], ["bob"]]), 2)
        0.97
        """
        details = check_details(teams, None, None, weights, home=home)
        if context:
            return self._quality_in(context, teams, details)
        return self.model.quality_from(read_memory(self.model.pipeline, self.table), self.ratings(teams), details)

    def _quality_in(
        self, context: Mapping[str, Any], teams: Sequence[Sequence[str | Rating]], details: MatchDetails | None
    ) -> float:
        """Return how fair a match with a context would be. As without a context, nothing drifts until the match."""
        from ..quality import quality
        from .record import upcoming, upcoming_rows

        players, now, unit = upcoming(self, teams, None)
        facets = tuple(replace(facet, tau=0.0) for facet in self.model.facets)  # type: ignore[type-var]
        still = self.model.replace(drift=Still(), facets=facets, statistics=())
        rows = upcoming_rows(self, players, context)
        board = build_upcoming(still.pipeline, players, details, self.table, now, unit, rows)
        still.pipeline.forecast(board)
        return quality(*still.outcome.performances(board))

    def leaderboard(
        self, *, min_matches: int = 0, ranking: str | None = None, all: bool = False, **context: Any
    ) -> pl.DataFrame:
        """Return a frame of the players, best first: rank, player, mu, sigma, shown, matches, last_seen, active.

        If values of the context are given, such as `surface="clay"`, the ratings are those at these values, of the
        players who have played there, and their matches there are counted. With `all`, the other players are listed,
        too. At values of several columns, the number is that at the value where the player has played least.

        A ladder with a scale adds points, and the limits of their 95 % interval, points_low and points_high. Then
        players are ranked by their points, which are means, and a column `provisional` follows: players with fewer than
        ten matches whose σ is above half of a newcomer's come after all others. Without a scale, players are ranked by
        `shown`. To choose, use the `ranking` "mean" or "conservative"; a conservative ranking in points has a column
        points_shown, the points of `shown`.

        Players with fewer than `min_matches` matches are left out. Players are active if they played within the last
        year, or within the last tenth of the time since the first match if that tenth is longer. Without times, all
        players are active.

        >>> import prowess as pw
        >>> ladder = pw.Ladder(pw.TrueSkill())
        >>> _ = ladder.record([["ann"], ["bob"]], time="2026-01-31")
        >>> ladder.leaderboard().row(0)[:2]
        (1, 'ann')
        """
        from .leaderboard import leaderboard

        return leaderboard(self, min_matches, context, ranking, all)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the ladder and its model to one file, atomically.

        >>> import prowess as pw, tempfile, os
        >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ladder.save(os.path.join(folder, "league.prowess"))
        ...     pw.Ladder.load(os.path.join(folder, "league.prowess")) == ladder
        True
        """
        from .file import save

        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], model: Model | None = None) -> Ladder:
        """Read a ladder that `save` wrote.

        `model` is needed only if the ladder was saved with user-defined components.

        >>> import prowess as pw
        >>> pw.Ladder.load("nowhere.prowess")
        Traceback (most recent call last):
        ...
        prowess.Error: nowhere.prowess: file not found
        """
        from .file import load

        return load(path, model, cls)


def usual_tau(model: Model, carry: float) -> float:
    """Return the `season_tau` that leaves the uncertainty of newcomers unchanged: σ√(1 − carry²)."""
    # The built-in priors give every trait the same sigma.
    parts = model.rating()
    sigma = next((part.sigma for part in parts.parts.values() if isinstance(part, Rating)), parts.sigma)
    return float((sigma or 0.0) * sqrt(max(0.0, 1.0 - number("carry", carry) ** 2)))
