"""The base classes of a model's components. Every method works on the `Board` of a match.

Components whose `blocks` is true work on all lanes of a board at once. For other components, the engine copies one
match after the other to a board with one lane, so a component that you write never needs to know about lanes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from ...errors import Error
from ...validate import invalid
from ..engine.board import Board, compare, copy_lane, set_chances
from ..params import Range, describe

if TYPE_CHECKING:
    from ..prediction import Prediction
    from ..score_distribution import ScoreDistribution


NAN = cython.declare(cython.double, float("nan"))


def missing(component: object, method: str) -> Error:
    """Return the error for a component that lacks a required method."""
    return Error(f"{type(component).__name__} needs a method {method}; see CONTRIBUTING.md")


def check_component(name: str, value: object, base: type, description: str) -> None:
    """Raise `Error` unless `value` is an instance of a subclass of `base`, but not of `base` itself.

    The error says that the parameter `name` must be `description`.
    """
    if not isinstance(value, base) or type(value) is base:
        raise invalid(name, f"be {description}", value)


def check_unscored(value: object) -> None:
    """Raise `Error` unless the parameter `unscored` is "error" or "order".

    >>> check_unscored("order")
    """
    if value not in ("error", "order"):
        raise invalid("unscored", 'be "error" or "order"', value)


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

    inner = None  # the prior of each newcomer, if this one adds a level to it that is learnt
    learns = False  # whether the prior keeps two numbers per trait in the league's memory, at index `board.level`
    spreads = True  # whether newcomers differ from each other
    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that can be tuned, with their ranges
    blocks = False  # whether all newcomers get the same belief, so that `welcome` is called only once

    def __repr__(self) -> str:
        return describe(self)

    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """Set the belief about a newcomer."""
        raise missing(self, "welcome")

    def meet(self, board: Board) -> cython.bint:
        """Learn from the beliefs about the players of a match, before the drift; update the league's memory.

        Priors that do not learn do nothing.
        """
        return False


@cython.cclass
class Drift:
    """The movement of skills between matches, which makes beliefs less certain before a match.

    >>> import prowess as pw
    >>> class Leap(pw.Drift):
    ...     def widen(self, board):
    ...         for entry in range(board.entries):
    ...             board.var[entry] += 1.0
    >>> model = pw.TrueSkill().replace(drift=Leap())
    >>> model.predict([[pw.Rating(25, 0)], [pw.Rating(25, 0)]]).sigma.round(3)
    array([4.285, 4.285])
    """

    inner = None  # the drift within a season, if this one adds breaks between seasons
    by_time = False  # whether the drift depends on the time since the last match
    reverts = False  # whether the drift uses `board.centre`, the mean of the prior
    capped = False  # whether what the drift adds to a variance depends on that variance
    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that can be tuned, with their ranges
    blocks = False  # whether the methods work on all lanes of a board; otherwise boards have one lane

    def __repr__(self) -> str:
        return describe(self)

    def widen(self, board: Board) -> cython.bint:
        """Update the beliefs about all entries to the time of the match, usually by increasing their variances."""

    def transition(self, board: Board) -> cython.bint:
        """Describe the drift of each entry as s ← a s + c + N(0, q): set `slope` to a, `mu` to c and `var` to q.

        The default implementation calls `widen` for two beliefs without uncertainty, so it is right for every drift
        that changes means and variances linearly.
        """
        cells = board.entries * board.traits * board.stride
        for i in range(cells):
            board.mu[i] = 1.0
            board.var[i] = 0.0
        self.widen(board)
        for i in range(cells):
            board.slope[i] = board.mu[i]
            board.mu[i] = board.var[i] = 0.0
        self.widen(board)
        for i in range(cells):
            board.slope[i] -= board.mu[i]
        return False


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
    looks = True  # whether the weights may depend on the beliefs about the players
    positions = True  # whether the weights may depend on the order in which the players are listed
    plain = False  # whether every weight is the share of the match that the player played
    blocks = False  # whether the methods work on all lanes of a board; otherwise boards have one lane

    def __repr__(self) -> str:
        return describe(self)

    def weigh(self, board: Board) -> cython.bint:
        """Set `alpha`, the weight of every player in the team's performance.

        Before the call, `alpha` holds the share of the match that the player played. A team function with a constant
        part also sets `offset` of every team.
        """
        raise missing(self, "weigh")

    def sums(self, weight: Any, starts: Any) -> tuple[Any, Any]:
        """Return Σα and Σα² of every team, for team functions without `positions`; Σα may be further from its mean.

        `weight` is the share of the match that each player played, and `starts` the first player of each team.
        """
        raise missing(self, "sums")


@cython.cclass
class Outcome:
    """Compute the probability of a result from the performances of all teams.

    >>> Outcome().traits
    ('skill',)
    """

    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that can be tuned, with their ranges
    blocks = False  # whether the methods work on all lanes of a board; otherwise boards have one lane
    traits: ClassVar[tuple[str, ...]] = ("skill",)
    blind: ClassVar[tuple[str, ...]] = ("origin", "scale")  # properties of performances that results do not depend on
    typical = 0.0  # the usual standard deviation of skills, if performances have a natural scale; 0 if unknown
    # What the likelihood reads beside places: "none", the "difference" of two scores, the scores of "each" team, or
    # "unknown".
    scores = "unknown"
    likelihood = True  # whether the log-evidence is that of a likelihood
    draws_apart = False  # whether the share of draws is no part of the outcome, but is given or learnt beside it
    whole = True  # whether a model can use the outcome alone; if not, it can only be a part of another outcome
    gradient = True  # whether `d1` and `d2` are derivatives of a log-evidence, so that a home advantage can be learnt
    laplace = False  # whether `d2` is the curvature at the prior mean instead of the exact change of the variance
    reads_entries = True  # whether the methods read the board's columns of entries, and not only those of teams
    duels = False  # whether `evidence` fills `g1`, `g2` and `kept` of the entries itself
    later = False  # whether `win` and `draw` are slow to compute, so that `chances` computes them only on demand
    has_base = False  # whether `add_base` must be called for every match
    # How `board.memory` changes: "beliefs", if it depends on the beliefs about players; "scores", if `tally` computes
    # it from scores alone; "forecasts", if only `mix_draws` uses it, and `evidence` adds to it.
    memory_from = "beliefs"

    def __repr__(self) -> str:
        return describe(self)

    @property
    def remembers(self) -> tuple[str, ...]:
        """The names of the numbers that the outcome keeps for the league in `board.memory`; all numbers start at 0.

        >>> Outcome().remembers
        ()
        """
        return ()

    def prepare(self, board: Board) -> cython.bint:
        """Store the data that the outcome needs for every match on a new board.

        The pipeline calls this method once for each board.
        """

    def add_base(self, board: Board) -> cython.bint:
        """Add the base level of scores to all teams' prior means, in outcomes whose `has_base` is true."""
        return False

    def forecast(self, board: Board) -> cython.bint:
        """Set `win` (of the first team), `draw` and `loss` of two teams, from the prior performances alone.

        `forecast` always runs before `evidence`, so `evidence` may use the attributes that `forecast` sets on the
        board. The default implementation sets `sharpness` (one over the standard deviation of the difference of the
        performances), and `gap` and `edge` (the difference and the margin, in standard deviations). The default also
        sets `ahead` and `behind`, the moments of the difference if the first team wins or loses.
        """
        board.margin.measure(board, False)
        compare(board)
        set_chances(board)
        return False

    def tally(self, board: Board) -> cython.bint:
        """Update the league's memory from the scores of a match, in outcomes whose `memory_from` is "scores"."""
        return False

    def mix_draws(self, board: Board) -> cython.bint:
        """Set `wins`, `draws` and `losses` from the expected scores in `wins` and `losses`, and from the memory.

        Only outcomes whose `memory_from` is "forecasts" need this method.
        """
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

        By default the performance in the first trait decides.

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
        """Return the variance of a normal approximation to a team's performance, given the prior variance.

        By default the prior variance is returned unchanged.

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

        `d1` and `d2` are the first and second derivatives of the log-evidence with respect to the mean of the team's
        performance. `left` is the share of the performance's variance that remains after the match.
        """
        raise missing(self, "evidence")

    def derive(self, board: Board) -> cython.bint:
        """Fill `d1`, `d2` and `left` of every team, for passes that need neither the forecast nor the log-evidence.

        By default, `forecast` and `evidence` do so. An outcome may leave out what only the other results need. This
        method is called only if the outcome keeps no numbers for the league.
        """
        if board.teams == 2:
            self.forecast(board)
        self.evidence(board)
        return False


