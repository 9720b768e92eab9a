"""The model: an immutable combination of components that rates, predicts and fits matches."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

from ..errors import Error
from ..validate import number, scale
from .components import absorb as absorbs
from .components import drift as drifts
from .components import team as teams_
from .components.facet import Facet
from .components.home import Home
from .components.interfaces import Absorb, Drift, Outcome, Prior, TeamFunction
from .components.statistic import Statistic
from .engine.board import Board
from .engine.pipeline import Pipeline
from .engine.rate import build_board, rate
from .match_input import MatchDetails, check_details
from .params import Range, parameters, read_spec, spec, spell_out, tunable
from .rating import Kind, Rating, read_rating
from .registry import BASES, COMPONENTS, addresses, check_facets, check_statistics, facet_addresses, replace_fields

if TYPE_CHECKING:
    from ..history import History
    from .fit.fit import Fit
    from .fit.streaming import Streamed
    from .hindsight.hindsight import Hindsight
    from .hindsight.joint import Joint
    from .ladder.ladder import Ladder
    from .prediction import Prediction
    from .scale import Points

Teams = Sequence[Sequence[Rating]]


@dataclass(frozen=True)
class Model:
    """A rating system: it describes how skills change over time, combine in teams and lead to results.

    >>> import prowess as pw
    >>> model = pw.Model(prior=pw.Normal(25, 8), noise=4, outcome=pw.outcome.Order(draw_probability=0.1),
    ...                  drift=pw.drift.PerTime(0.5), team=pw.team.Mean())
    >>> model.rate([[model.rating()], [model.rating()]])[0][0].mu > 25
    True
    """

    prior: Prior
    noise: float
    outcome: Outcome
    drift: Drift = drifts.Still()
    team: TeamFunction = teams_.Sum()
    absorb: Absorb = absorbs.Moment()
    caution: float = 3.0
    period: float | None = None
    home: Home | None = None
    facets: tuple[Facet, ...] = ()
    statistics: tuple[Statistic, ...] = ()

    def __post_init__(self) -> None:
        for name, base in BASES.items():
            part = getattr(self, name)
            # The base classes themselves define no behaviour, so they are not valid components.
            if not isinstance(part, base) or type(part) is base:
                hint = f"; call it: {part.__name__}(…)" if isinstance(part, type) else ""
                raise Error(f"{name} must be of type {base.__name__}, not {part!r}{hint}", field=name, value=part)
        # Frozen dataclasses have no other way to store the checked value.
        object.__setattr__(self, "outcome", spell_out(self.outcome))
        object.__setattr__(self, "noise", scale("beta", self.noise, zero=True))
        object.__setattr__(self, "caution", number("caution", self.caution))
        if self.period is not None:
            object.__setattr__(self, "period", scale("period", self.period))
        self._check_combination()
        object.__setattr__(self, "facets", check_facets(self))
        object.__setattr__(self, "statistics", check_statistics(self))

    def _check_combination(self) -> None:
        outcome, absorb, prior, home = self.outcome, self.absorb, self.prior, self.home
        if not outcome.whole:
            message = f"{outcome!r} is only a part of an outcome; use it inside one, such as OffenceDefence(…)"
            raise Error(message, field="outcome", value=outcome)
        if self.period is not None and not absorb.periods:
            message = f"the absorb rule {absorb!r} takes one match at a time and not whole periods; set period=None"
            raise Error(message, field="period", value=self.period)
        if prior.learns and (absorb.certain or absorb.keeps_variance):
            rule = f"the absorb rule {absorb!r}, which has no uncertainty to update"
            message = f"the level of newcomers cannot be learnt with {rule}"
            raise Error(message, field="prior", value=prior)
        if prior.learns and self.period is not None:
            message = "the level of newcomers is learnt match by match, not by rating periods; set period=None"
            raise Error(message, field="period", value=self.period)
        if home is not None and not isinstance(home, Home):
            raise Error(f"home must be a Home, such as Home(2.0), not {home!r}", field="home", value=home)
        if home is not None and home.learnt and not outcome.gradient:
            message = f"a home advantage cannot be learnt with the outcome {outcome!r}; set home_sigma to 0"
            raise Error(message, field="home_sigma", value=home.home_sigma)

    def __getstate__(self) -> dict[str, Any]:
        return self._fields  # the pipeline is left out, and built again after unpickling

    @cached_property
    def pipeline(self) -> Pipeline:
        """The model's components, combined in one kernel object that keeps boards for reuse.

        >>> import prowess as pw
        >>> pw.TrueSkill().pipeline.traits
        1
        """
        kind = Kind(self.outcome.traits, self.absorb.extras, self.absorb.certain, self.caution)
        # Built once per model: the pipeline keeps boards for reuse between calls.
        return Pipeline(self, kind)

    @property
    def params(self) -> dict[str, Any]:
        """All parameters that are set, by the names that `replace` accepts.

        If two components have a parameter of the same name, the name of the component is added in front: `drift_tau`.

        >>> import prowess as pw
        >>> pw.TrueSkill(beta=4).params["beta"]
        4.0
        """
        parts = self._fields
        found = {name: parameters(parts[part])[key] for name, (part, key) in addresses(parts).items()}
        # The papers call the noise `beta`; the field is named after its role.
        found |= {"beta": self.noise, "period": self.period}
        found |= {} if self.home is None else parameters(self.home)
        found |= {name: getattr(self.additions[index], key) for name, (index, key) in facet_addresses(parts).items()}
        found |= {"caution": self.caution}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def tunable(self) -> dict[str, Range]:
        """The ranges in which parameters may be tuned, by the names that `replace` accepts.

        The dictionary has the parameters that a component declares as tunable and whose current values are numbers.
        Other values, such as an "estimated" γ or a rule for K, are left out. A margin policy adds its own parameters. A
        `beta` of 0 is left out, because in such models the outcome contains all the noise. `pw.tune` also leaves out
        parameters that results cannot determine, such as TrueSkill's mu and sigma.

        >>> import prowess as pw
        >>> pw.Elo(k=20).tunable["k"]
        Range(low=1.0, high=400.0, log=True, unit='one', sets='')
        >>> list(pw.TS2().tunable)
        ['least', 'mu', 'sigma', 'tau', 'leader_bonus', 'discount', 'beta']
        """
        return tunable(self, addresses(self._fields), facet_addresses(self._fields))

    def replace(self, **changes: Any) -> Model:
        """Return a model with other components or parameters.

        >>> import prowess as pw
        >>> pw.TrueSkill().replace(beta=3, team=pw.team.Mean()).team
        Mean()
        """
        return type(self)(**replace_fields(self._fields, changes))

    @property
    def additions(self) -> tuple[Facet | Statistic, ...]:
        """The facets and the statistics of the model, each of which has rows of its own in a ladder.

        >>> import prowess as pw
        >>> len(pw.TrueSkill().replace(statistics=(pw.statistic.Points("kills"),)).additions)
        1
        """
        return (*self.facets, *self.statistics)

    @property
    def context_columns(self) -> tuple[str, ...]:
        """The columns of the context that the model needs to rate a match, those of its statistics included.

        >>> import prowess as pw
        >>> statistics = (pw.statistic.Points("kills", per="mode"),)
        >>> pw.TrueSkill().replace(facets=(pw.facet.By("map"),), statistics=statistics).context_columns
        ('map', 'kills', 'mode')
        """
        of_statistics = [name for one in self.statistics for name in (one.column, *(one.per or ()))]
        return tuple(dict.fromkeys([*self.forecast_columns, *of_statistics]))

    @property
    def forecast_columns(self) -> tuple[str, ...]:
        """The columns of the context that the model needs to forecast a match: those of its facets.

        >>> import prowess as pw
        >>> pw.TrueSkill().replace(facets=(pw.facet.By("surface"), pw.facet.Experience())).forecast_columns
        ('surface',)
        """
        return tuple(dict.fromkeys(facet.column for facet in self.facets if not facet.counts_matches))

    @property
    def _fields(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain data for JSON; raises `Error` for components that are not registered.

        >>> import prowess as pw
        >>> pw.Model.from_dict(pw.TrueSkill().to_dict()) == pw.TrueSkill()
        True
        """
        parts = {name: spec(getattr(self, name), COMPONENTS) for name in BASES}
        home = None if self.home is None else spec(self.home, COMPONENTS)
        plain: dict[str, Any] = parts | {
            "noise": self.noise,
            "caution": self.caution,
            "period": self.period,
            "home": home,
        }
        # Models without facets and statistics look as they did before there were any.
        for name in ("facets", "statistics"):
            plain |= {name: [spec(part, COMPONENTS) for part in getattr(self, name)]} if getattr(self, name) else {}
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Model:
        """Read a model that `to_dict` wrote.

        >>> import prowess as pw
        >>> pw.Model.from_dict(pw.TrueSkill(beta=3).to_dict()).noise
        3.0
        """
        if not isinstance(plain, Mapping):
            raise Error(f"a model must be a mapping, not {plain!r}")
        missing = [name for name in (*BASES, "noise", "caution") if name not in plain]
        if missing:
            raise Error(f"the model lacks {', '.join(missing)}")
        parts = {name: read_spec(plain[name], COMPONENTS) for name in BASES}
        home = None if plain.get("home") is None else read_spec(plain["home"], COMPONENTS)
        facets = tuple(read_spec(facet, COMPONENTS) for facet in plain.get("facets", ()))
        statistics = tuple(read_spec(statistic, COMPONENTS) for statistic in plain.get("statistics", ()))
        numbers = {"noise": plain["noise"], "caution": plain["caution"], "period": plain.get("period")}
        return cls(**parts, **numbers, home=home, facets=facets, statistics=statistics)

    def rating(self, mu: float | None = None, sigma: float | None = None, **parts: Any) -> Rating:
        """Return the rating of a new player, or a rating with the given `mu` or `sigma` (the same for every skill).

        Parts that only some models have are given by name: `volatility`, `offence`, `defence`. Systems without
        uncertainty ignore `sigma`.

        >>> import prowess as pw
        >>> pw.TrueSkill().rating(mu=30).mu
        30.0
        """
        # A league's memory is unknown here, so this is the newcomer of a league without matches.
        newcomer = self.newcomer_from(self.pipeline.memory())
        own = newcomer.parts
        unknown = [name for name in parts if name not in own]
        if unknown:
            raise Error(f"ratings of this model have no {unknown[0]!r}", field=unknown[0])
        for name, part in parts.items():
            if isinstance(part, Rating) != (name in self.outcome.traits):
                kind = "a Rating" if name in self.outcome.traits else "a number"
                raise Error(f"{name} must be {kind}, not {part!r}", field=name, value=part)
        if self.pipeline.traits == 1:
            return self._with(newcomer, mu, sigma, own | parts)
        traits = {trait: self._with(own[trait], mu, sigma, {}) for trait in self.outcome.traits}
        return Rating(caution=self.caution, **(own | traits | parts))

    def newcomer_from(self, memory: Sequence[float]) -> Rating:
        """Return the rating of a new player. The league's memory matters only if the prior learns.

        >>> import prowess as pw
        >>> pw.TrueSkill().newcomer_from([]).mu
        25.0
        """
        board = self.pipeline.board(1, 1)
        for index, value in enumerate(memory):
            board.memory[index] = value
        self.prior.welcome(board, 0)
        self.absorb.welcome(board, 0)
        newcomer = read_rating(self.pipeline.kind, board, 0)
        self.pipeline.release(board)
        return newcomer

    def points(
        self,
        scale: tuple[float, float] = (1500.0, 400.0),
        memory: Sequence[float] | None = None,
        level: Sequence[float] | None = None,
    ) -> Points:
        """Return the conversion of skills to points on a scale, such as 1500 for newcomers and 400 for odds of 10:1.

        The second number of the scale is the difference in points at which the model forecasts win odds of 10:1 for two
        players whose skills are known exactly. Draws are left out of the odds. `memory` is what the model has learnt
        about a league, and `level` the mean of each trait in that league; `Ladder.points` passes both.

        >>> import prowess as pw
        >>> points = pw.TrueSkill().points()
        >>> points.of(25), round(points.of(30)), points.text(30, 1)
        (1500.0, 1775, '1775 ± 108')
        """
        from .scale import make_points

        return make_points(self, scale, memory, level, self._differences)

    @cached_property
    def _differences(self) -> dict[Any, float]:
        """The skill differences for odds of 10:1 that `points` has computed, by memory and level."""
        return {}

    def _with(self, rating: Rating, mu: float | None, sigma: float | None, parts: dict[str, Any]) -> Rating:
        # Systems without uncertainty ignore a sigma, so that code for TrueSkill also runs with Elo.
        deviation = rating.sigma if sigma is None or self.absorb.certain else sigma
        return Rating(rating.mu if mu is None else mu, deviation, self.caution, **parts)

    def rate(
        self,
        teams: Teams,
        ranks: Sequence[float] | None = None,
        scores: Sequence[float] | None = None,
        *,
        weights: Sequence[Sequence[float]] | None = None,
        importance: float = 1.0,
        elapsed: float | Sequence[Sequence[float]] | None = None,
        home: int | None = None,
    ) -> list[list[Rating]]:
        """Return the ratings after a match, nested like the teams.

        Without `ranks` or `scores`, the teams must be listed from best to worst.

        `ranks`: lower is better, equal is a tie. `scores`: higher is better. `weights`: the share of the match that
        each player played. `importance`: the weight of the match; 0 means that the match is ignored, 2 that it counts
        double. `elapsed`: time since the last match, one number or nested like the teams. `home`: the index of the home
        team.

        >>> import prowess as pw
        >>> model = pw.TrueSkill()
        >>> [[ann], [bob]] = model.rate([[model.rating()], [model.rating()]])
        >>> round(ann.mu, 3), round(bob.mu, 3), round(ann.sigma, 3)
        (29.396, 20.604, 7.171)
        """
        details = check_details(teams, ranks, scores, weights, importance, elapsed, home, rated=True)
        rated, converged = rate(self.pipeline, teams, details)
        if not converged:
            warnings.warn(
                "the match was rated, but EP did not converge; allow more `sweeps` in the outcome", stacklevel=2
            )
        return rated

    def predict(
        self,
        teams: Teams,
        *,
        weights: Sequence[Sequence[float]] | None = None,
        elapsed: float | Sequence[Sequence[float]] | None = None,
        home: int | None = None,
    ) -> Prediction:
        """Predict a match: the probability of every win, draw and rank.

        `weights`, `elapsed` and `home` are the same as in `rate`.

        >>> import prowess as pw
        >>> model = pw.TrueSkill()
        >>> model.predict([[model.rating(30, 1)], [model.rating(25, 1)]]).win.round(3)
        array([0.759, 0.172])
        """
        details = check_details(teams, weights=weights, elapsed=elapsed, home=home, rated=True)
        return self.predict_from(self.pipeline.memory(), teams, details)

    def predict_from(self, memory: Sequence[float], teams: Teams, details: MatchDetails | None) -> Prediction:
        """Predict a match, given a league's memory.

        >>> import prowess as pw
        >>> model = pw.TrueSkill(draw_probability=0)
        >>> model.predict_from([], [[model.rating()], [model.rating()]], None).win
        array([0.5, 0.5])
        """
        return self.predict_on(self._lay_out(memory, teams, details))

    def predict_on(self, board: Board) -> Prediction:
        """Predict the match on a board, and release the board.

        >>> import prowess as pw
        >>> from prowess.model.engine.rate import build_board
        >>> model = pw.TrueSkill(draw_probability=0)
        >>> model.predict_on(build_board(model.pipeline, [[model.rating()], [model.rating()]], None)).win
        array([0.5, 0.5])
        """
        self.pipeline.forecast(board)
        prediction = self.outcome.predict(board)
        self.pipeline.release(board)
        return prediction

    def _lay_out(self, memory: Sequence[float], teams: Teams, details: MatchDetails | None) -> Board:
        board = build_board(self.pipeline, teams, details)
        for index, value in enumerate(memory):
            board.memory[index] = value
        return board

    def quality(
        self, teams: Teams, *, weights: Sequence[Sequence[float]] | None = None, home: int | None = None
    ) -> float:
        """Return how fair a match would be, from 0 to 1.

        The quality is the draw probability, divided by that of a match between equal teams whose skills are known.
        `weights` and `home` are the same as in `rate`.

        >>> import prowess as pw
        >>> model = pw.TrueSkill()
        >>> round(model.quality([[model.rating()], [model.rating()]]), 3)
        0.447
        """
        details = check_details(teams, weights=weights, home=home, rated=True)
        return self.quality_from(self.pipeline.memory(), teams, details)

    def quality_from(self, memory: Sequence[float], teams: Teams, details: MatchDetails | None) -> float:
        """Return how fair a match would be, given a league's memory.

        >>> import prowess as pw
        >>> model = pw.TrueSkill()
        >>> round(model.quality_from([], [[model.rating()], [model.rating()]], None), 3)
        0.447
        """
        from .quality import quality

        board = self._lay_out(memory, teams, details)
        # No drift is applied, because quality describes the players as they are now.
        self.pipeline.pool_teams(board)
        result = quality(*self.outcome.performances(board))
        self.pipeline.release(board)
        return result

    def fit(
        self,
        history: History,
        start: Ladder | Mapping[str, Rating] | None = None,
        *,
        scale: tuple[float, float] | None = None,
        refit: float | None = None,
        window: float | None = None,
        progress: bool | None = None,
    ) -> Fit:
        """Rate a history in one chronological pass; return a `Fit` with the ratings, forecasts and log-evidence.

        `start` is a ladder to continue from, or ratings by name. `scale` adds ratings in points, as in `Ladder`; by
        default, the scale of `start` is kept. On a terminal, a progress bar appears after two seconds; `progress`
        forces the bar on or off.

        With `refit=7`, all earlier matches are fitted at once every seven days (or units of time), as in `hindsight`,
        and the next forecasts are made from the result. No forecast uses a later match. A refit forecasts a little
        better, and takes much longer: a thousand times as long with weekly refits of 24 years. `window=730` visits only
        the matches of the last 730 days again, for most of the gain at an eighth of the cost.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["cat"]]}])
        >>> pw.TrueSkill().fit(history).leaderboard()["player"].to_list()
        ['ann', 'cat', 'bob']
        """
        if refit is not None:
            from .hindsight.refit import fit_refit

            return fit_refit(self, history, start, refit, window, progress, scale)
        if window is not None:
            raise Error("window limits what a refit visits; give refit, too", field="window", value=window)
        from .fit.fit import fit

        return fit(self, history, start, progress, scale)

    @overload
    def hindsight(
        self,
        history: History,
        start: Ladder | Mapping[str, Rating] | None = None,
        *,
        tolerance: float = 1e-4,
        sweeps: int = 200,
        joint: Literal[False] = False,
        scale: tuple[float, float] | None = None,
        progress: bool | None = None,
    ) -> Hindsight: ...

    @overload
    def hindsight(
        self,
        history: History,
        start: None = None,
        *,
        tolerance: float = 1e-4,
        sweeps: int = 200,
        joint: Literal[True],
        scale: tuple[float, float] | None = None,
        progress: bool | None = None,
    ) -> Joint: ...

    def hindsight(
        self,
        history: History,
        start: Ladder | Mapping[str, Rating] | None = None,
        *,
        tolerance: float = 1e-4,
        sweeps: int = 200,
        joint: bool = False,
        scale: tuple[float, float] | None = None,
        progress: bool | None = None,
    ) -> Hindsight | Joint:
        """Fit a whole history at once: every match, earlier or later, informs every rating.

        `fit` knows at each match only the matches before it. A hindsight goes through the history forward and backward
        until no belief moves by more than `tolerance` standard deviations, at most `sweeps` times. It cannot forecast
        the matches of its own history, but it tells best how good every player was at every time. The other arguments
        are those of `fit`. Systems that update ratings match by match, such as Elo and Glicko, have no such view.

        The result is a `Hindsight`. With `joint=True` it is a `Joint`, with all covariances between players, for models
        without drift and up to 2,000 players: its standard deviations can be trusted (see the guide).

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["cat"]]}])
        >>> pw.TrueSkill().hindsight(history).leaderboard()["player"].to_list()
        ['ann', 'bob', 'cat']
        """
        if joint:
            if start is not None:
                raise Error("joint=True begins with the prior of the model; leave out start", field="start")
            from .hindsight.joint import fit_joint

            return replace(fit_joint(self, history, sweeps=sweeps, progress=progress), scale=scale)
        from .hindsight.hindsight import fit_hindsight

        return fit_hindsight(self, history, start, tolerance, sweeps, scale, progress)

    def learn(
        self,
        history: History,
        start: Ladder | Mapping[str, Rating] | None = None,
        *,
        scale: tuple[float, float] | None = None,
        progress: bool | None = None,
    ) -> Ladder:
        """Return the ladder after a history, like `fit(history, start).ladder`, but without keeping the forecasts.

        The arguments are the same as in `fit`.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["cat"]]}])
        >>> pw.TrueSkill().learn(history) == pw.TrueSkill().fit(history).ladder
        True
        """
        from .fit.fit import learn

        return learn(self, history, start, progress, scale)

    def fit_stream(
        self,
        histories: Iterable[History],
        start: Ladder | Mapping[str, Rating] | None = None,
        *,
        scale: tuple[float, float] | None = None,
        progress: bool | None = None,
    ) -> Streamed:
        """Rate consecutive histories, such as the histories that `History.stream` yields, and keep only the ladder.

        The ratings are the same, to the last bit, as after one pass over all histories. Only the players and one
        history are in memory; forecasts and trajectories are not kept. The other arguments are the same as in `fit`.

        >>> import prowess as pw
        >>> weeks = [pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": week}]) for week in (1, 2)]
        >>> pw.TrueSkill().fit_stream(weeks).ladder.leaderboard()["matches"].to_list()
        [2, 2]
        """
        from .fit.streaming import fit_stream

        return fit_stream(self, histories, start, progress, scale)
