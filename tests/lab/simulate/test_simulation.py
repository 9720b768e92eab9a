"""Simulated leagues agree with the models' own forecasts and with the requested options.

Frequencies must lie within four standard errors. Over all comparisons in this file, the chance of a false alarm is
below one percent, and seeds are fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

import prowess as pw
from prowess.lab import (
    Calendar,
    Even,
    Field,
    Lognormal,
    Played,
    Questions,
    Roster,
    Rounds,
    Zipf,
    play,
    quiz_league,
    simulate,
)
from prowess.lab.simulate.calendar import Timeline
from prowess.lab.simulate.lineup import Lineup, fill_seats
from prowess.lab.simulate.skills import drift_steps
from prowess.lab.simulate.team_strength import make_field
from prowess.model.engine.rate import build_board
from prowess.model.match_input import check_details

MATCHES = 20_000
SIGMAS = 4.0


def within(found, expected, count, deviation=None):
    """Check that a mean of `count` draws is near its expectation; without `deviation`, the mean is a share."""
    expected = np.asarray(expected)
    spread = np.sqrt(expected * (1.0 - expected)) if deviation is None else np.asarray(deviation)
    np.testing.assert_array_less(np.abs(found - expected), SIGMAS * spread / np.sqrt(count) + 1e-9)


def rating(model, skill):
    """Return a rating without uncertainty."""
    if model.pipeline.traits == 1:
        return model.rating(mu=skill[0], sigma=0.0)
    offence, defence = (pw.Rating(one, 0.0) for one in skill)
    return model.rating(offence=offence, defence=defence)


def by_player(league, column):
    """Reshape a column over single-player teams to matches × players."""
    found = np.empty((len(league.history), len(league.history.players)))
    number = np.array([int(name[1:]) - 1 for name in league.history.players])
    found[np.repeat(np.arange(len(found)), found.shape[1]), number[league.history.player]] = column
    return found


PLACED = {  # the model, the skills of three players, and the option `draws`
    "Order": (pw.TrueSkill(tau=0, draw_probability=0.2), [27.0, 24.0, 25.0], 0.0),
    "Order, no draws": (pw.TrueSkill(tau=0, draw_probability=0), [27.0, 24.0, 25.0], 0.0),
    "Places": (pw.TS2a(margin=150.0), [3000.0, 3300.0, 2900.0], 0.0),
    "Places, no ties": (pw.TS2a(margin=0.0), [3000.0, 3300.0, 2900.0], 0.0),
    "Places, ties from draws": (pw.TrueSkill().replace(outcome=pw.outcome.Places(0.3), tau=0), [27.0, 24.0, 25.0], 0.0),
    "PlacesML": (pw.TS3(margin=200.0, discount=0.0), [3000.0, 3300.0, 2900.0], 0.0),
    "Spread": (pw.TS2a(), [3000.0, 3300.0, 2900.0], 0.0),
    "Elo": (pw.Elo(), [1500.0, 1600.0, 1450.0], 0.0),
    "Elo with draws": (pw.Elo(), [1500.0, 1600.0, 1450.0], 0.6),
    "Glicko": (pw.Glicko(c=0), [1500.0, 1600.0, 1450.0], 0.3),
    "Gaussian Elo": (pw.GaussianElo(), [1500.0, 1600.0, 1450.0], 0.3),
    "Logistic": (pw.Elo().replace(outcome=pw.outcome.Logistic(), beta=100), [1500.0, 1600.0, 1450.0], 0.0),
    "Harkness": (pw.Harkness(), [1500.0, 1600.0, 1450.0], 0.0),
    "GaussianSD": (pw.GaussianSD(gamma=5.0), [27.0, 24.0, 25.0], 0.0),
    "GaussianSD, estimated": (pw.GaussianSD(), [27.0, 24.0, 25.0], 0.0),
    "GaussianOD": (pw.GaussianOD(gamma=3.0), [[27.0, 24.0], [24.0, 25.0], [25.0, 26.0]], 0.0),
    "PoissonOD, more draws": (
        pw.PoissonOD(sigma=1, beta=0.2).replace(draw_factor=1.5),
        [[0.5, 0.1], [0.4, -0.3], [0.2, 0.2]],
        0.0,
    ),
    "PoissonOD, fewer draws": (
        pw.PoissonOD(sigma=1, beta=0.2).replace(draw_factor=0.6),
        [[0.5, 0.1], [0.4, -0.3], [0.2, 0.2]],
        0.0,
    ),
    "PoissonOD": (pw.PoissonOD(sigma=1, beta=0.2), [[0.5, 0.1], [0.4, -0.3], [0.2, 0.2]], 0.0),
}


@pytest.mark.parametrize("teams", [2, 3])
@pytest.mark.parametrize("family", PLACED)
def test_simulated_results_occur_as_often_as_forecast(family, teams):
    """The test compares how often each player is first alone, and how often first place is shared."""
    model, skills, draws = PLACED[family]
    truth = np.array(skills, float).reshape(3, -1)[:teams]
    league = simulate(model, MATCHES, teams, teams=teams, skills=truth, draws=draws, seed=teams)
    place = by_player(league, league.history.place)
    ratings = [[rating(model, skill)] for skill in truth]
    expected = model.predict_from([draws, 0.0] if draws else [], ratings, None)
    alone = (place == 1) & ((place == 1).sum(axis=1, keepdims=True) == 1)
    if teams == 3 and family.startswith("PoissonOD"):  # its prediction is sampled, too
        assert alone.mean(axis=0) == pytest.approx(expected.win, abs=0.02)
        return
    within(alone.mean(axis=0), expected.win, MATCHES)
    within(((place == 1).sum(axis=1) > 1).mean(), expected.draw, MATCHES)
    if family.startswith("Places") and teams == 3:
        ranks = np.stack([(place == rank).mean(axis=0) for rank in (1, 2, 3)], axis=1)
        within(ranks, expected.ranks, MATCHES)


@pytest.mark.parametrize("family", ["GaussianOD", "PoissonOD", "GaussianSD"])
def test_simulated_scores_are_distributed_as_forecast(family):
    model, skills, _ = PLACED[family]
    truth = np.array(skills, float).reshape(3, -1)[:2]
    league = simulate(model, MATCHES, 2, skills=truth, seed=7)
    expected = model.predict([[rating(model, skill)] for skill in truth])
    score = by_player(league, league.history.score)
    if family == "GaussianSD":
        difference = score[:, 0] - score[:, 1]
        for q in (0.1, 0.5, 0.8):
            within((difference < expected.score_difference.quantile(q)).mean(), q, MATCHES)
        return
    for team in (0, 1):
        for q in (0.1, 0.5, 0.8):
            limit = expected.score_distribution.quantile(team, q)
            within((score[:, team] <= limit).mean(), expected.score_distribution.cdf(team, limit), MATCHES)


def test_simulated_scores_stay_finite_at_huge_rates():
    league = simulate(pw.PoissonOD(sigma=200.0), 200, 20)
    assert np.isfinite(league.history.score).all()
    assert league.history.score.max() <= 1e30
    assert (league.history.score == np.floor(league.history.score)).all()


def test_simulated_places_follow_the_performances():
    """No team is placed ahead of a better performance, and neighbours tie exactly if they are within the margin."""
    model = pw.TrueSkill(margin=3.0)
    league = simulate(model, 300, 40, teams=(2, 9), size=(1, 3), seed=3)
    for match in range(len(league.history)):
        teams = slice(*league.history.match_start[match : match + 2])
        shown, place = league.performance[teams, 0], league.history.place[teams]
        order = np.argsort(-shown)
        gaps, same = -np.diff(shown[order]), np.diff(place[order]) == 0
        assert (np.diff(place[order]) >= 0).all()
        np.testing.assert_array_equal(gaps <= 3.0, same)


def test_simulation_uses_the_draw_margin_of_the_forecast():
    """A `TwoValued` margin depends on the places, which are not known yet, so its margin for ties is used."""
    margin = pw.outcome.TwoValued(tied=5.0, untied=0.1)
    one = simulate(pw.TrueSkill(margin=margin), 200, 30, teams=5, seed=2)
    other = simulate(pw.TrueSkill(margin=5.0), 200, 30, teams=5, seed=2)
    np.testing.assert_array_equal(one.history.place, other.history.place)


def test_simulated_results_with_home_advantage_occur_as_often_as_forecast():
    model = pw.TrueSkill(tau=0, draw_probability=0.1).replace(home_mu=3.0)
    league = simulate(model, MATCHES, 2, skills=[25.0, 26.0], seed=4, home=0.5)
    host = league.history.home == 0
    within(host.mean(), 0.5, MATCHES)
    place = by_player(league, league.history.place)
    first = np.array([name == "p1" for name in league.history.players])[league.history.player[::2]]
    for mask, home in ((host & first, 0), (host & ~first, 1), (~host, None)):
        expected = model.predict([[pw.Rating(25, 0)], [pw.Rating(26, 0)]], home=home)
        within((place[mask, 0] < place[mask, 1]).mean(), expected.win[0], mask.sum())


def test_simulated_home_advantage_drifts_as_the_model_says():
    model = pw.TrueSkill(tau=0).replace(home_mu=2.0, home_sigma=1.0, home_tau=0.1)
    leagues = [simulate(model, 400, 20, seed=seed) for seed in range(200)]
    first, last = (np.array([league.home[at, 0] for league in leagues]) for at in (0, -1))
    within(last.mean(), 2.0, 200, deviation=np.sqrt(1.0 + 400 * 0.01))
    within(((last - first) ** 2).mean(), 399 * 0.01, 200, deviation=np.sqrt(2) * 399 * 0.01)
    fits = [model.fit(league.history).home for league in leagues[:40]]
    errors = [(fit.mu - truth) / fit.sigma for fit, truth in zip(fits, last, strict=False)]
    within(np.mean(np.square(errors)), 1.0, 40, deviation=np.sqrt(2))


class LearnNothing(pw.Absorb):
    """An update that learns nothing, so that a fit shows the effect of drift alone."""

    periods = True

    def absorb(self, board):
        pass


DRIFTS = {
    "match": pw.drift.PerMatch(0.7),
    "time": pw.drift.PerTime(0.3),
    "period": pw.drift.PerPeriod(1.2, cap=float("inf")),
    "still": pw.drift.Still(),
}
CALENDARS = {
    "none": None,
    "numbers": Calendar(3.5, every=0.7, matches=3),
    "dates": Calendar("2025-08-01", every=3, matches=4, season=20, rest=60),
    "hours": Calendar("2025-08-01T12:00:00", every=0.25, matches=2),
}


@pytest.mark.parametrize("period", [None, 5.0])
@pytest.mark.parametrize("calendar", CALENDARS)
@pytest.mark.parametrize("drift", DRIFTS)
def test_simulated_skill_variance_agrees_with_the_variance_in_the_fit(drift, calendar, period):
    """If the model learns nothing, its forecasts have exactly the variances of the simulated skills."""
    model = pw.TrueSkill().replace(drift=DRIFTS[drift], absorb=LearnNothing(), period=period)
    league = simulate(model, 120, 9, calendar=CALENDARS[calendar], attendance=Zipf(0.7), seed=5)
    history = league.history
    lineup = Lineup(history.match_start, history.team_start, history.player.astype(np.int64))
    times = None if CALENDARS[calendar] is None else CALENDARS[calendar].times(len(history))
    _, leaps = drift_steps(model, Timeline(model, lineup, times), np.zeros((history.entries, 1)))
    moved = np.zeros(history.entries)
    for player in range(len(history.players)):
        mine = history.player == player
        moved[mine] = np.cumsum(leaps[mine, 0])
    variance = model.fit(history).forecasts.variance
    np.testing.assert_allclose(variance, variance[0] + moved, rtol=1e-12)


@pytest.mark.parametrize("drift", ["match", "time"])
def test_variance_of_simulated_skills_grows_by_the_drift(drift):
    """The variance of a skill's change grows with the number of matches or days."""
    model = pw.TrueSkill().replace(drift=DRIFTS[drift])
    league = simulate(model, 2000 * 10, 4000, calendar=Calendar("2025-01-01", every=5, matches=2000), seed=6)
    skill = league.skill_then[np.argsort(league.history.player, kind="stable"), 0].reshape(4000, 10)
    for rounds in (1, 4, 9):
        expected = rounds * (0.7**2 if drift == "match" else 5 * 0.3**2)
        within(((skill[:, rounds] - skill[:, 0]) ** 2).mean(), expected, 4000, deviation=np.sqrt(2) * expected)
    within(skill[:, 0].var(), 625 / 9, 4000, deviation=np.sqrt(2) * 625 / 9)


