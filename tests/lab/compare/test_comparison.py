"""Comparisons of models: numbers agree with brute force, backends agree, and pages are self-contained."""

import json
import mmap
import os
import re
import sys
from dataclasses import replace
from datetime import date
from functools import partial

import joblib
import numpy as np
import polars as pl
import pytest

import prowess as pw
from prowess.lab import MEASURES, Measure, Prequential, RandomSplits, SeasonSplits, compare, measures, save, slices
from prowess.lab.compare import report as sections
from prowess.lab.compare import verdict
from prowess.lab.forecast_chunks import forecast_chunks
from prowess.lab.measures import Tally
from prowess.model.presets import PRESETS

TWO = {"Elo": pw.Elo(), "Glicko-2": pw.Glicko2(period=30), "TrueSkill": pw.TrueSkill(draw_probability=0.2)}


def league(matches=300, teams=2, seed=0, scores=True):
    """Return matches of unequal players with draws, times and home teams; every tenth match has importance 0."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(size=12)
    rows = []
    for k in range(matches):
        who = rng.permutation(12)[:teams]
        points = rng.poisson(np.exp(0.5 * skill[who] + 0.3)).astype(float).tolist()
        day = np.datetime64("2024-01-01") + np.timedelta64(3 * k, "D")
        row = {"teams": [[f"p{i}"] for i in who], "time": day, "home": 0, "importance": float(k % 10 != 9)}
        rows.append(row | ({"scores": points} if scores else {"ranks": (-np.array(points)).tolist()}))
    return pw.History.from_matches(rows)


@pytest.fixture(scope="module")
def history():
    return league()


@pytest.fixture(scope="module")
def found(history):
    return compare(history, TWO)


@pytest.mark.parametrize("name", PRESETS)
def test_forecasts_computed_in_chunks_equal_those_of_a_fit(history, name):
    """Forecasts are bit-identical for any chunk size."""
    model = PRESETS[name]()
    whole = model.fit(history).forecasts
    for teams in (7, 100_000):
        parts = [part.forecasts for part in forecast_chunks(model, history, teams)]
        for column in ("mean", "variance", "log_evidence", "win", "draw"):
            joined = np.concatenate([getattr(part, column) for part in parts])
            assert np.array_equal(joined, getattr(whole, column), equal_nan=True)


def test_comparison_table_has_the_same_measures_as_plain_fits(history, found):
    fits = {name: model.fit(history).forecasts for name, model in TWO.items()}
    late = slices.after(history, 0.5) & slices.established(history, 10)
    for where in (None, late):
        table = found.table(where)
        assert table["model"].to_list() == list(TWO)
        assert table.columns[1:4] == ["log_loss", "log_loss_low", "log_loss_high"]
        for row in table.iter_rows(named=True):
            own = fits[row["model"]]
            for name in ("log_loss", "information_gain", "brier", "pair_error"):
                assert row[name] == pytest.approx(getattr(measures, name)(own).mean(where), abs=1e-12)
            assert row["auc"] == pytest.approx(measures.auc(own, where), abs=1e-12)
            assert row["calibration_error"] == pytest.approx(measures.calibration(own, where).error, abs=1e-12)
            for name in MEASURES.keys() & set(table.columns):
                assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
    assert found.measure("sharpness").unit == "bits"  # computed later, from the stored probabilities
    for name, own in fits.items():
        assert found.tally(name, "sharpness").values.tolist() == measures.sharpness(own).values.tolist()
        for measure in ("log_loss", "pair_error"):
            theirs = getattr(measures, measure)(own)
            assert np.array_equal(found.tally(name, measure).values, theirs.values, equal_nan=True)


def test_pairwise_table_of_models_agrees_with_brute_force(history, found):
    for measure, sign in (("log_loss", 1), ("information_gain", -1), ("pair_error", 1)):
        values = {n: sign * getattr(measures, measure)(m.fit(history).forecasts).values for n, m in TWO.items()}
        table = found.pairwise(measure)
        for one in TWO:
            for other in TWO:
                better = sum(a < b for a, b in zip(values[one], values[other], strict=True))
                assert table.filter(model=one)[other].item() == better
    with pytest.raises(pw.Error, match="auc is not a mean over matches"):
        found.pairwise("auc")


def test_differences_between_models_are_computed_match_by_match(history, found):
    frame = found.differences("Elo").filter(measure="brier", model="TrueSkill").row(0, named=True)
    one, other = (measures.brier(TWO[name].fit(history).forecasts) for name in ("TrueSkill", "Elo"))
    expected = pw.lab.Resampling().difference(one, other, history)
    assert frame["difference"] == pytest.approx(expected.value, abs=1e-12)
    assert (frame["low"], frame["high"]) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert frame["within_noise"] == expected.within_noise
    best = found.differences()
    assert set(best.filter(measure="log_loss")["baseline"]) == {found.best}
    assert (best.filter(measure="log_loss")["difference"] > 0).all()
    assert (best.filter(measure="auc")["difference"] < 0).all()
    twins = compare(history, {"a": pw.Elo(), "b": pw.Elo()})
    assert twins.differences()["within_noise"].all()
    assert "It may be no better than b" in verdict.verdict(twins)


def test_measures_over_time_and_by_label_agree_with_separate_fits(history, found):
    frame = found.over_time(window=40, measure="brier")
    own = measures.brier(TWO["Elo"].fit(history).forecasts).window(40)
    rows = frame.filter(model="Elo")
    assert rows["value"].to_list() == own[rows["match"].to_numpy()].tolist()
    assert rows["match"].to_list() == list(range(39, 300))
    assert rows["time"][0] == history[39]["time"]
    year = slices.seasons(history)
    by = found.by(year)
    assert by["label"].unique(maintain_order=True).to_list() == sorted(set(year))
    for row in by.iter_rows(named=True):
        mine = found.table(year == row["label"]).filter(model=row["model"]).row(0, named=True)
        assert row["matches"] == (year == row["label"]).sum()
        for name in ("log_loss", "auc", "pair_error", "calibration_error"):
            assert row[name] == pytest.approx(mine[name], abs=1e-12)


def test_calibration_table_agrees_with_the_calibration_measure(history, found):
    frame = found.calibration().filter(model="TrueSkill")
    own = measures.calibration(TWO["TrueSkill"].fit(history).forecasts).to_frame()
    for name in ("count", "expected", "happened", "stderr"):
        assert frame[name].to_list() == pytest.approx(own[name].to_list(), abs=1e-12)


def test_score_error_is_null_for_models_that_do_not_predict_scores():
    history = league(120)
    found = compare(history, {"Elo": pw.Elo(), "Poisson": pw.PoissonOD(mu=0, sigma=0.5)})
    table = found.table()
    assert table["score_error"][0] is None
    own = measures.score_error(pw.PoissonOD(mu=0, sigma=0.5).fit(history).forecasts)
    assert table["score_error"][1] == pytest.approx(own.mean(), abs=1e-12)
    assert "score_error" not in compare(history, ["elo"]).table().columns
    assert found.by(np.zeros(120))["score_error"].to_list()[0] is None


@pytest.mark.parametrize(
    "protocol", [Prequential(), Prequential(60), SeasonSplits(0.5, seasons=["a"] * 60 + ["b"] * 60)]
)
def test_score_error_ignores_chunks_without_scores(monkeypatch, protocol):
    history = league(120)
    gaps = history.score.copy()
    gaps[-40:] = np.nan
    held_out = replace(history, score=gaps, importance=(np.arange(120) < 100).astype(float))
    model = pw.PoissonOD(mu=0, sigma=0.5)
    small = partial(forecast_chunks, teams=20)
    monkeypatch.setattr(sys.modules["prowess.lab.compare.scoring"], "forecast_chunks", small)
    found = compare(held_out, {"Poisson": model}, measures=["score_error"], protocol=protocol)
    assert np.array_equal(found.tally("Poisson").weight > 0, found.rows.match < 100)
    if isinstance(protocol, Prequential):
        own = measures.score_error(model.fit(held_out).forecasts)
        assert found.table()["score_error"][0] == pytest.approx(
            own.mean(slice(len(history) - len(found), None)), abs=1e-12
        )


def test_models_are_compared_on_matches_of_more_than_two_teams():
    history = league(80, teams=5, scores=False)
    models = {"TS2": pw.TS2(), "Elo": pw.Elo(), "TrueSkill": pw.TrueSkill()}
    found = compare(history, models, protocol=Prequential(30))
    assert [measure.name for measure in found.measures] == ["pair_error", "pair_log_loss", "place_error"]
    assert len(found) == 50
    for row in found.table().iter_rows(named=True):
        own = models[row["model"]].fit(history).forecasts
        for measure in found.measures:
            assert row[measure.name] == pytest.approx(measure.tally(own).mean(slice(30, None)), abs=1e-12)
    with pytest.raises(pw.Error, match="'auc' was not measured; available: pair_error"):
        found.intervals("auc")
    assert [section.title for section in found.report().sections if section.chart is not None] == [
        "Measures",
        "Pair error over time",
        "Skill over time",
    ]
    assert repr(found).startswith(f"{found.best} has the lowest pair error of 3 models over 50 matches: 0.")
    mixed = compare(history, ["elo"], measures=["pair_error", "auc", "calibration_error"])
    assert mixed.table().select("auc", "calibration_error").row(0) == (None, None)  # no matches of two teams
    with pytest.raises(pw.Error, match="exactly two teams"):
        mixed.calibration()


def same(one, other):
    """Return whether two comparisons are bit-identical."""
    for name in one.models:
        first, second = one.scored[name], other.scored[name]
        assert np.array_equal(first.win, second.win, equal_nan=True)
        assert np.array_equal(first.draw, second.draw, equal_nan=True)
        assert first.tallies.keys() == second.tallies.keys()
        for key, columns in first.tallies.items():
            assert all(map(np.array_equal, columns, second.tallies[key]))
    assert one.table().equals(other.table())
    assert one.differences().equals(other.differences())
    return True


def where_it_is(forecasts):
    """Return, as a measure, the id of this process and the memory address of the history."""
    player = forecasts.history.player
    while isinstance(player.base, np.ndarray):
        player = player.base
    return Tally(np.full(len(forecasts), float(id(player))), np.full(len(forecasts), float(os.getpid())))


def mapped(forecasts):
    """Return, as a measure, whether the history is memory-mapped instead of copied."""
    owner = forecasts.history.player
    while isinstance(owner, np.ndarray):
        owner = owner.base
    is_mapped = isinstance(owner, memoryview) and isinstance(owner.obj, mmap.mmap)
    return Tally(np.full(len(forecasts), float(is_mapped)), np.ones(len(forecasts)))


def failing(forecasts):
    raise pw.Error("this measure always fails")


@pytest.mark.parametrize("protocol", [Prequential(20), SeasonSplits(0.6), RandomSplits(3, 0.5)])
def test_comparison_is_bit_identical_in_processes_and_threads(history, protocol):
    here = compare(history, TWO, protocol=protocol)
    assert same(here, compare(history, TWO, protocol=protocol, jobs=2))
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert same(here, compare(history, TWO, protocol=protocol))


def test_worker_processes_memory_map_the_history():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"winner": rng.integers(0, 500, 150_000), "loser": rng.integers(500, 999, 150_000)})
    found = compare(
        pw.History.from_frame(frame), ["elo", "trueskill"], measures=[Measure("mapped", "mapped", tally=mapped)], jobs=2
    )
    assert found.table()["mapped"].to_list() == [1.0, 1.0]


def test_error_in_a_worker_process_is_raised_by_compare(history):
    for jobs in (1, 2):
        with pytest.raises(pw.Error, match=r"^Elo: this measure always fails$"):
            compare(history, ["elo"], measures=[Measure("failing", "failing", tally=failing)], jobs=jobs)


def test_comparison_is_bit_identical_on_a_dask_cluster(history, monkeypatch):
    """Each of the two workers of a real cluster gets the history only once."""
    from dask.distributed import Client, LocalCluster

    place = Measure("place", "place", tally=where_it_is)
    models = {f"Elo {k}": pw.Elo(k=k) for k in (10, 20, 30, 40, 50, 60)}
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        found = compare(history, TWO)
        places = compare(history, models, measures=[place])
        with pytest.raises(pw.Error, match=r"^Elo: this measure always fails$"):
            compare(history, ["elo"], measures=[Measure("failing", "failing", tally=failing)])
    assert same(compare(history, TWO), found)
    seen = {(float(scored.tallies["place"][1]), float(scored.tallies["place"][0])) for scored in places.scored.values()}
    workers = {process for process, _ in seen}
    assert os.getpid() not in workers
    assert len(seen) == len(workers) <= 2  # one copy of the history per worker


def test_compare_accepts_models_as_a_mapping_as_presets_or_by_name(history):
    found = compare(history, ["elo", pw.TrueSkill, "GLICKO2"], measures="brier")
    assert list(found.models) == ["Elo", "TrueSkill", "Glicko2"]
    assert found.models["Elo"] == pw.Elo()
    assert list(compare(history, {"mine": "elo"}, measures="brier").models) == ["mine"]


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({}, "no models to compare"),
        ([], "no models to compare"),
        (["elo", pw.Elo], "two models are named Elo"),
        (["no such"], "unknown model 'no such'; choose one of Harkness, Elo"),
        ([pw.Elo()], "a model in a list has no name"),
        (pw.Elo(), "models must be a mapping"),
        ("elo", "models must be a mapping"),
        ({"Elo": 3}, "3 is neither a model nor a preset"),
        ({"": pw.Elo()}, "a model's name must be non-empty text"),
    ],
)
def test_compare_rejects_invalid_models(history, models, message):
    with pytest.raises(pw.Error, match=message):
        compare(history, models)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": ["logloss"]}, "no measure named 'logloss'; available: log_loss"),
        ({"measures": ["auc", "auc"]}, "the measure 'auc' is listed twice"),
        ({"measures": []}, "no measure to compare by"),
        ({"measures": ["score_error"]}, "score_error needs a history with scores and a model that predicts them"),
        (
            {"protocol": Prequential},
            r"protocol must be a Protocol such as Prequential\(\), .*; call it: Prequential\(\)",
        ),
        ({"protocol": Prequential("2099-01-01")}, "no match to score: every match was forecast"),
        ({"protocol": SeasonSplits(train=0.99)}, "no match to score"),
        ({"confidence": 95}, "confidence must lie between 0 and 1"),
        ({"jobs": 0}, "jobs must be a number of processes"),
    ],
)
def test_compare_rejects_invalid_options(options, message):
    with pytest.raises(pw.Error, match=message):
        compare(league(30), ["elo"], **options)


def test_compare_rejects_unusable_histories_masks_names_and_windows(history, found):
    with pytest.raises(pw.Error, match="this history has no matches"):
        compare(history[:0], ["elo"])
    with pytest.raises(pw.Error, match="compare needs a History, not list"):
        compare([], ["elo"])
    with pytest.raises(pw.Error, match="`where` selects only matches whose forecasts were not evaluated"):
        found.table(np.zeros(300, bool))
    with pytest.raises(pw.Error, match="where must be a mask with one boolean for each of the 300"):
        found.table([1, 2, 3])
    with pytest.raises(pw.Error, match="no model named 'Eloo'"):
        found.differences("Eloo")
    with pytest.raises(pw.Error, match="window must be from 1 to 300, the number of scored matches"):
        found.over_time(window=301)


def test_compare_names_an_unusable_model_before_any_model_runs(monkeypatch):
    history = league(50, scores=False)
    monkeypatch.setattr(sys.modules["prowess.lab.compare.run"], "run_tasks", None)  # no model may run
    message = r"^Poisson cannot use match 1 of this history: .*PoissonScore needs scores; team 1 has none$"
    with pytest.raises(pw.Error, match=message):
        compare(history, {"Elo": pw.Elo(), "Poisson": pw.PoissonOD()})
    scored = league(50)
    gaps = scored.score.copy()
    gaps[60:62] = np.nan
    with pytest.raises(pw.Error, match="Poisson cannot use match 31"):
        compare(replace(scored, score=gaps), {"Elo": pw.Elo(), "Poisson": pw.PoissonOD()})
    minus = scored.score.copy()
    minus[80] = -2.0
    with pytest.raises(pw.Error, match="Poisson cannot use match 41"):
        compare(replace(scored, score=minus), {"Elo": pw.Elo(), "Poisson": pw.PoissonOD()})


def test_held_out_matches_may_lack_the_scores_that_the_model_learns_from():
    history = league(40)
    gaps = history.score.copy()
    gaps[-4:] = np.nan
    table = compare(replace(history, score=gaps), ["poissonod"], protocol=RandomSplits(2, 0.5, test=0.2)).table()
    assert table["log_loss"][0] > 0


def test_comparison_warns_if_a_model_did_not_converge():
    history = league(20, teams=6, scores=False)
    hasty = pw.TrueSkill().replace(sweeps=1)
    with pytest.warns(UserWarning, match=r"Hasty: EP did not converge in \d+ matches"):
        compare(history, {"Hasty": hasty})


def test_repr_of_a_comparison_names_the_best_model_in_one_sentence(found):
    best = found.best
    interval = found.intervals()[best]
    assert repr(found) == (
        f"{best} has the lowest log loss of 3 models over 300 matches: "
        f"{interval.value:.2f} nats (95 % interval {interval.low:.2f} to {interval.high:.2f})."
    )
    assert 0.3 < found.sureness <= 1
    alone = compare(league(30), ["elo"], measures=["auc"], confidence=0.9)
    assert re.fullmatch(
        r"Elo has an AUC of \S+ over 30 matches \(90 % interval \S+ to \S+\)\.|Elo has an AUC of .*", repr(alone)
    )


def test_verdict_notes_every_measure_by_which_another_model_is_better():
    history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 120)
    models = {"Elo": pw.Elo(), "Unlearning": pw.Elo(k=0.001)}
    others = ["log_loss", "information_gain"]  # the first is better if it is lower, the second if it is higher
    assert verdict.notes(compare(history, models, measures=others)) == []
    most = Measure("most", "largest log loss", higher=True, tally=measures.log_loss)
    assert verdict.notes(compare(history, models, measures=[most, *others])) == [
        "By log loss, Elo did better than Unlearning by more than noise.",
        "By information gain, Elo did better than Unlearning by more than noise.",
    ]


def test_verdict_notes_that_a_model_never_expected_a_draw():
    found = compare(
        league(200), {"Never": pw.TrueSkill(draw_probability=0), "TrueSkill": pw.TrueSkill(draw_probability=0.2)}
    )
    assert "Never never expected a draw" in verdict.notes(found)[-1]


@pytest.fixture(scope="module")
def report(found):
    return found.report()


def test_comparison_report_page_is_self_contained(found, report, tmp_path, monkeypatch):
    monkeypatch.setattr(type(found), "report", lambda self: report)  # computed once for all tests
    found.to_html(tmp_path / "found.html")
    page = (tmp_path / "found.html").read_text(encoding="utf-8")
    markup = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"src=|href=|url\(|@import|https?:", markup)
    assert not re.search(r"<script[^>]*\ssrc|https?://cdn|jsdelivr|unpkg", page)
    titles = re.findall("<h2>(.*?)</h2>", markup)
    assert titles == [
        "Which model to use",
        "Measures",
        "Differences",
        "Log loss over time",
        "Calibration",
        "Matches won",
        "Standings",
        "Skill over time",
        "How this was measured",
    ]
    assert f"<p>Use {found.best}. {found.best} has the lowest log loss of 3 models over 300 matches" in page
    assert re.search(r"<td><strong>\d\.\d+ \(\d\.\d+ to \d\.\d+\)</strong></td>", page)
    with pytest.raises(pw.Error, match=r"found\.pdf: the name must end in \.html"):
        found.to_html(tmp_path / "found.pdf")
    assert [file.name for file in tmp_path.iterdir()] == ["found.html"]


def test_comparison_charts_can_be_saved(report, tmp_path):
    *charts, skills = [section.chart for section in report.sections if section.chart is not None]
    axes = ("log loss (nats), lower is better", "log loss (nats)", "expected")
    for chart, axis in zip(charts, axes, strict=True):
        save(chart, tmp_path / "a.svg")
        text = (tmp_path / "a.svg").read_text(encoding="utf-8")
        assert all(name in text for name in (*TWO, axis))
    assert skills.to_dict()["title"]["text"].startswith("The skill of the best 6, by ")
    save(charts[1], tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_model_with_outlying_results_does_not_set_the_scale_of_the_chart():
    models = {f"TrueSkill {p}": pw.TrueSkill(draw_probability=p) for p in (0.1, 0.15, 0.2, 0.25)}
    found = compare(league(400), models | {"Never": pw.TrueSkill(draw_probability=0)}, measures=["log_loss"])
    worst = found.intervals()["Never"]
    assert worst.value > 2
    where = slices.after(found.history, 100)
    spec = found.chart(where).to_dict()
    assert spec["title"]["text"] == "Measures of 5 models over 300 matches"
    *_, dot, far = spec["concat"][0]["layer"]
    assert dot["encoding"]["x"]["scale"]["domain"][1] < 2
    assert [row["text"] for row in spec["datasets"][far["data"]["name"]]] == [
        f"{found.table(where)['log_loss'][4]:.3g} ▸"
    ]
    [over_time] = sections._time(found)
    assert "off the chart: Never" in over_time.chart.to_dict()["title"]["subtitle"]


def test_measure_that_needs_data_not_stored_in_the_comparison_raises_an_error(history):
    """A comparison does not store performances; a kernel that read them anyway would access unrelated memory."""
    found = compare(history, TWO)
    later = Measure("strict", "pair error, ties wrong", tally=partial(measures.pair_error, ties=1))
    for ask in (found.intervals, found.pairwise, lambda m: found.tally("Elo", m), lambda m: found.over_time(9, m)):
        with pytest.raises(pw.Error, match="'strict' was not measured; available: log_loss"):
            ask(later)
    with pytest.raises(pw.Error, match="'log_loss' was not measured"):
        found.intervals(Measure("log_loss", "another", tally=partial(measures.log_loss, least=0.4), chances=True))
    mild = Measure("mild", "mild log loss", tally=partial(measures.log_loss, least=0.4), chances=True)
    assert found.intervals(mild)["Elo"].value < found.intervals()["Elo"].value
    liar = replace(later, chances=True)
    with pytest.raises(pw.Error, match="must not set chances=True"):
        compare(history, TWO, measures=[liar]).table()


def test_two_identical_best_models_share_the_probability_of_being_best(history):
    found = compare(history, {"a": pw.Elo(), "b": pw.Elo(), "c": pw.TrueSkill(draw_probability=1e-3)})
    assert found.best == "a"
    assert found.sureness == pytest.approx(0.5, abs=0.01)


def test_verdict_says_that_one_match_is_too_few(history):
    found = compare(history[:1], ["elo", "glicko"])
    said = found.report().sections[0].text
    assert "One match is too few to tell these models apart." in said
    assert "noise" not in said


def test_report_on_few_matches_recommends_no_model():
    """Intervals from only about twenty blocks of matches are too narrow, so they do not justify a recommendation."""
    sure = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 60)
    report = compare(sure, ["elo", "glicko"]).report()
    assert report.sections[0].text.startswith("Glicko has the lowest log loss")
    assert "60 matches are too few to tell these models apart (the intervals suggest that it is better than Elo" in (
        report.sections[0].text
    )
    assert report.sections[1].table["log loss (nats)"][1].endswith(" ≈")
    longer = compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 120), ["elo", "glicko"]).report()
    assert longer.sections[0].text.startswith("Use Glicko.")
    assert not longer.sections[1].table["log loss (nats)"][1].endswith("≈")


def test_compare_leaves_out_default_models_that_cannot_use_the_history():
    duels = [{"teams": [["ann"], ["bob"]], "scores": [k % 3, 1]} for k in range(20)]
    assert {"GaussianOD", "PoissonOD", "Elo"} < set(compare(pw.History.from_matches(duels)).models)
    below = [{"teams": [["ann"], ["bob"]], "scores": [-1, 1]}]  # a Poisson distribution has no negative scores
    assert "PoissonOD" not in compare(pw.History.from_matches(duels + below)).models
    races = compare(pw.History.from_matches([{"teams": [["ann"], ["bob"], ["cat"]]}] * 5))
    assert {"TrueSkill", "TS2", "Elo"} < set(races.models)
    assert len(races.models) == 7


def test_standings_in_the_report_come_from_the_best_model(history, found, report):
    standings = next(section for section in report.sections if section.title == "Standings")
    own = found.models[found.best].fit(history).leaderboard()
    assert standings.table["player"].to_list() == own["player"].to_list()
    assert standings.table["rating"].to_list() == own["shown"].to_list()
    with pytest.raises(pw.Error, match="no model named 'Chess'; available:"):
        found.fit("Chess")


def test_to_dict_of_a_comparison_has_the_values_of_its_table(found):
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["best"] == found.best
    assert plain["models"][0]["log_loss"]["value"] == found.table()["log_loss"][0]
    assert len(plain["differences"]) == len(found.differences())


def test_missing_output_folder_is_reported_before_the_report_is_made(found, tmp_path, monkeypatch):
    monkeypatch.setattr(type(found), "report", lambda self: pytest.fail("the report was made first"))
    with pytest.raises(pw.Error, match="there is no folder"):
        found.to_html(tmp_path / "nowhere" / "a.html")


def test_auc_intervals_stay_between_0_and_1():
    """The model is almost always wrong, so resampling DeLong's components would give an AUC below 0."""
    rows = [{"teams": [["ann"], ["bob"]], "scores": [k % 2, 1 - k % 2]} for k in range(60)]
    found = compare(pw.History.from_matches(rows), ["elo", "trueskill"], measures=["auc"])
    assert found.intervals()["Elo"].value < 0.05
    table = found.table().drop("model").to_numpy()
    assert table.min() >= 0.0
    assert table.max() <= 1.0


