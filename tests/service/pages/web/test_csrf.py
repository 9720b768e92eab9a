"""Forms on other sites change nothing, even if the browser of a signed-in user sends them."""

import html
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

from fastapi.routing import APIRoute

from prowess.service.auth import COOKIE
from prowess.service.pages.routers import ROUTERS
from prowess.service.pages.web.csrf import csrf_token
from tests.service.pages.browser import visiting

BUTTON = "<button>Win</button>"


@contextmanager
def other_site(body: str) -> Iterator[str]:
    """Run a one-page site on another port of the same host, so that browsers send it the cookies of the service."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_forms_sent_from_another_site_change_nothing(chromium, demo):
    routes = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
    paths = sorted({route.path for route in routes if "POST" in route.methods})
    assert len(paths) > 2
    # Forms are refused even if the other site knows the token.
    token = csrf_token([(b"cookie", f"{COOKIE}={demo.key}".encode())])
    fields = {"token": token, "name": "forged", "id": demo.match, "key": demo.key, "confirm": "1"}
    inputs = "".join(f'<input name="{name}" value="{html.escape(value)}">' for name, value in fields.items())
    targets = [path.replace("{league}", "demo") for path in paths]
    forms = [f'<form method="post" action="{demo.address}{path}">{inputs}{BUTTON}</form>' for path in targets]
    forms.append(
        f'<form method="post" action="{demo.address}/api/leagues/demo/matches" enctype="text/plain">'
        f"""<input name='{{"teams": [["Eve"], ["Mbali"]], "ranks": [1, 2], "x": "' value='"}}'>{BUTTON}</form>"""
    )
    before = demo.ask("GET", "/api/leagues")
    with (
        other_site("<!DOCTYPE html><link rel=icon href=data:,>" + "".join(forms)) as address,
        visiting(chromium, demo, signed_in=True, allowed=(401, 403)) as visit,
    ):
        for at, path in enumerate([*paths, "the API"]):
            visit.page.goto(address)
            with visit.page.expect_navigation() as sent:
                visit.page.get_by_role("button").nth(at).click()
            assert sent.value.status in (401, 403), path
        visit.go("/leagues")
        assert visit.page.get_by_role("button", name="Sign out").is_visible()  # the user is still signed in
        visit.troubles = [trouble for trouble in visit.troubles if address not in trouble]
    assert demo.ask("GET", "/api/leagues") == before
