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
