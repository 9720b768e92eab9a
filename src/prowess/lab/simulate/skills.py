"""The true skills of a simulated league: drawn from the prior, and moved by the model's own drift.

What the model believes of a newcomer at her first match is what her skill is drawn from. From match to match her skill
is laid on a board as if it were known exactly; what the drift makes of that belief is the distribution of where the
skill is next. So every drift works here, whatever its formula, and no formula is repeated.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history.ragged import starts
from ...history.times import Times
from ...model.components.interfaces import Prior
from ...model.components.prior import Newcomers, Point
from ...model.model import Model
from .calendar import Timeline, match_clock
from .options import Floats, Ints, check_share
from .team_strength import BatchBoard

CHUNK = 100_000  # entries on one board


def draw_skills(rng: np.random.Generator, model: Model, players: int, skills: Any) -> Floats:
    """The true skills of all players at their first match: players × traits; drawn, or as they are given.

    Of a prior whose level is learnt (`Newcomers`), one level is drawn for the whole league; it does not drift here.

    >>> import prowess as pw
    >>> draw_skills(np.random.default_rng(1), pw.TrueSkill(), 3, [30, 25, 20]).ravel()
    array([30., 25., 20.])
    """
    traits = model.pipeline.traits
    if skills is not None and not isinstance(skills, Prior):
        return _check_skills(skills, players, traits)
    prior: Any = model.prior if skills is None else skills
    if skills is None and isinstance(prior, Point):
        raise Error(
            f"by {prior!r} all players have the same skill; say how they differ: skills=pw.Normal({prior.mu:g}, sigma)",
            field="skills",
        )
    batch = BatchBoard(model, 1, 1)
    level = np.zeros(traits)
    if isinstance(prior, Newcomers):
        level, prior = float(prior.level_sigma) * rng.standard_normal(traits), prior.first  # type: ignore[arg-type]
    prior.welcome(batch.board, 0)
    model.absorb.welcome(batch.board, 0)
    mean, variance = _drift(model, batch, 1, np.zeros(1), np.zeros(1))
    return np.asarray(level + rng.normal(mean, np.sqrt(variance), (players, traits)))


def _check_skills(skills: Any, players: int, traits: int) -> Floats:
    try:
        found = np.array(skills, np.float64)
    except (TypeError, ValueError):
        raise Error(
            f"skills must be a Prior, such as pw.Normal(25, 8), or numbers, not {skills!r}",
            field="skills",
            value=skills,
        ) from None
    if found.shape not in ((players, traits), *([(players,)] if traits == 1 else [])) or not np.isfinite(found).all():
        raise Error(
            f"skills must be finite numbers for {players} players and {traits} trait{'s' * (traits > 1)}",
            field="skills",
        )
    return found.reshape(players, traits)


def _drift(
    model: Model, batch: BatchBoard, count: int, elapsed: Floats, played: Floats | Ints
) -> tuple[Floats, Floats]:
    """Where the beliefs on a batch are at the next match, by the drift; and by the absorb rule, with nothing to absorb.

    In Glicko-2 it is the absorb rule that moves skills in the periods in which a player plays.
    """
    cells = count * model.pipeline.traits
    batch.board.entries = count
    batch.elapsed[:count] = elapsed
    batch.played[:count] = played
    batch.games[:count] = batch.kept[:cells] = 1.0
    batch.g1[:cells] = batch.g2[:cells] = 0.0
    batch.before[:cells] = batch.var[:cells]
    model.drift.widen(batch.board)
    batch.before[:cells] = batch.var[:cells]
    if not model.absorb.certain:
        model.absorb.absorb(batch.board)
    shape = count, model.pipeline.traits
    return batch.mu[:cells].reshape(shape).copy(), batch.var[:cells].reshape(shape).copy()


def drift_skills(rng: np.random.Generator, model: Model, timeline: Timeline, player: Ints, first: Floats) -> Floats:
    """The true skill of every entry at its match, entries × traits, from the skills at the first match.

    >>> import prowess as pw
    >>> from prowess.lab.simulate.lineup import Lineup
    >>> lineup = Lineup(np.array([0, 2, 4], np.int32), np.arange(5, dtype=np.int32), np.array([0, 1, 0, 2]))
    >>> timeline = Timeline(pw.TrueSkill(), lineup, None)
    >>> skill = drift_skills(np.random.default_rng(1), pw.TrueSkill(), timeline, lineup.player, np.full((3, 1), 25.0))
    >>> skill[[0, 1, 3]].ravel(), bool(skill[2] != 25.0)
    (array([25., 25., 25.]), True)
    """
    near = drift_steps(model, timeline, first[player])
    far = drift_steps(model, timeline, first[player] + 1.0 + first.std())
    if not (near[0] == 0.0).all() or not (far[0] == 0.0).all() or not np.array_equal(near[1], far[1]):
        return _one_by_one(rng, model, timeline, player, first)
    leaps = (np.sqrt(near[1]) * rng.standard_normal(near[1].shape))[timeline.order]
    sums = np.cumsum(leaps, axis=0)
    found = np.empty_like(leaps)
    found[timeline.order] = first[player[timeline.order]] + sums - sums[timeline.start]  # the first leap is 0
    return found


def drift_steps(model: Model, timeline: Timeline, skill: Floats) -> tuple[Floats, Floats]:
    """By how much the mean of every entry's skill moves since the entry before, and the variance; 0 for first entries.

    `skill` is where the skills are before they move. Of most drifts the answer does not depend on it.
    """
    shift, variance = np.zeros(skill.shape), np.zeros(skill.shape)
    moving = np.flatnonzero((timeline.before >= 0) & ~timeline.still)
    batch = _batch_of_veterans(model, min(len(moving), CHUNK))
    for begin in range(0, len(moving), CHUNK):
        some = moving[begin : begin + CHUNK]
        mean, variance[some] = _drift_from(model, batch, skill[some], timeline.elapsed[some], timeline.played[some])
        shift[some] = mean - skill[some]
    return shift, variance


def _batch_of_veterans(model: Model, entries: int) -> BatchBoard:
    """A batch of players who have been seen: their extra columns are those that they began with."""
    batch = BatchBoard(model, 1, max(entries, 1))
    extras = model.pipeline.extras
    model.absorb.welcome(batch.board, 0)
    for k in range(extras):
        batch.extra[k::extras] = batch.extra[k]
    return batch


def _drift_from(
    model: Model, batch: BatchBoard, skill: Floats, elapsed: Floats, played: Floats | Ints
) -> tuple[Floats, Floats]:
    """Mean and variance of known skills after they have moved."""
    cells = skill.size
    batch.mu[:cells] = skill.ravel()
    batch.var[:cells] = 0.0
    return _drift(model, batch, len(skill), elapsed, played)


def _one_by_one(rng: np.random.Generator, model: Model, timeline: Timeline, player: Ints, first: Floats) -> Floats:
    """Where the mean moves too (a regression to the mean): all players' second matches, then all third ones, …"""
    found = first[player]
    order = np.argsort(timeline.played, kind="stable")
    turn = starts(np.bincount(timeline.played))
    batch = _batch_of_veterans(model, len(first))
    for begin, end in pairwise(turn[1:]):
        some = order[begin:end]
        found[some] = found[timeline.before[some]]
        some = some[~timeline.still[some]]
        mean, variance = _drift_from(model, batch, found[some], timeline.elapsed[some], timeline.played[some])
        found[some] = rng.normal(mean, np.sqrt(variance))
    return found


