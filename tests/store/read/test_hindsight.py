"""The hindsight of a league agrees with that of its history, whatever was posted, corrected or deleted before."""

import pickle
from datetime import date

import numpy as np
import pytest

import prowess as pw
from prowess.store import leagues
from prowess.store.journal import journal
from prowess.store.leagues import Preset, create
from prowess.store.read import hindsight
from prowess.store.read.trace_cache import TraceCache
from prowess.store.write.commands import ChangeModel, Delete, Edit, NewSeason, Post
from prowess.store.write.writer import perform
from tests.store.read.reading import matches


class Reader:
    """Keeps the hindsight of a league up to date, as a service does."""

    def __init__(self, database, name="chess"):
        self.database, self.name, self.traces, self.kept = database, name, TraceCache(), None

    def read(self):
        with self.database.reading() as connection:
            league = leagues.find(connection, self.name)
            view = self.traces.of(connection, league).view
            if self.kept is None or not self.kept.fitted.leads_to(league, view):
                self.kept = hindsight.fit(league, view)
            else:
                entries = journal.changes_since(connection, league, self.kept.revision)
                self.kept = self.kept.fitted.updated(view, [entry.seq for entry in entries])
            return self.kept, hindsight.fit(league, view)


def largest_error(one, other):
    """Return the largest difference of a rating at any match, in standard deviations."""
    entries = np.arange(len(one.view.trace.history.player))
    ours, theirs = one.hindsight.beliefs_at(entries), other.hindsight.beliefs_at(entries)
    return np.abs((ours - theirs)[:, ::2] / np.sqrt(theirs[:, 1::2])).max(initial=0.0)


def test_hindsight_of_a_league_is_that_of_its_history(database):
    given = matches(60)
    perform(database, Post("chess", given))
    found, _ = Reader(database).read()
    expected = pw.TrueSkill().hindsight(pw.History.from_matches(given), tolerance=1e-4)
    for player in ("ann", "bob", "cat", "dan"):
        entries = found.view.entries(player)
        curve = expected.curve(player)
        assert found.hindsight.beliefs_at(entries)[:, 0] == pytest.approx(curve["mu"].to_numpy(), abs=1e-9)
    best = expected.best()
    assert [row["player"] for row in found.best()] == best["player"].to_list()
    assert [row["match"] - 1 for row in found.best()] == best["match"].to_list()
    assert [row["time"] for row in found.best()] == best["time"].to_list()
    with database.reading() as connection:
        standing = found.standing_at(leagues.find(connection, "chess"), 30.0)
    rows = standing.page(0, 10).rows
    frame = expected.leaderboard(at=30.0)
    assert [row["player"] for row in rows] == frame["player"].to_list()
    assert [row["mu"] for row in rows] == pytest.approx(frame["mu"].to_list())
    assert [row["matches"] for row in rows] == frame["matches"].to_list()


def test_standings_of_a_day_follow_the_settings_of_the_league(database):
    perform(database, Post("chess", matches(60)))
    found, _ = Reader(database).read()
    with database.writing() as connection:
        for ranking in ("mean", "conservative"):
            league = leagues.change(connection, "chess", settings={"ranking": ranking})
            assert found.standing_at(league, 30.0).settings == league.settings


@pytest.mark.parametrize("few", [0, 1000])
def test_changes_lead_to_the_same_as_a_new_fit(database, monkeypatch, few):
    monkeypatch.setattr("prowess.model.hindsight.revision.FEW", few)
    given = matches(120)
    reader = Reader(database)
    perform(database, Post("chess", given[:80]))
    reader.read()
    late = given[80] | {"id": "late", "time": 12.5}
    changes = [
        Post("chess", given[80:]),
        Edit("chess", "m30", given[30] | {"scores": [9, 0]}),
        Edit("chess", "m31", given[31] | {"teams": [["eve"], ["ann"]], "time": 77.5}),
        Delete("chess", "m5"),
        Post("chess", [late]),
        Post("chess", [given[0] | {"id": "none", "time": 130.0, "importance": 0.0}]),
    ]
    for command in changes:
        perform(database, command)
        found, expected = reader.read()
        assert found.revision == expected.revision
        assert largest_error(found, expected) < 0.01
    for number in range(40, 60):
        perform(database, Delete("chess", f"m{number}"))
    found, expected = reader.read()
    assert largest_error(found, expected) < 0.01


