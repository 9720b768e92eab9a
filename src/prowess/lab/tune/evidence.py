"""Tuning by the evidence: a quasi-Newton search for the parameters with which a whole history is most probable.

The derivatives by the parameters of prior, drift and facets cost no further fits (`Hindsight.gradient`); those by the
parameters of the outcome are differences. Every fit continues from the messages of the one before.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from ...model.hindsight.hindsight import Hindsight
from ...model.model import Model
from ...model.params import Range
from .tuning import Trial

Floats = NDArray[np.float64]

MOST_STEP = 1.5  # the largest change of a coordinate in one step
ENOUGH = 0.02  # the search ends if a further step promises to raise the log-evidence by less than this
STEP = 0.01  # the step of a coordinate in differences
SUFFICIENT = 1e-4  # the share of the promised decrease that a step must reach (Armijo)
HALVINGS = 6
WIDTH = 4.0  # the length of a linear range, in coordinates


class Coordinates:
    """The parameters of a model on scales on which a change by 1 is large: logarithms, or shares of linear ranges."""

    def __init__(self, model: Model, space: dict[str, Range]) -> None:
        self.model, self.space = model, space
        self.start = np.array([self._to(span, model.params[name]) for name, span in space.items()])
        self.low, self.high = (
            np.array([self._to(span, end(span)) for span in space.values()]) for end in (_low, _high)
        )

    def _to(self, span: Range, value: float) -> float:
        if span.log:
            return log(min(max(value, span.low), span.high))
        return WIDTH * (value - span.low) / (span.high - span.low)

    def values(self, at: Floats) -> dict[str, float]:
        """Return the parameters at a point."""
        spans = zip(self.space.items(), at.tolist(), strict=True)
        return {n: exp(x) if span.log else span.low + x / WIDTH * (span.high - span.low) for (n, span), x in spans}

    def slopes(self, at: Floats) -> Floats:
        """Return the derivatives of the parameters by the coordinates."""
        values = self.values(at)
        spans = self.space.items()
        return np.array([values[name] if span.log else (span.high - span.low) / WIDTH for name, span in spans])


def _low(span: Range) -> float:
    return span.low


def _high(span: Range) -> float:
    return span.high


class EvidenceSearch:
    """A search for the largest log-evidence of a history; `trials` are the fits so far, with −log Z a match as loss."""

    def __init__(self, model: Model, history: History, space: dict[str, Range]) -> None:
        self.history = history
        self.axes = Coordinates(model, space)
        self.trials: list[Trial] = []
        self.fit: Hindsight | None = None
        self.scale = 1.0 / max(len(history), 1)

    def loss(self, at: Floats) -> float:
        """Return −log Z of a match, and keep the fit; infinity if the model fails at this point."""
        values = self.axes.values(at)
        try:
            model = self.axes.model.replace(**values)
            fit = model.hindsight(self.history, progress=False) if self.fit is None else self.fit.with_model(model)
            found, error = -self.scale * fit.log_evidence, ""
        except Error as problem:
            if self.fit is None:
                raise
            found, error = np.inf, str(problem)
        else:
            self.fit = fit
        self.trials.append(Trial(len(self.trials), values, found, error))
        return found

    def gradient(self, at: Floats, loss: float) -> Floats:
        """Return the derivatives of the loss by the coordinates; the last fit is that of this point."""
        assert self.fit is not None
        fit, known, slopes = self.fit, self.fit.gradient, self.axes.slopes(at)
        found = np.zeros(len(at))
        for k, name in enumerate(self.axes.space):
            if name in known:
                found[k] = -self.scale * known[name] * slopes[k]
                continue
            step = STEP if at[k] + STEP <= self.axes.high[k] else -STEP
            near = at.copy()
            near[k] += step
            found[k] = (self.loss(near) - loss) / step
            self.fit = fit
        return found

    def run(self, most: int) -> Iterator[Floats]:
        """Search with at most about `most` fits; yield every point that is better than the one before."""
        axes = self.axes
        at, inverse = axes.start, np.eye(len(axes.start))
        loss = self.loss(at)
        slope = self.gradient(at, loss)
        is_first = True
        while len(self.trials) < most:
            yield at
            # A coordinate at an end of its range stays there if the loss falls beyond it.
            free = ~(((at <= axes.low) & (slope > 0.0)) | ((at >= axes.high) & (slope < 0.0)))
            step = np.where(free, -inverse @ np.where(free, slope, 0.0), 0.0)
            if step @ slope >= 0.0:
                inverse, step = np.eye(len(at)), np.where(free, -slope, 0.0)
            if is_first:
                step = step * (0.5 / max(np.abs(step).max(), 1e-12))  # nothing is known about the curvature yet
            step *= min(1.0, MOST_STEP / max(np.abs(step).max(), 1e-12))
            if -(step @ slope) < 2.0 * ENOUGH * self.scale:
                break
            kept = self.fit
            for _ in range(HALVINGS):
                new = np.clip(at + step, axes.low, axes.high)
                new_loss = self.loss(new)
                if new_loss <= loss + SUFFICIENT * (slope @ (new - at)):
                    break
                step, self.fit = 0.5 * step, kept
            else:
                break
            new_slope = self.gradient(new, new_loss)
            inverse = _update(inverse, new - at, new_slope - slope, is_first)
            is_first = False
            at, loss, slope = new, new_loss, new_slope
        yield at


def _update(inverse: Floats, moved: Floats, turned: Floats, first: bool) -> Floats:
    """Return the new approximation to the inverse matrix of second derivatives (BFGS)."""
    curvature = float(moved @ turned)
    if curvature <= 1e-12 * float(np.linalg.norm(moved) * np.linalg.norm(turned)):
        return inverse
    if first:
        inverse = inverse * (curvature / float(turned @ turned))
    left = np.eye(len(moved)) - np.outer(moved, turned) / curvature
    updated: Floats = left @ inverse @ left.T + np.outer(moved, moved) / curvature
    return updated