def test_simulated_skills_move_by_their_volatility_once_per_period():
    """In Glicko-2, all skills move by volatility · 173.7 between periods, and do not move within a period."""
    model = pw.Glicko2(volatility=0.1, period=10.0)
    league = simulate(model, 3 * 1000, 2000, calendar=Calendar(0, every=7.0, matches=1000), seed=8)  # days 0, 7 and 14
    skill = league.skill_then[np.argsort(league.history.player, kind="stable"), 0].reshape(2000, 3)
    np.testing.assert_array_equal(skill[:, 0], skill[:, 1])
    expected = (0.1 * 400 / np.log(10)) ** 2
    within(((skill[:, 2] - skill[:, 1]) ** 2).mean(), expected, 2000, deviation=np.sqrt(2) * expected)
    far = simulate(model, 2 * 1000, 2000, calendar=Calendar(0, every=40.0, matches=1000), seed=8)
    skill = far.skill_then[np.argsort(far.history.player, kind="stable"), 0].reshape(2000, 2)
    within(((skill[:, 1] - skill[:, 0]) ** 2).mean(), 4 * expected, 2000, deviation=4 * np.sqrt(2) * expected)


@dataclass(frozen=True)
class PullToMean(pw.Drift):
    """A drift with a moving mean: before every match, a skill loses half of its distance from the mean."""

    def widen(self, board):
        for e in range(board.entries):
            board.mu[e] = 25.0 + 0.5 * (board.mu[e] - 25.0)
            board.var[e] = 0.25 * board.var[e] + 3.0


