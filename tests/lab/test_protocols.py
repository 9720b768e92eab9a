"""Protocols choose the matches to learn from and to score; the results agree with explicit fits."""

import numpy as np
import pytest

import prowess as pw
from prowess.lab import Prequential, Protocol, RandomSplits, Run, SeasonSplits, compare, slices

MODEL = pw.TrueSkill().replace(drift=pw.drift.PerTime(0.2), home_sigma=1.0)


def league(matches=160, seed=0, draws=0.2):
    """Return matches of two players or two pairs over four years, with home teams."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(size=10)
    rows = []
    for k in range(matches):
        one, two, three, four = rng.permutation(10)[:4].tolist()
        gap = skill[one] - skill[two] + rng.normal()
        ranks = [1, 1] if abs(gap) < draws else [1, 2] if gap > 0 else [2, 1]
        teams = [[f"p{one}"], [f"p{two}"]] if k % 3 else [[f"p{one}", f"p{three}"], [f"p{two}", f"p{four}"]]
        day = np.datetime64("2022-01-01") + np.timedelta64(9 * k, "D")
        rows.append({"teams": teams, "ranks": ranks, "time": day, "home": int(k % 2)})
    return pw.History.from_matches(rows)


def swept(run, history, model):
    """Return the forecasts of the scored matches of a run."""
    fit = model.fit(run.of(history))
    scored = slice(None) if run.scored is None else run.scored
    return fit.forecasts.win[scored], fit.forecasts.draw[scored]


def by_hand(model, past, match):
    """Return the forecast of a match by a model that was fitted to the earlier training matches."""
    ladder = model.fit(past).ladder
    frame = ladder.leaderboard()
    seen = dict(zip(frame["player"], frame["last_seen"], strict=True))
    teams = [[name if name in seen else model.rating() for name in team] for team in match["teams"]]
    elapsed = [
        [float((match["time"] - seen.get(name, match["time"])).days) for name in team] for team in match["teams"]
    ]
    return ladder.predict(teams, elapsed=elapsed, home=match["home"])


@pytest.mark.parametrize(
    "protocol", [SeasonSplits(train=0.6), SeasonSplits(train=0.5, test=0.25), SeasonSplits(train=0.6, reset=False)]
)
def test_scored_matches_of_a_season_are_forecast_from_its_training_matches_alone(protocol):
    history = league(96)
    model = MODEL
    year = slices.seasons(history)
    runs = protocol.runs(history)
    assert [run.label for run in runs] == sorted(set(year))
    found = {}
    for run in runs:
        found |= dict(zip(run.rows(history).tolist(), zip(*swept(run, history, model), strict=True), strict=True))
    before, scored = [], []
    for name in sorted(set(year)):
        own = np.flatnonzero(year == name).tolist()
        train = round(len(own) * protocol.train)
        test = len(own) - train if protocol.test is None else round(len(own) * protocol.test)
        past = own[:train] if protocol.reset else before + own[:train]
        before += own
        for match in own[len(own) - test :]:
            expected = by_hand(model, history.take(past), history[match])
            assert found[match] == pytest.approx((expected.win[0], expected.draw), abs=1e-12)
            scored.append(match)
    assert sorted(found) == scored


def test_scored_matches_of_a_random_split_are_forecast_from_its_training_matches_alone():
    history = league(40)
    model = MODEL
    runs = RandomSplits(times=2, train=0.5, seed=3).runs(history)
    assert (runs[0].learnt != runs[1].learnt).any()
    for run in runs:
        assert run.learnt.sum() == 20
        assert (run.scored == ~run.learnt).all()
        win, _ = swept(run, history, model)
        for match, forecast in zip(run.rows(history).tolist(), win, strict=True):
            past = history.take([k for k in range(match) if run.learnt[k]])
            assert forecast == pytest.approx(by_hand(model, past, history[match]).win[0], abs=1e-12)
    assert [run.learnt.tolist() for run in RandomSplits(times=2, train=0.5, seed=3).runs(history)] == [
        run.learnt.tolist() for run in runs
    ]


def test_scored_matches_of_random_splits_can_be_limited_to_late_matches_of_known_players():
    history = league(60)
    for run in RandomSplits(times=5, train=0.1, test=0.2, known=True).runs(history):
        assert run.learnt.sum() == 6
        assert not run.learnt[48:].any()
        known = {name for k in np.flatnonzero(run.learnt) for team in history[int(k)]["teams"] for name in team}
        expected = [k for k in range(48, 60) if {n for team in history[k]["teams"] for n in team} <= known]
        assert run.rows(history).tolist() == expected
    assert [len(run.learnt.nonzero()[0]) for run in SeasonSplits(0.7, seasons=[1] * 185).runs(league(185))] == [130]
    [run] = SeasonSplits(train=0.5, reset=False, known=True, seasons=["one"] * 60).runs(history)
    assert run.rows(history).tolist() == list(range(30, 60))


@pytest.mark.parametrize(("burn_in", "first"), [(0, 0), (7, 7), (0.25, 10), ("2022-03-05", 7)])
def test_prequential_protocol_scores_all_matches_after_the_burn_in(burn_in, first):
    history = league(40)
    [run] = Prequential(burn_in).runs(history)
    assert run.rows(history).tolist() == list(range(first, 40))
    assert run.of(history) is history


INTERLEAVED = ["b", "a", "b", "a", "b", "b"]


def test_season_splits_accept_interleaved_seasons():
    history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 6)
    one, two = SeasonSplits(train=0.5, seasons=INTERLEAVED).runs(history)
    assert (one.label, two.label) == ("b", "a")
    assert one.rows(history).tolist() == [4, 5]
    assert two.rows(history).tolist() == [3]


def test_season_splits_keep_the_importance_of_training_matches():
    history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "importance": 2.0}] * 6)
    one, two = SeasonSplits(train=0.5, seasons=INTERLEAVED).runs(history)
    assert one.of(history).importance.tolist() == [2, 2, 0, 0]
    assert two.of(history).importance.tolist() == [2, 0]


def test_season_splits_with_equal_settings_are_equal():
    assert SeasonSplits(seasons=np.array(["a", "b"])) == SeasonSplits(seasons=["a", "b"])


def test_comparison_scores_the_held_out_matches_of_all_runs():
    history = league(96)
    models = {"Elo": pw.Elo(), "TrueSkill": pw.TrueSkill()}
    protocol = SeasonSplits(train=0.6)
    found = compare(history, models, protocol=protocol)
    runs = protocol.runs(history)
    assert found.rows.match.tolist() == [match for run in runs for match in run.rows(history)]
    frame = found.by()
    for name, model in models.items():
        columns = [swept(run, history, model) for run in runs]
        assert found.scored[name].win.tolist() == np.concatenate([win for win, _ in columns]).tolist()
        for run in runs:
            own = model.fit(run.of(history)).forecasts
            row = frame.filter(label=run.label, model=name).row(0, named=True)
            assert row["matches"] == run.scored.sum()
            assert row["log_loss"] == pytest.approx(pw.lab.measures.log_loss(own).mean(run.scored), abs=1e-12)
            assert row["auc"] == pytest.approx(pw.lab.measures.auc(own, run.scored), abs=1e-12)


def test_custom_protocols_are_accepted():
    class Odd(Protocol):
        def runs(self, history):
            return (Run(slice(0, len(history)), scored=np.arange(len(history)) % 2 == 1),)

    assert compare(league(20), ["elo"], protocol=Odd()).rows.match.tolist() == list(range(1, 20, 2))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SeasonSplits(train=1.0), "train must lie between 0 and 1"),
        (lambda: SeasonSplits(train=0), "train must lie between 0 and 1"),
        (lambda: SeasonSplits(train=0.8, test=0.3), r"0.8 \+ 0.3 is more"),
        (lambda: RandomSplits(times=0), "times must be a whole number"),
        (lambda: RandomSplits(train="half"), "train must lie between 0 and 1"),
        (lambda: SeasonSplits(seasons=["a"]).runs(league(3)), "one entry per match: expected 3, got 1"),
        (lambda: Prequential(burn_in=1.5).runs(league(3)), "a number of matches, a share of them below 1"),
    ],
)
def test_invalid_protocols_are_rejected(make, message):
    with pytest.raises(pw.Error, match=message):
        make()


@pytest.mark.parametrize(
    ("protocol", "words"),
    [
        (Prequential(), "every match was forecast before the model learnt the result, and was scored"),
        (Prequential(0.1), "after a burn-in (10 % of the matches)"),
        (Prequential("2026-01-01"), "after a burn-in (until 2026-01-01)"),
        (
            SeasonSplits(0.7, test=0.2),
            "models learnt from the first 70 % of the matches, and the last 20 % were scored",
        ),
        (
            RandomSplits(5, known=True),
            "the others were scored; only matches whose players had all played before were scored",
        ),
    ],
)
def test_protocols_describe_themselves_in_words(protocol, words):
    assert words in str(protocol)
