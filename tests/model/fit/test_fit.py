"""A single fit, a resumed fit, a ladder that records match by match and chained `rate` calls agree."""

import itertools
import json
import pickle

import numpy as np
import polars as pl
import pytest

import prowess as pw
from tests.test_modes import league

PARTS = {
    "TrueSkill": {},
    "time": {"drift": pw.drift.PerTime(0.4, cap=8.0)},
    "mean": {"team": pw.team.Mean(), "margin": 0.8},
    "still": {"drift": pw.drift.Still(), "absorb": pw.absorb.Newton()},
    "constant": {"absorb": pw.absorb.Constant()},
}


def model(parts):
    return pw.TrueSkill(draw_probability=0.15).replace(**PARTS[parts])


@pytest.fixture(scope="module")
def matches():
    return league(np.random.default_rng(11))


@pytest.mark.parametrize("parts", PARTS)
def test_resumed_fit_gives_the_ratings_of_a_single_fit(matches, parts):
    whole = model(parts).fit(pw.History.from_matches(matches))
    history = pw.History.from_matches(matches)
    ladder, evidence = None, []
    for first, last in itertools.pairwise([0, 1, 100, 101, 300]):
        part = model(parts).fit(history[first:last], start=ladder)
        ladder = part.ladder
        evidence.append(part.forecasts.log_evidence)
    assert {name: ladder[name] for name in ladder} == {name: whole.ladder[name] for name in whole.ladder}
    assert ladder.leaderboard().sort("player").equals(whole.leaderboard().sort("player"))
    assert np.concatenate(evidence).tobytes() == whole.forecasts.log_evidence.tobytes()


@pytest.mark.parametrize("parts", PARTS)
def test_ladder_that_records_match_by_match_gives_the_ratings_of_a_fit(matches, parts):
    whole = model(parts).fit(pw.History.from_matches(matches))
    ladder = pw.Ladder(model(parts))
    for match in matches:
        ladder.record(**match)
    assert {name: ladder[name] for name in ladder} == {name: whole[name] for name in whole.ladder}
    assert ladder.leaderboard().sort("player").equals(whole.leaderboard().sort("player"))


@pytest.mark.parametrize("parts", ["TrueSkill", "mean"])
def test_calling_rate_match_by_match_gives_the_ratings_of_a_fit(matches, parts):
    whole = model(parts).fit(pw.History.from_matches(matches))
    one, ratings = model(parts), {}
    for match in matches:
        teams = [[ratings.get(name, one.rating()) for name in team] for team in match["teams"]]
        rated = one.rate(teams, scores=match["scores"], weights=match["weights"], importance=match["importance"])
        if match["importance"] > 0:
            for names, new in zip(match["teams"], rated, strict=True):
                ratings |= dict(zip(names, new, strict=True))
    for name, rating in ratings.items():
        assert rating.mu == pytest.approx(whole[name].mu, rel=1e-12)
        assert rating.sigma == pytest.approx(whole[name].sigma, rel=1e-12)


def test_elapsed_time_is_computed_from_match_times():
    drifting = model("time")
    days = ["2026-01-01", "2026-01-11", "2026-01-11", "2026-03-01"]
    matches = [{"teams": [["ann"], ["bob"]], "time": day} for day in days]
    fit = drifting.fit(pw.History.from_matches(matches))
    ann, bob = drifting.rating(), drifting.rating()
    for elapsed in (0, 10, 0, 49):
        [[ann], [bob]] = drifting.rate([[ann], [bob]], elapsed=elapsed)
    assert fit["ann"].mu == pytest.approx(ann.mu, rel=1e-12)
    assert fit["bob"].sigma == pytest.approx(bob.sigma, rel=1e-12)


def test_elapsed_time_can_be_given_if_the_matches_of_a_ladder_have_no_times():
    drifting = model("time")
    ladder = pw.Ladder(drifting, {"ann": pw.Rating(25, 3), "bob": pw.Rating(25, 3)})
    rated = ladder.record([["ann"], ["bob"]], elapsed=9)
    assert rated == drifting.rate([[pw.Rating(25, 3)], [pw.Rating(25, 3)]], elapsed=9)


