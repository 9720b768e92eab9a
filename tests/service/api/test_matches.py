"""Matches over HTTP: new matches, repeated posts, corrections and invalid requests."""

import json
import reprlib
from time import time

import pytest

import prowess as pw
from prowess.service.api.matches import MAX_MATCHES
from prowess.service.api.schemas.matches import Posted
from prowess.store import leagues

ANN_BOB = {"teams": [["ann"], ["bob"]], "time": "2026-01-31"}


def ratings(answer):
    return {
        one["player"]: one["after"] and (one["after"]["mu"], one["after"]["sigma"]) for one in answer.json()["ratings"]
    }


def fitted(*matches, model=None):
    fit = (model or pw.TrueSkill()).fit(pw.History.from_matches(matches))
    return {name: (fit[name].mu, fit[name].sigma) for name in fit.ladder}


def test_post_returns_the_new_ratings(ask, league):
    answer = ask.post(f"{league}/matches", ANN_BOB | {"id": "m1"}, status=201)
    assert Posted.model_validate(answer.json())
    assert answer.json()["matches"] == [{"id": "m1", "time": "2026-01-31T00:00:00Z", "repeated": False}]
    assert ratings(answer) == fitted(ANN_BOB)
    assert [one["before"] for one in answer.json()["ratings"]] == [None, None]


@pytest.mark.parametrize("form", ["list", "object", "ndjson"])
def test_matches_posted_in_one_request_are_recorded_as_one_revision(ask, league, form):
    matches = [
        {"teams": [[f"p{n % 7}"], [f"q{n % 5}", "ann"]], "scores": [n % 3, 1], "time": "2026-01-31"} for n in range(50)
    ]
    body = {
        "list": json.dumps(matches),
        "object": json.dumps({"matches": matches}, indent=1),
        "ndjson": "\n\n".join(map(json.dumps, matches)) + "\r\n",
    }[form]
    kind = "application/x-ndjson; charset=utf-8" if form == "ndjson" else "application/json"
    answer = ask(
        "POST", f"{league}/matches", content=body, headers={"Content-Type": kind, "Idempotency-Key": "k"}, status=201
    )
    assert answer.json()["revision"] == 1
    assert [one["id"] for one in answer.json()["matches"]] == [f"k/{n}" for n in range(1, 51)]
    assert ratings(answer) == fitted(*matches)
    again = ask(
        "POST", f"{league}/matches", content=body, headers={"Content-Type": kind, "Idempotency-Key": "k"}, status=200
    )
    assert again.json()["revision"] == 1
    assert all(one["repeated"] for one in again.json()["matches"])


def test_repeated_post_changes_nothing_but_another_match_with_the_same_id_gets_409(ask, league):
    ask.post(f"{league}/matches", ANN_BOB, headers={"Idempotency-Key": "k"}, status=201)
    assert (
        ask.post(f"{league}/matches", ANN_BOB, headers={"Idempotency-Key": "k"}, status=200).json()["matches"][0]["id"]
        == "k"
    )
    ask.post(f"{league}/matches", ANN_BOB | {"scores": [0, 1]}, headers={"Idempotency-Key": "k"}, status=409)
    ask.post(f"{league}/matches", ANN_BOB, headers={"Idempotency-Key": "a b"}, status=422)
    assert ask.get(league).json()["revision"] == 1


@pytest.mark.parametrize("id", ["m1", "2026/final/1", "π ✓", "a?b#c%d&e", "two\nlines", "..", "x" * 500])
def test_ratings_after_a_correction_equal_those_of_a_league_that_was_correct_from_the_start(ask, league, id):
    from urllib.parse import quote

    later = {"teams": [["bob"], ["cat"]], "time": "2026-02-01"}
    ask.post(f"{league}/matches", [ANN_BOB | {"id": id}, later], status=201)
    turned = ANN_BOB | {"ranks": [2, 1]}
    place = f"{league}/matches/{quote(id, safe='')}" if id != ".." else f"{league}/matches/%2e%2e"
    dry = ask("PUT", place, json=turned, params={"dry_run": True}, status=200)
    assert ratings(dry) == fitted(turned, later)
    shown = [abs(one["after"]["shown"] - one["before"]["shown"]) for one in dry.json()["ratings"]]
    assert shown == sorted(shown, reverse=True)
    assert ask.get(league).json()["revision"] == 1
    assert ratings(ask("PUT", place, json=turned, params={"reason": "was turned"}, status=200)) == fitted(turned, later)
    gone = ask("DELETE", place, status=200)
    assert ratings(gone) == fitted(later) | {"ann": None}
    assert ask.get(league).json()["revision"] == 3
    assert ask("DELETE", place, status=200).json()["matches"][0]["repeated"]
    ask("DELETE", f"{league}/matches/nobody", status=404)


def test_spaces_around_match_ids_are_removed(ask, league):
    ask.post(f"{league}/matches", ANN_BOB | {"id": " m1\n"}, status=201)
    assert ask.get(f"{league}/matches/%20m1%0A").json() == ask.get(f"{league}/matches/m1").json()
    ask("PUT", f"{league}/matches/m1%20", json=ANN_BOB | {"id": " m1", "ranks": [2, 1]}, status=200)
    assert not ask("DELETE", f"{league}/matches/%20m1", status=200).json()["matches"][0]["repeated"]


