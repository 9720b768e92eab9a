"""Merging and renaming players over HTTP: preview, undo, aliases, and players with similar names."""

import pytest

from tests.service.app_client import served

LEAGUE = "/api/leagues/darts"
MATCHES = [
    {"id": "a", "teams": [["Deevo Smith"], ["cat"]], "time": "2026-01-01"},
    {"id": "b", "teams": [["Jeevo Smith"], ["cat"]], "time": "2026-01-02"},
    {"id": "c", "teams": [["Deevo Smith"], ["eve"]], "time": "2026-01-03"},
    {"id": "d", "teams": [["Deevo Smith"], ["eve"]], "time": "2026-01-04"},
]
JEEVO = f"{LEAGUE}/players/Jeevo%20Smith"


@pytest.fixture
def ask(database_url):
    with served(database_url) as client:
        client.create_league("darts")
        client.post(f"{LEAGUE}/matches", {"matches": MATCHES}, status=201)
        yield client


def players(ask):
    return [row["player"] for row in ask.get(f"{LEAGUE}/leaderboard").json()["players"]]


def test_merge_can_be_previewed_applied_and_undone(ask):
    before = ask.get(f"{LEAGUE}/leaderboard").json()["players"]
    asked = {"into": "Deevo Smith"}
    shown = ask.post(f"{JEEVO}/merge?dry_run=true", asked, status=200).json()
    assert shown["names"] == {"Jeevo Smith": "Deevo Smith"}
    assert (shown["merged"], shown["repeated"], shown["renamed"], shown["revision"]) == (True, False, 1, 1)
    assert shown["matches"] == [{"id": "b", "time": "2026-01-02T00:00:00Z", "repeated": False}]
    changed = {row["player"]: row["after"] for row in shown["ratings"]}
    assert changed.keys() == {"Jeevo Smith", "Deevo Smith", "cat", "eve"}
    assert changed["Jeevo Smith"] is None
    assert ask.get(f"{LEAGUE}/leaderboard").json()["players"] == before
    done = ask.post(f"{JEEVO}/merge?reason=a+typo", asked | {"revision": shown["revision"]}, status=200).json()
    assert {row["player"]: row["after"] for row in done["ratings"]} == changed
    assert (players(ask), done["revision"]) == (["Deevo Smith", "eve", "cat"], 2)
    again = ask.post(f"{JEEVO}/merge", asked, status=200).json()
    assert (again["repeated"], again["revision"], again["renamed"]) == (True, 2, 0)
    [change] = ask.get(f"{LEAGUE}/renames").json()["changes"]
    assert change | {"made_at": ""} == {
        "revision": 2,
        "kind": "merge",
        "player": "Jeevo Smith",
        "target": "Deevo Smith",
        "undone": None,
        "undoable": True,
        "author": "office",
        "reason": "a typo",
        "made_at": "",
    }
    assert ask.post(f"{LEAGUE}/renames/2/undo?dry_run=true", None, status=200).json()["renamed"] == 1
    undone = ask.post(f"{LEAGUE}/renames/2/undo", None, status=200).json()
    assert undone["names"] == {"Deevo Smith": "Jeevo Smith"}
    assert ask.get(f"{LEAGUE}/leaderboard").json()["players"] == before
    ask.post(f"{LEAGUE}/renames/7/undo", None, status=404)


def test_response_to_renaming_a_player_to_an_existing_name_says_that_players_were_merged(ask):
    assert not ask.post(f"{JEEVO}/rename", {"name": "Jay"}, status=200).json()["merged"]
    assert ask.post(f"{LEAGUE}/players/Jay/rename", {"name": "Deevo Smith"}, status=200).json()["merged"]
    answer = ask.post(f"{LEAGUE}/players/Jay/rename", {"name": "cat"}, status=409)
    assert answer.json()["detail"] == "'Jay' is an alias of 'Deevo Smith'; rename that player instead"
    ask.post(f"{LEAGUE}/players/eve/merge", {"into": "nobody"}, status=404)
    ask.post(f"{LEAGUE}/players/nobody/rename", {"name": "x"}, status=404)
    ask.post(f"{LEAGUE}/players/eve/rename", {"name": " "}, status=422)


