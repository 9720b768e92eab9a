"""The number that is shown as the rating is the number that sorts, and provisional players are listed apart."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

import prowess as pw
from prowess.model.ladder.leaderboard import order_of, rating_column

# A newcomer of TrueSkill is 25 ± 25/3, so ratings are provisional while σ > 25/6 = 4.167.
RATINGS = {
    "ann": pw.Rating(30, 4.0),
    "bob": pw.Rating(40, 6.0),
    "cat": pw.Rating(29, 1.0),
    "dan": pw.Rating(20, 8.0),
    "eve": pw.Rating(28, 4.16),
}
BY_MEAN = ["ann", "cat", "eve", "bob", "dan"]  # bob and dan are provisional
BY_SHOWN = ["cat", "bob", "ann", "eve", "dan"]  # 26, 22, 18, 15.52, −4
DAYS = [f"2026-{month:02d}-{day:02d}" for month in (1, 2, 3) for day in range(1, 29)]


def history(matches: int = 150, late: int = 8) -> pw.History:
    """Return matches in which `late` further players appear shortly before the end."""
    rng = np.random.default_rng(7)
    found = []
    for index in range(matches):
        new = f"late{index % late}" if index >= matches - 10 else None
        one, other = rng.choice(9, 2, replace=False).tolist()
        scores = [int(rng.poisson(2 + one / 4)), int(rng.poisson(2 + other / 4))]
        match = {"teams": [[f"p{one}"], [new or f"p{other}"]], "scores": scores, "home": index % 2}
        context = {"surface": ("clay", "grass")[index % 3 == 0]}
        found.append(match | {"time": DAYS[index * len(DAYS) // matches], "context": context})
    return pw.History.from_matches(found)


def check_order(frame: pl.DataFrame) -> None:
    """Check that the rating falls from row to row, separately for established and provisional players."""
    marks = frame["provisional"] if "provisional" in frame.columns else pl.Series([False] * len(frame))
    assert marks.is_sorted()  # the provisional players come last
    for mark in (False, True):
        group = frame.filter(marks == mark)
        assert group[rating_column(frame.columns)].is_sorted(descending=True)
    assert frame["rank"].is_sorted()


def test_with_points_players_are_ranked_by_the_mean_and_provisional_players_listed_last() -> None:
    ladder = pw.Ladder(pw.TrueSkill(), RATINGS, scale=(1500, 400))
    table = ladder.leaderboard()
    assert table["player"].to_list() == BY_MEAN
    assert table["rank"].to_list() == [1, 2, 3, 4, 5]
    assert table["provisional"].to_list() == [False, False, False, True, True]
    assert table["points"].to_list() == [ladder.points.of(RATINGS[name].mu) for name in BY_MEAN]
    assert rating_column(table.columns) == "points"
    assert "points_shown" not in table.columns


def test_without_points_players_are_ranked_by_the_conservative_rating_as_before() -> None:
    table = pw.Ladder(pw.TrueSkill(), RATINGS).leaderboard()
    assert table["player"].to_list() == BY_SHOWN
    assert table.columns == ["rank", "player", "mu", "sigma", "shown", "matches", "last_seen", "active"]
    assert rating_column(table.columns) == "shown"
    without_caution = pw.Ladder(pw.TrueSkill().replace(caution=0.0), RATINGS).leaderboard()
    assert without_caution["player"].to_list() == ["bob", "ann", "cat", "eve", "dan"]


def test_each_ranking_can_be_chosen_with_or_without_points() -> None:
    plain = pw.Ladder(pw.TrueSkill(), RATINGS).leaderboard(ranking="mean")
    assert plain["player"].to_list() == BY_MEAN
    assert plain["provisional"].to_list() == [False, False, False, True, True]
    assert (rating_column(plain.columns), "points" in plain.columns) == ("mu", False)
    ladder = pw.Ladder(pw.TrueSkill(), RATINGS, scale=(1500, 400))
    table = ladder.leaderboard(ranking="conservative")
    assert table["player"].to_list() == BY_SHOWN
    assert rating_column(table.columns) == "points_shown"
    assert table["points_shown"].to_list() == [ladder.points.of(RATINGS[name].shown) for name in BY_SHOWN]
    assert table["points"].to_list() == [ladder.points.of(RATINGS[name].mu) for name in BY_SHOWN]
    assert "provisional" not in table.columns
    for frame in (plain, table):
        check_order(frame)


def test_players_who_are_all_provisional_are_one_list() -> None:
    new = {name: pw.Rating(mu, 8.0) for name, mu in (("ann", 26), ("bob", 30), ("cat", 26))}
    table = pw.Ladder(pw.TrueSkill(), new, scale=(1500, 400)).leaderboard()
    assert table.select("rank", "player").rows() == [(1, "bob"), (2, "ann"), (2, "cat")]
    assert table["provisional"].all()


@pytest.mark.parametrize("model", [pw.Elo(), pw.Harkness()])
def test_systems_without_uncertainty_have_no_provisional_players(model: pw.Model) -> None:
    ladder = pw.Ladder(model, {"ann": pw.Rating(1500), "bob": pw.Rating(1600)}, scale=(1500, 400))
    for ranking in (None, "mean", "conservative"):
        table = ladder.leaderboard(ranking=ranking)
        assert table["player"].to_list() == ["bob", "ann"]
        assert not {"provisional", "points_shown"} & set(table.columns)


def test_unknown_ranking_is_an_error_that_names_the_two() -> None:
    with pytest.raises(pw.Error, match='ranking must be "mean" or "conservative"') as raised:
        pw.Ladder(pw.TrueSkill(), RATINGS).leaderboard(ranking="points")
    assert (raised.value.field, raised.value.value) == ("ranking", "points")


def test_a_quarter_of_the_variance_of_all_traits_together_is_the_limit() -> None:
    """Offence and defence have σ 1 each when new, so their sum has the variance 2 and the limit is 0.5."""
    model = pw.GaussianOD().replace(prior=pw.Normal(0.0, 1.0))
    known = {name: pw.Rating(0.0, sigma) for name, sigma in (("in", 0.49), ("out", 0.51))}
    ladder = pw.Ladder(model, {name: model.rating(one.mu, one.sigma) for name, one in known.items()}, scale=(0, 1))
    assert dict(ladder.leaderboard().select("player", "provisional").iter_rows()) == {"in": False, "out": True}


def test_newcomers_at_a_value_of_the_context_have_the_variance_of_its_facet_too() -> None:
    """A newcomer on clay has the variance 16 + 1, so the limit there is 4.25; for the skills it is 4."""
    model = pw.TrueSkill(sigma=4.0).replace(facets=(pw.facet.By("surface", sigma=1.0),))
    ladder = pw.Ladder(model, {"ann": pw.Rating(25, 1.9), "bob": pw.Rating(25, 1.7)}, scale=(1500, 400))
    ladder.record([["x"], ["y"]], context={"surface": "clay"})
    assert order_of(ladder).limit == pytest.approx(4.0)
    assert order_of(ladder, context={"surface": "clay"}).limit == pytest.approx(4.25)
    at_clay = dict(ladder.leaderboard(surface="clay", all=True).select("player", "provisional").iter_rows())
    assert (at_clay["ann"], at_clay["bob"]) == (True, False)  # 3.61 + 1 > 4.25, and 2.89 + 1 < 4.25


def test_newcomers_of_a_prior_that_learns_are_those_of_the_league() -> None:
    """The level of newcomers becomes known, so the variance of a newcomer falls from 50 towards 25."""
    prior = pw.Newcomers(pw.Normal(25, 5), level_sigma=5, matches=1)
    ladder = pw.Ladder(pw.TrueSkill().replace(prior=prior), scale=(1500, 400))
    assert order_of(ladder).limit == pytest.approx(12.5)
    for number in range(40):
        ladder.record([["ann"], [f"new{number}"]])
    assert order_of(ladder).limit == pytest.approx(0.25 * ladder.newcomer.sigma**2)
    assert order_of(ladder).limit < 12.0


def _od() -> pw.Model:
    return pw.GaussianOD().replace(home=pw.Home(home_sigma=1.0))


MODELS: list[Callable[[], pw.Model]] = [
    pw.TrueSkill,
    pw.Glicko,
    pw.Elo,
    _od,
    lambda: pw.TrueSkill().replace(facets=(pw.facet.By("surface"),)),
    lambda: pw.TrueSkill().replace(prior=pw.Newcomers(pw.Normal(25, 8), level_sigma=3)),
]


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize("scale", [None, (1500, 400)])
@pytest.mark.parametrize("ranking", [None, "mean", "conservative"])
def test_the_rating_falls_from_row_to_row_in_all_leaderboards(
    make: Callable[[], pw.Model], scale: tuple[float, float] | None, ranking: str | None
) -> None:
    model, matches = make(), history()
    fit = model.fit(matches, scale=scale)
    frames = [
        fit.leaderboard(ranking=ranking),
        fit.leaderboard(at="2026-02", since="2026-02-20", ranking=ranking, min_matches=2),
        fit.ladder.leaderboard(ranking=ranking),
        pw.standings(model, matches, scale=scale, ranking=ranking).frame,
    ]
    if model.facets:
        frames.append(fit.leaderboard(surface="clay", ranking=ranking))
    for frame in frames:
        assert len(frame) >= 9
        check_order(frame)
    if make is pw.TrueSkill and scale is not None and ranking != "conservative":
        assert set(frames[0]["provisional"]) == {False, True}


@pytest.mark.parametrize("scale", [None, (1500, 400)])
@pytest.mark.parametrize("ranking", [None, "mean", "conservative"])
def test_leaderboards_in_hindsight_follow_the_same_order(
    scale: tuple[float, float] | None, ranking: str | None
) -> None:
    model = pw.TrueSkill().replace(drift=pw.drift.PerTime(0.1))
    hindsight = model.hindsight(history(), scale=scale)
    for frame in (
        hindsight.leaderboard(ranking=ranking),
        hindsight.leaderboard(at="2026-02-10", all=True, ranking=ranking),
        hindsight.best(ranking=ranking),
    ):
        check_order(frame)
    joint = pw.TrueSkill(tau=0.0).hindsight(history(), joint=True, scale=scale)
    check_order(joint.leaderboard(ranking=ranking))


def test_best_rating_of_all_time_is_one_when_the_player_was_established() -> None:
    """A long career with an early streak: the highest mean is the best, but not while it was provisional."""
    days = [{"teams": [["ann"], ["bob"]] if index < 40 else [["bob"], ["ann"]], "time": index} for index in range(80)]
    model = pw.TrueSkill().replace(drift=pw.drift.PerTime(0.3))
    hindsight = model.hindsight(pw.History.from_matches(days), scale=(1500, 400))
    table, limit = hindsight.best(), order_of(hindsight.ladder).limit
    for row in table.to_dicts():
        curve = hindsight.curve(row["player"])
        allowed = curve.filter(pl.col("sigma") ** 2 <= limit)
        assert row["points"] == (allowed if len(allowed) else curve)["points"].max()


def test_ranks_among_players_with_enough_matches_keep_the_order() -> None:
    table = pw.TrueSkill().fit(history(), scale=(1500, 400)).leaderboard(min_matches=2)
    assert table["rank"].to_list()[0] == 1
    check_order(table)
