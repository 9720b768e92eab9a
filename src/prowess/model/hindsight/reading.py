"""Reads a fitted history: the ladder after the last match, the forecasts of all matches, and all curves."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...history.ragged import owners
from ..engine.breaks import Breaks
from ..engine.state_layout import StateLayout
from ..fit.forecasts import Forecasts, read_forecasts
from ..ladder.record import time_unit
from ..model import Model
from .curves import ConstantCurves, Curves, Floats, Law, Transition, visits_of
from .merge import Merged
from .smoother import Smoother


class Reading:
    """What one more pass over the matches gives, which changes no message.

    `curves` are those of the skills, of the deviations or effects of each facet, and of a learnt home advantage. They
    and `forecasts` have the matches that the pass has visited. If equal matches were merged, `ladder`, `left_out` and
    `skills` are nevertheless those of the original history.
    """

    def __init__(self, smoother: Smoother) -> None:
        """Run the pass."""
        self._smoother = smoother
        self.forecasts = read_forecasts(smoother.model.outcome, smoother.history, smoother.read())
        self.curves = _curves(smoother)
        self.ladder = smoother.ladder.copy()
        if smoother.cohorts is not None:
            smoother.cohorts.remember(self.ladder.memory)
        if smoother.merged is not None:
            self._count_copies(smoother.merged)

    @property
    def log_evidence(self) -> float:
        """The log-probability of all results together."""
        apart, importance = self.forecasts.log_evidence, self._smoother.history.importance
        total = float(apart.sum() if importance is None else apart @ importance)
        cohorts = self._smoother.cohorts
        return total + sum(curve.log_evidence for curve in self.curves) + (cohorts.log_evidence if cohorts else 0.0)

    @cached_property
    def left_out(self) -> Forecasts:
        """The forecast of each original match from all the others."""
        merged = self._smoother.merged
        return self.forecasts if merged is None else merged.forecasts(self._smoother.original, self.forecasts)

    @cached_property
    def skills(self) -> Curves | ConstantCurves:
        """The curves of the skills, with a visit for each entry of the original history."""
        smoother, curves = self._smoother, self.curves[0]
        if smoother.merged is None:
            return curves
        # Equal matches are merged only if skills do not drift.
        belief = curves.at(np.arange(curves.chains), np.full(curves.chains, np.nan))
        history = smoother.original
        match = owners(history.match_start)[owners(history.team_start)]
        visits = visits_of(history, smoother.original_rows, match, curves.chains)
        return ConstantCurves(visits.row, visits.match, visits.time, visits.weight, visits.chains, *belief)

    def _count_copies(self, merged: Merged) -> None:
        """Give the rows of the ladder the number of original matches, and the time of the last one."""
        more, last = merged.copies - 1, merged.last_times(self._smoother.original)
        layout = self.ladder.layout
        is_common = [False, *(not facet.personal for facet in self._smoother.model.facets)]
        tables = [self.ladder.state, *(rows.state for rows in self.ladder.facets)]
        for curve, state, common in zip(self.curves, tables, is_common, strict=False):
            counted = (curve.row >= 0) & (curve.weight > 0.0)
            if common:  # an effect that both teams share has no influence, and such a match does not count
                counted &= ((curve.precision != 0.0) | (curve.push != 0.0)).any(1)
            row, match = curve.row[counted], curve.match[counted]
            state[:, layout.matches] += np.bincount(row, more[match], len(state))
            np.fmax.at(state[:, layout.last_seen], row, last[match])


def _curves(smoother: Smoother) -> list[Curves]:
    """Return the curves of all chains, after a pass that has kept the forward messages."""
    model, history, pipeline, chains = smoother.model, smoother.history, smoother.model.pipeline, smoother.chains
    matches = np.arange(len(history))
    match: dict[str, Any] = {"match": matches, "team": owners(history.match_start)}
    match["entry"] = match["team"][owners(history.team_start)]
    laws = laws_of(model, smoother)

    def curves_of(chain: Any, rows: Any, at: Any, law: Law, first: int = 0) -> Curves:
        return Curves.of(chain, visits_of(history, rows, at, len(law[0][0])), law, first)

    curves = [curves_of(chains.players, smoother.rows, match["entry"], laws[0])]
    personal = dict(zip([part.index for part in pipeline.personal], chains.deviations, strict=True))
    common = {part.index: (number, part) for number, part in enumerate(pipeline.common)}
    for index, facet in enumerate(model.facets):
        column = smoother.columns.facets[index]
        rows, at = np.asarray(column.row), match["team" if column.by_team else "entry"]
        chain: Any = personal.get(index, chains.effects)
        first = 0
        if not facet.personal:
            number, part = common[index]
            first = chains.visit_start[number]
            if part.number:
                at, rows = np.repeat(matches, part.number), np.tile(np.arange(part.number), len(matches))
        curves.append(curves_of(chain, rows, at, laws[1 + index], first))
    if chains.home is not None:
        home = np.full(len(matches), -1) if history.home is None else history.home
        curves.append(curves_of(chains.home, np.where(home >= 0, 0, -1), matches, laws[-1]))
    return curves


def laws_of(model: Model, smoother: Smoother) -> list[Law]:
    """Return the laws of the chains: of the skills, of the rows of each facet, and of a learnt home advantage."""
    pipeline, layout, unit = model.pipeline, smoother.ladder.layout, time_unit(smoother.ladder.stamp)
    newcomer = model.newcomer_from(smoother.start[1].tolist())
    parts = [newcomer.parts.get(trait, newcomer) for trait in layout.traits]
    fresh = [part.mu for part in parts], [part.sigma**2 for part in parts]
    laws: list[Law] = [(_prior(smoother.start[0], layout, fresh), _transition(pipeline, smoother.breaks, unit))]
    for index, facet in enumerate(model.facets):
        part = next(part for part in (*pipeline.personal, *pipeline.common) if part.index == index)
        given = [facet.mu] * pipeline.traits, [(facet.sigma or 0.0) ** 2] * pipeline.traits
        step = part.drift if part.per_time else 0.0
        prior = _prior(smoother.start[2 + index], layout, given)
        laws.append((prior, _steps(pipeline.traits, step / unit, 0.0 if part.per_time else part.drift)))
    if pipeline.learns_home:
        start = smoother.start[1][pipeline.home_memory :][: 2 * pipeline.traits]
        if (start == smoother.model.pipeline.memory()[smoother.model.pipeline.home_memory :][: len(start)]).all():
            start = np.array(
                pipeline.memory()[pipeline.home_memory :][: len(start)]
            )  # no start: the prior of this model
        home = start.reshape(1, pipeline.traits, 2)
        laws.append(((home[..., 0], home[..., 1]), _steps(pipeline.traits, 0.0, pipeline.home_drift)))
    return laws


def _prior(start: Floats, layout: StateLayout, fresh: tuple[list[float], list[float]]) -> tuple[Floats, Floats]:
    """Return the beliefs before the history: those of a state, or `fresh` ones where it has none."""
    known = ~np.isnan(start[:, :1])
    return np.where(known, start[:, layout.means], fresh[0]), np.where(known, start[:, layout.variances], fresh[1])


def _steps(traits: int, per_time: float, per_match: float) -> Transition:
    """Return a drift that adds variances per unit of time, and at every match."""

    def transition(earlier: Floats, later: Floats) -> tuple[Floats, Floats, Floats]:
        one = np.ones((len(earlier), traits))
        return one, 0.0 * one, (per_match + per_time * _elapsed(earlier, later)[:, None]) * one

    return transition


def _elapsed(earlier: Floats, later: Floats) -> Floats:
    """Return the times between others; 0 if one of them is unknown."""
    return np.nan_to_num(later - earlier).clip(0.0)


def _transition(pipeline: Any, breaks: Breaks, unit: float) -> Transition:
    """Return the breaks and the drift of a model (see `Drift.transition`); `unit` is the length of a unit of drift."""

    def transition(earlier: Floats, later: Floats) -> tuple[Floats, Floats, Floats]:
        elapsed = _elapsed(earlier, later) / unit
        board = pipeline.board(1, max(len(elapsed), 1))
        board.entries = len(elapsed)
        np.asarray(board.elapsed)[: len(elapsed)] = elapsed
        pipeline.drift.transition(board)
        cells = len(elapsed) * pipeline.traits
        shape = len(elapsed), pipeline.traits
        a, c, q = (np.asarray(column)[:cells].reshape(shape).copy() for column in (board.slope, board.mu, board.var))
        np.asarray(board.elapsed)[:] = 0.0
        pipeline.release(board)
        if breaks.count:
            kept, added = (column[:, None] for column in breaks.between(earlier, later))
            a, c, q = a * kept, c + a * (1.0 - kept) * np.asarray(breaks.centre), q + a * a * added
        return a, c, q

    return transition