def test_compare_rejects_sharpness_as_the_first_measure(history):
    with pytest.raises(pw.Error, match="sharpness cannot decide which forecasts are better: put another"):
        compare(history, TWO, measures=["sharpness"])
    found = compare(history, TWO, measures=["log_loss", "sharpness"])
    first, taken, *_ = found.report().sections
    assert "sharpness" not in first.text + taken.text
    assert {column for _, column in taken.bold} == {"log loss (nats)"}
    titles = [panel["layer"][0]["encoding"]["x"]["title"] for panel in found.chart().to_dict()["concat"]]
    assert titles == ["log loss (nats), lower is better", "sharpness (bits)"]


def test_measure_by_label_equals_the_measure_of_the_matches_with_that_label(history):
    found = compare(history, TWO, measures=["auc", "calibration_error"])
    labels = (
        np.random.default_rng(1).integers(0, 40, len(history)) ** 2 // 40
    )  # some labels have many matches, some only one or two
    table = found.by(labels)
    assert table["auc"].null_count() > 0  # undefined if all matches of a label were won, or none
    for label in np.unique(labels):
        masked = found.table(labels == label)
        for name in TWO:
            own = table.filter(label=str(label), model=name).row(0, named=True)
            other = masked.filter(model=name).row(0, named=True)
            for measure in ("auc", "calibration_error"):
                assert own[measure] == (other[measure] and pytest.approx(other[measure], rel=1e-9, abs=1e-12))