def forecast_by_lane(outcome: Outcome, board: Board) -> cython.bint:
    """Call `forecast` for one match after the other, on the board `single`."""
    for i in range(board.lanes):
        copy_lane(board, i, board.single, 0)
        outcome.forecast(board.single)
        copy_lane(board.single, 0, board, i)
    return False


def evidence_by_lane(outcome: Outcome, board: Board) -> cython.bint:
    """Call `evidence` for one match after the other, on the board `single`.

    An outcome may depend on what its forecast has left on the board, so the forecast is made again.
    """
    for i in range(board.lanes):
        copy_lane(board, i, board.single, 0)
        if board.teams == 2:
            outcome.forecast(board.single)
        board.single.evidences[0] = outcome.evidence(board.single)
        copy_lane(board.single, 0, board, i)
    return False


@cython.cclass
class Score(Outcome):
    """The probability of a team's score, given x: the team's offence minus the others' defence.

    The belief about x is N(mean, variance). The outcome `OffenceDefence` contains a `Score`. A `Score` can also be
    used as an outcome by itself if `whole` is true. See Guo, Sanner, Graepel, Buntine (2012).

    >>> Score().whole
    False
    """

    whole = False
    blind: ClassVar[tuple[str, ...]] = ("origin",)  # scores have a scale
    unscored = "error"  # "order": if a score is missing, learn from the places

    @property
    def habits(self) -> tuple[str, ...]:
        """The names of the numbers that the score keeps in `board.memory`, if used in `OffenceDefence`.

        >>> Score().habits
        ()
        """
        return ()

    def check(self, board: Board) -> cython.bint:
        """Return True if a score is missing and `unscored` is "order", so that the model learns from the places.

        Raise `Error` if a score is missing and `unscored` is "error".
        """
        missing = 0
        for j in range(board.teams):
            for lane in range(board.lanes):
                i = j * board.stride + lane
                missing += 0 if board.score[i] == board.score[i] else 1
        if missing > 0 and self.unscored != "order":
            for j in range(board.teams):
                for i in range(j * board.stride, j * board.stride + board.lanes):
                    if board.score[i] != board.score[i]:
                        raise Error(
                            f"{type(self).__name__} needs scores; team {j + 1} has none", field="scores", team=j
                        )
        return missing > 0

    def seen(self, board: Board, score: cython.double, mean: cython.double, variance: cython.double) -> cython.double:
        """Update the belief x ~ N(m, v) to N(m′, v′) from a score; return the log-evidence of the score.

        Set `push` = (m′ − m)/v, `pull` = (v − v′)/v² and `rest` = v′/v on the board. These numbers must be computed
        without subtracting nearly equal numbers.
        """
        raise missing(self, "seen")

    def seen_all(self, board: Board) -> cython.bint:
        """Update the beliefs N(`x_mean`, `x_variance`) from the scores `x_score` of all lanes.

        Set `pushes`, `pulls` and `rests` as `seen` sets `push`, `pull` and `rest`; add the log-evidence to `evidences`.
        """
        for i in range(board.lanes):
            board.lane = i
            evidence = self.seen(board, board.x_score[i], board.x_mean[i], board.x_variance[i])
            board.evidences[i] += evidence
            board.pushes[i] = board.push
            board.pulls[i] = board.pull
            board.rests[i] = board.rest
        board.lane = 0
        return False

    def seen_order(
        self,
        board: Board,
        lead: cython.int,
        mean: cython.double,
        variance: cython.double,
        mean_1: cython.double,
        variance_1: cython.double,
    ) -> float:
        """Update the belief about a team's x from the order of two unknown scores; return the log-evidence.

        The team won (`lead` is 1), drew (0) or lost (−1). The other team's x has the belief N(`mean_1`, `variance_1`).
        Set `push`, `pull` and `rest` as `seen` does. A subclass needs this method only if `unscored` is "order" and the
        noise of scores is not normal (see `added`).
        """
        raise missing(self, "seen_order")

    def foresee(
        self,
        board: Board,
        mean: cython.double,
        variance: cython.double,
        mean_1: cython.double,
        variance_1: cython.double,
    ) -> cython.bint:
        """Forecast a match of two teams: set `win`, `draw` and `loss` on the board, or NaN if `later` is true.

        The arguments are the means and variances of x (see `Score`) of both teams; the two x are independent.
        """
        board.wins[board.lane] = board.draws[board.lane] = board.losses[board.lane] = NAN
        return False

    def foresee_all(self, board: Board) -> cython.bint:
        """Forecast the matches of two teams in all lanes, by `foresee`."""
        one = board.stride
        two = 2 * one
        three = 3 * one
        for i in range(board.lanes):
            board.lane = i
            self.foresee(
                board,
                board.mean[i] - board.mean[three + i],
                board.variance[i] + board.variance[three + i],
                board.mean[two + i] - board.mean[one + i],
                board.variance[two + i] + board.variance[one + i],
            )
        board.lane = 0
        return False

    def remember(self, board: Board) -> cython.bint:
        """Update the league's memory from the scores of a match."""
        return False

    def base_level(self, board: Board) -> cython.double:
        """Return the level that is added to every x, given the league's memory (of the match in `board.lane`)."""
        return 0.0

    def rounding_margin(self) -> float:
        """Return the largest score difference that is a draw: half the step to which differences are rounded.

        >>> Score().rounding_margin()
        0.0
        """
        return 0.0

    def chances(self, mean: Any, variance: Any, win: Any, draw: Any) -> None:
        """Fill P(win) and P(draw) of many matches, for scores whose `later` is true.

        `mean` and `variance` hold the beliefs about x (see `Score`): first team, second team, first team of the next
        match, and so on.
        """
        raise missing(self, "chances")

    def points(self, mean: Any, variance: Any) -> dict[str, Any]:
        """Return functions that compute point forecasts of scores, for teams with the beliefs x ~ N(mean, variance).

        The keys of the dictionary are "median", "mean" and "plug-in". By default all three functions return `mean`.

        >>> Score().points(3.0, 1.0)["median"]()
        3.0
        """
        return dict.fromkeys(("median", "mean", "plug-in"), lambda: mean)

    def distribution(self, board: Board, mean: Any, variance: Any) -> ScoreDistribution:
        """Return the distributions of the teams' scores, given the beliefs x ~ N(mean, variance) of the teams."""
        raise missing(self, "distribution")

    def added(self, board: Board) -> float | None:
        """Return the variance of the normal noise that a score adds to x; None if the noise is not normal."""
        return None

    def score_noise(self, board: Board) -> float:
        """Return the variance of a score's noise on the scale of x, approximately if the noise is not normal.

        >>> from prowess.model.engine.board import Board
        >>> Score().score_noise(Board())
        0.0
        """
        return self.added(board) or 0.0


