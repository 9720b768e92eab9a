"""Forms to enter, edit and delete results."""

import html
import re

import pytest

from tests.service.pages.page_client import words

ODD = '<script>alert(1)</script>"><img src=x onerror=y>'


def fields_of(page):
    """Return the names and values that an unchanged form would send, parsed from its HTML."""
    form = re.search(r'<form method="post" action="/leagues.*?</form>', page, re.S).group()
    found = []
    for tag in re.finditer(r"<(input|textarea|select)\b([^>]*)>(.*?)(?=<|$)", form, re.S):
        kind, attributes = tag[1], dict(re.findall(r'([\w-]+)(?:="([^"]*)")?', tag[2]))
        if "name" not in attributes or attributes["name"] == "token":
            continue
        if attributes.get("type") == "radio" and "checked" not in attributes:
            continue
        value = attributes.get("value", "")
        if kind == "textarea":
            value = tag[3].removeprefix("\n")
        if kind == "select":
            chosen = re.search(rf'name="{attributes["name"]}".*?</select>', form, re.S).group()
            value = (re.findall(r'value="([^"]*)" selected', chosen) or [""])[0]
        found.append((attributes["name"], html.unescape(value)))
    return found


def with_values(fields, **values):
    """Return the fields with changed values; a list has the values of several fields with the same name."""
    left = {name: list(value) if isinstance(value, list) else [value] for name, value in values.items()}
    sent = {}
    for name, value in fields:
        sent.setdefault(name, []).append(left[name].pop(0) if left.get(name) else value)
    for name, rest in left.items():
        sent.setdefault(name, []).extend(rest)
    return sent


@pytest.fixture
def fill(ask):
    """A function that opens a form, fills in its fields, sends it, and returns the response.

    Its attribute `go_on` is a function that fills in and sends the form on a page that is already open.
    """

    def filled(path, **values):
        page = ask.look(path, key=ask.admin)
        assert page.status_code == 200
        return go_on(page, path, **values)

    def go_on(page, path, **values):
        return ask.send(path.partition("?")[0], with_values(fields_of(page.text), **values))

    filled.go_on = go_on
    return filled


def shown(ask, league):
    found = ask.get(f"/api/leagues/{league}/leaderboard").json()["players"]
    return {one["player"]: round(one["points"], 9) for one in found}


def test_result_is_previewed_and_recorded_once(ask, fill):
    ask.create_league("new")
    path = "/leagues/new/enter"
    page = fill(path, team=[" ann \r\n\r\ndan", "bob"], by="scores", score=["3", "1,5"], reason="final")
    assert page.status_code == 200
    assert "ann and dan beat bob 3 : 1.5" in words(page)
    assert "These are the first players of this league" in page.text
    assert ask.get("/api/leagues/new/matches").json()["total"] == 0  # so far, the result was only previewed
    done = fill.go_on(page, path, do="record")
    assert done.status_code == 303
    [match] = ask.get("/api/leagues/new/matches").json()["matches"]
    assert match["teams"] == [["ann", "dan"], ["bob"]]
    assert match["scores"] == [3, 1.5]
    assert f"/leagues/new/match?id={match['id']}" in done.headers["location"]
    assert "Recorded." in ask.look(done.headers["location"], key=ask.admin).text
    again = fill.go_on(page, path, do="record")  # a second click, or a reload
    assert again.status_code == 303
    assert ask.get("/api/leagues/new/matches").json()["total"] == 1
    other = fill.go_on(page, path, do="record", team=["ann", "eve"])  # another result in the form that was already sent
    assert other.status_code == 409
    assert "This form was already sent" in other.text
    [revision] = ask.get(f"/api/leagues/new/matches/{match['id']}").json()["revisions"]
    assert (revision["author"], revision["reason"]) == ("office", "final")


def test_preview_shows_the_rating_changes(ask, fill):
    ask.create_league("tells")
    past = [{"teams": [["ann"], ["bob"]], "time": f"2026-01-0{k}"} for k in range(1, 5)]
    ask.post("/api/leagues/tells/matches", [*past, {"teams": [["bob"], ["cat"]], "time": "2026-02-01"}], status=201)
    before = shown(ask, "tells")
    page = fill("/leagues/tells/enter", team=["bob", "ann"], time="2026-01-02T12:00")
    assert "2 Jan 2026, 12:00 UTC" in words(page)
    assert "1 player who did not play in this match is also affected" in words(page)
    rows = re.findall(r"<tr>\s*<th scope=\"row\">.*?</tr>", page.text.partition("Rating changes")[2], re.S)
    told = {}
    for row in rows:
        name, *cells = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", row)).split()
        told[name] = [float(cell.replace("−", "-").replace("±", "")) for cell in cells]
    assert shown(ask, "tells") == before
    assert fill.go_on(page, "/leagues/tells/enter", do="record").status_code == 303
    after = shown(ask, "tells")
    for name, (now, then, moved) in told.items():
        assert (now, then, moved) == pytest.approx((before[name], after[name], after[name] - before[name]), abs=0.06)
    assert sorted(told) == ["ann", "bob", "cat"]
    sizes = [abs(moved) for _, _, moved in told.values()]
    assert sizes == sorted(sizes, reverse=True)


