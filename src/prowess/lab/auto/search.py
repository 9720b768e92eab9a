"""Maximises the probability of a history's results, with a penalty for values that are unusual in other leagues.

The derivative of every match's loss by a parameter comes from a second fit in which that parameter is moved a little.
The sum of the derivatives' outer products estimates the curvature of the sum of the losses (Berndt, Hall, Hall and
Hausman, 1974), so a few Newton steps find the minimum. With six parameters, this typically takes 20 to 40 fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...history.ragged import Floats
from .parameters import Parameter, Values

STEP = 0.02  # how far difference quotients move a parameter, on the transformed scale: 2 % of a positive parameter
FARTHEST = 1.5  # the longest step in one direction, on the transformed scale
ROUNDS = 8  # largest number of steps
ATTEMPTS = 5  # largest number of step lengths that are tried until one of them lowers the loss
ENOUGH = 0.1  # a step that lowers the loss by less than this, in nats over all matches, is the last

# A function that returns the losses of all matches for each set of values, or None if the model rejects the set.
Losses = Callable[[Sequence[Values]], Sequence[Floats | None]]


@dataclass(frozen=True, eq=False)
class Found:
    """The best values, the losses of all matches with these values, and the penalised sum of the losses.

    >>> Found(Values({}), np.array([0.5]), 0.5).objective
    0.5
    """

    values: Values
    losses: Floats
    objective: float


def penalty(parameters: Sequence[Parameter], points: Floats) -> float:
    """Return minus the logarithm of the parameters' prior density, up to a constant.

    >>> penalty([Parameter("tau", 1.0, 0.5, 0.001, 10.0)], np.array([1.0]))
    2.0
    """
    return float(0.5 * (_standard(parameters, points) ** 2).sum())


def _standard(parameters: Sequence[Parameter], points: Floats) -> Floats:
    usual = np.array([one.point(one.usual) for one in parameters])
    return np.asarray((points - usual) / _spreads(parameters))


def _spreads(parameters: Sequence[Parameter]) -> Floats:
    return np.array([one.spread for one in parameters])


def minimise(
    losses: Losses,
    parameters: Sequence[Parameter],
    start: Values,
    *,
    weight: float = 1.0,
    enough: float = ENOUGH,
) -> Found | None:
    """Return the values with the lowest penalised loss, or None if the model rejects all starting values.

    The search begins at `start` or at the usual values, whichever is better. `weight` is the number of independent
    results in a match: 1 for two teams, about the number of teams for a free-for-all. The search ends when a round
    lowers the penalised loss by less than `enough`, or after `ROUNDS` rounds.

    >>> def losses(sets):
    ...     return [np.full(50, (values.points["tau"] - 1.0) ** 2) for values in sets]
    >>> found = minimise(losses, [Parameter("tau", 2.0, 9.0, 0.01, 9.0)], Values({"tau": 0.0}))
    >>> abs(found.values.points["tau"] - 1.0) < 0.05
    True
    """
    starts = [start.moved(parameters, start.array(parameters)), start.moved(parameters, Values({}).array(parameters))]
    best = _best_of(losses, parameters, starts[:1] if starts[0] == starts[1] else starts, weight)
    if best is None:
        return None
    damping = 0.0
    for _ in range(ROUNDS if parameters else 0):
        slopes = _slopes(losses, parameters, best)
        better = None
        for step, used in _steps(parameters, best, slopes, weight, damping):
            better, damping = _tried(losses, parameters, best, step, weight), used
            if better is not None:
                break
        if better is None:
            return best
        gained, best = best.objective - better.objective, better
        damping /= 8.0
        if gained < enough:
            break
    return best


def _best_of(losses: Losses, parameters: Sequence[Parameter], starts: Sequence[Values], weight: float) -> Found | None:
    found = [
        Found(values, own, _objective(parameters, values, own, weight))
        for values, own in zip(starts, losses(starts), strict=True)
        if own is not None
    ]
    return min(found, key=lambda one: one.objective, default=None)


def _objective(parameters: Sequence[Parameter], values: Values, losses: Floats, weight: float) -> float:
    return weight * float(losses.sum()) + penalty(parameters, values.array(parameters))


def _tried(losses: Losses, parameters: Sequence[Parameter], best: Found, step: Floats, weight: float) -> Found | None:
    values = best.values.moved(parameters, best.values.array(parameters) + step)
    [own] = losses([values])
    if own is None:
        return None
    found = Found(values, own, _objective(parameters, values, own, weight))
    return found if found.objective < best.objective else None


def _slopes(losses: Losses, parameters: Sequence[Parameter], best: Found) -> Floats:
    """Return the derivative of every match's loss by every parameter (matches × parameters)."""
    at = best.values.array(parameters)
    # A parameter at the upper end of its range is moved down, because moving it up would not change it.
    signs = [-STEP if one.value(point + STEP) >= one.high else STEP for one, point in zip(parameters, at, strict=True)]
    moved = [
        best.values.moved([one], np.array([point + h])) for one, point, h in zip(parameters, at, signs, strict=True)
    ]
    columns = [
        np.zeros(len(best.losses)) if own is None else (own - best.losses) / h
        for own, h in zip(losses(moved), signs, strict=True)
    ]
    return np.stack(columns, axis=1)


def _steps(
    parameters: Sequence[Parameter], best: Found, slopes: Floats, weight: float, damping: float
) -> Iterator[tuple[Floats, float]]:
    """Yield Newton steps with their damping, each step shorter than the one before (Levenberg, 1944)."""
    spreads = _spreads(parameters)
    gradient = weight * slopes.sum(axis=0) + _standard(parameters, best.values.array(parameters)) / spreads
    # A match's loss is a mean over `weight` results, so the derivative of their sum is `weight` times as large.
    curvature = weight**2 * slopes.T @ slopes + np.diag(spreads**-2.0)
    for _ in range(ATTEMPTS):
        step = -np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), gradient)
        yield step * min(1.0, FARTHEST / max(float(np.abs(step).max()), 1e-300)), damping
        damping = max(1.0, 4.0 * damping)