def test_simulated_skills_follow_a_drift_that_moves_their_mean():
    """The variance converges to 3/(1 − 1/4) = 4, and consecutive skills have a correlation of ½."""
    league = simulate(pw.TrueSkill().replace(drift=PullToMean()), 250 * 12, 500, seed=9)
    skill = league.skill_then[np.argsort(league.history.player, kind="stable"), 0].reshape(500, 12)
    within((skill[:, 11] - 25.0).mean(), 0.0, 500, deviation=2.0)
    within(skill[:, 11].var(), 4.0, 500, deviation=np.sqrt(2) * 4.0)
    assert np.corrcoef(skill[:, 11], skill[:, 10])[0, 1] == pytest.approx(0.5, abs=SIGMAS * 0.75 / np.sqrt(500))


def test_carry_over_between_seasons_moves_simulated_skills():
    """Between seasons, a skill becomes m + carry (s − m) + N(0, season_tau²)."""
    drift = pw.drift.Seasons(pw.drift.Still(), gap=30, carry=0.8, season_tau=1.5)
    calendar = Calendar("2025-08-01", every=7, matches=1000, season=2, rest=80)
    league = simulate(pw.TrueSkill().replace(drift=drift), 4000, 2000, calendar=calendar, seed=4)
    skill = league.skill_then[np.argsort(league.history.player, kind="stable"), 0].reshape(2000, 4) - 25.0
    np.testing.assert_array_equal(skill[:, 0], skill[:, 1])
    np.testing.assert_array_equal(skill[:, 2], skill[:, 3])
    moved = skill[:, 2] - 0.8 * skill[:, 1]
    within(moved.mean(), 0.0, 2000, deviation=1.5)
    within((moved**2).mean(), 1.5**2, 2000, deviation=np.sqrt(2) * 1.5**2)


