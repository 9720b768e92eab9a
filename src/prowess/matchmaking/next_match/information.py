"""The expected information of a match: how much the match would change the beliefs about its players.

The information of a result is the Kullback–Leibler divergence between the beliefs before and after the match. The
expected information is its average over the possible results (Lindley 1956). The matches with the highest expected
information are called the most informative (Herbrich, Minka, Graepel 2006, section 4.2). Beliefs are normal, so the
information about a player's trait is

    ½ (σ′²/σ² − 1 − ln(σ′²/σ²) + (μ′ − μ)²/σ²),

where μ, σ describe the belief before the match, including the drift, and μ′, σ′ the belief after the match. The result
is in bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import log, log1p, prod

import numpy as np

from ...model.match_input import MatchDetails, check_details
from ...model.maths.normal import cdf
from ...model.prediction import Prediction, ScorePrediction
from ...model.rating import Rating
from ...model.score_distribution import CountScores, NormalScores
from ..player_pool import PlayerPool

Teams = Sequence[Sequence[Rating]]

BIT = log(2.0)
NODES = ((-(3.0**0.5), 1 / 6), (0.0, 2 / 3), (3.0**0.5, 1 / 6))  # Gauss–Hermite nodes; exact for normal scores
_HALF = ((1.3556261799743, 0.2220759220056), (2.8569700138728, 0.0112574113277))
FINER = (*((-z, p) for z, p in _HALF), (0.0, 0.5333333333333), *_HALF)
DRAWS = 128  # number of random results if there are too many to enumerate
COUNTS = 15  # scores up to this number are enumerated
RARE = 1e-4  # less probable results are ignored
MIDDLES = 8  # number of quantiles that represent a team's scores in a match of more than two teams


def expected_information(group: PlayerPool, teams: Teams) -> float:
    """Return the expected information, in bits, of a match between teams of ratings.

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
    # Rare results are left out, so the probabilities of the others add up to `share`, not to 1.
    return total / share / BIT


def possible_results(
    group: PlayerPool, teams: Teams, prediction: Prediction
) -> Iterator[tuple[float, MatchDetails | None]]:
    """Yield the possible results of a match, each with its probability.

    The results of two teams are win, draw and loss, or scores if the model learns from scores. For more teams the
    results are random samples without ties; all matches use the same seed.
    """
    if isinstance(prediction, ScorePrediction):
        for probability, scores in _scores(group, teams, prediction):
            yield probability, check_details(teams, scores=scores)
    elif len(teams) == 2:
        for probability, ranks in zip((*prediction.win, prediction.draw), ([1, 2], [2, 1], [1, 1]), strict=True):
            yield float(probability), check_details(teams, ranks=ranks)
    else:
        orders: dict[tuple[int, ...], int] = {}
        # Each sample is used with both signs, which reduces the error of the mean.
        half = np.random.default_rng(0).standard_normal((DRAWS // 2, len(teams)))
        for performances in prediction.mean + prediction.sigma * np.concatenate([half, -half]):
            order = tuple(np.argsort(np.argsort(-performances)).tolist())
            orders[order] = orders.get(order, 0) + 1
        for order, times in orders.items():
            yield times / DRAWS, check_details(teams, ranks=order)


def _scores(group: PlayerPool, teams: Teams, prediction: ScorePrediction) -> Iterator[tuple[float, list[float]]]:
    # The scores of two teams are quadrature nodes; those of more teams are random combinations of quantiles.
    scored = prediction.score_distribution
    # A model without a score distribution uses only score differences, so the performances can serve as scores.
    if len(teams) > 2 and scored is None:
        board = group.board_of(teams)
        group.model.pipeline.pool_teams(board)
        means, variances, _ = group.model.outcome.performances(board)
        scored = NormalScores(np.array(means), np.sqrt(variances))
        group.model.pipeline.release(board)
    if len(teams) > 2:
        assert scored is not None
        rng = np.random.default_rng(0)
        columns = []
        for team in range(len(teams)):
            quantiles = [scored.quantile(team, (index + 0.5) / MIDDLES) for index in range(MIDDLES)]
            columns.append(rng.permutation(np.repeat(quantiles, DRAWS // MIDDLES)))
        for scores in np.column_stack(columns).tolist():
            yield 1 / DRAWS, scores
    elif isinstance(scored, CountScores):
        for pair in product(_counts(scored, 0), _counts(scored, 1)):
            yield prod(p for p, _ in pair), [score for _, score in pair]
    elif scored is not None:
        for (z, p), (y, q) in product(NODES, NODES):
            yield p * q, [scored.mean[0] + z * scored.sigma[0], scored.mean[1] + y * scored.sigma[1]]
    else:
        difference = prediction.score_difference
        assert difference is not None
        for z, p in NODES:
            yield p, [difference.mean + z * difference.sigma, 0.0]


def _counts(scored: CountScores, team: int) -> list[tuple[float, float]]:
    """Return scores that are counts with their probabilities: all low counts, or a few quantiles if counts are high."""
    top = scored.quantile(team, 0.9999)
    if top <= COUNTS:
        return [(float(p), float(score)) for score, p in enumerate(scored.pmf(team, int(top)))]
    return [(p, scored.quantile(team, cdf(z))) for z, p in FINER]


def _information(group: PlayerPool, teams: Teams, details: MatchDetails | None) -> float:
    # The information is in nats. The model's own update gives the new beliefs.
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
