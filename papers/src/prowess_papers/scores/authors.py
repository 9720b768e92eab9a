"""The four systems as the authors released them. Their code differs from the paper in five points.

1. The noise γ, a standard deviation, is set to the *variance* of the scores of the training matches (in Gaussian-SD, of
   the score differences), and γ² is left out of the prediction.
2. Gaussian-SD computes the second team's mean with that team's own variance instead of the first team's
   (`CrossedScores`).
3. TrueSkill's margin ε is 1/N for N training matches, whatever the share of draws; P(win) is P(d > 0), without ε.
4. Poisson-OD's P(win) treats the rates as known and sums 74 terms of the Skellam distribution (`skellam`). The Premier
   League curves use Φ((x − y)/√(v₁ + v₂)) instead, as the other systems do (`normal`).
5. The AUC counts draws as not won by the first team.

P(win) never includes half of a draw. Where possible, a system is a model of this package with other parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log, sqrt
from typing import Any

import numpy as np

from prowess.history import History
from prowess.history.ragged import Floats
from prowess.lab import measures
from prowess.model.components import outcome as outcomes
from prowess.model.components.interfaces import Outcome
from prowess.model.fit.forecasts import Forecasts
from prowess.model.maths.normal import cdf, log_pdf
from prowess.model.model import Model
from prowess.model.presets import GaussianOD, GaussianSD, PoissonOD, TrueSkill

from .correct_models import differences, scores, variance
from .curves import Measurement
from .splits import Split

TERMS = 74
MOST = 1e6  # the authors' code would overflow for larger rates
LEAST = 2.0**-53  # smaller probabilities count as this, because in double precision 1 minus them would be 1


@dataclass(frozen=True)
class AuthorsSystem:
    """One of the authors' systems: its model for given training matches, its P(win), and whether it predicts scores.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 3)
    >>> plain, released = systems("afl")["TrueSkill"].forecasts(Split.of(history, [0, 1], [2]))
    >>> plain.win.round(3), released.win.round(3)
    (array([0.859]), array([0.869]))
    """

    model: Callable[[History], Model]
    win: Callable[[Forecasts], Floats]
    points: bool = False

    def forecasts(self, split: Split) -> tuple[Forecasts, Forecasts]:
        """Return two forecasts of a split's test matches: the model's own, and the same with the authors' P(win)."""
        plain = split.forecasts(self.model(split.train))
        p = self.win(plain)
        # Any outcome that stores win and draw will do; the authors' P(win) leaves no probability for draws.
        return plain, replace(plain, outcome=outcomes.GaussianScore(), written=(p, np.zeros(len(p))))

    def __call__(self, split: Split) -> Measurement:
        """Measure the forecasts as the authors did."""
        plain, released = self.forecasts(split)
        return Measurement(
            self.gains(released).mean(),
            measures.auc(released, drawn="negative"),
            measures.score_error(plain, point="plug-in").mean() if self.points else None,
        )

    @staticmethod
    def gains(released: Forecasts) -> measures.Tally:
        """Return the information gain of every match."""
        return measures.information_gain(released, least=LEAST)


def systems(league: str) -> dict[str, AuthorsSystem]:
    """Return the four systems as the authors ran them on a data set.

    >>> list(systems("afl"))
    ['Poisson-OD', 'Gaussian-OD', 'TrueSkill', 'Gaussian-SD']
    """
    poisson = normal if league == "premier_league" else skellam
    return {
        "Poisson-OD": AuthorsSystem(lambda train: PoissonOD(), poisson, points=True),
        "Gaussian-OD": AuthorsSystem(lambda train: GaussianOD(gamma=variance(scores(train))), normal, points=True),
        "TrueSkill": AuthorsSystem(lambda train: TrueSkill(tau=0.0, margin=1.0 / len(train)), normal),
        "Gaussian-SD": AuthorsSystem(lambda train: _crossed_model(variance(differences(train))), normal),
    }


