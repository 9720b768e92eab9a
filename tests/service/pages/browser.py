"""Pages of a running `prowess serve` in a real browser: Debian's Chromium, driven by Playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

from prowess.history import History
from prowess.service.auth import COOKIE
from prowess.service.background.model_choice import search
from prowess.service.demo import LEAGUE, fill_demo
from prowess.store import choices, leagues
from prowess.store.db.database import Database
from prowess.store.leagues import Preset
from prowess.store.write.commands import Post
from prowess.store.write.writer import perform
from tests.service.home_league import home_wins
from tests.service.servers import Server, serving

ROOT = Path(__file__).parents[3]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
PHONE, DESK = (360, 740), (1280, 900)
SCHEMES = ("light", "dark")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 30_000  # milliseconds; generous, because the machine may be busy


ODD, OFFERED = "odd", "offered"
NAMES = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "' onmouseover='alert(3)",
    "javascript:alert(4)",
    "{{ 7 * 7 }}",
    "../../..",
    "a/b?c=d&e#f 50%",
    "=cmd()",
    "W" * 100,
    "Анна Ивановна",
    "عبد الرحمن",
    "🎲👩‍👩‍👧",
)

SETTLED = """() => [...document.querySelectorAll("figure[data-chart]")].every((one) =>
  one.getBoundingClientRect().top > innerHeight || one.querySelector(".plot:not(.unfinished, [hidden]) svg"))"""

BARRIERS = """axe.run().then((found) => found.violations.map((one) =>
  `${one.impact} ${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" ")}`))"""

SIDEWAYS = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"


def needed(program: str | None, name: str) -> str:
    """Return the path of a required program; if it is missing, skip the test (with CI=true, fail)."""
    if program is not None and Path(program).exists():
        return program
    missing = f"{name} is not installed; run `sh tools/programs.sh` to install it"
    if os.environ.get("CI") == "true":
        pytest.fail(missing)
    return pytest.skip(missing)


@cache
def axe() -> str:
    """Return the axe-core script, which finds accessibility violations."""
    return Path(needed(str(AXE), "axe-core")).read_text(encoding="utf-8")


@contextmanager
def browser() -> Iterator[Browser]:
    """Run a browser. While the browser is open, no other event loop can run in this thread."""
    program = needed(shutil.which("chromium"), "Chromium")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield found
        finally:
            found.close()


@dataclass
class Site:
    """A running service and a key with all permissions."""

    server: Server
    key: str
    match: str = ""  # the id of a match of the demo league

    @property
    def address(self) -> str:
        return self.server.address

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send an API request; return the data of the response."""
        connection = self.server.connect(self.key)
        try:
            answer = connection.ask(method, path, body, **headers)
        finally:
            connection.close()
        assert answer.status < 300, answer.body
        return answer.json


@contextmanager
def site(folder: Path, *, demo: bool = True) -> Iterator[Site]:
    """Run `prowess serve` with the demo league, or with an empty database and a key."""
    from prowess.store import keys

    place = f"sqlite:///{folder / 'prowess.db'}"
    database = Database(place)
    database.migrate()
    if demo:
        key = fill_demo(database)
        _add_offer(database)
    else:
        with database.writing() as connection:
            key = keys.create(connection, "the office", "admin")[1]
    database.close()
    with serving(place, folder, rate_limit="0", log="off") as server:
        found = Site(server, key)
        if demo:
            found.match = found.ask("GET", f"/api/leagues/{LEAGUE}/matches?limit=1")["matches"][0]["id"]
            _add_odd(found)
        yield found


def _add_offer(database: Database) -> None:
    """Add a league for which a better model was found."""
    history = History.from_matches(home_wins(60))
    with database.writing() as connection:
        leagues.create(connection, OFFERED, title="Home wins", model=Preset("TrueSkill"), clock="none")
    perform(database, Post(OFFERED, history))
    with database.writing() as connection:
        league = leagues.find(connection, OFFERED)
        choices.record(connection, league, search(league, history, [], lambda step, share: None))


