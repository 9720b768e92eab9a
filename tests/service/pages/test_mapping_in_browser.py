"""The columns of a file are mapped with drop-downs, and each choice immediately updates the preview."""

import pytest
from playwright.sync_api import expect

from tests.service.pages.browser import DESK, PATIENCE, PHONE, axe, visiting

DOUBLES = """Datum,Erster,Zweiter,Dritter,Vierter,hier,dort
1.2.2026,Ann,Bob,Cat,Dan,6,3
2.2.2026,Eve,Ann,Bob,Cat,2,6
8.2.2026,Dan,Eve,Ann,Bob,7,5
"""
expect.set_options(timeout=PATIENCE)


@pytest.fixture
def visit(chromium, demo):
    with visiting(chromium, demo, signed_in=True, allowed=(422,), also=axe()) as found:
        yield found


def choose_file(visit, text, league="empty"):
    page = visit.go(f"/leagues/{league}/import")
    page.get_by_label("Results file").set_input_files(
        {"name": "club.csv", "mimeType": "text/csv", "buffer": text.encode()}
    )
    return page


def map_doubles(page):
    """Choose two columns for each side, and the scores."""
    for label, column in (
        ("Side 1", "Erster"),
        ("Side 1, player 2", "Zweiter"),
        ("Side 2", "Dritter"),
        ("Side 2, player 2", "Vierter"),
        ("Score of side 1", "hier"),
        ("Score of side 2", "dort"),
    ):
        page.get_by_label(label, exact=True).focus()
        page.get_by_label(label, exact=True).select_option(label=column)


def test_changing_a_drop_down_updates_the_import_preview(visit):
    page = choose_file(visit, DOUBLES)
    map_doubles(page)
    first = page.get_by_role("list", name="The matches").get_by_role("listitem").first
    expect(first).to_have_text("Ann and Bob beat Cat and Dan 6:3 on 2026-02-01")
    expect(page.get_by_role("status")).to_have_text("Now: Ann and Bob beat Cat and Dan 6:3 on 2026-02-01")
    assert page.evaluate("document.activeElement.id") == "role-score2"  # the drop-down keeps the focus
    assert visit.barriers() == []
    page.get_by_label("Home side").select_option(label="side 2")
    expect(first).to_have_text("Ann and Bob beat Cat and Dan 6:3 away on 2026-02-01")
    page.get_by_label("Home side").select_option(label="nobody is at home")
    page.get_by_label("Score of side 1").select_option(label="no column")
    page.get_by_label("Score of side 2").select_option(label="no column")
    page.get_by_label("Result", exact=True).select_option(label="side 1 always won")
    expect(first).to_have_text("Ann and Bob beat Cat and Dan on 2026-02-01")
    page.get_by_label("Date or time").select_option(label="no column")
    expect(first).to_have_text("Ann and Bob beat Cat and Dan")


def test_side_in_the_import_form_can_get_any_number_of_player_columns(visit):
    page = choose_file(visit, "k,a,b,c,d,e,f,won\n1,Ann,Bob,Cat,Dan,Eve,Flo,1\n2,Flo,Ann,Bob,Cat,Dan,Eve,2\n")
    for side, columns in (("1", "abc"), ("2", "def")):
        page.get_by_label(f"Side {side}", exact=True).select_option(label=columns[0])
        for number, column in enumerate(columns[1:], start=2):
            page.get_by_label(f"Side {side}, player {number}").select_option(label=column)
    page.get_by_label("Score of side 1").select_option(label="no column")
    page.get_by_label("Score of side 2").select_option(label="no column")
    page.get_by_label("Result", exact=True).select_option(label="won")
    sentences = page.get_by_role("list", name="The matches").get_by_role("listitem")
    expect(sentences.first).to_have_text("Ann, Bob and Cat beat Dan, Eve and Flo")
    expect(sentences.last).to_have_text("Cat, Dan and Eve beat Flo, Ann and Bob")
    expect(page.get_by_label("Side 1, player 4")).to_have_value("")


