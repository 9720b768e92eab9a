"""Threads per client, the TTL cache, the limiter for expensive requests, and cancelled requests."""

import asyncio
import time
from pathlib import Path
from threading import Event, Lock

import httpx
import pytest

from prowess.service import concurrency
from prowess.service.concurrency import (
    CLIENT,
    ClientThreads,
    ConcurrencyLimiter,
    TtlCache,
    run_in_threadpool,
    unless_disconnected,
)
from prowess.service.pages import teams
from prowess.store.errors import Unavailable


def test_concurrent_lookups_of_a_cached_value_load_it_once():
    asked, now = [], [0.0]
    recent = TtlCache(lambda name: asked.append(name) or name.upper(), ttl=1.0, clock=lambda: now[0])

    async def ask():
        return await asyncio.gather(*(recent.get("ann") for _ in range(50)))

    assert set(asyncio.run(ask())) == {"ANN"}
    now[0] = 0.99
    assert asyncio.run(recent.get("ann")) == "ANN"
    assert asked == ["ann"]
    now[0] = 1.0
    asyncio.run(recent.get("ann"))
    assert asked == ["ann", "ann"]


def test_cached_value_that_is_invalidated_while_loading_is_loaded_again():
    answers = iter(["old", "new"])
    recent = TtlCache(lambda name: next(answers))

    async def ask():
        first = asyncio.ensure_future(recent.get("ann"))
        await asyncio.sleep(0)
        recent.invalidate("ann")
        return [await first, await recent.get("ann"), await recent.get("ann")]

    assert asyncio.run(ask()) == ["old", "new", "new"]


def test_errors_while_loading_a_value_are_not_cached():
    tries = []

    def ask(name):
        tries.append(name)
        if len(tries) == 1:
            raise KeyError(name)
        return name

    recent = TtlCache(ask)
    with pytest.raises(KeyError):
        asyncio.run(recent.get("ann"))
    assert asyncio.run(recent.get("ann")) == "ann"


def test_limiter_runs_a_few_requests_at_once_and_queues_the_rest():
    async def work():
        few, go, guard, busy, most = ConcurrencyLimiter("x", at_once=2, waiting=3), Event(), Lock(), 0, 0

        def one():
            nonlocal busy, most
            with guard:
                busy += 1
                most = max(most, busy)
            assert go.wait(10)
            with guard:
                busy -= 1
            return 7

        asked = [asyncio.create_task(few.run(one)) for _ in range(5)]
        while busy < 2:
            await asyncio.sleep(0.001)
        with pytest.raises(Unavailable, match="too many requests for x"):
            await few.run(one)
        go.set()
        assert await asyncio.gather(*asked) == [7] * 5
        assert most == 2

    asyncio.run(work())


def test_work_that_fails_or_is_cancelled_leaves_its_place_to_the_next_caller():
    async def ask():
        limiter = ConcurrencyLimiter("x", at_once=1, waiting=0)
        with pytest.raises(ZeroDivisionError):
            await limiter.run(lambda: 1 // 0)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0), limiter.slot():
                await asyncio.sleep(60)
        return await limiter.run(lambda: 7)

    assert asyncio.run(ask()) == 7


def test_reads_do_not_wait_for_a_running_team_balancing_request(ask, monkeypatch):
    ask.create_league("busy")
    ask.post("/api/leagues/busy/matches", {"teams": [["ann"], ["bob"]]}, status=201)
    go, balance_players = Event(), teams.balance_players

    def slow(*given):
        assert go.wait(30)
        return balance_players(*given)

    monkeypatch.setattr(teams, "balance_players", slow)

    async def work():
        transport = httpx.ASGITransport(ask.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test", timeout=30) as client:
            made = [
                asyncio.create_task(client.get(f"/leagues/busy/teams.json?players=ann%0Abob%0Ac{at}"))
                for at in range(60)
            ]
            try:
                while sum(one.done() for one in made) < 18:  # two run and forty wait; the rest are rejected
                    await asyncio.sleep(0.005)
                light = [
                    await client.get(f"/leagues/busy/{page}") for page in ("standings", "predict?team=ann&team=bob")
                ]
            finally:
                go.set()
            return [one.status_code for one in await asyncio.gather(*made)], [one.status_code for one in light]

    heavy, light = ask.runner.run(work())
    assert light == [200, 200]
    assert sorted(heavy) == [200] * 42 + [503] * 18


def test_client_can_use_only_a_few_threads_at_once_and_is_charged_for_their_cpu_time():
    charged, running, most = [], 0, 0

    def work():
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.01)
        running -= 1

    async def ask():
        CLIENT.set(ClientThreads(2, charged.append))
        await asyncio.gather(*(run_in_threadpool(work) for _ in range(6)))

    asyncio.run(ask())
    assert most == 2
    assert len(charged) == 6
    assert max(charged) < 0.01  # sleeping needs no CPU time


def test_no_service_module_bypasses_the_thread_limit_per_client():
    folder = Path(concurrency.__file__).parent
    own = {"concurrency.py", "app.py"}  # the first implements the limit, and the second runs before any client connects
    texts = {path: path.read_text() for path in folder.rglob("*.py") if path.name not in own}
    assert [path.name for path, text in texts.items() if "from starlette.concurrency" in text] == []


def test_work_is_cancelled_when_the_client_disconnects():
    messages, ended = asyncio.Queue(), []

    async def work(seconds):
        try:
            await asyncio.sleep(seconds)
            return "done"
        finally:
            ended.append(seconds)

    async def ask():
        messages.put_nowait({"type": "http.request"})
        assert await unless_disconnected(messages.get, work(0.01)) == "done"
        asyncio.get_running_loop().call_later(0.01, messages.put_nowait, {"type": "http.disconnect"})
        assert await unless_disconnected(messages.get, work(60)) is None
        with pytest.raises(TypeError):  # errors reach the caller unchanged
            await unless_disconnected(messages.get, work("soon"))

    asyncio.run(ask())
    assert ended == [0.01, 60, "soon"]
