"""On every page, the rating is the number that sorts; provisional players come last and are marked."""

import csv
import io
import re

import pytest

import prowess as pw
from prowess.client.responses import parse_standings
from tests.service.pages.page_client import words

PAIRS = [(one, other) for one in range(5) for other in range(one + 1, 5)]
MATCHES = [
    {"id": f"m{k}", "teams": [[f"p{one}"], [f"p{other}"]], "time": f"2026-01-{1 + k % 28:02d}"}
    for k, (one, other) in enumerate(PAIRS * 3)
]
MATCHES += [
    {"id": f"late{k}", "teams": [[f"late{k}"], [f"p{k}"]], "time": f"2026-02-0{k}", "importance": 1} for k in (1, 2)
]
CHOICES = {
    "points": {"scale": [1500, 400]},
    "plain": {"scale": None},
    "points-conservative": {"scale": [1500, 400], "ranking": "conservative"},
    "plain-mean": {"scale": None, "ranking": "mean"},
}
NUMBERS = {"points": "points", "plain": "shown", "points-conservative": "points_shown", "plain-mean": "mu"}


@pytest.fixture(scope="module", params=CHOICES)
def league(ask, request):
    name = f"ranked-{request.param}"
    ask.create_league(name, model={"name": "TrueSkill"}, settings=CHOICES[request.param])
    ask.post(f"/api/leagues/{name}/matches", MATCHES, status=201)
    return name, request.param


def check(numbers, marks, apart):
    """Check that ratings fall within the established and within the provisional players, who come last."""
    if apart:
        assert marks == sorted(marks)
        assert sum(marks) == 2
    for mark in {False, apart}:
        group = [number for number, its in zip(numbers, marks, strict=True) if not apart or its is mark]
        assert group == sorted(group, reverse=True)
    assert len(numbers) == 7


def ratings(page):
    """Return the texts in the column of ratings, without intervals and the hidden text."""
    table = re.sub(
        r'<small.*?</small>|<span class="unseen">.*?</span>', "", page.split("<tbody>")[1].split("</tbody>")[0]
    )
    rows = [re.split(r"</t[dh]>", row) for row in table.split("</tr>")[:-1]]
    return [re.sub(r"<[^>]+>|\s", "", next(cell for cell in row if 'class="num strong"' in cell)) for row in rows]


def read(text):
    return float(text.rstrip("?").replace("−", "-").replace(",", ""))


def test_leaderboards_of_the_api_are_sorted_by_the_rating(ask, league):
    name, kind = league
    apart = kind in ("points", "plain-mean")
    body = ask.get(f"/api/leagues/{name}/leaderboard").json()
    assert body["ranking"] == ("mean" if apart else "conservative")
    table = list(csv.DictReader(io.StringIO(ask.get(f"/api/leagues/{name}/leaderboard.csv").text)))
    page = ask.get(f"/leagues/{name}/standings.json").json()["players"]
    for rows in (body["players"], page, table, csv_rows(ask, name)):
        numbers = [float(row[NUMBERS[kind]]) for row in rows]
        check(numbers, [row["provisional"] in (True, "true", "True") for row in rows], apart)
        assert [int(row["rank"]) for row in rows] == list(range(1, 8))
    assert ("points_shown" in table[0]) == (kind == "points-conservative")


def test_rows_keep_the_fields_that_clients_of_earlier_versions_read(ask, league):
    """The old fields have their types and meanings in every ranking, and ranks are whole numbers from 1 on."""
    name, _ = league
    for row in ask.get(f"/api/leagues/{name}/leaderboard").json()["players"]:
        assert {"rank", "player", "mu", "sigma", "shown", "matches", "last_seen", "provisional", "active"} <= row.keys()
        assert isinstance(row["rank"], int)
        assert isinstance(row["provisional"], bool)
        assert row["shown"] == pytest.approx(row["mu"] - 3 * row["sigma"])
        if "points" in row:
            assert row["points"] == pytest.approx(pw.TrueSkill().points().of(row["mu"]))


def csv_rows(ask, name):
    return list(csv.DictReader(io.StringIO(ask.get(f"/leagues/{name}/standings.csv").text)))


def test_standings_page_shows_the_rating_that_sorts_and_marks_provisional_players(ask, league):
    name, kind = league
    apart = kind in ("points", "plain-mean")
    answer = ask.look(f"/leagues/{name}/standings")
    texts, text = ratings(answer.text), words(answer)
    check([read(one) for one in texts], [one.endswith("?") for one in texts], apart)
    assert ("marks a provisional rating" in text) == apart
    assert ("Skill ± uncertainty" in text) == (kind != "points")
    assert answer.text.count('class="apart"') == apart
    told = ask.get(f"/leagues/{name}/standings.json").json()["players"]
    shown = [row[NUMBERS[kind]] for row in told]
    assert [read(one) for one in texts] == pytest.approx(shown, abs=0.5)


