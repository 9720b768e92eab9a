"""Looking at pages with a real browser: Debian's Chromium, driven by Playwright, against a running `prowess serve`."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

from prowess.service.cookies import COOKIE
from prowess.service.demo import LEAGUE, fill
from prowess.store.database import Database
from tests.service.servers import Server, serving

ROOT = Path(__file__).parents[2]
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
PATIENCE = 30_000  # milliseconds for what should take a few: the machine may be busy


ODD = "odd"
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
    """A program that the tests drive; who has not got it skips them, but not where everything must be tested."""
    if program is not None and Path(program).exists():
        return program
    missing = f"{name} is not installed: `sh tools/programs.sh` does it where it can"
    if os.environ.get("CI") == "true":
        pytest.fail(missing)
    return pytest.skip(missing)


@cache
def axe() -> str:
    """The script that looks for what keeps people out."""
    return Path(needed(str(AXE), "axe-core")).read_text(encoding="utf-8")


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser; while it is there, no other event loop can run in this thread."""
    program = needed(shutil.which("chromium"), "Chromium")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield found
        finally:
            found.close()


@dataclass
class Site:
    """A running service with a key that may do everything."""

    server: Server
    key: str
    match: str = ""  # the id of a match of the demo league

    @property
    def address(self) -> str:
        return self.server.address

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Ask as a program does; gives what the answer holds."""
        connection = self.server.connect(self.key)
        try:
            answer = connection.ask(method, path, body, **headers)
        finally:
            connection.close()
        assert answer.status < 300, answer.body
        return answer.json


@contextmanager
def site(folder: Path, *, demo: bool = True) -> Iterator[Site]:
    """`prowess serve` with the demo league, or with an empty database and a key."""
    from prowess.store import keys

    place = f"sqlite:///{folder / 'prowess.db'}"
    database = Database(place)
    database.migrate()
    if demo:
        key = fill(database)
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


def _add_odd(there: Site) -> None:
    """A league of odd names, and one in which nothing was played yet."""
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
    """A page that somebody looks at, and whatever went wrong on it."""

    site: Site
    page: Page
    troubles: list[str] = field(default_factory=list)
    status: int = 0
    allowed: tuple[int, ...] = ()  # statuses that are answers here, and no trouble
    scripts: bool = True

    def open(self, place: "Place") -> Page:
        """Open a page of the list, and do what is done there."""
        page = self.go(place.address(self.site))
        assert self.status == place.status
        if place.act and self.scripts:
            place.act(page)
        return page

    def barriers(self) -> list[str]:
        """What axe-core finds on this page that keeps people out; its script must have been run before."""
        found: list[str] = self.page.evaluate(BARRIERS)
        return found

    def sideways(self) -> int:
        """How many pixels the page is wider than its window."""
        found: int = self.page.evaluate(SIDEWAYS)
        return found

    def go(self, path: str) -> Page:
        """Open a page of the site."""
        answer = self.page.goto(self.site.address + path)
        self.status = answer.status if answer else 0
        return self.page

    def settle(self) -> None:
        """Wait until the charts that are in view answer to the mouse."""
        self.page.wait_for_function(SETTLED)

    def check(self) -> None:
        """Nothing has gone wrong until now."""
        found, self.troubles = self.troubles, []
        assert not found, "\n".join(found)

    def sign_in(self) -> None:
        """Sign in with the key of the site, by hand."""
        self.go("/signin")
        self.page.get_by_label("Key").fill(self.site.key)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url("**/leagues")

    def watch(self) -> None:
        """Note errors of the console and of scripts, dialogs, and requests to anywhere else."""

        def heard(message: ConsoleMessage) -> None:
            expected = any(f"a status of {status} " in message.text for status in self.allowed)
            if message.type in ("error", "warning") and not expected:
                self.troubles.append(f"{message.type}: {message.text} at {self.page.url}")

        def asked(request: Request) -> None:
            if not request.url.startswith((self.site.address + "/", "data:", "blob:")):
                self.troubles.append(f"left the site for {request.url}")

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
    """Somebody who looks at a site; nothing may go wrong. `also` is a script that runs first on every page."""
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


@dataclass(frozen=True)
class Place:
    """A page that is looked at: the route that shows it, what is asked of it, and what it is called in pictures."""

    name: str
    route: str
    query: tuple[tuple[str, str], ...] = ()
    league: str = LEAGUE
    signed_in: bool = False
    status: int = 200
    act: Callable[[Page], None] | None = None  # what is done there, where scripts run

    def address(self, there: Site) -> str:
        """Where it is on a site."""
        said = [(name, there.match if value == "{match}" else value) for name, value in self.query]
        return self.route.replace("{league}", self.league) + (f"?{urlencode(said)}" if said else "")


def _choose(page: Page) -> None:
    """Have a file looked at that holds all sorts of things."""
    page.get_by_label("A file of results").set_input_files(ROOT / "examples" / "messy.csv")
    page.get_by_role("heading", name="messy.csv").wait_for()


def _fill(page: Page) -> None:
    """Fill in a result, and look at what it would change."""
    page.get_by_label("Scores", exact=True).check()
    for number, (names, score) in enumerate([("Keiko\nLiam", "7"), ("Mbali\nNoor", "3")], start=1):
        team = page.get_by_role("group", name=f"Team {number}")
        team.get_by_label("Names").fill(names)
        team.get_by_label("Score").fill(score)
    page.get_by_role("button", name="See what changes").click()
    page.get_by_role("heading", name="Is this right?").wait_for()


def _of(league: str, name: str, page: str, *query: tuple[str, str], **more: Any) -> Place:
    return Place(name, f"/leagues/{{league}}/{page}", query, league, **more)


TONIGHT = "Mbali\nGrzegorz\nUma\nFatima\nDmitri\nKeiko\nNiamh\nLiam"
PAGES = (
    Place("leagues", "/leagues"),
    Place("sign-in", "/signin"),
    Place("new-league", "/new", signed_in=True),
    _of(LEAGUE, "standings", "standings"),
    _of(LEAGUE, "standings-past", "standings", ("at", "2025-12-31"), ("search", "e")),
    _of(LEAGUE, "player", "player", ("name", "Uma")),
    _of(LEAGUE, "players-compared", "player", ("name", "Uma"), ("name", "Mbali")),
    _of(LEAGUE, "matches", "matches"),
    _of(LEAGUE, "match", "match", ("id", "{match}")),
    _of(LEAGUE, "predict", "predict", ("team", "Keiko\nLiam"), ("team", "Mbali\nNiamh")),
    _of(LEAGUE, "predict-three", "predict", ("team", "Keiko"), ("team", "Mbali"), ("team", "Niamh")),
    _of(LEAGUE, "fair-teams", "teams", ("players", TONIGHT), ("teams", "2")),
    _of(LEAGUE, "pairings", "pairings", ("players", TONIGHT)),
    _of(LEAGUE, "models", "models"),
    _of(LEAGUE, "switch", "switch", ("model", "Elo"), signed_in=True),
    _of(LEAGUE, "enter", "enter", signed_in=True),
    _of(LEAGUE, "enter-preview", "enter", signed_in=True, act=_fill),
    _of(LEAGUE, "edit", "edit", ("id", "{match}"), signed_in=True),
    _of(LEAGUE, "delete", "delete", ("id", "{match}"), signed_in=True),
    _of(LEAGUE, "import", "import", signed_in=True),
    _of(LEAGUE, "import-looked", "import", signed_in=True, act=_choose),
    _of(LEAGUE, "settings", "settings", signed_in=True),
    _of(LEAGUE, "not-found", "player", ("name", "Nobody at all"), status=404),
)
# The same pages where little is as it should be: they must work, and nobody takes pictures of them.
ODD_PAGES = (
    _of(ODD, "odd-standings", "standings"),
    _of(ODD, "odd-player", "player", ("name", NAMES[1])),
    _of(ODD, "odd-compared", "player", *(("name", name) for name in NAMES[:8])),
    _of(ODD, "odd-matches", "matches", ("player", NAMES[0])),
    _of(ODD, "odd-match", "match", ("id", f"{NAMES[1][:20]}/{NAMES[0][:20]}")),
    _of(ODD, "odd-predict", "predict", ("team", NAMES[0]), ("team", "\n".join(NAMES[8:]))),
    _of(ODD, "odd-teams", "teams", ("players", "\n".join(NAMES))),
    _of(ODD, "odd-pairings", "pairings", ("players", "\n".join(NAMES))),
    _of(ODD, "odd-models", "models"),
    *(
        _of("empty", f"empty-{page}", page)
        for page in ("standings", "matches", "predict", "teams", "pairings", "models")
    ),
)
