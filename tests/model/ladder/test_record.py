"""`Ladder.predict` for a date equals the forecast that a fit makes for that date; limits on times are inclusive."""

import pytest

import prowess as pw
from prowess.model.ladder.record import active
from tests.cli.running import LEAGUE

HISTORY = pw.History.read(LEAGUE)
MODELS = {
    "per match": pw.TrueSkill(),
    "per time": pw.TrueSkill().replace(drift=pw.drift.PerTime(0.3, cap=8)),
    "seasons": pw.TrueSkill().replace(drift=pw.drift.Seasons(pw.drift.PerMatch(0.1), gap=3, carry=0.5, season_tau=2.0)),
    "periods": pw.Glicko(period=1),
    "volatile": pw.Glicko2(period=1),
}


@pytest.mark.parametrize("name", MODELS)
def test_prediction_for_a_date_equals_the_forecast_in_a_fit(name):
    model = MODELS[name]
    forecasts = model.fit(HISTORY).forecasts
    days = sorted({HISTORY[match]["time"] for match in range(300, 400, 9)})
    for day in days:
        before = HISTORY.between(None, day)
        teams = HISTORY[len(before)]["teams"]
        found = model.fit(before).ladder.predict(teams, time=day)
        assert found.win[0] == pytest.approx(forecasts.win[len(before)], rel=1e-12)


def test_predict_rejects_a_time_given_with_elapsed_or_before_the_last_match():
    ladder = pw.Ladder(pw.TrueSkill().replace(drift=pw.drift.PerTime(1.0)))
    ladder.record([["ann"], ["bob"]], time=10)
    now, later, waited = (ladder.predict([["ann"], ["bob"]], **when) for when in ({}, {"time": 35}, {"elapsed": 25}))
    assert now.win[0] > later.win[0] == waited.win[0]
    with pytest.raises(pw.Error, match="either time or elapsed"):
        ladder.predict([["ann"], ["bob"]], time=35, elapsed=3)
    with pytest.raises(pw.Error, match="is earlier than ann's last match"):
        ladder.predict([["ann"], ["bob"]], time=9)
    with pytest.raises(pw.Error, match="did you mean 'ann'"):
        ladder.predict([["anne"], ["bob"]], time=35)


def test_player_who_last_played_exactly_as_long_ago_as_the_limit_is_active():
    ladder = pw.Ladder(pw.TrueSkill())
    ladder.record([["ann"], ["cat"]], time="2026-01-01")
    ladder.record([["bob"], ["cat"]], time="2026-01-08")
    assert set(active(ladder, 7)) == {"ann", "bob", "cat"}
    assert set(active(ladder, 6.9)) == {"bob", "cat"}
