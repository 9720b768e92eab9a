"""The service in the test's own process; requests go to the app without a socket."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from prowess.service.app import create_app
from prowess.service.settings import Settings
from prowess.store import keys
from prowess.store.db.database import Database


class AppClient:
    """A client of an app that runs in its own event loop; `admin` is a key with all permissions."""

    def __init__(self, runner, app, admin):
        self.runner, self.app, self.admin = runner, app, admin

    @property
    def service(self):
        return self.app.state.service

    def __call__(self, method, url, *, key="", headers=None, status=None, **rest):
        secret = self.admin if key == "" else key
        sent = dict(headers or {}) | ({"Authorization": f"Bearer {secret}"} if secret else {})

        async def ask():
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=True)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                return await client.request(method, url, headers=sent, **rest)

        answer = self.runner.run(ask())
        if status is not None:
            assert answer.status_code == status, answer.text
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["status"] == answer.status_code
            assert answer.json()["detail"]
        return answer

    def get(self, url, **rest):
        return self("GET", url, **({"status": 200} | rest))

    def post(self, url, json, **rest):
        return self("POST", url, json=json, **rest)

    def create_league(self, name, **more):
        """Create a league and return it; its model is TrueSkill with default parameters if `more` has no `model`."""
        return self.post("/api/leagues", {"name": name, "model": {"name": "TrueSkill"}} | more, status=201).json()

    def new_key(self, scope, league=None):
        with self.service.database.writing() as connection:
            return keys.create(connection, scope, scope, league)[1]


@contextmanager
def served(url, **settings) -> Iterator[AppClient]:
    """Run an app on a database, from startup to shutdown."""
    database = Database(url)
    database.migrate()
    with database.writing() as connection:
        _, admin = keys.create(connection, "office", "admin")
    database.close()
    quiet = {"rate_limit": 0, "cpu_limit": 0, "search_models": False}
    app = create_app(Settings(database=url, **(quiet | settings)))
    with asyncio.Runner() as runner:
        lifespan = app.router.lifespan_context(app)
        runner.run(lifespan.__aenter__())
        try:
            yield AppClient(runner, app, admin)
        finally:
            runner.run(lifespan.__aexit__(None, None, None))
