"""The true skills of a simulated league: drawn from the prior, and moved by the model's own drift.

A player's first skill is drawn from the model's belief about a newcomer. For the next match, the drift is applied to a
belief that knows this skill exactly; the result is the distribution from which the next skill is drawn. In this way,
every drift can be simulated without repeating its formula.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history.ragged import Floats, starts
from ...history.times import Times
from ...model.components.interfaces import Prior
from ...model.model import Model
from ...validate import probability
from .calendar import Timeline, match_clock
from .lineup import Ints
from .team_strength import BatchBoard

CHUNK = 100_000  # number of entries on a board


def draw_skills(rng: np.random.Generator, model: Model, players: int, skills: Any) -> Floats:
    """Return the true skills of all players at their first match, drawn or as given: players × traits.

    If the prior learns the level of newcomers (`Newcomers`), one constant level is drawn for the whole league.

    >>> import prowess as pw
    >>> draw_skills(np.random.default_rng(1), pw.TrueSkill(), 3, [30, 25, 20]).ravel()
    array([30., 25., 20.])
    """
    traits = model.pipeline.traits
    if skills is not None and not isinstance(skills, Prior):
        return _check_skills(skills, players, traits)
    prior: Any = model.prior if skills is None else skills
    # Elo and similar systems have no prior distribution to draw from.
    if skills is None and not prior.spreads:
        remedy = f"pass a distribution of skills: skills=pw.Normal({prior.mu:g}, sigma)"
        raise Error(f"with {prior!r} all players have the same skill; {remedy}", field="skills")
    batch = BatchBoard(model, 1, 1)
    level = np.zeros(traits)
    if prior.inner is not None:
        level, prior = float(prior.level_sigma) * rng.standard_normal(traits), prior.inner
    prior.welcome(batch.board, 0)
    model.absorb.welcome(batch.board, 0)
    mean, variance = _drift(model, batch, 1, np.zeros(1), np.zeros(1))
    return np.asarray(level + rng.normal(mean, np.sqrt(variance), (players, traits)))


def _check_skills(skills: Any, players: int, traits: int) -> Floats:
    try:
        column = np.array(skills, np.float64)
    except (TypeError, ValueError):
        message = f"skills must be a Prior, such as pw.Normal(25, 8), or numbers, not {skills!r}"
        raise Error(message, field="skills", value=skills) from None
    shapes = [(players, traits), (players,)][: 2 if traits == 1 else 1]
    if column.shape not in shapes or not np.isfinite(column).all():
        each = f" and each of their {traits} traits" * (traits > 1)
        right = f"skills must have one finite number for each of the {players} players{each}"
        raise Error(f"{right}; the given array has the shape {column.shape}", field="skills")
    return column.reshape(players, traits)


def _drift(
    model: Model, batch: BatchBoard, count: int, elapsed: Floats, played: Floats | Ints
) -> tuple[Floats, Floats]:
    # The absorb rule is needed for Glicko-2, where it widens the belief in every period in which a player plays.
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
    """Return the true skill of every entry at its match (entries × traits); `first` has the skills at the first match.

    >>> import prowess as pw
    >>> from prowess.lab.simulate.lineup import Lineup
    >>> lineup = Lineup(np.array([0, 2, 4], np.int32), np.arange(5, dtype=np.int32), np.array([0, 1, 0, 2]))
    >>> timeline = Timeline(pw.TrueSkill(), lineup, None)
    >>> skill = drift_skills(np.random.default_rng(1), pw.TrueSkill(), timeline, lineup.player, np.full((3, 1), 25.0))
    >>> skill[[0, 1, 3]].ravel(), bool(skill[2] != 25.0)
    (array([25., 25., 25.]), True)
    """
    # Two different starting points show whether the drift depends on the skill. If not, all moves are drawn at once.
    near = drift_steps(model, timeline, first[player])
    far = drift_steps(model, timeline, first[player] + 1.0 + first.std())
    if not (near[0] == 0.0).all() or not (far[0] == 0.0).all() or not np.array_equal(near[1], far[1]):
        return _drift_match_by_match(rng, model, timeline, player, first)
    moves = (np.sqrt(near[1]) * rng.standard_normal(near[1].shape))[timeline.order]
    sums = np.cumsum(moves, axis=0)
    skill = np.empty_like(moves)
    # A player's first entry does not move.
    skill[timeline.order] = first[player[timeline.order]] + sums - sums[timeline.start]
    return skill


def drift_steps(model: Model, timeline: Timeline, skill: Floats) -> tuple[Floats, Floats]:
    """Return how far the mean of every entry's skill has moved since the previous entry, and the added variance.

    `skill` is the skill before the move; most drifts do not depend on this skill. First entries do not move.
    """
    shift, variance = np.zeros(skill.shape), np.zeros(skill.shape)
    moving = np.flatnonzero((timeline.before >= 0) & ~timeline.still)
    batch = _experienced_players(model, min(len(moving), CHUNK))
    for begin in range(0, len(moving), CHUNK):
        some = moving[begin : begin + CHUNK]
        mean, variance[some] = _drift_from(model, batch, skill[some], timeline.elapsed[some], timeline.played[some])
        shift[some] = mean - skill[some]
    return shift, variance


def _experienced_players(model: Model, entries: int) -> BatchBoard:
    # The extra columns, such as volatility, have their initial values.
    batch = BatchBoard(model, 1, max(entries, 1))
    extras = model.pipeline.extras
    model.absorb.welcome(batch.board, 0)
    for k in range(extras):
        batch.extra[k::extras] = batch.extra[k]
    return batch


def _drift_from(
    model: Model, batch: BatchBoard, skill: Floats, elapsed: Floats, played: Floats | Ints
) -> tuple[Floats, Floats]:
    cells = skill.size
    batch.mu[:cells] = skill.ravel()
    batch.var[:cells] = 0.0
    return _drift(model, batch, len(skill), elapsed, played)


def _drift_match_by_match(
    rng: np.random.Generator, model: Model, timeline: Timeline, player: Ints, first: Floats
) -> Floats:
    # A drift that depends on the skill needs the skill at the previous match. So the skills at all players' second
    # matches are drawn first, then the skills at their third matches, and so on.
    skill = first[player]
    order = np.argsort(timeline.played, kind="stable")
    turn = starts(np.bincount(timeline.played))
    batch = _experienced_players(model, len(first))
    for begin, end in pairwise(turn[1:]):
        some = order[begin:end]
        skill[some] = skill[timeline.before[some]]
        some = some[~timeline.still[some]]
        mean, variance = _drift_from(model, batch, skill[some], timeline.elapsed[some], timeline.played[some])
        skill[some] = rng.normal(mean, np.sqrt(variance))
    return skill


def draw_hosts(rng: np.random.Generator, model: Model, matches: int, home: float | None) -> NDArray[np.bool_]:
    """Draw the matches in which the first team is at home, with probability `home`.

    By default the first team is at home in all matches if the model has a home advantage, otherwise in none.

    >>> import prowess as pw
    >>> draw_hosts(np.random.default_rng(1), pw.TrueSkill().replace(home_mu=2), 3, None)
    array([ True,  True,  True])
    """
    return rng.random(matches) < (float(model.home is not None) if home is None else probability("home", home))


def home_advantages(rng: np.random.Generator, model: Model, hosted: NDArray[np.bool_], times: Times | None) -> Floats:
    """Return the true home advantage at every match, matches × traits: drawn once, then moved by its own drift.

    The advantage moves before every match with a home team. In a model with rating periods, the advantage moves before
    every period in which a team plays at home.

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
        # Within a rating period the advantage stays the same.
        moves[fresh[1:]] = period[fresh][1:] != period[fresh][:-1]
    moved = model.home.home_tau * rng.standard_normal(shape) * moves[:, None]
    start = rng.normal(model.home.home_mu, model.home.home_sigma, shape[1])
    return np.asarray(start + np.cumsum(moved, axis=0))