def test_preview_suggests_known_names_that_are_similar_to_new_names(ask, fill):
    ask.create_league("slips")
    ask.post("/api/leagues/slips/matches", {"teams": [["Johanna"], [ODD]]}, status=201)
    page = fill("/leagues/slips/enter", team=["Johana\neve", ODD])
    assert "Johana is new to this league. Did you mean someone else?" in words(page)
    assert "eve is new to this league." in words(page)
    assert "<script>alert" not in page.text
    assert "<img" not in page.text.partition("<main")[2]
    meant = html.unescape(re.search(r'name="meant" value="([^"]*)"', page.text)[1])
    page = fill.go_on(page, "/leagues/slips/enter", meant=meant)
    assert "Johana is" not in words(page)
    assert ("team", "Johanna\neve") in fields_of(page.text)


def test_suggested_names_are_escaped_in_a_preview(ask, fill):
    ask.create_league("tags")
    ask.post("/api/leagues/tags/matches", {"teams": [["Johanna <img>"], ["bob"]]}, status=201)
    page = fill("/leagues/tags/enter", team=["Johana <img>", "bob"])
    assert "Use Johanna &lt;img&gt;</button>" in page.text
    assert "<img" not in page.text.partition("<main")[2]


@pytest.mark.parametrize(
    ("values", "message", "field"),
    [
        ({"team": ["ann", ""]}, "needs two teams", "team-2"),
        ({"team": ["ann", "ann"]}, " ann is listed in team 1 and in team 2", "team-2"),
        (
            {"team": ["ann", "bob"], "by": "scores", "score": ["3", "x"]},
            "The score of team 2 must be a number",
            "score-2",
        ),
        ({"team": ["ann", "bob"], "by": "places"}, "The place of team 1 must be a number", "place-1"),
        ({"team": ["ann", "bob", ""], "by": "scores", "score": ["1", "2", "3"]}, "Team 3 has a result", "team-3"),
        ({"team": ["ann", "bob"], "time": "tomorrow"}, "tomorrow", "time"),
        ({"team": ["ann", "bob"], "importance": "-1"}, "mportance", "importance"),
        ({"team": ["ann", "bob"], "home": "7"}, "Home: choose one of the teams", "home"),
        ({"team": ["ann", "bob"], "reason": "x" * 501}, "The reason must be text", "reason"),
        ({"team": ["a" * 501, "bob"]}, "at most 500 characters", "team-1"),
    ],
)
def test_invalid_field_is_marked_and_all_input_is_kept(ask, fill, values, message, field):
    if ask("GET", "/api/leagues/wrong").status_code == 404:
        ask.create_league("wrong")
    for do in ("", "record"):
        page = fill("/leagues/wrong/enter", do=do, **values)
        assert page.status_code == 422
        assert message in words(page)
        assert re.search(rf'id="{field}"[^>]* aria-invalid="true"', page.text)
        kept = with_values(fields_of(page.text))
        for name, value in values.items():
            if name != "home":
                assert kept[name][: len(value)] == value if isinstance(value, list) else kept[name] == [value]


def test_adding_a_team_keeps_all_input(ask, fill):
    ask.create_league("teams")
    page = fill(
        "/leagues/teams/enter?teams=3", team=["ann", "bob", "cat"], place=["1", "2", "2"], by="places", do="team"
    )
    assert page.text.count('name="team"') == 4
    page = fill.go_on(page, "/leagues/teams/enter")
    assert "ann won, ahead of bob and cat" in words(page)
    page = fill.go_on(page, "/leagues/teams/enter", do="back")
    assert with_values(fields_of(page.text))["team"] == ["ann", "bob", "cat", ""]
    assert ask.look("/leagues/teams/enter?teams=5000", key=ask.admin).status_code == 422
    given = ask.look("/leagues/teams/enter?team=ann%0Abob&team=cat", key=ask.admin)
    assert with_values(fields_of(given.text))["team"] == ["ann\nbob", "cat"]


