"""With a real service, the client gives the same results as a ladder and the library, and corrects matches."""

import threading

import numpy as np
import pytest

import prowess as pw
from prowess.client import client as client_module
from prowess.client.http import ServiceError
from prowess.service.testing import trial

PLAYED = [
    {"teams": [["ann"], ["bob"]], "scores": [3, 1], "time": "2026-01-01"},
    {"teams": [["bob", "cat"], ["ann", "dan"]], "ranks": [1, 2], "weights": [[1, 0.5], [1, 1]], "time": "2026-01-02"},
    {"teams": [["ann"], ["cat"], ["Øyvind/2"]], "ranks": [2, 1, 2], "importance": 0.5, "time": "2026-01-02T10:00:00Z"},
    {"teams": [["dan"], ["ann"]], "scores": [2, 2], "home": 1, "time": "2026-01-03"},
]
TEAMS = [["ann", "bob"], ["cat", "dan"]]


def ladder_of(model, matches):
    return model.learn(
        pw.History.from_matches([match | {"time": f"{match['time']}T00:00:00Z"[:20]} for match in matches])
    )


@pytest.fixture(scope="module")
def league():
    """A league with some matches, for tests that only read it."""
    with trial("darts") as client:
        for number, match in enumerate(PLAYED):
            client.record(**match, id=f"m{number}")
        yield client, ladder_of(pw.TrueSkill(), PLAYED)


@pytest.mark.parametrize(
    ("preset", "parameters"),
    [("TrueSkill", {}), ("Elo", {"k": 20}), ("Glicko2", {}), ("GaussianOD", {}), ("TrueSkill", {"caution": 2.5})],
    ids=["TrueSkill", "Elo", "Glicko2", "GaussianOD", "TrueSkill with another caution"],
)
def test_client_ratings_equal_those_of_a_ladder_to_the_last_bit(preset, parameters):
    model = getattr(pw, preset)().replace(**parameters)
    if "caution" in parameters and model.caution != parameters["caution"]:
        pytest.fail("the model must have the requested caution")
    ladder = pw.Ladder(model, scale=(1500, 400))  # the scale of new leagues
    with trial("darts", preset, **parameters) as client:
        for number in range(4):
            match = {"teams": [["ann"], ["bob"]], "scores": [number, 1], "time": f"2026-01-0{number + 1}T00:00:00Z"}
            assert client.record(**match) == ladder.record(**match)
        assert [client[name] for name in ("ann", "bob")] == [ladder[name] for name in ("ann", "bob")]
        board, own = client.leaderboard(), ladder.leaderboard()
        assert board.columns == own.columns
        assert board.drop("last_seen").equals(own.drop("last_seen"))


def test_client_lists_the_same_players_as_a_ladder(league):
    client, ladder = league
    assert (len(client), set(client)) == (len(ladder), set(ladder))
    assert [name in client for name in ("ann", "Øyvind/2", "eve", "")] == [True, True, False, False]
    assert {name: client[name] for name in client} == {name: ladder[name] for name in ladder}
    with pytest.raises(pw.Error, match="anna") as caught:
        client["anna"]
    assert caught.value.status == 404
    assert client.player("ann")["played"] == 4


def test_checking_for_a_player_in_an_unknown_league_raises_an_error(league):
    client, _ = league
    with (
        pw.Client(str(client._connection.http.base_url), "dart") as other,
        pytest.raises(pw.Error, match="dart"),
    ):
        "ann" in other  # noqa: B015


def test_client_leaderboards_now_and_in_the_past_equal_those_of_a_ladder(league):
    client, ladder = league
    assert client.leaderboard()["player"].to_list() == ladder.leaderboard(ranking="mean")["player"].to_list()
    assert client.leaderboard(4)["player"].to_list() == ["ann"]
    then = ladder_of(pw.TrueSkill(), PLAYED[:1])
    board = client.leaderboard(at="2026-01-01T12:00:00Z")
    assert dict(zip(board["player"], board["mu"], strict=True)) == {name: then[name].mu for name in then}