def test_columns_can_be_mapped_with_the_keyboard_alone(visit):
    """Every drop-down is a tab stop, and refreshing the preview does not take the focus away."""
    page = choose_file(visit, "winner,loser\nAnn,Bob\nBob,Cat\n")
    expect(page.get_by_role("list", name="The matches")).to_contain_text("Ann beat Bob")
    page.get_by_label("A row is").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "role-team1"
    page.keyboard.press("l")  # chooses the column "loser"
    expect(page.get_by_role("status")).to_contain_text("Now: ")
    assert page.evaluate("document.activeElement.id") == "role-team1"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "role-team2"
    page.keyboard.press("w")
    expect(page.get_by_role("list", name="The matches")).to_contain_text("Bob beat Ann")
    expect(page.get_by_label("Side 2", exact=True)).to_be_focused()


def test_answering_a_question_fills_in_the_drop_downs(visit):
    page = choose_file(visit, "when,who,whom,x,y,z\n3/4/2026,Ann,Bob,3,1,90\n5/4/2026,Cat,Ann,2,2,95\n")
    page.get_by_role("group", name="Which columns say who won?").get_by_role("button").first.click()
    expect(page.get_by_role("list", name="The matches")).to_contain_text("Ann beat Bob 3:1 on 2026-04-03")
    expect(page.get_by_label("Score of side 1")).to_have_value("=x")
    page.get_by_role("button", name="the month is first").click()
    expect(page.get_by_role("list", name="The matches")).to_contain_text("Ann beat Bob 3:1 on 2026-03-04")
    page.get_by_role("button", name="Undo my choices").click()
    expect(page.get_by_role("alert")).to_contain_text("I can't tell what these columns mean")
    assert visit.barriers() == []


def test_changing_the_separator_updates_the_columns_in_the_drop_downs(visit):
    page = choose_file(visit, "home;away;hg;ag\nAnn, A.;Bob, B.;1;0\nCat, C.;Ann, A.;2;2\n")
    expect(page.get_by_role("list", name="The matches")).to_contain_text("Ann, A. beat Bob, B. 1:0")
    page.get_by_text("More options").click()
    page.get_by_label("Cells are separated by").select_option(label="a comma")
    expect(page.get_by_label("Side 1", exact=True).get_by_role("option", name="home", exact=True)).to_have_count(0)
    page.get_by_label("Cells are separated by").select_option(label="a semicolon")
    expect(page.get_by_role("list", name="The matches")).to_contain_text("Ann, A. beat Bob, B. 1:0")


def test_large_file_is_previewed_only_when_the_preview_button_is_pressed(visit):
    page = choose_file(visit, "player1,player2,score1,score2\n" + "Ann,Bob,3,1\nBob,Cat,0,2\n" * 90_000)
    first = page.get_by_role("list", name="The first matches").get_by_role("listitem").first
    expect(first).to_have_text("Ann beat Bob 3:1")
    page.get_by_label("Side 1", exact=True).select_option(label="player2")
    page.get_by_label("Side 2", exact=True).select_option(label="player1")
    expect(page.get_by_role("status")).to_contain_text("Choose “Preview again”")
    expect(first).to_have_text("Ann beat Bob 3:1")
    page.get_by_role("button", name="Preview again").click()
    expect(first).to_have_text("Bob beat Ann 3:1")


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (DESK, "light")], ids=["phone-dark", "desk-light"])
def test_columns_can_be_mapped_with_drop_downs_without_scripts(chromium, demo, size, scheme):
    with visiting(chromium, demo, size=size, scheme=scheme, scripts=False, signed_in=True, allowed=(422,)) as visit:
        page = choose_file(visit, DOUBLES)
        page.get_by_role("button", name="Preview file").click()
        map_doubles(page)
        page.get_by_label("Results file").set_input_files(
            {"name": "club.csv", "mimeType": "text/csv", "buffer": DOUBLES.encode()}
        )
        page.get_by_role("button", name="Preview again").click()
        expect(page.get_by_role("list", name="The matches")).to_contain_text("Ann and Bob beat Cat and Dan 6:3")
        expect(page.get_by_label("Side 1, player 3")).to_be_visible()
        expect(page.get_by_label("Match", exact=True)).to_be_hidden()  # a field for files with a row per player
        page.get_by_label("A row is").select_option(label="a player or team in a match")
        expect(page.get_by_label("Match", exact=True)).to_be_visible()
        assert visit.sideways() <= 0
