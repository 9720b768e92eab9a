"""What takes long is done by a few: who only reads does not wait for it, and too many are told to come again."""

import asyncio
from threading import Event, Lock

import httpx
import pytest

from prowess.service.concurrency import ConcurrencyLimiter
from prowess.service.pages import teams
from prowess.store.errors import Unavailable


def test_a_few_work_at_once_and_the_rest_wait_their_turn():
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


def test_who_reads_does_not_wait_for_who_lets_teams_be_made(ask, monkeypatch):
    ask.found("busy")
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
                while sum(one.done() for one in made) < 18:  # two are made and forty wait: the rest is sent away
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
