"""Pages of a league with a scale show points, pages of other leagues do not, and admins can change the scale."""

import re

import pytest

import prowess as pw
from tests.service.pages.page_client import words

MODELS = ["TrueSkill", "Elo", "Glicko2", "TS2", "GaussianSD", "PoissonOD", "Harkness"]
PLAYED = [("ann", "bob", 3, 1), ("ann", "cat", 2, 2), ("bob", "cat", 0, 4), ("cat", "ann", 5, 2), ("ann", "bob", 1, 0)]
MATCHES = [
    {"id": f"m{day}", "teams": [[one], [other]], "scores": [a, b], "time": f"2026-01-0{day}"}
    for day, (one, other, a, b) in enumerate(PLAYED, 1)
]
PAGES = {
    "standings": "standings",
    "player": "player?name=ann",
    "compare": "player?name=ann&name=bob",
    "match": "match?id=m5",
    "predict": "predict?team=ann&team=newcomer",
    "teams": "teams?players=ann%0Abob%0Acat%0Adan",
}


def league(ask, name, model="TrueSkill", **settings):
    ask.create_league(name, model={"name": model}, settings=settings)
    ask.post(f"/api/leagues/{name}/matches", MATCHES, status=201)
    return f"/leagues/{name}"


def standing(ask, name, player="ann"):
    rows = ask.get(f"/api/leagues/{name}/leaderboard").json()["players"]
    return next(row for row in rows if row["player"] == player)


def rounded(row):
    """Return a rating as pages show it: 1632 ± 45, or 1632 without uncertainty."""
    margin = "" if row["points_high"] is None else f" ± {row['points_high'] - row['points']:.0f}"
    return f"{row['points']:.0f}{margin}".replace("-", "−")


@pytest.mark.parametrize("model", MODELS)
def test_every_page_shows_points_with_their_interval(ask, model):
    name = f"points-{model}".lower()
    path = league(ask, name, model, provisional_matches=0)
    now = standing(ask, name)
    for page, url in PAGES.items():
        text = words(ask.look(f"{path}/{url}"))
        assert rounded(now) in text, page
        assert "Skill" not in text, page
    assert f"{now['points']:.0f}" in words(ask.look("/leagues"))
    assert "400 points means win odds of 10:1" in words(ask.look(f"{path}/models"))


def test_pages_of_a_league_without_a_scale_show_the_unit_of_the_model(ask):
    path = league(ask, "unscaled", scale=None)
    now = standing(ask, "unscaled")
    assert "points" not in now
    for page, url in PAGES.items():
        text = words(ask.look(f"{path}/{url}"))
        assert f"{now['mu']:.1f}" in text or f"{now['mu']:.2f}" in text, page
        assert "points" not in text, page
    assert "The standings show μ − 3σ" in words(ask.look(f"{path}/models"))


def test_standings_page_explains_points_and_the_order_of_players_once(ask):
    text = words(ask.look(f"{league(ask, 'explained')}/standings"))
    assert text.count("newcomers have 1500 points, and a lead of 400 points means win odds of 10:1") == 1
    assert "μ − 3σ" not in text
    order = [row["player"] for row in ask.get("/api/leagues/explained/leaderboard").json()["players"]]
    assert order == pw.TrueSkill().fit(pw.History.from_matches(MATCHES)).leaderboard(ranking="mean")["player"].to_list()
    ask("PATCH", "/api/leagues/explained", json={"settings": {"ranking": "conservative"}}, status=200)
    text = words(ask.look("/leagues/explained/standings"))
    assert text.count("μ − 3σ") == 1
    order = [row["player"] for row in ask.get("/api/leagues/explained/leaderboard").json()["players"]]
    assert order == pw.TrueSkill().fit(pw.History.from_matches(MATCHES)).leaderboard()["player"].to_list()


def test_match_page_explains_changes_in_points(ask):
    path = league(ask, "moves")
    data = ask.get(f"{path}/match.json?id=m5").json()
    ann = next(player for player in data["players"] if player["player"] == "ann")
    factor = pw.TrueSkill().points().factor
    assert ann["points_moved"] == pytest.approx(factor * ann["moved"])
    assert re.search(rf": \+{ann['points_moved']:.0f}, giving {ann['after']['points']:.0f}\b", ann["why"])
    text = words(ask.look(f"{path}/match?id=m5"))
    assert ann["why"] in text
    assert "Rating in points before and after the match" in text