def test_merging_opponents_gets_409_and_an_error_that_names_the_match(ask):
    for url in ("merge", "merge?dry_run=true"):
        answer = ask.post(f"{LEAGUE}/players/eve/{url}", {"into": "Deevo Smith"}, status=409)
        text = "eve and Deevo Smith both played in match 'c' (2026-01-03) and in 1 other match, so they"
        assert answer.json()["detail"].startswith(text)
    ask.post(f"{JEEVO}/merge", {"into": "cat"}, status=409)


def test_merge_based_on_an_outdated_preview_gets_409(ask):
    ask.post(f"{LEAGUE}/matches", {"teams": [["Jeevo Smith"], ["eve"]]}, status=201)
    answer = ask.post(f"{JEEVO}/merge", {"into": "Deevo Smith", "revision": 1}, status=409)
    assert "were changed since you opened the preview" in answer.json()["detail"]


def test_response_to_a_match_posted_or_imported_under_an_alias_names_the_player(ask):
    ask.post(f"{JEEVO}/merge", {"into": "Deevo Smith"}, status=200)
    match = {"teams": [["Jeevo Smith"], ["cat"]], "time": "2026-02-01"}
    assert ask.post(f"{LEAGUE}/matches?dry_run=true", match).json()["aliases"] == {"Jeevo Smith": "Deevo Smith"}
    done = ask.post(f"{LEAGUE}/matches", match, headers={"Idempotency-Key": "k"}, status=201).json()
    assert done["aliases"] == {"Jeevo Smith": "Deevo Smith"}
    again = ask.post(f"{LEAGUE}/matches", match, headers={"Idempotency-Key": "k"}, status=200).json()
    assert again["matches"][0]["repeated"]
    other = ask.post(f"{LEAGUE}/matches", {"teams": [["eve"], ["cat"]], "time": "2026-02-02"}, status=201).json()
    assert "aliases" not in other
    file = b"winner,loser,date\nJeevo Smith,eve,2026-03-01\n"
    sent = {"content": file, "headers": {"Content-Type": "text/csv"}}
    assert ask("POST", f"{LEAGUE}/import", status=201, **sent).json()["aliases"] == {"Jeevo Smith": "Deevo Smith"}
    assert ask("POST", f"{LEAGUE}/import", status=200, **sent).json()["repeated"] == 1
    assert "Jeevo" not in ask.get(f"{LEAGUE}/export.csv").text
    both = {"teams": [["Jeevo Smith"], ["Deevo Smith"]]}
    problem = ask.post(f"{LEAGUE}/matches", both, status=422).json()
    assert problem["errors"][0]["field"] == "teams"
    assert "Deevo Smith is listed twice, also as 'Jeevo Smith'" in problem["detail"]


def test_aliases_can_be_listed_added_and_removed(ask):
    asked = {"alias": "Dee", "player": "Deevo Smith"}
    made = ask.post(f"{LEAGUE}/aliases", asked, status=201).json()
    assert made == {"league": "darts", "revision": 2, "alias": "Dee", "player": "Deevo Smith"}
    ask.post(f"{LEAGUE}/aliases", asked, status=200)
    ask.post(f"{LEAGUE}/aliases", asked | {"player": "cat"}, status=409)
    ask.post(f"{LEAGUE}/aliases", {"alias": "cat", "player": "eve"}, status=409)
    ask.post(f"{LEAGUE}/aliases", {"alias": "x", "player": "nobody"}, status=404)
    listed = ask.get(f"{LEAGUE}/aliases").json()
    assert listed["aliases"] == [{"alias": "Dee", "player": "Deevo Smith", "revision": 2}]
    ask("DELETE", f"{LEAGUE}/aliases/Dee", status=200)
    ask("DELETE", f"{LEAGUE}/aliases/Dee", status=404)
    assert ask.get(f"{LEAGUE}/aliases").json()["aliases"] == []


