"""The prediction page shows the same data as the API, and accepts names as people type them."""

import csv
import html
import io
import re

import prowess as pw
from prowess.service.api.schemas import forecasts as forms
from tests.service.pages.page_client import check_refused, words

MATCHES = [
    {"teams": [["ann"], ["bob"]], "time": "2026-01-01"},
    {"teams": [["cat"], ["ann"]], "time": "2026-01-02"},
    {"teams": [["dan", "bob"], ["cat", "eve"]], "time": "2026-01-03"},
]
NASTY = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "../..", "50%", "=cmd()", "محمد", "x" * 100]


def league(ask, name, matches=MATCHES, **more):
    ask.create_league(name, **more)
    ask.post(f"/api/leagues/{name}/matches", matches, status=201)
    return f"/leagues/{name}/predict"


def test_prediction_on_the_page_equals_the_api_response(ask):
    path = league(ask, "same")
    told = ask.get(f"{path}.json?team=ann%0D%0Abob&team=1.+cat%0A-+zed&time=2026-02-01").json()
    asked = {"teams": [["ann", "bob"], ["cat", "zed"]], "time": "2026-02-01", "newcomers": True}
    expected = ask.post("/api/leagues/same/predict", asked, status=200).json()
    assert told.pop("fairness") in words(ask.look(f"{path}?team=ann%0Abob&team=cat%0Azed"))
    assert told == expected
    forms.Prediction.model_validate(told)
    rows = list(csv.DictReader(io.StringIO(ask.get(f"{path}.csv?team=ann%0Abob&team=cat%0Azed&time=2026-02-01").text)))
    assert [row["players"] for row in rows] == ["ann; bob", "cat; zed"]
    assert [float(row["win"]) for row in rows] == expected["win"]


def test_prediction_page_shows_the_win_probability_and_the_possible_rating_changes(ask):
    path = league(ask, "words")
    page = words(ask.look(f"{path}?team=cat&team=bob"))
    ladder = pw.TrueSkill().fit(pw.History.from_matches(MATCHES)).ladder
    assert f"cat : {100 * ladder.predict([['cat'], ['bob']]).win[0]:.0f} % to win" in page.replace("\u00a0", " ")
    ladder.record([["cat"], ["bob"]], ranks=[2, 1], time="2026-01-03")
    before = pw.TrueSkill().fit(pw.History.from_matches(MATCHES)).ladder
    factor = pw.TrueSkill().points().factor
    moved = {name: factor * (ladder[name].mu - before[name].mu) for name in ("cat", "bob")}
    assert f"−{abs(moved['cat']):.0f}" in page
    assert f"+{moved['bob']:.0f}" in page


def test_prediction_page_lists_newcomers_with_similar_known_names(ask):
    path = league(ask, "new")
    page = ask.look(f"{path}?team=anne&team=bob&home=1")
    assert "anne is new, so starts with a default rating. Did you mean ann ?" in words(page)
    assert 'href="/leagues/new/predict?team=ann&amp;team=bob&amp;home=1"' in page.text


def test_prediction_for_more_than_two_teams_shows_place_probabilities(ask):
    path = league(ask, "places")
    assert ask.look(f"{path}?teams=3&team=ann&team=bob").text.count("<textarea") == 3
    page = ask.look(f"{path}?team=ann&team=bob&team=cat&team=&team=eve")
    assert page.text.count("<textarea") == 5
    assert "% to finish first" in words(page)
    told = ask.get(f"{path}.json?team=ann&team=bob&team=cat&team=&team=eve&home=4").json()
    assert len(told["ranks"]) == 4


def test_prediction_page_shows_scores_if_the_model_predicts_scores(ask):
    model = {"name": "PoissonOD", "parameters": {"mu": 0.5, "sigma": 0.3, "beta": 0.1, "home_mu": 0.2}}
    path = league(ask, "football", [MATCHES[0] | {"scores": [3, 1]}], model=model)
    page = ask.look(f"{path}?team=ann&team=bob&home=0")
    told = ask.get(f"{path}.json?team=ann&team=bob&home=0").json()
    best = told["most_probable"][0]
    assert f"{best['scores'][0]} : {best['scores'][1]}" in words(page)
    assert 'class="plain heat"' in page.text
    assert told["win"] != ask.get(f"{path}.json?team=ann&team=bob").json()["win"]