def test_forecast_of_a_match_uses_only_earlier_matches(matches):
    """A forecast equals the ladder's prediction just before the match, and later matches do not change it."""
    fitted = model("TrueSkill").fit(pw.History.from_matches(matches))
    ladder, seen = pw.Ladder(model("TrueSkill")), 0
    for index, match in enumerate(matches):
        teams = [[name if name in ladder else ladder.model.rating() for name in team] for team in match["teams"]]
        if len(teams) == 2:
            prediction = ladder.predict(teams, weights=match["weights"])
            assert fitted.forecasts.win[index] == pytest.approx(prediction.win[0], rel=1e-12)
            assert fitted.forecasts.draw[index] == pytest.approx(prediction.draw, abs=1e-12)
            seen += 1
        else:
            assert np.isnan(fitted.forecasts.win[index])
        ladder.record(**match)
    assert seen > 100
    turned = [*matches[:200], *({**match, "scores": match["scores"][::-1]} for match in matches[200:])]
    other = model("TrueSkill").fit(pw.History.from_matches(turned))
    assert other.forecasts.win[:201].tobytes() == fitted.forecasts.win[:201].tobytes()


def test_forecasts_convert_to_a_frame(matches):
    frame = model("TrueSkill").fit(pw.History.from_matches(matches)).forecasts.to_frame()
    assert len(frame) == sum(len(match["teams"]) for match in matches)
    two = frame.drop_nulls("win").group_by("match").agg(pl.col("win").sum(), pl.col("draw").first())
    assert len(two) == sum(len(match["teams"]) == 2 for match in matches)
    assert (two["win"] + two["draw"]).to_numpy() == pytest.approx(np.ones(len(two)), abs=1e-12)


def test_trajectory_ends_with_the_rating_in_the_leaderboard(matches):
    fitted = model("TrueSkill").fit(pw.History.from_matches(matches))
    board = {row["player"]: row for row in fitted.leaderboard().to_dicts()}
    for name in ("p0", "p7"):
        curve = fitted.trajectory(name)
        assert curve.columns == ["match", "time", "mu", "sigma", "shown"]
        assert curve["mu"][-1] == board[name]["mu"]
        assert curve["shown"][-1] == board[name]["shown"]
        played = [i for i, match in enumerate(matches) if any(name in team for team in match["teams"])]
        assert curve["match"].to_list() == played[-len(curve) :]


def test_leaderboard_has_match_counts_and_shared_ranks_for_ties():
    history = pw.History.from_matches(
        [{"teams": [["ann"], ["bob"], ["cat"]], "ranks": [1, 1, 2], "time": "2026-02-03"}]
    )
    frame = model("TrueSkill").fit(history, start={"dan": pw.Rating(25, 1)}).leaderboard()
    assert frame.columns == ["rank", "player", "mu", "sigma", "shown", "matches", "last_seen", "active"]
    rows = {row["player"]: row for row in frame.to_dicts()}
    assert rows["dan"]["rank"] == 1
    assert rows["dan"]["matches"] == 0
    assert rows["dan"]["last_seen"] is None
    assert rows["ann"]["matches"] == 1
    assert str(rows["ann"]["last_seen"]) == "2026-02-03"
    equal = pw.Ladder(pw.TrueSkill(), {name: pw.Rating(25, 1) for name in "abc"} | {"d": pw.Rating(20, 1)})
    assert equal.leaderboard()["rank"].to_list() == [1, 1, 1, 4]


def test_fit_of_a_slice_rates_only_players_of_the_slice():
    history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["dan"]]}])
    assert sorted(model("TrueSkill").fit(history[1:]).ladder) == ["cat", "dan"]


def test_match_of_importance_zero_does_not_change_ratings():
    ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)})
    before = ladder.copy()
    assert ladder.record([["ann"], ["new"]], importance=0)[0][0] == pw.Rating(30, 4)
    assert ladder == before
    history = pw.History.from_matches(
        [
            {"teams": [["ann"], ["bob"]], "time": 1},
            {"teams": [["bob"], ["ann"]], "time": 2, "importance": 0},
            {"teams": [["ann"], ["bob"]], "time": 3},
        ]
    )
    drifting = model("time")
    whole, without = drifting.fit(history), drifting.fit(history.take([0, 2]))
    assert whole.leaderboard().equals(without.leaderboard())
    assert np.isfinite(whole.forecasts.win[1])
    assert whole.log_evidence == without.log_evidence


def test_fit_does_not_change_the_ladder_that_it_starts_from(matches):
    ladder = pw.Ladder(model("TrueSkill"), {"p1": pw.Rating(40, 1)})
    before = ladder.copy()
    fitted = model("TrueSkill").fit(pw.History.from_matches(matches), start=ladder)
    assert ladder == before
    rating = fitted["p1"]
    fitted.ladder.record([["p1"], ["p2"]])
    assert fitted["p1"] == rating
    assert fitted.ladder["p1"] != rating