def test_all_newcomers_in_a_simulation_start_around_one_randomly_drawn_level():
    prior = pw.Newcomers(pw.Normal(25, 2), level_sigma=5)
    skills = [simulate(pw.TrueSkill(tau=0).replace(prior=prior), 100, 200, seed=seed).skill for seed in range(100)]
    levels = np.array([skill.mean() for skill in skills])
    within(((levels - 25.0) ** 2).mean(), 25.0, 100, deviation=np.sqrt(2) * 25.0)
    within(np.mean([skill.var(ddof=1) for skill in skills]), 4.0, 100, deviation=np.sqrt(2 / 200) * 4.0)


@dataclass(frozen=True)
class DoubleCaptain(pw.TeamFunction):
    """A custom team function: the first listed player counts double."""

    def weigh(self, board):
        for team in range(board.teams):
            for k in range(board.traits):
                board.alpha[board.start[team] * board.traits + k] *= 2.0


TEAMS = {
    "sum": pw.team.Sum(),
    "mean": pw.team.Mean(),
    "squad": pw.team.FullSquad(3, 0.1),
    "leader": pw.team.LeaderBonus(pw.team.FullSquad(2, 0.1, "mean"), 0.3),
    "weighted": pw.team.Weighted((1.0, 0.5, 0.2, 0.1)),
    "affine": pw.team.Affine(lambda means: ([2 * mu for mu in means], -sum(mu * mu for mu in means))),
    "custom": DoubleCaptain(),
}


