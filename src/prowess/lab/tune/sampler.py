"""Chooses the parameters to try next: alternately by Optuna's TPE and by a surrogate that predicts the loss.

Every trial has its own random stream, derived from the seed and the trial number. Therefore a resumed study continues
as if it had never stopped, and machines that share a study never try the same parameters twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...history.ragged import Floats
from ...model.maths.normal import cdf
from ...model.params import Range
from ...optional import import_extra

RANDOM = 10  # number of random trials at the start


def make_sampler(seed: int) -> Any:
    """Return an Optuna sampler that alternates between multivariate TPE and a surrogate.

    >>> import optuna
    >>> isinstance(make_sampler(seed=0), optuna.samplers.BaseSampler)
    True
    """
    optuna = import_extra("optuna", "Optuna", "lab")
    base: Any = optuna.samplers.BaseSampler

    class OneStreamPerTrial(base):  # type: ignore[misc]
        tpe: Any = None
        rng: Any = None

        def before_trial(self, study: Any, trial: Any) -> None:
            stream = np.random.SeedSequence([seed, trial.number])
            self.rng = np.random.default_rng(stream)
            self.tpe = optuna.samplers.TPESampler(
                seed=int(stream.generate_state(1)[0]), multivariate=True, constant_liar=True, n_startup_trials=RANDOM
            )

        def infer_relative_search_space(self, study: Any, trial: Any) -> Any:
            return self.tpe.infer_relative_search_space(study, trial)

        def sample_relative(self, study: Any, trial: Any, search_space: Any) -> Any:
            # With TPE alone, four studies of the same league found values of tau from 0.03 to 0.13 (ADR 0019).
            if trial.number > RANDOM and trial.number % 2 and search_space:
                done = study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,))
                params = _propose_params(search_space, done, self.rng)
                if params:
                    return params
            return self.tpe.sample_relative(study, trial, search_space)

        def sample_independent(self, study: Any, trial: Any, param_name: str, param_distribution: Any) -> Any:
            return self.tpe.sample_independent(study, trial, param_name, param_distribution)

    return OneStreamPerTrial()


def _propose_params(space: dict[str, Any], done: list[Any], rng: np.random.Generator) -> dict[str, float]:
    # The result is empty while there are too few trials.
    spans = {name: Range(own.low, own.high, own.log) for name, own in space.items()}
    points = np.array([[span.share(trial.params[name]) for name, span in spans.items()] for trial in done])
    point = propose(points, np.array([trial.value for trial in done]), rng) if len(points) else None
    if point is None:
        return {}
    values = zip(spans.items(), point.tolist(), strict=True)
    return {name: min(max(span.value(share), span.low), span.high) for (name, span), share in values}


MAX_POINTS = 100  # the surrogate is fitted to this many of the best trials, because its cost grows with their cube
NOISE = 1e-5  # share of the variance: losses are exact, but as averages over matches they are not quite smooth
LENGTH = 0.5  # the prior of a length scale is log-normal with this median and sigma 1
GUESSES, STEPS = 40, 40  # how many sets of length scales are tried at random, and then near the best set
# Numbers of candidates in the whole cube, of candidates around a good point, and of rounds of refinement.
WIDE, NEAR, ROUNDS = 300, 100, 5


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A Gaussian process (Rasmussen, Williams, 2006) with Matérn 5/2 covariance and a length scale per direction.

    >>> process = Surrogate(np.array([[0.0], [1.0]]), np.array([0.5]), np.eye(2), np.zeros(2), 1.0)
    >>> mean, deviation = process.expect(np.array([[0.0], [9.0]]))
    >>> bool(deviation[0] < 0.1 < 0.9 < deviation[1])
    True
    """

    points: Floats
    lengths: Floats
    factor: Floats  # L of the covariance L Lᵀ
    weights: Floats  # L⁻¹ y
    variance: float

    def expect(self, at: Floats) -> tuple[Floats, Floats]:
        """Return the predicted mean and standard deviation at the given points, by equations (2.25) and (2.26)."""
        across = np.linalg.solve(self.factor, _matern(_squares(self.points, at), self.lengths))
        left = np.maximum(1.0 - (across * across).sum(axis=0), 1e-12)
        return across.T @ self.weights, np.sqrt(self.variance * left)


