"""Other packages fail as docs/guide/speed.md and the README say, and prowess does not."""

import pytest
import trueskill
from openskill.models import PlackettLuce

import prowess as pw


def test_an_upset_of_232_points():
    env = trueskill.TrueSkill(tau=0)
    with pytest.raises(FloatingPointError):
        env.rate_1vs1(trueskill.Rating(0, 1), trueskill.Rating(232, 1))
    [[upset], _] = pw.TrueSkill(tau=0).rate([[pw.Rating(0, 1)], [pw.Rating(232, 1)]])
    assert (round(upset.mu, 2), round(upset.sigma, 3)) == (6.34, 0.986)


def test_a_free_for_all_of_147_new_players():
    with pytest.raises(FloatingPointError):
        trueskill.rate([[trueskill.Rating()]] * 147)
    plackett, model = PlackettLuce(), pw.TrueSkill()
    assert len(plackett.rate([[plackett.rating()] for _ in range(147)])) == 147
    [winner] = model.rate([[model.rating()]] * 147)[0]
    assert (round(winner.mu, 1), round(winner.sigma, 2)) == (74.6, 4.02)


def test_a_draw_without_draw_probability():
    env, model = trueskill.TrueSkill(draw_probability=0), pw.TrueSkill(draw_probability=0)
    theirs, _ = env.rate_1vs1(env.create_rating(), env.create_rating(), drawn=True)
    [[ours], _] = model.rate([[model.rating()], [model.rating()]], ranks=[1, 1])
    assert (round(theirs.sigma, 2), round(ours.sigma, 2)) == (9.59, 6.46)


def test_players_of_mu_10_000():
    plackett, model = PlackettLuce(), pw.TrueSkill()
    with pytest.raises(OverflowError):
        plackett.rate([[plackett.rating(mu=10_000)], [plackett.rating(mu=10_000)]])
    moved = [
        [one.mu - mu for [one] in model.rate([[model.rating(mu=mu)], [model.rating(mu=mu)]])] for mu in (25.0, 10_000.0)
    ]
    assert moved[0] == pytest.approx(moved[1])


def test_the_chance_of_the_best_of_eight():
    plackett = PlackettLuce()
    theirs = plackett.predict_win([[plackett.rating(mu=mu, sigma=1)] for mu in (35, *[25] * 7)])
    ours = pw.TrueSkill(draw_probability=0).predict([[pw.Rating(mu, 1)] for mu in (35, *[25] * 7)])
    assert (round(theirs[0], 2), round(float(ours.win[0]), 3)) == (0.24, 0.798)
