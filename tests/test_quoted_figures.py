"""Figures in the prose and tables of the pages that a reader can check in a second; examples are run by `test_docs`."""

from math import log
from pathlib import Path

import pytest

import prowess as pw
from prowess.model.fit.leaderboard import PROVISIONAL_MATCHES, UNKNOWN

PAGES = Path(__file__).parent.parent


def text_of(page):
    return " ".join((PAGES / page).read_text(encoding="utf-8").split())


def percent(chance):
    return f"{100 * chance:.0f} %"


@pytest.mark.parametrize("difference", [0, 2, 4, 8, 16])
def test_chances_by_difference_in_skill(difference):
    model = pw.TrueSkill()
    teams = [[model.rating(25 + difference, 1)], [model.rating(25, 1)]]
    prediction = model.predict(teams)
    stronger, weaker = prediction.win
    cells = [difference, percent(stronger), percent(prediction.draw), percent(weaker), f"{model.quality(teams):.2f}"]
    assert f"| {' | '.join(map(str, cells))} |" in text_of("docs/guide/reading-a-rating.md")


@pytest.mark.parametrize("chance", [0.99, 0.7, 0.5, 0.1])
def test_log_loss_by_probability(chance):
    assert f"| {percent(chance)} | {-log(chance):.2f} |" in text_of("docs/guide/reading-a-rating.md")


def test_points_of_textbook_trueskill():
    text = text_of("docs/guide/reading-a-rating.md")
    points = pw.TrueSkill().points((1500, 400))
    assert f"it is {400 / points.factor:.2f}, so one point is a difference of {1 / points.factor:.4f}." in text
    assert UNKNOWN == 0.5**2
    assert PROVISIONAL_MATCHES == 10
    assert "until σ is below half of a newcomer's, for ten matches at most." in text

    def odds(lead):
        won = pw.TrueSkill(tau=0).predict([[pw.Rating(25 + lead / points.factor, 1e-6)], [pw.Rating(25, 1e-6)]])
        return won.win[0] / won.win[1]

    assert odds(400) == pytest.approx(10.0, rel=0.01)
    assert odds(120) == pytest.approx(2.0, rel=0.1)
    assert odds(800) >= 100.0


@pytest.mark.parametrize(("draw_probability", "text"), [(0.1, "gets a mu of {} with"), (0.0, "and of {} with 0.")])
def test_winner_of_a_large_field(draw_probability, text):
    model = pw.TrueSkill(draw_probability=draw_probability)
    best = model.rate([[model.rating()] for _ in range(2000)])[0][0]
    assert text.format(f"{best.mu:.0f}") in text_of("docs/guide/limits.md")


@pytest.mark.parametrize("page", ["README.md", "docs/guide/speed.md"])
def test_chance_against_seven_weaker_players(page):
    model = pw.TrueSkill(draw_probability=0)
    chance = model.predict([[model.rating(35, 1)], *([model.rating(25, 1)] for _ in range(7))]).win[0]
    assert f"{chance:.3f}" in text_of(page)
    assert "`draw_probability=0`" in text_of(page)