def test_client_hindsight_equals_that_of_the_library(league):
    client, _ = league
    hindsight = pw.TrueSkill().hindsight(client.history(), scale=(1500, 400))
    for ours, theirs in (
        (client.leaderboard(hindsight=True), hindsight.leaderboard()),
        (client.leaderboard(at="2026-01-02", hindsight=True), hindsight.leaderboard(at="2026-01-02")),
        (client.best(), hindsight.best()),
        (client.best(4), hindsight.best(min_matches=4)),
    ):
        assert ours["player"].to_list() == theirs["player"].to_list()
        assert ours["mu"].to_list() == pytest.approx(theirs["mu"].to_list())
        assert set(ours.columns) >= set(theirs.columns)
    assert client.best()["match"].to_list() == hindsight.best()["match"].to_list()
    curve = client.player("ann", hindsight=True)["hindsight"]
    assert [point["mu"] for point in curve] == pytest.approx(hindsight.curve("ann")["mu"].to_list())


def test_client_forecasts_equal_those_of_a_ladder(league):
    client, ladder = league
    ours, theirs = client.predict(TEAMS, time="2026-02-01"), ladder.predict(TEAMS, time="2026-02-01T00:00:00Z")
    for name in ("win", "draw", "ranks", "mean", "sigma"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert client.quality(TEAMS) == ladder.quality(TEAMS)
    assert client.quality([["ann"], ["new"]], newcomers=True) == ladder.quality([["ann"], [ladder.newcomer]])
    with pytest.raises(pw.Error, match="new"):
        client.quality([["ann"], ["new"]])


def test_client_matchmaking_equals_that_of_the_library(league):
    client, ladder = league
    crowd = ["ann", "bob", "cat", "dan", "eve"]
    split, own = (
        client.balance(crowd[:4], together=[["ann", "bob"]]),
        pw.balance(ladder, crowd[:4], together=[["ann", "bob"]]),
    )
    assert (split.teams, split.quality, split.summary) == (own.teams, own.quality, own.summary)
    queue = ["ann", ["bob", "cat"], "dan", ["eve", "fay"], "gus"]
    made, paired = client.pair(queue, waiting={"gus": 30}), pw.pair(ladder, queue, waiting={"gus": 30})
    assert (made.pairs, made.left, made.newcomers) == (paired.pairs, paired.left, paired.newcomers)
    assert np.array_equal(made.quality, paired.quality)
    assert np.array_equal(made.places, paired.places)
    matches = client.next_matches(count=2), pw.next_matches(ladder, count=2)
    assert repr(matches[0]) == repr(matches[1])


def test_client_history_has_all_matches(league):
    client, ladder = league
    history = client.history()
    assert history.ids == ("m0", "m1", "m2", "m3")
    assert pw.TrueSkill().learn(history) == ladder


def test_editing_and_deleting_matches_recomputes_ratings():
    with trial("darts") as client:
        for number, match in enumerate(PLAYED):
            client.record(**match, id=f"m{number}")
        right = [PLAYED[0] | {"scores": [1, 3]}, *PLAYED[1:]]
        would = client.edit("m0", scores=[1, 3], dry_run=True)
        assert client["ann"] == ladder_of(pw.TrueSkill(), PLAYED)["ann"]
        did = client.edit("m0", scores=[1, 3], reason="read upside down")
        expected = ladder_of(pw.TrueSkill(), right)
        assert would.after == did.after == {name: expected[name] for name in did.after}
        assert {name: client[name] for name in client} == {name: expected[name] for name in expected}
        assert client.match("m0")["revisions"][-1]["reason"] == "read upside down"
        client.delete("m2")
        expected = ladder_of(pw.TrueSkill(), [right[0], right[1], right[3]])
        assert {name: client[name] for name in client} == {name: expected[name] for name in expected}
        late = {"teams": [["eve"], ["ann"]], "time": "2025-12-31"}
        client.record(**late)
        assert client["ann"] == ladder_of(pw.TrueSkill(), [late, right[0], right[1], right[3]])["ann"]


def test_match_posted_twice_is_recorded_once():
    with trial("darts") as client:
        once = client.record(**PLAYED[0], id="m0")
        assert client.record(**PLAYED[0], id="m0") == once
        with pytest.raises(ServiceError) as caught:
            client.record(**PLAYED[1], id="m0")
        assert caught.value.status == 409
        assert client.record_all(iter(PLAYED), key="week") == 4
        assert client.record_all(PLAYED, key="week") == 0
        assert len(client.history()) == 5


def test_all_pages_of_a_leaderboard_come_from_one_revision(monkeypatch):
    monkeypatch.setattr(client_module, "PAGE", 2)
    with trial("darts") as client:
        client.record([[f"p{number}"] for number in range(7)])
        rows = client._rows()
        first = [next(rows), next(rows)]
        client.record([["p6"], ["p0"]])
        assert [row["player"] for row in [*first, *rows]] == [f"p{number}" for number in range(7)]
        assert len(client.leaderboard()) == 7


def test_client_receives_events_about_matches_that_other_threads_post():
    with trial("darts") as client:
        news = client.events(after=0)
        threads = [
            threading.Thread(target=client.record, args=([[f"p{number}"], [f"q{number}"]],)) for number in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seen: dict[str, pw.Rating] = {}
        while len(seen) < 16:
            seen |= next(news).ratings
        assert seen == {name: client[name] for name in client}
        news.close()


def test_recording_a_match_without_a_key_raises_an_error():
    with trial("darts") as client:
        reader = pw.Client(str(client._connection.http.base_url), "darts")
        with reader, pytest.raises(pw.Error) as caught:
            reader.record([["ann"], ["bob"]])
        assert caught.value.status == 401


def test_client_sends_statistics():
    model = pw.TrueSkill().replace(statistics=(pw.statistic.Points("kills", per=None),))
    spec = {"is": "Points", "column": "kills", "per": None}
    teams, kills = [["ann", "bob"], ["cat", "dan"]], {"kills": [[9, 4], [5, 6]]}
    with trial("arena", statistics=[spec]) as client:
        told = client.record(teams, statistics=kills, context={"map": "Ardennes"}, id="m0")
        assert told == pw.Ladder(model).record(teams, statistics=kills)
        client.record_all([{"id": "m1", "teams": teams, "statistics": kills}])
        assert client.match("m1")["context"] == kills
        assert client.preview(teams, statistics=kills).after
        client.edit("m0", statistics={"kills": [[1, 1], [1, None]]})
        assert client.match("m0")["context"] == {"map": "Ardennes", "kills": [[1, 1], [1, None]]}
        with pytest.raises(pw.Error, match="statistics 'kills' must have a number for each player"):
            client.record(teams, statistics={"kills": [1, 2]})


def test_client_sends_and_returns_context():
    contexts = [{"surface": "clay", "seed": [1, None]}, None, {"surface": "grass", "seed": [2, 3]}, {"surface": "ice"}]
    played = [{"teams": [["ann"], ["bob"]], "scores": [3, number], "id": f"m{number}"} for number in range(4)]
    for number, (match, context) in enumerate(zip(played, contexts, strict=True), 1):
        match |= {"time": f"2026-01-0{number}T00:00:00Z"} | ({} if context is None else {"context": context})
    with trial("darts") as client:
        client.record(**played[0])
        client.record_all(played)
        assert client.match("m0")["context"] == contexts[0]
        assert client.history() == pw.History.from_matches(played)
        assert [match["id"] for match in client.matches(surface=["clay", "ice"])] == ["m3", "m0"]
        assert [match["id"] for match in client.matches("bob", seed=3)] == ["m2"]
        assert len(list(client.matches(limit=3))) == 3
        assert client.edit("m0", scores=[0, 1]).after
        assert client.match("m0")["context"] == contexts[0]
        assert not client.edit("m0", context={"surface": "grass"}).after
        assert client.match("m0")["context"] == {"surface": "grass"}
        client.edit("m0", context={})
        assert "context" not in client.match("m0")
        with pytest.raises(pw.Error, match="context 'seed' has 1 value for 2 teams"):
            client.record([["ann"], ["bob"]], context={"seed": [1]})


@pytest.fixture
def people():
    with trial("tennis") as client:
        client.record([["João Silva"], ["Rafael Nadal"]])
        yield client


def test_client_finds_names_in_any_spelling_but_the_in_operator_needs_the_exact_name(people):
    assert people.player("silva, joao")["player"] == "João Silva"
    assert people["joao silva"] == people["João Silva"]
    assert "João Silva" in people
    assert "joao silva" not in people
    with pytest.raises(ServiceError, match="did you mean 'Rafael Nadal'") as caught:
        people.predict([["Rafael Nadall"], ["João Silva"]])
    assert caught.value.suggestions == {"Rafael Nadall": ["Rafael Nadal"]}


def test_strict_posts_refuse_new_names_similar_to_known_names(people):
    for post in (
        lambda: people.record([["Joao Silva"], ["Rafael Nadal"]], strict=True),
        lambda: people.record_all([{"teams": [["Joao Silva"], ["Rafael Nadal"]]}], strict=True),
    ):
        with pytest.raises(ServiceError) as caught:
            post()
        assert caught.value.suggestions == {"Joao Silva": ["João Silva"]}
    assert people.preview([["Joao Silva"], ["Rafael Nadal"]]).warnings == {"Joao Silva": ["João Silva"]}


def test_client_has_the_facets_of_the_model():
    matches = [{"teams": [["ann"], ["bob"]], "context": {"surface": "clay", "side": ["near", "far"]}}] * 3
    matches += [{"teams": [["bob"], ["ann"]], "context": {"surface": "grass", "side": ["near", "far"]}}] * 3
    matches = [one | {"time": f"2026-01-0{day}"} for day, one in enumerate(matches, 1)]
    facets = [{"is": "By", "column": "surface"}, {"is": "Shared", "column": "side"}]
    model = pw.TrueSkill().replace(facets=(pw.facet.By("surface"), pw.facet.Shared("side")))
    ladder = model.fit(pw.History.from_matches(matches)).ladder
    with trial("tennis", facets=facets) as client:
        client.record_all(matches)
        assert client.leaderboard(surface="clay")["mu"].to_list() == ladder.leaderboard(surface="clay")["mu"].to_list()
        assert client.effects().select("value", "mu").rows() == ladder.effects.select("value", "mu").rows()
        assert set(client.deviations("ann")["value"]) == {"clay", "grass"}
        context = {"surface": "clay", "side": ["near", "far"]}
        pair = [["ann"], ["bob"]]
        assert client.predict(pair, context=context).win.tolist() == ladder.predict(pair, context=context).win.tolist()
        assert client.quality(pair, context=context) == ladder.quality(pair, context=context)
        clay, crowd = {"surface": "clay"}, ["ann", "bob", "cat", "dan"]
        assert client.balance(crowd, context=clay).summary == pw.balance(ladder, crowd, context=clay).summary
        assert client.pair(crowd, context=clay).to_dict() == pw.pair(ladder, crowd, context=clay).to_dict()
        ours, theirs = client.next_matches(crowd, context=clay), pw.next_matches(ladder, players=crowd, context=clay)
        assert repr(ours) == repr(theirs)
        client.record([["cat"], ["ann"]], time="2026-01-07", context={"surface": "grass"})
        assert dict(client.leaderboard(surface="clay").select("player", "matches").rows()) == {"ann": 3, "bob": 3}
        everybody = client.leaderboard(surface="clay", all=True).select("player", "matches")
        assert dict(everybody.rows()) == {"ann": 3, "bob": 3, "cat": 0}
