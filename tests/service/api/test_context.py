"""The context of matches over HTTP: it can be posted, read, corrected, used as a filter, exported and imported."""

import json
import reprlib

import pytest

import prowess as pw

CONTEXT = {"surface": "clay", "side": ["blue", "red"], "rest": [[3, 1], [2, 2]]}
TEAMS = [["ann", "bob"], ["cat", "dan"]]


def match(id, context=None, day=1, teams=TEAMS, **more):
    found = {"id": id, "teams": teams, "time": f"2026-01-{day:02d}", **more}
    return found if context is None else found | {"context": context}


@pytest.fixture
def tennis(ask, league):
    """Post 20 matches: on clay, grass or an unknown surface, with sides and days of rest."""
    surfaces = ["clay", "Grass", "clay", None]
    matches = [
        match(
            f"m{n}",
            {"surface": surfaces[n % 4], "side": ["blue", "red"][:: 1 if n % 2 else -1], "rest": n % 3, "limit": n},
            1 + n,
            [["ann"], ["bob"]] if n % 5 else [["cat"], ["bob"]],
        )
        for n in range(20)
    ]
    ask.post(f"{league}/matches", matches, status=201)
    return matches


def ids(answer):
    return [one["id"] for one in answer.json()["matches"]]


def test_posted_context_is_returned_with_the_match(ask, league):
    ask.post(f"{league}/matches", [match("m1", CONTEXT), match("m2", None, 2)], status=201)
    listed = {one["id"]: one.get("context") for one in ask.get(f"{league}/matches").json()["matches"]}
    assert listed == {"m1": CONTEXT, "m2": None}
    assert ask.get(f"{league}/matches/m1").json()["context"] == CONTEXT
    assert "context" not in ask.get(f"{league}/matches/m2").json()
    assert ask.get(f"{league}/players/ann").json()["matches"][1]["context"] == CONTEXT


@pytest.mark.parametrize(
    "context",
    [
        "clay",
        [],
        {"side": ["blue"]},
        {"rest": [[1], [2, 3]]},
        {"note": "x" * 201},
        {"note": ["x", 3]},
        {"note": {"deep": 1}},
        {"note": [[["deep", 1], 2], [3, 4]]},
        {"rest": 1e40},
        {"n" * 101: 1},
        {"": 1},
        {f"c{number}": 1 for number in range(101)},
    ],
    ids=reprlib.repr,
)
def test_invalid_context_gets_422_and_an_error_that_names_the_field_and_the_match(ask, league, context):
    problem = ask.post(f"{league}/matches", [match("m1"), match("m2", context, 2)], status=422).json()
    assert [error["field"] for error in problem["errors"]] == ["matches[1].context"]
    problem = ask.post(f"{league}/matches", match("m2", context), status=422).json()
    assert [error["field"] for error in problem["errors"]] == ["context"]
    assert ask.get(league).json()["revision"] == 0


def test_number_in_a_text_column_of_the_context_gets_422(ask, league):
    ask.post(f"{league}/matches", match("m1", CONTEXT), status=201)
    problem = ask.post(f"{league}/matches", match("m2", {"surface": 3}, 2), status=422).json()
    assert "'surface' is a number here, but text in this league" in problem["detail"]


def test_corrected_context_is_listed_as_a_revision_and_changes_no_rating(ask, league):
    ask.post(f"{league}/matches", [match("m1", CONTEXT), match("m2", None, 2)], status=201)
    before = ask.get(f"{league}/leaderboard").json()["players"]
    new = match("m1", CONTEXT | {"surface": "grass"})
    dry = ask("PUT", f"{league}/matches/m1", json=new, params={"dry_run": True}, status=200).json()
    assert (dry["changed"], dry["revision"]) == (0, 1)
    done = ask("PUT", f"{league}/matches/m1", json=new, params={"reason": "it rained"}, status=200).json()
    assert (done["changed"], done["ratings"], done["revision"]) == (0, [], 2)
    found = ask.get(f"{league}/matches/m1").json()
    assert found["context"]["surface"] == "grass"
    assert [one["match"]["context"]["surface"] for one in found["revisions"]] == ["clay", "grass"]
    assert found["revisions"][1]["reason"] == "it rained"
    assert ask.get(f"{league}/leaderboard").json()["players"] == before
    assert ids(ask.get(f"{league}/matches?surface=grass")) == ["m1"]