EVERYTHING = {
    "id": "a/b?c&d=é <1>",
    "teams": [["ann", "dan"], ["bob"], ["cat"]],
    "ranks": [2, 1, 3],
    "scores": [1.25, 1, 7],
    "weights": [[0.5, 1], [1], [1]],
    "importance": 0.3,
    "home": 2,
    "time": "2026-01-31T10:00:00.123456Z",
    "context": {"map": "Dust", "side": ["red", None, "blue"]},
}


def test_editing_a_match_keeps_unchanged_values(ask, fill):
    """Sending an unchanged form changes nothing; a form with one changed field changes only that field."""
    ask.create_league("keeps")
    ask.post("/api/leagues/keeps/matches", EVERYTHING, status=201)
    path = "/leagues/keeps/edit?id=a/b?c%26d=é <1>"
    page = fill(path)
    assert "nothing would change" in words(page)
    assert fill.go_on(page, path, do="record").status_code == 303
    assert ask.get("/api/leagues/keeps").json()["revision"] == 1
    page = fill(path, score=["2"], reason="a slip")
    assert fill.go_on(page, path, do="record").status_code == 303
    [match] = ask.get("/api/leagues/keeps/matches").json()["matches"]
    assert match == EVERYTHING | {"scores": [2, 1, 7]}
    assert fill.go_on(page, path, do="record").status_code == 303  # the form is sent twice
    assert ask.get("/api/leagues/keeps").json()["revision"] == 2


def test_editing_or_deleting_a_match_that_was_changed_meanwhile_gets_409(ask, fill):
    ask.create_league("both")
    ask.post("/api/leagues/both/matches", {"id": "m", "teams": [["ann"], ["bob"]], "scores": [3, 1]}, status=201)
    page, gone = (ask.look(f"/leagues/both/{what}?id=m", key=ask.admin) for what in ("edit", "delete"))
    ask("PUT", "/api/leagues/both/matches/m", json={"teams": [["ann"], ["bob"]], "scores": [3, 2]}, status=200)
    for do in ("", "record"):
        answer = fill.go_on(page, "/leagues/both/edit", score=["4", "1"], do=do)
        assert answer.status_code == 409
        assert "was changed by office since you opened it" in words(answer)
    answer = fill.go_on(gone, "/leagues/both/delete")
    assert answer.status_code == 409
    assert ask.get("/api/leagues/both/matches/m").json()["scores"] == [3, 2]


def test_deleted_match_can_be_restored(ask, fill):
    ask.create_league("gone")
    matches = [{"id": f"m{k}", "teams": [["ann"], ["bob"]]} for k in range(3)]
    ask.post("/api/leagues/gone/matches", matches, status=201)
    before = shown(ask, "gone")
    page = ask.look("/leagues/gone/delete?id=m1", key=ask.admin)
    assert "ann beat bob" in words(page)
    assert page.text.partition("Rating changes")[2].count('<th scope="row">') == 2
    done = fill.go_on(page, "/leagues/gone/delete", reason="played twice")
    assert done.status_code == 303
    told = words(ask.look(done.headers["location"], key=ask.admin))
    assert "This match was deleted by office" in told
    assert "played twice" in told
    assert fill.go_on(page, "/leagues/gone/delete").status_code == 303  # the form is sent twice
    assert shown(ask, "gone") != before
    page = fill("/leagues/gone/edit?id=m1")
    assert fill.go_on(page, "/leagues/gone/edit", do="record").status_code == 303
    assert shown(ask, "gone") == before


@pytest.mark.parametrize(("clock", "time"), [("number", "7"), ("none", "")])
def test_results_can_be_entered_in_leagues_with_numeric_times_or_without_times(ask, fill, clock, time):
    name = f"clock-{clock}"
    ask.create_league(name, clock=clock)
    path = f"/leagues/{name}/enter"
    page = fill(path, team=["ann", "bob"], by="draw", **({"time": time} if time else {}))
    assert fill.go_on(page, path, do="record").status_code == 303
    [match] = ask.get(f"/api/leagues/{name}/matches").json()["matches"]
    assert (match["ranks"], match["time"]) == ([1, 1], float(time) if time else None)
    assert fill(path, team=["ann", "bob"]).status_code == (422 if time else 200)  # numeric times have no default


