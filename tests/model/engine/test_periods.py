"""Rating periods: matches of a period are rated together, from the ratings at its start."""

import math

import numpy as np
import pytest

import prowess as pw


def model(**changes):
    """Return a model with rating periods: Newton steps on TrueSkill's outcome, and drift per period."""
    parts = {"absorb": pw.absorb.Newton(), "drift": pw.drift.PerTime(2.0), "period": 7.0, "draw_probability": 0.1}
    return pw.TrueSkill().replace(**(parts | changes))


def two(a, b, time, **more):
    return {"teams": [[a], [b]], "time": time, **more}


def test_all_matches_of_a_rating_period_use_the_ratings_at_its_start():
    history = pw.History.from_matches([two("a", "b", 0.0), two("a", "c", 1.0), two("d", "a", 6.9)])
    fit = model().fit(history)
    single = pw.TrueSkill().replace(absorb=pw.absorb.Newton(), drift=pw.drift.Still(), draw_probability=0.1)
    new = single.rating()
    win, loss = single.rate([[new], [new]])[0][0], single.rate([[new], [new]])[1][0]
    precision = 1 / new.sigma**2
    gained = (1 / win.sigma**2 - precision) * 3  # the three matches add the same precision
    push = 2 * (win.mu - 25) / win.sigma**2 + (loss.mu - 25) / loss.sigma**2
    assert fit["a"].sigma == pytest.approx((precision + gained) ** -0.5, rel=1e-12)
    assert fit["a"].mu == pytest.approx(25 + push / (precision + gained), rel=1e-12)
    assert fit["b"] == pw.Rating(loss.mu, loss.sigma)


def test_rating_period_starts_with_the_ratings_at_the_end_of_the_previous_one():
    first = pw.History.from_matches([two("a", "b", 0.0), two("a", "b", 1.0)])
    both = pw.History.from_matches([two("a", "b", 0.0), two("a", "b", 1.0), two("a", "b", 30.0)])
    after = model().fit(first)
    widened = after["a"].sigma ** 2 + 4.0 * 4  # from the period with day 0 to the period with day 30
    noise = (25 / 6) ** 2
    forecast = model().fit(both).forecasts
    assert forecast.mean[4] == after["a"].mu
    assert forecast.variance[4] == pytest.approx(widened + noise, rel=1e-14)


@pytest.fixture
def season():
    rng = np.random.default_rng(3)
    found = []
    for number in range(200):
        a, b = rng.choice(12, 2, replace=False)
        found.append(two(f"p{a}", f"p{b}", number * 0.7, importance=float(rng.choice([0.0, 0.5, 1.0, 2.0]))))
    return found


def test_with_rating_periods_resuming_a_fit_or_ladder_gives_the_same_ratings_as_one_fit(season, tmp_path):
    whole = model().fit(pw.History.from_matches(season))
    half = model().fit(pw.History.from_matches(season[:101]))
    assert model().fit(pw.History.from_matches(season[101:]), start=half.ladder).ladder == whole.ladder
    ladder = pw.Ladder(model())
    for match in season[:150]:
        rated = ladder.record(match["teams"], time=match["time"], importance=match["importance"])
        if match["importance"] > 0:
            assert rated == [[ladder[name] for name in team] for team in match["teams"]]
    ladder.save(tmp_path / "open.prowess")
    again = pw.Ladder.load(tmp_path / "open.prowess")
    assert again == ladder
    for match in season[150:]:
        again.record(match["teams"], time=match["time"], importance=match["importance"])
    assert again == whole.ladder
    shown = dict(whole.leaderboard().select("player", "mu").iter_rows())
    assert {name: whole[name].mu for name in shown} == shown
    assert whole.trajectory("p1")["mu"][-1] == whole["p1"].mu


def test_order_of_matches_within_a_period_does_not_change_ratings(season):
    week = [match | {"time": 3.0} for match in season[:50]]
    one, other = (model().fit(pw.History.from_matches(matches)) for matches in (week, week[::-1]))
    for name in one.ladder:
        assert one[name].mu == pytest.approx(other[name].mu, rel=1e-13)


