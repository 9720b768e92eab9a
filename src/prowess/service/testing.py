"""A service to try things with: on a free port of this machine, in a temporary folder, gone when it is left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, Any

from ..errors import Error
from ..optional import import_extra

if TYPE_CHECKING:
    from ..client.client import Client
    from ..store.clock import Clock


@contextmanager
def trial(
    league: str = "trial", model: str = "TrueSkill", *, clock: Clock = "utc", **parameters: Any
) -> Iterator[Client]:
    """A client of a league that exists as long as the block: a real service, for examples and for your own tests.

    >>> with trial("darts", "Elo", k=20) as client:
    ...     [[ann], [bob]] = client.record([["ann"], ["bob"]])
    >>> ann.mu - bob.mu
    20.0
    """
    uvicorn = import_extra("uvicorn", "Uvicorn", "service")
    from ..client.client import Client
    from ..store import keys, leagues
    from ..store.db.database import Database
    from ..store.leagues import Preset
    from .app import create_app
    from .serving import listening
    from .settings import Settings

    with TemporaryDirectory(prefix="prowess-") as folder, listening("127.0.0.1", 0) as there:
        settings = Settings(database=f"{folder}/league.db", port=there.getsockname()[1], log="off")
        database = Database(settings.database)
        database.migrate()
        with database.writing() as connection:
            leagues.create(connection, league, model=Preset(model, parameters), clock=clock)
            _, key = keys.create(connection, "trial", "admin")
        database.close()
        app = create_app(settings)
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="on", ws="none"))
        with _running(server, there), Client(settings.address, league, key) as client:
            yield client


@contextmanager
def _running(server: Any, there: Any) -> Iterator[None]:
    """Serve in a thread of its own; open requests are answered before it ends."""
    thread = Thread(target=server.run, args=([there],), name="prowess-trial", daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            raise Error("the service could not start")
        sleep(0.005)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()
