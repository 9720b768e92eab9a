"""A background thread for housekeeping.

It records the last use of keys, removes deleted leagues, scrubs erased names, and rates leagues again if their ratings
were derived by another version of the engine.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Thread

from ...errors import Error
from ...model.engine_version import ENGINE_VERSION
from ...store import keys, leagues, purge
from ...store.db.database import Database
from ...store.errors import Conflict, NotFound, Unavailable
from ...store.write import erasure
from ...store.write.commands import Rederive
from .worker import Submit

INTERVAL = 60.0  # seconds between two rounds; also the precision of a key's last use


class Housekeeper:
    """The housekeeping thread; `uses` maps the id of each key to the Unix time of its last request.

    Leagues are rated again through `submit`. Close the writer before the housekeeper, which waits for the result.

    >>> from tempfile import TemporaryDirectory
    >>> from prowess.store.write.writer import Writer
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/league.db")
    ...     database.migrate()
    ...     writer = Writer(database)
    ...     housekeeper = Housekeeper(database, {}, writer.submit)
    ...     for part in (writer, housekeeper, database):
    ...         part.close()
    """

    def __init__(self, database: Database, uses: dict[int, float], submit: Submit, interval: float = INTERVAL) -> None:
        self._database, self._uses, self._submit, self._interval = database, uses, submit, interval
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
            _attempt(self._rederive)
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

    def _rederive(self) -> None:
        with self._database.reading() as connection:
            outdated = leagues.list_outdated(connection)
        for name in outdated:
            if self._closing.is_set():
                return
            try:
                self._submit(Rederive(name)).result()
            except Unavailable:
                raise
            except (Conflict, NotFound):
                pass  # the league was archived, deleted or renamed in the meantime
            except Exception:  # the other leagues are rated again nevertheless
                logging.getLogger(__name__).exception("cannot rate the league %s again", name)
            else:
                text = "rated all matches of the league %s again with version %d of the engine"
                logging.getLogger(__name__).info(text, name, ENGINE_VERSION)


def _attempt(work: Callable[[], None]) -> None:
    try:
        work()
    except Error:
        pass  # the database is unavailable: the next round tries again
    except Exception:
        logging.getLogger(__name__).exception("housekeeping failed")
