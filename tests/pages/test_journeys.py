"""What an organiser, a player and an analyst do with a league, from the first page to the last."""

import pytest
from playwright.sync_api import expect

from tests.pages.browsing import DESK, PHONE, site, visiting

WAYS = pytest.mark.parametrize(
    ("size", "scheme"), [(PHONE, "dark"), (DESK, "light")], ids=["phone in the dark", "desk by day"]
)
WRONG = """date,home,away,home score,away score
2026-01-05,Ann,Bob,3,1
2026-01-12,Bob,Cat,2,many
2026-01-19,Cat,Ann,0,2
2026-01-26,Bob,Ann,4,1
"""
RIGHT = WRONG.replace("2,many", "2,0")


def file(text):
    return {"name": "winter.csv", "mimeType": "text/csv", "buffer": text.encode()}


def players(page):
    """The names in the standings, best first."""
    return page.locator("table.standings tbody th").all_inner_texts()


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    """A service with nothing but a key."""
    with site(tmp_path_factory.mktemp("office"), demo=False) as found:
        yield found


@WAYS
def test_organiser(chromium, office, size, scheme):
    with visiting(chromium, office, size=size, scheme=scheme, allowed=(422,)) as visit:
        page = visit.page
        visit.sign_in()
        if True:
            name = f"winter-{size[0]}"
            office.ask("POST", "/api/leagues", {"name": name})
            visit.go(f"/leagues/{name}/import")
        bring(page, size)
        page.get_by_role("link", name="See the standings").click()
        expect(page.get_by_role("heading", name="Standings", exact=True)).to_be_visible()
        print(players(page))


def bring(page, size):
    """A file with a wrong line: it is corrected, or the line is left out."""
    page.get_by_label("A file of results").set_input_files(file(WRONG))
    problems = page.get_by_role("table", name="problem")
    expect(problems).to_contain_text("line 3")
    expect(problems).to_contain_text("many")
    if size == PHONE:
        page.get_by_role("button", name="Import the other 3 matches").click()
        expect(page.get_by_role("status")).to_contain_text("3 matches were imported")
    else:
        page.get_by_label("A file of results").set_input_files(file(RIGHT))
        page.get_by_role("button", name="Import 4 matches").click()
        expect(page.get_by_role("status")).to_contain_text("4 matches were imported")
