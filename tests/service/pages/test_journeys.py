"""Complete visits by an organiser, a player and an analyst, from the first page to the last."""

import csv
import io
import re

import pytest
from playwright.sync_api import expect

from tests.service.pages.browser import DESK, PATIENCE, PHONE, axe, site, visiting

# Each journey runs on a phone or on a desktop in every run, and on the other one in the long tests.
WAYS = pytest.mark.parametrize(
    ("size", "scheme"),
    [
        pytest.param(PHONE, "dark", id="phone-dark"),
        pytest.param(DESK, "light", id="desk-light", marks=pytest.mark.long),
    ],
)
OTHER_WAYS = pytest.mark.parametrize(
    ("size", "scheme"),
    [
        pytest.param(PHONE, "light", id="phone-light", marks=pytest.mark.long),
        pytest.param(DESK, "dark", id="desk-dark"),
    ],
)
WRONG = """date,home,away,home score,away score
2026-01-05,Ann,Bob,3,1
2026-01-12,Bob,Cat,2,many
2026-01-19,Cat,Ann,0,2
2026-01-26,Bob,Ann,4,1
"""
expect.set_options(timeout=PATIENCE)
RIGHT = WRONG.replace("2,many", "2,0")


def table(page):
    """Return the standings: players and their ratings, best first."""
    rows = page.locator("table.standings tbody tr")
    names = rows.locator("th .name").all_inner_texts()
    ratings = rows.locator("td.strong").all_inner_texts()
    numbers = [one.partition(" ±")[0].rstrip("?").replace("−", "-") for one in ratings]
    return dict(zip(names, map(float, numbers), strict=True))


@pytest.fixture
def office(tmp_path):
    """A service with a key and no leagues."""
    with site(tmp_path, demo=False) as found:
        yield found


@WAYS
def test_organiser_can_import_results_correct_a_match_and_enter_a_result(chromium, office, size, scheme):
    with visiting(chromium, office, size=size, scheme=scheme, allowed=(422,), also=axe()) as visit:
        begin(visit)
        bring(visit, corrects=size == DESK)
        before = table(visit.page)
        assert before.keys() == {"Ann", "Bob", "Cat"}
        correct(visit)
        after = table(visit.page)
        assert after["Ann"] > before["Ann"]
        assert after["Bob"] < before["Bob"]
        enter_and_delete(visit)
        assert table(visit.page) == after


def test_chosen_columns_are_kept_when_a_corrected_file_is_uploaded(chromium, office):
    """The choice applies to the corrected file, too, but not to a file with other columns."""
    right = RIGHT.replace("date,home,away,home score,away score", "Wann,Spieler 1,Spieler 2,Zahl 1,Zahl 2,Tisch")
    right = re.sub(r"(\d,\d)$", r"\1,7", right, flags=re.M)  # an extra number, so the scores are ambiguous
    wrong = right.replace("2026-01-12", "2026-01-32")
    told = {"Date or time": "Wann", "Side 1": "Spieler 1", "Side 2": "Spieler 2"}
    with visiting(chromium, office, size=PHONE, scheme="light", allowed=(422,), also=axe()) as visit:
        begin(visit)
        page, chosen = visit.page, visit.page.get_by_label("Results file")
        chosen.set_input_files(file(wrong))
        for label, column in (told | {"Score of side 1": "Zahl 1", "Score of side 2": "Zahl 2"}).items():
            page.get_by_label(label, exact=True).select_option(label=column)
        page.get_by_role("button", name="Preview again").click()
        expect(page.get_by_role("button", name="Import the other 3 matches")).to_be_visible()
        chosen.set_input_files(file(right))
        expect(page.get_by_role("button", name="Import 4 matches")).to_be_visible()
        chosen.set_input_files(file(WRONG))  # this file has other columns
        expect(page.get_by_role("button", name="Import the other 3 matches")).to_be_visible()


