"""Sites: the Gaussian messages by which matches inform the unknowns of a joint fit.

A site is exp(τᵀc − ½ cᵀΛc), a function of the contrasts c of a match (see `design`; here c is measured from its prior
mean). The belief about the contrasts without the match, the cavity, is shown to the outcome; the site is what the
outcome adds. An outcome knows means and variances of contrasts, but no correlations. How a site is made from its answer
depends on the kind of the match:

- A contrast with a likelihood of its own (`PAIR`, `SCORES`) has a site of its own, with π = −g₂/kept and
  τ = (g₁ − m g₂)/kept. Normal scores of two teams are exact. So are those of more teams without performance noise;
  with noise, the noise of a defence is in several scores, and that correlation is neglected.
- In a match of three or more teams (`FIELD`), only differences between performances count. The outcome sees independent
  performances whose differences are about as uncertain as those of the cavity. Its answer is written as what k scores
  would tell: yⱼ = cⱼ + level + N(0, fⱼ), with a level that is unknown and flat, hence Λ = F − F11ᵀF/1ᵀF1 with F = 1/f.
  For normal scores this is exact, whatever the correlations are. For other outcomes the correlations between the teams
  of a match are neglected.
- If performances count by themselves (`TEAMS`), every team has a site of its own, as if the others were independent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .design import Batch, Kind
from .observe import Seen

Floats = NDArray[np.float64]

LEAST_KEPT = 1e-14  # a match leaves at least this share of a variance, so that precisions stay finite
LEAST_LEFT = 1e-12  # the same for what the other matches say about a contrast
MOST_STEPS = 500  # of the iteration in `score_weights`
STILL = 1e-15  # the iteration ends when no weight moves by more, relatively


class Sites:
    """The sites of a batch of matches; at first they are flat.

    `precision` has the precisions π of separate contrasts, or else the matrices Λ. `shift` has τ.
    """

    def __init__(self, batch: Batch) -> None:
        contrasts = batch.constant.shape
        self.batch = batch
        self.shift = np.zeros(contrasts)
        self.precision = np.zeros(contrasts if batch.is_separate else (*contrasts, contrasts[1]))

    @property
    def matrices(self) -> Floats:
        """The precision matrices of all matches."""
        return _diagonal(self.precision) if self.batch.is_separate else self.precision

    def leave_out(self, mean: Floats, covariance: Floats, removed: Floats, whole: bool) -> tuple[Floats, Floats]:
        """Return the means and variances of the contrasts without the share `removed` of the sites.

        If `whole` is false, a contrast with a likelihood of its own keeps the sites of the other contrasts.
        """
        batch = self.batch
        if batch.is_separate and (not whole or batch.constant.shape[1] == 1):
            variance = np.einsum("bff->bf", covariance)
            share = removed[:, None] * variance
            left = np.maximum(1.0 - share * self.precision, LEAST_LEFT)
            mean, variance = (mean - share * self.shift) / left, variance / left
        else:
            share = removed[:, None, None] * covariance
            left = np.eye(covariance.shape[1]) - share @ self.matrices
            right = np.concatenate([covariance, mean[:, :, None] - share @ self.shift[:, :, None]], axis=2)
            solved = _solve(left, right)
            mean, covariance = solved[:, :, -1], solved[:, :, :-1]
            variance = np.einsum("bff->bf", covariance)
            if batch.kind is Kind.FIELD:
                variance = independent_variances(covariance)
        # Rounding may leave more than the prior, or nothing.
        return mean, np.clip(variance, LEAST_LEFT * batch.prior, batch.prior)

    def update(self, seen: Seen, mean: Floats, variance: Floats, damped: bool) -> None:
        """Set the sites to what the outcome has said, given the cavity N(mean, variance).

        If `damped` is true, the sites move only half the way.
        """
        batch = self.batch
        # Where a likelihood is not log-concave, the mean moves and the precision does not.
        pull = np.maximum(-seen.g2, 0.0)
        if batch.kind is Kind.FIELD:
            noise = batch.noise[:, batch.rows]
            precision = _score_matrices(pull, variance, noise)
            posterior = seen.g1 + _apply(precision, variance * seen.g1)
            shift = posterior + _apply(precision, mean)
        else:
            kept = np.where(seen.g2 < 0.0, np.maximum(seen.kept, LEAST_KEPT), 1.0)
            precision = pull / kept
            shift = seen.g1 / kept + precision * mean
            precision = precision if batch.is_separate else _diagonal(precision)
        step = 0.5 if damped else 1.0
        self.precision += step * (precision - self.precision)
        self.shift += step * (shift - self.shift)

    def log_integrals(self, mean: Floats, variance: Floats) -> Floats:
        """Return log ∫ N(c; mean, variance) site(c) dc for each match, with independent contrasts c."""
        if self.batch.is_separate:
            spread, precision = (part.reshape(-1, 1, 1) for part in (variance, self.precision))
            total = log_integral(mean.reshape(-1, 1), spread, precision, self.shift.reshape(-1, 1))
            separate: Floats = total.reshape(mean.shape).sum(1)
            return separate
        return log_integral(mean, _diagonal(variance), self.precision, self.shift)


def log_integral(mean: Floats, covariance: Floats, precision: Floats, shift: Floats) -> Floats:
    """Return log ∫ N(c; mean, covariance) exp(shiftᵀc − ½ cᵀ precision c) dc, for many matrices.

    >>> from prowess.model.components.outcome import ep_chain
    >>> one = (np.full((1, 1), 3.0), np.full((1, 1, 1), 2.0), np.full((1, 1, 1), 0.5), np.full((1, 1), -1.0))
    >>> log_integral(*one).round(12) == round(ep_chain.log_integral(3.0, 2.0, 0.5, -1.0), 12)
    array([ True])
    """
    rest = shift - _apply(precision, mean)
    result: Floats = ((shift - 0.5 * _apply(precision, mean)) * mean).sum(1)
    if mean.shape[1] == 1:  # LAPACK would take a microsecond for each
        grown = 1.0 + (precision * covariance)[:, 0, 0]
        result += 0.5 * (rest[:, 0] ** 2 * covariance[:, 0, 0] / grown - np.log(grown))
        return result
    grown = np.eye(mean.shape[1]) + precision @ covariance
    solved = _solve(grown, rest[:, :, None])[:, :, 0]
    # The determinant is at least 1, except by rounding.
    result += 0.5 * ((_apply(covariance, solved) * rest).sum(1) - np.maximum(np.linalg.slogdet(grown)[1], 0.0))
    return result


def independent_variances(covariance: Floats) -> Floats:
    """Return variances of independent performances whose distances from their mean vary as much as those given.

    The variance of a level that all performances share makes no difference, so it is left out. Independent performances
    keep their variances:

    >>> independent_variances(np.diag([1.0, 2.0, 4.0])[None] + 100.0).round(9)
    array([[1., 2., 4.]])
    """
    k = covariance.shape[1]
    average = covariance.mean(2)
    own = np.einsum("bjj->bj", covariance)
    relative = own - 2.0 * average + average.mean(1, keepdims=True)  # the variance of tⱼ − t̄
    total = relative.sum(1, keepdims=True) * k / (k - 1)
    variances: Floats = (relative - total / k**2) / (1.0 - 2.0 / k)
    return variances


def score_weights(pull: Floats, most: Floats) -> Floats:
    """Return the weights w of k scores with a common unknown level, from their pulls −g₂ = w(1 − w/Σw).

    This equation has a solution unless one pull is larger than the sum of all others; a weight is at most `most`.

    >>> weights = np.array([[1.0, 2.0, 4.0]])
    >>> score_weights(weights * (1 - weights / 7), np.full((1, 3), np.inf)).round(9)
    array([[1., 2., 4.]])
    """
    weight = pull = np.minimum(pull, most)  # a weight is at least its pull
    for _ in range(MOST_STEPS):
        total = weight.sum(1, keepdims=True)
        others = np.maximum(1.0 - weight / np.where(total > 0.0, total, 1.0), STILL)
        before, weight = weight, np.minimum(pull / others, most)
        if (np.abs(weight - before) <= STILL * weight).all():
            break
    return weight


def _score_matrices(pull: Floats, variance: Floats, noise: Floats) -> Floats:
    """Return Λ = F − F11ᵀF/1ᵀF1 of the scores that pull as much on contrasts of the given variances."""
    whole = np.maximum(variance + noise, np.finfo(float).tiny / STILL)  # so that nothing overflows
    weight = score_weights(pull, 1.0 / whole)
    # This is 1/(1/weight − variance), but the reciprocal of a weight that is nearly 0 would overflow.
    f = weight / np.maximum(1.0 - weight * variance, LEAST_KEPT * whole * weight)
    total = f.sum(1, keepdims=True)
    root = f / np.sqrt(np.where(total > 0.0, total, 1.0))
    links = root[:, :, None] * root[:, None, :] * (1.0 - np.eye(f.shape[1]))
    # The rows of Λ sum to 0. The difference fⱼ − fⱼ²/Σf would lose all digits if one score were far more precise.
    return _diagonal(links.sum(2)) - links


def _solve(matrices: Floats, right: Floats) -> Floats:
    """Return the solutions of linear equations; where rounding has made them singular, the shortest ones."""
    try:
        solved = np.linalg.solve(matrices, right)
    except np.linalg.LinAlgError:
        solved = np.linalg.pinv(matrices) @ right
    return solved.astype(np.float64, copy=False)


def _diagonal(values: Floats) -> Floats:
    """Return diagonal matrices."""
    return values[:, :, None] * np.eye(values.shape[1])


def _apply(matrices: Floats, vectors: Floats) -> Floats:
    """Return the products of matrices and vectors."""
    product: Floats = (matrices @ vectors[:, :, None])[:, :, 0]
    return product
