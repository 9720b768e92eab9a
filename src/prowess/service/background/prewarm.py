"""What visitors ask for first is made when the service starts: large leagues take seconds to be read and rated."""

from __future__ import annotations

import logging
from contextlib import suppress
from threading import Event, Thread

from ...errors import Error
from ...store import leagues
from ...store.db.database import Database
from ...store.leagues import League
from ...store.read.changes import week_before
from ...store.read.standings import StandingsCache
from ...store.read.trace_cache import TraceCache

LEAST = 5_000  # matches of a league; smaller ones are there at once when they are asked for
GRACE = 2.0  # seconds that who closes waits for a league that is half read


class Prewarmer:
    """A thread that brings leagues into memory, the largest first, and no more than what stays there.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/league.db")
    ...     database.migrate()
    ...     traces = TraceCache()
    ...     Prewarmer(database, StandingsCache(traces), traces).close()
    ...     database.close()
    """

    def __init__(
        self, database: Database, standings: StandingsCache, traces: TraceCache, least: int | None = None
    ) -> None:
        self._database, self._standings, self._traces = database, standings, traces
        self._least = LEAST if least is None else least
        self._closing = Event()
        self._looked_at = False
        self.thread = Thread(target=self._run, name="prowess-warming", daemon=True)
        self.thread.start()

    def warm_charts(self) -> None:
        """Somebody looks at a page, and at a chart soon: the first one of a process takes a second more than others."""
        if not self._looked_at:
            self._looked_at = True
            Thread(target=_draw, name="prowess-drawing", daemon=True).start()

    def close(self, grace: float = GRACE) -> None:
        """Begin no other league; who is at the end does not wait long for the last one."""
        self._closing.set()
        self.thread.join(grace)

    def _run(self) -> None:
        try:
            with self._database.reading() as connection:
                found = [one for one in leagues.list_leagues(connection) if one.posted >= self._least]
            taken = 0.0  # bytes: leagues that are smaller will take less
            for league in sorted(found, key=lambda one: -one.posted):
                room = self._traces.room
                if self._closing.is_set() or room < taken:
                    return
                with suppress(Error):  # it is for who asks to be told
                    self._read(league)
                taken = room - self._traces.room or taken
        except Error:
            pass  # the database cannot be used now
        except Exception:
            logging.getLogger(__name__).exception("leagues could not be read ahead")

    def _read(self, league: League) -> None:
        """What the page of the standings shows, and with it what every other page needs."""
        with self._database.reading() as connection:
            now = leagues.find(connection, league.name)
            snapshot = self._standings.of(connection, now)
            self._traces.of(connection, now)
            time = week_before(snapshot)
            if time is not None:
                self._standings.at_time(connection, now, time)


def _draw() -> None:
    """Draw something: the libraries are loaded with the first chart, and only by who looks at pages."""
    from ...lab.charts.files import svg
    from ...lab.charts.skill import belief_curves
    from ...lab.charts.theme import LIGHT, page_look

    svg(belief_curves({"ann": [(1, 25.0, 8.3)]}, ("Q", "match"), look=page_look(LIGHT, 360)).to_dict())
