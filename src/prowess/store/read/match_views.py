"""What happened in a league: its matches and players, each match with what was expected and what it moved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from ...history import History
from ...history.head_to_head import Encounters, encounters, results
from ...model.fit.explain import plain
from ...model.fit.leaderboard import overall
from ...model.ladder.ladder import Ladder
from .. import clock
from ..db import schema
from ..errors import NotFound
from ..journal import journal
from ..leagues import League
from .trace import View
from .trace_cache import MEMORY, Courses

__all__ = ["Chronicle", "Chronicles", "Listed"]

MET = 100  # opponents, or partners, that are named
EACH, LATE = 5, 100_000  # matches of a player, of so many of the league, that were lately
FEWEST = 4  # points of a curve: the first, the last, the best and the worst
TOLD = ("team", "place", "score", "actual", "expected", "expected_lead")  # of a player's matches, in this order
MOVES = ("mu", "sigma", "shown")
_JOURNAL = schema.journal.c
Ints = NDArray[np.intp]
Plain = dict[str, Any]


class Chronicles:
    """The chronicles of all leagues, of which a process keeps those in memory that were asked for last.

    >>> from tempfile import TemporaryDirectory
    >>> from prowess.store.write.commands import Post
    >>> from prowess.store.db.database import Database
    >>> from prowess.store.leagues import create, find
    >>> from prowess.store.write.writer import perform
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/league.db")
    ...     database.migrate()
    ...     with database.writing() as connection:
    ...         _ = create(connection, "darts")
    ...     _ = perform(database, Post("darts", [{"id": "first", "teams": [["ann"], ["bob"]]}]))
    ...     with database.reading() as connection:
    ...         Chronicles().of(connection, find(connection, "darts")).match("first")["players"][0]["why"]
    ...     database.close()
    'ann won against bob, where 50 % was expected: +4.40 to 29.40.'
    """

    def __init__(self, memory: float = MEMORY) -> None:
        self._courses = Courses(memory)

    @property
    def room(self) -> float:
        """Bytes of memory that are left: who reads leagues ahead stops before others have to go."""
        return self._courses.room

    def of(self, connection: Connection, league: League) -> Chronicle:
        """The chronicle of a league, which was found on the same connection."""
        return Chronicle(league, connection, self._courses.of(connection, league))


@dataclass(frozen=True)
class Listed:
    """Some matches, the newest first, and how many there are in all.

    >>> Listed([], 0).total
    0
    """

    rows: list[Plain]
    total: int


@dataclass(frozen=True, eq=False, repr=False)
class Chronicle:
    """What happened in a league, for as long as a connection is open: ids of matches are read from the journal."""

    league: League
    connection: Connection
    view: View

    def match(self, id: str, most: int | None = None) -> Plain:
        """One match: what was forecast, and what it did to every player, or to so many, with a sentence why."""
        index = self._index(id)
        account = self.view.passage.account(index, most)
        told = [
            {key: row[key] for key in ("player", *TOLD, "first") if key in row} | _moved(row) | {"why": why}
            for row, why in zip(account.rows, account.sentences, strict=True)
        ]
        return self._match(index, id) | {"counts": account.counts, "forecast": account.forecast, "players": told}

    def around(self, id: str) -> tuple[str | None, str | None]:
        """The ids of the matches before and after one; None at the beginning, and at the end."""
        index = self._index(id)
        found = self._ids(np.arange(max(index - 1, 0), min(index + 2, len(self.view))))
        return found.get(index - 1), found.get(index + 1)

    def matches(
        self,
        player: str | None = None,
        since: float = -np.inf,
        until: float = np.inf,
        limit: int = 50,
        offset: int = 0,
    ) -> Listed:
        """The matches of the league or of one player from one time to another, the newest first.

        Those of a player say what was expected of her, and what they moved.
        """
        first, last = self.view.between(since, until)
        if player is None:
            chosen = np.arange(last - 1 - offset, max(first, last - offset - limit) - 1, -1)
            ids = self._ids(chosen)
            rows = [self._match(index, ids[index]) for index in chosen.tolist() if index in ids]
            return Listed(rows, last - first)
        entry = self._entries(player)
        _, match = self.view.places(entry)
        begin, end = np.searchsorted(match, [first, last])
        return Listed(self._told(entry[begin:end][::-1][offset : offset + limit][::-1]), int(end - begin))

    def lately(self, players: Iterable[str], each: int = EACH) -> History:
        """The last matches of some players, of each only `each`; none that many others have been played since."""
        history = self.view.passage.history
        begin = int(history.team_start[history.match_start[max(0, len(history) - LATE)]])
        entry = np.concatenate([np.zeros(0, np.intp), *(self.view.entries(name)[::-1][:each] for name in players)])
        _, match = self.view.places(entry[entry >= begin])
        found = history.take(np.unique(match))
        there, player = np.unique(found.player, return_inverse=True)
        names = tuple(history.players[row] for row in there.tolist())
        return replace(found, players=names, player=player.reshape(-1).astype(found.player.dtype))

    def player(self, name: str, matches: int = 20, curve: int = 500) -> Plain:
        """A player's way: the curve of her rating, its best and worst, her last matches, and whom she met.

        The curve has at most so many points, of which the first, the last, the best and the worst are always there.
        """
        entry = self._entries(name)
        places = self.view.places(entry)
        opponents, partners = encounters(self.view.passage.history, entry, places)
        points, record = self._record(entry, places, curve)
        return {
            "player": name,
            "curve": points,
            **record,
            "matches": self._told(entry[len(entry) - min(matches, len(entry)) :]),
            "total": len(entry),
            "opponents": self._met(opponents),
            "partners": self._met(partners),
        }

    def curve(self, name: str, most: int = 500) -> list[Plain]:
        """What was believed of a player after each of her matches that count, in at most so many points."""
        entry = self._entries(name)
        return self._curve(entry, self.view.places(entry)[1], most)[0]

    def record(self, name: str) -> Plain:
        """How a player fared in all her matches, without whom she met: what costs little of her way."""
        entry = self._entries(name)
        return self._record(entry, self.view.places(entry), 0)[1]

    def id(self, number: int) -> str | None:
        """The id of a match by its number in the league, from 1; None if it was posted since the connection looked."""
        return self._ids(np.array([number - 1])).get(number - 1)

    def standing_at(self, time: float) -> Ladder:
        """Where everybody stood at a time, after the matches and the starts of seasons up to then."""
        _, matches = self.view.between(time, time)
        return self.view.standing(matches, sum(season.start <= time for season in self.view.seasons))

    def end_of_season(self, name: str) -> Ladder:
        """Where everybody stood at the end of a season, or stands now, if it is the last one."""
        names = [season.name for season in self.view.seasons]
        if name not in names:
            known = f"it has {', '.join(names)}" if names else "it has none yet"
            raise NotFound(f"{self.league.name} has no season called {name!r}; {known}")
        number = names.index(name) + 1
        if number == len(names):
            return self.view.standing(len(self.view), number)
        following = self.view.seasons[number].start
        return self.view.standing(self.view.between(following, following)[0], number)

    def _index(self, id: str) -> int:
        """Where the match of an id stands."""
        entry = journal.entry_of(self.connection, self.league, id)
        index = None if entry.body is None else self.view.index(entry.time, entry.seq)
        if index is None:  # unless it was edited since the connection looked
            index = next(iter(np.flatnonzero(self.view.seq == entry.seq).tolist()), None)
        if index is None:
            raise NotFound(f"the match {id!r} of {self.league.name} was deleted")
        return index

    def _entries(self, player: str) -> Ints:
        entry = self.view.entries(player)
        if not len(entry):
            raise NotFound(f"{self.league.name} has no match of a player called {player!r}")
        return entry

    def _ids(self, chosen: Ints) -> dict[int, str]:
        """The ids of matches, by their indices; those that were posted since the connection looked are not there."""
        index = dict(zip(self.view.seq[chosen].tolist(), chosen.tolist(), strict=True))
        query = select(_JOURNAL.seq, _JOURNAL.id).where(
            _JOURNAL.league_id == self.league.id, _JOURNAL.seq.in_(list(index)), _JOURNAL.kind == "post"
        )
        return {index[row.seq]: row.id for row in self.connection.execute(query)}

    def _match(self, index: int, id: str) -> Plain:
        """A match as it was posted."""
        match = self.view.passage.history[index]
        return {"id": id, "time": self._time(index)} | {key: value for key, value in match.items() if key != "time"}

    def _time(self, index: int) -> str | float | None:
        times = self.view.passage.history.time
        return None if times is None else clock.show(self.league.clock, float(times[index]))

    def _told(self, entry: Ints) -> list[Plain]:
        """Matches of a player, the newest first, with what was expected of her and what they moved."""
        passed = self.view.passage
        team, match = passed.locate(entry)
        columns = {"team": team - passed.history.match_start[match]} | passed.describe(entry)
        counts = passed.counted(match).tolist()
        rows, ids = [], self._ids(match)
        for k, index in reversed([*enumerate(match.tolist())]):
            if index in ids:
                row = {key: plain(columns[key][k]) for key in columns}
                moves = _moved(row if counts[k] else row | {"moved": 0.0, "shown_moved": 0.0})
                own = {key: row[key] for key in TOLD if key in row}
                rows.append(self._match(index, ids[index]) | {"counts": counts[k]} | own | moves)
        return rows

    def _curve(self, entry: Ints, match: Ints, most: int) -> tuple[list[Plain], Plain | None, Plain | None]:
        """What was believed after each match that counts, in few points; and the best and the worst of all."""
        passed = self.view.passage
        counted = passed.counted(match)
        entry, match = entry[counted], match[counted]
        if not len(entry):
            return [], None, None
        mu, sigma, shown = overall(passed.model, passed.after.take(entry, axis=0))  # sooner than `after[entry]`
        best, worst = int(np.argmax(shown)), int(np.argmin(shown))
        at = np.arange(len(entry))
        if len(at) > most:
            spaced = np.linspace(0, len(at) - 1, max(most, FEWEST) - 2).round().astype(np.intp)
            at = np.union1d(spaced, [best, worst])
        beliefs = zip(*(_cells(column[at]) for column in (mu, sigma, shown)), strict=True)
        points = [
            {"time": self._time(index), "match": index + 1} | dict(zip(MOVES, belief, strict=True))
            for index, belief in zip(match[at].tolist(), beliefs, strict=True)
        ]
        high, low = (points[int(np.searchsorted(at, k))] for k in (best, worst))
        return points if most else [], high, low

    def _record(self, entry: Ints, places: tuple[Ints, Ints], curve: int) -> tuple[list[Plain], Plain]:
        """A curve; its best and worst, and how often her team came first alone, first with others, and not first."""
        points, best, worst = self._curve(entry, places[1], curve)
        ended = results(self.view.passage.history, places)
        counts = {name: int(np.sum(ended == what)) for name, what in (("wins", 1), ("draws", 0), ("losses", -1))}
        return points, {"best": best, "worst": worst} | counts

    def _met(self, met: Encounters) -> list[Plain]:
        """Opponents or partners, those met most often first; equally often, by name."""
        names = self.view.passage.history.players
        least = met.matches[min(MET, len(met.matches)) - 1] if len(met.matches) else 0
        more = int(np.searchsorted(-met.matches, -least))  # who was met more often than the last of those who are named
        last = range(more, int(np.searchsorted(-met.matches, -least, "right")))
        chosen = [*range(more), *nsmallest(MET - more, last, key=lambda k: names[met.player[k]])]
        columns = [column[chosen].tolist() for column in met[1:]]
        rows = [
            {"player": names[player]} | dict(zip(Encounters._fields[1:], counts, strict=True))
            for player, *counts in zip(met.player[chosen].tolist(), *columns, strict=True)
        ]
        return sorted(rows, key=lambda row: (-row["matches"], row["player"]))


def _moved(row: Plain) -> Plain:
    """The rating before and after a match, and what it moved."""
    ratings = {when: {what: row[f"{what}_{when}"] for what in MOVES} for when in ("before", "after")}
    return ratings | {"moved": row["moved"], "shown_moved": row["shown_moved"]}


def _cells(column: NDArray[np.float64]) -> list[float | None]:
    """A column as plain numbers; None for what is not known."""
    return [None if cell != cell else cell for cell in column.tolist()]