@pytest.mark.parametrize("outcome", ["order", "scores"])
@pytest.mark.parametrize("team", TEAMS)
def test_matches_simulated_in_a_batch_have_the_same_performances_as_single_matches(team, outcome):
    """The means and variances of the performances are equal to the last bit."""
    model = (pw.TrueSkill() if outcome == "order" else pw.PoissonOD(3, 0.5, 0.2)).replace(team=TEAMS[team])
    league = simulate(model, 40, 30, teams=(2, 4), size=(1, 4), seed=10)
    history, traits = league.history, model.pipeline.traits
    lineup = Lineup(history.match_start, history.team_start, history.player.astype(np.int64))
    field = make_field(model, lineup, league.skill_then, np.zeros((40, traits)), 0.0, None)
    for match in range(len(history)):
        first, last = history.match_start[match : match + 2]
        teams = [
            [rating(model, skill) for skill in league.skill_then[slice(*history.team_start[j : j + 2])]]
            for j in range(first, last)
        ]
        board = build_board(model.pipeline, teams, check_details(teams, None, None, None))
        model.pipeline.pool_teams(board)
        cells = (last - first) * traits
        np.testing.assert_array_equal(field.mean[first:last].ravel(), board.mean[:cells])
        np.testing.assert_array_equal(field.variance[first:last].ravel(), board.noise[:cells])


def test_error_of_a_team_function_names_the_match():
    model = pw.TrueSkill().replace(team=pw.team.Weighted((1.0, 0.5)))
    with pytest.raises(pw.Error, match=r"match 7 of 10: team 1 has 3 players"):
        simulate(model, 10, 30, size=[1, 2, 1, 2, 1, 2, 3, 1, 3, 2])


def test_same_seed_simulates_the_same_league():
    options = {"teams": (2, 4), "size": 2, "attendance": Zipf(1.0), "calendar": Calendar()}
    one, same, other = (simulate(pw.TrueSkill(tau=0), 100, 40, seed=seed, **options) for seed in (1, 1, 2))
    assert one.history == same.history != other.history
    np.testing.assert_array_equal(one.skill_then, same.skill_then)
    np.testing.assert_array_equal(one.performance, same.performance)
    even = simulate(pw.TrueSkill(tau=0), 500, 40, seed=1)  # attendance does not change the skills
    skill = dict(zip(even.history.players, even.skill[:, 0], strict=True))
    assert [skill[name] for name in one.history.players] == one.skill[:, 0].tolist()


def test_true_skills_are_in_the_order_of_the_players_in_the_history():
    truth = np.arange(50.0)
    league = simulate(pw.TrueSkill(tau=0), 60, 50, skills=truth, attendance=Zipf(1.5), seed=3)
    assert len(league.history.players) < 50
    expected = [truth[int(name[1:]) - 1] for name in league.history.players]
    np.testing.assert_array_equal(league.skill[:, 0], expected)
    np.testing.assert_array_equal(league.skill_then, league.skill[league.history.player])
    assert league.truth()["player"].to_list() == list(league.history.players)
    np.testing.assert_array_equal(league.truth()["skill"], expected)
    frame = league.to_frame()
    np.testing.assert_array_equal(frame["skill"], [truth[int(name[1:]) - 1] for name in frame["player"]])
    moved = simulate(pw.TrueSkill(), 60, 10, seed=3)
    last = {player: entry for entry, player in enumerate(moved.history.player.tolist())}
    np.testing.assert_array_equal(moved.skill, moved.skill_then[[last[player] for player in range(10)]])


def test_players_of_a_simulated_match_are_drawn_without_replacement():
    """Two of three players are drawn one after another with weights 3 : 2 : 1."""
    weights, count = np.array([3.0, 2.0, 1.0]), 30_000
    seat = np.full(2 * count, -1)
    fill_seats(np.random.default_rng(1), seat, np.repeat(np.arange(count), 2), weights)
    missing = 3 - seat.reshape(-1, 2).sum(axis=1)
    out = [2 / 6 * 1 / 4 + 1 / 6 * 2 / 5, 3 / 6 * 1 / 3 + 1 / 6 * 3 / 5, 3 / 6 * 2 / 3 + 2 / 6 * 3 / 4]
    within([(missing == player).mean() for player in range(3)], out, count)


