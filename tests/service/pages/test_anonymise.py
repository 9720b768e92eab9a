"""The page on which an admin anonymises a player."""

from tests.service.pages.page_client import words

PAGE = "/leagues/forget/anonymise"


def test_player_can_be_anonymised_on_a_page(ask):
    ask.create_league("forget")
    ask.post("/api/leagues/forget/matches", {"teams": [["Xanthippe"], ["bob"]], "scores": [3, 1]}, status=201)
    player = "/leagues/forget/player?name=Xanthippe"
    assert "Anonymise this player" not in words(ask.look(player, key=ask.new_key("write", "forget")))
    assert f'href="{PAGE}?name=Xanthippe"' in ask.look(player, key=ask.admin).text
    assert "This cannot be undone." in words(ask.look(f"{PAGE}?name=Xanthippe", key=ask.admin))
    fields = {"name": "Xanthippe", "reason": "asked", "keep_hash": "on"}
    unsure = ask.send(PAGE, fields)
    assert unsure.status_code == 422
    assert "Confirm that you want to erase the name for good." in words(unsure)
    named = ask.send(PAGE, fields | {"confirm": "yes", "reason": "xanthippe asked"})
    assert named.status_code == 422
    assert "Leave out the player's name, because the reason is stored." in words(named)
    done = ask.send(PAGE, fields | {"confirm": "yes"})
    assert (done.status_code, done.headers["location"]) == (303, f"{PAGE}?done=anonymous-1")
    page = ask.look(done.headers["location"], key=ask.admin)
    assert "The player is now called anonymous-1 ." in words(page)
    assert "Xanthippe" not in page.text
    assert ask.look(player).status_code == 404
    assert ask.send(PAGE, fields | {"confirm": "yes"}).status_code == 404
    assert ask.send(PAGE, {"alias": "anonymous-1"}).status_code == 303
    assert "dropped" in words(ask.look(PAGE, key=ask.admin))


def test_anonymise_page_says_if_no_player_has_been_anonymised(ask):
    ask.create_league("none-forgotten")
    assert "No players have been anonymised." in words(ask.look("/leagues/none-forgotten/anonymise", key=ask.admin))
    assert ask.look("/leagues/none-forgotten/anonymise.csv", key=ask.admin).status_code == 200