@pytest.mark.parametrize(
    ("query", "chosen"),
    [
        ("surface=clay", lambda n: n % 2 == 0),
        ("surface=grass", lambda n: n % 4 == 1),  # the filter ignores case
        ("surface=clay&surface=Grass", lambda n: n % 4 != 3),
        ("surface=", lambda n: n % 4 == 3),
        ("surface=ice", lambda n: False),
        ("surface=clay&rest=1", lambda n: n % 2 == 0 and n % 3 == 1),
        ("side=blue", lambda n: True),
        ("side=blue&player=ann", lambda n: n % 5 and n % 2),
        ("context.surface=clay", lambda n: n % 2 == 0),
        ("context.limit=7", lambda n: n == 7),
        ("surface=clay&after=2026-01-05&before=2026-01-10", lambda n: n % 2 == 0 and 4 <= n < 9),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_list_of_matches_is_filtered_by_context(ask, league, tennis, query, chosen):
    wanted = [f"m{n}" for n in reversed(range(20)) if chosen(n)]
    answer = ask.get(f"{league}/matches?{query}")
    assert (ids(answer), answer.json()["total"]) == (wanted, len(wanted))
    pages, path = [], f"{league}/matches?{query}&limit=3"
    while path:
        answer = ask.get(path)
        pages += ids(answer)
        path = answer.json()["next"]
    assert pages == wanted


def test_list_of_matches_of_a_player_is_filtered_by_the_context_of_that_player(ask, league, tennis):
    wanted = [f"m{n}" for n in reversed(range(20)) if n % 5 and not n % 2]
    assert ids(ask.get(f"{league}/players/ann/matches?surface=clay")) == wanted
    assert ids(ask.get(f"{league}/players/ann/matches?side=red")) == wanted
    first = ask.get(f"{league}/players/ann/matches?surface=clay&limit=3").json()
    assert first["total"] == len(wanted)
    assert "expected" in first["matches"][0]
    assert ids(ask.get(first["next"])) == wanted[3:6]
    ask.get(f"{league}/players/nobody/matches", status=404)


def test_filter_by_an_unknown_context_column_gets_422_and_a_list_of_known_columns(ask, league, tennis):
    for path in ("matches?colour=red", "players/ann/matches?colour=red", "matches?context.colour=red"):
        problem = ask.get(f"{league}/{path}", status=422).json()
        assert problem["errors"][0]["field"] == "colour"
        assert problem["detail"].endswith("this league has surface, rest, limit, side")
    assert "a number is needed" in ask.get(f"{league}/matches?rest=many", status=422).json()["detail"]


@pytest.mark.parametrize("path", ["matches", "players/ann/matches"])
def test_parameter_of_another_route_is_no_filter_of_matches(ask, league, tennis, path):
    problem = ask.get(f"{league}/{path}?page=2&surface=clay", status=422).json()
    assert problem["errors"][0]["field"] == "page"
    assert "offset" in problem["detail"]


def test_context_filter_in_a_league_without_context_gets_422(ask, league):
    ask.post(f"{league}/matches", match("m1"), status=201)
    assert "no context" in ask.get(f"{league}/matches?surface=clay", status=422).json()["detail"]


def test_exported_matches_include_their_context(ask, league, tennis):
    lines = ask.get(f"{league}/export.ndjson").text.splitlines()
    assert pw.History.from_matches(map(json.loads, lines), utc=True) == pw.History.from_matches(
        [one | {"time": one["time"] + "T00:00:00Z"} for one in tennis]
    )


FILE = "date,winner,loser,surface,round,seed\n" + "\n".join(
    f"2026-01-{day:02d},ann,bob,{'clay' if day % 2 else 'grass'},{'F' if day % 3 else 'SF'},{day % 4}"
    for day in range(1, 29)
)


def import_file(ask, league, status=201, **params):
    return ask(
        "POST", f"{league}/import", content=FILE, headers={"Content-Type": "text/csv"}, params=params, status=status
    ).json()


def test_columns_of_an_imported_file_become_context(ask, league):
    import_file(ask, league)
    newest = ask.get(f"{league}/matches?limit=1").json()["matches"][0]
    assert newest["context"] == {"surface": "grass", "round": "F", "seed": 0}
    assert ask.get(f"{league}/matches?surface=clay&round=SF").json()["total"] == 5
    assert import_file(ask, league, 200)["repeated"] == 28


def test_importing_a_file_again_with_context_changes_only_the_context(ask, league):
    assert import_file(ask, league, context="")["revision"] == 1
    assert "no context" in ask.get(f"{league}/matches?surface=clay", status=422).json()["detail"]
    before = ask.get(f"{league}/leaderboard").json()["players"]
    assert import_file(ask, league, 200, context=["surface", "round"])["revision"] == 2
    newest = ask.get(f"{league}/matches?limit=1").json()["matches"][0]
    assert newest["context"] == {"surface": "grass", "round": "F"}
    assert ask.get(f"{league}/leaderboard").json()["players"] == before
    assert "'surfaces'" in import_file(ask, league, 422, context="surfaces")["detail"]
