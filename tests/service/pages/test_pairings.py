"""Pairings for an evening avoid rematches and recent opponents, and let players sit out in turn."""

import csv
import io
from collections import Counter
from itertools import pairwise
from urllib.parse import urlencode

import pytest

from tests.service.pages.page_client import check_refused, words

PLAYERS = ["ann", "bob", "cat", "dan", "eve", "fay", "gus"]
ROUND = [{"teams": [[one], [other]], "time": "2026-01-01"} for one, other in pairwise(PLAYERS)]


@pytest.fixture(scope="module")
def path(ask):
    ask.create_league("evening")
    ask.post("/api/leagues/evening/matches", ROUND, status=201)
    return "/leagues/evening/pairings"


def asked(path, players=PLAYERS, **query):
    return f"{path}?{urlencode({'players': chr(10).join(players)} | query)}"


def pairs(one):
    return [frozenset(map(tuple, pair["teams"])) for pair in one["pairs"]]


def test_pairings_of_one_round_equal_the_api_response(ask, path):
    told = ask.get(asked(path + ".json", again="true")).json()
    expected = ask.post("/api/leagues/evening/pair", {"queue": PLAYERS}, status=200).json()
    [one] = told["rounds"]
    assert [(pair["teams"], pair["quality"]) for pair in one["pairs"]] == [
        (pair["teams"], pair["quality"]) for pair in expected["pairs"]
    ]
    assert one["left"] == expected["left"]
    teams = one["pairs"][0]["teams"]
    chances = ask.post("/api/leagues/evening/predict", {"teams": teams}, status=200).json()
    assert (one["pairs"][0]["win"], one["pairs"][0]["draw"]) == (chances["win"], chances["draw"])


def test_several_rounds_repeat_no_pair_and_players_sit_out_in_turn(ask, path):
    told = ask.get(asked(path + ".json", rounds=3, never="ann + gus")).json()
    made = [pair for one in told["rounds"] for pair in pairs(one)]
    assert len(made) == len(set(made)) == 9
    assert frozenset([("ann",), ("gus",)]) not in made
    assert max(Counter(tuple(group) for one in told["rounds"] for group in one["left"]).values()) == 1
    page = words(ask.look(asked(path, rounds=3)))
    assert "3 matches in each of 3 rounds; 1 player or team sits out each round, in turn." in page
    assert "Round 3" in page
    rows = list(csv.DictReader(io.StringIO(ask.get(asked(path + ".csv", rounds=3)).text)))
    assert [row["table"] for row in rows] == ["1", "2", "3", ""] * 3


def test_recent_opponents_are_not_paired(ask, path):
    lately = {frozenset([(one,), (other,)]) for one, other in pairwise(PLAYERS)}
    some = PLAYERS[:4]
    assert not lately & set(pairs(ask.get(asked(path + ".json", some)).json()["rounds"][0]))
    assert lately & set(pairs(ask.get(asked(path + ".json", some, again="true")).json()["rounds"][0]))


def test_players_entered_on_one_line_are_paired_as_a_team(ask, path):
    ask.create_league("doubles", clock="none")
    ask.post("/api/leagues/doubles/matches", [{"teams": [["a & b"], ["c"]]}], status=201)
    told = ask.get(asked("/leagues/doubles/pairings.json", ["d + e", "f & g", "a & b", "c"])).json()
    assert sorted(map(sorted, (pair["teams"] for pair in told["rounds"][0]["pairs"]))) == [
        [["a & b"], ["c"]],
        [["d", "e"], ["f", "g"]],
    ]
    assert told["newcomers"] == ["d", "e", "f", "g"]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ({"rounds": "many"}, "whole number from 1 to 12"),
        ({"never": "ann"}, "is alone on a line"),
        ({"players": [f"p{k}" for k in range(201)]}, "At most 200 players"),
        ({"players": [f"p{k}" for k in range(200)], "rounds": 9}, "whole number from 1 to 5"),
    ],
)
def test_pairings_page_shows_errors(ask, path, query, text):
    check_refused(ask, *asked(path, **query).split("?", 1), text)


def test_pairings_page_works_with_an_empty_league_and_an_empty_form(ask, path):
    assert "Paste a list" in words(ask.look(path))
    assert ask.get(path + ".json").json()["rounds"] == []
    ask.create_league("evening-nobody")
    told = ask.get("/leagues/evening-nobody/pairings.json?players=a,b,c").json()
    assert [len(told["rounds"][0]["pairs"]), told["rounds"][0]["left"]] == [1, [["c"]]]
    assert "<script>alert" not in ask.look(asked(path, ["<script>alert(1)</script>", "ann"])).text
