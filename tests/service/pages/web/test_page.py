"""Behaviour of all pages: HTML, JSON and CSV URLs, the content security policy, and readable errors."""

import re

import pytest
from fastapi.routing import APIRoute

from prowess.service.pages.routers import ROUTERS


def test_every_readable_page_has_json_and_csv_routes():
    """Routes without data are exempt: they accept forms, redirect to a page, or return a part of a page."""
    routes = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
    asked, sent = ({route.path for route in routes if method in route.methods} for method in ("GET", "POST"))
    pages = {path for path in asked if not path.endswith((".json", ".csv", ".svg"))}
    bare = {path for path in pages if not {f"{path}.json", f"{path}.csv"} <= asked}
    assert bare - sent == {"/", "/leagues/{league}", "/leagues/{league}/export.{format}", "/static/{name}"}
    assert len(pages - bare) >= 10


def test_list_of_leagues_is_served_as_html_json_and_csv(ask):
    ask.create_league("frame-data", title='Däta; "x", y')
    assert ask.look("/leagues").headers["content-type"].startswith("text/html")
    told = ask.get("/leagues.json").json()["leagues"]
    assert "frame-data" in [one["name"] for one in told]
    table = ask.get("/leagues.csv")
    assert table.headers["content-type"].startswith("text/csv")
    assert 'frame-data,"Däta; ""x"", y",TrueSkill' in table.text


def test_content_security_policy_forbids_inline_scripts_and_styles(ask):
    page = ask.look("/leagues")
    policy = dict(part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert "unsafe" not in page.headers["content-security-policy"]
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", page.text)
    for address in re.findall(r'(?:src|href)="([^"]+)"', page.text):
        assert address.startswith(("/", "#")), address  # nothing is loaded from other sites


def test_league_titles_are_escaped_in_the_list_of_leagues(ask):
    ask.create_league("frame-names", title='<script>alert(1)</script>"><img src=x onerror=alert(2)>')
    page = ask.look("/leagues").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_static_files_are_cached_as_immutable_only_under_versioned_urls(ask):
    page = ask.look("/leagues").text
    for address in re.findall(r'"(/static/[^"]+)"', page):
        found = ask.get(address)
        assert "immutable" in found.headers["cache-control"], address
        assert "immutable" not in ask.get(address.partition("?")[0]).headers["cache-control"]
    assert ask("GET", "/static/nothing.js").status_code == 404


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nothing", 404, "Not found: /nothing"),
        ("/leagues/zzz", 404, "No league named &#39;zzz&#39;"),
        ("/leagues/zzz/<script>", 404, "&lt;script&gt;"),
    ],
)
def test_errors_are_html_for_browsers_and_problem_json_for_programs(ask, path, status, words):
    page = ask.look(path)
    assert (page.status_code, page.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert words in page.text
    plain = ask("GET", path)
    assert (plain.status_code, plain.headers["content-type"]) == (status, "application/problem+json")
    head = ask.look(path, method="HEAD")
    assert (head.status_code, head.headers["content-type"], head.text) == (status, "text/html; charset=utf-8", "")


def test_api_errors_are_json_even_for_browsers(ask):
    found = ask.look("/api/leagues/zzz")
    assert (found.status_code, found.headers["content-type"]) == (404, "application/problem+json")


def test_root_redirects_to_the_list_of_leagues(ask):
    assert ask.look("/").headers["location"] == "/leagues"
