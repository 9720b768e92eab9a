"""Fair comparisons set the constants of models from training matches, but keep parameters that the user has set."""

import numpy as np
import polars as pl
import pytest

import prowess as pw
from prowess.lab import Prequential, RandomSplits, compare
from prowess.lab.auto.facts import Facts
from prowess.lab.compare import verdict
from prowess.lab.compare.fairness import FairCandidate, draw_share, fair_settings

from .test_training import changed


def football(matches=600, *, level=1.3, home=True, seed=3):
    """Return matches of 12 teams whose goals are Poisson variables around a level, with a home advantage."""
    rng = np.random.default_rng(seed)
    attack, defence = 0.3 * rng.normal(size=(2, 12))
    rows = []
    for _ in range(matches):
        one, two = rng.permutation(12)[:2]
        rates = level * np.exp([attack[one] - defence[two] + 0.2, attack[two] - defence[one] - 0.1])
        rows.append({"teams": [[f"p{one}"], [f"p{two}"]], "scores": rng.poisson(rates).astype(float).tolist()})
    return pw.History.from_matches([row | ({"home": 0} if home else {}) for row in rows])


@pytest.fixture(scope="module")
def history():
    return football()


FAMILIES = ["trueskill", "gaussiansd", "gaussianod", "poissonod"]


def test_fair_constants_are_estimated_from_the_training_matches(history):
    found = compare(history, [*FAMILIES, "elo"], fair=True)
    assert list(found.models) == [
        f"{name} (fair)" for name in ("TrueSkill", "GaussianSD", "GaussianOD", "PoissonOD", "Elo")
    ]
    assert len(found) == 360
    first = history[:240]
    scores = first.score.reshape(-1, 2)
    drawn = (scores[:, 0] == scores[:, 1]).sum()
    params = {name: model.params for name, model in found.models.items()}
    assert params["TrueSkill (fair)"]["draw_probability"] == pytest.approx((drawn + 0.5) / 241)
    assert params["PoissonOD (fair)"]["base_rate"] == pytest.approx(scores.mean())
    for name in ("GaussianSD (fair)", "GaussianOD (fair)"):
        assert params[name]["rounding"] == 1.0
        assert params[name]["beta"] == 0.0
    assert params["GaussianOD (fair)"]["gamma"] / scores.std() == pytest.approx(0.9, abs=0.2)
    assert params["GaussianSD (fair)"]["gamma"] / np.diff(scores).std() == pytest.approx(0.9, abs=0.2)
    assert all(model.home is not None and model.home.learnt for model in found.models.values())


def test_model_families_forecast_about_equally_well_with_fair_constants(history):
    """The teams differ little, so no family has an advantage once its constants fit the goals."""
    textbook, fair = (compare(history, FAMILIES, fair=fair, protocol=Prequential(0.4)) for fair in (False, True))
    losses = [[interval.value for interval in found.intervals("log_loss").values()] for found in (textbook, fair)]
    assert max(losses[0]) > 2.0  # the textbook Gaussian models never expect a draw
    assert max(losses[1]) - min(losses[1]) < 0.03
    assert max(losses[1]) < min(losses[0])


@pytest.mark.parametrize("level", [0.05, 1.3, 90.0, 3000.0])
def test_fair_comparison_adapts_score_models_to_any_level_of_scores(level):
    found = compare(football(300, level=level), ["gaussianod", "gaussiansd", "poissonod"], fair=True)
    base = pw.TrueSkill(draw_probability=draw_share(found.history))
    best = compare(found.history, {"TrueSkill": base}, protocol=Prequential(0.4)).intervals()["TrueSkill"].value
    for name, interval in found.intervals("log_loss").items():
        assert interval.value < best + 0.1, name


def test_scores_that_vary_more_than_poisson_counts_get_extra_noise():
    rng = np.random.default_rng(0)
    scores = (7.0 * rng.poisson(14, size=(400, 2))).tolist()
    history = pw.History.from_matches([{"teams": [["a"], ["b"]], "scores": score} for score in scores])
    params = FairCandidate(pw.PoissonOD()).set_up("all", history, None).model.params
    # The scores have a mean of 98 and a variance of 49 · 14. The noise is 0.81 of this variance, and the Poisson
    # distribution itself accounts for 98 of the noise.
    assert 2 * (98 * params["beta"]) ** 2 == pytest.approx(0.81 * 49 * 14 - 98, rel=0.15)
    even = pw.History.from_matches([{"teams": [["a"], ["b"]], "scores": [2, 1]}] * 30)
    assert FairCandidate(pw.PoissonOD()).set_up("all", even, None).model.params["beta"] == 0.0


