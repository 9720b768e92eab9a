"""Every page, looked at by a browser: nothing goes wrong on it, wherever and however it is looked at."""

from fastapi.routing import APIRoute

from prowess.service.pages.routers import ROUTERS
from tests.pages.browsing import PAGES

NO_PAGES = {"/", "/leagues/{league}", "/static/{name}"}  # they lead to pages, or are parts of them


def test_every_page_is_looked_at():
    routes = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
    pages = {route.path for route in routes if "GET" in route.methods} - NO_PAGES
    pages = {path for path in pages if not path.endswith((".json", ".csv", ".svg", ".md"))}
    assert pages <= {place.route for place in PAGES}