def see_one(
    likelihood: Score, board: Board, score: cython.double, mean: cython.double, variance: cython.double
) -> cython.double:
    """Do the work of `Score.seen` by `seen_all`, in the first lane, for likelihoods that define only the latter."""
    board.x_score[0] = score
    board.x_mean[0] = mean
    board.x_variance[0] = variance
    board.evidences[0] = 0.0
    likelihood.seen_all(board)
    board.push = board.pushes[0]
    board.pull = board.pulls[0]
    board.rest = board.rests[0]
    return board.evidences[0]


@cython.cclass
class Absorb:
    """The rule by which a match or a rating period updates the belief about a player.

    >>> import prowess as pw
    >>> class Deaf(pw.Absorb):
    ...     def absorb(self, board):
    ...         pass
    >>> model = pw.TrueSkill(tau=0).replace(absorb=Deaf())
    >>> model.rate([[pw.Rating(25, 8)], [pw.Rating(30, 4)]])
    [[Rating(mu=25.0, sigma=8.0)], [Rating(mu=30.0, sigma=4.0)]]
    """

    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that can be tuned, with their ranges
    blocks = False  # whether the methods work on all lanes of a board; otherwise boards have one lane
    extras: ClassVar[tuple[str, ...]] = ()
    certain = False  # whether ratings have no uncertainty, and so no sigma
    exact = False  # whether beliefs become the exact moments of the posterior
    keeps_variance = False  # whether matches never change the uncertainty
    periods = False  # whether `g1` and `g2` may be sums over a rating period

    def __repr__(self) -> str:
        return describe(self)

    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """Set the `extra` cells of a newcomer; the default sets all to 0.

        The cells of an entry begin at `entry * extras`.
        """
        for k in range(entry * board.extras, (entry + 1) * board.extras):
            board.extra[k] = 0.0
        return False

    def absorb(self, board: Board) -> cython.bint:
        """Compute the new `mu` and `var` of every entry from its `g1`, `g2` and `kept`."""
        raise missing(self, "absorb")
