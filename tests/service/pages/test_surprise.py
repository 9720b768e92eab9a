"""A change against the result is explained where it is shown, and colours say whether a result was a surprise."""

import re

import pytest

from tests.service.pages.page_client import words

# Ann has won every match by about five goals, so a win by one costs her points, and bob gains some by losing narrowly.
SCORES = [(5, 0), (6, 1), (6, 0), (6, 0), (7, 0), (1, 0)]
MATCHES = [
    {"id": f"m{day}", "teams": [["ann"], ["bob"]], "scores": list(scores), "time": f"2026-01-0{day}"}
    for day, scores in enumerate(SCORES, 1)
]
KILLS = {"is": "Points", "column": "kills", "per": None, "gamma": 0.5}
CELL = re.compile(r'<td class="num ?(good|bad)?">([+−]?[\d.,]+)(?:<span class="reason small">(.*?)</span>)?')


@pytest.fixture(scope="module")
def league(ask):
    ask.create_league("margins", model={"name": "GaussianSD"})
    ask.post("/api/leagues/margins/matches", MATCHES, status=201)
    return "/leagues/margins"


@pytest.mark.parametrize("page", ["player?name={}", "matches?player={}", "match?id=m6"])
def test_narrow_win_of_a_favourite_says_how_high_a_win_was_expected(ask, league, page):
    [ann] = [row for row in ask.get(f"{league}/match.json?id=m6").json()["players"] if row["player"] == "ann"]
    by = f"{ann['expected_lead']:.1f}".removesuffix(".0")
    assert ann["moved"] < 0
    for player, sign, colour, reason in (
        ("ann", "−", "bad", f"expected to win by {by}"),
        ("bob", "+", "good", f"expected to lose by {by}"),
    ):
        found = CELL.findall(ask.look(f"{league}/{page.format(player)}").text)
        [cell] = [cell for cell in found if cell[2] == reason]
        assert cell[0] == colour
        assert cell[1].startswith(sign)


def test_changes_that_follow_the_result_have_no_reason_but_words_for_the_colour(ask, league):
    text = ask.look(f"{league}/player?name=ann").text
    assert text.count('class="reason') == 1
    assert words(ask.look(f"{league}/match?id=m1")).count("better than expected") == 1
    assert words(ask.look(f"{league}/match?id=m1")).count("worse than expected") == 1


def test_list_of_matches_and_page_of_the_player_show_the_same_changes(ask):
    ask.create_league("same", model={"name": "TrueSkill"}, settings={"scale": None})
    ask.post("/api/leagues/same/matches", MATCHES, status=201)
    for player in ("ann", "bob"):
        lists = [
            CELL.findall(ask.look(f"/leagues/same/{page}").text)
            for page in (f"player?name={player}", f"matches?player={player}")
        ]
        changes = [
            [float(text.replace("−", "-").replace(",", "")) for colour, text, _ in found if colour] for found in lists
        ]
        assert len(changes[0]) == len(MATCHES)
        assert changes[0] == pytest.approx(changes[1], abs=0.06)


def test_results_without_scores_and_without_forecasts_are_coloured_too(ask):
    for name, model in (("duels", "TrueSkill"), ("harkness", "Harkness")):
        ask.create_league(name, model={"name": model})
        matches = [{"id": f"m{k}", "teams": [["ann"], ["bob"]], "time": f"2026-01-0{k}"} for k in (1, 2)]
        ask.post(f"/api/leagues/{name}/matches", matches, status=201)
        for page in ("player?name=ann", "matches?player=ann", "match?id=m2"):
            answer = ask.look(f"/leagues/{name}/{page}")
            assert answer.status_code == 200
            assert 'class="reason' not in answer.text
        assert 'class="num good"' in ask.look(f"/leagues/{name}/match?id=m1").text


def test_change_by_statistics_against_the_result_says_so(ask):
    """The strong killer wins as expected, but with few kills; the colour then follows the change."""
    ask.create_league("kills", model={"name": "TrueSkill", "parameters": {"statistics": [KILLS]}})
    teams = [["ann", "bob"], ["cat", "dan"]]
    kills = [[[18, 2], [3, 3]]] * 12 + [[[1, 12], [3, 3]]]
    matches = [
        {"id": f"m{day}", "teams": teams, "time": f"2026-01-{day:02}", "statistics": {"kills": its}}
        for day, its in enumerate(kills, 1)
    ]
    ask.post("/api/leagues/kills/matches", matches, status=201)
    [ann] = [row for row in ask.get("/leagues/kills/match.json?id=m13").json()["players"] if row["player"] == "ann"]
    assert ann["moved_by_statistics"] <= ann["moved"] < 0
    for page in ("player?name=ann", "matches?player=ann", "match?id=m13"):
        cells = CELL.findall(ask.look(f"/leagues/kills/{page}").text)
        [cell] = [cell for cell in cells if cell[2] and cell[1].startswith("−")]
        assert (cell[0], cell[2]) == ("bad", "because of kills")