@pytest.mark.parametrize(
    ("match", "field"),
    [
        ({"teams": [["ann"]]}, "teams"),
        ({"teams": [["ann"], []]}, "teams[1]"),
        ({"teams": [["ann"], ["ann"]]}, "teams"),
        ({"teams": [["ann"], [""]]}, "teams[1][0]"),
        ({"teams": [["ann"], [" "]]}, "teams"),
        ({"teams": [["ann"], ["b\0b"]]}, "teams"),
        ({"teams": [["ann"], ["b" * 501]]}, "teams[1][0]"),
        ({"teams": [["ann"], [7]]}, "teams[1][0]"),
        ({"teams": "ann"}, "teams"),
        ({}, "teams"),
        (ANN_BOB | {"ranks": ["1", 2]}, "ranks[0]"),
        (ANN_BOB | {"ranks": [1, 2, 3]}, "ranks"),
        (ANN_BOB | {"ranks": [1, float("nan")]}, "ranks[1]"),
        (ANN_BOB | {"scores": [1, True]}, "scores[1]"),
        (ANN_BOB | {"scores": [1e40, 0]}, "scores"),
        (ANN_BOB | {"time": "yesterday"}, "time"),
        (ANN_BOB | {"time": 7}, "time"),
        (ANN_BOB | {"time": True}, "time"),
        (ANN_BOB | {"weights": [[1], [-1]]}, "weights"),
        (ANN_BOB | {"weights": [[1]]}, "weights"),
        (ANN_BOB | {"importance": -1}, "importance"),
        (ANN_BOB | {"home": 2}, "home"),
        (ANN_BOB | {"home": 1.5}, "home"),
        (ANN_BOB | {"id": ""}, "id"),
        (ANN_BOB | {"winner": "ann"}, "winner"),
    ],
    ids=reprlib.repr,
)
def test_invalid_matches_get_an_error_that_names_the_field_and_are_not_stored(ask, league, match, field):
    alone = ask(
        "POST", f"{league}/matches", content=json.dumps(match), headers={"Content-Type": "application/json"}, status=422
    )
    assert alone.json()["errors"][0]["field"] == field
    lines = "\n".join(map(json.dumps, [ANN_BOB, {}, match]))
    among = ask(
        "POST",
        f"{league}/matches",
        content=json.dumps([ANN_BOB, match]),
        headers={"Content-Type": "application/json"},
        status=422,
    )
    assert among.json()["errors"][0]["field"].removeprefix("matches[1].") == field
    told = ask(
        "POST", f"{league}/matches", content=lines, headers={"Content-Type": "application/x-ndjson"}, status=422
    ).json()
    assert told["errors"][0] == {"field": "matches[1].teams", "detail": "line 2: Field required"}
    assert ask.get(league).json()["posted"] == 0


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ("", "application/json", 400),
        ("{", "application/json", 400),
        ('{"teams": [["\\ud800"], ["b"]]}', "application/json", 400),
        ('{"teams":' + "[" * 100_000, "application/json", 400),
        ("null", "application/json", 422),
        ("[]", "application/json", 422),
        ('{"matches": []}', "application/json", 422),
        ('{"matches": [], "more": 1}', "application/json", 422),
        ("\n", "application/x-ndjson", 422),
        ("{}\n{", "application/x-ndjson", 422),
        ("a=b", "application/x-www-form-urlencoded", 415),
        ("[" + ",".join(['{"teams":[["a"],["b"]]}'] * (MAX_MATCHES + 1)) + "]", "application/json", 413),
        ('{"teams":[["a"],["b"]]}\n' * (MAX_MATCHES + 1), "application/x-ndjson", 413),
    ],
    ids=[
        "empty",
        "incomplete",
        "lone surrogate",
        "deep nesting",
        "null",
        "empty list",
        "no matches",
        "unknown field",
        "empty NDJSON",
        "incomplete NDJSON",
        "form",
        "too many matches",
        "too many NDJSON lines",
    ],
)
def test_malformed_or_oversized_request_body_is_refused(ask, league, body, kind, status):
    ask("POST", f"{league}/matches", content=body, headers={"Content-Type": kind}, status=status)
    assert ask.get(league).json()["posted"] == 0


@pytest.mark.parametrize(("clock", "time", "shown"), [("number", 3, 3.0), ("none", None, None)])
def test_match_times_are_shown_in_the_time_format_of_the_league(ask, clock, time, shown):
    ask.create_league(f"chess-{clock}", clock=clock)
    answer = ask.post(f"/api/leagues/chess-{clock}/matches", {"teams": [["ann"], ["bob"]], "time": time}, status=201)
    assert answer.json()["matches"][0]["time"] == shown


