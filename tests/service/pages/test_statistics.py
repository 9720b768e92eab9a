"""Pages of a league whose model has statistics: the box score of a match, and which statistics count."""

from itertools import count

import pytest

from tests.service.pages.page_client import words

KILLS = {"is": "Points", "column": "kills", "per": None, "omega": 0.5}
LEFT = {"is": "Quit", "column": "left"}
MODEL = {"name": "TrueSkill", "parameters": {"statistics": [KILLS, LEFT]}}
TEAMS = [["ann", "<b>bob"], ["cat", "dan"]]
NUMBERS = count(1)


@pytest.fixture
def league(ask):
    name = f"statistic-pages-{next(NUMBERS)}"
    ask.create_league(name, model=MODEL)
    match = {
        "id": "m1",
        "teams": TEAMS,
        "time": "2026-01-01",
        "context": {"map": "Ardennes", "role": [["a", "b"], ["c", "d"]]},
    }
    ask.post(f"/api/leagues/{name}/matches", match | {"statistics": {"kills": [[9, 2], [5, None]]}}, status=201)
    return name


def test_match_page_has_a_box_score(ask, league):
    path = f"/leagues/{league}/match"
    page = ask.look(f"{path}?id=m1")
    text = words(page)
    assert "Box score" in text
    assert "Player Kills Left From the result From statistics" in text
    [ann, _, _, dan] = ask.get(f"{path}.json?id=m1").json()["players"]
    told = ann["points_moved_by_statistics"]
    assert told > 0
    assert f"ann 9 – +{ann['points_moved'] - told:.0f} +{told:.0f}" in text
    assert dan["moved_by_statistics"] == 0
    assert f"dan – – −{-dan['points_moved']:.0f} 0" in text
    assert text.count("Kills") == 1, "the details do not repeat the statistics"
    assert "Ardennes" in text
    assert "Player Role" in text
    csv = ask.get(f"{path}.csv?id=m1").text.splitlines()
    assert "statistics.kills" in csv[0]
    assert csv[1].startswith("ann,")


def test_match_page_without_statistics_has_no_box_score(ask, league):
    ask.create_league(f"{league}-plain", model={"name": "TrueSkill"})
    match = {"id": "m1", "teams": TEAMS, "statistics": {"kills": [[9, 2], [5, 4]]}}
    ask.post(f"/api/leagues/{league}-plain/matches", match, status=201)
    text = words(ask.look(f"/leagues/{league}-plain/match?id=m1"))
    assert "Box score" not in text
    assert "Player Kills" in text


def test_deleted_match_shows_its_statistics_as_details(ask, league):
    ask("DELETE", f"/api/leagues/{league}/matches/m1", status=200)
    text = words(ask.look(f"/leagues/{league}/match?id=m1", key=ask.admin))
    assert "Box score" not in text
    assert "Kills" in text


def test_models_page_says_which_statistics_count(ask, league):
    text = words(ask.look(f"/leagues/{league}/models"))
    quits = "left (a player who quits has played worse than the opponents)"
    assert f"Besides the result, each player's statistics count: kills and {quits}." in text
    assert "Kills: weight" in text


def test_changing_a_number_of_the_model_keeps_its_statistics(ask, league):
    told = ask.get(f"/leagues/{league}/switch.json?set.beta=5&set.kills_gamma=3").json()["model"]
    assert told["parameters"]["statistics"] == MODEL["parameters"]["statistics"]
    assert told["parameters"]["kills_gamma"] == 3
    told = ask.get(f"/leagues/{league}/switch.json?facets=1&by.map=1&set.kills_gamma=3").json()["model"]
    assert told["parameters"]["statistics"] == MODEL["parameters"]["statistics"]
    assert told["parameters"]["facets"] == [{"is": "By", "column": "map"}]
    page = ask.look(f"/leagues/{league}/switch", key=ask.admin)
    assert "each player's statistics count" in words(page)


def test_edit_form_keeps_the_statistics(ask, league):
    fields = {"team": ["ann\n<b>bob", "cat\ndan"], "by": "draw", "id": "m1", "reason": "a draw"}
    ask.send(f"/leagues/{league}/edit?id=m1", fields)
    told = ask.get(f"/api/leagues/{league}/matches/m1").json()
    assert told["context"]["kills"] == [[9, 2], [5, None]]