def test_prediction_page_works_for_models_without_uncertainty_and_leagues_without_times(ask):
    ask.create_league("elo", model={"name": "Elo"}, clock="none")
    ask.post("/api/leagues/elo/matches", [{"teams": [["ann"], ["bob"]]}], status=201)
    page = ask.look("/leagues/elo/predict?team=ann&team=bob")
    assert "±" not in words(page).replace("±0", "")
    assert 'name="time"' not in page.text
    ask.create_league("rounds", clock="number")
    ask.post("/api/leagues/rounds/matches", [{"teams": [["ann"], ["bob"]], "time": 3}], status=201)
    assert ask.get("/leagues/rounds/predict.json?team=ann&team=bob&time=7").json()["newcomers"] == []
    assert ask.look("/leagues/rounds/predict?team=ann&team=bob&time=soon").status_code == 422


def test_prediction_page_shows_errors_and_keeps_all_input(ask):
    path = league(ask, "wrong")
    for query, text in {
        "team=ann&team=ann%0Abob": "is in teams 1 and 2",
        "team=ann&team=bob&time=2025-01-01": "2025",
        "team=ann&team=bob&time=soon": "soon",
        "team=ann&team=bob&home=x": "whole number",
        "team=ann&team=bob&teams=900": "from 2 to 64",
        f"team=ann&team={'z' * 501}": "at most 500",
        "&".join(f"team=p{k}" for k in range(65)): "At most 64 teams",
    }.items():
        page = check_refused(ask, path, query, text)
        assert ">\nann</textarea>" in page.text or "p1" in query
    assert ask.look("/leagues/nowhere/predict?team=a").status_code == 404


def test_empty_prediction_form_shows_instructions(ask):
    path = league(ask, "empty")
    page = ask.look(path)
    assert "dan against" in words(page)
    assert ask.get(f"{path}.json").json()["teams"] == []
    ask.create_league("nobody")
    assert "Nobody has played" in words(ask.look("/leagues/nobody/predict"))
    assert ask.get("/leagues/nobody/predict.json?team=a&team=b").json()["newcomers"] == ["a", "b"]


def test_prediction_page_escapes_names(ask):
    path = league(ask, "nasty", [{"teams": [[name], ["bob"]]} for name in NASTY], clock="none")
    for name in NASTY:
        page = ask("GET", path, params={"team": [name, "bob"]}, headers={"Accept": "text/html"}, status=200)
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
        assert "is new" not in page.text


SPELT = [{"teams": [["João Silva"], ["Rafael Nadal"]]}, {"teams": [["Ana"], ["ANA"]]}]


def test_prediction_page_finds_players_by_names_in_any_spelling(ask):
    path = league(ask, "spelt", SPELT)
    exact = ask.get(f"{path}.json?team=Jo%C3%A3o+Silva&team=Rafael+Nadal").json()
    for typed in ("team=joao+silva&team=Nadal,+Rafael", "team=1.+JOAO+SILVA&team=nadal+rafael"):
        assert ask.get(f"{path}.json?{typed}").json() == exact
        assert "is new" not in words(ask.look(f"{path}?{typed}"))
    refused = ask.get(f"{path}.json?team=joao+silva&team=Jo%C3%A3o+Silva", status=422)
    assert "'João Silva' is in teams 1 and 2" in refused.json()["detail"]


def test_prediction_page_asks_about_a_misspelt_name_until_it_is_kept_as_new(ask):
    path = league(ask, "asks", SPELT)
    page = ask.look(f"{path}?team=Rafael+Nadall&team=ana")
    assert "Did you mean Rafael Nadal instead of Rafael Nadall ? Keep Rafael Nadall as a new player" in words(page)
    assert re.search("Did you mean (Ana or ANA|ANA or Ana) instead of ana", words(page))
    kept = ask.look(f"{path}?team=Rafael+Nadall&team=ana&keep=Rafael+Nadall&keep=nobody")
    assert "Did you mean Rafael Nadal" not in words(kept)
    assert 'name="keep" value="Rafael Nadall"' in kept.text
    assert 'value="nobody"' not in kept.text
    links = [html.unescape(link) for link in re.findall(r'href="([^"]*keep=[^"]*)"', page.text)]
    assert f"{path}?team=Rafael+Nadall&team=ana&keep=Rafael+Nadall" in links
