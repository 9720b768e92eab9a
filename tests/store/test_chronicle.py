"""What a chronicle tells: curves in few points, matches by page, seasons, and what stays in memory."""

import numpy as np
import pytest

import prowess as pw
from prowess.store import leagues
from prowess.store.db.database import Database
from prowess.store.errors import NotFound
from prowess.store.journal import journal
from prowess.store.read.trace import AppendColumn
from prowess.store.read.trace_cache import TraceCache
from prowess.store.write.commands import Delete, Edit, NewSeason, Post
from prowess.store.write.writer import perform
from tests.store.matches import MODELS


@pytest.fixture
def database(sqlite_url):
    made = Database(sqlite_url)
    made.migrate()
    with made.writing() as connection:
        for name in ("chess", "go"):
            leagues.create(connection, name, clock="number")
    yield made
    made.close()


def seen(database, traces, work, league="chess"):
    with database.reading() as connection:
        return work(traces.of(connection, leagues.find(connection, league)))


def matches(rounds, seed=1):
    chance = np.random.default_rng(seed)
    names = ["ann", "bob", "cat", "dan"]
    return [
        {"id": f"m{k}", "teams": [[one], [other]], "scores": chance.integers(0, 3, 2).tolist(), "time": k}
        for k in range(rounds)
        for one, other in [chance.choice(names, 2, replace=False).tolist()]
    ]


def test_a_curve_keeps_its_ends_and_extremes(database):
    given = matches(300)
    perform(database, Post("chess", given))
    mine = [match for match in given if ["ann"] in match["teams"]]
    trajectory = pw.TrueSkill().fit(pw.History.from_matches(given)).trajectory("ann").to_dicts()
    told = seen(database, TraceCache(), lambda chronicle: chronicle.player("ann", matches=0, curve=9))
    points = [
        {key: row[key] for key in ("time", "mu", "sigma", "shown")} | {"match": row["match"] + 1} for row in trajectory
    ]
    assert len(told["curve"]) <= 9
    assert all(point in points for point in told["curve"])
    assert [told["curve"][0], told["curve"][-1]] == [points[0], points[-1]]
    assert told["best"] == max(points, key=lambda point: point["shown"])
    assert told["worst"] == min(points, key=lambda point: point["shown"])
    assert told["best"] in told["curve"]
    assert told["worst"] in told["curve"]
    assert (told["matches"], told["total"]) == ([], len(mine))
    whole = seen(database, TraceCache(), lambda chronicle: chronicle.player("ann", curve=1000))
    assert whole["curve"] == points
    assert seen(database, TraceCache(), lambda chronicle: chronicle.player("ann", curve=0))["curve"] == []


def test_matches_come_by_pages_the_newest_first(database):
    given = matches(40)
    perform(database, Post("chess", given))

    def listed(**asked):
        found = seen(database, TraceCache(), lambda chronicle: chronicle.matches(**asked))
        return [row["id"] for row in found.rows], found.total

    assert listed(limit=3) == (["m39", "m38", "m37"], 40)
    assert listed(limit=3, offset=38) == (["m1", "m0"], 40)
    assert listed(limit=3, offset=50) == ([], 40)
    assert listed(since=10, until=12) == (["m12", "m11", "m10"], 3)
    mine = [match["id"] for match in reversed(given) if ["bob"] in match["teams"] and 5 <= match["time"] <= 30]
    assert listed(player="bob", since=5, until=30, limit=4, offset=2) == (mine[2:6], len(mine))
    with pytest.raises(NotFound, match="no match of a player called 'eve'"):
        listed(player="eve")


