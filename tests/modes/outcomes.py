"""Cases for outcomes, on the boards of single matches."""

from array import array
from itertools import product

import numpy as np

from tests.model.boards import lay_out

PAIRS = {
    "Logistic": lambda outcomes: outcomes.Logistic(),
    "Logistic, narrow": lambda outcomes: outcomes.Logistic(150.0),
    "Probit": lambda outcomes: outcomes.Probit(),
    "Opposition": lambda outcomes: outcomes.Opposition(),
}
MARGINS = (0.0, 1e-3, 0.5, 30.0, 3e3)
FIGHTS = [[1, 1], [2, 1], [1, 1, 1], [2, 1, 3, 1]]


def league(rng, sizes, mean, sigma):
    """Return teams of players and their places, with ties."""
    teams = [[(rng.normal(mean, 2.0 * sigma), sigma * rng.uniform(0.2, 2.0)) for _ in range(n)] for n in sizes]
    return teams, rng.permuted([1 + number * 2 // 3 for number in range(len(sizes))]).tolist()


def results(board):
    found = {name: getattr(board, name) for name in ("d1", "d2", "left", "memory", "wins", "draws", "losses")}
    return found | {name: getattr(board, name) for name in ("unconverged", "evidences", "sharpnesses", "gaps", "edges")}


def of(outcome, package, teams, places, scores=None, **options):
    """Yield everything that an outcome does with a match."""
    board = lay_out(outcome, teams, places, package=package, **options)
    if scores is not None:
        board.score[: len(teams)] = array("d", scores)
    if len(teams) == 2:
        outcome.forecast(board)
    yield outcome.evidence(board), results(board), [*board.g1], [*board.g2], [*board.kept]
    if not outcome.remembers:
        outcome.derive(board)
        yield results(board)
    yield outcome.performances(board), outcome.scatter(board)
    if len(teams) == 2:
        said = outcome.predict(board)
        yield said.win, said.draw, said.ranks


def pairwise(package):
    rng = np.random.default_rng(8)
    for sizes, pair, doubt in product([[1, 1], [3, 2], [1] * 7, [2, 1, 3]], PAIRS, (0.0, 200.0)):
        for wrap in (lambda one: one, package.outcome.Duel):
            outcome = wrap(PAIRS[pair](package.outcome))
            teams = [[(rng.normal(1500, 300), rng.uniform(0, doubt)) for _ in range(n)] for n in sizes]
            places = rng.integers(1, len(sizes) + 1, len(sizes)).tolist()
            yield from of(outcome, package, teams, places, beta=100.0, memory=(3.0, 20.0))
            yield outcome.performance(7.0)


def crowds(package):
    """Matches of so many sides that their comparisons are interpolated."""
    rng = np.random.default_rng(9)
    for pair, doubt in product(PAIRS, (0.0, 200.0)):
        outcome = package.outcome.Duel(PAIRS[pair](package.outcome))
        teams = [[(rng.normal(1500, 300), rng.uniform(0, doubt)) for _ in range(4)] for _ in range(36)]
        places = rng.integers(1, 20, 36).tolist()
        board = lay_out(outcome, teams, places, beta=100.0, memory=(3.0, 20.0), package=package)
        yield outcome.evidence(board), [*board.g1], [*board.g2], [*board.kept]


def order(package):
    rng = np.random.default_rng(10)
    margins = package.model.components.margin
    policies = [margins.Fixed(0.0), margins.Fixed(0.7), margins.FromDraws(0.2), margins.Spread(), margins.LearntDraws()]
    policies += [margins.TwoValued(3.0, 0.5), margins.Fixed(1e4), margins.Fixed(1e-9)]
    for margin, sizes, sigma in product(policies, [*FIGHTS, [1] * 6], (1e-3, 3.0)):
        outcome = package.outcome.Order(margin=margin)
        teams, places = league(rng, sizes, 25.0, sigma)
        yield from of(outcome, package, teams, places, beta=rng.choice([0.5, 4.0]), memory=(3.0, 20.0))
    outcome = package.outcome.Order(draw_probability=0.2, sweeps=1)
    yield from of(outcome, package, *league(rng, [1] * 6, 25.0, 3.0), beta=0.5)


def places(package):
    rng = np.random.default_rng(11)
    for margin, sizes, sigma in product(MARGINS, [*FIGHTS, [1] * 9], (1e-2, 5.0, 300.0)):
        outcome = package.outcome.Places(margin=margin)
        teams, where = league(rng, sizes, 25.0, sigma)
        yield from of(outcome, package, teams, where, beta=4.0)
        yield from of(outcome, package, teams, [1] * len(sizes), beta=1e-3)
    certain = [[(60.0, 1.0)], [(0.0, 1.0)]]
    yield from of(package.outcome.Places(margin=0.5), package, certain, [1, 2])
    module = package.model.components.outcome.place_forecast
    yield [module.tie_width(p) for p in (0.0, 1e-9, 0.3, 0.99)]


def places_ml(package):
    rng = np.random.default_rng(12)
    for margin, sizes, sigma in product((0.0, 0.3, 5.0, 1e9), [*FIGHTS, [1] * 12], (1e-2, 5.0)):
        outcome = package.outcome.PlacesML(margin=margin)
        yield from of(outcome, package, *league(rng, sizes, 25.0, sigma), beta=4.0)


def logit(package):
    rng = np.random.default_rng(13)
    for scale, sigma, gap in product((1.0, 6.0, 400.0), (1e-3, 3.0, 500.0), (0.0, 1.0, 100.0)):
        outcome = package.outcome.Logit(scale)
        for where in ([1, 2], [2, 1], [1, 1]):
            teams = [[(gap, sigma)], [(0.0, 2.0 * sigma), (rng.normal(), sigma)]]
            yield from of(outcome, package, teams, where, beta=0.0)
        yield outcome.performance(3.0), outcome.chance(package.Board(), gap, sigma)


SCORES = {
    "Gaussian": lambda outcomes: outcomes.GaussianScore(4.0),
    "rounded": lambda outcomes: outcomes.GaussianScore(4.0, 1.0, unscored="order"),
    "estimated": lambda outcomes: outcomes.GaussianScore("estimated"),
    "base": lambda outcomes: outcomes.GaussianScore(4.0, base_score=80.0),
    "learnt base": lambda outcomes: outcomes.GaussianScore("estimated", 0.5, unscored="order", base_score="learnt"),
    "Poisson": lambda outcomes: outcomes.PoissonScore(),
    "base rate": lambda outcomes: outcomes.PoissonScore("plug-in", 1.3, 2.5, "order"),
    "learnt rate": lambda outcomes: outcomes.PoissonScore(base_rate="learnt"),
}


def scores(package):
    rng = np.random.default_rng(14)
    for name, wrapped, teams, trial in product(SCORES, (False, True), (2, 3, 4), range(4)):
        outcome = SCORES[name](package.outcome)
        if wrapped:
            outcome = package.outcome.OffenceDefence(outcome)
        elif not outcome.whole or (teams > 2 and trial > 1):
            continue
        cells = teams * len(outcome.traits)
        board = package.Board(teams, teams, len(outcome.traits), memory=len(outcome.remembers))
        board.beta = 0.5
        outcome.prepare(board)
        board.memory[:] = array("d", ([5.0, 2.0, 11.0, 7.0] if trial else [0.0] * 4)[: len(board.memory)])
        board.mean[:cells] = array("d", rng.normal(1, 10 ** rng.uniform(-1, 2), cells))
        board.variance[:cells] = array("d", 10 ** rng.uniform(-6, 4, cells))
        board.noise[:cells] = array("d", [0.25] * cells)
        for number in range(teams):
            board.start[number + 1] = number + 1
            board.place[number] = 1 + number * 2 // 3
            board.score[number] = np.floor(10 ** rng.uniform(-1, 3))
        if trial == 3 and teams == 2 and name in ("rounded", "learnt base", "base rate"):
            board.score[0] = board.score[1] = float("nan")
        if outcome.has_base:
            outcome.add_base(board)
        if teams == 2:
            outcome.forecast(board)
        yield outcome.evidence(board), results(board)
        if outcome.memory_from == "scores":
            outcome.tally(board)
            yield board.memory
        yield outcome.performances(board), outcome.scatter(board)
        if teams == 2 or "Gaussian" in name:
            said = outcome.predict(board)
            yield said.win, said.draw


def chances(package):
    for name in ("Poisson", "base rate"):
        outcome = SCORES[name](package.outcome)
        mean, variance = np.array([0.3, 0.1, 2.0, -1.0]), np.array([0.2, 0.1, 0.0, 3.0])
        win, draw = np.empty(2), np.empty(2)
        outcome.chances(mean, variance, win, draw)
        yield win, draw, outcome.score_noise(package.Board())
        yield {name: find() for name, find in outcome.points(mean, variance).items()}
        said = outcome.distribution(package.Board(), mean, variance)
        yield said.means, said.medians
