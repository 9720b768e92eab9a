"""The models page shows the figures of `pw.compare`, compares models in the background, and changes the model."""

import json
import re
import time
from urllib.parse import urlencode

import pytest

import prowess as pw
from prowess.model.presets import PRESETS
from prowess.service.background import analysis_requests
from prowess.service.background.worker import league_figures, run_job
from prowess.service.pages import models
from prowess.store import leagues
from prowess.store.db.database import Database
from prowess.store.read.trace_cache import TraceCache
from prowess.store.write.commands import NewSeason, Post
from prowess.store.write.writer import perform
from tests.service.pages.duel_leagues import duels, league
from tests.service.pages.page_client import token


def told(ask, name):
    return ask.get(f"/leagues/{name}/models.json").json()


def ended(ask, name, kind="comparison"):
    """Wait until the job has finished, and return its data."""
    for _ in range(600):
        found = told(ask, name)[kind]
        if not found["work"]["open"] if found["work"] else found["answer"]:
            return found
        time.sleep(0.05)
    raise AssertionError(found)


def same(answer, comparison, baseline):
    """Check that the result on the page equals a comparison by the library, to the last digit."""
    for row in comparison.table().iter_rows(named=True):
        [mine] = [one for one in answer["models"] if one["model"] == row["model"]]
        for measure in comparison.measures:
            cell = mine[measure.name]
            assert [cell["value"], cell["low"], cell["high"]] == [
                row[measure.name + end] for end in ("", "_low", "_high")
            ]
    apart = {(row["measure"], row["model"]): row for row in answer["differences"]}
    for row in comparison.differences(baseline).iter_rows(named=True):
        assert {key: apart[row["measure"], row["model"]][key] for key in row} == row
    assert answer["best"] == comparison.best
    assert answer["headline"] == repr(comparison)
    bins = comparison.calibration().to_dicts()
    assert sorted(bins, key=str) == sorted(answer["calibration"], key=str)
    frame = comparison.over_time(answer["over_time"]["window"])
    assert [row["value"] for row in answer["over_time"]["points"]] == frame["value"].to_list()


def test_figures_on_the_models_page_equal_those_of_compare(ask):
    matches = duels(150)
    name = league(ask, matches, model={"name": "Elo", "parameters": {"k": 20}})
    found = told(ask, name)
    history = pw.History.from_matches([match | {"time": f"{match['time']}T00:00:00Z"} for match in matches])
    same(found["figures"]["answer"], pw.compare(history, {"Elo (this league)": pw.Elo(k=20)}), "Elo (this league)")
    assert (
        found["model"]["parameters"][-1] | {"name": "k", "value": 20, "default": 32.0, "title": "Speed"}
        == (found["model"]["parameters"][-1])
    )
    page = ask.look(f"/leagues/{name}/models").text
    error = found["figures"]["answer"]["models"][0]["pair_error"]["value"]
    assert f"It predicted the winner of {100 - 100 * error:.0f} in 100 pairs; a coin gets 50 right." in page
    table = ask.get(f"/leagues/{name}/models.csv").text.splitlines()
    assert table[0].startswith("model,log_loss,log_loss_low,log_loss_high,")
    assert table[1].startswith("Elo (this league),")
    for kind in ("calibration", "errors"):
        assert "<svg" in ask.get(f"/leagues/{name}/charts/{kind}.svg?look=dark&narrow=1").text
    assert ask("GET", f"/leagues/{name}/charts/measures.svg?of=7").status_code == 404


def test_model_comparison_runs_in_the_background(ask):
    matches = duels(120)
    name = league(ask, matches)
    page = ask.look(f"/leagues/{name}/models", key=ask.admin)
    assert 'value="Elo" checked' in page.text
    assert re.search(r'value="PoissonOD"[^>]* disabled', page.text)
    sent = ask.send(f"/leagues/{name}/models", {"model": ["Elo", "Glicko"]})
    assert (sent.status_code, sent.headers["location"]) == (303, f"/leagues/{name}/models#comparison")
    page = ask.look(f"/leagues/{name}/models")
    assert 'id="comparison" data-refresh="1"' in page.text
    assert "etag" not in page.headers
    found = ended(ask, name)["answer"]
    history = pw.History.from_matches([match | {"time": f"{match['time']}T00:00:00Z"} for match in matches])
    same(found, pw.compare(history, {"TrueSkill": pw.TrueSkill(), "Elo": pw.Elo(), "Glicko": pw.Glicko()}), "TrueSkill")
    page = ask.look(f"/leagues/{name}/models")
    assert found["headline"] in page.text
    assert "data-refresh" not in page.text
    assert ask.look(f"/leagues/{name}/models", headers={"If-None-Match": page.headers["etag"]}).status_code == 304
    [chart] = re.findall(r'src="([^"]+charts/measures.svg[^"]+)"', page.text)
    assert "<svg" in ask.get(chart.replace("&amp;", "&")).text
    ask.post(f"/api/leagues/{name}/matches", {"teams": [["p00"], ["p01"]]}, status=201)
    assert "from 1 match ago" in ask.look(f"/leagues/{name}/models").text