def test_empty_history_gives_an_empty_leaderboard():
    fitted = pw.TrueSkill().fit(pw.History.from_matches([]))
    assert len(fitted.leaderboard()) == 0
    assert fitted.log_evidence == 0.0


def test_log_evidence_of_a_fit_is_the_sum_over_its_forecasts():
    history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"]], "ranks": [1, 1]}])
    fitted = pw.TrueSkill().fit(history)
    wanted = np.log(fitted.forecasts.win[0]) + np.log(fitted.forecasts.draw[1])
    assert fitted.log_evidence == pytest.approx(wanted, rel=1e-12)


def test_error_in_a_fit_names_the_match():
    history = pw.History.from_matches(
        [{"teams": [["a"], ["b"]], "id": "first"}, {"teams": [["a", "c", "d"], ["b"]], "id": "second"}]
    )
    with pytest.raises(pw.Error, match=r"match 2 of 2 \(second\): team 1 has 3 players"):
        pw.TrueSkill().replace(team=pw.team.Weighted((1.0, 0.5))).fit(history)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, h: m.fit([1]), "fit needs a History, not list"),
        (lambda m, h: m.fit(h, start=7), "start must be a Ladder or ratings by name"),
        (lambda m, h: m.fit(h, start={"ann": 3}), "ann must have a Rating"),
        (lambda m, h: m.fit(h, start=pw.Ladder(pw.TrueSkill(beta=1))), "a ladder of another model"),
        (lambda m, h: m.fit(h).trajectory("anna"), "no player named 'anna' among . players; did you mean 'ann'"),
        (lambda m, h: m.fit(h)["zoe"], "no player named 'zoe' .*for a new player use model.rating"),
        (lambda m, h: m.fit(h, start=m.fit(h).ladder), "2026-01-01 is earlier than ann's last match at 2026-01-05"),
        (lambda m, h: m.fit(h).predict([["ann"], ["zoe"]]), "no player named 'zoe'"),
    ],
)
def test_invalid_input_to_fit_is_rejected(call, message):
    history = pw.History.from_matches(
        [{"teams": [["ann"], ["bob"]], "time": "2026-01-01"}, {"teams": [["ann"], ["bob"]], "time": "2026-01-05"}]
    )
    with pytest.raises(pw.Error, match=message):
        call(pw.TrueSkill(), history)


def test_saved_and_loaded_ladder_is_equal_to_the_last_bit(tmp_path, matches):
    fitted = model("time").fit(pw.History.from_matches([*matches, {"teams": [["Zoë ☃"], ['q"\\']], "time": 99.5}]))
    path = tmp_path / "league.prowess"
    fitted.ladder.save(path)
    loaded = pw.Ladder.load(path)
    assert loaded == fitted.ladder
    assert loaded.model == model("time")
    assert loaded.record([["p0"], ["Zoë ☃"]], time=120) == fitted.ladder.record([["p0"], ["Zoë ☃"]], time=120)
    assert json.loads(path.read_text(encoding="utf-8"))["header"]["version"] == 2
    assert list(tmp_path.iterdir()) == [path]


def test_saved_ladder_keeps_times_and_time_zones(tmp_path):
    ladder = pw.Ladder(pw.TrueSkill())
    ladder.record([["ann"], ["bob"]], time="2026-01-31T10:00:00+02:00")
    ladder.save(tmp_path / "x")
    assert pw.Ladder.load(tmp_path / "x") == ladder
    with pytest.raises(pw.Error, match="mixed time zones"):
        ladder.record([["ann"], ["bob"]], time="2026-02-01T10:00:00")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a saved ladder, or damaged"),
        ("{}", "not a saved ladder, or damaged"),
        ("[1]", "not a saved ladder, or damaged"),
        ('{"header": {"format": "x"}, "players": {}}', "not a saved ladder: its format is 'x'"),
        (
            '{"header": {"format": "prowess ladder", "version": 99}, "players": {}}',
            "unknown format version 99",
        ),
    ],
)
def test_damaged_ladder_files_are_rejected(tmp_path, text, message):
    path = tmp_path / "bad.prowess"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(pw.Error, match=f"bad.prowess: {message}"):
        pw.Ladder.load(path)


def test_truncated_ladder_file_is_rejected(tmp_path):
    ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4), "bob": pw.Rating(20, 2)})
    whole = tmp_path / "whole"
    ladder.save(whole)
    text = whole.read_text(encoding="utf-8")
    for length in range(0, len(text.rstrip()), 7):
        (tmp_path / "cut").write_text(text[:length], encoding="utf-8")
        with pytest.raises(pw.Error, match="cut: "):
            pw.Ladder.load(tmp_path / "cut")


