"""Draws the results of simulated matches from the teams' performances. `play` dispatches on the outcome's type.

If a custom outcome can forecast a match of two teams, its results are drawn from that forecast. To draw results in
another way, decorate a function with `play.register(MyOutcome)`. The function takes the outcome, the `Field` of all
teams and a random generator, and returns a `Played`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from ...errors import Error, Option
from ...history.ragged import Floats
from ...model.components.interfaces import Outcome
from ...model.components.outcome import Duel, FromLogLikelihood, GaussianScore, OffenceDefence, Pairwise
from ...model.components.outcome.place_forecast import RoundedPlaces, match_margin
from ...model.score_distribution import NormalScores
from ...validate import LARGEST, scale
from .lineup import Count, Ints, per_match
from .team_strength import BatchBoard, Field, blocks

MAX_REPLAYS = 1000  # after this many attempts, a match keeps its result
LEADS = 1000  # number of leads that are drawn at a time
ANSWER_CHUNK = 20_000  # number of teams whose answers are drawn at a time


@dataclass(frozen=True, eq=False)
class Played:
    """Results: every team's rank (lower is better) or score (higher is better), and its performance.

    >>> Played(np.array([[30.0], [25.0]]), rank=np.array([1.0, 2.0])).score is None
    True
    """

    performance: Floats
    rank: Floats | None = None
    score: Floats | None = None


@singledispatch
def play(outcome: Outcome, field: Field, rng: np.random.Generator) -> Played:
    """Draw the results of all matches by an outcome's generative process.

    By default, teams finish in the order of their performances (in the first trait), as in TrueSkill. Neighbours whose
    performances differ by at most the margin share a place, and so do chains of neighbours: with performances 10, 9
    and 8 and a margin of 1, all three teams tie. Some margins depend on the places (`Spread`, `TwoValued`), which
    are not known yet, so the margin of the forecast is used instead.

    >>> import prowess as pw
    >>> history = pw.simulate(pw.TrueSkill(draw_probability=0.9), 1000, teams=2).history
    >>> drawn = (history.place.reshape(-1, 2) == 1).all(axis=1)
    >>> bool(0.4 < drawn.mean() < 0.7)          # nine in ten matches of equals are drawn
    True
    """
    if type(outcome).forecast is Outcome.forecast:
        performance = field.performances(rng)
        return Played(performance, rank=rank_by_performance(field, performance[:, 0], None))
    if (field.counts != 2).any():
        kind = type(outcome).__name__
        pieces = f"{kind} cannot be simulated for more than two teams; use ", Option("teams", 2)
        raise Error(*pieces, f", or define how to draw results: pw.lab.play.register({kind})", field="teams")
    return Played(field.mean, rank=rank_by_forecast(outcome, field, rng, ()))


@play.register
def _(outcome: RoundedPlaces, field: Field, rng: np.random.Generator) -> Played:
    """Round performances to a grid whose step is twice the draw margin and whose offset is random in every match."""
    performance = field.performances(rng)
    margin = _one_margins(field)
    step, phase = 2.0 * margin[field.match], rng.random(len(margin))[field.match]
    cells = np.divide(performance[:, 0], step, out=performance[:, 0].copy(), where=step > 0.0) + phase
    return Played(performance, rank=-np.where(step > 0.0, np.floor(cells), performance[:, 0]))


def _one_margins(field: Field) -> Floats:
    """Return one draw margin for every match, which applies to all pairs of teams in the match."""
    if (field.counts == 2).all():
        first = np.arange(0, len(field.mean), 2)
        return field.margins(first, first + 1)
    margins = np.empty(len(field.counts))
    batch = None
    for match in field.each():
        batch = field.lay_out(match, match + 1, batch)
        batch.board.margin.measure(batch.board, False)
        margins[match] = match_margin(batch.board)
    return margins


def rank_by_performance(field: Field, performance: Floats, margin: Floats | None) -> Floats:
    """Return ranks by performance. Neighbours within the margin tie; `margin` None means the outcome's own margins.

    >>> import prowess as pw
    >>> field = Field(pw.TrueSkill(), np.array([0, 4], np.int32), np.arange(5), np.zeros((4, 1)), np.ones((4, 1)))
    >>> rank_by_performance(field, np.array([5.0, 9.0, 10.0, 8.0]), np.array([1.0]))
    array([2., 1., 1., 1.])
    """
    match: Ints = field.match.astype(np.int64)
    order = np.lexsort((-performance, match))
    upper, lower = order[:-1], order[1:]
    same = match[upper] == match[lower]
    apart = np.ones(len(order), bool)
    within = field.margins(upper[same], lower[same]) if margin is None else margin[match[upper[same]]]
    # Each team is compared only with the next one, so a chain of close teams shares a place.
    apart[1:][same] = performance[upper[same]] - performance[lower[same]] > within
    rank = np.empty(len(order))
    rank[order] = np.cumsum(apart)
    return rank


def rank_by_forecast(outcome: Outcome, field: Field, rng: np.random.Generator, memory: tuple[float, ...]) -> Floats:
    """Draw the ranks of two-team matches from the forecast that the model's outcome makes with the true skills.

    `memory` holds the first numbers of the board's memory, which the forecast may use.
    """
    traits = field.mean.shape[1]
    batch = field.lay_out(0, 1)
    board = batch.board
    for index, value in enumerate(memory):
        board.memory[index] = value
    win, draw = np.empty(len(field.counts)), np.empty(len(field.counts))
    mean, variance = field.mean.reshape(-1, 2 * traits), field.variance.reshape(-1, 2 * traits)
    for match in field.each():
        batch.mean[: 2 * traits] = mean[match]
        batch.variance[: 2 * traits] = batch.noise[: 2 * traits] = variance[match]
        outcome.forecast(board)
        win[match], draw[match] = board.win, board.draw
    if not ((win >= 0.0) & (draw >= 0.0) & (win + draw <= 1.0 + 1e-9)).all():
        raise Error(f"{outcome!r} does not forecast valid win and draw probabilities, so it cannot be simulated")
    # One random number per match, so that changing one probability does not change the results of other matches.
    luck = rng.random(len(win))
    first = np.where(luck < win + draw, 0.0, 1.0)
    second = np.where(luck < win, 1.0, 0.0)
    return np.stack([first, second], axis=1).ravel()


@play.register(Duel)
@play.register(Pairwise)
def _(outcome: Outcome, field: Field, rng: np.random.Generator) -> Played:
    two = field.counts == 2
    if two.all():
        return Played(field.mean, rank=rank_by_forecast(outcome, field, rng, (field.draws, 0.0)))
    performance = field.mean + np.sqrt(outcome.performance(field.variance)) * rng.standard_normal(field.mean.shape)
    rank = rank_by_performance(field, performance[:, 0], _margins(outcome, field))
    if two.any():
        pairs = two[field.match]
        # The results are drawn from the forecast, so only expected performances exist.
        performance[pairs] = field.mean[pairs]
        rank[pairs] = rank_by_forecast(outcome, field.part(two), rng, (field.draws, 0.0))
    return Played(performance, rank=rank)


def _margins(outcome: Outcome, field: Field) -> Floats:
    # The margin of a match is computed as for two teams whose variance is the mean variance of the match.
    margin = np.zeros(len(field.counts))
    if field.draws == 0.0:
        return margin
    variance = np.add.reduceat(field.variance[:, 0], field.match_start[:-1]) / field.counts
    batch = BatchBoard(field.model, 2, 1)
    for match, own in enumerate(variance.tolist()):
        batch.board.memory[0], batch.board.memory[1] = field.draws, 0.0
        batch.variance[:2] = batch.noise[:2] = own
        outcome.predict(batch.board)
        margin[match] = batch.board.margin.between(batch.board, 0, 1)
    return margin


@play.register
def _(outcome: GaussianScore, field: Field, rng: np.random.Generator) -> Played:
    """Draw each score from N(c + t, γ²/2), where t is the team's performance and c a random level of the match."""
    performance = field.performances(rng)
    batch = _average(field)
    batch.variance[:2] = 0.0
    added = outcome.performances(batch.board)[1][0]
    # The model determines only differences of scores, so the level of a match is arbitrary.
    level = rng.normal(0.0, performance.std() + added**0.5, len(field.counts))
    score = rng.normal(performance[:, 0], added**0.5) + level[field.match]
    return Played(performance, score=_rounded(score, field, 2.0 * outcome.rounding_margin()))


