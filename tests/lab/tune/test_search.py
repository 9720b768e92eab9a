"""Tuning finds parameters on early matches, and measures the gain on later matches."""

import json
import multiprocessing
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import prowess as pw
from prowess.history import show_time
from prowess.lab import Calendar, measures, save
from prowess.lab.tune import tune
from prowess.lab.tune.sampler import propose
from prowess.lab.tune.study import history_fingerprint, model_fingerprint
from prowess.model.params import Range

SIGMA, BETA = 25 / 3, 25 / 6
WRONG = pw.TrueSkill(sigma=SIGMA, beta=3 * BETA, tau=0.01, draw_probability=0.3)


def a_league(seed):
    true = pw.TrueSkill(sigma=SIGMA, beta=BETA, tau=0.1)
    return pw.simulate(true, 1000, 30, seed=seed, calendar=Calendar("2026-01-01")).history


@pytest.fixture(scope="module")
def league():
    return a_league(seed=1)


@pytest.fixture(scope="module")
def tuning(league):
    return tune(WRONG, league, trials=16)


def same(one, other):
    return one.trials().equals(other.trials()) and one.model == other.model and one.gain == other.gain


def test_loss_of_a_trial_equals_the_loss_of_a_plain_fit(league, tuning):
    assert tuning.matches == (60, 540, 400)
    for row in tuning.trials().head(9).to_dicts():
        model = WRONG.replace(**{name: row[name] for name in ("beta", "tau", "draw_probability")})
        whole = measures.log_loss(model.fit(league).forecasts).values
        assert row["loss"] == pytest.approx(whole[60:600].mean(), abs=1e-12)


def test_tuned_model_beats_the_original_model_on_held_out_matches(league, tuning):
    found = tuning.trials()
    assert found.row(0, named=True)["beta"] == WRONG.params["beta"]  # the first trial has the current parameters
    assert found["best"][-1] == tuning.loss[1] < tuning.loss[0] == found["loss"][0]
    assert {name: new for name, (_, new) in tuning.params.items()} == {
        name: tuning.model.params[name] for name in tuning.space
    }
    before, after = (measures.log_loss(model.fit(league).forecasts).values[600:] for model in (WRONG, tuning.model))
    assert tuning.gain.value == pytest.approx((before - after).mean(), abs=1e-12)
    spread = 1.96 * (before - after).std() / np.sqrt(400)
    assert tuning.gain.high - tuning.gain.low == pytest.approx(2 * spread, rel=0.25)
    assert not tuning.gain.within_noise
    assert "On the 400 later matches the gain is" in tuning.summary
    assert repr(tuning) == f"Tuning({tuning.summary})"


def test_tuning_with_the_same_seed_and_jobs_finds_the_same_parameters(league, tuning):
    assert same(tune(WRONG, league, trials=16), tuning)
    assert not same(tune(WRONG, league, trials=16, seed=1), tuning)
    two, again = (tune(WRONG, league, trials=7, jobs=2) for _ in range(2))
    assert same(two, again)
    assert len(two.trials()) == 7
    assert two.trials()["loss"][1] == tuning.trials()["loss"][1]  # the first proposal does not depend on results


def test_stored_tuning_study_can_be_resumed(league, tuning, tmp_path):
    first = tune(WRONG, league, trials=8, storage=tmp_path / "study.db")
    assert len(first.trials()) == 8
    whole = tune(WRONG, league, trials=16, storage=f"sqlite:///{tmp_path / 'study.db'}")
    assert same(whole, tuning)
    assert same(tune(WRONG, league, trials=3, storage=tmp_path / "study.db"), tuning)  # there are enough trials already


def test_study_can_be_stored_in_postgresql(league, tuning, postgres):
    tune(WRONG, league, trials=8, storage=postgres, study="mine")
    assert same(tune(WRONG, league, trials=16, storage=postgres, study="mine"), tuning)


def _machine(url):
    tune(WRONG, a_league(seed=1), trials=8, storage=url, study="shared", progress=False)


