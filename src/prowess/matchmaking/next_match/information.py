"""Expected information: by how much a match would change what is believed of its players, before it is played.

The information that a result gives is the Kullback–Leibler divergence from the beliefs before the match to those after
it; its expectation over the results that may come (Lindley 1956) is what Herbrich, Minka, Graepel (2006), section 4.2,
mean by the most informative matches. Beliefs are normal, so that for each player and trait it is

    ½ (σ′²/σ² − 1 − ln(σ′²/σ²) + (μ′ − μ)²/σ²),

with the belief before the match taken after the drift. It is given in bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import log, log1p, prod

import numpy as np

from ...model.match_input import MatchDetails, check_details
from ...model.maths.normal import cdf
from ...model.prediction import Prediction
from ...model.rating import Rating
from ...model.score_distribution import CountScores, NormalScores, ScoreDistribution
from ...model.score_prediction import ScorePrediction
from ..player_pool import PlayerPool

Teams = Sequence[Sequence[Rating]]

BIT = log(2.0)
NODES = ((-(3.0**0.5), 1 / 6), (0.0, 2 / 3), (3.0**0.5, 1 / 6))  # Gauss–Hermite: exact for the normal score models
_HALF = ((1.3556261799743, 0.2220759220056), (2.8569700138728, 0.0112574113277))
FINER = (*((-z, p) for z, p in _HALF), (0.0, 0.5333333333333), *_HALF)
DRAWS = 128  # results that are drawn, where they are too many to go through
COUNTS = 15  # scores up to here are gone through one by one
RARE = 1e-4  # results that are left out
MIDDLES = 8  # quantiles that stand for all scores of a team, where they are many


def expected_information(group: PlayerPool, teams: Teams) -> float:
    """The expected information of a match between players of these ratings, in bits.

    >>> import prowess as pw
    >>> from prowess.matchmaking.player_pool import make_pool
    >>> model = pw.TrueSkill(draw_probability=0)
    >>> new, known = model.rating(), model.rating(25, 1)
    >>> [round(expected_information(make_pool(model, []), match), 3) for match in ([[new], [new]], [[known], [known]])]
    [0.424, 0.025]
    """
    prediction = group.model.predict_from(group.memory, teams, None)
    total = share = 0.0
    for probability, details in possible_results(group, teams, prediction):
        if probability > RARE:
            total += probability * _information(group, teams, details)
            share += probability
    return total / share / BIT


def possible_results(
    group: PlayerPool, teams: Teams, prediction: Prediction
) -> Iterator[tuple[float, MatchDetails | None]]:
    """The results that may come, each with its probability.

    Of two teams: win, draw and loss; scores where the model learns from scores. Of more teams, results are drawn, the
    same for all matches; ties among them are left out.
    """
    if isinstance(prediction, ScorePrediction):
        for probability, scores in _scores(group, teams, prediction):
            yield probability, check_details(teams, scores=scores)
    elif len(teams) == 2:
        for probability, ranks in zip((*prediction.win, prediction.draw), ([1, 2], [2, 1], [1, 1]), strict=True):
            yield float(probability), check_details(teams, ranks=ranks)
    else:
        orders: dict[tuple[int, ...], int] = {}
        for shown in prediction.mean + prediction.sigma * _normals(len(teams)):
            order = tuple(np.argsort(np.argsort(-shown)).tolist())
            orders[order] = orders.get(order, 0) + 1
        for order, times in orders.items():
            yield times / DRAWS, check_details(teams, ranks=order)


def _scores(group: PlayerPool, teams: Teams, prediction: ScorePrediction) -> Iterator[tuple[float, list[float]]]:
    """Scores with their probabilities: nodes of a quadrature for two teams, draws for more."""
    found = prediction.score_distribution
    if len(teams) > 2 and found is None:  # differences of scores are those of performances
        board = group.board_of(teams)
        group.model.pipeline.pool_teams(board)
        means, variances, _ = group.model.outcome.performances(board)
        found = NormalScores(np.array(means), np.sqrt(variances))
        group.model.pipeline.release(board)
    if len(teams) > 2:
        assert found is not None
        rng = np.random.default_rng(0)
        drawn = [rng.permutation(np.repeat(_quantiles(found, team), DRAWS // MIDDLES)) for team in range(len(teams))]
        for scores in np.column_stack(drawn).tolist():
            yield 1 / DRAWS, scores
    elif isinstance(found, CountScores):
        for pair in product(_counts(found, 0), _counts(found, 1)):
            yield prod(p for p, _ in pair), [score for _, score in pair]
    elif found is not None:
        for (z, p), (y, q) in product(NODES, NODES):
            yield p * q, [found.mean[0] + z * found.sigma[0], found.mean[1] + y * found.sigma[1]]
    else:
        difference = prediction.score_difference
        assert difference is not None
        for z, p in NODES:
            yield p, [difference.mean + z * difference.sigma, 0.0]


def _counts(found: CountScores, team: int) -> list[tuple[float, float]]:
    """Counts with their probabilities: one by one where they are low, else nodes of a quadrature between quantiles."""
    top = found.quantile(team, 0.9999)
    if top <= COUNTS:
        return [(float(p), float(score)) for score, p in enumerate(found.pmf(team, int(top)))]
    return [(p, found.quantile(team, cdf(z))) for z, p in FINER]


def _quantiles(found: ScoreDistribution, team: int) -> list[float]:
    """Scores of a team that are equally probable, so to speak."""
    return [found.quantile(team, (index + 0.5) / MIDDLES) for index in range(MIDDLES)]


def _normals(teams: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Draws for the performances of teams, and their opposites."""
    half = np.random.default_rng(0).standard_normal((DRAWS // 2, teams))
    return np.concatenate([half, -half])


def _information(group: PlayerPool, teams: Teams, details: MatchDetails | None) -> float:
    """What one result would tell, in nats, by the model's own steps."""
    pipeline = group.model.pipeline
    board = group.board_of(teams, details)
    cells = board.entries * pipeline.traits
    pipeline.forecast(board)
    before = list(board.mu[:cells]), list(board.var[:cells])
    pipeline.learn(board)
    pipeline.absorb_all(board)
    total = 0.0
    for mu, var, new_mu, new_var in zip(*before, board.mu[:cells], board.var[:cells], strict=True):
        if var > 0.0 and new_var > 0.0:
            change = (new_var - var) / var
            total += 0.5 * (change - log1p(change) + (new_mu - mu) ** 2 / var)
    pipeline.release(board)
    return total
