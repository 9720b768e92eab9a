"""The page on which an admin renames and merges players, and the decisions about similar names in an import."""

import json
from html import escape

from tests.service.pages.page_client import words

SMITHS = [("Deevo Smith", "cat"), ("Jeevo Smith", "cat"), ("Deevo Smith", "eve"), ("Deevo Smith", "eve")]


def league(ask, name):
    """Create a league with two similar names; return the URL of its aliases page."""
    ask.create_league(name)
    matches = [
        {"id": f"m{day}", "teams": [[winner], [loser]], "time": f"2026-01-0{day}"}
        for day, (winner, loser) in enumerate(SMITHS, 1)
    ]
    ask.post(f"/api/leagues/{name}/matches", {"matches": matches}, status=201)
    return f"/leagues/{name}/aliases"


def test_players_can_be_merged_after_a_preview_and_the_merge_can_be_undone(ask):
    page = league(ask, "merging")
    told = words(ask.look(page, key=ask.admin))
    assert "Players who may be the same Name May be Decide Jeevo Smith Deevo Smith" in told
    assert "No player has an alias." in told
    preview = ask.look(f"{page}?player=Jeevo+Smith&name=Deevo+Smith", key=ask.admin)
    told = words(preview)
    assert "Merge Jeevo Smith into Deevo Smith ?" in told
    assert "A player with this name exists, so this is a merge." in told
    assert "The name changes in 1 match: 2 Jan 2026" in told
    assert "Rating changes" in told
    fields = {"player": "Jeevo Smith", "name": "Deevo Smith", "what": "rename", "seen": "1", "reason": "a typo"}
    done = ask.send(page, fields)
    assert (done.status_code, done.headers["location"]) == (303, f"{page}?done=renamed")
    told = words(ask.look(done.headers["location"], key=ask.admin))
    assert "The name was changed in all matches. You can undo this below." in told
    assert "merged Jeevo Smith into Deevo Smith a typo office Undo…" in told
    assert "No names look alike." in told
    old = ask.look("/leagues/merging/player?name=Jeevo+Smith&offset=0")
    assert (old.status_code, old.headers["location"]) == (307, "/leagues/merging/player?name=Deevo+Smith&offset=0")
    both = ask.look("/leagues/merging/player?name=Jeevo+Smith&name=eve")
    assert both.headers["location"] == "/leagues/merging/player?name=Deevo+Smith&name=eve"
    assert "merged Jeevo Smith into Deevo Smith: a typo" in words(
        ask.look("/leagues/merging/match?id=m2", key=ask.admin)
    )
    told = words(ask.look(f"{page}?undo=2", key=ask.admin))
    assert "Undo the change, and use the name Jeevo Smith again?" in told
    undone = ask.send(page, {"undo": "2", "what": "undo"})
    assert undone.headers["location"] == f"{page}?done=undone"
    assert ask.look("/leagues/merging/player?name=Jeevo+Smith").status_code == 200
    assert "undone: the change of Jeevo Smith to Deevo Smith" in words(ask.look(page, key=ask.admin))


def test_page_lists_the_matches_that_make_a_merge_impossible(ask):
    page = league(ask, "opponents")
    answer = ask.look(f"{page}?player=eve&name=Deevo+Smith", key=ask.admin)
    assert answer.status_code == 422
    told = words(answer)
    assert "Eve and Deevo Smith both played in match 'm3' (2026-01-03) and in 1 other match, so they" in told
    assert 'href="/leagues/opponents/match?id=m3"' in answer.text
    assert 'href="/leagues/opponents/match?id=m4"' in answer.text
    assert "Rename Jeevo Smith to x ?" in words(ask.look(f"{page}?player=jeevo+smith&name=x", key=ask.admin))
    unknown = ask.look(f"{page}?player=Jevo+Smith&name=x", key=ask.admin)
    assert "did you mean 'Jeevo Smith'?" in words(unknown)
    assert unknown.status_code == 422


def test_confirming_an_outdated_merge_preview_shows_a_new_preview(ask):
    page = league(ask, "outdated")
    ask.post("/api/leagues/outdated/matches", {"teams": [["Jeevo Smith"], ["eve"]]}, status=201)
    fields = {"player": "Jeevo Smith", "name": "Deevo Smith", "what": "rename", "seen": "1"}
    answer = ask.send(page, fields)
    assert answer.status_code == 422
    assert "Matches of Jeevo Smith were changed since you opened the preview" in words(answer)


def test_similar_names_can_be_marked_as_different_players_on_the_page(ask):
    page = league(ask, "apart")
    done = ask.send(page, {"player": "Jeevo Smith", "name": "Deevo Smith", "what": "apart"})
    assert done.headers["location"] == f"{page}?done=apart"
    assert "No names look alike." in words(ask.look(done.headers["location"], key=ask.admin))