def test_two_processes_share_a_study_in_postgresql(league, postgres):
    spawn = multiprocessing.get_context("spawn")
    machines = [spawn.Process(target=_machine, args=(postgres,)) for _ in range(2)]
    for machine in machines:
        machine.start()
    for machine in machines:
        machine.join()
    assert [machine.exitcode for machine in machines] == [0, 0]
    found = tune(WRONG, league, trials=8, storage=postgres, study="shared").trials()
    assert 8 <= len(found) <= 10  # each may start another trial while the other finishes, and both may add the first
    tried = found.filter(pl.col("beta") != WRONG.params["beta"])
    assert tried["beta"].n_unique() == len(tried) == found["trial"].n_unique() - len(found) + len(tried)


def test_stored_study_rejects_a_different_history_model_measure_or_parameters(league, tmp_path):
    def again(model=WRONG, history=league, **changed):
        given = {"parameters": ["beta"], "storage": tmp_path / "study.db", "study": "mine", "trials": 2}
        return tune(model, history, **(given | changed))

    again()
    assert again(parameters=None).unused == ()  # the study uses its own parameters; no others were tried
    for changed, what in [
        ({"history": a_league(seed=2)}, "another history or another training span"),
        ({"train": 0.5}, "another history or another training span"),
        ({"model": WRONG.replace(tau=0.02)}, "another model"),
        ({"measure": measures.brier}, "another measure"),
        ({"burn_in": 0.2}, "another burn-in"),
        ({"parameters": ["tau"]}, "tunes other parameters or ranges: beta from"),
        ({"parameters": {"beta": (1, 2)}}, "tunes other parameters or ranges"),
    ]:
        with pytest.raises(pw.Error, match=f"the study 'mine' .*{what}"):
            again(**changed)
    # Without a name, every choice of parameters has its own study.
    assert len(again(study=None, parameters=["tau"]).trials()) == 2


def test_tuning_rejects_studies_that_another_program_made_or_that_cannot_be_opened(league, tmp_path):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    theirs = optuna.create_study(storage=f"sqlite:///{tmp_path / 'study.db'}", study_name="theirs")
    theirs.tell(theirs.ask(), 1.0)
    with pytest.raises(pw.Error, match="was not made by prowess"):
        tune(WRONG, league, trials=2, storage=tmp_path / "study.db", study="theirs")
    theirs._storage.remove_session()
    (tmp_path / "text.db").write_text("no database, but a text that is as long as a header would be " * 20)
    for storage in (tmp_path / "text.db", tmp_path / "nowhere" / "study.db", "postgresql://u:secret@127.0.0.1:1/x"):
        with pytest.raises(pw.Error, match="cannot store a study there") as caught:
            tune(WRONG, league, trials=2, storage=storage)
        assert "secret" not in str(caught.value)
    with pytest.raises(pw.Error, match="storage must be"):
        tune(WRONG, league, trials=2, storage="nonsense://:port")


def test_tuning_does_not_use_the_held_out_matches(league, tuning):
    place = league.place.copy().reshape(-1, 2)
    place[600:] = np.random.default_rng(0).permutation(place[600:])
    shuffled = tune(WRONG, replace(league, place=place.ravel()), trials=16)
    assert shuffled.trials().equals(tuning.trials())
    assert shuffled.params == tuning.params
    assert shuffled.gain != tuning.gain


def test_study_resumes_after_later_matches_are_added(league, tmp_path):
    assert league.time_kind == "date"
    days = {name: show_time("date", None, league.time[at]) for name, at in (("burn_in", 60), ("train", 600))}
    for end in (900, 1000):
        found = tune(WRONG, league[:end], trials=2, storage=tmp_path / "study.db", study="a", **days)
        assert found.matches == (60, 540, end - 600)
    assert tune(WRONG, league, trials=2, train=600, burn_in=60).matches == (60, 540, 400)


def test_tuning_on_random_results_reports_no_significant_gain():
    league = pw.simulate(pw.TrueSkill(tau=0.0), 2000, 30, skills=np.full(30, 25.0)).history
    model = pw.TrueSkill(sigma=0.1, tau=0.001)  # this model treats all players as nearly equal
    found = tune(model, league, parameters=["beta", "tau"], trials=20)
    assert found.gain.within_noise
    assert "within noise" in found.summary or "none predicts them better" in found.summary


def test_tuning_keeps_the_original_model_if_no_trial_beats_it(league):
    found = tune(WRONG, league, parameters={"beta": (400.0, 500.0)}, trials=3)  # the range excludes the current value
    assert found.model == found.before == WRONG
    assert found.params == {}
    assert found.gain == (0.0, 0.0, 0.0)
    assert "none predicts better than the current parameters" in found.summary
    assert found.table()["note"].to_list() == ["unchanged"]
    assert len(found.trials()) == 3