def test_best_of_all_time_is_sorted_by_the_rating(ask, league):
    name, kind = league
    apart = kind in ("points", "plain-mean")
    rows = ask.get(f"/api/leagues/{name}/best").json()["players"]
    marks = [row.get("provisional", False) for row in rows]
    assert any("provisional" in row for row in rows) == apart
    numbers = [row[NUMBERS[kind]] for row in rows]
    for mark in {False, apart}:
        group = [number for number, its in zip(numbers, marks, strict=True) if not apart or its is mark]
        assert group == sorted(group, reverse=True)
    texts = ratings(ask.look(f"/leagues/{name}/best").text)
    assert [one.endswith("?") for one in texts] == (marks if apart else [False] * 7)
    on_a_day = ratings(ask.look(f"/leagues/{name}/best?on=2026-01-20").text)
    assert on_a_day == sorted(
        on_a_day, key=lambda one: (one.endswith("?"), -read(one))
    )  # provisional ratings come last


def test_player_page_has_the_rank_and_the_marked_rating(ask, league):
    name, kind = league
    apart = kind in ("points", "plain-mean")
    for player in ("late1", "p1"):
        row = next(
            row for row in ask.get(f"/leagues/{name}/standings.json").json()["players"] if row["player"] == player
        )
        text = ask.look(f"/leagues/{name}/player?name={player}").text
        found = re.sub(r"<small.*?</small>", "", text.split("<dt>Rating</dt><dd>")[1].split("</dd>")[0])
        found = re.sub(r"<[^>]+>", "", found).strip()
        assert found.endswith("?") == (apart and player == "late1")
        assert read(found) == pytest.approx(row[NUMBERS[kind]], abs=0.5)
        assert ask.get(f"/api/leagues/{name}/players/{player}").json()["rank"] == row["rank"]
        both = ask.look(f"/leagues/{name}/player?name=p1&name=late1").text
        assert ('title="provisional">?' in both) == apart


def test_client_returns_the_frame_of_the_library(ask, league):
    name, kind = league
    ladder = pw.Ladder(pw.TrueSkill(), scale=CHOICES[kind]["scale"])
    for match in sorted(MATCHES, key=lambda match: match["time"]):
        ladder.record(match["teams"], time=f"{match['time']}T00:00:00Z")
    own = ladder.leaderboard(ranking=CHOICES[kind].get("ranking"))
    pages = [ask.get(f"/api/leagues/{name}/leaderboard").json()]
    found = parse_standings(pages)
    assert found.columns == own.columns
    assert found["player"].to_list() == own["player"].to_list()
    # A service of an earlier version does not say how it ranks.
    old = [{key: page[key] for key in page if key != "ranking"} for page in pages]
    assert parse_standings(old).columns == [column for column in own.columns if column != "provisional"]


def test_ranking_can_be_changed_on_the_settings_page(ask):
    ask.create_league("chosen", model={"name": "TrueSkill"})
    path, fields = "/leagues/chosen/settings", {"title": "Chosen", "what": "settings", "public": "on"}
    page = ask.look(path, key=ask.admin).text
    assert re.search(r'<option value="" selected>automatic', page)
    assert ask.send(path, fields | {"ranking": "conservative"}).status_code == 303
    assert ask.get("/api/leagues/chosen").json()["settings"]["ranking"] == "conservative"
    assert '<option value="conservative" selected>' in ask.look(path, key=ask.admin).text
    assert ask.send(path, fields).status_code == 303  # a form without the field changes nothing
    assert ask.get("/api/leagues/chosen").json()["settings"]["ranking"] == "conservative"
    assert ask.send(path, fields | {"ranking": ""}).status_code == 303
    assert ask.get("/api/leagues/chosen").json()["settings"]["ranking"] is None
    refused = ask.send(path, fields | {"ranking": "points"})
    assert refused.status_code == 422
    assert re.search(r'<select id="ranking"[^>]*aria-invalid="true"', refused.text)
    ask("PATCH", "/api/leagues/chosen", json={"settings": {"ranking": "points"}}, status=422)
    ask("PATCH", "/api/leagues/chosen", json={"settings": {"ranking": "mean"}}, status=200)
    ask("PATCH", "/api/leagues/chosen", json={"settings": {"inactive_days": 5}}, status=200)
    assert ask.get("/api/leagues/chosen").json()["settings"]["ranking"] == "mean"
    ask("PATCH", "/api/leagues/chosen", json={"settings": {"ranking": None}}, status=200)
    assert ask.get("/api/leagues/chosen").json()["settings"]["ranking"] is None
