"""Predictions and matchmaking over HTTP give the same results as the library with the league's ladder."""

import reprlib

import pytest

import prowess as pw
from prowess.service.api.schemas import forecasts as schemas

MATCHES = [
    {"teams": [["ann"], ["bob"]], "time": "2026-01-01"},
    {"teams": [["cat"], ["ann"]], "time": "2026-01-02"},
    {"teams": [["dan", "bob"], ["cat", "eve"]], "time": "2026-01-03"},
]
PAIR = [["ann"], ["bob"]]


@pytest.fixture
def ladder(ask, league):
    ask.post(f"{league}/matches", MATCHES, status=201)
    return pw.TrueSkill().fit(pw.History.from_matches(MATCHES)).ladder


def test_predict_route_returns_the_prediction_of_the_library(ask, league, ladder):
    told = ask.post(f"{league}/predict", {"teams": PAIR, "weights": [[1], [0.5]]}, key=None, status=200).json()
    schemas.Prediction.model_validate(told)
    expected = ladder.predict(PAIR, weights=[[1], [0.5]])
    assert (told["win"], told["draw"], told["ranks"]) == (expected.win.tolist(), expected.draw, expected.ranks.tolist())
    assert told["quality"] == ladder.quality(PAIR, weights=[[1], [0.5]])
    assert told["revision"] == 1


def test_prediction_for_a_later_time_includes_the_skill_drift(ask):
    model = {"name": "Glicko"}
    ask.create_league("glicko", model=model)
    ask.post("/api/leagues/glicko/matches", MATCHES[:1], status=201)
    early, late = (
        ask.post("/api/leagues/glicko/predict", {"teams": PAIR, "time": time}, status=200).json()["win"][0]
        for time in ("2026-01-01", "2027-01-01T00:00:00+02:00")
    )
    fit = pw.Glicko().fit(pw.History.from_matches(MATCHES[:1]))
    assert (early, late) == tuple(fit.predict(PAIR, time=time).win[0] for time in ("2026-01-01", "2026-12-31"))
    assert late < early
    ask.post("/api/leagues/glicko/predict", {"teams": PAIR, "time": "2025-01-01"}, status=422)
    ask.post("/api/leagues/glicko/predict", {"teams": PAIR, "time": 7}, status=422)


def test_prediction_includes_scores_if_the_model_predicts_scores(ask):
    ask.create_league("football", model={"name": "PoissonOD", "parameters": {"mu": 0.5, "sigma": 0.3, "beta": 0.1}})
    ask.post("/api/leagues/football/matches", MATCHES[0] | {"scores": [3, 1]}, status=201)
    told = ask.post("/api/leagues/football/predict", {"teams": PAIR}, status=200).json()
    schemas.Prediction.model_validate(told)
    assert len(told["most_probable"]) == 5


@pytest.mark.parametrize("path", ["predict", "quality"])
def test_unknown_players_are_refused_without_the_newcomers_flag(ask, league, ladder, path):
    asked = {"teams": [["anna"], ["bob"]]}
    refused = ask.post(f"{league}/{path}", asked, status=422).json()
    assert "did you mean 'ann'" in refused["detail"]
    assert refused["errors"][0]["field"] == "teams"
    told = ask.post(f"{league}/{path}", asked | {"newcomers": True}, status=200).json()
    assert told["newcomers"] == ["anna"]
    assert told["quality"] == ladder.quality([[ladder.newcomer], ["bob"]])


def test_balance_route_returns_the_same_teams_as_the_library(ask, league, ladder):
    asked = {"players": ["ann", "bob", "cat", "dan"], "together": [["ann", "cat"]]}
    told = ask.post(f"{league}/balance", asked, status=200).json()
    schemas.Balance.model_validate(told)
    expected = pw.balance(ladder, asked["players"], together=asked["together"])
    assert told["teams"] == [list(team) for team in expected.teams]
    assert (told["quality"], told["unconstrained"]) == (expected.quality, expected.unconstrained)
    sizes = ask.post(f"{league}/balance", {"players": ["ann", "bob", "cat"], "sizes": [2, 1]}, status=200).json()
    assert [len(team) for team in sizes["teams"]] == [2, 1]