def test_seasons_and_models_are_followed(database):
    given = matches(60)
    reader = Reader(database)
    perform(database, Post("chess", given))
    reader.read()
    perform(database, NewSeason("chess", "II", 30.0, carry=0.5, tau=2.0))
    found, expected = reader.read()
    assert found.view.seasons == expected.view.seasons != ()
    assert largest_error(found, expected) == 0.0
    model = pw.TrueSkill()
    seasons = pw.drift.Seasons(model.drift, gap=0.5, carry=0.5, season_tau=2.0)
    broken = [match | {"time": match["time"] // 30} for match in given]  # everybody plays in both seasons
    separate = model.replace(drift=seasons).hindsight(pw.History.from_matches(broken), tolerance=1e-4)
    entries = found.view.entries("ann")
    assert found.hindsight.beliefs_at(entries)[:, 0] == pytest.approx(separate.curve("ann")["mu"].to_numpy(), abs=1e-2)
    perform(database, ChangeModel("chess", Preset("TrueSkill", {"beta": 8.0})))
    found, expected = reader.read()
    assert found.hindsight.model.params["beta"] == 8.0
    assert largest_error(found, expected) == 0.0


def test_fit_of_another_process_continues_here(database):
    given = matches(60)
    perform(database, Post("chess", given[:50]))
    traces, shares = TraceCache(), []
    with database.reading() as connection:
        league = leagues.find(connection, "chess")
        sent = pickle.dumps(hindsight.fit_journal(connection, league, shares.append))
        view = traces.of(connection, league).view
    assert 0.0 <= min(shares) <= max(shares) <= 1.0
    same = pickle.loads(sent).updated(view, [])
    assert largest_error(same, hindsight.fit(league, view)) < 1e-8
    perform(database, Post("chess", given[50:]))
    perform(database, Delete("chess", "m3"))
    with database.reading() as connection:
        league = leagues.find(connection, "chess")
        view = traces.of(connection, league).view
        changed = [entry.seq for entry in journal.changes_since(connection, league, pickle.loads(sent).revision)]
    later = pickle.loads(sent).updated(view, changed)
    assert largest_error(later, hindsight.fit(league, view)) < 0.01
    perform(database, NewSeason("chess", "II", 30.0))
    with database.reading() as connection:
        league = leagues.find(connection, "chess")
        view = traces.of(connection, league).view
    assert not pickle.loads(sent).leads_to(league, view)


def test_many_small_changes_are_followed_by_a_sweep(database, monkeypatch):
    monkeypatch.setattr(hindsight, "SWEPT_LEAST", 5)
    given = matches(60)
    reader = Reader(database)
    perform(database, Post("chess", given[:50]))
    reader.read()
    revised = []
    for match in given[50:]:
        perform(database, Post("chess", [match]))
        revised.append(reader.read()[0].revised)
    assert revised == [1, 2, 3, 4, 5, 0, 1, 2, 3, 4]


def test_facets_and_dates_have_a_hindsight(database):
    model = Preset("TrueSkill", {"facets": [{"is": "By", "column": "surface", "sigma": 2.0}]})
    with database.writing() as connection:
        create(connection, "tennis", model=model)
    days = [date(2026, 1, day).isoformat() for day in range(1, 21)]
    chance = np.random.default_rng(3)
    given = [
        {
            "id": f"m{k}",
            "teams": [[one], [other]],
            "ranks": [1, 2],
            "time": days[k],
            "context": {"surface": "clay" if k % 3 else "grass"},
        }
        for k in range(20)
        for one, other in [chance.choice(["ann", "bob", "cat"], 2, replace=False).tolist()]
    ]
    perform(database, Post("tennis", given[:15]))
    reader = Reader(database, "tennis")
    reader.read()
    perform(database, Post("tennis", given[15:]))
    found, expected = reader.read()
    assert largest_error(found, expected) < 0.01
    assert found.best()[0]["time"].startswith("2026-01-")


def test_an_empty_league_has_an_empty_hindsight(database):
    reader = Reader(database)
    assert reader.read()[0].best() == []
    perform(database, Post("chess", matches(1)))
    assert [row["matches"] for row in reader.read()[0].best()] == [1, 1]
    perform(database, Delete("chess", "m0"))
    assert reader.read()[0].best() == []