@pytest.mark.parametrize("attendance", [Zipf(1.2), Lognormal(1.5), Lognormal(2.0, everyone=True)])
def test_skewed_attendance_gives_few_players_many_matches(attendance):
    league = simulate(pw.TrueSkill(), 5000, 1000, attendance=attendance, seed=2)
    played = np.sort(league.truth()["matches"].to_numpy())[::-1]
    assert played[:100].sum() > 0.45 * played.sum()
    assert np.median(played) < 0.5 * played.mean()
    assert (len(played) == 1000) == attendance.everyone
    even = simulate(pw.TrueSkill(), 5000, 1000, attendance=Even(), seed=2).truth()["matches"].to_numpy()
    within(np.mean((even - 10.0) ** 2), 10.0, 1000, deviation=np.sqrt(2) * 10.0)


@pytest.mark.parametrize("near", [None, 1.0])
@pytest.mark.parametrize("teams", [3, (2, 5)])
def test_every_player_plays_once_in_each_simulated_round(teams, near):
    """A round ends when fewer players remain than the next match needs."""
    league = simulate(pw.TrueSkill(), 400, 61, teams=teams, attendance=Rounds(near), seed=2)
    seen: set[int] = set()
    for first, last in pairwise(league.history.match_start):  # all teams are single players
        players = set(league.history.player[first:last].tolist())
        if len(seen) + len(players) > 61:
            assert len(seen) > 61 - 5
            seen = set()
        assert not seen & players
        seen |= players


def test_near_option_of_rounds_pairs_opponents_of_similar_skill():
    gap = {}
    for near in (None, 3.0, 0.5):
        skill = simulate(pw.TrueSkill(tau=0), 2000, 100, attendance=Rounds(near), seed=3).skill_then[:, 0]
        gap[near] = np.abs(skill[::2] - skill[1::2]).mean()
    assert gap[0.5] < 0.15 * gap[None] < 0.7 * gap[3.0] < 0.5 * gap[None]


def test_simulated_team_sizes_follow_the_given_probabilities():
    roster = Roster(understaffing=0.2, switching=0.1, substitutes=0.05)
    league = simulate(pw.TS2b(margin=100.0), 300, 1200, teams=20, size=6, roster=roster, seed=4)
    sizes = np.diff(league.history.team_start)
    within(sizes.mean(), 6 * 0.8 + 0.05, 6000, deviation=np.sqrt(6 * 0.16 + 0.05 * 0.95))
    within((sizes == 7).mean(), 0.05 * 0.8**6, 6000)
    within((sizes == 6).mean(), 0.95 * 0.8**6 + 0.05 * 6 * 0.8**5 * 0.2, 6000)
    assert sizes.min() >= 1


def test_guest_players_come_from_another_squad():
    """Without switching, the same six always play together; with switching, guests rarely meet their own squad."""
    for switching in (0.0, 0.25):
        league = simulate(pw.TSb(), 200, 240, teams=8, size=6, roster=Roster(switching=switching), seed=5)
        teams = league.history.player.reshape(-1, 6)
        together = np.zeros((240, 240), int)
        np.add.at(together, (teams[:, :, None], teams[:, None, :]), 1)
        squad = np.zeros((240, 240), bool)  # the player and her most frequent partners
        np.put_along_axis(squad, np.argsort(-together, axis=1)[:, :6], True, axis=1)
        mates = squad[teams[:, :, None], teams[:, None, :]].sum(axis=2) - 1
        assert (mates > 0).mean() == pytest.approx(1.0 - switching, abs=0.02)
        assert mates[mates > 0].mean() == pytest.approx(5 * (1.0 - switching), abs=0.15)


def test_alike_option_of_a_roster_sets_how_similar_the_players_of_a_squad_are():
    alike = {}
    for share in (0.0, 0.5, 1.0):
        league = simulate(pw.TSb(), 100, 600, teams=10, size=6, roster=Roster(alike=share), seed=6)
        alike[share] = league.skill_then.reshape(-1, 6).mean(axis=1).std() / league.skill.std()
    assert alike[0.0] == pytest.approx(6**-0.5, abs=0.08)
    assert alike[1.0] == pytest.approx(1.0, abs=0.08)
    assert alike[0.0] + 0.15 < alike[0.5] < alike[1.0] - 0.15


