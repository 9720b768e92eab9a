"""Cases for errors: both modes raise the same ones, with the same words."""

import numpy as np

from tests.model.engine.test_blocks import SMALL
from tests.modes.comparing import part, raised

NAN = float("nan")


def parameters(package):
    """Parameters that components reject."""
    margins, outcome = package.model.components.margin, package.outcome
    prior, drift, team, absorb = package.model.components.prior, package.drift, package.team, package.absorb
    levels = {"first": package.Normal(25, 8), "level_sigma": 1.0, "matches": 3}
    learns = prior.Newcomers(**levels)
    for make, wrong in [
        (prior.Normal, ("x", 1)),
        (prior.Normal, (1, -1)),
        (prior.Point, (NAN,)),
        (prior.Newcomers, (learns, 1.0)),
        (prior.Newcomers, (package.Normal(25, 8), 0.0)),
        (prior.Newcomers, (package.Normal(25, 8), 1.0, -1.0)),
        (prior.Newcomers, (package.Normal(25, 8), 1.0, 0.0, 2.5)),
        (drift.PerMatch, (-1,)),
        (drift.PerTime, (NAN,)),
        (drift.PerTime, (1, 0)),
        (drift.PerPeriod, (-1,)),
        (drift.Idle, (-3,)),
        (drift.Seasons, (3,)),
        (drift.Seasons, (drift.Still(), 0)),
        (drift.Seasons, (drift.Still(), 1, 3)),
        (drift.Seasons, (drift.Still(), 1, 0.5, -1)),
        (absorb.Step, (-1,)),
        (absorb.Share, (-1,)),
        (absorb.Harkness, ("x",)),
        (absorb.Volatile, (0,)),
        (absorb.Volatile, (0.06, -1)),
        (absorb.Rule().k, (1.0, 1500.0)),
        (team.Weighted, ([1.0],)),
        (team.Weighted, ((1.0, -1.0),)),
        (team.Affine, (3,)),
        (team.FullSquad, (2.5,)),
        (team.FullSquad, (0,)),
        (team.FullSquad, (6, 0.3)),
        (team.FullSquad, (6, 0.02, "all")),
        (team.LeaderBonus, (3,)),
        (team.LeaderBonus, (team.Mean(), -0.1)),
        (margins.Fixed, (-1,)),
        (margins.FromDraws, (-1,)),
        (margins.LearntDraws, (1.0,)),
        (margins.LearntDraws, (0.1, 0.5)),
        (margins.Spread, (-1,)),
        (margins.Spread, (1, "no")),
        (margins.TwoValued, (1, -1)),
        (margins.TwoValued, (1, 1, 1)),
        (margins.margin_from, (None, None)),
        (margins.margin_from, (0.1, 0.2)),
        (margins.margin_from, ("often", None, None, True)),
        (margins.margin_from, (1.0, None)),
        (margins.margin_from, ("learnt", None)),
        (outcome.Order, (0.1, None, 0.0)),
        (outcome.Order, (0.1, None, 1e-9, 0)),
        (outcome.Logistic, (0,)),
        (outcome.Opposition, (0,)),
        (outcome.Logit, (-1,)),
        (outcome.Duel, (outcome.Logit(),)),
        (outcome.OffenceDefence, (3,)),
        (outcome.GaussianScore, ("guessed",)),
        (outcome.GaussianScore, (0,)),
        (outcome.GaussianScore, (1, -1)),
        (outcome.GaussianScore, (1, 1, "none")),
        (outcome.GaussianScore, (1, 1, "order", "guessed")),
        (outcome.GaussianScore, (1, 1, "order", NAN)),
        (outcome.PoissonScore, ("guessed",)),
        (outcome.PoissonScore, ("plug-in", 0)),
        (outcome.PoissonScore, ("plug-in", 1, "guessed")),
        (outcome.PoissonScore, ("plug-in", 1, 0)),
        (outcome.PoissonScore, ("plug-in", 1, 1, "none")),
    ]:
        yield raised(make, *wrong)