def test_failed_save_of_a_ladder_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "league"
    ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)})
    ladder.save(path)
    old = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(pw.Error, match="No space left"):
        ladder.save(path)
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(pw.Error, match="cannot be written"):
        ladder.save(tmp_path / "nowhere" / "league")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: x.record([["ann", "ann"], ["bob"]]), "ann is listed twice in team 1"),
        (lambda x: x.record([["ann"], ["bob", "ann"]]), "ann is listed in teams 1 and 2"),
        (lambda x: x.record([["ann"], []]), "team 2 is empty"),
        (lambda x: x.record([["ann"]]), "at least two teams, not 1"),
        (lambda x: x.record(["ann", "bob"]), "team 1 must be a list of players, such as \\['ann'\\], not 'ann'"),
        (lambda x: x.record("ann"), "teams must be a list of teams"),
        (lambda x: x.record([["ann"], [""]]), "must not be empty"),
        (lambda x: x.record([["ann"], [2.5]]), "text or a whole number, not 2.5"),
        (lambda x: x.record([["new"], ["ann"]], ranks=[1]), "ranks must have one number per team"),
        (lambda x: x.record([["new"], ["ann"]], time="soon"), "'soon' isn't a date I understand"),
        (lambda x: x.record([["new"], ["ann"]], time="2025-12-31"), "is earlier than ann's last match"),
        (lambda x: x.record([["new"], ["ann"]], time=7), "plain numbers and dates are mixed"),
        (lambda x: x.record([["new"], ["ann"]], time="2026-01-02T00:00:00Z"), "mixed time zones"),
        (lambda x: x.record([["new"], ["ann"]], time="2026-02-01", elapsed=1), "either time or elapsed"),
        (lambda x: x["anna"], "did you mean 'ann'"),
        (lambda x: x.predict([["ann"], ["zoe"]]), "no player named 'zoe'"),
        (lambda x: pw.Ladder(pw.TrueSkill(), {"a": pw.Rating(1)}), "a: Rating.mu=1.0.: the rating has no sigma"),
    ],
)
def test_invalid_input_does_not_change_the_ladder(call, message):
    ladder = pw.Ladder(pw.TrueSkill())
    ladder.record([["ann"], ["bob"]], time="2026-01-01")
    before = ladder.copy()
    with pytest.raises(pw.Error, match=message):
        call(ladder)
    assert ladder == before
    assert ladder.rows == {"ann": 0, "bob": 1}


def test_whole_numbers_are_valid_player_names():
    ladder = pw.Ladder(pw.TrueSkill())
    ladder.record([[1], [2726956381513258]])
    assert ladder["1"] == ladder[1]
    assert 1 in ladder
    assert "2726956381513258" in ladder


def test_ladder_accepts_any_number_of_new_players():
    ladder = pw.Ladder(pw.TrueSkill())
    for i in range(0, 3000, 2):
        ladder.record([[f"p{i}"], [f"p{i + 1}"]])
    assert len(ladder) == 3000
    assert ladder["p0"] == ladder["p2998"]


def test_fit_keeps_a_copy_of_the_ladder_that_it_starts_from():
    """Trajectories are computed on demand, and must not include matches that the ladder has recorded since."""
    ladder = pw.Ladder(pw.TrueSkill())
    ladder.record([["ann"], ["bob"]])
    fitted = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["cat"]]}]), start=ladder)
    ladder.record([["dan"], ["ann"]])
    assert fitted.trajectory("ann")["mu"][-1] == fitted["ann"].mu


def test_fit_can_be_pickled(matches):
    fitted = model("time").fit(pw.History.from_matches(matches))
    again = pickle.loads(pickle.dumps(fitted))
    assert again.leaderboard().equals(fitted.leaderboard())
    assert again.trajectory("p1").equals(fitted.trajectory("p1"))
    assert again.forecasts.win.tobytes() == fitted.forecasts.win.tobytes()


def test_ladder_and_fit_agree_on_matches_with_importance_zero():
    matches = [
        {"teams": [["z"], ["y"]], "importance": 0.0, "time": 5},
        {"teams": [["a"], ["y"]], "time": 6},
        {"teams": [["z"], ["a"]], "time": 7},
        {"teams": [["only"], ["a"]], "importance": 0.0, "time": 7},
    ]
    ladder = pw.Ladder(pw.TrueSkill())
    for match in matches:
        ladder.record(**match)
    fitted = pw.TrueSkill().fit(pw.History.from_matches(matches))
    assert ladder == fitted.ladder
    assert list(ladder) == ["a", "y", "z"]
    assert np.isfinite(fitted.leaderboard()["mu"].to_numpy()).all()
    assert "only" not in fitted.ladder
    ladder.record([["a"], ["y"]], time=1, importance=0)  # importance 0: any time is allowed
    late = pw.History.from_matches([{"teams": [["a"], ["y"]], "time": 1, "importance": 0}])
    assert pw.TrueSkill().fit(late, start=ladder).ladder == ladder


