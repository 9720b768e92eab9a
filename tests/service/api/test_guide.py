"""The API guide documents every route, and its example requests get the responses that it shows."""

import json
import re
from math import isclose

import pytest
from fastapi.routing import APIRoute

from prowess.service.pages.routers import ROUTERS as PAGES
from prowess.store import choices, leagues
from tests.documents import ROOT
from tests.service.app_client import served

PAGE = (ROOT / "docs/guide/api.md").read_text()
HEADING = re.compile(r"^### `([A-Z]+) (/\S*)`$", re.MULTILINE)
EXAMPLE = re.compile(r"^```http\n(.*?)^```\n\n```(json|csv|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY = "…"  # stands for a value that varies, or for the rest of a list


def request_of(text, key):
    """Parse a request of the guide: the first line, headers, an empty line and the body."""
    head, _, body = text.partition("\n\n")
    first, *lines = head.strip().splitlines()
    headers = dict(line.split(": ", 1) for line in lines)
    if "Authorization" in headers:
        headers["Authorization"] = f"Bearer {key}"
    method, url = first.split(" ", 1)
    return method, url, headers, body.rstrip("\n")


def agree(told, shown):
    """Return whether a response equals the one in the guide.

    Numbers are compared to four digits, and … matches anything.
    """
    if shown == ANY:
        return True
    if isinstance(shown, float) and isinstance(told, (int, float)):
        return isclose(told, shown, rel_tol=2e-4, abs_tol=2e-4)
    if isinstance(shown, dict):
        return isinstance(told, dict) and told.keys() == shown.keys() and all(agree(told[k], shown[k]) for k in shown)
    if isinstance(shown, list):
        if shown and shown[-1] == ANY:
            return isinstance(told, list) and all(map(agree, told, shown[:-1]))
        return isinstance(told, list) and len(told) == len(shown) and all(map(agree, told, shown))
    return told == shown


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with served(f"sqlite:///{tmp_path_factory.mktemp('guide') / 'prowess.db'}") as client:
        yield client


def record_offer(service):
    """Store an offer of a better model; a real search needs more matches than the guide's league has."""
    step = {"decision": "home advantage", "option": "learnt", "gain": 0.052, "low": 0.021, "high": 0.083, "kept": True}
    answer = {
        "preset": {"name": "TrueSkill", "parameters": {"draw_probability": 0.24, "home_sigma": 2.0, "home_tau": 0.01}},
        "parts": ["TrueSkill", "a learnt home advantage", "skills that drift with every match"],
        "lines": ["Model: TrueSkill, a learnt home advantage and skills that drift with every match."],
        "steps": [step],
        "matches": 90,
        "judged": 30,
        "unit": "match",
        "gain": {"value": 0.061, "low": 0.012, "high": 0.11},
        "seasons": 0,
    }
    with service.service.database.writing() as connection:
        league = leagues.find(connection, "darts")
        choices.record(connection, league, answer)
        leagues.update_row(connection, league, choice_posted=90)


def test_guide_documents_every_route(service):
    pages = [route for router in PAGES for route in router.routes]
    routes = {
        (method, route.path_format)
        for route in service.app.routes
        if isinstance(route, APIRoute) and route not in pages
        for method in route.methods
    }
    assert set(HEADING.findall(PAGE)) == routes
    sections = HEADING.split(PAGE)[1:]
    for method, path, text in zip(sections[::3], sections[1::3], sections[2::3], strict=True):
        assert path == "/metrics" or EXAMPLE.search(text), f"{method} {path} has no example"


def test_example_requests_in_the_guide_get_the_responses_that_it_shows(service):
    for request, kind, shown in EXAMPLE.findall(PAGE):
        method, url, headers, body = request_of(request, service.admin)
        if url.endswith("/events"):
            continue  # an endless stream, which test_events.py tests
        if url == "/api/leagues/darts/model/offer":
            record_offer(service)
        answer = service(method, url, key=None, headers=headers, content=body or None)
        if kind == "json":
            assert agree(answer.json(), json.loads(shown)), f"{method} {url}\n{json.dumps(answer.json(), indent=1)}"
            continue
        assert answer.status_code == 200
        lines = zip(answer.text.splitlines(), shown.splitlines(), strict=True)
        for told, line in lines:
            assert re.fullmatch(re.escape(line).replace(re.escape(ANY), ".*"), told), told