def test_parameter_of_0_starts_at_the_low_end_of_a_logarithmic_range(league):
    model = pw.TrueSkill(sigma=SIGMA, beta=BETA, tau=0.0)
    found = tune(model, league, parameters=["tau"], trials=2)
    assert found.trials()["tau"][0] == found.space["tau"].low
    assert found.trials()["loss"][0] == found.loss[0]


def test_tuning_table_marks_parameters_at_the_end_of_their_range(league):
    found = tune(WRONG, league, parameters={"beta": (8.0, 12.5), "tau": Range(0.01, 0.02)}, trials=15)
    assert found.space == {"beta": Range(8.0, 12.5, log=True), "tau": Range(0.01, 0.02)}
    table = found.table()
    assert table.columns == ["parameter", "before", "after", "low", "high", "importance", "note"]
    assert table["note"][0].startswith("at the low end of its range")
    assert table["importance"].to_list() == [None, None]  # too few trials to estimate it


def test_tuning_leaves_out_parameters_without_effect(league):
    model = pw.TS2(beta=900.0).replace(home=pw.Home())
    found = tune(model, league[:300], trials=21)
    assert set(found.unused) == {"leader_bonus", "discount", "home_mu"}  # everyone plays alone, and nobody at home
    table = found.table()
    assert table.filter(pl.col("note") == "has no effect in this history")["parameter"].to_list() == [*found.unused]
    assert table["importance"].sum() == pytest.approx(1)
    with pytest.raises(pw.Error, match="no forecast depends on k"):
        tune(pw.Elo(), pw.History.from_matches([{"teams": [[f"a{k}"], [f"b{k}"]]} for k in range(50)]), trials=2)


def test_trial_whose_parameters_make_the_model_fail_has_no_loss_and_records_the_error():
    rng = np.random.default_rng(0)
    matches = [{"teams": np.array_split(rng.permutation(list("abcdefghijklmnop")), 2)} for _ in range(60)]
    history = pw.History.from_matches([{"teams": [list(map(str, team)) for team in m["teams"]]} for m in matches])
    found = tune(pw.TS2(), history, parameters={"mu": (-9000.0, 9000.0), "beta": (100.0, 1000.0)}, trials=20)
    failed = found.trials().filter(pl.col("loss").is_null())
    assert 0 < len(failed) < 15
    assert all("larger='top' needs a " in error for error in failed["error"])
    assert found.trials()["best"].is_finite().all()


def test_interrupted_tuning_study_can_be_resumed(league, tmp_path):
    import optuna

    calls = []

    def measure(forecasts):
        calls.append(1)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return measures.log_loss(forecasts)

    given = {"parameters": ["beta"], "trials": 9, "measure": measure, "storage": tmp_path / "study.db"}
    with pytest.raises(KeyboardInterrupt, match="stopped after 4 of 9 trials") as stopped:
        tune(WRONG, league, **given)
    found = stopped.value.tuning
    best = min(found.tried, key=lambda trial: trial.loss)
    assert len(found.trials()) == 4
    assert found.model == WRONG.replace(**best.values)
    assert found.gain.value != 0.0  # the best parameters so far are evaluated, too
    assert len(tune(WRONG, league, **given).trials()) == 9
    url = f"sqlite:///{tmp_path / 'study.db'}"
    [name] = optuna.get_all_study_names(url)
    states = [trial.state.name for trial in optuna.load_study(study_name=name, storage=url).trials]
    assert sorted(states) == ["COMPLETE"] * 9 + ["FAIL"]  # the interrupted trial does not count as running forever


def test_interrupting_a_tuning_before_any_result_raises_keyboard_interrupt(league):
    def measure(forecasts):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        tune(WRONG, league, parameters=["beta"], measure=measure)
    assert not hasattr(stopped.value, "tuning")


def test_tuning_page_has_all_report_sections(tuning, tmp_path):
    tuning.to_html(tmp_path / "tuning.html")
    page = re.sub("<script>.*?</script>", "", (tmp_path / "tuning.html").read_text(encoding="utf-8"), flags=re.DOTALL)
    assert re.findall("<h2>(.*?)</h2>", page) == [section.title for section in tuning.report().sections]
    with pytest.raises(pw.Error, match="there is no folder"):
        tuning.to_html(tmp_path / "nowhere" / "a.html")


