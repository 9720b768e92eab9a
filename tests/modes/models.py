"""Cases for whole models: fits in blocks, ladders match by match, and hindsights."""

import warnings
from functools import cache
from unittest.mock import patch

import numpy as np

from tests.model.engine.test_blocks import MODELS, SMALL, facets, league, matches, rate, usual_league
from tests.modes.comparing import part


def numbers_of(rating):
    """Return all numbers of a rating."""
    parts = {name: numbers_of(value) if hasattr(value, "mu") else value for name, value in rating.parts.items()}
    return [rating.mu, rating.sigma, rating.shown, parts]


def of_teams(teams):
    return [[numbers_of(rating) for rating in team] for team in teams]


def of_prediction(said):
    return said.win, said.draw, said.mean, said.sigma, said.ranks


def of_ladder(ladder):
    return ladder.state[: len(ladder)], ladder.memory, [rows.state[: len(rows)] for rows in ladder.facets]


@cache
def fit(name):
    """A fit of a league with times, weights, home teams, and matches of importance 0."""

    def case(package):
        yield rate(MODELS[name], package.History.from_matches(matches(usual_league(name), 36)), package=package)

    return case


@cache
def ladder(name):
    """Matches one by one, and everything that a ladder can do."""

    def case(package):
        model = MODELS[name](package)
        ours = package.Ladder(model, {"p3": model.rating(), "p4": model.rating()})
        for match in matches(usual_league(name), 14):
            yield of_teams(ours.record(**match))
        duel = [["p3"], ["p4", model.rating()]]
        yield of_prediction(ours.predict(duel, home=1)), ours.quality(duel)
        yield of_prediction(ours.predict(duel, time=1e3, weights=[[1.0], [0.5, 1.0]]))
        yield ours.settled, of_ladder(ours), [numbers_of(ours[player]) for player in ours]
        ours.new_season(0.7)
        yield of_ladder(ours)
        yield of_teams(model.rate([[ours["p3"]], [ours["p4"]]], scores=[2, 2], elapsed=3.0))
        yield of_teams(model.rate([[ours["p3"]], [ours["p4"]]], scores=[2, 1], importance=0.0))

    return case


def predictions(package):
    """Predictions of three and four teams."""
    for name in ("TrueSkill", "TS2", "Glicko", "GaussianOD", "GaussianSD", "PoissonOD"):
        model = getattr(package, name)()
        start = model.rating()
        teams = [[model.rating(mu=start.mu * factor)] for factor in (0.8, 1.0, 1.3)]
        yield of_prediction(model.predict(teams))
    yield of_prediction(package.TrueSkill().predict([[package.Rating(25, 8)]] * 4))


def periods(package):
    """Matches without times end the rating periods that an earlier history has left open."""
    timeless = [{key: value for key, value in match.items() if key != "time"} for match in matches("league", 36)]
    for make in (package.Glicko, package.Glicko2):
        first = make(period=2.0).fit(package.History.from_matches(matches("league", 36)))
        yield of_ladder(first.ladder)
        yield of_ladder(first.model.fit(package.History.from_matches(timeless), start=first.ladder).ladder)


def shared(package):
    """Effects that drift with time, and those of the many players of large matches."""
    skill = package.TrueSkill().replace(drift=package.drift.PerTime(0.3))
    large = league(36, 60, [(5, 4, 6), (9, 10)], facets=True)
    for rows, names in ((matches("facets", 36), ("side", "role", "rest")), (large, ("role", "surface", "slope"))):
        history = package.History.from_matches(rows)
        yield rate(lambda pw, names=names: skill.replace(facets=facets(pw, *names)), history, package=package)


def messages(hindsight):
    """Return the state of a hindsight: everything that its matches say about everybody."""
    chains = hindsight._smoother.chains.all
    cells = [np.array(cells) for chain in chains for cells in (chain.sites, chain.messages)]
    return hindsight.sweeps, hindsight.moved, hindsight.visits, cells


def look_back(model, history, sweeps=2, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # after so few sweeps, beliefs still move
        return model.hindsight(history, sweeps=sweeps, **options)


@cache
def hindsight(name):
    def case(package):
        found = look_back(MODELS[name](package), package.History.from_matches(matches(usual_league(name), 30)))
        yield messages(found)
        yield found.left_out.mean, found.left_out.variance, found.left_out.log_evidence, found.left_out.win
        yield of_ladder(found.standing_at(1.5))

    return case


LIMITED = {
    "limited": lambda pw: pw.TrueSkill().replace(drift=pw.drift.PerTime(0.4, cap=8.0)),
    "home and side": lambda pw: pw.TrueSkill().replace(home=pw.Home(1.0, 0.5), facets=facets(pw, "side", "surface")),
    "scores": lambda pw: pw.PoissonOD(**SMALL).replace(drift=pw.drift.PerTime(0.01), facets=facets(pw, "slope")),
    "own": lambda pw: pw.TrueSkill(margin=pw.outcome.Spread()).replace(drift=pw.drift.PerTime(0.3)),
}


def revisions(package):
    """Changes of a hindsight, which visit few matches again, and breaks between seasons."""
    rows = [match for match in matches("two teams", 60) if "rest" in match["context"]][:40]
    history, more = package.History.from_matches(rows[:36]), package.History.from_matches(rows[36:])
    breaks = part(package, "model.engine.breaks").Breaks(
        [rows[9]["time"], 3.0, 70.0], [0.5, 0.8, 1.0], [1.0, 0.0, 2.0], [25.0, 25.0]
    )
    yield breaks.between([0.0, 2.0, 80.0, float("nan")], [9.0, 90.0, 90.0, 2.0])
    again, arguments = breaks.__reduce__()
    yield again.__name__, arguments
    fit_league = part(package, "model.hindsight.hindsight").fit_league
    for make in LIMITED.values():
        model = make(package)
        with patch.object(part(package, "model.hindsight.revision"), "FEW", 5):
            found = look_back(model, history, tolerance=0.3).add(more, tolerance=0.1)
            yield messages(found)
            yield messages(found.remove(7, tolerance=0.1).replace(3, rows[0], tolerance=0.1))
        with patch.object(part(package, "model.hindsight.hindsight"), "TOLERANCE", 0.3):
            yield messages(fit_league(model, history, breaks))
        yield messages(found.with_model(model.replace(sigma=3.0)))


def refits(package):
    """Fits that look back after every few days."""
    history = package.History.from_matches(matches("two teams", 30))
    for make in LIMITED.values():
        with patch.object(part(package, "model.hindsight.refit"), "MOST_SWEEPS", 1):
            found = make(package).fit(history, refit=5.0, window=30.0)
        yield of_ladder(found.ladder), found.forecasts.mean, found.forecasts.log_evidence