def test_ladder_accepts_utc_times_together_with_any_time_zone():
    ladder = pw.Ladder(pw.TrueSkill())
    ladder.record([["ann"], ["bob"]], time="2026-01-31T10:00:00+01:00")
    with pytest.raises(pw.Error, match=r"mixed time zones.*give the times in UTC"):
        ladder.record([["ann"], ["bob"]], time="2026-07-01T10:00:00+02:00")
    history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": "2026-06-30T08:00:00Z"}])
    assert pw.TrueSkill().fit(history, start=ladder)["ann"].mu > ladder["ann"].mu
    ladder.record([["ann"], ["bob"]], time="2026-07-01T08:00:00Z")
    assert ladder.stamp.zone == "UTC"


@pytest.mark.parametrize("change", ["twice", "kind", "matches", "text", "row", "name", "variance", "late", "deep"])
def test_damaged_values_in_a_ladder_file_are_rejected(tmp_path, change):
    path = tmp_path / "x"
    ladder = pw.Ladder(pw.TrueSkill())
    ladder.record([["ann"], ["bob"]], time="2026-01-31")
    ladder.save(path)
    text = path.read_text(encoding="utf-8")
    content = json.loads(text)
    row = content["players"]["ann"]
    if change == "kind":
        content["header"]["time"] = ["foo", None]
    elif change == "matches":
        row[3] = -5.5
    elif change == "text":
        row[0] = "25"
    elif change == "row":
        content["players"]["ann"] = "1234"
    elif change == "name":
        content["players"][""] = row
    elif change == "variance":
        row[1] = None
    elif change == "late":
        row[2] = 1e300
    text = json.dumps(content)
    if change == "twice":
        text = text.replace('"bob":', '"ann":')
    if change == "deep":
        text = "[" * 100_000
    path.write_text(text, encoding="utf-8")
    with pytest.raises(pw.Error, match="x: "):
        pw.Ladder.load(path)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pw.Ladder(pw.TrueSkill, None), r"needs a Model.*call it: TrueSkill\(\)"),
        (lambda: pw.Ladder(None), "needs a Model, not None"),
        (lambda: pw.Ladder(pw.TrueSkill(), [("a", 1)]), "ratings must be a mapping"),
        (lambda: pw.Ladder(pw.TrueSkill(), {"7": pw.Rating(1, 1), 7: pw.Rating(2, 1)}), "7 is listed twice"),
        (lambda: pw.Ladder.load(None), "load needs the path of a file"),
        (lambda: pw.Ladder(pw.TrueSkill()).save(5), "5 is not a file name"),
        (lambda: pw.Ladder(pw.TrueSkill()).save(""), "'' is not a file name"),
        (lambda: pw.Ladder(pw.TrueSkill()).record([["a"], ["b"]], time=10**400), "isn't a date I understand"),
        (lambda: pw.Ladder(pw.TrueSkill()).record([["a"], ["b"]], time=1e300), "is too large"),
        (lambda: pw.Ladder(pw.TrueSkill()).record([["a"], ["b"]], time=np.array([1, 2])), "isn't a date I understand"),
        (
            lambda: pw.Ladder(pw.TrueSkill()).record([["a"], ["b"]], time="31.02.2026"),
            "I understand: write a date such as",
        ),
        (lambda: pw.Ladder(pw.TrueSkill()).predict([["a"], ["a"]]), "a is listed in teams 1 and 2"),
        (
            lambda: pw.TrueSkill().rate([[pw.Rating(1, 1)]] * 2, ranks={5, 2}),
            "ranks must have one number per team",
        ),
        (lambda: pw.TrueSkill().replace(outcome=pw.Outcome()), "outcome must be of type Outcome"),
        (lambda: pw.Model.from_dict(5), "a model must be a mapping"),
        (lambda: pw.outcome.Order(margin=pw.outcome.margin.Fixed(-1.0)), "epsilon must be"),
    ],
)
def test_invalid_input_to_ladder_and_model_is_rejected(call, message):
    with pytest.raises(pw.Error, match=message):
        call()
    assert [1] not in pw.Ladder(pw.TrueSkill())
