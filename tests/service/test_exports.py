"""Clients that request the same export share one job; jobs are limited, and stop when nobody waits for them."""

import asyncio
from threading import Event
from time import monotonic

import pytest

from prowess.service import exports
from prowess.service.exports import Exports
from prowess.store.db.database import Database
from prowess.store.errors import Unavailable
from prowess.store.exports import ExportFolder, ExportSpec
from prowess.store.leagues import create

NDJSON, CSV = ExportSpec("ndjson"), ExportSpec("csv")


class Slow:
    """A replacement for the function that writes a file; it pauses until the test lets it continue."""

    def __init__(self):
        self.begun, self.stopped, self.go = [], [], Event()

    def __call__(self, connection, league, path, spec, pause):
        self.begun.append((league.name, spec))
        try:
            while not self.go.wait(0.01):
                pause()
        except Unavailable:
            self.stopped.append((league.name, spec))
            raise
        path.write_text("matches")


@pytest.fixture
def slow(monkeypatch):
    writing = Slow()
    monkeypatch.setattr(exports, "write_matches", writing)
    return writing


@pytest.fixture
def service(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'prowess.db'}")
    database.migrate()
    with database.writing() as connection:
        for name in ("darts", "chess"):
            create(connection, name)
    yield Exports(database, ExportFolder(tmp_path / "exports"))
    database.close()


async def until(condition):
    end = monotonic() + 20
    while not condition():
        assert monotonic() < end
        await asyncio.sleep(0.01)


def test_concurrent_callers_share_one_export_job_and_later_callers_reuse_its_file(service, slow):
    async def work():
        callers = [asyncio.create_task(service.get("darts", NDJSON)) for _ in range(20)]
        await until(lambda: slow.begun)
        await asyncio.sleep(0.1)
        slow.go.set()
        files = [await caller for caller in callers] + [await service.get("darts", NDJSON)]
        assert {(file.path.read_text(), file.revision) for file in files} == {("matches", 0)}
        assert len({file.path for file in files}) == 21  # each caller has its own link to the file

    asyncio.run(work())
    assert slow.begun == [("darts", NDJSON)]


def test_export_job_runs_until_its_last_caller_disconnects(service, slow):
    async def work():
        first, second = (asyncio.create_task(service.get("darts", NDJSON)) for _ in range(2))
        await until(lambda: slow.begun)
        await asyncio.sleep(0.05)
        first.cancel()
        await asyncio.sleep(0.1)
        assert not slow.stopped
        left = monotonic()
        second.cancel()
        await until(lambda: slow.stopped)
        assert monotonic() - left < 1
        slow.go.set()
        assert (await service.get("darts", NDJSON)).revision == 0  # a new caller starts the export again

    asyncio.run(work())
    assert slow.begun == [("darts", NDJSON)] * 2


def test_exports_run_one_at_a_time_and_are_refused_if_too_many_wait(service, slow, monkeypatch):
    service._limiter = exports.ConcurrencyLimiter("exports", 1, 1)

    async def work():
        running = asyncio.create_task(service.get("darts", NDJSON))
        await until(lambda: slow.begun)
        waiting = asyncio.create_task(service.get("darts", CSV))
        await until(lambda: len(service._jobs) == 2)
        await asyncio.sleep(0.05)
        with pytest.raises(Unavailable, match="too many requests for exports"):
            await service.get("chess", CSV)
        assert slow.begun == [("darts", NDJSON)]
        waiting.cancel()  # gives up its place in the queue
        await asyncio.sleep(0.05)
        third = asyncio.create_task(service.get("chess", CSV))
        slow.go.set()
        await running
        await third

    asyncio.run(work())
    assert slow.begun == [("darts", NDJSON), ("chess", CSV)]


def test_shutdown_stops_exports_and_informs_waiting_callers(service, slow):
    async def work():
        closing = asyncio.Event()
        async with service.running(closing):
            waiting = asyncio.create_task(service.get("darts", NDJSON))
            await until(lambda: slow.begun)
            closing.set()
            with pytest.raises(Unavailable, match="stopped"):
                await waiting
            with pytest.raises(Unavailable, match="shutting down"):
                await service.get("chess", NDJSON)

    asyncio.run(work())
    assert not service._jobs
    assert list(service.folder.path.iterdir()) == []


def test_export_is_discarded_if_a_name_is_erased_while_it_runs(service, slow):
    async def work():
        waiting = asyncio.create_task(service.get("darts", NDJSON))
        await until(lambda: slow.begun)
        service.folder.forget(1)
        slow.go.set()
        with pytest.raises(Unavailable):
            await waiting

    asyncio.run(work())
    assert list(service.folder.path.iterdir()) == []


def test_full_disk_during_an_export_is_reported_as_unavailable(service, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(exports, "write_matches", fail)
    with pytest.raises(Unavailable, match="cannot be written now"):
        asyncio.run(service.get("darts", NDJSON))
    assert list(service.folder.path.iterdir()) == []
