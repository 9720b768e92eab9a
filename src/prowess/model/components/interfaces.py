"""The bases of a model's components: what each of them does to the board of a match."""

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
from ..params import Range

if TYPE_CHECKING:
    from ..prediction import Prediction


def missing(component: object, method: str) -> Error:
    """A part of a model that does not do what such a part is for."""
    return Error(f"{type(component).__name__} needs a method {method}; see CONTRIBUTING.md")


@cython.cclass
class Prior:
    """What is believed of a player who has not been seen before.

    >>> import prowess as pw
    >>> class Known(pw.Prior):
    ...     def welcome(self, board, entry):
    ...         board.mu[entry], board.var[entry] = 30.0, 1.0
    >>> pw.TrueSkill().replace(prior=Known()).rating()
    Rating(mu=30.0, sigma=1.0)
    """

    learns = False  # whether it remembers, from `board.level` on, two numbers for each trait
    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that may be tuned, and from where to where

    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """Set the belief of a newcomer."""
        raise missing(self, "welcome")

    def meet(self, board: Board) -> cython.bint:
        """In a prior that learns: look at the beliefs of a match's players, before the drift, and remember."""
        return False


@cython.cclass
class Drift:
    """How skills move while nobody looks: before a match, beliefs widen.

    >>> import prowess as pw
    >>> class Leap(pw.Drift):
    ...     def widen(self, board):
    ...         for entry in range(board.entries):
    ...             board.var[entry] += 1.0
    >>> model = pw.TrueSkill().replace(drift=Leap())
    >>> model.predict([[pw.Rating(25, 0)], [pw.Rating(25, 0)]]).sigma.round(3)
    array([4.285, 4.285])
    """

    reverts = False  # whether it looks at `board.centre`, the mean of the prior
    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that may be tuned, and from where to where

    def widen(self, board: Board) -> cython.bint:
        """Widen the beliefs of all entries."""


@cython.cclass
class TeamFunction:
    """How a team's performance is made of its players': t = α₀ + Σ α p, where α may look at the prior means.

    >>> import prowess as pw
    >>> class Captain(pw.TeamFunction):
    ...     def weigh(self, board):
    ...         for team in range(board.teams):
    ...             board.alpha[board.start[team]] *= 2.0
    >>> model = pw.TrueSkill().replace(team=Captain())
    >>> model.predict([[pw.Rating(25, 1)] * 2, [pw.Rating(25, 1)]]).mean
    array([75., 50.])
    """

    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that may be tuned, and from where to where

    def weigh(self, board: Board) -> cython.bint:
        """Turn `alpha` of every entry, which comes as the share of the match that she played, into her weight.

        A function with a constant part also sets `offset` of every team.
        """
        raise missing(self, "weigh")


@cython.cclass
class Outcome:
    """P(what was seen | team performances): the only part of a model that looks at all teams at once.

    >>> Outcome().traits
    ('skill',)
    """

    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that may be tuned, and from where to where
    traits: ClassVar[tuple[str, ...]] = ("skill",)
    blind: ClassVar[tuple[str, ...]] = ("origin", "scale")  # what of all performances its results do not show
    typical = 0.0  # the deviation that skills usually have, where performances have a scale by nature; 0: not known
    whole = True  # whether it is an outcome by itself, or only a part of one
    gradient = True  # whether `d1` and `d2` are derivatives of a log-evidence, so that a home advantage can be learnt
    laplace = False  # whether `d2` is the curvature at the prior mean, and not what an exact posterior loses
    duels = False  # whether `evidence` fills `g1`, `g2` and `kept` of the entries itself
    later = False  # whether `win` and `draw` of a whole history wait until somebody asks, for `chances`

    @property
    def remembers(self) -> tuple[str, ...]:
        """What the outcome learns of the league as a whole: the names of its numbers in `board.memory`, at first 0.

        >>> Outcome().remembers
        ()
        """
        return ()

    def prepare(self, board: Board) -> cython.bint:
        """Put what the outcome needs for every match on a new board, once."""

    def forecast(self, board: Board) -> cython.bint:
        """For two teams: set `win` (of the first team), `draw` and `loss`, from the prior performances alone.

        It always comes before `evidence`, which may use what it left on the board: here `sharpness` (one over the
        standard deviation of the difference), by which `gap` and `edge` (the margin) are standardised, and the moments
        of the difference if the first team is `ahead` or `behind`.
        """
        board.margin.measure(board, False)
        compare(board)
        board.win = probability(board.ahead)
        board.loss = probability(board.behind)
        board.draw = 1.0 - board.win - board.loss
        if board.draw < 1e-8:  # the difference has lost its digits
            within(board.gap, board.edge, board.cut)
            board.draw = probability(board.cut) if board.edge > 0.0 else 0.0
        return False

    def chances(self, mean: Any, variance: Any, win: Any, draw: Any) -> None:
        """Fill the win and draw columns of matches of two teams from what a sweep wrote, in outcomes that say `later`.

        >>> Outcome().later
        False
        """
        raise missing(self, "chances")

    def performances(self, board: Board) -> tuple[list[float], list[float], list[float]]:
        """Mean, variance and noise of one performance for each team, by which the teams finish: here the first trait.

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
        """The variance of a normal performance by which a team of this prior variance finishes: here the same.

        >>> Outcome().performance(2.0)
        2.0
        """
        return variance

    def scatter(self, board: Board) -> float:
        """What results add to the variance of all teams' performances, where that is normal: the noise of scores.

        >>> from prowess.model.engine.board import Board
        >>> Outcome().scatter(Board())
        0.0
        """
        return 0.0

    def predict(self, board: Board) -> Prediction:
        """What is expected of a match of any number of teams: places by performances and the margin, exactly."""
        from ..prediction import predict

        return predict(board)

    def evidence(self, board: Board) -> cython.double:
        """Fill `d1`, `d2` and `left` of every team and return the log-evidence."""
        raise missing(self, "evidence")


@cython.cclass
class Absorb:
    """How a player's belief takes up what a match, or a rating period, says of it.

    >>> import prowess as pw
    >>> class Deaf(pw.Absorb):
    ...     def absorb(self, board):
    ...         pass
    >>> model = pw.TrueSkill(tau=0).replace(absorb=Deaf())
    >>> model.rate([[pw.Rating(25, 8)], [pw.Rating(30, 4)]])
    [[Rating(mu=25.0, sigma=8.0)], [Rating(mu=30.0, sigma=4.0)]]
    """

    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that may be tuned, and from where to where
    extras: ClassVar[tuple[str, ...]] = ()
    certain = False  # whether beliefs are points: a rating without sigma
    periods = False  # whether `g1` and `g2` may be sums over a rating period

    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """Set the `extra` columns of a newcomer, `entry * extras` and on: here to 0."""
        for k in range(entry * board.extras, (entry + 1) * board.extras):
            board.extra[k] = 0.0
        return False

    def absorb(self, board: Board) -> cython.bint:
        """Turn `g1`, `g2` and `kept` of every entry into its new `mu` and `var`."""
        raise missing(self, "absorb")
