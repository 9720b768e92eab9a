"""Prewarming at startup: load large leagues, which take seconds, before the first request."""

from __future__ import annotations

import logging
from contextlib import suppress
from threading import Event, Thread

from ...errors import Error
from ...store import leagues
from ...store.db.database import Database
from ...store.read.changes import week_before
from ...store.read.standings import StandingsCache
from ...store.read.trace_cache import TraceCache

LEAST = 5_000  # matches; smaller leagues load fast enough on request
GRACE = 2.0  # seconds that shutdown waits for a league being loaded


class Prewarmer:
    """A thread that loads leagues into the caches, largest first, until the next league would evict another one.

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
        self._charts_warm = False
        self.thread = Thread(target=self._run, name="prowess-prewarm", daemon=True)
        self.thread.start()

    def warm_charts(self) -> None:
        """At the first call, draw a chart in the background, because the first chart takes an extra second."""
        if not self._charts_warm:
            self._charts_warm = True
            Thread(target=_draw_chart, name="prowess-prewarm-charts", daemon=True).start()

    def close(self, grace: float = GRACE) -> None:
        """Stop loading leagues, and wait at most `grace` seconds for the league that is being loaded."""
        self._closing.set()
        self.thread.join(grace)

    def _run(self) -> None:
        try:
            with self._database.reading() as connection:
                large = [league for league in leagues.list_leagues(connection) if league.posted >= self._least]
            used = 0.0  # bytes that the last league took; the next league is smaller, so it takes less
            for league in sorted(large, key=lambda league: -league.posted):
                room = self._traces.room
                if self._closing.is_set() or room < used:
                    return
                with suppress(Error):  # the first request for this league reports the error
                    self._load(league.name)
                used = room - self._traces.room or used
        except Error:
            pass  # the database is unavailable
        except Exception:
            logging.getLogger(__name__).exception("prewarming failed")

    def _load(self, name: str) -> None:
        # Load the data of the standings page, because all other pages use it, too.
        with self._database.reading() as connection:
            league = leagues.find(connection, name)
            snapshot = self._standings.of(connection, league)
            snapshot.names.find("?")  # builds the index of names
            self._traces.of(connection, league)
            time = week_before(snapshot)
            if time is not None:
                self._standings.at_time(connection, league, time)


def _draw_chart() -> None:
    # Imported here, because only pages need the chart libraries.
    from ...lab.charts.files import svg
    from ...lab.charts.skill import belief_curves
    from ...lab.charts.theme import LIGHT, page_look

    svg(belief_curves({"ann": [(1, 25.0, 8.3)]}, ("Q", "match"), look=page_look(LIGHT, 360)).to_dict())