def test_rejected_match_does_not_close_the_open_rating_period():
    ladder = pw.Ladder(model())
    ladder.record([["a"], ["b"]], time=0.0)
    before = ladder.copy()
    with pytest.raises(pw.Error):
        ladder.record([["a"], ["b"]], time=50.0, weights=[[1], [-1]])
    assert ladder == before
    ladder.record([["a"], ["b"]], time=6.0)
    assert ladder == model().fit(pw.History.from_matches([two("a", "b", 0.0), two("a", "b", 6.0)])).ladder


def test_every_match_without_a_time_is_a_separate_rating_period():
    matches = [{"teams": [["a"], ["b"]]}, {"teams": [["b"], ["a"]]}, {"teams": [["a"], ["c"]]}]
    once, never = (model(period=span).fit(pw.History.from_matches(matches)) for span in (7.0, None))
    assert (once.forecasts.win == never.forecasts.win).all()
    assert [once[name] for name in "abc"] == [never[name] for name in "abc"]


def test_weekly_rating_periods_begin_on_monday():
    days = ["2026-01-04", "2026-01-05", "2026-01-11", "2026-01-12"]  # Sunday, Monday, Sunday, Monday
    ladder = pw.Ladder(model())
    starts = []
    for day in days:
        ladder.record([["a"], ["b"]], time=day)
        starts.append(ladder.state[0, 0])  # the mean at the start of the open period
    assert starts[0] != starts[1] == starts[2] != starts[3]


@pytest.mark.parametrize("period", [0, -1, float("nan"), "week"])
def test_rating_period_must_be_positive(period):
    with pytest.raises(pw.Error, match="period"):
        model(period=period)


def test_model_that_learns_match_by_match_rejects_rating_periods():
    with pytest.raises(pw.Error, match="takes one match at a time"):
        pw.TrueSkill().replace(period=7)


def test_failing_k_factor_rule_leaves_the_open_period_unchanged():
    calls = []

    def rule(matches, mu):
        calls.append(matches)
        return 32.0 if len(calls) < 3 else -5.0

    ladder = pw.Ladder(pw.Elo(k=rule).replace(period=7))
    ladder.record([["a"], ["b"]], time=0.0)
    before = ladder.copy()
    with pytest.raises(pw.Error, match="the K-factor returned by the rule"):
        ladder.record([["a"], ["b"]], time=1.0)
    assert ladder == before


def test_home_advantage_is_updated_once_per_period():
    """As for players, one Newton step uses the sums over all matches of the period."""
    weekly = pw.Glicko(period=7.0, c=0).replace(home=pw.Home(0.0, home_sigma=50.0))
    twenty = [two("a", "b", 0.1 * day, home=0) for day in range(20)]
    one = weekly.fit(pw.History.from_matches(twenty))
    q, g = math.log(10) / 400, 1 / math.sqrt(1 + 3 * (math.log(10) / 400) ** 2 * 350**2 / math.pi**2)
    precision = 1 / 50**2 + 20 * (q * g) ** 2 / 4  # one Newton step; even odds in every match
    assert one.home.sigma == pytest.approx(precision**-0.5, rel=1e-9)
    assert one.home.mu == pytest.approx(20 * q * g / 2 / precision, rel=1e-9)
    later = [*twenty, two("c", "d", 30.0, home=0)]
    split = weekly.fit(
        pw.History.from_matches(later[10:]), start=weekly.fit(pw.History.from_matches(later[:10])).ladder
    )
    assert split.ladder == weekly.fit(pw.History.from_matches(later)).ladder


def test_model_without_a_period_rates_every_match_immediately():
    daily, none = pw.Glicko(period=1.0), pw.Glicko(period=None)
    matches = [two("a", "b", "2026-01-01"), two("a", "b", "2026-03-01")]
    assert (
        none.fit(pw.History.from_matches(matches))["a"].sigma < daily.fit(pw.History.from_matches(matches))["a"].sigma
    )
    untimed = [{"teams": match["teams"]} for match in matches]
    assert none.fit(pw.History.from_matches(matches))["a"] == none.fit(pw.History.from_matches(untimed))["a"]
