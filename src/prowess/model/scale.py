"""A familiar scale for ratings, such as 1500 points for newcomers and 400 points for odds of ten to one.

The scale only changes how ratings are displayed: points = newcomer + tenfold · (μ − μ₀)/D. Here μ₀ is the mean of the
model's prior, and D is the difference between the skills of two players at which the model forecasts win odds of 10:1
if both skills are known exactly (σ = 0). The number `shown` does not depend on the scale. Players whose ratings are in
points are ranked by them, unless another ranking is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isinf, log, log10
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import Error
from ..validate import LARGEST, SMALLEST, invalid, number
from ..validate import scale as positive
from .components.drift import Still
from .rating import Rating

if TYPE_CHECKING:
    from .model import Model

LOG_TEN = log(10.0)
Z95 = 1.959963984540054  # a normal variable is within ±Z95 standard deviations with a probability of 95 %
ACCURACY = 1e-13  # relative accuracy of D
DIGITS = 12  # significant digits of D; rounding makes Elo's D exactly 400
MOST_CACHED = 64  # differences kept per model; a league's memory changes with every match
STEPS = 400  # enough to halve an interval of 1e30 to 1e-30, with the secant steps in between


class Scale(NamedTuple):
    """A scale for display: newcomers have `newcomer` points, and a lead of `tenfold` points means win odds of 10:1.

    >>> Scale()
    Scale(newcomer=1500.0, tenfold=400.0)
    """

    newcomer: float = 1500.0
    tenfold: float = 400.0

    @property
    def digits(self) -> int:
        """The number of decimals worth showing: none on a scale of 400 points.

        >>> Scale().digits, Scale(0, 1).digits
        (0, 3)
        """
        return max(0, min(6, round(2.6 - log10(self.tenfold))))

    @property
    def meaning(self) -> str:
        """The scale in words.

        >>> Scale().meaning
        'newcomers have 1500 points, and a lead of 400 points means win odds of 10:1'
        """
        newcomer, tenfold = (f"{value:.15g}" for value in self)
        return f"newcomers have {newcomer} points, and a lead of {tenfold} points means win odds of 10:1"


def read_scale(value: Any, name: str = "scale") -> Scale | None:
    """Return a pair of numbers as a `Scale`; None stays None.

    >>> read_scale((1000, 200)), read_scale(None)
    (Scale(newcomer=1000.0, tenfold=200.0), None)
    """
    if value is None:
        return None
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence) or len(value) != 2:
        must = "be two numbers such as (1500, 400): the points of a newcomer, and the lead for win odds of 10:1"
        raise invalid(name, must, value)
    newcomer = number(f"the first number of {name}", value[0], field=name)
    return Scale(newcomer, positive(f"the second number of {name}", value[1], field=name))


@dataclass(frozen=True)
class Points:
    """Converts skills to points on a `Scale`, for a model or for a league rated by a model.

    `origin` is the skill of a newcomer; `difference` is the difference in skill for win odds of 10:1. If the players
    of a league are ranked by their conservative ratings, `conservative` is true.

    >>> import prowess as pw
    >>> points = pw.TrueSkill(draw_probability=0).points((1500, 400))
    >>> points.of(25.0), round(points.difference, 3)
    (1500.0, 7.868)
    >>> points.text(30.0, 1.0)
    '1754 ± 100'
    """

    scale: Scale
    origin: float
    difference: float
    conservative: bool = False

    @property
    def factor(self) -> float:
        """The number of points per unit of skill.

        >>> import prowess as pw
        >>> pw.Elo().points().factor
        1.0
        """
        return self.scale.tenfold / self.difference

    def of(self, mu: Any) -> Any:
        """Return the points of a mean, or of an array of means.

        >>> import prowess as pw
        >>> pw.Elo().points().of(1612.5)
        1612.5
        """
        # In this order, a factor of 1 changes no bit of an Elo rating.
        return self.factor * mu + (self.scale.newcomer - self.factor * self.origin)

    def margin(self, sigma: Any) -> Any:
        """Return half the width of the 95 % interval, in points.

        >>> import prowess as pw
        >>> round(pw.Glicko().points().margin(50.0), 2)
        98.0
        """
        return Z95 * self.factor * sigma

    def columns(self, mu: Any, sigma: Any, shown: Any = None) -> dict[str, Any]:
        """Return `points` and the 95 % interval, `points_low` to `points_high`, of one rating or of arrays of ratings.

        The interval is None if `sigma` is None, and NaN if it is NaN. If players are ranked by their conservative
        ratings `shown`, their points follow as `points_shown`.

        >>> import prowess as pw
        >>> pw.Elo().points().columns(1600.0, None)
        {'points': 1600.0, 'points_low': None, 'points_high': None}
        """
        points = self.of(mu)
        if sigma is None:
            return {"points": points, "points_low": None, "points_high": None}
        margin = self.margin(sigma)
        columns = {"points": points, "points_low": points - margin, "points_high": points + margin}
        return columns | {"points_shown": self.of(shown)} if self.conservative and shown is not None else columns

    def text(self, mu: float, sigma: float | None) -> str:
        """Return a rating in points with half the width of its 95 % interval.

        >>> import prowess as pw
        >>> pw.Elo().points().text(1612.4, None)
        '1612'
        """
        points = format_rounded(self.of(mu), self.scale.digits)
        return points if sigma is None else f"{points} ± {format_rounded(self.margin(sigma), self.scale.digits)}"


def format_rounded(value: float, digits: int) -> str:
    """Format a number of points with `digits` decimals; a rounded 0 has no minus sign.

    >>> format_rounded(1612.4, 0), format_rounded(-0.2, 0)
    ('1612', '0')
    """
    return f"{round(value, digits) + 0.0:.{digits}f}"


def make_points(
    model: Model,
    scale: Any,
    memory: Sequence[float] | None,
    level: Sequence[float] | None,
    cache: dict[Any, float],
) -> Points:
    """Return the conversion to points. This is the implementation of `Model.points`."""
    chosen = read_scale(scale)
    if chosen is None:
        raise invalid("scale", "be two numbers such as (1500, 400)", scale)
    newcomer = model.rating()
    if level is None:
        level = [newcomer.parts[trait].mu if trait in newcomer.parts else newcomer.mu for trait in model.outcome.traits]
    key = (tuple(_outcome_memory(model, memory)), tuple(level))
    difference = cache.get(key)
    if difference is None:
        try:
            difference = tenfold_difference(model, *key)
        except Error as error:
            raise error.within("", field="scale", value=scale) from None
        if len(cache) >= MOST_CACHED:
            cache.clear()
        cache[key] = difference
    return Points(chosen, newcomer.mu, difference)


def _outcome_memory(model: Model, memory: Sequence[float] | None) -> Sequence[float]:
    """Return the part of a league's memory that changes the forecast of a match between two known skills."""
    # Elo and its relatives forecast an expected score, in which a draw is half a win. The share of draws, which they
    # keep in the memory, does not change the odds of that score.
    if memory is None or model.outcome.draws_apart:
        return ()
    return memory[: len(model.outcome.remembers)]


