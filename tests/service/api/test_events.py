"""Server-sent events: live changes to a league, missed changes, and the end of a stream."""

import asyncio
import json

import pytest

from prowess.service.api import events as event_hub
from prowess.service.api.schemas.files import RatingsEvent
from prowess.store import keys, leagues
from prowess.store.write.commands import Post
from prowess.store.write.writer import perform


class Listener:
    """A client of an event stream that calls the app without a socket."""

    def __init__(self, ask, path, **headers):
        self.ask, self.parts, self.text = ask, asyncio.Queue(), ""
        self.gone = asyncio.Event()
        sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        self.scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b""}
        self.scope |= {"headers": sent, "http_version": "1.1", "scheme": "http", "server": ("test", 80), "state": {}}
        self.scope |= {"client": ("127.0.0.1", 1), "asgi": {"version": "3.0", "spec_version": "2.3"}, "root_path": ""}
        self.task = asyncio.ensure_future(ask.app(self.scope, self.receive, self.parts.put))

    async def receive(self):
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def until(self, words):
        """Wait until the stream contains `words`, and return all of its text so far."""
        async with asyncio.timeout(20):
            while words not in self.text:
                self.text += (await self.parts.get()).get("body", b"").decode()
        return self.text

    async def leave(self):
        self.gone.set()
        await asyncio.wait_for(self.task, 20)


def events(text):
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "data" in fields:
            told = json.loads(fields["data"])
            RatingsEvent.model_validate(told)
            assert (int(fields["id"]), fields["event"]) == (told["revision"], "ratings")
            yield told


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(event_hub, "POLL", 0.02)
    monkeypatch.setattr("prowess.service.api.events.HEARTBEAT", 0.1)


def test_all_event_streams_of_a_process_share_one_database_poll(ask, league, monkeypatch):
    asked = []
    revisions = event_hub.leagues.latest_revisions
    monkeypatch.setattr(
        event_hub.leagues, "latest_revisions", lambda connection: asked.append(1) or revisions(connection)
    )

    async def follow():
        listeners = [Listener(ask, f"{league}/events") for _ in range(10)]
        for one in listeners:
            await one.until("still here")
        asked.clear()
        post = Post(league.rpartition("/")[2], [{"teams": [["ann\nbob"], ["bob"]]}])
        await asyncio.to_thread(perform, ask.service.database, post)
        for one in listeners:
            await one.until("data:")
        few = len(asked)
        for one in listeners:
            await one.leave()
        await asyncio.sleep(0.1)
        asked.clear()
        await asyncio.sleep(0.2)
        return [list(events(one.text)) for one in listeners], few, len(asked)

    heard, few, after = ask.runner.run(follow())
    assert few < 10
    assert after == 0  # no client is connected, so polling stops
    for [told] in heard:
        assert told["revision"] == 1
        assert {one["player"] for one in told["ratings"]} == {"ann\nbob", "bob"}
        assert not told["more"]


def test_reconnected_client_of_an_event_stream_gets_missed_changes(ask, league):
    for number in range(3):
        ask.post(f"{league}/matches", {"teams": [[f"p{number}"], ["ann"]]}, status=201)

    async def follow():
        known = Listener(ask, f"{league}/events", last_event_id="1")
        everything = Listener(ask, f"{league}/events", last_event_id="3")
        await known.until("data:")
        await everything.until("still here")
        await known.leave()
        await everything.leave()
        return known.text, everything.text

    known, everything = ask.runner.run(follow())
    [told] = events(known)
    assert told["revision"] == 3
    assert {one["player"] for one in told["ratings"]} == {"p1", "p2", "ann"}
    assert list(events(everything)) == []


def test_event_lists_at_most_a_thousand_ratings(ask, league):
    matches = [{"teams": [[f"a{number}"], [f"b{number}"]]} for number in range(700)]
    ask.post(f"{league}/matches", matches, status=201)

    async def follow():
        listener = Listener(ask, f"{league}/events", last_event_id="0")
        text = await listener.until("data:")
        await listener.leave()
        return text

    [told] = events(ask.runner.run(follow()))
    assert (len(told["ratings"]), told["more"]) == (1_000, True)


def test_slow_client_of_an_event_stream_is_disconnected(monkeypatch):
    queue = asyncio.Queue(3)
    for number in range(4):
        event_hub._put(queue, (number, b""))
    assert queue.get_nowait() is None
    assert queue.empty()


def test_event_streams_end_when_the_service_stops(ask, league):
    async def follow():
        listener = Listener(ask, f"{league}/events")
        await listener.until("still here")
        ask.service.closing.set()
        await asyncio.wait_for(listener.task, 20)
        ask.service.closing.clear()

    ask.runner.run(follow())


def test_event_stream_of_a_private_league_needs_a_key(ask, league):
    ask("PATCH", league, json={"public": False}, status=200)
    ask.service.leagues._entries.clear()
    ask("GET", f"{league}/events", key=None, status=404)
    ask("GET", f"{league}/events", headers={"Last-Event-ID": "x"}, status=422)


def test_event_stream_ends_when_its_client_loses_access(ask, league):
    """The key is revoked, or the league is made private, while the client is connected."""
    secret = ask.new_key("read")
    name = league.rpartition("/")[2]

    async def follow():
        key, nobody = (
            Listener(ask, f"{league}/events", **sent) for sent in ({"authorization": f"Bearer {secret}"}, {})
        )
        await key.until("still here")
        await nobody.until("still here")
        with ask.service.database.writing() as connection:
            keys.revoke(connection, keys.find(connection, secret).id)
        await asyncio.wait_for(key.task, 20)
        with ask.service.database.writing() as connection:
            leagues.change(connection, name, public=False)
        await asyncio.wait_for(nobody.task, 20)

    ask.runner.run(follow())
