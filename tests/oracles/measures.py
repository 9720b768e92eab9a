"""Forecast measures as plain loops, written from the papers that define them."""

from __future__ import annotations

from itertools import combinations
from math import erfc, exp, log, log2, sqrt
from statistics import variance
from typing import NamedTuple


class Match(NamedTuple):
    """The result and forecast of a match; win and draw probabilities are only for matches of two teams."""

    place: list[int]
    mean: list[float]  # for score models, pairs of offence and defence
    variance: list[float]
    win: float = 0.5
    draw: float = 0.0
    score: list[float] | None = None


def strengths(match):
    """Return means and variances of the teams' strengths: their skills or, in score models, offence plus a share of
    defence."""
    if isinstance(match.mean[0], float):
        return match.mean, match.variance
    k = len(match.mean) - 1
    return [o + d / k for o, d in match.mean], [o + d / k**2 for o, d in match.variance]


def pair_error(match, ties=0.5, drawn=None):
    """Return the number of wrongly predicted pairs and of all pairs that count (ICML 2011, section 5)."""
    expected, _ = strengths(match)
    wrong = counted = 0.0
    for i, j in combinations(range(len(match.place)), 2):
        if match.place[i] == match.place[j]:
            if drawn is not None:
                wrong, counted = wrong + drawn, counted + 1
            continue
        counted += 1
        better, worse = (i, j) if match.place[i] < match.place[j] else (j, i)
        if expected[better] < expected[worse]:
            wrong += 1
        elif expected[better] == expected[worse]:
            wrong += ties
    return wrong, counted


def pair_log_loss(match, least=1e-6):
    """Return the sum of −ln P over the pairs that did not tie, and the number of these pairs."""
    expected, spread = strengths(match)
    total = counted = 0.0
    for i, j in combinations(range(len(match.place)), 2):
        if match.place[i] != match.place[j]:
            better, worse = (i, j) if match.place[i] < match.place[j] else (j, i)
            if len(match.place) == 2:
                loss = max(1 - match.win - match.draw, 0)
                p = (match.win if better == 0 else loss) / (match.win + loss) if match.win + loss else 0.5
            else:
                p = ahead(expected[better] - expected[worse], spread[better] + spread[worse])
            total, counted = total - log(max(p, least)), counted + 1
    return total, counted


def ahead(gap, variance):
    """Return the probability that a normal variable is positive."""
    if variance == 0:
        return 0.5 if gap == 0 else float(gap > 0)
    return 0.5 * erfc(-gap / sqrt(2 * variance))


def result(match):
    """Return 1, ½ or 0 if the first of two teams won, drew or lost; None for more teams."""
    if len(match.place) != 2:
        return None
    first, second = match.place
    return 1.0 if first < second else 0.5 if first == second else 0.0


def three_ways(match):
    """Return the win, draw and loss probabilities, and which of the three results happened."""
    chances = [match.win, match.draw, max(1 - match.win - match.draw, 0)]
    return chances, [result(match) == side for side in (1.0, 0.5, 0.0)]


def log_loss(match, least=1e-6):
    return -log(max(next(p for p, came in zip(*three_ways(match), strict=True) if came), least))


def information_gain(match, least=1e-6):
    """Return the information gain (ECML 2012, section 5.2); p is the expected score of the first team."""
    p = match.win + match.draw / 2
    if result(match) == 1.0:
        return 1 + log2(max(p, least))
    if result(match) == 0.0:
        return 1 + log2(max(1 - p, least))
    return 1 + 0.5 * (log2(max(p, least)) + log2(max(1 - p, least)))


def brier(match):
    return sum((p - came) ** 2 for p, came in zip(*three_ways(match), strict=True))


def sharpness(match):
    return sum(-p * log2(p) for p in three_ways(match)[0] if p > 0)


def mid_places(key):
    """Return, for each team, the list of positions that it and the teams tied with it occupy."""
    ordered = sorted(key)
    return [[at for at, other in enumerate(ordered, 1) if other == own] for own in key]


def place_error(match):
    """Return the place error √(Σ (xᵢ − yᵢ)²/√i), from Nikolenko, Sirotkin (2010), section 5."""
    total = 0.0
    taken, predicted = mid_places(match.place), mid_places([-s for s in strengths(match)[0]])
    for mine, theirs in zip(taken, predicted, strict=True):
        x, y = sum(mine) / len(mine), sum(theirs) / len(theirs)
        total += (x - y) ** 2 * sum(1 / sqrt(i) for i in mine) / len(mine)
    return sqrt(total)


def auc(matches, drawn="skip"):
    """Return how often a won match had a higher forecast than a match that was not won (Mann–Whitney)."""
    two = [m for m in matches if len(m.place) == 2 and not (drawn == "skip" and result(m) == 0.5)]
    won = [m.win + m.draw / 2 for m in two if result(m) == 1.0]
    rest = [m.win + m.draw / 2 for m in two if result(m) != 1.0]
    if not won or not rest:
        return 0.5
    return sum((a > b) + 0.5 * (a == b) for a in won for b in rest) / (len(won) * len(rest))


def scores(match, likelihood, point):
    """Return the predicted scores of all teams, which depend on each team's offence minus the others' mean defence."""
    found = []
    for i, (offence, _) in enumerate(match.mean):
        others = [j for j in range(len(match.mean)) if j != i]
        mean = offence - sum(match.mean[j][1] for j in others) / len(others)
        variance = match.variance[i][0] + sum(match.variance[j][1] for j in others) / len(others) ** 2
        if likelihood == "normal":
            found.append(mean)
        else:
            found.append(exp(mean + variance / 2 if point == "mean" else mean))
    return found


def window(total, weight, matches):
    """Return the measure over the last `matches` measurable matches at each measurable match, and None elsewhere."""
    found = [None] * len(total)
    counted = [i for i, w in enumerate(weight) if w > 0]
    for end in range(matches, len(counted) + 1):
        last = counted[end - matches : end]
        found[last[-1]] = sum(total[i] for i in last) / sum(weight[i] for i in last)
    return found


def runs(chances, came, counts):
    """Sort forecasts and cut them into bins of the given sizes.

    Return, for each bin, the mean forecast, the share of events that happened, and the lowest and highest forecast.
    """
    ordered, found, start = sorted(zip(chances, came, strict=True)), [], 0
    for count in counts:
        run, start = ordered[start : start + int(count)], start + int(count)
        found.append((sum(p for p, _ in run) / len(run), sum(c for _, c in run) / len(run), run[0][0], run[-1][0]))
    return found


def score_noise(seen):
    """Return the variance of all scores in earlier matches (ECML 2012, section 5.3); 0 for fewer than two scores."""
    scores = [score for match in seen for score in match]
    return variance(scores) if len(scores) > 1 else 0.0


def difference_noise(seen):
    """Return the mean squared difference of two scores in a match, which is twice the variance within matches."""
    freedom = sum(len(match) - 1 for match in seen)
    return 2 * sum(variance(match) * (len(match) - 1) for match in seen) / freedom if freedom else 0.0