def test_skill_chart_is_in_points_and_has_another_url_after_a_change_of_scale(ask):
    path = league(ask, "curves")
    page = ask.look(f"{path}/player?name=ann").text
    assert "curves.svg?name=ann&amp;hindsight=1&amp;revision=1&amp;height=360&amp;scale=1500.0%2C400.0" in page
    spec = ask.get(f"{path}/charts/curves.json?name=ann&revision=1").json()
    assert spec["layer"][1]["encoding"]["y"]["title"] == "rating"
    ask("PATCH", "/api/leagues/curves", json={"settings": {"scale": [0, 1]}}, status=200)
    assert "scale=0.0%2C1.0" in ask.look(f"{path}/player?name=ann").text
    other = ask.get(f"{path}/charts/curves.json?name=ann&revision=1").json()
    low, high = other["layer"][1]["encoding"]["y"]["scale"]["domain"]
    assert -10 < low < high < 10


def test_pages_of_a_cautious_league_call_estimates_skills_and_only_the_cautious_number_a_rating(ask):
    path = league(ask, "cautious")
    ask("PATCH", "/api/leagues/cautious", json={"settings": {"ranking": "conservative"}}, status=200)
    for page in ("standings", "best", "models"):
        text = words(ask.look(f"{path}/{page}"))
        assert "Skills are in points: newcomers have 1500 points" in text, page
        assert "Ratings are in points" not in text, page
    page = ask.look(f"{path}/player?name=ann")
    assert "ranking=conservative" in page.text  # so that no browser shows a chart from before the change
    assert "Skill over time" in words(page)
    assert "Skill after" in words(page)
    assert "the estimated skill after each match" in words(page)
    assert "The lines are the estimated skills" in words(ask.look(f"{path}/player?name=ann&name=bob"))
    assert "Skill in points before and after the match" in words(ask.look(f"{path}/match?id=m5"))
    spec = ask.get(f"{path}/charts/curves.json?name=ann&revision=1").json()
    assert spec["layer"][1]["encoding"]["y"]["title"] == "skill"


def test_previews_of_changes_show_ratings_in_points(ask):
    path = league(ask, "previews")
    assert "Ratings in points" in words(ask.look(f"{path}/delete?id=m1", key=ask.admin))
    switch = words(ask.look(f"{path}/switch?model=Elo", key=ask.admin))
    assert f"{standing(ask, 'previews')['points']:.0f}" in switch
    assert "Ratings are in points" in switch


def test_admin_can_change_the_scale_on_the_settings_page(ask):
    path = league(ask, "changing")
    page = ask.look(f"{path}/settings", key=ask.admin).text
    assert re.search(r'name="newcomer"[^>]* value="1500"', page)
    assert re.search(r'name="tenfold"[^>]* value="400"', page)
    fields = {"title": "Changing", "what": "settings", "public": "on"}
    assert ask.send(f"{path}/settings", fields | {"newcomer": "1000", "tenfold": "200"}).status_code == 303
    assert ask.get("/api/leagues/changing").json()["settings"]["scale"] == [1000.0, 200.0]
    assert "newcomers have 1000 points" in words(ask.look(f"{path}/standings"))
    assert ask.send(f"{path}/settings", fields | {"newcomer": "", "tenfold": " "}).status_code == 303
    assert ask.get("/api/leagues/changing").json()["settings"]["scale"] is None
    assert ask.send(f"{path}/settings", fields).status_code == 303  # a form without the fields changes nothing
    assert ask.get("/api/leagues/changing").json()["settings"]["scale"] is None


@pytest.mark.parametrize(
    ("newcomer", "tenfold", "field"), [("many", "400", "newcomer"), ("1500", "0", "tenfold"), ("1500", "", "tenfold")]
)
def test_invalid_scale_is_marked_in_the_settings_and_in_the_form_for_new_leagues(ask, newcomer, tenfold, field):
    path = league(ask, f"invalid-{field}-{len(tenfold)}")
    scale = {"newcomer": newcomer, "tenfold": tenfold}
    for url, fields in ((f"{path}/settings", {"what": "settings"}), ("/new", {"model": "Elo", "clock": "utc"})):
        page = ask.send(url, {"title": "T"} | fields | scale)
        assert page.status_code == 422
        assert re.search(rf'<input id="{field}"[^>]*aria-invalid="true"', page.text)
        assert re.search(rf'<input id="newcomer"[^>]*value="{newcomer}"', page.text)


def test_new_league_can_be_created_without_a_scale(ask):
    fields = {"title": "Plain", "name": "plain", "model": "TrueSkill", "clock": "utc", "newcomer": "", "tenfold": ""}
    assert ask.send("/new", fields).status_code == 303
    assert ask.get("/api/leagues/plain").json()["settings"]["scale"] is None
