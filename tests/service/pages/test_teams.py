"""The teams on the page equal the response of the API, and manual splits are compared with the fairest split."""

import csv
import io
import re
from urllib.parse import urlencode

import pytest

import prowess as pw
from prowess.service.api.schemas import forecasts as forms
from tests.service.pages.page_client import check_refused, words

SKILLS = ["ann", "bob", "cat", "dan", "eve", "fay"]
MATCHES = [{"teams": [[one], [other]]} for at, one in enumerate(SKILLS) for other in SKILLS[at + 1 :]]


@pytest.fixture(scope="module")
def path(ask):
    ask.create_league("fair", clock="none")
    ask.post("/api/leagues/fair/matches", MATCHES, status=201)
    return "/leagues/fair/teams"


def asked(path, **query):
    return f"{path}?{urlencode(query, doseq=True)}"


def hidden(page):
    """Return the teams as the form on the page would send them."""
    return [one.split("\n") for one in re.findall(r'name="team" value="([^"]*)"', page.text)]


def test_fair_teams_on_the_page_equal_the_api_response(ask, path):
    query = {"players": "1. ann\n2. bob\n3) cat\n\n- dan\nann\nzed", "together": "ann + bob", "apart": "cat, dan"}
    told = ask.get(asked(path + ".json", **query)).json()
    expected = {"players": ["ann", "bob", "cat", "dan", "zed"], "together": [["ann", "bob"]], "apart": [["cat", "dan"]]}
    assert told == ask.post("/api/leagues/fair/balance", expected | {"newcomers": True}, status=200).json()
    forms.Balance.model_validate(told)
    page = ask.look(asked(path, **query))
    assert "Listed more than once, but counted once: ann" in words(page)
    assert hidden(page) == told["teams"]
    rows = list(csv.DictReader(io.StringIO(ask.get(asked(path + ".csv", **query)).text)))
    assert sorted(row["player"] for row in rows) == ["ann", "bob", "cat", "dan", "zed"]
    sizes = ask.get(asked(path + ".json", players="ann, bob, cat, dan", sizes="1, 3")).json()["teams"]
    assert [len(team) for team in sizes] == [1, 3]


def test_moving_a_player_updates_the_quality_shown_on_the_teams_page(ask, path):
    ladder = pw.TrueSkill().fit(pw.History.from_matches(MATCHES)).ladder
    best = pw.balance(ladder, SKILLS)
    hand = [["ann", "bob"], ["cat", "dan", "eve", "fay"]]
    told = ask.get(asked(path + ".json", team=["ann\nbob\ncat", "dan\neve\nfay"], move="2:cat")).json()
    assert [sorted(team) for team in told["teams"]] == hand
    assert told["quality"] == pytest.approx(ladder.quality(hand), rel=1e-9)
    assert told["fairest"]["quality"] == pytest.approx(best.quality, rel=1e-9)
    page = ask.look(asked(path, team=["ann\nbob\ncat", "dan\neve\nfay"], move="2:cat"))
    assert f"quality {told['quality']:.3f}, {best.quality - told['quality']:.3f} below the fairest teams" in words(page)
    assert [sorted(team) for team in hidden(page)] == hand
    back = re.search(r'href="([^"]*)"[^>]*>Back to the fairest', page.text)[1].replace("&amp;", "&")
    assert {frozenset(team) for team in hidden(ask.look(back))} == {frozenset(team) for team in best.teams}


def test_swapping_two_players_moves_each_to_the_team_of_the_other(ask, path):
    split = ["ann\nbob", "cat\ndan", "eve\nfay"]
    picked = ask.look(asked(path, team=split, pick="bob"))
    assert "Move bob here" in words(picked)
    assert re.search(r'name="swap" value="bob(&#10;|\n)eve"', picked.text)
    told = ask.get(asked(path + ".json", team=split, swap="bob\r\neve")).json()
    assert told["teams"] == [["ann", "eve"], ["cat", "dan"], ["bob", "fay"]]


def test_manual_split_equal_to_the_fairest_split_is_not_compared_with_it(ask, path):
    best = ask.get(asked(path + ".json", players="\n".join(SKILLS))).json()
    again = ask.get(asked(path + ".json", team=["\n".join(team) for team in reversed(best["teams"])])).json()
    assert "fairest" not in again
    assert again["quality"] == best["quality"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ({"players": "ann\nbob", "teams": "3"}, "3 teams need at least 3 players"),
        ({"players": "ann\nbob", "teams": "many"}, "whole number"),
        ({"players": "ann\nbob", "sizes": "3, 4"}, "do not match 2 players"),
        ({"players": "ann\nbob", "together": "ann + zoe"}, "In one team: zoe is not among the players"),
        ({"players": "ann\nbob", "together": "ann + bob"}, "stay together, but the largest team has 1"),
        ({"players": "\n".join(map(str, range(201)))}, "At most 200 players"),
        ({"players": "x" * 8000}, "too long"),
        ({"team": ["ann", "ann"]}, "is in two teams"),
        ({"team": ["ann", "bob"], "move": "2:ann"}, "only player"),
        ({"team": ["ann\ncat", "bob"], "move": "7:ann"}, "from 1 to 2"),
        ({"team": ["ann\ncat", "bob"], "swap": "ann"}, "two names"),
        ({"team": ["ann\ncat", "bob"], "swap": "ann\nzoe"}, "not in any of the teams"),
        ({"team": ["ann\ncat"]}, "2 to 64 teams"),
    ],
)
def test_teams_page_shows_errors(ask, path, query, text):
    check_refused(ask, *asked(path, **query).split("?", 1), text)


def test_empty_teams_form_shows_instructions(ask, path):
    assert "Paste a list" in words(ask.look(path))
    assert "Paste a list" in words(ask.look(path + "?players=ann&teams=2"))
    assert ask.get(path + ".json").json()["teams"] == []
    ask.create_league("fair-nobody")
    assert ask.get("/leagues/fair-nobody/teams.json?players=a,b").json()["newcomers"] == ["a", "b"]


def test_teams_page_escapes_names(ask, path):
    nasty = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "../..", "50%", "=cmd()", "محمد", "x" * 100]
    page = ask.look(asked(path, players="\n".join(nasty), pick=nasty[1]))
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert "<img src=x" not in page.text


def test_teams_page_finds_names_in_any_spelling_and_can_keep_a_misspelt_name_as_new(ask):
    ask.create_league("spelt")
    ask.post(
        "/api/leagues/spelt/matches", [{"teams": [["João"], ["Zoë Lee"]]}, {"teams": [["ann"], ["bob"]]}], status=201
    )
    told = ask.get("/leagues/spelt/teams.json?players=joao,ann,bob&together=JOAO+%2B+Ann").json()
    assert sorted(map(sorted, told["teams"])) == [["João", "ann"], ["bob"]]
    page = ask.look("/leagues/spelt/teams?players=Zoe+Lea%0Aann%0Alee,+zoe")
    assert "Zoe Lea is new, so starts with a default rating. Did you mean Zoë Lee ?" in words(page)
    kept = ask.look("/leagues/spelt/teams?players=Zoe+Lea%0Aann&keep=Zoe+Lea")
    assert "Did you mean" not in words(kept)
    pairs = ask.get("/leagues/spelt/pairings.json?players=joao%0AZoe+Lea%0Aann+%2B+BOB").json()
    assert "João" in str(pairs)
    page = ask.look("/leagues/spelt/pairings?players=joao%0AZoe+Lea%0Aann+%2B+BOB")
    assert "Did you mean Zoë Lee ? Keep Zoe Lea as a new player" in words(page)