def test_match_of_many_teams_is_edited_as_json(ask, fill):
    ask.create_league("many")
    teams = [[f"player {k}"] for k in range(2000)]
    ask.post("/api/leagues/many/matches", {"id": "m", "teams": teams}, status=201)
    page = ask.look("/leagues/many/edit?id=m", key=ask.admin)
    assert len(page.content) < 200_000
    swapped = with_values(fields_of(page.text))["whole"][0].replace('"player 0"', '"somebody"')
    look = fill.go_on(page, "/leagues/many/edit?id=m", whole=swapped)
    assert look.status_code == 200
    assert len(look.content) < 200_000
    assert "somebody is new to this league" in words(look)
    assert fill.go_on(look, "/leagues/many/edit", do="record").status_code == 303
    assert ask.get("/api/leagues/many/matches/m").json()["teams"][0] == ["somebody"]
    assert fill.go_on(page, "/leagues/many/edit", whole='{"teams": 3}').status_code == 422


@pytest.mark.parametrize("what", ["enter", "edit?id=m", "delete?id=m"])
def test_entering_editing_and_deleting_results_needs_a_write_key(ask, what):
    """Without a key, the page redirects to sign-in; a read key is refused; the form needs a CSRF token."""
    name = "guarded"
    if ask("GET", f"/api/leagues/{name}").status_code == 404:
        ask.create_league(name, public=False)
        ask.post(f"/api/leagues/{name}/matches", {"id": "m", "teams": [["ann"], ["bob"]]}, status=201)
    path, reader = f"/leagues/{name}/{what}", ask.new_key("read", name)
    signin = ask.look(path)
    assert signin.status_code == 303
    assert signin.headers["location"].startswith("/signin?next=")
    assert ask.look(path, key=reader).status_code == 403
    bare = path.partition("?")[0]
    fields = {"id": "m", "seen": "1", "once": "0" * 32, "team": ["ann", "bob"], "do": "record"}
    assert ask.send(bare, fields, key=None).status_code in (401, 403)
    assert ask.send(bare, fields, key=reader).status_code == 403
    assert ask.send(bare, fields | {"token": "wrong"}).status_code == 403
    assert ask.send(bare, fields, headers={"Origin": "https://elsewhere.example"}).status_code == 403
    assert ask.send(bare, {"once": "x", "seen": "x", "id": "m"}).status_code == 422
    assert ask.get(f"/api/leagues/{name}").json()["revision"] == 1
    elsewhere = ask.create_league(f"other-{what[:5].strip('?')}")["name"]
    assert ask.look(path, key=ask.new_key("write", elsewhere)).status_code == 404


def test_date_far_in_the_future_is_marked_and_can_be_allowed(ask, fill):
    ask.create_league("dated")
    for do in ("record", ""):
        page = fill("/leagues/dated/enter", team=["ann", "bob"], time="9999-12-31T00:00", do=do)
        assert (page.status_code, "more than a day ahead" in words(page)) == (422, True)
        assert re.search(r'name="time"[^>]*aria-invalid="true"', page.text)
    settings = {"what": "settings", "title": "Dated", "public": "on", "allow_future": "on"}
    ask.send("/leagues/dated/settings", settings)
    assert ask.get("/api/leagues/dated").json()["settings"]["allow_future"]
    assert "checked> Allow future matches" in ask.look("/leagues/dated/settings", key=ask.admin).text


def test_match_entered_with_other_spellings_of_names_is_recorded_for_the_known_players(ask, fill):
    ask.create_league("spelt")
    ask.post("/api/leagues/spelt/matches", [{"teams": [["João Silva"], ["Rafael Nadal"]]}], status=201)
    path = "/leagues/spelt/enter"
    page = fill(path, team=["joao silva", "Nadal, Rafael"])
    assert "João Silva beat Rafael Nadal" in words(page)
    assert "is new to this league" not in words(page)
    assert fill.go_on(page, path, do="record").status_code == 303
    done = fill(path, team=["NADAL RAFAEL", "joao silva"], do="record")  # without a preview
    assert done.status_code == 303
    matches = ask.get("/api/leagues/spelt/matches").json()["matches"]
    assert {name for match in matches for team in match["teams"] for name in team} == {"João Silva", "Rafael Nadal"}


def test_new_name_similar_to_a_known_name_is_recorded_only_after_confirmation(ask, fill):
    ask.create_league("near")
    ask.post("/api/leagues/near/matches", [{"teams": [["João Silva"], ["Rafael Nadal"]]}], status=201)
    path = "/leagues/near/enter"
    page = fill(path, team=["Rafael Nadall", "Zoltan"], do="record")
    assert page.status_code == 200
    assert "Rafael Nadall is new to this league. Did you mean someone else?" in words(page)
    assert ask.get("/api/leagues/near/matches").json()["total"] == 1
    assert fill.go_on(page, path, do="record").status_code == 303
    assert ask.get("/api/leagues/near/players/Rafael%20Nadall").status_code == 200
    assert fill(path, team=["Rafael Nadall", "Zoltan"], do="record").status_code == 303