def test_understaffed_teams_have_at_least_the_minimum_number_of_players():
    league = simulate(pw.TSb(), 200, 100, size=5, roster=Roster(understaffing=0.9, least=3), seed=7)
    assert np.diff(league.history.team_start).min() == 3


def test_number_of_correct_answers_grows_with_the_performance():
    """Better teams answer more questions correctly; an average team answers half of them."""
    league = simulate(pw.TSb(), 40, 500, teams=100, questions=Questions((20, 40)), seed=8)
    score = league.history.score.reshape(40, 100)
    assert score.max() <= 40
    assert (score == np.floor(score)).all()
    assert all(np.corrcoef(a, b)[0, 1] > 0.8 for a, b in zip(score, league.performance.reshape(40, 100), strict=True))
    assert [len(np.unique(row)) < 42 for row in score] == [True] * 40
    sharp = simulate(pw.TSb(), 5, 100, teams=20, questions=Questions(1, ease=1e-9, spread=0.0), seed=8)
    above = sharp.performance[:, 0] > sharp.performance.mean()
    np.testing.assert_array_equal(sharp.history.score, above)


def test_share_of_correct_answers_follows_the_logistic_curve():
    league = simulate(pw.TSb(), 400, 100, teams=50, questions=Questions(30, ease=0.7, spread=0.0), seed=9)
    ability = (league.performance[:, 0] - league.performance.mean()) / league.performance.std()
    chance = 1 / (1 + np.exp(-ability / 0.7))
    within(
        (league.history.score / 30 - chance).mean(), 0.0, 20_000, deviation=np.sqrt((chance * (1 - chance)).mean() / 30)
    )


def test_calendar_sets_the_gaps_between_match_days_and_between_seasons():
    dates = simulate(
        pw.TrueSkill(), 12, 4, calendar=Calendar("2025-08-01", every=7, matches=2, season=3, rest=80)
    ).history
    days = (dates.time - dates.time[0]) / 86_400_000_000
    assert days.tolist() == [0, 0, 7, 7, 14, 14, 101, 101, 108, 108, 115, 115]
    assert dates.time_kind == "date"
    assert simulate(pw.TrueSkill(), 3, 4, calendar=Calendar(every=0.5)).history.time_kind == "timestamp"
    assert simulate(pw.TrueSkill(), 3, 4).history.time is None


def test_simulated_quiz_league_has_the_properties_of_the_real_league():
    """The papers report small teams, a few very active players, ties, and some tournaments of 1,000 teams and more."""
    league = quiz_league()
    history = league.history
    teams, sizes = np.diff(history.match_start), np.diff(history.team_start)
    played = league.truth()["matches"].to_numpy()
    distinct = np.array([len(np.unique(history.place[slice(*history.match_start[m : m + 2])])) for m in range(680)])
    assert len(history) == 680
    assert 45_000 < len(history.players) < 50_000
    assert teams.max() > 1000 > 300 > np.median(teams)
    assert 0.3 < (sizes == 6).mean() < (sizes <= 6).mean() < 1.0
    assert sizes.max() == 7
    assert np.median(played) <= 5 < 300 < played.max()
    assert 30 <= np.median(distinct[teams >= 300]) <= 60
    assert (np.percentile(distinct[teams >= 300], [5, 95]) < [40, 75]).all()
    assert history.time_kind == "date"


@dataclass(frozen=True)
class Coin(pw.Outcome):
    """A custom outcome with a forecast: the better team wins three times in four."""

    def forecast(self, board):
        board.win, board.draw, board.loss = (0.75, 0.0, 0.25) if board.mean[0] > board.mean[1] else (0.25, 0.0, 0.75)

    def evidence(self, board):
        return 0.0


@dataclass(frozen=True)
class Plain(pw.Outcome):
    """A custom outcome without its own forecast; performances decide the result, as in TrueSkill without draws."""

    def evidence(self, board):
        return 0.0


@dataclass(frozen=True)
class Race(Coin):
    """A custom outcome with a registered simulation process."""


@play.register
def _(outcome: Race, field: Field, rng: np.random.Generator) -> Played:
    return Played(field.mean, score=rng.exponential(size=len(field.mean)))


