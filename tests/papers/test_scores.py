"""The paper on score models: its published curves, the corrected models, and its protocol."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import prowess as pw
from prowess.lab.interval import t_quantile
from prowess_papers import scores
from prowess_papers.scores import authors, correct_models
from prowess_papers.scores.claims import ahead, as_good, claims
from prowess_papers.scores.curves import Curves, learning_curves, model_system
from prowess_papers.scores.data import Games, League, merge_players, read_games, read_leagues
from prowess_papers.scores.published import TOLERANCES, deviations, published
from prowess_papers.scores.splits import PERCENTS, Split, carried_split, random_split, season_split
from prowess_papers.scores.tuned import TUNED, tuned_curves

SYSTEMS = ("Poisson-OD", "Gaussian-OD", "TrueSkill", "Gaussian-SD")


def league(data: Path, name: str) -> League:
    (found,) = (league for league in read_leagues(data) if league.name == name)
    return found


def curves(found: League, systems: dict[str, object], percents: tuple[int, ...] = PERCENTS) -> Curves:
    return learning_curves(
        systems, lambda percent, season: season_split(found, percent, season), percents, found.seasons
    )


def test_premier_league_curves_equal_the_published_curves_to_the_last_digit(data: Path) -> None:
    found = curves(league(data, "premier_league"), authors.systems("premier_league"))
    points = {key: point for key, point in published().items() if key[0] == "premier_league"}
    assert len(points) == 32 + 24 + 16  # the AUC of Gaussian-SD was not published
    for (_, measure, system, percent), point in points.items():
        at = found.percents.index(percent)
        assert found.mean(system, measure)[at] == pytest.approx(point.mean, abs=1e-5)
        assert found.error(system, measure)[at] == pytest.approx(point.stderr, abs=1e-5)


def test_australian_football_curves_are_near_the_published_curves(data: Path) -> None:
    found = curves(league(data, "afl"), authors.systems("afl"))
    near = {deviation.measure: deviation for deviation in deviations("afl", found)}
    assert {measure: deviation.points for measure, deviation in near.items()} == {
        "information_gain": 32,
        "auc": 32,
        "score_mae": 16,
    }
    assert near["information_gain"].largest < TOLERANCES["afl", "information_gain"] == 0.025
    assert near["auc"].largest < TOLERANCES["afl", "auc"] == 0.015
    assert near["score_mae"].largest < 0.15


def test_corrected_gaussian_od_beats_trueskill_on_data_where_the_released_code_did_not(data: Path) -> None:
    found = curves(league(data, "afl"), correct_models.systems(), (80,))
    gain = {system: found.mean(system, "information_gain")[0] for system in SYSTEMS}
    assert gain["Gaussian-OD"] == pytest.approx(0.106, abs=0.001)  # from an independent analysis of the same file
    assert gain["Gaussian-OD"] > gain["TrueSkill"]
    assert gain["Gaussian-OD"] > published()["afl", "information_gain", "TrueSkill", 80].mean


def test_truncated_skellam_sum_agrees_with_brute_force() -> None:
    rates = np.array([[1.4, 1.1], [90.0, 60.0], [200.0, 60.0], [0.02, 800.0], [1e-9, 1e-9]])
    history = pw.History.from_matches([{"teams": [[f"a{i}"], [f"b{i}"]], "scores": [1, 0]} for i in range(len(rates))])
    model = pw.PoissonOD(mu=0)
    start = {}
    for i, (first, second) in enumerate(np.log(rates)):
        for name, offence in ((f"a{i}", first), (f"b{i}", second)):
            start[name] = model.rating(offence=pw.Rating(offence, 1), defence=pw.Rating(0, 1))
    forecasts = model.fit(history, start).forecasts
    k = np.arange(1, 75)[:, None]
    expected = stats.skellam.pmf(k, rates[:, 0], rates[:, 1]).sum(axis=0)
    np.testing.assert_allclose(authors.skellam(forecasts), expected, atol=1e-10)
    assert expected[2] < 0.01  # without truncation it would be 1


@pytest.mark.parametrize("systems", [authors.systems("afl"), correct_models.systems()])
def test_predictions_do_not_depend_on_results_of_the_test_matches(systems: dict[str, object]) -> None:
    found = seasons_of(1, matches=40).history
    after = found.score.reshape(-1, 2).copy()
    after[20:] = 3.0 * after[20:] + 50.0  # other scores, the same winners
    one, two = (
        Split.of(replace(found, score=score), list(range(20)), list(range(30, 40)))
        for score in (found.score, after.ravel())
    )
    assert one.train == two.train
    for system in systems.values():
        assert system(one)[:2] == system(two)[:2]


def seasons_of(count: int, matches: int = 20) -> League:
    rng = np.random.default_rng(3)
    rows = [
        {"teams": [["abcd"[i]], ["abcd"[j]]], "scores": rng.poisson(2, 2).tolist(), "home": 0}
        for i, j in (rng.choice(4, 2, replace=False) for _ in range(count * matches))
    ]
    return League("afl", pw.History.from_matches(rows), np.repeat(np.arange(2000, 2000 + count), matches))


def test_season_splits_train_on_early_matches_and_test_on_late_matches() -> None:
    found = seasons_of(3)
    alone, memory = season_split(found, 50, 2001), carried_split(found, 50, 2001)
    assert alone.train == found.history[20:30]
    assert memory.train == found.history[:30]
    for split in (alone, memory):
        assert split.test == found.history[36:40]
        assert len(split.forecasts(pw.TrueSkill())) == 4
    with pytest.raises(pw.Error, match="too few"):
        season_split(seasons_of(2, matches=2), 10, 2000)


def test_random_split_tests_only_matches_of_known_players() -> None:
    rng = np.random.default_rng(4)
    rows = [
        {"teams": [[f"p{i}"], [f"p{j}"]], "scores": [3, 1]}
        for i, j in (rng.choice(60, 2, replace=False) for _ in range(200))
    ]
    games = Games("halo2", pw.History.from_matches(rows))
    split = random_split(games, 20, (7, 0))
    assert len(split.train) == 40
    known = {name for match in split.train for team in match["teams"] for name in team}
    tests = [match["teams"] for match in split.test]
    last = [row["teams"] for row in rows[180:]]
    assert tests == [teams for teams in last if {name for team in teams for name in team} <= known]
    assert 0 < len(tests) < 20
    assert random_split(games, 20, (7, 0)).train == split.train
    assert random_split(games, 20, (7, 1)).train != split.train


def write_halo(folder: Path, games: int = 200) -> None:
    """Write Head to Head games in the format of the real file, with ids that differ only in the last digit."""
    rng = np.random.default_rng(5)
    skill = rng.normal(0.0, 4.0, 12)
    lines = []
    for game in range(games):
        pair = rng.choice(12, 2, replace=False)
        when = f"08 July 2004 {15 + game // 60 % 9:02d}:{game % 60:02d}:00,{215333 + game},2,10"
        for team, player in enumerate(pair):
            ident = 2726956381513200 + 10 * (player // 2) + player % 2
            score = round(rng.normal(10.0 + skill[player], 4.0)) - 5
            lines.append(f"{when},{ident},{team + 1},{score}\n")
    (folder / "HeadToHead.csv").write_text("".join(lines), encoding="utf-8")


def test_halo_2_files_are_read_in_their_original_format(tmp_path: Path) -> None:
    write_halo(tmp_path)
    games = read_games(tmp_path)
    assert games is not None
    assert (len(games.history), len(games.history.players), games.history.score.min()) == (200, 12, 0.0)
    fewer = merge_players(games).history
    assert len(fewer.players) == 6
    pairs = [match["teams"] for match in games.history]
    assert len(fewer) == sum(one[0][:-1] != two[0][:-1] for one, two in pairs) < 200
    report = scores.run(tmp_path, small=True)
    text = json.dumps(report.to_dict(), allow_nan=False)
    assert "200 matches of 12 players (6 without the last digit)" in text
    assert "Halo 2: Gaussian-OD gains more information than Gaussian-SD" in text


def test_report_on_the_score_paper_has_all_sections(data: Path) -> None:
    report = scores.run(data, small=True)
    plain = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    sections = {section["title"]: section for section in plain["sections"]}
    first = sections["With the authors' released code: distance from the published curves"]["table"]
    assert [row["within"] for row in first] == ["yes"] * 5 + [None]
    for title in (
        "Premier League: AUC, ours and as published",
        "AFL: the corrected models",
        "Premier League: tuned models, 2002 and later",
        "AFL: tuned, corrected and published",
    ):
        assert sections[title]["table"]
    assert sum(section.chart is not None for section in report.sections) == 3
    for title in ("with the authors' released code", "with the corrected models"):
        judged = sections[f"The paper's claims, {title}"]["claims"]
        assert len(judged) == 5 + 4
        assert all(" to " in claim["evidence"] for claim in judged)
    chart = next(section.chart for section in report.sections if section.chart is not None).to_dict()
    assert len(chart["datasets"]["points"]) == 2 * 3 * (4 + 4 + 2)


def test_missing_or_incomplete_data_files_raise_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(pw.Error, match=r"none of premier_league_1995_2009\.csv, .* found"):
        scores.run(tmp_path)
    file = tmp_path / "afl_1999_2009.csv"
    file.write_text("date,home,away,home_points,away_points\n2001-01-01,a,b,3,4\n", encoding="utf-8")
    with pytest.raises(pw.Error, match="needs a date and the year of its season"):
        scores.run(tmp_path)
    file.write_text("season,date,home,away\n2001,2001-01-01,a,b\n", encoding="utf-8")
    with pytest.raises(pw.Error, match=r"afl_1999_2009\.csv"):
        scores.run(tmp_path)


def test_t_quantile_agrees_with_scipy() -> None:
    for freedom in (1, 2, 3, 4, 5, 8, 10, 13, 29, 1000):
        assert t_quantile(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), abs=3e-4)


def test_differences_between_models_are_paired_by_season() -> None:
    rng = np.random.default_rng(6)
    values = rng.normal(size=(2, 3, 11, 4))
    found = Curves(("a", "b"), (10, 40, 80), values).difference("a", "b", "auc", (10, 80))
    gaps = (values[0] - values[1])[[0, 2], :, 1].mean(axis=0)
    expected = stats.ttest_1samp(gaps, 0.0).confidence_interval(0.95)
    np.testing.assert_allclose(found, (gaps.mean(), expected.low, expected.high), atol=1e-4)


def test_verdict_on_a_claim_depends_on_the_confidence_interval() -> None:
    rng = np.random.default_rng(7)
    values = rng.normal(0.0, 0.001, (4, 8, 14, 4))
    values[1, :, :, 0] += 0.1  # Gaussian-OD gains more information, and misses scores by more
    values[1, :, :, 2] += 0.1
    found = Curves(SYSTEMS, PERCENTS, values)
    assert ahead(found, "information_gain", [("Gaussian-OD", "TrueSkill")])[0] is True
    assert ahead(found, "information_gain", [("TrueSkill", "Gaussian-OD")])[0] is False
    assert ahead(found, "information_gain", [("Gaussian-OD", "TrueSkill"), ("TrueSkill", "Poisson-OD")])[0] is None
    assert ahead(found, "auc", [("TrueSkill", "TrueSkill")])[0] is False
    assert as_good(found, "information_gain", [("Gaussian-OD", "TrueSkill")])[0] is True
    assert as_good(found, "information_gain", [("TrueSkill", "Gaussian-OD")])[0] is False
    verdict = {claim.text: claim.holds for claim in claims({"premier_league": found, "afl": found})}
    assert verdict["Premier League: Gaussian-OD predicts scores better than Poisson-OD"] is False
    assert verdict["AFL: Poisson-OD predicts scores better than Gaussian-OD"] is True


def test_tuned_curves_do_not_depend_on_the_number_of_processes() -> None:
    found = seasons_of(3)
    models = TUNED["premier_league"].models
    one = tuned_curves(found, models, percents=(50, 80))
    two = tuned_curves(found, models, percents=(50, 80), jobs=2)
    np.testing.assert_array_equal(one.values, two.values)
    alone = tuned_curves(found, models, season_split, percents=(80,), seasons=[2002])
    expected = model_system(models["TrueSkill"])(season_split(found, 80, 2002))
    assert alone.mean("TrueSkill", "auc") == [expected.auc]
    assert not one.has("TrueSkill", "score_mae")
    assert one.has("TrueSkill", "log_loss")
    with pytest.raises(pw.Error, match="random split"):
        tuned_curves(found, models, seasons=[])