def test_what_was_lately_is_a_few_matches_of_each(database):
    assert len(seen(database, TraceCache(), lambda chronicle: chronicle.recent_matches(["ann"]))) == 0
    given = matches(60)
    perform(database, Post("chess", given))
    found = seen(database, TraceCache(), lambda chronicle: chronicle.recent_matches(["ann", "bob", "zoe"], each=4))
    mine = {
        match["id"]: match["teams"]
        for name in ("ann", "bob")
        for match in [match for match in given if [name] in match["teams"]][-4:]
    }
    expected = [match["teams"] for match in given if match["id"] in mine]
    assert [match["teams"] for match in found] == expected
    assert set(found.players) == {name for teams in expected for [name] in teams}


def test_a_match_is_told_with_the_words_of_the_library(database):
    given = matches(12)
    perform(database, Post("chess", given))
    told = seen(database, TraceCache(), lambda chronicle: chronicle.match("m11"))
    account = pw.TrueSkill().fit(pw.History.from_matches(given)).account(11)
    assert [row["why"] for row in told["players"]] == list(account.sentences)
    assert [row["after"]["mu"] for row in told["players"]] == [row["mu_after"] for row in account.rows]
    assert told["forecast"] == account.forecast
    assert {key: told[key] for key in ("id", "teams", "scores", "time")} == given[11]
    perform(database, Delete("chess", "m11"))
    for name, said in (("m11", "was deleted"), ("m12", "has no match of the id 'm12'")):
        with pytest.raises(NotFound, match=said):
            seen(database, TraceCache(), lambda chronicle, name=name: chronicle.match(name))


def test_the_end_of_a_season_is_before_the_next(database):
    given, traces = matches(30), TraceCache()
    perform(database, Post("chess", given[:20]))
    seen(database, traces, len_of)
    perform(database, NewSeason("chess", "II", 10, carry=0.5, tau=1.0))
    perform(database, Post("chess", given[20:]))
    perform(database, NewSeason("chess", "III", 29.5, carry=0.5, tau=1.0))
    ladder = pw.TrueSkill().learn(pw.History.from_matches(given[:10]))
    assert seen(database, traces, lambda chronicle: chronicle.standing_at(9.5)) == ladder
    ladder.new_season(0.5, 1.0)
    assert seen(database, traces, lambda chronicle: chronicle.standing_at(10))["ann"] != ladder["ann"]
    ladder = pw.TrueSkill().learn(pw.History.from_matches(given[10:]), ladder)
    assert seen(database, traces, lambda chronicle: chronicle.end_of_season("II")) == ladder
    ladder.new_season(0.5, 1.0)
    assert seen(database, traces, lambda chronicle: chronicle.end_of_season("III")) == ladder


def len_of(chronicle):
    return len(chronicle.view)


def test_only_so_much_is_kept_in_memory(database):
    for league in ("chess", "go"):
        perform(database, Post(league, matches(50)))
    roomy, tight = TraceCache(), TraceCache(memory=1)
    for traces, kept in ((roomy, True), (tight, False)):
        names = ("chess", "go", "chess")
        views = [seen(database, traces, lambda chronicle: chronicle.view, name) for name in names]
        assert (views[0] is views[2]) == kept
        assert len(views[2]) == 50


def test_a_view_is_not_disturbed_by_what_comes_after(database):
    traces, given = TraceCache(), matches(60)
    perform(database, Post("chess", given[:50]))
    view = seen(database, traces, lambda chronicle: chronicle.view)
    before = view.trace.after.copy(), view.seq.copy(), view.trace.history.players
    perform(database, Post("chess", given[50:]))
    assert seen(database, traces, len_of) == 60
    perform(database, Delete("chess", "m3"))
    assert seen(database, traces, len_of) == 59
    np.testing.assert_array_equal(view.trace.after, before[0])
    assert (view.seq.tolist(), view.trace.history.players) == (before[1].tolist(), before[2])


