"""Another model for a league: first a look at what changes, then just that."""

import re

import pytest

from prowess.service.pages import model_change
from tests.service.pages.duel_leagues import duels, league


def test_model_is_previewed_and_changed(ask):
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
    assert "as it is" in same.text
    assert ask.look(f"/leagues/{name}/switch?model=Elo&set.k=32", key=ask.admin).text.count("Switch to Elo") == 1


def test_preview_of_a_large_league_is_on_request(ask, monkeypatch):
    monkeypatch.setattr(model_change, "SMALL", 0)
    name = league(ask, duels(10))
    page = ask.look(f"/leagues/{name}/switch?model=Elo", key=ask.admin).text
    assert "takes a while" in page
    assert "Switch to Elo" not in page
    assert "no ratings yet" not in page
    assert "Switch to Elo" in ask.look(f"/leagues/{name}/switch?model=Elo&preview=1", key=ask.admin).text


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("model=<script>alert(1)</script>", "No model is called"),
        ("model=Elo&set.k=fast", "must be a number"),
        ("model=Elo&set.k=-1", "k must be"),
        ("model=Elo&set.nothing=1", "nothing"),
        ("model=TrueSkill&set.sigma=nan", "sigma"),
        ("model=TrueSkill&set.beta=1e999", "beta"),
        ("model=PoissonOD", "core"),
    ],
)
def test_invalid_models_are_refused(ask, query, words):
    name = league(ask, duels(10))
    page = ask.look(f"/leagues/{name}/switch?{query}", key=ask.admin)
    assert page.status_code == 422
    [problem] = re.findall(r'<p class="problem" role="alert">(.*?)</p>', page.text, re.S)
    assert words in problem
    assert "<script>alert" not in page.text