def begin(visit):
    """Take the first steps that an empty service shows: sign in, and create a league."""
    page = visit.go("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Create your first league")
    assert visit.barriers() == []
    page.locator("#main").get_by_role("link", name="Sign in").click()
    page.get_by_label("Key").fill(visit.site.key)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("Title").fill("Winter darts")
    page.get_by_role("button", name="Create league").click()
    expect(page.get_by_role("status")).to_contain_text("The league was created")
    assert "/leagues/winter-darts/import" in page.url


def bring(visit, corrects):
    """Import a file with an invalid line, and correct or skip that line."""
    page = visit.page
    page.get_by_label("Results file").set_input_files(file(WRONG))
    problems = page.get_by_role("table", name="problem")
    expect(problems).to_contain_text("line 3")
    expect(problems).to_contain_text("many")
    assert visit.barriers() == []
    if corrects:
        page.get_by_label("Results file").set_input_files(file(RIGHT))
    name = "Import 4 matches" if corrects else "Import the other 3 matches"
    page.get_by_role("button", name=name).click()
    expect(page.get_by_role("status")).to_contain_text("matches were imported")
    page.get_by_role("link", name="See the standings").click()
    expect(page.locator("table.standings")).to_be_visible()


def file(text):
    return {"name": "winter.csv", "mimeType": "text/csv", "buffer": text.encode()}


def correct(visit):
    """Correct a match: Ann, not Bob, won on 26 January."""
    page = visit.page
    page.get_by_role("link", name="Matches", exact=True).click()
    page.get_by_role("link", name=re.compile("Details")).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Bob")
    page.get_by_role("link", name="Edit").click()
    for number, score in ((1, "1"), (2, "4")):
        page.get_by_role("group", name=f"Team {number}").get_by_label("Score").fill(score)
    page.get_by_label(re.compile("Reason for the change")).fill("the scores were swapped")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Is this right?")
    assert visit.barriers() == []
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("status")).to_contain_text("Saved")
    expect(page.get_by_text("the scores were swapped")).to_be_visible()
    page.get_by_role("link", name="Standings", exact=True).click()
    expect(page.locator("table.standings")).to_be_visible()


def enter_and_delete(visit):
    """Enter a result, and delete it again."""
    page = visit.page
    page.get_by_role("link", name="Enter a result").click()
    page.get_by_label("Winner first").check()
    page.get_by_role("group", name="Team 1").get_by_label("Names").fill("Cat")
    page.get_by_role("group", name="Team 2").get_by_label("Names").fill("Dora")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Dora is new to this league")).to_be_visible()
    page.get_by_role("button", name="Record result").click()
    expect(page.get_by_role("status")).to_contain_text("Recorded")
    page.get_by_role("link", name="Standings", exact=True).click()
    expect(page.get_by_role("link", name="Dora")).to_be_visible()
    page.get_by_role("link", name="Matches", exact=True).click()
    page.get_by_role("link", name=re.compile("Details")).first.click()
    page.get_by_role("link", name="Delete").click()
    page.get_by_label(re.compile("Reason")).fill("for fun")
    page.get_by_role("button", name="Delete match").click()
    page.get_by_role("link", name="Standings", exact=True).click()
    expect(page.get_by_role("link", name="Ann")).to_be_visible()
    expect(page.get_by_role("link", name="Dora")).to_have_count(0)


@OTHER_WAYS
def test_player_can_find_and_compare_players_and_predict_a_match(chromium, demo, size, scheme):
    with visiting(chromium, demo, size=size, scheme=scheme) as visit:
        page = visit.go("/")
        page.get_by_role("link", name="An invented league").click()
        page.get_by_label("Find a player").press_sequentially("kei")
        expect(page.locator("table.standings tbody tr")).to_have_count(1)
        page.get_by_role("link", name="Keiko").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Keiko")
        chart = page.locator("figure").first
        chart.scroll_into_view_if_needed()
        expect(chart.locator("svg").first).to_be_visible()  # Vega has replaced the picture with a chart
        page.get_by_label("Compare with").fill("Mbali")
        page.get_by_role("button", name="Compare").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Keiko and Mbali")
        page.get_by_role("link", name="Predict", exact=True).click()
        page.get_by_label("Team 1").fill("Keiko")
        page.get_by_label("Team 2").press_sequentially("Mbali")
        page.get_by_label("Date").fill("2026-06-08")
        expect(page.locator(".headline")).to_contain_text("%")
        expect(page.locator("#result")).to_contain_text("Mbali")
        assert "team=Mbali" in page.url  # the URL can be shared


