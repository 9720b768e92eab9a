"""What all pages have in common: their three addresses, their policy, and problems that people can read."""

import re

import pytest


def test_a_page_has_json_and_csv_beside_it(ask):
    ask.found("frame-data", title='Däta; "x", y')
    assert ask.look("/leagues").headers["content-type"].startswith("text/html")
    told = ask.get("/leagues.json").json()["leagues"]
    assert "frame-data" in [one["name"] for one in told]
    table = ask.get("/leagues.csv")
    assert table.headers["content-type"].startswith("text/csv")
    assert 'frame-data,"Däta; ""x"", y",TrueSkill' in table.text


def test_the_policy_allows_no_script_and_no_style_in_a_page(ask):
    page = ask.look("/leagues")
    policy = dict(part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert "unsafe" not in page.headers["content-security-policy"]
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", page.text)
    for address in re.findall(r'(?:src|href)="([^"]+)"', page.text):
        assert address.startswith(("/", "#")), address  # nothing from elsewhere


def test_names_are_only_names(ask):
    ask.found("frame-names", title='<script>alert(1)</script>"><img src=x onerror=alert(2)>')
    page = ask.look("/leagues").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_styles_and_scripts_are_kept_for_ever_under_their_own_addresses(ask):
    page = ask.look("/leagues").text
    for address in re.findall(r'"(/static/[^"]+)"', page):
        found = ask.get(address)
        assert "immutable" in found.headers["cache-control"], address
        assert "immutable" not in ask.get(address.partition("?")[0]).headers["cache-control"]
    assert ask("GET", "/static/nothing.js").status_code == 404


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nothing", 404, "There is nothing at /nothing"),
        ("/leagues/zzz", 404, "There is no league &#39;zzz&#39;"),
        ("/leagues/zzz/<script>", 404, "&lt;script&gt;"),
    ],
)
def test_people_read_problems_as_pages_and_programs_as_data(ask, path, status, words):
    page = ask.look(path)
    assert (page.status_code, page.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert words in page.text
    plain = ask("GET", path)
    assert (plain.status_code, plain.headers["content-type"]) == (status, "application/problem+json")


def test_the_api_answers_in_json_whoever_asks(ask):
    found = ask.look("/api/leagues/zzz")
    assert (found.status_code, found.headers["content-type"]) == (404, "application/problem+json")


def test_the_first_page_is_the_list_of_leagues(ask):
    assert ask.look("/").headers["location"] == "/leagues"
