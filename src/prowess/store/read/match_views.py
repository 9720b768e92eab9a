"""Views of a league's matches and players: forecasts, rating changes, curves, recent form and head-to-head results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nsmallest
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from ...history import History
from ...history.context.columns import EMPTY
from ...history.head_to_head import Encounters, encounters, results, rivals
from ...model.fit.explain import plain
from ...model.ladder.ladder import Ladder
from ...model.ladder.leaderboard import Order, make_order, overall
from ...model.registry import unique_keys
from ...model.scale import Points
from .. import clock
from ..db import schema
from ..errors import NotFound
from ..journal import journal
from ..leagues import League
from ..seasons import end_of_season
from .context_table import NO_FILTERS, ContextFilters
from .trace import TraceView

MAX_MET = 100  # opponents or partners listed
RECENT_MATCHES, RECENT_OF_LEAGUE = 5, 100_000  # recent matches per player, searched among this many latest matches
MIN_POINTS = 4  # a curve always has its first, last, best and worst point
FORM_MATCHES = 5
BLOCK = 65_536  # entries that the first scan for recent form takes from the end; each further scan takes twice as many
MATCH_KEYS = ("team", "place", "score", "actual", "expected", "expected_lead")  # columns of a player's match
RATING_KEYS = ("mu", "sigma", "shown")
_JOURNAL = schema.journal.c
Ints = NDArray[np.intp]
Plain = dict[str, Any]
# From entries to beliefs: a row of means and variances for each entry, as in `Trace.after`.
Beliefs = Callable[[Ints], NDArray[np.float64]]


@dataclass(frozen=True)
class MatchPage:
    """A page of matches, newest first, and the total number of matches.

    >>> MatchPage([], 0).total
    0
    """

    rows: list[Plain]
    total: int


class RecordedMatch(NamedTuple):
    """The id of a match, and its context as JSON."""

    id: str
    context: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class MatchViews:
    """Views of a league's matches and players.

    The ids and contexts of matches are read from the connection, which must stay open. With `points`, every rating also
    has its points, and reasons of rating changes are in points. `order` is that of the leaderboard, by which the best
    and the worst rating are chosen.
    """

    league: League
    connection: Connection
    view: TraceView
    points: Points | None = None
    order: Order | None = None

    def match(self, id: str, most: int | None = None) -> Plain:
        """Return a match with its forecast, and the rating changes of at most `most` players with their reasons."""
        index = self._index(id)
        account = self.view.trace.account(index, most, self.points)
        players = [
            {key: row[key] for key in ("player", *MATCH_KEYS, "first") if key in row}
            | self._changes(row)
            | self._statistics(row)
            | {"why": why}
            for row, why in zip(account.rows, account.sentences, strict=True)
        ]
        match = self._match(index, self._recorded(np.array([index])).get(index, RecordedMatch(id)))
        return match | {"counts": account.counts, "forecast": account.forecast, "players": players}

    def neighbours(self, id: str) -> tuple[str | None, str | None]:
        """Return the ids of the previous and the next match in league order; None where there is no match."""
        index = self._index(id)
        around = self._recorded(np.arange(max(index - 1, 0), min(index + 2, len(self.view))))
        before, after = around.get(index - 1), around.get(index + 1)
        return before and before.id, after and after.id

    def matches(
        self,
        player: str | None = None,
        since: float = -np.inf,
        until: float = np.inf,
        limit: int = 50,
        offset: int = 0,
        where: ContextFilters = NO_FILTERS,
    ) -> MatchPage:
        """Return a page of the matches of the league, or of one player, in a time range, newest first.

        The page has at most `limit` matches after the first `offset`. Its `total` counts all matches that fit.

        `where` selects matches by context. The match, or any of its teams or players, must have an accepted value; with
        a `player`, this player, the player's team or the match must have one. The matches of one player also have the
        expected result and the rating change.
        """
        first, last = self.view.between(since, until)
        if player is None:
            total = last - first
            if where:
                found = first + np.flatnonzero(self.view.context.match_mask(where, first, last))
                total, chosen = len(found), found[::-1][offset : offset + limit]
            else:
                chosen = np.arange(last - 1 - offset, max(first, last - offset - limit) - 1, -1)
            recorded = self._recorded(chosen)
            rows = [self._match(index, recorded[index]) for index in chosen.tolist() if index in recorded]
            return MatchPage(rows, total)
        entry = self._entries(player)
        _, match = self.view.places(entry)
        begin, end = np.searchsorted(match, [first, last])
        entry = entry[begin:end]
        if where:
            entry = entry[self.view.context.entry_mask(where, entry, *self.view.places(entry))]
        return MatchPage(self._player_matches(entry[::-1][offset : offset + limit][::-1]), len(entry))

    def recent_matches(self, players: Iterable[str], each: int = RECENT_MATCHES) -> History:
        """Return the last `each` matches of every given player that are among the latest matches of the league."""
        history = self.view.trace.history
        begin = int(history.team_start[history.match_start[max(0, len(history) - RECENT_OF_LEAGUE)]])
        entry = np.concatenate([np.zeros(0, np.intp), *(self.view.entries(name)[::-1][:each] for name in players)])
        _, match = self.view.places(entry[entry >= begin])
        recent = history.take(np.unique(match))
        rows, player = np.unique(recent.player, return_inverse=True)
        names = tuple(history.players[row] for row in rows.tolist())
        return replace(recent, players=names, player=player.reshape(-1).astype(recent.player.dtype))

    def player(self, name: str, matches: int = 20, curve: int = 500) -> Plain:
        """Return a player's rating curve, its best and worst point, the last matches, opponents and partners.

        The curve has at most `curve` points, which include the first, the last, the best and the worst.
        """
        entry = self._entries(name)
        places = self.view.places(entry)
        opponents, partners = encounters(self.view.trace.history, entry, places)
        points, record = self._record(entry, places, curve)
        return {
            "player": name,
            "curve": points,
            **record,
            "matches": self._player_matches(entry[len(entry) - min(matches, len(entry)) :]),
            "total": len(entry),
            "opponents": self._met(opponents),
            "partners": self._met(partners),
        }

    def curve(self, name: str, most: int = 500, beliefs: Beliefs | None = None) -> list[Plain]:
        """Return a player's ratings after each match that counts, reduced to at most `most` points.

        `beliefs` returns other beliefs at given entries of the view, such as those in hindsight.
        """
        return self._curve(self._entries(name), most, beliefs=beliefs)[0]

    def record(self, name: str) -> Plain:
        """Return the best and worst rating of a player and the number of wins, draws and losses."""
        entry = self._entries(name)
        return self._record(entry, self.view.places(entry), 0)[1]

    def extremes(self, name: str, skip: int) -> tuple[Plain | None, Plain | None]:
        """Return a player's best rating, and the worst after the first `skip` rated matches (None if there is none).

        In a ranking by the mean, ratings are compared by μ, which is as often too high as too low after few matches.
        Then the best rating ignores the first `skip` matches, too, if there are later ones.
        """
        entry = self._entries(name)
        entry = entry[self.view.trace.counted(self.view.places(entry)[1])]
        later = entry[skip:]
        by_mean = self._order.ranking == "mean"
        _, best_later, worst_later = self._curve(later, 0, skipped=skip)
        return best_later if by_mean and len(later) else self._curve(entry, 0)[1], worst_later

    def ids(self, numbers: Sequence[int]) -> list[str | None]:
        """Return the ids of matches by their numbers, counted from 1; None if the connection does not see a match."""
        chosen = np.array(numbers, np.intp) - 1
        recorded = self._recorded(np.unique(chosen)) if len(chosen) else {}
        return [recorded[index].id if index in recorded else None for index in chosen.tolist()]

    def standing_at(self, time: float) -> Ladder:
        """Return the ladder at a time, after all matches and season starts up to that time."""
        _, matches = self.view.between(time, time)
        return self.view.ladder_after(matches, sum(season.start <= time for season in self.view.seasons))

    def end_of_season(self, name: str) -> Ladder:
        """Return the ladder at the end of a season; for the last season, return the current ladder."""
        end = end_of_season(self.view.seasons, name)
        if end is None:
            names = ", ".join(season.name for season in self.view.seasons)
            text = f"{self.league.name} has no season named {name!r}; it has {names or 'none yet'}"
            raise NotFound(text, field="season", value=name)
        return self.standing_at(end)

    def _index(self, id: str) -> int:
        entry = journal.get(self.connection, self.league, id)
        index = None if entry.body is None else self.view.find(entry.time, entry.seq)
        # The match may have been edited since the connection began, so that its time differs in the view.
        if index is None:
            index = next(iter(np.flatnonzero(self.view.seq == entry.seq).tolist()), None)
        if index is None:
            raise NotFound(f"match {id!r} of {self.league.name} was deleted", field="id", value=id)
        return index

    def _entries(self, player: str) -> Ints:
        entry = self.view.entries(player)
        if not len(entry):
            text = f"{self.league.name} has no matches of a player named {player!r}"
            raise NotFound(text, field="player", value=player)
        return entry

    def _recorded(self, chosen: Ints) -> dict[int, RecordedMatch]:
        # Matches posted after the connection's snapshot are left out.
        index = dict(zip(self.view.seq[chosen].tolist(), chosen.tolist(), strict=True))
        query = select(_JOURNAL.seq, _JOURNAL.id, _JOURNAL.context).where(
            _JOURNAL.league_id == self.league.id, _JOURNAL.seq.in_(list(index)), _JOURNAL.until.is_(None)
        )
        return {index[row.seq]: RecordedMatch(row.id, row.context) for row in self.connection.execute(query)}

    @cached_property
    def _order(self) -> Order:
        return self.order or make_order(self.view.trace.model, "conservative")

    @cached_property
    def _history(self) -> History:
        # The context is left out, because pages read it from the journal.
        return replace(self.view.trace.history, context=EMPTY, team_context=EMPTY, entry_context=EMPTY)

    def _match(self, index: int, recorded: RecordedMatch) -> Plain:
        match = {key: value for key, value in self._history[index].items() if key != "time"}
        context = {"context": json.loads(recorded.context)} if recorded.context else {}
        return {"id": recorded.id, "time": self._time(index)} | match | context

    def _time(self, index: int) -> str | float | None:
        times = self.view.trace.history.time
        return None if times is None else clock.show(self.league.clock, float(times[index]))

    def _player_matches(self, entry: Ints) -> list[Plain]:
        trace = self.view.trace
        team, match = trace.locate(entry)
        columns = {"team": team - trace.history.match_start[match]} | trace.describe(entry)
        counts = trace.counted(match).tolist()
        rows, recorded = [], self._recorded(match)
        for k, index in reversed([*enumerate(match.tolist())]):
            if index in recorded:
                row = {key: plain(columns[key][k]) for key in columns}
                changes = self._changes(row if counts[k] else row | {"moved": 0.0, "shown_moved": 0.0})
                own = {key: row[key] for key in MATCH_KEYS if key in row} | (self._statistics(row) if counts[k] else {})
                rows.append(self._match(index, recorded[index]) | {"counts": counts[k]} | own | changes)
        return rows

    def _curve(
        self, entry: Ints, most: int, beliefs: Beliefs | None = None, skipped: int = 0
    ) -> tuple[list[Plain], Plain | None, Plain | None]:
        """Return at most `most` points of a curve, and its best and worst point.

        The points are compared by the rating that sorts; provisional ones count only if there are no others. `skipped`
        is the number of the player's matches before the first of these.
        """
        trace, (_, match) = self.view.trace, self.view.places(entry)
        counted = trace.counted(match)
        entry, match = entry[counted], match[counted]
        if not len(entry):
            return [], None, None
        after = trace.after.take(entry, axis=0) if beliefs is None else beliefs(entry)  # faster than `after[entry]`
        mu, sigma, shown = overall(trace.model, after)
        ranked = self._order.rating(mu, shown)
        eligible = ~self._order.provisional(sigma, skipped + np.arange(1, len(entry) + 1))
        chosen = np.flatnonzero(eligible if eligible.any() else ~eligible)
        best, worst = (int(chosen[find(ranked[chosen])]) for find in (np.argmax, np.argmin))
        at = np.arange(len(entry))
        if len(at) > most:
            spaced = np.linspace(0, len(at) - 1, max(most, MIN_POINTS) - 2).round().astype(np.intp)
            at = np.union1d(spaced, [best, worst])
        ratings = np.stack([mu, sigma, shown], axis=1)[at].tolist()
        points = [
            {"time": self._time(index), "match": index + 1} | self._rating(*map(plain, rating))
            for index, rating in zip(match[at].tolist(), ratings, strict=True)
        ]
        high, low = (points[int(np.searchsorted(at, k))] for k in (best, worst))
        return points if most else [], high, low

    def _record(self, entry: Ints, places: tuple[Ints, Ints], curve: int) -> tuple[list[Plain], Plain]:
        """Return at most `curve` points of a rating curve, and a mapping with its best and worst point and the results.

        The results are the numbers of wins, draws and losses.
        """
        points, best, worst = self._curve(entry, curve)
        signs = results(self.view.trace.history, places)
        counts = {name: int(np.sum(signs == sign)) for name, sign in (("wins", 1), ("draws", 0), ("losses", -1))}
        return points, {"best": best, "worst": worst} | counts

    def _changes(self, row: Plain) -> Plain:
        changes = {when: self._rating(*(row[f"{key}_{when}"] for key in RATING_KEYS)) for when in ("before", "after")}
        moved = {"moved": row["moved"], "shown_moved": row["shown_moved"]}
        if self.points is not None:
            moved["points_moved"] = None if row["moved"] is None else self.points.factor * row["moved"]
        return changes | moved

    def _statistics(self, row: Plain) -> Plain:
        """Return the player's statistics, and how far they moved the rating; {} if the model has none."""
        moved = row.get("moved_by_statistics")
        if moved is None:
            return {}
        statistics = self.view.trace.model.statistics
        keys = zip(unique_keys(statistics), statistics, strict=True)
        columns = {statistic.column: row.get(f"statistic_{key}") for key, statistic in keys}
        found = {"statistics": columns, "moved_by_statistics": moved}
        return found if self.points is None else found | {"points_moved_by_statistics": self.points.factor * moved}

    def _rating(self, mu: float | None, sigma: float | None, shown: float | None) -> Plain:
        rating = {"mu": mu, "sigma": sigma, "shown": shown}
        return rating if self.points is None or mu is None else rating | self.points.columns(mu, sigma, shown)

    def _met(self, met: Encounters) -> list[Plain]:
        # Players met equally often are sorted by name.
        names = self.view.trace.history.players
        least = met.matches[min(MAX_MET, len(met.matches)) - 1] if len(met.matches) else 0
        more = int(np.searchsorted(-met.matches, -least))  # number of players met more often than the last one listed
        last = range(more, int(np.searchsorted(-met.matches, -least, "right")))
        chosen = [*range(more), *nsmallest(MAX_MET - more, last, key=lambda k: names[met.player[k]])]
        columns = [column[chosen].tolist() for column in met[1:]]
        rows = [
            {"player": names[player]} | dict(zip(Encounters._fields[1:], counts, strict=True))
            for player, *counts in zip(met.player[chosen].tolist(), *columns, strict=True)
        ]
        return sorted(rows, key=lambda row: (-row["matches"], row["player"]))


