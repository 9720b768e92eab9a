"""Plain implementations of Elo, Gaussian Elo and Harkness: one player, one opponent, one game at a time."""

from math import erfc, pi, sqrt


def expected(own, other, scale=400.0):
    """Return the expected score by Stout (2025), equation (3)."""
    return 1.0 / (1.0 + 10.0 ** ((other - own) / scale))


def gaussian_expected(own, other, beta):
    """Return the expected score by Herbrich, Minka, Graepel (2006), equation (1)."""
    return erfc(-(own - other) / (sqrt(2.0) * beta) / sqrt(2.0)) / 2.0


def score(place, other):
    return 1.0 if place < other else 0.5 if place == other else 0.0


def duel(teams, places, delta):
    """Return each player's average of delta(own, other, score) over all players of other teams."""
    found = []
    for team, place in zip(teams, places, strict=True):
        opponents = [
            (other, score(place, there))
            for rivals, there in zip(teams, places, strict=True)
            if rivals is not team
            for other in rivals
        ]
        found.append([sum(delta(own, *opponent) for opponent in opponents) / len(opponents) for own in team])
    return found


def elo(teams, places, k=32.0, scale=400.0):
    """Return Elo's new ratings, nested like the teams."""
    moves = duel(teams, places, lambda own, other, seen: k * (seen - expected(own, other, scale)))
    return [[own + move for own, move in zip(*pair, strict=True)] for pair in zip(teams, moves, strict=True)]


def gaussian_elo(teams, places, alpha=0.07, beta=1.0):
    """Return Gaussian Elo's new ratings, with the paper's K and its normal distribution."""

    def delta(own, other, seen):
        return alpha * beta * sqrt(pi) * (seen - gaussian_expected(own, other, beta))

    moves = duel(teams, places, delta)
    return [[own + move for own, move in zip(*pair, strict=True)] for pair in zip(teams, moves, strict=True)]


def harkness(opponents, scores, step=50.0):
    """Return the mean rating of the opponents + 50 (wins − losses)."""
    return sum(opponents) / len(opponents) + step * (sum(s == 1 for s in scores) - sum(s == 0 for s in scores))