def test_to_dict_of_a_tuning_has_all_parameters(tuning):
    plain = json.loads(json.dumps(tuning.to_dict()))
    assert plain["gain"]["value"] == tuning.gain.value
    assert {row["parameter"]: row["after"] for row in plain["parameters"]}.items() >= {
        name: tuning.model.params[name] for name in tuning.space
    }.items()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"parameters": ["bta"]}, "'bta' is not a numeric parameter of this model; .*: draw_probability, mu, sigma"),
        ({"parameters": ["caution"]}, "'caution' needs a range"),
        ({"parameters": []}, "no parameters"),
        ({"parameters": {"beta": 3}}, "must be \\(low, high\\) or a Range"),
        ({"parameters": {"beta": (-1.0, 3.0)}}, "beta cannot be tuned from -1 to 3: beta must be"),
        ({"parameters": {"beta": Range(0.1, 10, unit="sigma")}}, "must have the unit"),
        ({"train": "2126-01-01"}, "the later span has 0 of 1000 matches to score, but needs 10"),
        ({"train": "2006-01-01"}, "the training span has 0 of 1000"),
        ({"train": 999}, "the later span has 1 of 1000"),
        ({"train": 1.5}, "train must be a number of matches, a share"),
        ({"burn_in": -1}, "burn_in must be a number of matches, a share"),
        ({"train": 0.001}, "the training span has 1 of 1000"),
        ({"burn_in": 0.999}, "the training span has 1 of 1000"),
        ({"train": "soon"}, "isn't a date I understand"),
        ({"trials": 0}, "trials must be"),
        ({"jobs": 1.5}, "jobs must be"),
        ({"seed": -1}, "seed must be"),
        ({"measure": "auc"}, "a mean over matches, not 'auc'; available: log_loss, information_gain"),
        ({"measure": measures.auc}, "the measure auc must return a Tally"),
        ({"history": [1]}, "tune needs a Model and a History"),
    ],
)
def test_tune_rejects_invalid_arguments(league, changed, message):
    with pytest.raises(pw.Error, match=message):
        tune(**({"model": WRONG, "history": league, "trials": 2} | changed))


def test_tuning_raises_the_error_of_an_unusable_model(league):
    with pytest.raises(pw.Error, match="match 1 of 1000: PoissonScore needs scores"):
        tune(pw.PoissonOD(), league)
    with pytest.raises(pw.Error, match="these matches have no times"):
        tune(WRONG, replace(league, time=None, time_kind=None), train="2026-01-01")


def test_tuning_minimises_the_negative_of_a_measure_for_which_higher_is_better(league, tuning):
    found = tune(WRONG, league, trials=16, measure="information_gain")
    before, after = (measures.information_gain(model.fit(league).forecasts).values for model in (WRONG, found.model))
    assert found.loss == pytest.approx((-before[60:600].mean(), -after[60:600].mean()))
    assert found.gain.value == pytest.approx(after[600:].mean() - before[600:].mean())
    assert after[60:600].mean() > before[60:600].mean()
    assert same(tune(WRONG, league, trials=16, measure=measures.log_loss), tuning)


def test_default_loss_for_many_teams_is_the_pair_log_loss():
    rng = np.random.default_rng(3)
    matches = [{"teams": [[name] for name in rng.permutation(list("abcde"))[:3].tolist()]} for _ in range(60)]
    assert tune(pw.TrueSkill(), pw.History.from_matches(matches), trials=2).measure.name == "pair_log_loss"


def test_tuning_hides_the_logs_and_warnings_of_optuna(league, capsys):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.INFO)
    tune(WRONG, league, trials=3)
    assert capsys.readouterr() == ("", "")
    assert optuna.logging.get_verbosity() == optuna.logging.INFO


def test_tuning_chart_has_a_panel_for_every_parameter(tuning, tmp_path):
    chart = tuning.chart()
    spec = chart.to_dict()
    top, below = spec["vconcat"]
    assert [layer["mark"]["type"] for layer in top["layer"]] == ["point", "line"]
    assert [one["layer"][0]["encoding"]["x"]["field"] for one in below["concat"]] == list(tuning.space)
    assert top["layer"][0]["encoding"]["y"]["title"] == "log loss (nats)"
    save(chart, tmp_path / "tuning.svg")
    assert (tmp_path / "tuning.svg").read_text().count(">log loss (nats)<") == 2  # not in every panel