def recent_form(
    view: TraceView, players: Sequence[str], played: Sequence[int], matches: int | None = None
) -> list[list[Plain]]:
    """Return the results of each player's last five matches, newest last.

    With `matches`, only the first `matches` matches of the league are considered.

    The only team in first place has won; teams that share first place have drawn. `played`, the number of matches of
    each player, limits how far back to search. Matches that do not count are left out.

    >>> import prowess as pw
    >>> from prowess.store.read.trace import LeagueTrace
    >>> league = LeagueTrace(pw.Elo(), None)
    >>> both = [{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"], ["cat"]]}]
    >>> league.extend(pw.History.from_matches(both), [1, 2])
    >>> recent_form(league.view, ["ann"], [2])
    [[{'result': 'win', 'place': 1, 'teams': 2}, {'result': 'loss', 'place': 2, 'teams': 3}]]
    """
    history = view.trace.history
    number = np.array([view.number.get(name, -1) for name in players], np.intp)
    number[number >= len(history.players)] = -1  # ignore players who are not in the view yet
    entry = _last_entries(view, number, np.minimum(played, FORM_MATCHES), len(view) if matches is None else matches)
    team, match = view.places(entry)
    result = np.array(["draw", "win", "loss"])[results(history, (team, match))]  # indexed by 0, 1 and -1
    size = np.diff(history.match_start)[match]
    forms: dict[int, list[Plain]] = {player: [] for player in number.tolist()}
    ends = zip(*(column.tolist() for column in (result, history.place[team], size)), strict=True)
    shared: dict[tuple[str, int, int], Plain] = {}  # thousands of players share a few distinct results
    for player, end in zip(history.player[entry].tolist(), ends, strict=True):
        if end not in shared:
            shared[end] = dict(zip(("result", "place", "teams"), end, strict=True))
        forms[player].append(shared[end])
    return [forms[player] if player >= 0 else [] for player in number.tolist()]