def test_pair_route_returns_the_same_pairs_as_the_library(ask, league, ladder):
    asked = {"queue": ["ann", "bob", "cat", ["dan", "eve"]], "waiting": {"bob": 100}, "never": [["ann", "cat"]]}
    told = ask.post(f"{league}/pair", asked, status=200).json()
    schemas.Pairing.model_validate(told)
    expected = pw.pair(ladder, asked["queue"], waiting={"bob": 100}, never=[("ann", "cat")])
    assert [pair["teams"] for pair in told["pairs"]] == [[[one], [other]] for one, other in expected.pairs]
    assert [tuple(one) if len(one) > 1 else one[0] for one in told["left"]] == expected.left


def test_next_route_suggests_the_same_matches_as_the_library(ask, league, ladder):
    told = ask.post(f"{league}/next", {"count": 2}, status=200).json()
    schemas.SuggestedMatches.model_validate(told)
    expected = pw.next_matches(ladder, count=2)
    assert [one["information"] for one in told["matches"]] == [one.information for one in expected]
    assert ask.post(f"{league}/next", {"players": ["ann", "bob"]}, status=200).json()["matches"][0]["teams"] == PAIR


@pytest.mark.parametrize(
    ("path", "asked", "field"),
    [
        ("predict", {"teams": [["ann"]]}, "teams"),
        ("predict", {"teams": [[f"p{n}"] for n in range(65)]}, "teams"),
        ("predict", {"teams": [["ann"], ["ann"]]}, "teams"),
        ("predict", {"teams": PAIR, "home": 2}, "home"),
        ("predict", {"teams": PAIR, "weights": [[1]]}, "weights"),
        ("predict", {"teams": [["a" * 501], ["bob"]]}, "teams[0][0]"),
        ("predict", {"teams": [[" "], ["bob"]], "newcomers": True}, "teams"),
        ("predict", {"teams": [[f"p{n}" for n in range(600)], [f"q{n}" for n in range(600)]]}, "teams"),
        ("quality", {"teams": PAIR, "time": "2026-01-01"}, "time"),
        ("balance", {"players": [f"p{n}" for n in range(201)], "newcomers": True}, "players"),
        ("balance", {"players": ["ann", "bob"], "teams": 3}, "teams"),
        ("balance", {"players": ["ann", "ann"]}, "players"),
        ("balance", {"players": ["ann", "bob"], "seed": -1}, "seed"),
        ("pair", {"queue": [f"p{n}" for n in range(5_001)], "newcomers": True}, "queue"),
        ("pair", {"queue": ["ann", []]}, "queue[1]"),
        ("pair", {"queue": ["ann", "bob"], "patience": 0}, "patience"),
        ("pair", {"queue": ["ann", "bob"], "met": [["ann"]]}, "met[0]"),
        ("next", {"count": 0}, "count"),
        ("next", {"count": 251}, "count"),
        ("next", {"count": 1, "teams": 16}, "teams"),
        ("next", {"players": ["ann", "bob"], "teams": 3}, "teams"),
    ],
    ids=reprlib.repr,
)
def test_invalid_requests_get_an_error_that_names_the_field(ask, league, ladder, path, asked, field):
    assert ask.post(f"{league}/{path}", asked, status=422).json()["errors"][0]["field"].startswith(field)


def test_suggesting_matches_is_refused_for_a_model_without_uncertainty(ask):
    ask.create_league("elo", model={"name": "Elo"})
    ask.post("/api/leagues/elo/matches", MATCHES, status=201)
    assert "uncertainty" in ask.post("/api/leagues/elo/next", {}, status=422).json()["detail"]