def test_fair_comparison_keeps_parameters_that_the_user_set(history):
    facts = Facts.of(history, len(history))
    assert fair_settings(pw.TrueSkill(draw_probability=0.3), history, facts) == {}
    assert fair_settings(pw.TrueSkill(margin=2.0), history, facts) == {}
    poisson = fair_settings(pw.PoissonOD(mu=0, sigma=0.3, base_rate="learnt"), history, facts)
    assert poisson.keys() == {"beta"}
    assert "gamma" not in fair_settings(pw.GaussianOD(gamma=1.5), history, facts)
    given = pw.compose(pw.TrueSkill(), home_advantage=2)
    assert FairCandidate(given).set_up("all", history, None).model.home == given.home
    assert fair_settings(pw.Elo(), history, facts) == {}


def test_remark_says_which_models_have_no_constant_to_set():
    history = football(100, home=False)
    found = compare(history, ["elo", "trueskill"], fair=True)
    assert found.models["Elo (fair)"] == pw.Elo()
    text = verdict.remarks(found)[0]
    assert text.startswith("Elo (fair): nothing changed. TrueSkill (fair): draw_probability 0.")
    assert text.endswith("This choice used 40 matches that were not scored.")
    both = compare(football(100), ["elo", "glicko"], fair=True)
    assert verdict.remarks(both)[0].startswith(
        "Elo (fair) and Glicko (fair): a learnt home advantage. This choice used"
    )
    unscored = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [1, 2]}] * 60)
    assert compare(unscored, ["trueskill"], fair=True).models["TrueSkill (fair)"].params["draw_probability"] < 0.03
    none = compare(history, ["trueskill"], fair=True, protocol=Prequential(0))
    assert none.models["TrueSkill (fair)"] == pw.TrueSkill()
    assert "There were no training matches" in verdict.remarks(none)[0]


def test_draw_share_of_many_teams_counts_ties_between_neighbouring_teams():
    ranks = [[1, 1, 2, 3], [4, 3, 2, 1], [1, 2, 2, 2]]
    history = pw.History.from_matches([{"teams": [["a"], ["b"], ["c"], ["d"]], "ranks": places} for places in ranks])
    assert draw_share(history) == (3 + 0.5) / (9 + 1)
    found = compare(pw.History.from_matches([history[0]] * 50), ["trueskill", "ts2", "elo"], fair=True)
    assert found.models["TrueSkill (fair)"].params["draw_probability"] == pytest.approx((20 + 0.5) / 61)


@pytest.mark.parametrize("protocol", [None, RandomSplits(2, 0.5)])
def test_changing_a_scored_match_changes_no_fair_constant(history, protocol):
    part = history[:100]
    before = compare(part, FAMILIES, fair=True, protocol=protocol)
    for row in (0, len(before) - 1):
        match, run = before.rows.match[row], before.rows.run[row]
        after = compare(changed(part, match), FAMILIES, fair=True, protocol=protocol)
        for name, choices in before.chosen.items():
            assert after.chosen[name][run] == choices[run]


def test_fair_comparison_includes_auto_and_reports_no_gain_from_home_advantage(history):
    found = compare(history[:200], fair=True, jobs=1)
    assert "auto" in found.models
    assert all(name.endswith(" (fair)") for name in found.models if name != "auto")
    assert found.home_gain is None
    table = next(
        section.table for section in found.report().sections if section.title == "Set up from training matches"
    )
    assert isinstance(table, pl.DataFrame)
    assert table["model"].to_list() == list(found.models)


def test_unusable_model_is_named_before_constants_are_set():
    history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [1, 2]}] * 30)
    with pytest.raises(pw.Error, match=r"PoissonOD \(fair\) cannot use match 1 of this history"):
        compare(history, ["poissonod"], fair=True)