def test_comparison_with_a_model_that_cannot_rate_the_matches_raises_an_error(ask):
    name = league(ask, duels(10))
    with ask.service.database.reading() as connection:
        found = leagues.find(connection, name)
        with pytest.raises(pw.Error, match="PoissonOD cannot use match 1 of this history"):
            run_job(connection, found, "comparison", {"PoissonOD": {"name": "PoissonOD"}}, lambda step, share: None)


def test_figures_computed_during_a_request_equal_those_of_a_background_job(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'prowess.db'}")
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts", model=leagues.Preset("Glicko"))
    perform(database, Post("darts", duels(100)))
    steps = []
    for seasons in range(2):
        with database.reading() as connection:
            darts = leagues.find(connection, "darts")
            text = run_job(connection, darts, "figures", {}, lambda step, share: steps.append(share))
            at_once = league_figures(darts, TraceCache().of(connection, darts).view)
        assert json.loads(text) == json.loads(json.dumps(at_once))
        assert steps == sorted(steps)
        assert 0.0 <= steps[0] < steps[-1] <= 1.0
        steps.clear()
        assert (at_once["revision"] == 2) == bool(seasons)
        perform(
            database, NewSeason("darts", f"season {seasons}", "2026-02-10T00:00:00Z", carry=0.2)
        ) if not seasons else 0
    without = pw.compare(pw.History.from_matches(duels(100)), ["glicko"]).intervals()["Glicko"].value
    assert at_once["models"][0]["log_loss"]["value"] != pytest.approx(without, abs=1e-6)
    database.close()


def test_figures_of_a_large_league_come_from_a_background_job(ask, monkeypatch):
    monkeypatch.setattr(analysis_requests, "SMALL", 0)
    monkeypatch.setattr(analysis_requests, "MAX_AGE", 0.0)
    name = league(ask, duels(60))
    assert "evaluated in the background" in ask.look(f"/leagues/{name}/models").text
    found = ended(ask, name, "figures")
    assert found["answer"]["matches"] == 60
    assert (found["old"], found["behind"]) == (False, 0)
    ask.post(f"/api/leagues/{name}/matches", {"teams": [["p00"], ["p01"]]}, status=201)
    page = ask.look(f"/leagues/{name}/models").text
    assert "from 1 match ago" in page
    of = found["answer"]["id"]
    assert f"charts/calibration.svg?of={of}&amp;revision=2" in page
    assert "<svg" in ask.get(f"/leagues/{name}/charts/calibration.svg?of={of}&revision=2").text
    for _ in range(100):
        found = told(ask, name)["figures"]
        if found["work"] or not found["old"]:
            return
        time.sleep(0.05)
    raise AssertionError("the outdated figures are not computed again")


def test_comparing_models_needs_a_write_key_and_changing_the_model_an_admin_key(ask):
    name = league(ask, duels(10), public=False)
    models, switch = f"/leagues/{name}/models", f"/leagues/{name}/switch"
    reader, writer = ask.new_key("read", name), ask.new_key("write", name)
    assert ask.look(models).status_code == 404
    assert "<form" not in ask.look(models, key=reader).text.partition("<main")[2]
    assert "Stop the comparison" not in ask.look(models, key=writer).text
    form = {"model": "Elo"}
    assert ask.send(models, form, key=reader).status_code == 403
    assert ask.send(models, form, key=writer, headers={"Origin": "http://evil.example"}).status_code == 403
    assert ask.send(models, form | {"token": token(reader)}, key=writer).status_code == 403
    assert told(ask, name)["comparison"]["work"] is None
    # A comparison needs another model than the league's own.
    assert ask.send(models, {"model": "TrueSkill"}, key=writer).status_code == 422
    assert ask.send(models, form, key=writer).status_code == 303
    assert ask.send(models, {"cancel": "1"}, key=reader).status_code == 403
    assert ask.send(models, {"cancel": "1"}, key=writer).status_code == 303
    assert told(ask, name)["comparison"]["work"]["state"] == "cancelled"
    assert "was stopped" in ask.look(models, key=reader).text
    for key in (reader, writer):
        assert ask.look(f"{switch}?model=Elo", key=key).status_code == 403
        assert ask.send(switch, form, key=key).status_code == 403
    assert ask.send(switch, form | {"token": "x"}).status_code == 403
    assert ask.get(f"/api/leagues/{name}").json()["generation"] == 1


