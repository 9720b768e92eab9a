"""Every page in a browser: nothing goes wrong on it, with scripts and without, on a phone as on a desk."""

import pytest
from fastapi.routing import APIRoute

from prowess.service.pages.routers import ROUTERS
from tests.pages.browsing import ODD_PAGES, PAGES, PHONE

NO_PAGES = {"/", "/leagues/{league}", "/static/{name}"}  # they lead to pages, or are parts of them
DATA = (".json", ".csv", ".svg", ".md")
PICTURES = """[...document.images].filter((one) => one.getClientRects().length)
  .map((one) => [one.currentSrc, one.complete ? one.naturalWidth : -1])"""
SIDEWAYS = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"


def test_every_page_is_looked_at():
    routes = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
    pages = {route.path for route in routes if "GET" in route.methods and not route.path.endswith(DATA)}
    assert pages - NO_PAGES == {place.route for place in PAGES}


@pytest.mark.parametrize("place", [pytest.param(place, id=place.name) for place in (*PAGES, *ODD_PAGES)])
def test_without_scripts_on_a_phone(visit_as, place):
    visit = visit_as(size=PHONE, scripts=False, signed_in=place.signed_in)
    page = visit.open(place)
    assert page.locator("h1").count() == 1
    assert page.evaluate(SIDEWAYS) <= 0
    assert [source for source, width in page.evaluate(PICTURES) if width <= 0] == []
    visit.check()


def test_a_page_that_is_known_already_works_as_before(visit_as):
    visit = visit_as()
    for _ in range(2):  # the second time it is told only that nothing has changed
        page = visit.go("/leagues/demo/standings")
        assert page.evaluate("getComputedStyle(document.body).margin") == "0px"
        visit.check()
