"""A temporary service for examples and tests."""

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
    """Run a real service with one league on a free port for the duration of a block; yield a client of the league.

    `model` is the name of a preset, and `parameters` are its parameters. The database is in a temporary folder.

    >>> with trial("darts", "Elo", k=20) as client:
    ...     [[ann], [bob]] = client.record([["ann"], ["bob"]])
    >>> ann.mu - bob.mu
    20.0
    """
    # Imported here, because the service's packages are optional.
    uvicorn = import_extra("uvicorn", "Uvicorn", "service")
    from ..client.client import Client
    from ..store import keys, leagues
    from ..store.db.database import Database
    from ..store.leagues import Preset
    from .app import create_app
    from .serving import open_socket
    from .settings import Settings

    with TemporaryDirectory(prefix="prowess-") as folder, open_socket("127.0.0.1", 0) as listener:
        settings = Settings(database=f"{folder}/league.db", port=listener.getsockname()[1], log="off")
        database = Database(settings.database)
        database.migrate()
        with database.writing() as connection:
            leagues.create(connection, league, model=Preset(model, parameters), clock=clock)
            _, key = keys.create(connection, "trial", "admin")
        database.close()
        app = create_app(settings)
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="on", ws="none"))
        with _running(server, listener), Client(settings.address, league, key) as client:
            yield client


@contextmanager
def _running(server: Any, listener: Any) -> Iterator[None]:
    thread = Thread(target=server.run, args=([listener],), name="prowess-trial", daemon=True)
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