CROWD = [
    {"teams": [["a"], ["b"], ["c"], ["d"]], "ranks": ranks} for ranks in ([1, 2, 2, 4], [2, 1, 3, 3], [1, 1, 1, 1])
]
ODD = {
    "empty": ([], {}),
    "one match": ([{"teams": [["a"], ["b"]]}], {}),
    "four teams": (CROWD * 10, {"clock": "none"}),
    "three tied teams": ([{"teams": [["a"], ["b"], ["c"]], "ranks": [1, 1, 1]}], {}),
    "only draws": ([{"teams": [["a"], ["b"]], "ranks": [1, 1]}] * 30, {"clock": "none"}),
    "scores": (duels(60, scores=True), {"model": {"name": "PoissonOD"}}),
    "numeric times": ([{"teams": [["a", "b"], ["c"]], "time": k / 3} for k in range(50)], {"clock": "number"}),
}


@pytest.mark.parametrize("kind", ODD)
def test_models_page_works_for_unusual_leagues(ask, kind):
    matches, more = ODD[kind]
    name = league(ask, matches, **more)
    page = ask.look(f"/leagues/{name}/models", key=ask.admin)
    assert page.status_code == 200
    figures = told(ask, name)["figures"]
    ask.get(f"/leagues/{name}/models.csv")
    assert (figures["answer"] is None) == bool(figures["why"])
    assert bool(figures["why"]) == (kind in ("empty", "three tied teams"))
    for chart in re.findall(r'<img src="(/leagues/[^"]+)"', page.text):
        assert "<svg" in ask.get(chart.replace("&amp;", "&")).text
    names = [one["name"] for one in (figures["answer"] or {"measures": []})["measures"]]
    assert ("log_loss" in names) == (kind not in ("empty", "three tied teams", "four teams"))
    assert ("score_error" in names) == (kind == "scores")
    assert ask.look(f"/leagues/{name}/switch?model=Glicko2", key=ask.admin).status_code == 200
    sent = ask.send(f"/leagues/{name}/models", {"model": []})
    assert sent.status_code == 422
    assert ("no matches" if kind == "empty" else "at least one model") in sent.text


@pytest.mark.parametrize("name", PRESETS)
def test_every_model_has_a_description(ask, name):
    page = ask.look(f"/leagues/{league(ask, [], model={'name': name})}/models").text
    assert f"<h1>This league uses {name}</h1>" in page
    settings = re.findall(r'<span class="under">(.*?)</span>', page)
    assert settings
    assert all(settings)


def test_model_change_is_previewed_before_it_is_made(ask):
    name = league(ask, duels(80))
    board = f"/api/leagues/{name}/leaderboard"
    before = {row["player"]: row["rank"] for row in ask.get(board).json()["players"]}
    page = ask.look(f"/leagues/{name}/switch?model=Elo&set.k=64&set.scale=400", key=ask.admin)
    assert page.status_code == 200
    would = ask.get(f"/leagues/{name}/switch.json?model=Elo&set.k=64").json()
    fields = dict(re.findall(r'<input type="hidden" name="(model|set\.\w+)" value="([^"]*)"', page.text))
    sent = ask.send(f"/leagues/{name}/switch", fields | {"reason": "<b>better</b>"})
    assert (sent.status_code, sent.headers["location"]) == (303, f"/leagues/{name}/standings")
    after = {row["player"]: row for row in ask.get(board).json()["players"]}
    assert would["moves"]["moved"] == sum(before[player] != row["rank"] for player, row in after.items()) > 0
    for row in would["moves"]["best"]:
        now = after[row["player"]]
        assert (row["before"]["rank"], row["after"]["rank"]) == (before[row["player"]], now["rank"])
        assert row["after"]["shown"] == now["shown"]
        assert row["change"] == before[row["player"]] - now["rank"]
    assert [row["after"]["rank"] for row in would["moves"]["best"]] == sorted(row["rank"] for row in after.values())[
        :10
    ]
    assert ask.get(f"/api/leagues/{name}").json()["model"] == {"name": "Elo", "parameters": {"k": 64.0}}
    page = ask.look(f"/leagues/{name}/models").text
    assert f'href="/leagues/{name}/standings?generation=1"' in page
    assert "<b>better" not in page
    same = ask.look(f"/leagues/{name}/switch", key=ask.admin)
    assert "the current model" in same.text
    other = ask.look(f"/leagues/{name}/switch?model=Elo&set.k=32", key=ask.admin)
    assert other.text.count("<button>Switch to Elo") == 1