def missing(package):
    """Methods that a component must have."""
    board = package.Board(2, 2)
    outcome, interfaces = package.Outcome(), part(package, "model.components.interfaces")
    comparison = part(package, "model.components.outcome.comparison").Comparison()
    score = interfaces.Score()
    for call, arguments in [
        (package.Prior().welcome, (board, 0)),
        (package.TeamFunction().weigh, (board,)),
        (package.TeamFunction().sums, (np.ones(1), np.zeros(1, int))),
        (package.Absorb().absorb, (board,)),
        (outcome.evidence, (board,)),
        (outcome.chances, (None, None, None, None)),
        (score.seen, (board, 1.0, 0.0, 1.0)),
        (score.seen_order, (board, 1, 0.0, 1.0, 0.0, 1.0)),
        (score.chances, (None, None, None, None)),
        (score.distribution, (board, None, None)),
        (comparison.chance, (board, 1.0, 1.0)),
        (comparison.meet, (board, 1.0, 1.0, 1.0, 1.0)),
        (comparison.likelihood, (board, 1.0, 1.0, 1.0, 1.0)),
        (comparison.performance, (1.0,)),
        (part(package, "model.engine.board").positive, (0.0,)),
    ]:
        yield raised(call, *arguments)
    yield outcome.tally(board), outcome.mix_draws(board), outcome.add_base(board), outcome.performance(2.0)
    yield score.base_level(board), score.rounding_margin(), score.score_noise(board), comparison.stretch(0.0, 1.0)
    yield [find() for find in score.points(3.0, 1.0).values()], score.remember(board), score.habits
    yield package.Margin().between(board, 0, 1), repr(package.Margin()), repr(outcome), repr(package.Prior())
    yield repr(package.Drift()), repr(package.TeamFunction()), repr(package.Absorb()), repr(package.absorb.Rule())
    yield package.drift.PerPeriod(30.0).capped, package.drift.PerPeriod(30.0, float("inf")).capped
    yield repr(package.absorb.Fide()), package.team.FullSquad().looks, package.team.FullSquad(size=1).tunable
    teams = package.team.Sum(), package.team.Mean(), package.team.FullSquad()
    yield [team.sums(np.array([1.0, 0.5, 1.0]), np.array([0, 2])) for team in teams]
    seasons = package.drift.Seasons(package.drift.PerTime(0.1))
    yield (
        repr(seasons.inner),
        seasons.by_time,
        [margin().follows_means for margin in (package.Margin, package.outcome.Spread)],
    )


def play(package, model, *matches):
    """Rate matches in one fit, and one by one, and return the errors and the ratings after the earlier matches."""
    ladder = package.Ladder(model)
    for match in matches[:-1]:
        ladder.record(**match)
    yield raised(ladder.record, **matches[-1])
    yield ladder.state[: len(ladder)], ladder.memory
    yield raised(model.fit, package.History.from_matches(matches * 20))


DUEL = {"teams": [["ann"], ["bob"]], "scores": [2, 1]}
THREE = {"teams": [["ann"], ["bob"], ["cat"]], "scores": [2, 1, 0]}
PAIR = {"teams": [["ann", "bob"], ["cat", "dan"]], "scores": [2, 1]}


def ratings_of(played, mu):
    raise ValueError(f"{played} matches")


def matches(package):
    """Matches that models reject, one by one and in blocks."""
    outcome, team, skill = package.outcome, package.team, package.TrueSkill()
    unscored = {"teams": [["ann"], ["bob"]], "ranks": [1, 2]}
    certain = package.Model(
        prior=package.Normal(25, 0), noise=0.0, drift=package.drift.Still(), outcome=outcome.Order(0.1)
    )
    yield from play(package, certain, DUEL)
    yield from play(package, package.TrueSkill().replace(team=team.Weighted((1.0,))), DUEL, PAIR)
    yield from play(package, skill.replace(team=team.Affine(len)), DUEL)
    yield from play(package, skill.replace(team=team.Affine(lambda means: ([1.0], 0.0))), DUEL, PAIR)
    yield from play(package, skill.replace(team=team.Affine(lambda means: ([NAN] * len(means), 0.0))), DUEL)
    yield from play(package, skill.replace(team=team.FullSquad(1), mu=-3), DUEL, PAIR)
    yield from play(package, skill.replace(outcome=outcome.Logit(6.0)), DUEL, THREE)
    yield from play(package, package.GaussianOD(), DUEL, unscored)
    yield from play(package, package.GaussianSD(), DUEL, unscored)
    yield from play(
        package, package.Model(prior=package.Normal(0, 1), noise=0.0, outcome=outcome.GaussianScore("estimated")), DUEL
    )
    yield from play(package, package.PoissonOD(**SMALL), DUEL, DUEL | {"scores": [1, -1]})
    yield from play(package, package.PoissonOD(**SMALL), DUEL, DUEL | {"scores": [1.5, 1]})
    orders = package.PoissonOD(**SMALL, unscored="order")
    yield from play(package, orders, DUEL, {"teams": THREE["teams"], "ranks": [1, 2, 3]})
    yield from play(package, package.Elo(k=ratings_of), DUEL)
    yield from play(package, package.Elo(k=lambda played, mu: -played - 1), DUEL)
    yield from play(package, package.Elo(k=ratings_of).replace(period=2.0), DUEL | {"time": 1.0})
    unstable = package.Elo().replace(absorb=package.absorb.Step(1e30), outcome=outcome.Opposition())
    yield raised(unstable.rate, unstable.rate([[package.Rating(1500)], [package.Rating(0)]]))
    for teams in (
        [[package.Rating(25, 8)]],
        [["ann"]],
        [[], ["ann"]],
        [["ann"], "bob"],
        "ann",
        [[package.Rating(25, 8)], [3]],
    ):
        yield raised(skill.rate, teams)
        yield raised(package.Ladder(skill).predict, teams)