def _rounded(score: Floats, field: Field, step: float) -> Floats:
    """Round scores to multiples of `step`. With two teams, the score difference is rounded, as in forecasts."""
    if step == 0.0:
        return score
    rounded: Floats = np.rint(score / step) * step
    first = field.match_start[:-1][field.counts == 2]
    # Rounding both scores separately would make draws a little rarer than the rounded difference does.
    rounded[first] = rounded[first + 1] + np.rint((score[first] - score[first + 1]) / step) * step
    return rounded


@play.register
def _(outcome: FromLogLikelihood, field: Field, rng: np.random.Generator) -> Played:
    """Draw leads given the performances; the losing team scores 0. Places are drawn from the forecast."""
    if outcome.leads == "places" or (field.counts != 2).any():
        return play.dispatch(Outcome)(outcome, field, rng)
    performance = field.performances(rng)
    difference = performance[::2, 0] - performance[1::2, 0]
    chunks = [outcome.draw_leads(difference[k : k + LEADS], rng) for k in range(0, len(difference), LEADS)]
    lead = np.concatenate(chunks) if chunks else difference
    return Played(performance, score=np.maximum(np.stack([lead, -lead], axis=1), 0.0).ravel())


@play.register
def _(outcome: OffenceDefence, field: Field, rng: np.random.Generator) -> Played:
    """Draw scores that depend on each team's offence minus the mean defence of the other teams.

    The outcome may make a draw between two teams f times as likely as independent scores imply. In that case, some
    matches are replayed: if f is above 1, a match with a winner is kept only with probability 1/f; if f is below 1, a
    drawn match is kept only with probability f.
    """
    performance, score = _draw_scores(outcome, field, rng)
    factor = float(getattr(outcome.score, "draw_factor", 1.0))
    again = np.zeros(len(field.counts), bool) if factor == 1.0 else field.counts == 2
    for _ in range(MAX_REPLAYS):
        first = field.match_start[:-1][again]
        drawn = score[first] == score[first + 1]
        # Rejection sampling: replaying some results makes draws `factor` times as likely as with independent scores.
        again[again] = rng.random(len(first)) >= np.where(drawn, min(factor, 1.0), min(1.0 / factor, 1.0))
        if not again.any():
            break
        teams = again[field.match]
        performance[teams], score[teams] = _draw_scores(outcome, field.part(again), rng)
    return Played(performance, score=score)