NAMES = [
    {"teams": [["João Silva"], ["Rafael Nadal"]], "time": "2026-01-01"},
    {"teams": [["Ana"], ["ANA"]], "time": "2026-01-02"},
]


def test_predictions_find_names_in_any_spelling_and_report_the_exact_names(ask, league):
    ask.post(f"{league}/matches", NAMES, status=201)
    exact = ask.post(f"{league}/predict", {"teams": [["João Silva"], ["Rafael Nadal"]]}, status=200).json()
    assert "resolved" not in exact
    typed = ask.post(f"{league}/predict", {"teams": [["joao silva"], ["Nadal, Rafael"]]}, status=200).json()
    assert typed.pop("resolved") == {"joao silva": "João Silva", "Nadal, Rafael": "Rafael Nadal"}
    assert typed == exact
    quality = ask.post(f"{league}/quality", {"teams": [["joao silva"], ["zed"]], "newcomers": True}, status=200).json()
    assert quality["newcomers"] == ["zed"]
    assert quality["resolved"] == {"joao silva": "João Silva"}
    players = {"players": ["JOAO SILVA", "Nadal Rafael", "Ana", "ANA"], "together": [["joao silva", "Rafael Nadal"]]}
    balanced = ask.post(f"{league}/balance", players, status=200).json()
    assert sorted(map(sorted, balanced["teams"])) == [["ANA", "Ana"], ["João Silva", "Rafael Nadal"]]
    queue = {"queue": ["JOAO SILVA", ["Ana", "nadal rafael"], "ANA"], "waiting": {"JOAO SILVA": 3}, "uneven": True}
    paired = ask.post(f"{league}/pair", queue, status=200).json()
    assert "João Silva" in str(paired["pairs"]) + str(paired["left"])
    assert paired["resolved"] == {"JOAO SILVA": "João Silva", "nadal rafael": "Rafael Nadal"}
    following = ask.post(f"{league}/next", {"players": ["joao silva", "Ana"], "count": 1}, status=200).json()
    assert sorted(following["matches"][0]["teams"]) == [["Ana"], ["João Silva"]]


@pytest.mark.parametrize(
    ("name", "suggestions"),
    [("Rafael Nadall", ["Rafael Nadal"]), ("ana", ["ANA", "Ana"]), ("Xylophon", [])],
)
def test_misspelt_name_is_refused_with_suggestions(ask, league, name, suggestions):
    ask.post(f"{league}/matches", NAMES, status=201)
    for path, body in (
        ("predict", {"teams": [[name], ["Ana"]]}),
        ("quality", {"teams": [[name], ["Ana"]]}),
        ("balance", {"players": [name, "Ana"]}),
        ("pair", {"queue": [name, "Ana"]}),
        ("next", {"players": [name, "Ana"]}),
    ):
        told = ask.post(f"{league}/{path}", body, status=422).json()
        assert {key: sorted(similar) for key, similar in told["suggestions"].items()} == {name: suggestions}
        assert f"no player named {name!r}" in told["detail"]


def test_other_spellings_of_a_name_are_refused_with_the_exact_names_option(ask, league):
    ask.post(f"{league}/matches", NAMES, status=201)
    body = {"teams": [["joao silva"], ["Ana"]], "exact_names": True}
    told = ask.post(f"{league}/predict", body, status=422).json()
    assert told["suggestions"] == {"joao silva": ["João Silva"]}
    assert ask.post(f"{league}/predict", body | {"newcomers": True}, status=200).json()["newcomers"] == ["joao silva"]


def test_player_listed_under_two_spellings_is_refused(ask, league):
    ask.post(f"{league}/matches", NAMES, status=201)
    told = ask.post(f"{league}/predict", {"teams": [["João Silva"], ["joao silva"]]}, status=422).json()
    assert "'joao silva' is listed twice, also as 'João Silva'" in told["detail"]