def _squares(one: Floats, other: Floats) -> Floats:
    return np.asarray((one[:, None, :] - other[None, :, :]) ** 2)


def _matern(squares: Floats, lengths: Floats) -> Floats:
    """Return the Matérn covariance by equation (4.17) for ν = 5/2."""
    r = np.sqrt(5.0 * (squares @ lengths**-2.0))
    return np.asarray((1.0 + r + r * r / 3.0) * np.exp(-r))


def fit_surrogate(points: Floats, y: Floats, rng: np.random.Generator) -> Surrogate:
    """Find the most likely length scales, by equation (5.8), with random guesses followed by random steps.

    >>> rng = np.random.default_rng(0)
    >>> points = rng.random((30, 2))
    >>> process = fit_surrogate(points, np.sin(5 * points[:, 0]), rng)
    >>> bool(process.lengths[0] < 1 < process.lengths[1])
    True
    """
    squares, directions = _squares(points, points), points.shape[1]
    least: float = np.inf
    best: Floats = np.zeros(directions)
    process: Surrogate | None = None
    for step in range(GUESSES + STEPS):
        guess: Floats = np.asarray(rng.normal(size=directions))
        if step >= GUESSES:
            guess = best + 0.3 * guess
        lengths = LENGTH * np.exp(guess)
        factor = np.asarray(np.linalg.cholesky(_matern(squares, lengths) + NOISE * np.eye(len(points))), np.float64)
        weights = np.asarray(np.linalg.solve(factor, y), np.float64)
        variance = max(float(weights @ weights) / len(y), 1e-300)  # the most likely variance for these length scales
        cost = 0.5 * len(y) * np.log(variance) + np.log(np.diag(factor)).sum() + 0.5 * float(guess @ guess)
        if process is None or cost < least:
            least, best, process = cost, guess, Surrogate(points, lengths, factor, weights, variance)
    assert process is not None
    return process


def propose(points: Floats, losses: Floats, rng: np.random.Generator) -> Floats | None:
    """Return the point in the unit cube with the largest expected improvement; None while there are too few points.

    The surrogate models the logarithm of the losses, because the worst losses may be very large and their exact size
    does not matter.

    >>> rng = np.random.default_rng(0)
    >>> points = rng.random((20, 2))
    >>> losses = ((points - 0.4) ** 2).sum(1)
    >>> point = propose(points, losses, rng)
    >>> bool(((point - 0.4) ** 2).sum() < losses.min())
    True
    """
    count, directions = points.shape
    if count < 2 * directions + 3:
        return None
    order = np.argsort(losses, kind="stable")[:MAX_POINTS]
    points, rise = points[order], losses[order] - losses[order[0]]
    y = np.log1p(rise / max(float(np.median(rise[: max(4, len(rise) // 3)])), 1e-12))
    y = (y - y.mean()) / max(float(y.std()), 1e-12)
    process = fit_surrogate(points, y, rng)
    at = rng.random((WIDE, directions))
    for reach in (0.2, 0.05, 0.01):
        around = points[rng.integers(0, min(5, len(points)), NEAR)] + reach * rng.normal(size=(NEAR, directions))
        at = np.concatenate([at, np.clip(around, 0.0, 1.0)])
    for step in range(ROUNDS):
        best = at[np.argmax(_improvement(process, at, y[0]))]
        around = best + 0.05 * 0.5**step * rng.normal(size=(NEAR, directions))
        at = np.concatenate([best[None], np.clip(around, 0.0, 1.0)])
    return np.asarray(at[np.argmax(_improvement(process, at, y[0]))])


def _improvement(process: Surrogate, at: Floats, best: float) -> Floats:
    """Return the expected improvement on the best loss so far: Jones, Schonlau, Welch (1998), equation (15)."""
    mean, deviation = process.expect(at)
    z = (best - mean) / deviation
    below = np.array([cdf(x) for x in z.tolist()])
    return np.asarray(deviation * (z * below + np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)))