def test_custom_outcomes_can_be_simulated():
    model = pw.TrueSkill(tau=0).replace(outcome=Coin())
    league = simulate(model, MATCHES, 2, skills=[20.0, 30.0], seed=1)
    within((by_player(league, league.history.place)[:, 1] == 1).mean(), 0.75, MATCHES)
    with pytest.raises(pw.Error, match=r"cannot be simulated for more than two teams.*play.register\(Coin\)"):
        simulate(model, 10, 6, teams=3)
    plain = simulate(model.replace(outcome=Plain()), 50, 20, teams=5, seed=1)
    np.testing.assert_array_equal(plain.history.place == 1, plain.performance[:, 0] == np.repeat(
        plain.performance.reshape(50, 5).max(axis=1), 5))  # fmt: skip
    assert simulate(model.replace(outcome=Race()), 10, 6, teams=3).history.score is not None


def test_custom_margin_can_be_simulated():
    class Wide(pw.Margin):
        def between(self, board, i, j):
            return float(board.start[i + 1] - board.start[i])  # the size of the better team

    league = simulate(pw.TrueSkill(margin=Wide()), 200, 20, size=3, seed=1)
    gaps = np.abs(np.diff(league.performance.reshape(-1, 2)))[:, 0]
    drawn = (league.history.place.reshape(-1, 2) == 1).all(axis=1)
    np.testing.assert_array_equal(drawn, gaps <= 3.0)


WRONG = {
    "simulate needs a Model.*call it": lambda: simulate(pw.TrueSkill),
    "matches must be a whole number of at least 1": lambda: simulate(pw.TrueSkill(), 0),
    "players must be a whole number of at least 2": lambda: simulate(pw.TrueSkill(), 10, 1),
    "seed must be a whole number": lambda: simulate(pw.TrueSkill(), seed="x"),
    "teams must be a whole number of at least 2": lambda: simulate(pw.TrueSkill(), teams=1),
    "the range of teams must have the minimum first": lambda: simulate(pw.TrueSkill(), teams=(5, 3)),
    "a whole number of at least 2 for each of the 10": lambda: simulate(pw.TrueSkill(), 10, teams=[2, 3]),
    "a match needs 20 players or squads, but the league has only 10": lambda: simulate(pw.TrueSkill(), 10, 10, size=10),
    "match 1 needs 20 players, more than the league has": lambda: simulate(
        pw.TrueSkill(), 10, 10, size=10, attendance=Even()
    ),
    "attendance must be of type Attendance.*call it": lambda: simulate(pw.TrueSkill(), attendance=Even),
    "roster must be of type Roster": lambda: simulate(pw.TrueSkill(), roster=0.1),
    "switching must lie between 0 and 1": lambda: Roster(switching=2),
    "10 players are too few for a squad of 11": lambda: simulate(pw.TrueSkill(), 5, 10, size=11, roster=Roster()),
    "size with a roster must be": lambda: simulate(pw.TrueSkill(), size=(2, 3), roster=Roster()),
    "not everyone can play": lambda: simulate(pw.TrueSkill(), 10, 100, attendance=Zipf(everyone=True)),
    "a rest needs seasons": lambda: Calendar(rest=30),
    "after the year 9999": lambda: simulate(pw.TrueSkill(), 1000, calendar=Calendar(every=1e6)),
    r"with Point.* the same skill; pass a distribution of skills": lambda: simulate(pw.Elo()),
    "one finite number for each of the 100 players; the given": lambda: simulate(pw.TrueSkill(), skills=[1.0, 2.0]),
    "skills must be a Prior": lambda: simulate(pw.TrueSkill(), skills="good"),
    "draws must lie between 0 and 1": lambda: simulate(pw.TrueSkill(), draws=-1),
    "leave out `draws`: it is only for models such as Elo": lambda: simulate(pw.TrueSkill(), draws=0.5),
    "home must lie between 0 and 1": lambda: simulate(pw.TrueSkill(), home=2),
    "`questions` needs a model with a single skill": lambda: simulate(pw.GaussianOD(), questions=36),
    "questions must be a whole number of at least 1": lambda: simulate(pw.TrueSkill(), questions=0),
}


@pytest.mark.parametrize("message", WRONG)
def test_simulate_rejects_invalid_options(message):
    with pytest.raises(pw.Error, match=message):
        WRONG[message]()