def test_aliases_can_be_added_and_removed_on_the_page(ask):
    page = league(ask, "nicknames")
    assert ask.send(page, {"alias": "Dee", "of": "Deevo Smith", "what": "add"}).status_code == 303
    assert "Dee Deevo Smith Remove the alias Dee" in words(ask.look(page, key=ask.admin))
    refused = ask.send(page, {"alias": "cat", "of": "eve", "what": "add"})
    assert refused.status_code == 422
    assert "'cat' is a player with matches: merge the two players instead" in words(refused)
    listed = ask.get(f"{page}.json").json()
    assert listed["aliases"] == [{"alias": "Dee", "player": "Deevo Smith", "revision": 2}]
    assert "Dee,Deevo Smith" in ask.look(f"{page}.csv", key=ask.admin).text
    assert ask.send(page, {"alias": "Dee", "what": "remove"}).status_code == 303
    assert "No player has an alias." in words(ask.look(page, key=ask.admin))


def test_only_admins_see_the_aliases_page_and_links_to_it(ask):
    page = league(ask, "admins")
    writer = ask.new_key("write", "admins")
    assert ask.look(page, key=writer).status_code == 403
    player = "/leagues/admins/player?name=cat"
    assert "Rename or merge this player" not in words(ask.look(player, key=writer))
    assert f'href="{page}?player=cat"' in ask.look(player, key=ask.admin).text
    assert f'href="{page}"' in ask.look("/leagues/admins/settings", key=ask.admin).text


def drop(ask, league, content, key="", **fields):
    return ask.send(f"/leagues/{league}/import", fields, key=key, files={"file": ("games.csv", content.encode())})


FILE = "date,winner,loser\n2026-02-01,Deevo Smyth,cat\n2026-02-02,Jonny Walker,eve\n" + "".join(
    f"2026-03-0{day},Johny Walker,eve\n" for day in range(1, 5)
)


def test_similar_names_in_an_import_can_become_aliases_or_stay_different_players(ask):
    league(ask, "importing")
    page = drop(ask, "importing", FILE)
    told = words(page)
    assert "Deevo Smyth : did you mean Deevo Smith ? Same player : Deevo Smyth is Deevo Smith Different" in told
    assert "Jonny Walker may be Johny Walker ." in told
    pair = json.dumps(["Deevo Smyth", "Deevo Smith"])
    assert f'name="same" value="{escape(pair)}"'.replace("&quot;", "&#34;") in page.text
    told = words(drop(ask, "importing", FILE, same=pair))
    assert "Their matches will be recorded under these players: Deevo Smyth : Deevo Smith" in told
    assert "did you mean" not in told
    assert "2 new players Jonny Walker, Johny Walker" in told
    inside = json.dumps(["Jonny Walker", "Johny Walker"])
    told = words(drop(ask, "importing", FILE, different=inside))
    assert "may be" not in told
    listed = ask.get("/leagues/importing/aliases.json").json()
    assert [(one["alias"], one["player"]) for one in listed["aliases"]] == [("Deevo Smyth", "Deevo Smith")]
    wrong = drop(ask, "importing", FILE, same=json.dumps(["cat", "eve"]))
    assert "'cat' is a player with matches" in words(wrong)
    assert "Click one of the buttons on the page." in words(drop(ask, "importing", FILE, same="x"))


def test_only_admins_can_decide_about_similar_names_in_an_import(ask):
    league(ask, "deciding")
    writer = ask.new_key("write", "deciding")
    pair = json.dumps(["Deevo Smyth", "Deevo Smith"])
    page = drop(ask, "deciding", FILE, key=writer, same=pair)
    assert "did you mean Deevo Smith ?" in words(page)
    assert "correct the file first" in words(page)
    assert "Same player" not in page.text
    assert ask.get("/leagues/deciding/aliases.json").json()["aliases"] == []


def test_similar_names_in_one_imported_file_can_be_merged_into_one_player(ask):
    league(ask, "decided")
    inside = json.dumps(["Jonny Walker", "Johny Walker"])
    page = drop(ask, "decided", FILE, same=inside)
    confirm = page.text.partition('name="confirm" value="')[2].partition('"')[0]
    assert drop(ask, "decided", FILE, confirm=confirm).status_code == 303
    names = {row["player"] for row in ask.get("/api/leagues/decided/leaderboard").json()["players"]}
    assert "Jonny Walker" not in names
    assert {"Johny Walker", "Deevo Smyth"} <= names
