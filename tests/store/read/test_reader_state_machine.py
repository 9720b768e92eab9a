"""After any sequence of commands, the standings and the views equal a fit of the matches, bit for bit."""

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase
from hypothesis.stateful import initialize, invariant

import prowess as pw
from prowess.model.fit.trace import trace as trace_of
from prowess.store import leagues
from prowess.store.errors import NotFound
from prowess.store.read import trace
from prowess.store.read.match_views import MatchViews
from prowess.store.read.snapshot import Snapshot, rank_all
from prowess.store.read.standings import StandingsCache
from prowess.store.read.trace_cache import TraceCache
from prowess.store.write import replay
from tests.oracles.league import League, memory_of, reset
from tests.oracles.league import states_of as states
from tests.store.matches import PLAYERS
from tests.store.test_state_machine import LeagueMachine, live


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits, so that short leagues also have checkpoints, saved ladders and indexes."""
    monkeypatch.setattr(replay, "MIN_SPACING", 3)
    monkeypatch.setattr(trace, "STEP", 3)
    monkeypatch.setattr(trace, "TAIL", 4)


def upto(league: League, time: float) -> League:
    """Return the league without the matches and seasons after a time."""
    past = league.copy()
    past.matches = {name: kept for name, kept in past.matches.items() if kept.time <= time}
    past.seasons = [season for season in past.seasons if season[0] <= time]
    return past


class ReaderMachine(LeagueMachine):
    """A league with several readers; some of them read it after every change, and others only occasionally."""

    @initialize()
    def watch(self) -> None:
        self.often, self.seldom = StandingsCache(), StandingsCache(TraceCache(memory=0), memory=0)
        self.traces = TraceCache()
        self.pending = self.traces.pending
        self.past: dict[int, League] = {}
        self.chance = random.Random(7)

    def _views(self, work: Any) -> None:
        with self.database.reading() as connection:
            work(connection, leagues.find(connection, self.name))

    @invariant()
    def standings_are_those_of_a_fit(self) -> None:
        ladder = self.league.ladder()

        def look(connection: Any, league: leagues.League) -> None:
            followers = [self.often, *([self.seldom] if self.chance.random() < 0.3 else [])]
            for one in followers:
                snapshot = one.of(connection, league)
                assert (snapshot.revision, snapshot.generation) == (league.revision, league.generation)
                compare(snapshot, ladder)
            self.past[league.revision] = self.league.copy()
            then = self.chance.choice(list(self.past))
            old = self.chance.choice([self.often, self.seldom]).at_revision(connection, league, then)
            wanted = self._erased(self.past[then]).ladder()
            assert (states(old.ladder), memory_of(old.ladder)) == (states(wanted), memory_of(wanted))
            assert old.revision == then

        self._views(look)

    @invariant()
    def traces_are_those_of_a_fit(self) -> None:
        if self.chance.random() < 0.3:
            return  # some reads come after several changes

        def look(connection: Any, league: leagues.League) -> None:
            views, fresh = (some.of(connection, league) for some in (self.traces, TraceCache()))
            one, other = (some.view for some in (views, fresh))
            assert one.seq.tolist() == other.seq.tolist() == [kept.seq for _, kept in self.league.order]
            wanted = self.league.history()
            assert entry_values(one.trace.history) == entry_values(other.trace.history) == entry_values(wanted)
            for name, kept in self.league.order:
                assert views.match(name).get("context") == kept.body.get("context")
            for column in ("before", "after"):
                np.testing.assert_array_equal(getattr(one.trace, column), getattr(other.trace, column))
            compare_fits(views, self.league)
            if self.league.matches and self.clock != "none":
                times = [kept.time for kept in self.league.matches.values()]
                times += [start for start, _, _ in self.league.seasons]
                time = self.chance.choice(times) + self.chance.choice([-1, 0, 1])
                wanted = states(upto(self.league, time).ladder())
                assert states(views.standing_at(time)) == wanted
                assert states(self.often.at_time(connection, league, time).ladder) == wanted
            compare_players(views, self.league)

        self._views(look)


def entry_values(history: pw.History) -> dict[str, list[Any]]:
    """Return the values of all context columns for each entry.

    The level of a column (match, team or entry) does not matter: a cached column keeps the finest level it ever had.
    """
    teams, players = np.diff(history.match_start), np.diff(history.team_start)
    found: dict[str, list[Any]] = {}
    for level, context in enumerate((history.context, history.team_context, history.entry_context)):
        for name, column in context.items():
            values = column.to_numpy()
            values = np.repeat(values, teams) if level < 1 else values
            values = np.repeat(values, players) if level < 2 else values
            found[name] = [None if value != value else value for value in values.tolist()]
    return found


def compare(snapshot: Snapshot, ladder: pw.Ladder) -> None:
    """Compare every row, rank and position of the standings with a leaderboard."""
    assert states(snapshot.ladder) == states(ladder)
    assert memory_of(snapshot.ladder) == memory_of(ladder)
    some = snapshot.players[::2]
    assert states(snapshot.ladder_of(some)) == {name: state for name, state in states(ladder).items() if name in some}
    ranked = ladder.leaderboard(ranking=snapshot.settings.ranked_by)
    wanted = sorted(ranked.to_dicts(), key=lambda row: (row["rank"], row["player"]))
    page = snapshot.page(0, 100)
    assert page.total == len(wanted)
    for found, row in zip(page.rows, wanted, strict=True):
        del row["last_seen"], row["active"]  # a league has its own rule for who is active
        assert {key: found[key] for key in row} == row
        assert found["provisional"] == row.get("provisional", row["matches"] < 10)
        assert snapshot.row(row["player"]) == found
    anew = rank_all(snapshot.ranking.by, snapshot.settled, snapshot.players)
    assert snapshot.ranking.order.tolist() == anew.order.tolist()


def compare_fits(views: MatchViews, league: League) -> None:
    """Compare forecasts and ratings of each season with a fit that continues from the previous season."""
    passed = views.view.trace
    starts = [-np.inf, *(start for start, _, _ in sorted(league.seasons)), np.inf]
    ladder, match, entry = pw.Ladder(league.model), 0, 0
    for number, (first, end) in enumerate(pairwise(starts)):
        if number:
            reset(ladder, *sorted(league.seasons)[number - 1][1:])
        part = league.rated_history(league.model, first, end)
        if not len(part):
            continue
        fit = trace_of(ladder, part)
        forecasts = passed.forecasts.take(np.arange(match, match + len(part)))
        for column in ("win", "draw", "mean", "variance", "log_evidence", "scatter"):
            np.testing.assert_array_equal(getattr(forecasts, column), getattr(fit.forecasts, column), column)
        np.testing.assert_array_equal(passed.after[entry : entry + part.entries], fit.after)
        match, entry = match + len(part), entry + part.entries
    assert match == len(views.view)


def compare_players(views: MatchViews, league: League) -> None:
    """Compare the matches, opponents and partners of one player, and one match, with a plain count."""
    name = PLAYERS[len(league.log) % len(PLAYERS)]
    mine = [(id, kept) for id, kept in league.order if any(name in team for team in kept.body["teams"])]
    if not mine:
        with pytest.raises(NotFound):
            views.player(name)
        return
    told = views.player(name, matches=3, curve=5)
    assert [row["id"] for row in told["matches"]] == [id for id, _ in mine][:-4:-1]
    assert told["total"] == len(mine)
    assert len(told["curve"]) <= 5
    met: dict[str, list[int]] = {}
    beside: dict[str, list[int]] = {}
    for _, kept in mine:
        teams, results = kept.body["teams"], kept.body.get("ranks") or [-score for score in kept.body["scores"]]
        [own] = [k for k, team in enumerate(teams) if name in team]
        for k, team in enumerate(teams):
            for other in team:
                if k != own:
                    counts = met.setdefault(other, [0, 0, 0])
                    counts[1 + (results[k] < results[own]) - (results[k] > results[own])] += 1
                elif other != name:
                    first, shared = results[own] == min(results), results.count(min(results)) > 1
                    beside.setdefault(other, [0, 0, 0])[2 - 2 * first + (first and shared)] += 1
    for found, wanted in ((told["opponents"], met), (told["partners"], beside)):
        assert {row["player"]: [row["wins"], row["draws"], row["losses"]] for row in found} == wanted
        assert [row["matches"] for row in found] == sorted((sum(counts) for counts in wanted.values()), reverse=True)
    id, kept = mine[len(mine) // 2]
    match = views.match(id)
    assert match["teams"] == kept.body["teams"]
    assert [row["player"] for row in match["players"]] == [one for team in kept.body["teams"] for one in team]
    assert match["counts"] == (kept.body.get("importance") != 0)
    [row] = [row for row in match["players"] if row["player"] == name]
    listed = views.matches(name, limit=100)
    assert listed.total == len(mine)
    [same] = [one for one in listed.rows if one["id"] == id]
    assert {key: row[key] for key in ("before", "after", "moved", "expected")} == {
        key: same[key] for key in ("before", "after", "moved", "expected")
    }


def test_standings_and_views_equal_a_fit_after_random_commands(sqlite_url: str) -> None:
    live(ReaderMachine, sqlite_url, 6, 20, phases=[Phase.generate])


@pytest.mark.usefixtures("take_long")
def test_standings_and_views_equal_a_fit_after_long_corrections(sqlite_url: str) -> None:
    live(ReaderMachine, sqlite_url, 3, 20, phases=[Phase.generate])


@pytest.mark.long
def test_standings_and_views_equal_a_fit_after_many_random_commands(database_url: str) -> None:
    live(ReaderMachine, database_url, 100, 50, phases=[Phase.generate])