def test_who_looked_before_a_change_may_find_what_came_after_it(database):
    """A request holds an older state of the database, while another has brought the chronicle to a later one."""
    traces, given = TraceCache(), matches(10)
    perform(database, Post("chess", given[:8]))
    with database.reading() as connection:
        league = leagues.find(connection, "chess")
        perform(database, Post("chess", given[8:]))
        perform(database, Delete("chess", "m0"))
        perform(database, Edit("chess", "m3", given[3] | {"time": 5.5}))
        assert seen(database, traces, len_of) == 9
        chronicle = traces.of(connection, league)
        assert [row["id"] for row in chronicle.matches(limit=5).rows] == ["m7", "m6", "m3"]
        assert chronicle.match("m3")["time"] == 5.5
        with pytest.raises(NotFound, match="was deleted"):
            chronicle.match("m0")
        name = given[7]["teams"][0][0]
        assert chronicle.player(name)["matches"][0]["id"] == "m7"


def test_a_column_grows_beside_its_views():
    column = AppendColumn(np.arange(3))
    views = [column.view]
    for k in range(3, 2000):
        column.append(np.array([k]))
        views.append(column.view)
    assert all(view.tolist() == list(range(len(view))) for view in views[::97])
    with pytest.raises(ValueError, match="read-only"):
        views[0][0] = 9


def same_view(one, other):
    """Whether two views hold the same matches, ratings and forecasts, bit for bit."""
    columns = [(getattr(one.trace, name), getattr(other.trace, name)) for name in ("before", "after")]
    columns += [(one.trace.forecasts.log_evidence, other.trace.forecasts.log_evidence), (one.seq, other.seq)]
    return list(one.trace.history) == list(other.trace.history) and all(
        mine.tobytes() == theirs.tobytes() for mine, theirs in columns
    )


def test_trace_takes_over_what_the_writer_has_rated(database, monkeypatch):
    traces, given = TraceCache(), matches(40)
    perform(database, Post("chess", given[:20]), traces)
    assert seen(database, traces, len_of) == 20
    asked = []
    changes_since = journal.changes_since
    monkeypatch.setattr(journal, "changes_since", lambda *args: asked.append(args) or changes_since(*args))
    for match in given[20:25]:
        perform(database, Post("chess", [match]), traces)
    assert seen(database, traces, len_of) == 25
    assert asked == []
    for match in given[25:38]:  # more than are kept for one read
        perform(database, Post("chess", [match]), traces)
    assert seen(database, traces, len_of) == 38
    perform(database, Post("chess", given[38:39]))  # as if by another process
    perform(database, Post("chess", given[39:]), traces)
    view = seen(database, traces, lambda chronicle: chronicle.view)
    assert len(asked) == 2
    assert same_view(view, seen(database, TraceCache(), lambda chronicle: chronicle.view))


def test_trace_does_not_take_over_matches_that_are_not_the_latest(database):
    traces, given = TraceCache(), matches(10)
    perform(database, Post("chess", given))
    assert seen(database, traces, len_of) == 10
    early = {"id": "early", "teams": [["eve"], ["fay"]], "time": 2.5}
    perform(database, Post("chess", [early]), traces)
    view = seen(database, traces, lambda chronicle: chronicle.view)
    assert view.seq.tolist()[3] == 11
    assert same_view(view, seen(database, TraceCache(), lambda chronicle: chronicle.view))


@pytest.mark.parametrize("model", sorted(MODELS))
def test_taken_over_trace_is_that_of_the_journal_for_every_model(database, model):
    with database.writing() as connection:
        leagues.create(connection, "darts", clock="number", model=MODELS[model])
    traces, given = TraceCache(), matches(30)
    perform(database, Post("darts", given[:10]), traces)
    perform(database, NewSeason("darts", "II", 5, carry=0.5, tau=1.0))
    seen(database, traces, len_of, "darts")
    for match in given[10:]:
        perform(database, Post("darts", [match | {"importance": match["time"] % 3}]), traces)
        view = seen(database, traces, lambda chronicle: chronicle.view, "darts")
    fresh = seen(database, TraceCache(), lambda chronicle: chronicle.view, "darts")
    assert same_view(view, fresh)
    assert view.ladder_after(30, 1) == fresh.ladder_after(30, 1)