def test_measure_that_applies_to_no_match_is_reported():
    tied = pw.History.from_matches([{"teams": [["ann"], ["bob"], ["cat"]], "ranks": [1, 1, 1]}] * 3)
    said = "Comparison of 2 models over 3 matches: pair_error does not apply to any of these matches"
    found = compare(tied, ["elo", "ts2"])
    assert repr(found).startswith(said)
    with pytest.raises(pw.Error, match="does not apply to any"):
        found.report()


def test_compare_accepts_presets_by_name():
    history = league(30)
    names = [name for name in PRESETS if name not in ("Harkness", "TS3")]
    assert list(compare(history, names, draws=20).models) == names
    assert list(compare(history, ["ts2b", pw.Elo], draws=20).models) == ["TS2b", "Elo"]


def test_two_team_measure_requires_matches_of_two_teams():
    races = pw.History.from_matches([{"teams": [["ann"], ["bob"], ["cat"]]}] * 5)
    with pytest.raises(
        pw.Error, match="log_loss needs matches of two teams, and this history has none: put another measure first"
    ):
        compare(races, TWO, measures=["log_loss", "pair_error"])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"seed": -1}, "seed must be a whole number of at least 0, not -1"),
        ({"seed": None}, "seed must be a whole number"),
        ({"draws": 1.5}, "draws must be a whole number of at least 1"),
        ({"measures": 5}, "no measure named 5"),
        ({"measures": [Measure("model", "x", tally=measures.brier)]}, "cannot be named 'model'"),
        (
            {"measures": [Measure("x", "x", tally=lambda f: np.ones(len(f)))]},
            "the measure x must return a Tally",
        ),
        ({"measures": [Measure("x", "x", tally=lambda f: Tally(np.ones(3), np.ones(3)))]}, "for every match"),
        ({"protocol": Prequential(-1)}, "burn_in must be a number of matches"),
    ],
)
def test_compare_rejects_invalid_seeds_draws_measures_and_protocols(history, wrong, said):
    with pytest.raises(pw.Error, match=said):
        compare(history, TWO, **wrong)