def test_share_of_draws_can_be_learnt_or_fixed_in_the_form_that_changes_the_model(ask):
    name = league(ask, duels(40))
    address = f"/leagues/{name}/switch"
    page = ask.look(f"{address}?model=TrueSkill&set.draw_probability=learnt&set.draw_memory=60", key=ask.admin)
    fields = dict(re.findall(r'<input type="hidden" name="(model|set\.\w+)" value="([^"]*)"', page.text))
    assert (fields["set.draw_probability"], fields["set.draw_memory"]) == ("learnt", "60")
    assert ask.send(address, fields).status_code == 303
    model = ask.get(f"/api/leagues/{name}").json()["model"]
    assert model["parameters"] == {"draw_probability": "learnt", "draw_memory": 60.0}
    current = ask.look(address, key=ask.admin).text
    assert "the current model" in current
    assert 'name="set.draw_probability" autocomplete="off" value="learnt"' in current
    assert ask.send(address, fields | {"set.draw_probability": "0.25"}).status_code == 303
    model = ask.get(f"/api/leagues/{name}").json()["model"]
    assert model == {"name": "TrueSkill", "parameters": {"draw_probability": 0.25}}


def test_model_change_of_a_large_league_is_previewed_only_on_request(ask, monkeypatch):
    monkeypatch.setattr(models, "SMALL", 0)
    name = league(ask, duels(10))
    page = ask.look(f"/leagues/{name}/switch?model=Elo", key=ask.admin).text
    assert "takes a while" in page
    assert "<button>Switch to Elo" not in page
    assert "no ratings yet" not in page
    assert "Switch to Elo" in ask.look(f"/leagues/{name}/switch?model=Elo&preview=1", key=ask.admin).text


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("model=<script>alert(1)</script>", "Unknown model"),
        ("model=Elo&set.k=fast", "must be a number"),
        ("model=Elo&set.k=-1", "k must be"),
        ("model=Elo&set.nothing=1", "nothing"),
        ("model=TrueSkill&set.sigma=nan", "sigma"),
        ("model=TrueSkill&set.beta=1e999", "beta"),
        ("model=PoissonOD", "core"),
    ],
)
def test_changing_to_an_invalid_model_is_refused(ask, query, words):
    name = league(ask, duels(10))
    page = ask.look(f"/leagues/{name}/switch?{query}", key=ask.admin)
    assert page.status_code == 422
    [problem] = re.findall(r'<p class="problem" role="alert">(.*?)</p>', page.text, re.S)
    assert words in problem
    assert "<script>alert" not in page.text


def test_form_that_changes_the_model_keeps_options_such_as_a_learnt_home_advantage(ask):
    """The options stay as they are; a new sigma does not change the amounts that these options have chosen."""
    words = {"drift": "time", "home_advantage": "learnt"}
    name = league(ask, duels(20), model={"name": "TrueSkill", "parameters": words})
    page = ask.look(f"/leagues/{name}/switch", key=ask.admin).text
    assert "the current model" in page
    assert "Home uncertainty" in page
    fields = dict(re.findall(r'<input [^>]*name="(model|set\.\w+)"[^>]* value="([^"]*)"', page))
    assert fields["set.drift"] == "time"
    same = ask.get(f"/leagues/{name}/switch.json?{urlencode(fields)}").json()
    assert (same["same"], same["model"]["parameters"]) == (True, words)
    sent = ask.send(f"/leagues/{name}/switch", fields | {"set.sigma": "4", "reason": ""})
    assert sent.status_code == 303
    parameters = ask.get(f"/api/leagues/{name}").json()["model"]["parameters"]
    assert parameters == words | {"sigma": 4.0} | {
        name: float(fields[f"set.{name}"]) for name in ("tau", "home_sigma", "home_tau")
    }
    other = ask.look(f"/leagues/{name}/switch?model=Elo", key=ask.admin).text
    assert 'name="set.home_advantage"' not in other
    refused = ask.look(f"/leagues/{name}/switch?model=Elo&set.drift=time", key=ask.admin)
    assert refused.status_code == 422
    assert "Skills cannot drift in this model" in refused.text


def test_models_page_shows_a_default_that_is_a_component(ask):
    name = league(ask, duels(5), model={"name": "TS2", "parameters": {"margin": 2.0}})
    page = ask.get(f"/leagues/{name}/models")
    assert page.status_code == 200
    assert "Spread(least=1.0, printed=False)" in page.text