def test_history_fingerprint_depends_on_player_names_not_on_internal_indices():
    matches = [{"teams": [[f"p{k % 7}"], [f"q{k % 5}"]], "time": float(k)} for k in range(30)]
    longer = pw.History.from_matches([{"teams": [["x"], ["p3"]], "time": 0.0}, *matches])
    assert history_fingerprint(longer[1:]) == history_fingerprint(pw.History.from_matches(matches))
    assert history_fingerprint(longer[1:]) != history_fingerprint(longer[2:])
    other = [matches[0] | {"teams": [["p9"], ["q0"]]}, *matches[1:]]
    assert history_fingerprint(pw.History.from_matches(other)) != history_fingerprint(longer[1:])
    rule = pw.Elo(k=lambda matches, mu: 20.0)
    assert model_fingerprint(rule) == model_fingerprint(rule)


@pytest.mark.parametrize("directions", [1, 2, 4])
def test_surrogate_model_finds_the_minimum_of_a_function(directions):
    rng = np.random.default_rng(1)
    root = rng.normal(size=(directions, directions)) + 2 * np.eye(directions)
    points, aim = rng.random((12, directions)), np.linspace(0.3, 0.7, directions)

    def loss(at):
        away = root @ (at - aim)
        return 0.5 + float(away @ away + 0.3 * (away**3).sum())

    losses = [loss(at) for at in points]
    for _ in range(25):
        points = np.vstack([points, propose(points, np.array(losses), rng)])
        losses.append(loss(points[-1]))
    assert min(losses) - 0.5 < 1e-2 * (np.median(losses[:12]) - 0.5)


def recovered(players, matches, tau, trials):
    """Return the tuned β and τ, divided by their true values; tuning starts at 3 β and τ/4."""
    true = pw.TrueSkill(sigma=SIGMA, beta=BETA, tau=tau)
    league = pw.simulate(true, matches, players).history
    model = true.replace(beta=3 * BETA, tau=tau / 4)
    found = tune(model, league, parameters=["beta", "tau"], train=0.95, burn_in=0.0, trials=trials).model
    return found.params["beta"] / BETA, found.params["tau"] / tau


def test_tuning_recovers_the_constants_of_a_simulated_league():
    """From the curvature of the log-likelihood, the standard errors are 3 % (β) and 8 % (τ); the test allows three."""
    beta, tau = recovered(players=300, matches=20_000, tau=SIGMA / 30, trials=40)
    assert beta == pytest.approx(1, abs=0.09)
    assert tau == pytest.approx(1, abs=0.24)


@pytest.mark.long
def test_tuning_recovers_the_constants_of_a_simulated_league_within_a_tenth():
    """From the curvature of the log-likelihood, the standard errors are 0.7 % (β) and 2.2 % (τ)."""
    beta, tau = recovered(players=4_000, matches=400_000, tau=SIGMA / 50, trials=100)
    assert beta == pytest.approx(1, abs=0.1)
    assert tau == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"parameters": {"beta": ("a", "b")}}, "the low end of beta must be a finite number, not 'a'"),
        ({"measure": "sharpness"}, "a mean over matches, not 'sharpness'; available: log_loss"),
        ({"measure": lambda forecasts: np.ones(len(forecasts))}, "must return a Tally"),
    ],
)
def test_tune_rejects_invalid_ranges_and_unusable_measures(league, wrong, said):
    with pytest.raises(pw.Error, match=said):
        tune(WRONG, league, trials=2, **wrong)


def test_tuning_rejects_a_two_team_measure_for_larger_matches():
    with pytest.raises(pw.Error, match="log_loss does not apply to any of these matches: choose another"):
        tune(WRONG, pw.simulate(pw.TrueSkill(), 50, 10, teams=4).history, measure="log_loss", trials=2)


def test_tune_hints_that_a_preset_must_be_called(league):
    with pytest.raises(pw.Error, match=r"call it: TrueSkill\(\)"):
        tune(pw.TrueSkill, league)
