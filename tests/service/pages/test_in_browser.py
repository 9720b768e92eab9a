"""Every page works in a browser without errors, with and without scripts, on a phone and a desktop."""

import pytest
from fastapi.routing import APIRoute

from prowess.service.pages.routers import ROUTERS
from tests.service.pages.browser import NAMES, PHONE
from tests.service.pages.page_list import ODD_PAGES, PAGES

NO_PAGES = {
    "/",
    "/leagues/{league}",
    "/leagues/{league}/export.{format}",
    "/static/{name}",
}  # routes that redirect to pages, or return parts of pages
DATA = (".json", ".csv", ".svg", ".md")
PICTURES = """[...document.images].filter((one) => one.getClientRects().length)
  .map((one) => [one.currentSrc, one.complete ? one.naturalWidth : -1])"""


def test_list_of_pages_covers_every_page_route():
    routes = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
    pages = {route.path for route in routes if "GET" in route.methods and not route.path.endswith(DATA)}
    assert pages - NO_PAGES == {place.route for place in PAGES}


@pytest.mark.parametrize("place", [pytest.param(place, id=place.name) for place in (*PAGES, *ODD_PAGES)])
def test_every_page_works_without_scripts_on_a_phone(visit_as, place):
    visit = visit_as(size=PHONE, scripts=False, signed_in=place.signed_in)
    page = visit.open(place)
    assert page.locator("h1").count() == 1
    assert visit.sideways() <= 0
    assert [source for source, width in page.evaluate(PICTURES) if width <= 0] == []
    visit.check()


@pytest.mark.parametrize("place", ["player?name={}", "matches?player={}", "match?id=m6"])
def test_reasons_of_changes_fit_on_a_phone(visit_as, place):
    """The reason \"expected to win by 5.1\" stands in a column that is otherwise as narrow as a number."""
    visit = visit_as(size=PHONE)
    name, there = "Holloway Bridge", visit.site
    league = f"narrow{place.partition('?')[0]}"
    there.ask("POST", "/api/leagues", {"name": league, "model": {"name": "GaussianSD"}})
    teams, scores = [[name], ["Wolverhampton"]], [(5, 0), (6, 1), (6, 0), (6, 0), (7, 0), (1, 0)]
    matches = [
        {"id": f"m{day}", "teams": teams, "scores": list(pair), "time": f"2026-01-0{day}"}
        for day, pair in enumerate(scores, 1)
    ]
    there.ask("POST", f"/api/leagues/{league}/matches", matches)
    page = visit.go(f"/leagues/{league}/{place.format(name)}")
    assert page.get_by_text("expected to win by").first.is_visible()
    assert visit.sideways() <= 0
    visit.check()


def test_page_restored_from_the_browser_cache_works(visit_as):
    visit = visit_as()
    for _ in range(2):  # the second response is only 304 Not Modified
        page = visit.go("/leagues/demo/standings")
        assert page.evaluate("getComputedStyle(document.body).margin") == "0px"
        visit.check()


def test_suggested_names_are_escaped(visit_as):
    visit = visit_as()
    page = visit.go("/leagues/odd/predict")
    page.get_by_label("Team 1").press_sequentially("<s")
    page.get_by_role("option", name=NAMES[0]).click()
    assert page.get_by_label("Team 1").input_value().strip() == NAMES[0]
    page.get_by_label("Team 2").fill(NAMES[1])
    page.locator(".headline").wait_for()
    assert page.locator("main script, main img[src=x]").count() == 0
    visit.check()  # fails if a script has opened a dialog
