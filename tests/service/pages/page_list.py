"""All pages with their queries and actions, for tests that check every page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Page

from prowess.service.demo import LEAGUE
from tests.service.pages.browser import NAMES, ODD, OFFERED, ROOT, Site


@dataclass(frozen=True)
class PageCase:
    """A page to check: its route, its query, and its name in screenshots."""

    name: str
    route: str
    query: tuple[tuple[str, str], ...] = ()
    league: str = LEAGUE
    signed_in: bool = False
    status: int = 200
    act: Callable[[Page], None] | None = None  # actions on the page, performed only if scripts run

    def address(self, there: Site) -> str:
        """Return the URL of the page on a site."""
        said = [(name, there.match if value == "{match}" else value) for name, value in self.query]
        return self.route.replace("{league}", self.league) + (f"?{urlencode(said)}" if said else "")


def _choose(page: Page) -> None:
    """Choose a file with a title row and duplicate rows, and wait for its preview."""
    page.get_by_label("Results file").set_input_files(ROOT / "examples" / "messy.csv")
    page.get_by_role("heading", name="messy.csv").wait_for()


def _map_columns(page: Page) -> None:
    """Choose a file with unfamiliar columns, and map them to two pairs of players and their scores."""
    names = ("Erster", "Zweiter", "Dritter", "Vierter")
    pairs = [("Ann Bob Cat Dan", 6, 3), ("Eve Ann Bob Cat", 2, 6), ("Dan Eve Ann Bob", 7, 5), ("Cat Dan Eve Ann", 6, 4)]
    lines = [f"{1 + week * 7}.1.2026,{players.replace(' ', ',')},{a},{b}" for week, (players, a, b) in enumerate(pairs)]
    content = "\n".join([f"Datum,{','.join(names)},hier,dort", *lines])
    file = {"name": "doubles.csv", "mimeType": "text/csv", "buffer": content.encode()}
    page.get_by_label("Results file").set_input_files(file)
    for label, column in zip(("Side 1", "Side 1, player 2", "Side 2", "Side 2, player 2"), names, strict=True):
        page.get_by_label(label, exact=True).select_option(label=column)
    page.get_by_label("Score of side 1").select_option(label="hier")
    page.get_by_label("Score of side 2").select_option(label="dort")
    page.get_by_text("Ann and Bob beat Cat and Dan 6:3").first.wait_for()


def _fill(page: Page) -> None:
    """Fill in a result, and preview its changes."""
    page.get_by_label("Scores", exact=True).check()
    for number, (names, score) in enumerate([("Keiko\nLiam", "7"), ("Mbali\nNoor", "3")], start=1):
        team = page.get_by_role("group", name=f"Team {number}")
        team.get_by_label("Names").fill(names)
        team.get_by_label("Score").fill(score)
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("heading", name="Is this right?").wait_for()


def _of(league: str, name: str, page: str, *query: tuple[str, str], **more: Any) -> PageCase:
    return PageCase(name, f"/leagues/{{league}}/{page}", query, league, **more)


TONIGHT = "Mbali\nGrzegorz\nUma\nFatima\nDmitri\nKeiko\nNiamh\nLiam"
PAGES = (
    PageCase("leagues", "/leagues"),
    PageCase("sign-in", "/signin"),
    PageCase("new-league", "/new", signed_in=True),
    PageCase("keys", "/keys", signed_in=True),
    _of(LEAGUE, "standings", "standings"),
    _of(LEAGUE, "standings-past", "standings", ("at", "2025-12-31"), ("search", "e")),
    _of(LEAGUE, "best", "best"),
    _of(LEAGUE, "best-on-a-day", "best", ("on", "2025-12-31")),
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
    _of(OFFERED, "models-offer", "models", signed_in=True),
    _of(OFFERED, "switch-offer", "switch", ("offer", "1"), signed_in=True),
    _of(LEAGUE, "enter", "enter", signed_in=True),
    _of(LEAGUE, "enter-preview", "enter", signed_in=True, act=_fill),
    _of(LEAGUE, "edit", "edit", ("id", "{match}"), signed_in=True),
    _of(LEAGUE, "delete", "delete", ("id", "{match}"), signed_in=True),
    _of(LEAGUE, "import", "import", signed_in=True),
    _of(LEAGUE, "import-preview", "import", signed_in=True, act=_choose),
    _of(LEAGUE, "import-mapped", "import", signed_in=True, act=_map_columns),
    _of(LEAGUE, "settings", "settings", signed_in=True),
    _of(LEAGUE, "anonymise", "anonymise", ("name", "Uma"), signed_in=True),
    _of(LEAGUE, "aliases", "aliases", ("player", "Uma"), ("name", "Umma"), signed_in=True),
    _of(LEAGUE, "league-keys", "keys", signed_in=True),
    _of(LEAGUE, "not-found", "player", ("name", "Nobody at all"), status=404),
)
# Pages with unusual data, which must work but need no screenshots.
ODD_PAGES = (
    _of(ODD, "odd-standings", "standings"),
    _of(ODD, "odd-best", "best"),
    _of(ODD, "odd-best-on-a-day", "best", ("on", "2026-01-03")),
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
        for page in ("standings", "best", "matches", "predict", "teams", "pairings", "models")
    ),
)
