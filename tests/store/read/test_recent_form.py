"""Recent form agrees with a plain loop over all matches, and cached past standings follow corrections."""

import numpy as np
import pytest

import prowess as pw
from prowess.store import leagues
from prowess.store.db.database import Database
from prowess.store.leagues import Preset
from prowess.store.read import match_views
from prowess.store.read.changes import week_before
from prowess.store.read.standings import StandingsCache
from prowess.store.read.trace import LeagueTrace
from prowess.store.write.commands import ChangeModel, Delete, Edit, NewSeason, Post
from prowess.store.write.writer import perform


def slowly(matches, name):
    """Compute the last results of a player in a plain loop."""
    found = []
    for match in matches:
        for team, place in zip(match["teams"], match["ranks"], strict=True):
            if name in team and match["importance"] > 0:
                alone = match["ranks"].count(1) == 1
                result = "loss" if place > 1 else "win" if alone else "draw"
                found.append({"result": result, "place": place, "teams": len(match["teams"])})
    return found[-match_views.FORM_MATCHES :]


@pytest.mark.parametrize("block", [1, 7, 10_000])
def test_recent_form_of_players_agrees_with_a_plain_loop_over_all_matches(monkeypatch, block):
    monkeypatch.setattr(match_views, "BLOCK", block)
    draw, names = np.random.default_rng(1), [f"p{k}" for k in range(30)]
    matches = []
    for _ in range(150):
        sizes = draw.integers(1, 3, draw.integers(2, 5))
        who = iter(draw.permutation(names[: 12 + draw.integers(0, 18)]).tolist())
        key = draw.integers(0, 3, len(sizes))
        matches.append(
            {
                "teams": [[next(who) for _ in range(size)] for size in sizes],
                "ranks": [1 + int((key < one).sum()) for one in key],
                "importance": float(draw.integers(0, 5) > 0),
            }
        )
    course = LeagueTrace(pw.TrueSkill(), None)
    course.extend(pw.History.from_matches(matches), np.arange(1, 151))
    asked = [*draw.permutation(names).tolist(), "nobody"]
    for upto in (0, 3, 80, 150):
        played = [sum(any(name in team for team in one["teams"]) for one in matches[:upto]) for name in asked]
        assert match_views.recent_form(course.view, asked, played, upto) == [
            slowly(matches[:upto], name) for name in asked
        ]
    assert match_views.recent_form(course.view, [], []) == []


def test_cached_past_standings_are_dropped_when_a_correction_changes_them(sqlite_url):
    database = Database(sqlite_url)
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts")

    def duel(one, other, day, **more):
        return {"teams": [[one], [other]], "time": f"2026-01-{day:02d}", **more}

    def rows(followers):
        with database.reading() as connection:
            league = leagues.find(connection, "darts")
            now = followers.of(connection, league)
            assert week_before(now) is not None
            then = followers.at_time(connection, league, 1768003200000000.0)  # 10 January
            assert then.revision == league.revision
            return then, then.page(0, 100).rows

    changes = [
        (
            Post(
                "darts", [duel("ann", "bob", 1, id="a"), duel("bob", "cat", 5, id="b"), duel("cat", "dan", 20, id="c")]
            ),
            0,
        ),
        (Post("darts", [duel("dan", "ann", 21, id="d")]), 1),
        (Post("darts", [duel("eve", "fay", 2, id="e")]), 0),  # an earlier match of new players changes no other rating
        (Post("darts", [duel("eve", "fay", 22, id="f")]), 1),
        (Edit("darts", "a", duel("bob", "ann", 1)), 0),
        (Edit("darts", "b", duel("bob", "cat", 15)), 0),  # moves the match from before 10 January to after it
        (Edit("darts", "b", duel("cat", "bob", 16)), 1),
        (Edit("darts", "b", duel("cat", "bob", 9)), 0),  # moves the match back
        (Delete("darts", "d"), 1),
        (Delete("darts", "e"), 0),
        (NewSeason("darts", "II", "2026-01-12"), 1),
        (NewSeason("darts", "I", "2026-01-03"), 0),
        (ChangeModel("darts", Preset("Elo")), 0),
        (Post("darts", [duel("gil", "ann", 25, id="g")]), 1),
    ]
    kept, last = StandingsCache(), None
    for act, holds in changes:
        perform(database, act)
        then, found = rows(kept)
        assert found == rows(StandingsCache())[1], act
        assert (last is not None and then.state is last.state) == bool(holds), act
        last = then
    database.close()
