"""A background thread that records the last use of keys, removes deleted leagues, and scrubs erased names."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread

from ...errors import Error
from ...store import keys, purge
from ...store.db.database import Database
from ...store.write import erasure

INTERVAL = 60.0  # seconds between two rounds; also the precision of a key's last use


class Housekeeper:
    """The housekeeping thread; `uses` maps the id of each key to the Unix time of its last request.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/league.db")
    ...     database.migrate()
    ...     Housekeeper(database, {}).close()
    ...     database.close()
    """

    def __init__(self, database: Database, uses: dict[int, float], interval: float = INTERVAL) -> None:
        self._database, self._uses, self._interval = database, uses, interval
        self._recorded: dict[int, float] = {}
        self._closing = Event()
        self._thread = Thread(target=self._run, name="prowess-housekeeping", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the thread, and record the last uses of keys."""
        self._closing.set()
        self._thread.join()
        _attempt(self._record_uses)

    def _run(self) -> None:
        while True:
            _attempt(self._purge)
            _attempt(self._scrub)
            if self._closing.wait(self._interval):
                return
            _attempt(self._record_uses)

    def _record_uses(self) -> None:
        # Copy the dictionary in one step, because requests add to it at the same time.
        new = {id: at for id, at in self._uses.copy().items() if at > self._recorded.get(id, 0.0)}
        if new:
            with self._database.writing() as connection:
                keys.record_uses(connection, new)
            self._recorded |= new

    def _purge(self) -> None:
        for name in purge.purge_deleted(self._database, self._closing.is_set):
            logging.getLogger(__name__).info("removed the deleted league %s", name)

    def _scrub(self) -> None:
        # The request that erases a name also scrubs the file, but an open reader may have prevented that, or the
        # process may have ended too early.
        if not erasure.scrub(self._database):
            logging.getLogger(__name__).info(
                "an open read transaction delays the removal of unused pages, which may still contain erased names"
            )


def _attempt(work: Callable[[], None]) -> None:
    try:
        work()
    except Error:
        pass  # the database is unavailable: the next round tries again
    except Exception:
        logging.getLogger(__name__).exception("housekeeping failed")