def draw_hosts(rng: np.random.Generator, model: Model, matches: int, home: float | None) -> NDArray[np.bool_]:
    """Which matches have a home team, which is then the first; all or none, by the model, unless a share is given.

    >>> import prowess as pw
    >>> draw_hosts(np.random.default_rng(1), pw.TrueSkill().replace(home_mu=2), 3, None)
    array([ True,  True,  True])
    """
    part = float(model.home is not None) if home is None else check_share("home", home)
    return rng.random(matches) < part


def home_advantages(rng: np.random.Generator, model: Model, hosted: NDArray[np.bool_], times: Times | None) -> Floats:
    """The true home advantage at every match, matches × traits: drawn once, and moved by its own drift.

    It moves before every match with a home team; with rating periods, before every such period.

    >>> import prowess as pw
    >>> model = pw.TrueSkill().replace(home_mu=2)
    >>> home_advantages(np.random.default_rng(1), model, np.array([True, False]), None)
    array([[2.],
           [2.]])
    """
    shape = len(hosted), model.pipeline.traits
    if model.home is None:
        return np.zeros(shape)
    moves = hosted.copy()
    if times is not None and model.period is not None:
        period = match_clock(model, times)
        fresh = np.flatnonzero(hosted)
        moves[fresh[1:]] = period[fresh][1:] != period[fresh][:-1]
    leaps = model.home.home_tau * rng.standard_normal(shape) * moves[:, None]
    start = rng.normal(model.home.home_mu, model.home.home_sigma, shape[1])
    return np.asarray(start + np.cumsum(leaps, axis=0))
