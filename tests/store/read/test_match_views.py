"""Views of matches and players: curves reduced to a few points, pages of matches, seasons."""

import pytest

import prowess as pw
from prowess.store.errors import NotFound
from prowess.store.read.trace_cache import TraceCache
from prowess.store.write.commands import Delete, NewSeason, Post
from prowess.store.write.writer import perform
from tests.store.read.reading import len_of, matches, seen


def test_shortened_skill_curve_keeps_its_first_last_best_and_worst_points(database):
    posted = matches(300)
    perform(database, Post("chess", posted))
    mine = [match for match in posted if ["ann"] in match["teams"]]
    trajectory = pw.TrueSkill().fit(pw.History.from_matches(posted)).trajectory("ann").to_dicts()
    data = seen(database, TraceCache(), lambda views: views.player("ann", matches=0, curve=9))
    points = [
        {key: row[key] for key in ("time", "mu", "sigma", "shown")} | {"match": row["match"] + 1} for row in trajectory
    ]
    assert len(data["curve"]) <= 9
    assert all(point in points for point in data["curve"])
    assert [data["curve"][0], data["curve"][-1]] == [points[0], points[-1]]
    assert data["best"] == max(points, key=lambda point: point["shown"])
    assert data["worst"] == min(points, key=lambda point: point["shown"])
    assert data["best"] in data["curve"]
    assert data["worst"] in data["curve"]
    assert (data["matches"], data["total"]) == ([], len(mine))
    whole = seen(database, TraceCache(), lambda views: views.player("ann", curve=1000))
    assert whole["curve"] == points
    assert seen(database, TraceCache(), lambda views: views.player("ann", curve=0))["curve"] == []


def test_match_views_return_pages_of_matches_newest_first(database):
    posted = matches(40)
    perform(database, Post("chess", posted))

    def listed(**asked):
        found = seen(database, TraceCache(), lambda views: views.matches(**asked))
        return [row["id"] for row in found.rows], found.total

    assert listed(limit=3) == (["m39", "m38", "m37"], 40)
    assert listed(limit=3, offset=38) == (["m1", "m0"], 40)
    assert listed(limit=3, offset=50) == ([], 40)
    assert listed(since=10, until=12) == (["m12", "m11", "m10"], 3)
    mine = [match["id"] for match in reversed(posted) if ["bob"] in match["teams"] and 5 <= match["time"] <= 30]
    assert listed(player="bob", since=5, until=30, limit=4, offset=2) == (mine[2:6], len(mine))
    with pytest.raises(NotFound, match="no matches of a player named 'eve'"):
        listed(player="eve")


def test_recent_matches_include_only_the_last_few_matches_of_each_player(database):
    assert len(seen(database, TraceCache(), lambda views: views.recent_matches(["ann"]))) == 0
    posted = matches(60)
    perform(database, Post("chess", posted))
    found = seen(database, TraceCache(), lambda views: views.recent_matches(["ann", "bob", "zoe"], each=4))
    mine = {
        match["id"]: match["teams"]
        for name in ("ann", "bob")
        for match in [match for match in posted if [name] in match["teams"]][-4:]
    }
    expected = [match["teams"] for match in posted if match["id"] in mine]
    assert [match["teams"] for match in found] == expected
    assert set(found.players) == {name for teams in expected for [name] in teams}


def test_match_view_explains_rating_changes_as_the_library_does(database):
    posted = matches(12)
    perform(database, Post("chess", posted))
    data = seen(database, TraceCache(), lambda views: views.match("m11"))
    account = pw.TrueSkill().fit(pw.History.from_matches(posted)).account(11)
    assert [row["why"] for row in data["players"]] == list(account.sentences)
    assert [row["after"]["mu"] for row in data["players"]] == [row["mu_after"] for row in account.rows]
    assert data["forecast"] == account.forecast
    assert {key: data[key] for key in ("id", "teams", "scores", "time")} == posted[11]
    perform(database, Delete("chess", "m11"))
    for name, message in (("m11", "was deleted"), ("m12", "has no match with id 'm12'")):
        with pytest.raises(NotFound, match=message):
            seen(database, TraceCache(), lambda views, name=name: views.match(name))


def test_standings_at_the_start_of_a_season_include_the_carry_over(database):
    posted, traces = matches(30), TraceCache()
    perform(database, Post("chess", posted[:20]))
    seen(database, traces, len_of)
    perform(database, NewSeason("chess", "II", 10, carry=0.5, tau=1.0))
    perform(database, Post("chess", posted[20:]))
    perform(database, NewSeason("chess", "III", 29.5, carry=0.5, tau=1.0))
    ladder = pw.TrueSkill().learn(pw.History.from_matches(posted[:10]))
    assert seen(database, traces, lambda views: views.standing_at(9.5)) == ladder
    ladder.new_season(0.5, 1.0)
    assert seen(database, traces, lambda views: views.standing_at(10))["ann"] != ladder["ann"]
    ladder = pw.TrueSkill().learn(pw.History.from_matches(posted[10:]), ladder)
    assert seen(database, traces, lambda views: views.end_of_season("II")) == ladder
    ladder.new_season(0.5, 1.0)
    assert seen(database, traces, lambda views: views.end_of_season("III")) == ladder