def test_compare_accepts_numpy_scalars_as_options(history):
    protocol = RandomSplits(times=np.int64(2), seed=np.int32(1))
    assert len(compare(history, TWO, protocol=protocol, draws=np.int64(50), seed=np.int64(3))) == 120


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_grouping_a_comparison_rejects_matches_without_a_label(history, missing):
    labels = [2024.0, missing, *[2025.0] * (len(history) - 2)]
    with pytest.raises(pw.Error, match="match 2 has none"):
        compare(history, TWO).by(labels)
    with pytest.raises(pw.Error, match="match 2 has none"):
        compare(history, TWO, protocol=SeasonSplits(seasons=labels))


def test_comparison_can_be_grouped_by_labels_of_different_types(history):
    labels = np.array(["a", 1, date(2025, 1, 1)] * 100, dtype=object)
    assert compare(history, ["elo"]).by(labels)["label"].to_list() == ["a", "1", "2025-01-01"]


def test_report_charts_show_only_the_best_models(history, monkeypatch):
    monkeypatch.setattr(sections, "MAX_CURVES", 4)
    found = compare(history[:60], {f"Elo {k}": pw.Elo(k=k) for k in range(1, 8)}, measures=["log_loss"])
    (over_time,), (calibration,) = sections._time(found), sections._calibration(found)
    spec = over_time.chart.to_dict()
    assert spec["title"]["subtitle"].endswith("; the best 4 of 7 models")
    assert spec["encoding"]["color"]["scale"]["domain"] == list(found.intervals())[:4]
    assert len(calibration.chart.to_dict()["concat"]) == 4


def test_home_advantage_improves_forecasts_of_the_premier_league(data):
    """Home advantage improves the log loss by 0.03 nats per match, far more than noise."""
    history = pw.History.read(data / "premier_league_1995_2009.csv")
    plain = pw.TrueSkill(draw_probability=0.27)
    found = compare(history, {"plain": plain, "home": plain.replace(home_sigma=2)}, protocol=Prequential("1996-08-01"))
    assert len(found) == 4940
    assert (found.best, found.sureness) == ("home", 1.0)
    row = found.differences("home").filter(measure="log_loss").row(0, named=True)
    assert 0.015 < row["low"] < row["difference"] < row["high"] < 0.05