def test_rating_in_a_response_includes_each_trait_of_the_model(ask):
    ask.create_league("football", model={"name": "PoissonOD"})
    answer = ask.post("/api/leagues/football/matches", ANN_BOB | {"scores": [3, 1]}, status=201)
    Posted.model_validate(answer.json())
    after = answer.json()["ratings"][0]["after"]
    assert after["offence"]["mu"] + after["defence"]["mu"] == pytest.approx(after["mu"])
    ask.create_league("go", model={"name": "Glicko2"})
    assert ask.post("/api/leagues/go/matches", ANN_BOB, status=201).json()["ratings"][0]["after"]["volatility"] > 0


def test_post_needs_a_write_key_for_the_league(ask, league):
    ask.post(f"{league}/matches", ANN_BOB, key=None, status=401)
    ask.post(f"{league}/matches", ANN_BOB, key=ask.new_key("read"), status=403)
    ask.create_league("other")
    ask.post(f"{league}/matches", ANN_BOB, key=ask.new_key("write", "other"), status=403)
    ask.post(f"{league}/matches", ANN_BOB, key=ask.new_key("write", league.rpartition("/")[2]), status=201)


def test_response_to_a_repeated_post_lists_no_rating_changes(ask, league):
    match = {"id": "final", "teams": [["ann"], ["bob"]], "time": "2026-01-31"}
    told = [ask("POST", f"{league}/matches", json=match, status=status).json()["changed"] for status in (201, 200)]
    assert told == [2, 0]


def test_match_far_in_the_future_is_refused_unless_the_league_allows_it(ask, league):
    match = {"id": "m1", "teams": [["ann"], ["bob"]], "time": "9999-12-31"}
    ask.post(f"{league}/matches", {"id": "m0", "teams": [["cat"], ["dan"]], "time": "2026-01-01"}, status=201)
    refused = ask.post(f"{league}/matches", match, status=422).json()
    assert refused["errors"][0]["field"] == "time"
    assert "allow future matches in the settings" in refused["detail"]
    ask("PUT", f"{league}/matches/m0", json=match | {"id": "m0"}, status=422)
    csv = {"content": "winner,loser,date\nann,bob,9999-12-31\n", "headers": {"Content-Type": "text/csv"}}
    for query in ("", "?dry_run=true"):
        refused = ask("POST", f"{league}/import{query}", status=422, **csv).json()
        assert "match 1: time: 9999-12-31T00:00:00Z is more than a day ahead" in refused["detail"]
    players = ask.get(f"{league}/leaderboard").json()["players"]
    assert all(row["active"] for row in players), "the refused match must not make anybody inactive"
    ask("PATCH", league, json={"settings": {"allow_future": True}}, status=200)
    ask.post(f"{league}/matches", match, status=201)


def test_response_to_a_post_says_that_a_correction_is_in_progress(ask, league):
    ask.post(f"{league}/matches", ANN_BOB, status=201)
    database = ask.service.database
    with database.writing() as connection:
        found = leagues.find(connection, league.rpartition("/")[2])
        leagues.update_row(connection, found, replay_until=time() + 60)
    answer = ask.post(f"{league}/matches", ANN_BOB, status=201).json()
    assert Posted.model_validate(answer).replaying is True
    assert answer["revision"] == 2
    with database.writing() as connection:
        leagues.update_row(connection, found, replay_until=None)
    assert "replaying" not in ask.post(f"{league}/matches", ANN_BOB, status=201).json()


def test_new_name_similar_to_a_known_name_is_recorded_with_a_warning(ask, league):
    post = f"{league}/matches"
    first = ask.post(post, {"teams": [["João Silva"], ["player 12"]]}, status=201).json()
    assert "warnings" not in first
    for name in ("Joao Silva", "João Sliva"):
        match = {"teams": [[name], ["player 13"]]}
        planned = ask.post(f"{post}?dry_run=true", match, status=200).json()
        told = ask.post(post, match, status=201).json()
        assert told["warnings"] == planned["warnings"]
        [warning] = told["warnings"]
        assert warning["name"] == name
        assert "João Silva" in warning["similar"]
        Posted.model_validate(told)
        again = ask.post(post, {"teams": [[name], ["player 13"]]}, status=201).json()
        assert "warnings" not in again  # the name belongs to a player now
    assert ask("GET", f"{league}/players/Joao%20Silva", status=200).json()["player"] == "Joao Silva"


def test_strict_option_refuses_new_names_similar_to_known_names(ask, league):
    post = f"{league}/matches"
    ask.post(post, {"teams": [["João Silva"], ["ann"]], "id": "first"}, status=201)
    bad = [{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["joao silva"]]}]
    told = ask.post(f"{post}?strict=true", bad, status=422).json()
    assert told["suggestions"] == {"joao silva": ["João Silva"]}
    assert told["errors"][0]["field"] == "matches[1].teams"
    assert ask("GET", league, status=200).json()["revision"] == 1
    ask.post(f"{post}?strict=true", {"teams": [["João Silva"], ["Zoltan"]]}, status=201)
    told = ask("PUT", f"{post}/first?strict=true", json={"teams": [["Joao Silva"], ["ann"]]}, status=422).json()
    assert told["suggestions"] == {"Joao Silva": ["João Silva"]}
