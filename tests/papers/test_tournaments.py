"""The tournament papers: their tables, the effect of team order, errors on real results, and a small run."""

import json
from dataclasses import replace
from itertools import combinations
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

import prowess as pw
from prowess.history.ragged import owners
from prowess.lab import compare
from prowess.lab.measures import pair_error
from prowess_papers.paper import load_published
from prowess_papers.tournaments import SPANS, run
from prowess_papers.tournaments.claims import Judge
from prowess_papers.tournaments.data import Spans, mirrored, read, shuffled, shuffled_ties
from prowess_papers.tournaments.figures import relative
from prowess_papers.tournaments.league import FIVE, SIX, models
from prowess_papers.tournaments.listing import listings
from prowess_papers.tournaments.real import MAIN, Variant, elos, factorial
from prowess_papers.tournaments.tables import ahead, count_wins, error_table

TUNED = ("TSa tuned", "TS2 tuned", "TS2c tuned", "TS3 tuned", "TS3c tuned", "Elo tuned")


def tiny(seed: int = 1, matches: int = 12) -> pw.History:
    """Return tournaments in which some of eight teams take part, with few distinct places."""
    rng = np.random.default_rng(seed)
    played = []
    for _ in range(matches):
        teams = rng.permutation(8)[: rng.integers(2, 8)]
        played.append(
            {"teams": [[f"t{team}"] for team in teams], "ranks": list((teams + rng.normal(0, 3, len(teams))) // 3)}
        )
    return pw.History.from_matches(played)


def brute(fit: pw.Fit) -> tuple[list[float], list[float]]:
    """Return pair and place errors of every tournament by their definitions; NaN if all teams tied."""
    history, pairs, places = fit.history, [], []
    for match in range(len(history)):
        teams = range(history.match_start[match], history.match_start[match + 1])
        wrong = [
            0.5 if fit.forecasts.mean[a] == fit.forecasts.mean[b]
            else float((history.place[a] < history.place[b]) != (fit.forecasts.mean[a] > fit.forecasts.mean[b]))
            for a, b in combinations(teams, 2)
            if history.place[a] != history.place[b]
        ]  # fmt: skip
        pairs.append(sum(wrong) / len(wrong) if wrong else float("nan"))
        truth = {t: history.place[t] for t in teams}
        guess = {t: -fit.forecasts.mean[t] for t in teams}
        x, y = (
            {t: 1 + sum(k[u] < k[t] for u in teams) + sum(k[u] == k[t] for u in teams if u != t) / 2 for t in teams}
            for k in (truth, guess)
        )
        weight = {
            t: np.mean([1 / sqrt(1 + sum(truth[u] < truth[t] for u in teams) + k) for k in range(same)])
            for t in teams
            for same in [sum(truth[u] == truth[t] for u in teams)]
        }
        places.append(sqrt(sum(weight[t] * (x[t] - y[t]) ** 2 for t in teams)))
    return pairs, places


def test_tables_of_wins_and_errors_agree_with_brute_force():
    history, spans = tiny(), Spans((6, 4, 2), 3)
    named = {"A": pw.TSa(margin=20.0), "B": pw.TS2c(), "C": pw.Elo()}
    found = compare(history, named, measures=["pair_error", "place_error"])
    errors = {name: brute(model.fit(history)) for name, model in named.items()}
    labels = {"one": "A", "two": "B", "three": "C"}
    for measure, which in (("pair_error", 0), ("place_error", 1)):
        table = count_wins(found, labels, spans.mask(history), measure)
        for row, label in zip(table.iter_rows(named=True), labels, strict=True):
            for other in labels:
                ours, theirs = errors[labels[label]][which][-6:], errors[labels[other]][which][-6:]
                assert row[other] == sum(a < b - 1e-12 for a, b in zip(ours, theirs, strict=True))
        assert [tuple(row[1:]) for row in ahead(table).iter_rows()] == [
            tuple(table[other][i] - table[label][k] for k, other in enumerate(labels)) for i, label in enumerate(labels)
        ]
    table = error_table(found, labels, spans, {"two": "TS2c"})
    for span, many in zip(spans.names, (12, 6, 4, 2), strict=True):
        expected = [100 * np.nanmean(errors[name][0][-many:]) for name in named]
        np.testing.assert_allclose(table[span].to_numpy(), expected, atol=0.0051)
    assert table["last 300, published"].to_list() == [None, 20.6, None]
    ratio = relative(found, "B", "C", spans.mask(history))
    np.testing.assert_allclose(ratio, np.array(errors["B"][1][-6:]) / np.array(errors["C"][1][-6:]))


def test_verdict_on_a_claim_depends_on_the_confidence_interval():
    history = tiny(2, 150)
    found = compare(
        history, {"good": pw.TS2(), "twin": pw.TS2(beta=400.0), "none": pw.TS2(sigma=1e-6)}, measures=["pair_error"]
    )
    judge = Judge(found, np.arange(150) >= 50)
    assert judge.better("learning helps", [("good", "none")]).holds is True
    assert judge.better("learning hurts", [("none", "good")]).holds is False
    assert judge.better("a twin is better", [("twin", "good")]).holds is False
    assert judge.alike("twins", [("twin", "good")], 0.1).holds is True
    assert judge.alike("strangers", [("none", "good")], 0.1).holds is False
    both = judge.apart(["good", "none"], ["none", "none"])
    assert both.value == pytest.approx(judge.apart(["good"], ["none"]).value / 2)


def test_published_tables_of_the_tournament_papers_agree_with_each_other():
    papers = load_published("tournaments")
    ten, eleven = papers["extensions2010"], papers["icml2011"]
    counts, balance = (np.array([ten[table][name] for name in ten["models"]]) for table in ("won", "ahead"))
    np.testing.assert_array_equal(counts - counts.T, balance)
    assert ((counts + counts.T) <= ten["won"]["last"]).all()
    counts = np.array([eleven["won"][name] for name in eleven["models"]])
    assert ((counts + counts.T) <= eleven["won"]["last"]).all()
    assert list(SIX) == ten["models"]
    assert list(FIVE) == eleven["models"]


@pytest.mark.parametrize("listed", [mirrored, lambda h: shuffled(h, 3), lambda h: shuffled_ties(h, 3)])
def test_reordering_teams_keeps_the_results_of_matches(listed):
    history = pw.History.from_matches(
        [{"teams": [["a", "b"], ["c"], ["d"]], "ranks": [1, 1, 3]}, {"teams": [["d"], ["b"]], "ranks": [2, 1]}]
    )
    again = listed(history)
    for one, other in zip(history, again, strict=True):
        pairs = [sorted(zip(match["teams"], match["ranks"], strict=True)) for match in (one, other)]
        assert pairs[0] == pairs[1]
    assert again.match_start.tolist() == history.match_start.tolist()


def test_model_names_agree_with_their_components():
    for parts, model in models(0.5).items():
        assert (type(model.absorb).__name__ == "Constant") is parts.fixed
        assert ("draw_probability" in model.params) is (parts.policy == "draws")
        assert {"chain": "Order", "places": "Places", "places by ML": "PlacesML"}[parts.graph] == type(
            model.outcome
        ).__name__
    for variant, model in factorial(0.5).items():
        assert (type(model.absorb).__name__ == "Constant") is variant.fixed
        assert isinstance(model.prior, pw.Newcomers) is (variant.source == "newcomers")
    assert set(MAIN.values()) <= {variant.name for variant in factorial(0.5)} | set(elos())


def test_team_order_in_the_file_does_not_affect_ts2(data: Path):
    history = read(data)[:300]
    found = listings(history, {"TS2": factorial(0.5)[Variant("TS2", False, "number", "tuned")]}, seed=2)
    filed = found["TS2", "as filed"]
    for way in ("mirrored", "ties by lot", "all by lot"):
        np.testing.assert_allclose(found["TS2", way].expected, filed.expected, atol=1e-6)
        np.testing.assert_allclose(found["TS2", way].error, filed.error, atol=1e-6)
    chain = listings(history[:100], {"TSa": pw.TSa(margin=pw.outcome.Spread())}, seed=2)
    assert np.abs(chain["TSa", "mirrored"].expected - chain["TSa", "as filed"].expected).max() > 1


def test_pair_errors_on_real_tournaments_are_below_the_targets(data: Path):
    history = read(data)
    made = {variant.name: model for variant, model in factorial(0.78).items()} | elos()
    found = compare(history, {label: made[MAIN[label]] for label in TUNED}, measures=["pair_error"])
    errors = found.intervals("pair_error", SPANS.mask(history))
    early = np.arange(len(history)) < len(history) - SPANS.last[0]
    best = next(iter(found.intervals("pair_error", early)))
    assert errors[best].value <= 0.213
    assert max(interval.value for interval in errors.values()) < 0.235


def test_permuted_tournament_results_cannot_be_predicted(data: Path):
    history = read(data)[:500]
    match = owners(history.match_start)
    order = np.lexsort((np.random.default_rng(4).random(history.teams), match))
    permuted = replace(history, place=history.place[order])
    for source in ("tuned", "newcomers"):
        model = factorial(0.5)[Variant("TS2", False, "number", source)]
        errors = pair_error(model.fit(permuted).forecasts).values
        errors = errors[~np.isnan(errors)]
        assert errors.mean() == pytest.approx(0.5, abs=3 * errors.std() / sqrt(len(errors)))


def test_small_run_of_the_tournament_papers_has_all_report_sections(data: Path, tmp_path: Path):
    report = run(data, small=True, seed=1, progress=False)
    titles = [section.title for section in report.sections]
    for title in (
        "Table 2 of 2011: pair error", "Table 1 of 2011: tournaments won", "Every ε, with variable and with fixed σ",
        "Graph or ε", "Does the order of the teams matter?", "Run time", "Table 2 of 2011 on rosters: pair error",
        "Table 1 of 2011 on rosters: tournaments won", "The parts of a model: graph, ε, team function and σ",
        "The effect of each part", "Table 1 of 2010: better predictions", "Table 2 of 2010: advantages",
    ):  # fmt: skip
        assert report.sections[titles.index(title)].text
    charts = [section.title for section in report.sections if section.chart is not None]
    assert [title.partition(":")[0] for title in charts] == [
        "Figure 5 of 2011", "Figure 5 of 2011 on rosters", "Figure 3 of 2010",
    ]  # fmt: skip
    assert sum(len(section.claims) for section in report.sections) > 20
    report.save(tmp_path / "tournaments.html")
    plain = json.loads(json.dumps(report.to_dict()))
    beside = plain["sections"][titles.index("Table 1 of 2010: better predictions")]["table"]
    assert beside[5]["1 TrueSkill published"] == 104


@pytest.mark.long
def test_main_claims_of_the_paper_hold_in_a_full_run(data: Path):
    report = run(data, progress=False)
    sections = {section.title: section for section in report.sections}
    real = sections["Table 2 of 2011: pair error"].table
    assert real is not None
    assert real["last 300"].min() <= 21.3
    assert real.filter(real["model"].str.ends_with("tuned"))["last 300"].max() < 23.5
    rosters = sections["Table 2 of 2011 on rosters: pair error"].table
    assert rosters is not None
    errors = dict(rosters.select("model", "last 300").iter_rows())
    assert errors["TSa"] > errors["TSb"] > max(errors[name] for name in ("TS2a", "TS2b", "TS2c"))
    verdicts = {claim.text: claim.holds for section in report.sections for claim in section.claims}
    assert verdicts["All three versions of TS2 far outperform TrueSkill"]
    assert verdicts["TrueSkill has lost to every modification"]
    assert verdicts["TrueSkill's chain depends on the order in which tied teams are listed; TS2 and TS3 do not"]