def normal(forecasts: Forecasts) -> Floats:
    """Return the probability that the first of two teams performs better, Φ of the standardised difference.

    This is equation (11) for TrueSkill, and equations (21) and (24) without γ² for the score models.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2)
    >>> normal(pw.TrueSkill(draw_probability=0).fit(history).forecasts).round(3)
    array([0.5  , 0.763])
    """
    expected = measures.strength(forecasts).reshape(-1, 2)
    spread = np.sqrt(forecasts.variance.reshape(len(forecasts), -1).sum(axis=1))
    return np.array([cdf(gap) for gap in ((expected[:, 0] - expected[:, 1]) / spread).tolist()])


def skellam(forecasts: Forecasts, terms: int = TERMS) -> Floats:
    """Return P(1 ≤ s₀ − s₁ ≤ terms) for counts with known rates; larger differences are ignored.

    This is Σⱼ P(s₁ = j) (F(j + terms) − F(j)) over all possible scores j of the second team, where F is the
    distribution function of the first team's score.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [90, 60]}] * 2)
    >>> skellam(pw.PoissonOD(mu=0, sigma=2, beta=0.1).fit(history).forecasts).round(3)
    array([0.346, 0.992])
    """
    rates = np.minimum(measures.expected_scores(forecasts, "plug-in"), MOST).reshape(-1, 2, 1)
    # Beyond ten standard deviations probabilities are negligible.
    reach = int(10.0 * np.sqrt(rates.max())) + 40
    around = np.floor(rates[:, 1]) + np.arange(-reach, reach + 1.0)
    above = around[:, :1] + np.arange(1.0, 2 * reach + terms + 1)
    table = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, above.max() + 1.0)))])
    first = np.concatenate([np.zeros((len(rates), 1)), np.cumsum(_poisson(above, rates[:, 0], table), axis=1)], axis=1)
    ahead = first[:, terms:] - first[:, :-terms]
    p: Floats = (_poisson(around, rates[:, 1], table) * ahead).sum(axis=1)
    return np.clip(p, 0.0, 1.0)


def _poisson(count: Floats, rate: Floats, log_factorial: Floats) -> Floats:
    at = np.maximum(count, 0.0)
    found: Floats = np.exp(at * np.log(rate) - rate - log_factorial[at.astype(np.int64)])
    return np.where(count >= 0.0, found, 0.0)


def _crossed_model(gamma: float) -> Model:
    return GaussianSD().replace(outcome=CrossedScores(gamma))


@dataclass(frozen=True)
class CrossedScores(Outcome):
    """Gaussian-SD as released: equation (23) for the second team's mean has the wrong team's variance.

    The released code has τ = μⱼ/σⱼ² + (μᵢ − s)/(β₁² + β₂² + γ² + σⱼ²), with σⱼ² where the paper has σᵢ². The precision
    is right. This outcome needs no forecast, because P(win) comes from `normal`.

    >>> model = _crossed_model(1.0)
    >>> [[ann], [bob]] = model.rate([[model.rating(25, 8)], [model.rating(25, 2)]], scores=[5, 1])
    >>> round(ann.mu, 2), round(bob.mu, 2)
    (27.47, 26.07)
    """

    gamma: float

    def evidence(self, board: Any) -> float:
        """Apply equations (22) and (23), but with the wrong variance in the second team's mean."""
        noise = board.noise[0] + board.noise[1] + self.gamma**2
        own, other = board.variance[1] - board.noise[1], board.variance[0] - board.noise[0]
        total = noise + own + other
        seen = board.score[0] - board.score[1]
        beyond = seen - (board.mean[0] - board.mean[1])
        board.d1[0] = beyond / total
        precision = 1.0 / own + 1.0 / (noise + other)
        moved = (board.mean[1] / own + (board.mean[0] - seen) / (noise + own)) / precision
        board.d1[1] = (moved - board.mean[1]) / own
        for team in (0, 1):
            board.d2[team] = -1.0 / total
            board.left[team] = (total - board.variance[team]) / total
        return float(log_pdf(beyond / sqrt(total)) - 0.5 * log(total))