def tenfold_difference(model: Model, memory: Sequence[float], level: Sequence[float]) -> float:
    """Return the skill difference at which two single players of known skill win and lose with odds of 10:1.

    Draws are left out: P(win)/P(loss) = 10, by the model's own forecast. The players are equally far above and below
    `level`, the mean of each trait, because the odds of counted scores depend on how high the scores are.

    >>> import prowess as pw
    >>> tenfold_difference(pw.Elo(), [], [1500.0])
    400.0
    """
    known = model.replace(drift=Still())  # skills that are known at the time of the match do not drift before it
    start = known.pipeline.memory()
    start[: len(memory)] = memory
    traits = model.outcome.traits

    def player(ahead: float) -> Rating:
        means = [mean + ahead / len(traits) for mean in level]
        if len(traits) == 1:
            return known.rating(means[0], 0.0)
        parts: dict[str, Any] = {trait: Rating(mean, 0.0) for trait, mean in zip(traits, means, strict=True)}
        return known.rating(**parts)

    def excess(difference: float) -> float:
        forecast = known.predict_from(start, [[player(0.5 * difference)], [player(-0.5 * difference)]], None)
        win, loss = forecast.win.tolist()
        if not win > 0.0:
            return -inf
        return inf if loss <= 0.0 else log(win / loss) - LOG_TEN

    newcomer = known.rating()
    guess = max(model.noise, newcomer.sigma or 0.0) or abs(newcomer.mu) or 1.0
    return float(f"{_root(excess, guess):.{DIGITS}g}")


def _root(excess: Callable[[float], float], guess: float) -> float:
    """Return the positive zero of an increasing function, by secants (Illinois) inside a bracket."""
    low, below = 0.0, -LOG_TEN
    high, above = guess, excess(guess)
    while not above >= 0.0:  # NaN is not above 0 either
        low, below = high, above
        high *= 2.0
        if high > LARGEST:
            raise _no_scale()
        above = excess(high)
    for step in range(STEPS):
        if high - low <= ACCURACY * high:
            return high
        if high < SMALLEST:
            break
        # Bisect if a value is infinite, because a secant would be useless. Bisect also in every third step, so that the
        # interval shrinks fast enough.
        halve = isinf(above) or isinf(below) or step % 3 == 2
        middle = 0.5 * (low + high) if halve else low - below * ((high - low) / (above - below))
        value = excess(middle)
        if abs(value) <= ACCURACY:
            return middle
        if value > 0.0:
            high, above, below = middle, value, below if halve else 0.5 * below
        else:
            low, below, above = middle, value, above if halve else 0.5 * above
    raise _no_scale()


def _no_scale() -> Error:
    return Error(
        "this model has no scale in points: it never forecasts a match between two known skills with odds of 10:1",
        field="scale",
    )