def test_players_with_similar_names_are_listed_until_they_are_marked_as_different(ask):
    [pair] = ask.get(f"{LEAGUE}/similar-players").json()["pairs"]
    assert pair == {"alias": "Jeevo Smith", "player": "Deevo Smith"}
    for names in (["cat", " cat "], ["cat", "\0"]):
        ask.post(f"{LEAGUE}/similar-players/dismiss", {"players": names}, status=422)
    left = ask.post(f"{LEAGUE}/similar-players/dismiss", {"players": list(pair.values())}, status=200).json()
    assert left["pairs"] == []
    assert ask.get(f"{LEAGUE}/similar-players").json()["pairs"] == []


def test_listing_aliases_needs_a_write_key_and_merging_players_an_admin_key(ask):
    reader, writer = ask.new_key("read", "darts"), ask.new_key("write", "darts")
    for path in ("aliases", "renames", "similar-players"):
        ask.get(f"{LEAGUE}/{path}", key=None, status=401)
        ask.get(f"{LEAGUE}/{path}", key=reader, status=403)
        ask.get(f"{LEAGUE}/{path}", key=writer)
    ask.post(f"{JEEVO}/merge", {"into": "Deevo Smith"}, key=writer, status=403)


def test_players_of_an_archived_league_cannot_be_renamed_or_get_aliases(ask):
    ask("PATCH", LEAGUE, json={"archived": True}, status=200)
    for path, body in {
        "players/eve/rename": {"name": "Eve"},
        "aliases": {"alias": "E", "player": "eve"},
        "similar-players/dismiss": {"players": ["cat", "eve"]},
    }.items():
        assert "archived" in ask.post(f"{LEAGUE}/{path}", body, status=409).json()["detail"]


def test_anonymising_a_merged_player_erases_both_names_from_every_response(ask):
    ask.post(f"{JEEVO}/merge?reason=Jeevo+Smith+is+Deevo+Smith", {"into": "Deevo Smith"}, status=200)
    ask.post(f"{LEAGUE}/players/Deevo%20Smith/anonymise", {}, status=200)
    paths = ["aliases", "renames", "similar-players", "matches", "matches/b", "leaderboard", "erasures"]
    for url in [*(f"{LEAGUE}/{path}" for path in paths), "/api/audit"]:
        assert "Smith" not in ask.get(url).text, url
    ask.post(f"{LEAGUE}/renames/2/undo", None, status=409)
    done = ask.post(f"{LEAGUE}/matches", {"teams": [["Jeevo Smith"], ["cat"]]}, status=201).json()
    assert [row["player"] for row in done["ratings"]] == ["anonymous-1", "cat"]


def test_every_request_finds_a_player_by_an_alias(ask):
    ask.post(f"{JEEVO}/merge", {"into": "Deevo Smith"}, status=200)
    assert ask.get(JEEVO).json()["player"] == "Deevo Smith"
    assert ask.get(f"{LEAGUE}/matches?player=Jeevo+Smith").json()["total"] == 4
    teams = {"teams": [["Jeevo Smith"], ["cat"]]}
    current = {"teams": [["Deevo Smith"], ["cat"]]}
    assert (
        ask.post(f"{LEAGUE}/predict", teams, status=200).json()["win"]
        == (ask.post(f"{LEAGUE}/predict", current, status=200).json()["win"])
    )
    assert ask.post(f"{LEAGUE}/quality", teams, status=200).json()["newcomers"] == []
    ask.post(f"{LEAGUE}/predict", {"teams": [["Jeevo Smith"], ["Deevo Smith"]]}, status=422)
    balanced = ask.post(f"{LEAGUE}/balance", {"players": ["Jeevo Smith", "cat"]}, status=200).json()
    assert sorted(name for team in balanced["teams"] for name in team) == ["Deevo Smith", "cat"]
    paired = ask.post(f"{LEAGUE}/pair", {"queue": ["Jeevo Smith", "cat"]}, status=200)
    assert "Deevo Smith" in paired.text