def _last_entries(view: TraceView, number: Ints, enough: NDArray[np.integer], matches: int) -> Ints:
    """Return each player's last entries in matches that count, at most `FORM_MATCHES`, in chronological order.

    Only the first `matches` matches are searched, until `enough` entries of each player are found.

    The entries are scanned backwards from the end: most players on a page have played recently, so no index is needed.
    """
    history = view.trace.history
    wanted = np.zeros(len(history.players) + 1, np.int64)  # entries of each player still to be found
    wanted[number] = enough
    wanted[-1] = 0
    asked = wanted > 0
    blocks: list[Ints] = []
    end, size = int(history.team_start[history.match_start[matches]]), BLOCK
    while end > 0 and (wanted > 0).any():
        begin = max(0, end - size)
        entry = begin + np.flatnonzero(asked.take(history.player[begin:end]))
        entry = entry[view.trace.counted(view.places(entry)[1])]
        np.subtract.at(wanted, history.player[entry], 1)
        blocks.append(entry)
        end, size = begin, 2 * size
    entry = np.concatenate([np.zeros(0, np.intp), *reversed(blocks)])
    by_player = np.argsort(history.player[entry], kind="stable")
    sorted_player = history.player[entry[by_player]]
    after = np.searchsorted(sorted_player, sorted_player, side="right") - np.arange(len(entry))
    return np.sort(entry[by_player[after <= FORM_MATCHES]])


def head_to_head(view: TraceView, players: Sequence[str]) -> list[Plain]:
    """Return for each pair of players how often they met, and how often the first was ahead, level or behind.

    >>> from prowess import History, TrueSkill
    >>> from prowess.store.read.trace import LeagueTrace
    >>> league = LeagueTrace(TrueSkill(), None)
    >>> league.extend(History.from_matches([{"teams": [["ann"], ["bob"]]}]), [1])
    >>> head_to_head(league.view, ["bob", "ann"])
    [{'player': 'bob', 'opponent': 'ann', 'matches': 1, 'wins': 0, 'draws': 0, 'losses': 1}]
    """
    places = {name: view.places(view.entries(name)) for name in players}
    rows = []
    for player, opponent in combinations(players, 2):
        counts = rivals(view.trace.history, places[player], places[opponent])
        rows.append({"player": player, "opponent": opponent} | dict(zip(Encounters._fields[1:], counts, strict=True)))
    return rows