def _draw_scores(outcome: OffenceDefence, field: Field, rng: np.random.Generator) -> tuple[Floats, Floats]:
    performance = field.performances(rng)
    total, defence = np.add.reduceat(performance[:, 1], field.match_start[:-1]), performance[:, 1]
    x = performance[:, 0] - (total[field.match] - defence) / (field.counts[field.match] - 1)
    score: Any = outcome.score
    distribution = score.distribution(_average(field).board, x, np.zeros(len(x)))
    if isinstance(distribution, NormalScores):
        drawn = rng.normal(distribution.mean, distribution.sigma)
        return performance, _rounded(drawn, field, 2.0 * score.rounding_margin())
    try:
        logarithm = distribution.logarithms(rng, x)
    except Error as error:
        raise error.within(f"scores of {score!r} cannot be simulated: ") from None
    return performance, np.rint(np.exp(np.minimum(logarithm, np.log(LARGEST))))


def _average(field: Field) -> BatchBoard:
    batch = BatchBoard(field.model, 2, 1)
    batch.noise[: 2 * field.mean.shape[1]] = field.variance.mean()
    return batch


@dataclass(frozen=True)
class Questions:
    """A match consists of `count` questions; ties in the number of right answers are not broken.

    A team of performance t answers a question of difficulty d correctly with probability 1/(1 + exp(−(t − d)/(ease ·
    s))). The difficulties of every match are drawn from N(m, (spread · s)²). Here m and s are the mean and the standard
    deviation of all performances in the league. The randomness of the answers adds noise to the performances, and ties
    occur because there are few possible scores. Nikolenko, Sirotkin (2011), section 5, report 30 to 90 questions.

    `count` is a number, a range (least, most), or a list with a number for each match.

    >>> import prowess as pw
    >>> history = pw.simulate(pw.TS2a(), 10, 200, teams=40, questions=Questions(12)).history
    >>> bool(history.score.max() <= 12), bool(history.place[:40].max() < 40)
    (True, True)
    """

    count: Count = 36
    ease: float = 0.5
    spread: float = 1.0

    def __post_init__(self) -> None:
        scale("ease", self.ease)
        scale("spread", self.spread, zero=True)


def answer_questions(questions: Questions, field: Field, rng: np.random.Generator) -> Played:
    """Draw every team's number of right answers as its score."""
    if field.mean.shape[1] != 1:
        traits = ", ".join(field.model.outcome.traits)
        raise Error(f"`questions` needs a model with a single skill, but this model has {traits}", field="questions")
    performance = field.performances(rng)
    unit = float(performance.std()) or 1.0
    ability = (performance[:, 0] - performance.mean()) / unit
    count = per_match("questions", questions.count, len(field.counts), 1, rng)
    score = np.empty(len(ability))
    for first, last in blocks(field.match_start, ANSWER_CHUNK):
        teams = slice(int(field.match_start[first]), int(field.match_start[last]))
        score[teams] = _right_answers(questions, count[first:last], ability[teams], field.match[teams] - first, rng)
    return Played(performance, score=score)


def _right_answers(questions: Questions, count: Ints, ability: Floats, match: Any, rng: np.random.Generator) -> Floats:
    difficulty = questions.spread * rng.standard_normal((len(count), int(count.max())))
    difficulty[np.arange(difficulty.shape[1]) >= count[:, None]] = np.inf  # questions that do not exist
    with np.errstate(over="ignore"):
        chance = 1.0 / (1.0 + np.exp((difficulty[match] - ability[:, None]) / questions.ease))
    return np.asarray((rng.random(chance.shape) < chance).sum(axis=1), np.float64)
