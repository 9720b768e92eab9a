"""Standings: filters, ranks, pages that do not shift between requests, and caching."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import numpy as np
import pytest

import prowess as pw
from prowess.model.ladder.leaderboard import Order, order_of
from prowess.store import leagues
from prowess.store.cache import LruCache
from prowess.store.clock import parse
from prowess.store.db.database import Database
from prowess.store.errors import NotFound, Unavailable
from prowess.store.leagues import Preset, Settings
from prowess.store.read import snapshot
from prowess.store.read.snapshot import Snapshot, rank_all
from prowess.store.read.standings import MAX_COMPUTING, MAX_RECENT, StandingsCache
from prowess.store.read.trace_cache import TraceCache
from prowess.store.write.commands import ChangeModel, Delete, Edit, NewSeason, Post
from prowess.store.write.writer import perform

DAYS = [f"2026-01-{day:02d}" for day in range(1, 29)]


@pytest.fixture
def database(sqlite_url):
    made = Database(sqlite_url)
    made.migrate()
    with made.writing() as connection:
        leagues.create(connection, "darts", model=Preset(), settings=Settings(provisional_matches=3, inactive_days=7))
    yield made
    made.close()


def post(database, *pairs, day=DAYS[0]):
    matches = [{"id": f"{day} {one} {other}", "teams": [[one], [other]], "time": day} for one, other in pairs]
    return perform(database, Post("darts", matches))


def seen(database, view):
    with database.reading() as connection:
        return view(connection, leagues.find(connection, "darts"))


def test_only_the_filter_for_active_players_changes_ranks(database):
    post(database, ("Ann", "Joanna"), ("ann marie", "Bob"))
    post(database, ("Joanna", "Bob"), ("Joanna", "Straße"), day=DAYS[20])
    now = seen(database, StandingsCache().of)
    everybody = now.page(0, 10).rows
    assert [row["player"] for row in everybody] == ["Joanna", "Ann", "ann marie", "Straße", "Bob"]
    assert [row["rank"] for row in everybody] == [1, 2, 2, 4, 5]
    assert [row["provisional"] for row in everybody] == [False, True, True, True, True]
    assert [row["active"] for row in everybody] == [True, False, False, True, True]
    assert everybody[0]["last_seen"] == f"{DAYS[20]}T00:00:00Z"

    def asked(**filters):
        page = now.page(0, 10, **filters)
        assert page.total == len(page.rows)
        return [(row["rank"], row["player"]) for row in page.rows]

    assert asked(search="ANN") == [(1, "Joanna"), (2, "Ann"), (2, "ann marie")]
    assert asked(search="STRASSE") == [(4, "Straße")]
    assert asked(search="a.n") == []
    assert asked(active=True) == [(1, "Joanna"), (2, "Straße"), (3, "Bob")]
    assert asked(active=True, search="b") == [(3, "Bob")]
    assert asked(min_matches=2) == [(1, "Joanna"), (5, "Bob")]
    assert asked(provisional=False) == [(1, "Joanna")]
    assert asked(search="n", provisional=True) == [(2, "Ann"), (2, "ann marie")]
    page = now.page(1, 1, search="ann")
    assert ([row["player"] for row in page.rows], page.total) == (["Ann"], 3)
    assert now.page(7, 5).rows == []
    with pytest.raises(NotFound, match="no player named 'Joana'; did you mean 'Joanna'"):
        now.row("Joana")


def test_later_writes_do_not_shift_the_pages_of_a_revision(database):
    names = [f"player {k:02d}" for k in range(30)]
    post(database, *zip(names[::2], names[1::2], strict=True))
    standings, late = StandingsCache(), StandingsCache()
    first = seen(database, standings.of)
    wanted = [row["player"] for row in first.page(0, 30).rows]
    found = []
    for number, page in enumerate(range(0, 30, 5)):
        for k in range(4):  # more writes than the cache keeps snapshots
            post(database, (names[29 - k - number], f"new {number} {k}"), day=DAYS[number + 1])
            seen(database, standings.of)
        then = seen(database, lambda connection, league: standings.at_revision(connection, league, first.revision))
        found += [row["player"] for row in then.page(page, 5).rows]
    assert found == wanted
    assert len(standings._recent.get((1, 0))) == MAX_RECENT
    anew = seen(database, lambda connection, league: late.at_revision(connection, league, first.revision))
    assert anew.page(0, 30).rows == first.page(0, 30).rows
    with pytest.raises(pw.Error, match="has no revision 26; choose 0 to 25"):
        seen(database, lambda connection, league: late.at_revision(connection, league, 26))


def test_standings_can_be_read_for_older_models_and_seasons(database):
    post(database, ("ann", "bob"))
    post(database, ("cat", "bob"), day=DAYS[1])
    standings = StandingsCache()
    before = seen(database, standings.of).page(0, 5).rows
    perform(database, ChangeModel("darts", Preset("Elo", {"k": 10.0})))
    elo = seen(database, standings.of)
    assert elo.row("ann")["mu"] == 1505
    old = seen(database, lambda connection, league: standings.of_generation(connection, league, 1))
    assert (old.page(0, 5).rows, old.generation, old.revision) == (before, 1, 2)
    perform(database, NewSeason("darts", "II", DAYS[2], carry=0.5))
    perform(database, NewSeason("darts", "III", DAYS[9], carry=0.0))
    post(database, ("bob", "cat"), day=DAYS[3])

    def season(name):
        return seen(database, lambda connection, league: standings.of_season(connection, league, name))

    assert season("II").row("ann")["mu"] == 1502.5
    assert season("III").row("ann")["mu"] == seen(database, standings.of).row("ann")["mu"] == 1500
    with pytest.raises(NotFound, match="no season named 'I'; it has II, III"):
        season("I")
    with pytest.raises(NotFound, match="has no generation 3; choose 1 to 2"):
        seen(database, lambda connection, league: standings.of_generation(connection, league, 3))
    first = seen(database, lambda connection, league: standings.at_revision(connection, league, 2))
    assert first.page(0, 5).rows == before


def test_player_whose_last_match_is_deleted_is_removed_from_the_standings(database):
    post(database, ("ann", "bob"), ("cat", "dan"))
    standings = StandingsCache()
    assert len(seen(database, standings.of)) == 4
    perform(database, Delete("darts", f"{DAYS[0]} cat dan"))
    now = seen(database, standings.of)
    assert [row["player"] for row in now.page(0, 9).rows] == ["ann", "bob"]
    assert "cat" not in now.ladder
    match = {"teams": [["dan"], ["eve"]], "time": DAYS[0]}
    perform(database, Edit("darts", f"{DAYS[0]} ann bob", match))
    assert sorted(seen(database, standings.of).ladder) == ["dan", "eve"]


@pytest.mark.parametrize(
    "model", [pw.Elo(), pw.TrueSkill(), pw.Glicko2(period=7)], ids=["Elo", "TrueSkill", "Glicko2 with periods"]
)
@pytest.mark.parametrize("ranking", ["mean", "conservative"])
def test_incrementally_updated_ranking_equals_a_full_sort(model, ranking):
    """The ratings change at random, and many players have equal ratings."""
    chance, width = np.random.default_rng(5), model.pipeline.width
    ladder = pw.Ladder(model)
    # A quarter of the limit as the unit of variances makes some players provisional.
    unit = order_of(ladder, "mean").limit / 4 if ranking == "mean" and not model.absorb.certain else 1.0
    said = {"league": "x", "clock": "number", "settings": Settings(ranking=ranking), "generation": 1}
    now = Snapshot.of_ladder(ladder, revision=0, **said)
    for revision in range(1, 120):
        names = {f"p{k}" for k in chance.integers(0, 60, chance.integers(1, 9))}
        rows = {}
        for name in names:
            cells = np.zeros(width)
            cells[:4] = [*chance.integers(1, 7, 2), revision, 1]
            cells[0] += chance.choice([0, 1e-14, 50 * (chance.random() < 0.02)])
            cells[1] *= unit
            cells[4:5] = 0.06
            rows[name] = cells.tobytes() if chance.random() > 0.1 else None
        now = now.updated(revision, list(rows.items()), b"")
        anew = Snapshot.of_ladder(now.ladder, revision=revision, **said)
        assert now.page(0, 100) == anew.page(0, 100)
        board = sorted(now.ladder.leaderboard(ranking=ranking).select("rank", "player").rows())
        assert [(row["rank"], row["player"]) for row in now.page(0, 100).rows] == board
    marks = [row["provisional"] for row in now.page(0, 100).rows]
    if unit != 1.0:
        assert set(marks) == {False, True}
        assert marks == sorted(marks)


def test_ranking_follows_the_newcomers_of_a_prior_that_learns(database):
    """With what is learnt about newcomers, their variance falls, and with it the limit of provisional players."""
    prior = {"is": "Newcomers", "first": {"is": "Normal", "mu": 25, "sigma": 5}, "level_sigma": 5, "matches": 1}
    perform(database, ChangeModel("darts", Preset("TrueSkill", {"prior": prior})))
    standings = StandingsCache()
    limits = [seen(database, standings.of).ranking.by.limit]
    for number in range(8):
        post(database, ("ann", f"new{number}"), (f"old{number}", "ann"), day=DAYS[number])
        now = seen(database, standings.of)
        limits.append(now.ranking.by.limit)
        by = order_of(now.ladder, "mean", few=now.settings.provisional_matches)
        anew = rank_all(by, now.settled, now.players)
        assert now.ranking.order.tolist() == anew.order.tolist()
        assert now.ranking.by.limit == anew.by.limit == pytest.approx(0.25 * now.ladder.newcomer.sigma**2)
    assert limits[0] == pytest.approx(12.5)
    assert limits[-1] < 12


def test_new_limit_moves_only_the_players_who_cross_it(monkeypatch):
    """A prior that learns moves the limit with every match, and a million players cannot be sorted each time."""
    chance, names = np.random.default_rng(6), [f"p{k}" for k in range(200)]
    state = np.column_stack([*chance.integers(1, [[40], [60]], (2, 200)), *np.ones((2, 200))]).astype(float)
    state[0, 0] = 63.0  # the largest rating, so that the unit of the keys stays the same
    ranking = rank_all(Order(pw.TrueSkill(), "mean", 30.0), state, names)
    monkeypatch.setattr(snapshot, "rank_all", None)
    for limit in (29.5, 25.0, 25.2, 40.0, 70.0, 0.5):
        rows, before, by = chance.permutation(np.arange(1, 200))[:5], state.copy(), Order(pw.TrueSkill(), "mean", limit)
        state[rows, :2] = chance.integers(1, 40, (5, 2))
        ranking = ranking.updated(by, before, state, names, rows)
        anew = rank_all(by, state, names)
        assert ranking.order.tolist() == anew.order.tolist()
        assert ranking.down.tolist() == anew.down.tolist()
        assert ranking.by == by


def test_ranking_is_a_setting_that_changes_the_order_at_once(database):
    """Ann has won once, so her mean is high, but uncertain; bob is known to be almost as good."""
    for day in DAYS[:3]:
        post(database, *((f"x{k}", "dan") for k in range(3)), *(("bob", f"x{k}") for k in range(3)), day=day)
    post(database, ("ann", "cat"), day=DAYS[3])
    standings = StandingsCache()

    def order(ranking):
        with database.writing() as connection:
            leagues.change(connection, "darts", settings={"ranking": ranking})
        now = seen(database, standings.of)
        rows = now.page(0, 10).rows
        assert now.ranks([row["player"] for row in rows]) == [row["rank"] for row in rows]
        return [(row["player"], row["provisional"]) for row in rows]

    by_mean, cautious = order("mean"), order("conservative")
    assert order(None) == by_mean
    assert by_mean[0] == ("bob", False)
    assert by_mean[-2:] == [("ann", True), ("cat", True)]
    assert by_mean != cautious
    assert dict(cautious)["ann"]  # fewer than three matches, which is the rule of the settings
    post(database, ("ann", "bob"), day=DAYS[4])
    assert len(order("mean")) == 7
    with pytest.raises(pw.Error, match='ranking must be "mean" or "conservative"'):
        order("points")


def test_standings_in_points_are_sorted_by_the_number_that_is_shown(database):
    for day in DAYS[:3]:
        post(database, *((f"x{k}", "dan") for k in range(3)), day=day)
    post(database, ("ann", "cat"), day=DAYS[3])
    for ranking, column in (("mean", "points"), ("conservative", "points_shown")):
        with database.writing() as connection:
            leagues.change(connection, "darts", settings={"ranking": ranking})
        rows = seen(database, StandingsCache().of).page(0, 10).rows
        for mark in (False, True):
            group = [row[column] for row in rows if ranking == "conservative" or row["provisional"] is mark]
            assert group == sorted(group, reverse=True)
        assert ("points_shown" in rows[0]) == (ranking == "conservative")


def test_threads_read_consistent_revisions_during_writes(database):
    """Each read sees a single revision of the league, and never an older revision than the read before."""
    traces = TraceCache()
    standings = StandingsCache(traces)
    post(database, ("ann", "bob"))

    def read(_):
        found = [0]
        while found[-1] < 20:
            with database.reading() as connection:
                league = leagues.find(connection, "darts")
                now, view = standings.of(connection, league), traces.of(connection, league).view
                assert min(now.revision, view.revision) >= league.revision
                assert now.row("ann")["matches"] == now.revision
                assert len(view) == view.revision
                found.append(now.revision)
        return found

    with ThreadPoolExecutor(6) as pool:
        readers = pool.map(read, range(5))
        for day in DAYS[1:20]:  # the league then has twenty revisions
            post(database, ("ann", f"of {day}"), day=day)
        revisions = list(readers)
    assert all(found == sorted(found) for found in revisions)


def test_lru_cache_evicts_the_least_recently_used_value():
    shelf = LruCache(limit=10)
    for key in "abc":
        shelf.put(key, key, 3)
    assert shelf.get("a") == "a"
    shelf.put("d", "d", 3)
    assert [shelf.get(key) for key in "abcd"] == ["a", None, "c", "d"]
    shelf.put("large", "l", 99)
    assert [shelf.get(key) for key in ("a", "large")] == [None, "l"]
    assert shelf.lock("a") is shelf.lock("a") is not shelf.lock("b")


def test_standings_at_a_revision_exclude_matches_posted_later(sqlite_url):
    """A match of other players that is posted later, but was played earlier, is not part of an older revision."""
    database = Database(sqlite_url)
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts")
    for number, (one, other, day) in enumerate((("ann", "bob", 10), ("cat", "dan", 5), ("eve", "fay", 12))):
        match = {"id": f"m{number}", "teams": [[one], [other]], "time": f"2026-01-{day:02}"}
        perform(database, Post("darts", [match]))
    standings = StandingsCache()
    with database.reading() as connection:
        league = leagues.find(connection, "darts")
        shown = [standings.at_revision(connection, league, revision).page(0, 10).rows for revision in (1, 2)]
    assert [sorted(row["player"] for row in rows) for rows in shown] == [["ann", "bob"], ["ann", "bob", "cat", "dan"]]
    database.close()


def test_standings_can_be_read_at_a_time_and_a_revision_together(sqlite_url):
    database = Database(sqlite_url)
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts")
    days = {"m1": 5, "m2": 10, "m3": 20}
    for id, day in days.items():
        perform(database, Post("darts", [{"id": id, "teams": [["ann"], ["bob"]], "time": f"2026-01-{day:02}"}]))
    perform(database, NewSeason("darts", "spring", "2026-01-15"))
    standings, middle = StandingsCache(), parse("utc", "2026-01-12")
    with database.reading() as connection:
        then = standings.at_time(connection, leagues.find(connection, "darts"), middle)
    perform(database, Delete("darts", "m1"))
    with database.reading() as connection:
        league = leagues.find(connection, "darts")
        again = standings.at_time(connection, league, middle, then.revision)
        before_season = standings.of_season(connection, league, "spring", 4)
        now = standings.at_time(connection, league, middle)
    assert again.revision == then.revision == 4
    assert again.page(0, 2).rows == then.page(0, 2).rows != now.page(0, 2).rows
    assert [row["matches"] for row in before_season.page(0, 2).rows] == [3, 3]
    database.close()


def test_reading_past_standings_does_not_block_current_standings(sqlite_url):
    """If too many requests compute past standings, further ones get an error and can be repeated later."""
    database = Database(sqlite_url)
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts")
    post(database, ("ann", "bob"))
    standings = StandingsCache()
    with ExitStack() as busy, database.reading() as connection:
        league = leagues.find(connection, "darts")
        for _ in range(MAX_COMPUTING):
            busy.enter_context(standings._computing)
        with pytest.raises(Unavailable, match="too many requests for past standings: try again"):
            standings.at_revision(connection, league, 0)
        assert len(standings.of(connection, league)) == 2
        busy.close()
        assert len(standings.at_revision(connection, league, 0)) == 0
    database.close()
