"""Every page of every kind of league is strictly valid HTML, and links to valid pages."""

from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from prowess.service.pages.routers import ROUTERS
from tests.service.pages.league_kinds import KINDS, ODD, ensure_league
from tests.service.pages.strict_html import Strict

FIRST = ["standings", "matches", "predict", "teams", "pairings", "models", "enter", "import", "settings", "switch"]
SOON = (
    "empty-without-times",
    "one-match",
    "numeric-times",
    "importance-0",
    "unusual-names",
    "deleted-matches",
    "changed-model-and-season",
)
SOME = [pytest.param(kind, marks=[] if kind in SOON else pytest.mark.long) for kind in KINDS]
DATA = ("standings", "player", "matches", "match", "predict", "teams", "pairings", "models", "settings", "switch")


def pages_of(kind, matches):
    """Return URLs of every kind of page of a league, with names and ids from its matches."""
    names = [name for match in matches[:4] for team in match["teams"][:3] for name in team[:40]]
    asked = [(page, []) for page in FIRST]
    asked += [("player", [("name", name)]) for name in dict.fromkeys(names[:3])]
    asked += [("player", [("name", name) for name in names[:3]]), ("matches", [("player", name) for name in names[:1]])]
    ids = [match["id"] for match in matches[:2]]
    asked += [(page, [("id", one)]) for page in ("match", "edit", "delete") for one in ids]
    text = "\n".join(names)
    asked += [
        ("predict", [("team", name) for name in names[:2]]),
        ("predict", [("team", name) for name in ["new one", *names[:4]]]),
        ("teams", [("players", text), ("teams", "3")]),
        ("teams", [("team", "\n".join(names[:3])), ("team", "\n".join(names[3:6]))]),
        ("pairings", [("players", text), ("rounds", "2")]),
        ("standings", [("at", "2026-01-03")]),
        ("standings", [("search", names[0] if names else "x")]),
    ]
    return [f"/leagues/{kind}/{page}?{urlencode(query)}" for page, query in asked]


def parse_page(ask, place, allowed=(200,)):
    """Check that a page is valid HTML, and return it parsed; a redirect or an error page gives an empty page."""
    page = ask.look(place, key=ask.admin)
    if page.status_code in (303, 307):
        return Strict("<h1></h1>")
    assert page.status_code in allowed, (place, page.status_code, page.text[-1500:])
    read = Strict(page.text, ODD)
    assert read.faults == [], place
    return read if page.status_code == 200 else Strict("<h1></h1>")


def like(place):
    """Return the path and the names in the query, which are the same for all URLs of one kind."""
    parts = urlsplit(place)
    return parts.path, tuple(sorted({name for name, _ in parse_qsl(parts.query)}))


@pytest.mark.parametrize("kind", SOME)
def test_every_page_is_valid_html_with_working_links(ask, kind):
    matches = ensure_league(ask, kind)
    begun = pages_of(kind, matches)
    links, charts = {}, {}
    for place in begun:
        read = parse_page(ask, place, (200, 404, 422))
        links |= {like(one): one for one in read.links if one not in begun}
        charts |= {like(one): one for one in read.charts}
    for place in links.values():
        if "." not in urlsplit(place).path:
            # Players whose matches were all deleted are not found.
            parse_page(ask, place, (200, 404) if kind == "deleted-matches" else (200,))
        elif not place.startswith("/static"):
            ask.look(place, key=ask.admin).raise_for_status()
    for place in charts.values():
        ask.get(place.replace(".svg", ".json"))


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_charts_and_data_of_every_page_load_without_server_errors(ask, kind):
    matches = ensure_league(ask, kind)
    for place in pages_of(kind, matches):
        path, _, query = place.partition("?")
        for chart in Strict(ask.look(place, key=ask.admin).text).charts:
            assert ask.get(chart).text.startswith("<svg")
        if path.rpartition("/")[2] in DATA:
            for ending in (".json", ".csv"):
                data = ask("GET", f"{path}{ending}?{query}")
                assert data.status_code in (200, 404, 422), (place, ending, data.text)


def test_every_page_with_data_has_html_json_and_csv_routes():
    paths = {route.path for router in ROUTERS for route in router.routes}
    assert {f"/leagues/{{league}}/{page}{end}" for page in DATA for end in ("", ".json", ".csv")} <= paths
