"""Past standings, and the changes since then, agree with fits of only the earlier matches."""

import pickle
from datetime import date, timedelta

import polars as pl
import pytest

import prowess as pw
from prowess.lab.parallel import group_standings
from prowess.model.ladder.leaderboard import only_active, standings
from prowess.model.presets import PRESETS

DAYS = [f"2026-01-{day:02d}" for day in range(1, 29)]


def league(matches: int = 120) -> pw.History:
    """Return singles and doubles with scores, later newcomers, some matches of importance 0, and some home teams."""
    found = []
    for i in range(matches):
        players = [f"p{(i * k + k * k) % (5 + i // 10)}" for k in (1, 2, 3, 5)]
        names = list(dict.fromkeys(players))
        if len(names) < 2:
            continue
        half = len(names) // 2
        teams = [names[:half], names[half : 2 * half]]
        details = {"home": i % 2, "importance": 0.0 if i % 17 == 3 else 1.0, "time": DAYS[i * len(DAYS) // matches]}
        found.append({"teams": teams, "scores": [i * 7 % 5, i * 3 % 4]} | details)
    return pw.History.from_matches(found)


HISTORY = league()


@pytest.mark.parametrize("name", PRESETS)
def test_standings_at_a_date_equal_those_of_a_fit_up_to_that_date(name: str) -> None:
    model = PRESETS[name]()
    model = model.replace(period=3.0) if name.startswith("Glicko") else model
    start = model.fit(HISTORY[:10]).ladder
    history = HISTORY[10:]
    for begin in (None, start):
        fit = model.fit(history, begin)
        for day in ("2026-01-05", "2026-01-13", "2026-01-14", "2026-01-28"):
            alone = model.fit(history.within(None, day), begin)
            assert fit.leaderboard(at=day).equals(alone.leaderboard(), null_equal=True)
        assert fit.leaderboard(at="2027").equals(fit.leaderboard())
        assert len(fit.leaderboard(at="2025")) == (0 if begin is None else len(begin))


@pytest.mark.parametrize("name", PRESETS)
def test_standings_with_changes_are_bit_identical_to_a_single_fit(name: str) -> None:
    model = PRESETS[name]()
    whole = model.fit(HISTORY)
    found = standings(model, HISTORY, period="8d")
    assert found.since == date(2026, 1, 20)
    assert found.ladder == whole.ladder
    assert found.frame.equals(whole.leaderboard(since="2026-01-21"), null_equal=True)
    start = model.fit(HISTORY.within(None, "2026-01-20")).ladder
    resumed = standings(model, HISTORY.within("2026-01-21"), start=start, period="8d")
    assert (resumed.ladder == whole.ladder, resumed.since) == (True, date(2026, 1, 20))
    assert resumed.frame.equals(found.frame, null_equal=True)


def test_rank_change_is_null_without_an_earlier_period() -> None:
    short = HISTORY.within(None, "2026-01-02")
    found = standings(pw.Elo(), short)
    assert (found.since, found.frame["change"].null_count(), found.frame["gain"].dtype) == (
        None,
        len(found.frame),
        pl.Float64,
    )
    assert standings(pw.Elo(), short, period="year").since is None
    assert standings(pw.Elo(), HISTORY, period="none").frame.equals(pw.Elo().fit(HISTORY).leaderboard())
    assert standings(pw.Elo(), HISTORY).since == date(2026, 1, 21)  # a week
    nothing = standings(pw.Elo(), HISTORY[:0])
    assert nothing.frame.columns == found.frame.columns


def test_changes_are_shown_since_seven_days_before_the_last_match() -> None:
    """The last match is on 28 January, so changes are since the 21st, whatever the length of the history."""
    model, week = pw.TrueSkill(), date(2026, 1, 21)
    wanted = model.fit(HISTORY).leaderboard(since="2026-01-22")
    for begin in (None, "2026-01-15"):
        history = HISTORY.within(begin)
        found = standings(model, history)
        assert found.since == week
        assert found.frame.equals(model.fit(history).leaderboard(since="2026-01-22"), null_equal=True)
    for end in ("2026-01-10", "2026-01-21"):
        start = model.fit(HISTORY.within(None, end)).ladder
        resumed = standings(model, HISTORY.within(date.fromisoformat(end) + timedelta(1)), start=start)
        assert resumed.since == week
        assert resumed.frame.equals(wanted, null_equal=True)
    late = model.fit(HISTORY.within(None, "2026-01-25")).ladder
    assert standings(model, HISTORY.within("2026-01-26"), start=late).since == date(2026, 1, 25)
    assert standings(model, HISTORY.within(None, "2026-01-07")).since is None  # there are no earlier standings


def test_last_seven_rounds_are_the_period_if_times_are_numbers() -> None:
    games = [{"teams": [["ann"], ["bob"]], "time": number} for number in (1, 2.5, 3, 3.5, 10.25)]
    found = standings(pw.Elo(), pw.History.from_matches(games))
    assert found.since == 3.0
    assert found.frame["gain"].abs().to_list() == pytest.approx([before_after(5) - before_after(3)] * 2)


def before_after(wins: int) -> float:
    """Return Ann's rating after some wins against Bob, by the formula of Elo."""
    ann, bob = 1500.0, 1500.0
    for _ in range(wins):
        step = 32 * (1 - 1 / (1 + 10 ** ((bob - ann) / 400)))
        ann, bob = ann + step, bob - step
    return ann


def test_ladder_rejects_matches_earlier_than_its_last_match() -> None:
    ladder = pw.Elo().fit(HISTORY).ladder
    with pytest.raises(
        pw.Error, match="first match, at 2026-01-27, is before the last match of the ladder, at 2026-01-28"
    ):
        standings(pw.Elo(), HISTORY.within("2026-01-27"), start=ladder)
    assert len(standings(pw.Elo(), HISTORY.within("2026-01-28"), start=ladder).frame) == len(ladder)
    number = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": 3}])
    with pytest.raises(pw.Error, match="the new times do not fit the times of the ladder"):
        standings(pw.Elo(), number, start=ladder)


@pytest.mark.parametrize("jobs", [None, 1])
def test_group_standings_rate_each_group_of_matches_separately(jobs: int | None) -> None:
    groups = {"one": HISTORY[:50], "other": HISTORY[50:], "none": HISTORY[:0]}
    found = group_standings(pw.TrueSkill(), groups, period="week", jobs=jobs)
    assert list(found) == list(groups)
    found = pickle.loads(pickle.dumps(found))  # as if it came from another process
    for name, history in groups.items():
        alone = standings(pw.TrueSkill(), history, period="week")
        assert found[name].frame.equals(alone.frame, null_equal=True)
        assert (found[name].since, found[name].ladder == alone.ladder) == (alone.since, True)


def test_leaderboard_shows_changes_of_rank_and_of_shown_rating() -> None:
    fit = pw.TrueSkill().fit(HISTORY)
    before = {
        row["player"]: row for row in pw.TrueSkill().fit(HISTORY.within(None, "2026-01-20")).leaderboard().to_dicts()
    }
    rows = fit.leaderboard(since="2026-01-21").to_dicts()
    assert any(row["change"] for row in rows)
    assert any(row["change"] is None for row in rows)
    for row in rows:
        was = before.get(row["player"])
        assert row["change"] == (None if was is None else was["rank"] - row["rank"])
        assert row["gain"] == (None if was is None else row["shown"] - was["shown"])


def test_min_matches_applies_to_current_and_earlier_standings() -> None:
    fit = pw.TrueSkill().fit(HISTORY)
    everybody = fit.leaderboard()
    table = fit.leaderboard(min_matches=20, since="2026-01-21")
    assert table["player"].to_list() == everybody.filter(pl.col("matches") >= 20)["player"].to_list()
    assert table["rank"].to_list() == list(range(1, len(table) + 1))
    before = fit.leaderboard(at="2026-01-20").filter(pl.col("matches") >= 20)["player"].to_list()
    assert table.filter(pl.col("change").is_not_null())["player"].is_in(before).all()
    assert set(before) == set(table.filter(pl.col("change").is_not_null())["player"])
    assert fit.ladder.leaderboard(min_matches=20).equals(table.drop("change", "gain"))
    with pytest.raises(pw.Error, match="min_matches must be a whole number of at least 0"):
        fit.leaderboard(min_matches=-1)


def test_past_leaderboard_needs_a_history_with_times() -> None:
    fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    with pytest.raises(pw.Error, match="these matches have no times"):
        fit.leaderboard(at="2026")


def seasons_of(times: list[object]) -> pw.Ladder:
    """Return a ladder in which the player "always" meets another opponent at each of the given times."""
    ladder = pw.Ladder(pw.TrueSkill())
    for number, time in enumerate(times):
        ladder.record([["always"], [f"p{number}"]], time=time)
    return ladder


def active_players(ladder: pw.Ladder) -> list[str]:
    return sorted(ladder.leaderboard().filter("active")["player"].to_list())


@pytest.mark.parametrize(
    ("times", "active"),
    [
        (["2026-01-01", "2026-06-01", "2026-12-31"], ["always", "p0", "p1", "p2"]),  # less than a year
        (["2024-01-01", "2025-12-30", "2026-01-02", "2026-12-31"], ["always", "p2", "p3"]),  # the last year
        (["1926-01-01", "2016-01-01", "2017-06-01", "2026-12-31"], ["always", "p2", "p3"]),  # a tenth of a century
        (["2024-01-01T10:00Z", "2025-12-30T10:00Z", "2026-12-31T09:00Z"], ["always", "p2"]),
        ([1, 5, 10], ["always", "p0", "p1", "p2"]),  # ten rounds
        ([0, 79, 81, 100], ["always", "p3"]),
        ([None, None], ["always", "p0", "p1"]),
    ],
)
def test_players_with_a_match_in_the_last_year_or_last_tenth_of_the_league_are_active(
    times: list[object], active: list[str]
) -> None:
    assert active_players(seasons_of(times)) == active


def test_fit_record_stream_and_saved_ladder_agree_on_active_players(tmp_path) -> None:
    matches = [{"teams": [["ann"], [f"p{year}"]], "time": f"{year}-01-01"} for year in range(1926, 2027, 5)]
    history, model = pw.History.from_matches(matches), pw.Elo()
    fit = model.fit(history)
    active = fit.leaderboard().filter("active")["player"].sort().to_list()
    assert active == ["ann", "p2021", "p2026"]
    resumed = model.fit(history[15:], model.fit(history[:15]).ladder).ladder
    resumed.save(tmp_path / "league.prowess")
    streamed = model.fit_stream([history[:3], history[3:]])
    for ladder in (resumed, pw.Ladder.load(tmp_path / "league.prowess"), resumed.copy(), streamed.ladder):
        assert active_players(ladder) == active


def test_ladder_saved_by_an_earlier_version_still_lists_active_players(tmp_path) -> None:
    ladder = seasons_of(["2020-01-01", "2026-12-31"])
    ladder.save(tmp_path / "new.prowess")
    text = (tmp_path / "new.prowess").read_text()
    first = f'"first_time": {ladder.first_time}, '
    assert first in text
    (tmp_path / "old.prowess").write_text(text.replace(first, ""))
    assert active_players(pw.Ladder.load(tmp_path / "old.prowess")) == ["always", "p1"]
    (tmp_path / "bad.prowess").write_text(text.replace(first, '"first_time": "soon", '))
    with pytest.raises(pw.Error, match="damaged"):
        pw.Ladder.load(tmp_path / "bad.prowess")


def test_ranks_of_active_players_and_their_changes_ignore_inactive_players() -> None:
    names, active = ["old", "ann", "bob", "cat", "new"], [False, True, True, True, True]
    frame = pl.DataFrame({"rank": [1, 2, 3, 3, 5], "player": names, "active": active, "change": [0, 2, -1, -1, None]})
    shown = only_active(frame)
    # Earlier ranks: old 1, bob 2, cat 2, ann 4; among active players only: bob 1, cat 1, ann 3.
    assert shown.select("player", "rank", "change").rows() == [
        ("ann", 1, 2),
        ("bob", 2, -1),
        ("cat", 2, -1),
        ("new", 4, None),
    ]


def test_standings_at_a_value_compare_with_the_earlier_standings_at_this_value() -> None:
    days = [("ann", "bob", "clay", 1), ("bob", "ann", "grass", 2), ("bob", "ann", "clay", 3), ("bob", "ann", "clay", 4)]
    matches = [
        {"teams": [[winner], [loser]], "time": day, "context": {"surface": surface}}
        for winner, loser, surface, day in days
    ]
    model, history = pw.compose(pw.TrueSkill(), facet="surface"), pw.History.from_matches(matches)
    table = pw.standings(model, history, period="last", context={"surface": "clay"})
    assert table.frame.drop("change", "gain").equals(model.fit(history).leaderboard(surface="clay"))
    before = model.fit(history[:3]).leaderboard(surface="clay")
    gains = dict(zip(before["player"], before["shown"], strict=True))
    for name, shown, gain in table.frame.select("player", "shown", "gain").rows():
        assert gain == shown - gains[name]
    # Nobody had played on grass before the second match, so nobody was in the standings there.
    first = pw.standings(model, history[:2], period="last", context={"surface": "grass"})
    assert first.frame["gain"].to_list() == first.frame["change"].to_list() == [None, None]
