"""Cases for ratings, for components of models written in plain Python, and for errors."""

import copy
from math import log, sqrt

from tests.model.engine.test_blocks import matches
from tests.modes.comparing import part, raised


def ratings(package):
    Rating = package.Rating
    both = Rating(offence=Rating(30, 4), defence=Rating(20.5, 3, caution=1.5), volatility=0.06)
    for one in (Rating(25, 25 / 3), Rating(1500), Rating(1.5, 0.0, caution=2), both):
        yield one.mu, one.sigma, one.caution, one.shown, repr(one), sorted(one.parts)
        yield hash(one) == hash(copy.copy(one)), one == copy.copy(one), one == 1.0, one != Rating(25, 3)
    yield both.defence.mu, both.volatility
    for given in ({}, {"mu": "x"}, {"mu": 1, "sigma": -1}, {"mu": 1, "offence": Rating(1)}, {"mu": 1, "parts": 1}):
        yield raised(Rating, **given)
    yield raised(Rating, 1, 2, caution=float("inf")), raised(Rating, 1, volatility=0), raised(lambda: both.attack)
    for model in (package.TrueSkill(), package.Glicko2(), package.GaussianOD(), package.Elo()):
        for one in (*map(Rating, (1500, 25), (200, None)), both, Rating(1, 2, volatility=0.5), Rating(1, offence=2)):
            try:
                yield [
                    [repr(rating) for rating in team] for team in model.rate([[one], [model.rating()]], scores=[1, 0])
                ]
            except package.Error as error:
                yield str(error)


def components(package):
    """Return classes of components in plain Python, whose other methods are those of the base classes."""

    class Drift(package.Drift):
        def widen(self, board):
            for e in range(board.entries):
                if board.elapsed[e] >= 1.0:
                    board.var[e] += 4.0 + 0.1 * board.played[e] + 0.01 * board.elapsed[e]

    class Leader(package.TeamFunction):
        def weigh(self, board):
            for team in range(board.teams):
                board.offset[team] = 0.5 if board.home == team else 0.25 * board.importance
                best = max(range(board.start[team], board.start[team + 1]), key=lambda e: board.mu[e])
                board.alpha[best] *= 1.1

    class Slow(package.Absorb):
        extras = ("pace",)

        def absorb(self, board):
            for k in range(board.entries * board.traits):
                board.extra[k] += 0.25
                board.mu[k] += board.extra[k] * board.importance * board.var[k] * board.g1[k]
                board.var[k] *= 1.0 - 0.5 * (1.0 - board.kept[k])

    class BySize(package.Margin):
        def between(self, board, i, j):
            return 0.5 * sqrt(board.start[i + 1] - board.start[i] + board.start[j + 1] - board.start[j])

    class Careful(package.Prior):
        def welcome(self, board, entry):
            board.mu[entry] = 22.0 + (0.01 * board.time if board.time == board.time else 0.0)
            board.var[entry] = 64.0

    class Difference(package.Outcome):
        remembers = ("matches",)

        def evidence(self, board):
            """Compare every team with the next one; use everything that the forecast has left on the board."""
            board.memory[0] += 1.0
            board.time = board.time + 1.0
            total = board.win + board.draw - board.loss if board.teams == 2 else 0.0
            left = [board.sharpness, board.gap, board.edge, board.epsilon] if board.teams == 2 else [0.0]
            for j in range(board.teams):
                other = (j + 1) % board.teams
                variance = board.variance[j] + board.variance[other] + 2.25
                beyond = board.place[other] - board.place[j] - (board.mean[j] - board.mean[other])
                board.d1[j], board.d2[j] = beyond / variance, -1.0 / variance
                board.left[j] = (board.variance[other] + 2.25) / variance
                total += -0.5 * beyond * beyond / variance + 1e-3 * sum(left)
            board.converged = board.converged and total < 3.0
            return total

    class Silent(Difference):
        remembers = ()

        def forecast(self, board):
            board.sharpness = board.gap = board.edge = board.epsilon = 0.5
            board.win, board.draw, board.loss = 0.5, 0.25, 0.25

        def evidence(self, board):
            for j in range(board.teams):
                board.d1[j], board.d2[j], board.left[j] = 0.1 * (1 - j) - 0.01 * board.mean[j], -0.01, 0.5
            return 0.0

    class Rounded(package.outcome.Score):
        def foresee(self, board, mean, variance, mean_1, variance_1):
            board.win = 0.5 + 0.4 * (mean - mean_1) / (1.0 + abs(mean - mean_1))
            board.draw, board.loss = 0.0, 1.0 - board.win

        def seen(self, board, score, mean, variance):
            total = variance + 4.0
            board.push, board.pull, board.rest = (score - mean) / total, 1.0 / total, 4.0 / total
            return -0.5 * (score - mean) / total * (score - mean)

    class Later(Rounded):
        foresee = package.outcome.Score.foresee

    class Ratio(package.outcome.Pairwise):
        def chance(self, board, gap, variance):
            board.expected = 0.5 + 0.5 * gap / (1.0 + abs(gap))
            board.conceded = 1.0 - board.expected
            return board.expected

        def meet(self, board, gap, own, other, score):
            board.push, board.pull = 0.01 * (score - self.chance(board, gap, own + other)), -1e-5

        def likelihood(self, board, gap, own, other, score):
            return log(0.1 + 0.8 * abs(score + self.chance(board, gap, own + other) - 1.0))

        def performance(self, variance):
            return variance

    return locals()


def own_models(package):
    own, skill = components(package), package.TrueSkill()
    affine = package.team.Affine(lambda means: ([1.0 + 0.001 * mean for mean in means], 0.01 * sum(means)))
    yield "drift", skill.replace(drift=own["Drift"]())
    yield "team", skill.replace(team=own["Leader"]())
    yield "affine", skill.replace(team=affine)
    yield "absorb", skill.replace(absorb=own["Slow"]())
    yield "margin", package.TrueSkill(margin=own["BySize"]())
    yield "prior", skill.replace(prior=own["Careful"](), drift=own["Drift"]())
    yield "outcome", skill.replace(outcome=own["Difference"]())
    yield "silent", skill.replace(outcome=own["Silent"]())
    yield "score", skill.replace(outcome=package.outcome.OffenceDefence(own["Rounded"]()))
    yield "later", skill.replace(outcome=package.outcome.OffenceDefence(own["Later"]()))
    yield "pair", package.Glicko(period=None).replace(outcome=package.outcome.Duel(own["Ratio"]()))
    yield "pair of teams", package.Glicko(period=2.0).replace(outcome=own["Ratio"]())
    yield "rule", package.Elo(k=lambda played, mu: 40.0 / (1.0 + played) + 0.001 * abs(mu - 1500.0))


def own_components(package):
    rows = matches("league", 36)
    for name, model in own_models(package):
        fit = model.fit(package.History.from_matches(rows))
        yield name, fit.ladder.state[: len(fit.ladder)], fit.forecasts.mean, fit.forecasts.log_evidence, fit.unconverged
        yield fit.forecasts.win, repr(model) if name != "affine" and name != "rule" else ""
    for name, model in own_models(package):
        if part(package, "model.hindsight.support").can_look_back(model) and name not in ("silent", "later"):
            ladder = model.hindsight(package.History.from_matches(rows[:12]), tolerance=1e9).ladder
            yield name, ladder.state[: len(ladder)]