def _add_odd(there: Site) -> None:
    """Add a league with unusual names, and a league without matches."""
    there.ask("POST", "/api/leagues", {"name": "empty", "title": "Nothing yet"})
    there.ask("POST", "/api/leagues", {"name": ODD, "title": NAMES[0]})
    pairs = [(a, b) for a in NAMES for b in NAMES if a < b]
    matches = [
        {"id": f"{a[:20]}/{b[:20]}", "time": f"2026-01-{1 + at % 28:02}", "teams": [[a], [b]], "scores": [at % 3, 1]}
        for at, (a, b) in enumerate(pairs)
    ]
    there.ask("POST", f"/api/leagues/{ODD}/matches", matches)


@dataclass
class Visit:
    """A visit to the site with a browser; `troubles` lists the errors that occurred."""

    site: Site
    page: Page
    troubles: list[str] = field(default_factory=list)
    status: int = 0
    allowed: tuple[int, ...] = ()  # error statuses that do not count as errors
    scripts: bool = True

    def open(self, place: Any) -> Page:
        """Open a page case, and perform its actions."""
        page = self.go(place.address(self.site))
        assert self.status == place.status
        if place.act and self.scripts:
            place.act(page)
        return page

    def barriers(self) -> list[str]:
        """Return the accessibility violations on this page; the script of axe-core must be loaded."""
        found: list[str] = self.page.evaluate(BARRIERS)
        return found

    def sideways(self) -> int:
        """Return by how many pixels the page is wider than its window."""
        found: int = self.page.evaluate(SIDEWAYS)
        return found

    def go(self, path: str) -> Page:
        """Open a page of the site."""
        answer = self.page.goto(self.site.address + path)
        self.status = answer.status if answer else 0
        return self.page

    def settle(self) -> None:
        """Wait until the visible charts are interactive."""
        self.page.wait_for_function(SETTLED)

    def check(self) -> None:
        """Check that there have been no errors so far."""
        found, self.troubles = self.troubles, []
        assert not found, "\n".join(found)

    def sign_in(self) -> None:
        """Sign in with the key of the site, through the form."""
        self.go("/signin")
        self.page.get_by_label("Key").fill(self.site.key)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url("**/leagues")

    def watch(self) -> None:
        """Record console and script errors, dialogs, and requests to other sites."""

        def heard(message: ConsoleMessage) -> None:
            expected = any(f"a status of {status} " in message.text for status in self.allowed)
            if message.type in ("error", "warning") and not expected:
                self.troubles.append(f"{message.type}: {message.text} at {self.page.url}")

        def asked(request: Request) -> None:
            if not request.url.startswith((self.site.address + "/", "data:", "blob:")):
                self.troubles.append(f"request to another site: {request.url}")

        self.page.on("console", heard)
        self.page.on("request", asked)
        self.page.on("pageerror", lambda error: self.troubles.append(f"{error} at {self.page.url}"))
        self.page.on("dialog", lambda dialog: (self.troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))


@contextmanager
def visiting(
    found: Browser,
    there: Site,
    *,
    size: tuple[int, int] = DESK,
    scheme: str = "light",
    scripts: bool = True,
    signed_in: bool = False,
    allowed: tuple[int, ...] = (),
    also: str = "",
) -> Iterator[Visit]:
    """Visit a site, and fail if an error occurred; `also` is a script that runs first on every page."""
    width, height = size
    context = found.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        java_script_enabled=scripts,
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    context.set_default_timeout(PATIENCE)
    if also:
        context.add_init_script(also)
    try:
        visit = Visit(there, context.new_page(), allowed=allowed, scripts=scripts)
        visit.watch()
        if signed_in:
            context.add_cookies([{"name": COOKIE, "value": there.key, "url": there.address, "httpOnly": True}])
        yield visit
        visit.check()
    finally:
        context.close()
