"""Which parameters to try next: in turn as Optuna's TPE says, and where a surrogate of the loss expects most.

Every trial has a random stream of its own, made of the seed and the number of the trial. So a study that is resumed
goes on as if it had never stopped, and no two machines that share one try the same twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model.maths.normal import cdf
from ...model.params import Range
from ...optional import import_extra
from ..measures.tally import Floats

RANDOM = 10  # trials at random before anything is learnt from them


def make_sampler(seed: int) -> Any:
    """A sampler for a study of Optuna: a multivariate Tree-structured Parzen Estimator, and a surrogate.

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
            if trial.number > RANDOM and trial.number % 2 and search_space:
                done = study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,))
                found = _propose_params(search_space, done, self.rng)
                if found:
                    return found
            return self.tpe.sample_relative(study, trial, search_space)

        def sample_independent(self, study: Any, trial: Any, param_name: str, param_distribution: Any) -> Any:
            return self.tpe.sample_independent(study, trial, param_name, param_distribution)

    return OneStreamPerTrial()


def _propose_params(space: dict[str, Any], done: list[Any], rng: np.random.Generator) -> dict[str, float]:
    """What the surrogate proposes, on the scales of the parameters; nothing while there are few trials."""
    spans = {name: Range(one.low, one.high, one.log) for name, one in space.items()}
    points = np.array([[span.share(trial.params[name]) for name, span in spans.items()] for trial in done])
    if not len(points):
        return {}
    found = propose(points, np.array([trial.value for trial in done]), rng)
    if found is None:
        return {}
    values = zip(spans.items(), found.tolist(), strict=True)
    return {name: min(max(span.value(share), span.low), span.high) for (name, span), share in values}


MOST = 100  # trials that are looked at, the best: the work grows with their cube
NOISE = 1e-5  # of the variance: a loss is no noise, but an average over matches is not quite smooth
LENGTH = 0.5  # what is expected of a length scale: log-normal around this, by a factor of e
GUESSES, STEPS = 40, 40  # sets of length scales that are tried at random, and near the best of these
WIDE, NEAR, ROUNDS = 300, 100, 5  # points that are considered everywhere, around a good one, and how often


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A Gaussian process through points, with the Matérn 5/2 covariance and a length scale for each direction.

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
        """Mean and deviation at some points: equations (2.25) and (2.26)."""
        across = np.linalg.solve(self.factor, _matern(_squares(self.points, at), self.lengths))
        left = np.maximum(1.0 - (across * across).sum(axis=0), 1e-12)
        return across.T @ self.weights, np.sqrt(self.variance * left)


def _squares(one: Floats, other: Floats) -> Floats:
    """Squared distances, by direction."""
    found: Floats = (one[:, None, :] - other[None, :, :]) ** 2
    return found


def _matern(squares: Floats, lengths: Floats) -> Floats:
    """Equation (4.17) for ν = 5/2."""
    r = np.sqrt(5.0 * (squares @ lengths**-2.0))
    found: Floats = (1.0 + r + r * r / 3.0) * np.exp(-r)
    return found


def fit_surrogate(points: Floats, y: Floats, rng: np.random.Generator) -> Surrogate:
    """The process under which values are most likely, by equation (5.8): found at random, then step by step.

    >>> rng = np.random.default_rng(0)
    >>> points = rng.random((30, 2))
    >>> process = fit_surrogate(points, np.sin(5 * points[:, 0]), rng)
    >>> bool(process.lengths[0] < 1 < process.lengths[1])
    True
    """
    squares, directions = _squares(points, points), points.shape[1]
    least: float = np.inf
    best: Floats = np.zeros(directions)
    found: Surrogate | None = None
    for step in range(GUESSES + STEPS):
        guess: Floats = np.asarray(rng.normal(size=directions))
        if step >= GUESSES:
            guess = best + 0.3 * guess
        lengths = LENGTH * np.exp(guess)
        factor = np.asarray(np.linalg.cholesky(_matern(squares, lengths) + NOISE * np.eye(len(points))), np.float64)
        weights = np.asarray(np.linalg.solve(factor, y), np.float64)
        variance = max(float(weights @ weights) / len(y), 1e-300)  # the most likely one
        cost = 0.5 * len(y) * np.log(variance) + np.log(np.diag(factor)).sum() + 0.5 * float(guess @ guess)
        if found is None or cost < least:
            least, best, found = cost, guess, Surrogate(points, lengths, factor, weights, variance)
    assert found is not None
    return found


def propose(points: Floats, losses: Floats, rng: np.random.Generator) -> Floats | None:
    """Where, between 0 and 1 in every direction, the largest improvement is expected; None while there are few points.

    The worst losses may be very large, and where they are large they are of no interest: their logarithm is modelled.

    >>> rng = np.random.default_rng(0)
    >>> points = rng.random((20, 2))
    >>> losses = ((points - 0.4) ** 2).sum(1)
    >>> found = propose(points, losses, rng)
    >>> bool(((found - 0.4) ** 2).sum() < losses.min())
    True
    """
    count, directions = points.shape
    if count < 2 * directions + 3:
        return None
    order = np.argsort(losses, kind="stable")[:MOST]
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
    found: Floats = at[np.argmax(_improvement(process, at, y[0]))]
    return found


def _improvement(process: Surrogate, at: Floats, best: float) -> Floats:
    """By how much one expects to get below the best: Jones, Schonlau, Welch (1998), equation (15)."""
    mean, deviation = process.expect(at)
    z = (best - mean) / deviation
    below = np.array([cdf(x) for x in z.tolist()])
    found: Floats = deviation * (z * below + np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi))
    return found
