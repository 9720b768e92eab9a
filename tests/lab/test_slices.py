"""Slices of a history agree with plain loops over its matches."""

import numpy as np
import polars as pl
import pytest

import prowess as pw
from prowess.lab import slices


@pytest.fixture(scope="module")
def league():
    rng = np.random.default_rng(0)
    rows, day = [], np.datetime64("2023-01-05")
    for k in range(120):
        names = [f"p{i}" for i in rng.permutation(9)[:5]]
        rows.append(
            {"teams": [names[:2], names[2:3], names[3:]][: 2 + k % 2], "time": day, "importance": 1 - (k % 7 == 3)}
        )
        day += np.timedelta64(int(rng.integers(0, 12)) + 90 * (k % 40 == 39), "D")
    return pw.History.from_matches(rows)


def players(match):
    return [name for team in match["teams"] for name in team]


def test_selecting_matches_by_experience_agrees_with_brute_force(league):
    seen, expected = {}, []
    for match in league:
        expected.append(min(seen.get(name, 0) for name in players(match)))
        if match.get("importance", 1) > 0:
            for name in players(match):
                seen[name] = seen.get(name, 0) + 1
    assert slices.experience(league).tolist() == expected
    assert slices.newcomers(league, 5).tolist() == [count < 5 for count in expected]
    assert slices.established(league).tolist() == [count >= 20 for count in expected]
    assert len(slices.experience(league[:0])) == 0


def test_matches_are_divided_into_seasons_by_year_or_by_breaks(league):
    times = [match["time"] for match in league]
    assert slices.seasons(league).tolist() == [str(time.year) for time in times]
    season, names = 0, []
    for before, time in zip([times[0], *times], times, strict=False):
        season += (time - before).days >= 60
        names.append(season)
    found = slices.seasons(league, gap=60)
    assert len(set(found)) == 3
    assert [list(dict.fromkeys(found)).index(name) for name in found] == names
    years = {s: sorted({t.year for t, n in zip(times, names, strict=True) if n == s}) for s in range(3)}
    for name, s in zip(dict.fromkeys(found), range(3), strict=True):
        assert name.startswith(str(years[s][0]))
        assert ("/" in name) == (len(years[s]) > 1)


def test_seasons_of_numeric_times_require_a_gap():
    history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": t} for t in (0, 1, 30, 31, 70)])
    for gap in (20, 29):  # the first break lasts exactly 29
        assert slices.seasons(history, gap=gap).tolist() == ["1", "1", "2", "2", "3"]
    with pytest.raises(pw.Error, match=r"plain numbers without years: give the length of a break, such as `gap=60`"):
        slices.seasons(history)
    with pytest.raises(pw.Error, match="no times to divide into seasons"):
        slices.seasons(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))


def test_the_premier_league_has_fourteen_seasons(data):
    path = data / "premier_league_1995_2009.csv"
    history = pw.History.read(path)
    names, counts = np.unique(slices.seasons(history, gap=60), return_counts=True)
    assert counts.tolist() == [380] * 14
    assert (names[0], names[4], names[-1]) == ("1995/96", "1999/00", "2008/09")
    season = pl.read_csv(path, infer_schema=False)["season"].to_numpy()
    assert len({*zip(season, slices.seasons(history, gap=60), strict=True)}) == 14


def test_slice_of_later_matches_starts_at_a_count_a_fraction_or_a_date(league):
    assert slices.after(league, 0).all()
    assert slices.after(league, 100).sum() == 20
    assert slices.after(league, 0.75).sum() == 30
    expected = [match["time"].isoformat() >= "2023-09-01" for match in league]
    assert slices.after(league, "2023-09-01").tolist() == expected
    assert slices.after(league, np.datetime64("2023-09-01")).tolist() == expected
    assert not slices.after(league, 500).any()
    for wrong in (-1, 2.5, "yesterday", float("nan")):
        with pytest.raises(pw.Error):
            slices.after(league, wrong)


def test_selecting_matches_by_players_agrees_with_brute_force(league):
    some = {"p0", "p3", "p4"}
    found = [players(match) for match in league]
    assert slices.involving(league, some).tolist() == [bool(some & set(names)) for names in found]
    most = {f"p{i}" for i in range(8)}
    assert slices.involving(league, most, everybody=True).tolist() == [set(names) <= most for names in found]
    assert slices.involving(league, "p3").tolist() == ["p3" in names for names in found]
    with pytest.raises(pw.Error, match="zoe has no match"):
        slices.involving(league, ["zoe"])
    assert len(slices.involving(league[:0], [])) == 0


def test_selecting_matches_of_top_players_agrees_with_brute_force(league):
    fit = pw.TrueSkill().fit(league)
    best = set(fit.leaderboard()["player"][:7])
    expected = [set(players(match)) <= best for match in league]
    assert 0 < sum(expected) < len(league)
    assert slices.top_players(fit, 7).tolist() == expected
    assert slices.top_players(fit, 1, everybody=False).sum() == fit.leaderboard()["matches"][0] + sum(
        match.get("importance", 1) == 0 and fit.leaderboard()["player"][0] in players(match) for match in league
    )
    started = pw.TrueSkill().fit(league, start={"zoe": pw.Rating(99, 1)})
    assert slices.top_players(started, 8).tolist() == expected
    with pytest.raises(pw.Error, match="n must be a whole number of at least 1"):
        slices.top_players(fit, 0)