@OTHER_WAYS
def test_analyst_can_compare_models_and_read_past_standings(chromium, demo, size, scheme):
    with visiting(chromium, demo, size=size, scheme=scheme, signed_in=True, also=axe()) as visit:
        page = visit.go("/leagues/demo/models")
        calibration = page.locator("figure[data-chart*=calibration]")
        calibration.scroll_into_view_if_needed()
        expect(calibration.locator("svg").first).to_be_visible()
        for box in page.get_by_role("group", name="Compare").get_by_role("checkbox").all():
            box.uncheck()
        other = "Elo" if size == PHONE else "Glicko"
        page.get_by_role("checkbox", name=other, exact=True).check()
        page.get_by_role("button", name="Compare", exact=True).click()
        answer = page.get_by_role("table", name="Best first").get_by_role(
            "rowheader", name=re.compile(f"^{other}( |$)")
        )
        expect(answer.or_(page.get_by_role("progressbar"))).to_be_visible()
        expect(answer).to_be_visible()  # the result appears without a reload
        assert visit.barriers() == []
        assert data(page, "JSON").json()["comparison"]
        visit.go("/leagues/demo/standings")
        page.get_by_label("Date").fill("2025-12-31")
        page.get_by_role("button", name="Show").last.click()
        expect(page.get_by_text("Standings on 31 Dec 2025")).to_be_visible()
        told = data(page, "JSON").json()["players"]
        rows = list(csv.DictReader(io.StringIO(data(page, "CSV").text())))
        assert [row["player"] for row in rows] == [one["player"] for one in told]
        assert [float(row["shown"]) for row in rows] == pytest.approx([one["shown"] for one in told])


def data(page, kind):
    """Follow the page's link to its JSON or CSV data, and return the content."""
    link = page.locator("footer").get_by_role("link", name=kind).get_attribute("href")
    return page.request.get(re.match(r"https?://[^/]+", page.url)[0] + link)


@WAYS
def test_reader_can_browse_the_pages_without_scripts(chromium, demo, size, scheme):
    with visiting(chromium, demo, size=size, scheme=scheme, scripts=False) as visit:
        page = visit.go("/leagues/demo/standings")
        page.get_by_label("Find a player").fill("grz")
        page.get_by_role("button", name="Show").first.click()
        assert list(table(page)) == ["Grzegorz"]
        page.get_by_role("link", name="Grzegorz").click()
        picture = page.locator("figure img").first
        assert picture.evaluate("(one) => one.decode().then(() => one.naturalWidth)") > 0
        assert ("look=dark" in picture.evaluate("(one) => one.currentSrc")) == (scheme == "dark")
        page.get_by_role("link", name="Older").click()
        expect(page.locator("table.own caption")).to_contain_text("of")
        page.get_by_role("link", name="Matches", exact=True).click()
        page.get_by_role("link", name="Next").click()
        expect(page.locator("table.matches")).to_be_visible()
        page.get_by_role("link", name="Predict", exact=True).click()
        page.get_by_label("Team 1").fill("Keiko")
        page.get_by_label("Team 2").fill("Mbali\nNiamh")
        page.get_by_role("button", name="Predict").click()
        expect(page.locator(".headline")).to_contain_text("%")
        page.get_by_role("link", name="Fair teams").click()
        page.get_by_label("Players").fill("Keiko\nMbali\nNiamh\nLiam\nUma\nFatima")
        page.get_by_role("button", name="Make teams").click()
        fairest = page.locator(".headline").inner_text()
        page.get_by_role("button", name=re.compile("^Move Keiko")).click()
        expect(page.locator(".headline")).not_to_have_text(fairest)
        page.get_by_role("link", name="Back to the fairest teams").click()
        expect(page.locator(".headline")).to_have_text(fairest)
