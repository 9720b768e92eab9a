"""The base classes of a model's components. Every method works on the `Board` of a match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.engine.board import Board, compare
    from cython.cimports.prowess.model.maths.normal import probability, within
else:
    from ..engine.board import Board, compare
    from ..maths.normal import probability, within

from ...errors import Error
from ...validate import invalid
from ..params import Range

if TYPE_CHECKING:
    from ..prediction import Prediction
    from ..score_distribution import ScoreDistribution


def missing(component: object, method: str) -> Error:
    """Return the error for a component that lacks a required method."""
    return Error(f"{type(component).__name__} needs a method {method}; see CONTRIBUTING.md")


def check_component(name: str, value: object, base: type, description: str) -> None:
    """Raise `Error` unless a parameter is an instance of a subclass of `base`."""
    if not isinstance(value, base) or type(value) is base:
        raise invalid(name, f"be {description}", value)


@cython.cclass
class Prior:
    """The belief about a player who has not played before.

    >>> import prowess as pw
    >>> class Known(pw.Prior):
    ...     def welcome(self, board, entry):
    ...         board.mu[entry], board.var[entry] = 30.0, 1.0
    >>> pw.TrueSkill().replace(prior=Known()).rating()
    Rating(mu=30.0, sigma=1.0)
    """

    learns = False  # whether the prior keeps two numbers per trait in the league's memory, from `board.level` on
    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that can be tuned, with their ranges

    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """Set the belief about a newcomer."""
        raise missing(self, "welcome")

    def meet(self, board: Board) -> cython.bint:
        """Learn from the players of a match, before the drift, and update the league's memory.

        Priors that do not learn do nothing.
        """
        return False


@cython.cclass
class Drift:
    """How skills move between matches, so that beliefs become less certain before a match.

    >>> import prowess as pw
    >>> class Leap(pw.Drift):
    ...     def widen(self, board):
    ...         for entry in range(board.entries):
    ...             board.var[entry] += 1.0
    >>> model = pw.TrueSkill().replace(drift=Leap())
    >>> model.predict([[pw.Rating(25, 0)], [pw.Rating(25, 0)]]).sigma.round(3)
    array([4.285, 4.285])
    """

    reverts = False  # whether the drift uses `board.centre`, the mean of the prior
    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that can be tuned, with their ranges

    def widen(self, board: Board) -> cython.bint:
        """Widen the beliefs about all entries."""


@cython.cclass
class TeamFunction:
    """Compute a team's performance t = α₀ + Σ α p from its players' performances p; α may depend on the prior means.

    >>> import prowess as pw
    >>> class Captain(pw.TeamFunction):
    ...     def weigh(self, board):
    ...         for team in range(board.teams):
    ...             board.alpha[board.start[team]] *= 2.0
    >>> model = pw.TrueSkill().replace(team=Captain())
    >>> model.predict([[pw.Rating(25, 1)] * 2, [pw.Rating(25, 1)]]).mean
    array([75., 50.])
    """

    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that can be tuned, with their ranges

    def weigh(self, board: Board) -> cython.bint:
        """Set `alpha`, the weight of every player in the team's performance.

        At the call `alpha` holds the share of the match that the player played. A function with a constant part also
        sets `offset` of every team.
        """
        raise missing(self, "weigh")


@cython.cclass
class Outcome:
    """Give the probability of a result from the team performances. No other component sees all teams at once.

    >>> Outcome().traits
    ('skill',)
    """

    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that can be tuned, with their ranges
    traits: ClassVar[tuple[str, ...]] = ("skill",)
    blind: ClassVar[tuple[str, ...]] = ("origin", "scale")  # results do not depend on these properties of performances
    typical = 0.0  # the usual standard deviation of skills, if performances have a natural scale; 0 if unknown
    whole = True  # whether a model can use it alone; if not, it is only a part of another outcome
    gradient = True  # whether `d1` and `d2` are derivatives of a log-evidence, so that a home advantage can be learnt
    laplace = False  # whether `d2` is the curvature at the prior mean instead of the exact change of the variance
    duels = False  # whether `evidence` fills `g1`, `g2` and `kept` of the entries itself
    later = False  # whether `chances` computes `win` and `draw` of a whole history on demand, because it is slow

    @property
    def remembers(self) -> tuple[str, ...]:
        """The names of the numbers that the outcome keeps for the league in `board.memory`; they start at 0.

        >>> Outcome().remembers
        ()
        """
        return ()

    def prepare(self, board: Board) -> cython.bint:
        """Store on a new board what the outcome needs for every match; called once for each board."""

    def forecast(self, board: Board) -> cython.bint:
        """Set `win` (of the first team), `draw` and `loss` of two teams, from the prior performances alone.

        `forecast` always runs before `evidence`, so `evidence` may use the attributes that it sets on the board. This
        default sets `sharpness` (one over the standard deviation of the difference of the performances), and `gap` and
        `edge` (the difference and the margin, in standard deviations). It also sets `ahead` and `behind`, the moments
        of the difference if the first team wins or loses.
        """
        board.margin.measure(board, False)
        compare(board)
        board.win = probability(board.ahead)
        board.loss = probability(board.behind)
        board.draw = 1.0 - board.win - board.loss
        if board.draw < 1e-8:  # the subtraction has cancelled its digits
            within(board.gap, board.edge, board.cut)
            board.draw = probability(board.cut) if board.edge > 0.0 else 0.0
        return False

    def chances(self, mean: Any, variance: Any, win: Any, draw: Any) -> None:
        """Fill the win and draw columns of a whole history of two-team matches, for outcomes whose `later` is true.

        `mean` and `variance` are the forecasts of the performances that `sweep` recorded.

        >>> Outcome().later
        False
        """
        raise missing(self, "chances")

    def performances(self, board: Board) -> tuple[list[float], list[float], list[float]]:
        """Return mean, variance and noise of the performance that decides the place of each team.

        By default this is the first trait.

        >>> from prowess.model.engine.board import Board
        >>> board = Board(teams=2, entries=2)
        >>> board.variance[0] = 2.0
        >>> Outcome().performances(board)
        ([0.0, 0.0], [2.0, 0.0], [0.0, 0.0])
        """
        teams = range(0, board.teams * board.traits, board.traits)
        means, variances, noises = board.mean, board.variance, board.noise
        return [means[t] for t in teams], [variances[t] for t in teams], [noises[t] for t in teams]

    def performance(self, variance: Any) -> Any:
        """Return the variance of a normal approximation to a team's performance, from its prior variance.

        By default it is the same.

        >>> Outcome().performance(2.0)
        2.0
        """
        return variance

    def scatter(self, board: Board) -> float:
        """Return the variance that the noise of scores adds to every team's performance, if that noise is normal.

        >>> from prowess.model.engine.board import Board
        >>> Outcome().scatter(Board())
        0.0
        """
        return 0.0

    def predict(self, board: Board) -> Prediction:
        """Predict a match of any number of teams exactly, from their performances and the margin."""
        from ..prediction import predict

        return predict(board)

    def evidence(self, board: Board) -> cython.double:
        """Learn from the result: fill `d1`, `d2` and `left` of every team, and return the log-evidence.

        `d1` and `d2` are the first and second derivative of the log-evidence by the mean of the team's performance.
        `left` is the share of its variance that remains.
        """
        raise missing(self, "evidence")


@cython.cclass
class Score(Outcome):
    """The probability of a team's score, given x: the team's offence minus the others' defence.

    The belief about x is N(mean, variance).

    The outcome `OffenceDefence` contains a `Score`. A `Score` can also be used as an outcome by itself if `whole` is
    true. See Guo, Sanner, Graepel, Buntine (2012).

    >>> Score().whole
    False
    """

    whole = False
    blind: ClassVar[tuple[str, ...]] = ("origin",)  # scores have a scale

    @property
    def habits(self) -> tuple[str, ...]:
        """The names of the numbers that the score keeps in `board.memory`, if used in `OffenceDefence`.

        >>> Score().habits
        ()
        """
        return ()

    def check(self, board: Board) -> cython.bint:
        """Raise `Error` for a team without a score."""
        for j in range(board.teams):
            if board.score[j] != board.score[j]:
                raise Error(f"{type(self).__name__} needs scores; team {j + 1} has none", field="scores", team=j)
        return False

    def seen(self, board: Board, score: cython.double, mean: cython.double, variance: cython.double) -> cython.double:
        """Condition x ~ N(m, v) on a score, which gives N(m′, v′); return the log-evidence of the score.

        Set `push` = (m′ − m)/v, `pull` = (v − v′)/v² and `rest` = v′/v on the board, and compute each without
        subtracting nearly equal numbers.
        """
        raise missing(self, "seen")

    def foresee(
        self,
        board: Board,
        mean: cython.double,
        variance: cython.double,
        mean_1: cython.double,
        variance_1: cython.double,
    ) -> cython.bint:
        """Set `win`, `draw` and `loss` of two teams whose x are independent; set NaN if `later` is true."""
        board.win = board.draw = board.loss = float("nan")
        return False

    def remember(self, board: Board) -> cython.bint:
        """Update the league's memory from the scores of a match."""
        return False

    def chances(self, mean: Any, variance: Any, win: Any, draw: Any) -> None:
        """Fill P(win) and P(draw) of many matches; only used if `later` is true.

        `mean` and `variance` describe x of the first and the second team of each match, in turn.
        """
        raise missing(self, "chances")

    def points(self, mean: Any, variance: Any) -> dict[str, Any]:
        """Return functions, by name, that forecast the scores of teams with x ~ N(mean, variance).

        By default they all return the mean.

        >>> Score().points(3.0, 1.0)["median"]()
        3.0
        """
        return dict.fromkeys(("median", "mean", "plug-in"), lambda: mean)

    def distribution(self, board: Board, mean: Any, variance: Any) -> ScoreDistribution:
        """Return the distributions of the scores of teams whose x are N(mean, variance)."""
        raise missing(self, "distribution")

    def added(self, board: Board) -> float | None:
        """Return the variance of the normal noise that a score adds to x; None if the noise is not normal."""
        return None


@cython.cclass
class Absorb:
    """How a match, or a rating period, updates the belief about a player.

    >>> import prowess as pw
    >>> class Deaf(pw.Absorb):
    ...     def absorb(self, board):
    ...         pass
    >>> model = pw.TrueSkill(tau=0).replace(absorb=Deaf())
    >>> model.rate([[pw.Rating(25, 8)], [pw.Rating(30, 4)]])
    [[Rating(mu=25.0, sigma=8.0)], [Rating(mu=30.0, sigma=4.0)]]
    """

    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that can be tuned, with their ranges
    extras: ClassVar[tuple[str, ...]] = ()
    certain = False  # whether beliefs are points: a rating without sigma
    periods = False  # whether `g1` and `g2` may be sums over a rating period

    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """Set the `extra` cells of a newcomer, which begin at `entry * extras`; by default to 0."""
        for k in range(entry * board.extras, (entry + 1) * board.extras):
            board.extra[k] = 0.0
        return False

    def absorb(self, board: Board) -> cython.bint:
        """Turn `g1`, `g2` and `kept` of every entry into its new `mu` and `var`."""
        raise missing(self, "absorb")
