"""Charts at their own URLs, in light and dark colours."""

import json
import re
from urllib.parse import quote

import polars as pl
import pytest

import prowess as pw
from prowess.lab.charts.comparison import calibration_chart, measure_chart, time_chart
from prowess.lab.charts.files import svg
from prowess.lab.charts.skill import belief_curves
from prowess.lab.charts.theme import DARK, LIGHT, page_look
from prowess.lab.charts.tuning import tuning_chart
from prowess.lab.simulate.coverage import coverage_curves

ODD = '<script>alert(1)</script>, "quoted"\nand more'
LOOKS = [
    page_look(look, height, narrow=narrow) for look in (LIGHT, DARK) for height, narrow in ((360, False), (320, True))
]
MEASURED = pl.DataFrame({"model": ["Elo", "Glicko"], "x": [0.5, 0.4], "x_low": [0.4, 0.3], "x_high": [0.6, 0.5]})
OVER = pl.DataFrame({"model": ["Elo"] * 2, "match": [0, 1], "value": [0.5, 0.4]})
CALIBRATED = pl.DataFrame({"model": ["Elo"], "expected": [0.5], "happened": [0.6], "stderr": [0.05], "count": [100]})
COVERED = {"Elo": pl.DataFrame({"level": [0.5], "covered": [0.4], "error": [0.1], "skills": [50]})}
TITLED = {"title": "Secret", "subtitle": "words"}


@pytest.fixture(scope="module")
def tuning():
    return pw.tune(pw.Elo(), pw.simulate(pw.Glicko(), 200, 10).history, trials=3)


@pytest.fixture(scope="module")
def darts(ask):
    ask.create_league("charts")
    matches = [
        {"id": f"m{at}", "teams": [[ODD if at % 3 else "ann"], ["bob"]], "ranks": [1 + at % 2, 2 - at % 2], "time": day}
        for at, day in enumerate(f"2026-01-{1 + at:02d}" for at in range(20))
    ]
    ask.post("/api/leagues/charts/matches", matches, status=201)
    return "/leagues/charts/charts/curves"


@pytest.mark.parametrize("look", LOOKS, ids=["light", "light-narrow", "dark", "dark-narrow"])
def test_every_chart_renders_in_light_and_dark_colours(tuning, look):
    curves = {"ann": [(1, 25.0, 8.0), (2, 27.0, 7.0)], "bob": [(1, 25.0, 8.0)]}
    drawn = [
        belief_curves(curves, ("Q", "match"), look=look),
        measure_chart(MEASURED, {"x": "X"}, look=look, **TITLED),
        time_chart(OVER, "pair error", ("match", "Q", "match"), look=look, **TITLED),
        calibration_chart(CALIBRATED, look=look),
        coverage_curves(COVERED, look=look),
        tuning_chart(tuning, look=look),
    ]
    for chart in drawn:
        spec = chart.to_dict()
        assert "title" not in spec, "the page shows the title, so the chart must not"
        assert spec["background"] == "transparent"
        assert spec["config"]["axis"]["labelColor"] == look.ink
        text = str(spec)
        assert "#0072B2" in text or look.colours[0] == "#56B4E9"
        assert look.ink != DARK.ink or "#333333" not in text, "the chart must not have dark ink on a dark page"
    for chart in drawn[0], drawn[2], drawn[4]:  # charts with a single panel fill the reserved space
        assert (chart.width, chart.height) == look.size
    size = re.search(r'width="(\d+)" height="(\d+)"', svg(drawn[0].to_dict()))
    assert tuple(map(int, size.groups())) == look.size


def test_chart_colours_contrast_with_the_background_of_the_page():
    for look, page in (LIGHT, "#ffffff"), (DARK, "#14171b"):
        assert contrast(look.ink, page) >= 4.5
        assert min(contrast(colour, page) for colour in look.colours[:3]) >= 3
        assert len(set(look.colours)) == len(LIGHT.colours)


def contrast(one, other):
    """Return the contrast ratio as defined in WCAG 2.2: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio."""
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_chart_of_the_current_revision_is_cached_for_a_day(ask, darts):
    revision = ask.get("/api/leagues/charts").json()["revision"]
    url = f"{darts}.svg?name=ann&name={quote(ODD)}&look=dark&height=300"
    found = ask.get(f"{url}&revision={revision}", key=None)
    assert found.headers["content-type"] == "image/svg+xml"
    assert found.headers["cache-control"] == "public, max-age=86400, immutable"
    assert found.headers["content-security-policy"].startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert found.text.startswith("<svg")
    assert "<script>" not in found.text
    assert re.search(r'width="1056" height="300"', found.text)
    for other in (url, f"{url}&revision={revision - 1}"):
        again = ask.get(other)
        assert (again.headers["cache-control"], again.content) == ("no-cache", found.content)
    seen = ask("GET", url, headers={"If-None-Match": found.headers["etag"]}, status=304)
    assert seen.content == b""


def test_chart_specification_contains_the_ratings(ask, darts):
    spec = ask.get(f"{darts}.json?name={quote(ODD)}&narrow=1").json()
    told = ask.get(f"/leagues/charts/player.json?name={quote(ODD)}").json()
    table = pl.DataFrame(json.loads(spec["datasets"][spec["data"]["name"]]))
    assert set(table["player"]) == {ODD}
    for column, name in (("mu", "points"), ("low", "points_low"), ("high", "points_high")):
        assert table[column].to_list() == pytest.approx([point[name] for point in told["curve"]], rel=1e-5)
    assert table["x"].to_list() == [point["time"].removesuffix("Z") for point in told["curve"]]


def test_charts_of_private_leagues_need_a_key(ask):
    ask.create_league("charts-private", public=False)
    ask.post("/api/leagues/charts-private/matches", {"teams": [["ann"], ["bob"]]}, status=201)
    url = "/leagues/charts-private/charts/curves.svg?name=ann&revision=1"
    assert ask("GET", url, key=None).status_code == 404
    assert ask.get(url).headers["cache-control"].startswith("private, ")


@pytest.mark.parametrize(
    ("rest", "status"),
    [
        ("nothing.svg", 404),
        ("nothing.json?name=ann", 404),
        ("curves.svg", 422),
        ("curves.svg?name=nobody", 404),
        ("curves.svg?name=ann&look=pink", 422),
        ("curves.svg?name=ann&height=9999999", 422),
        ("curves.json?name=ann&revision=x", 422),
        ("curves.json?" + "&".join(f"name={at}" for at in range(8)), 422),
    ],
)
def test_request_for_an_unknown_or_invalid_chart_gets_an_error(ask, darts, rest, status):
    ask("GET", f"/leagues/charts/charts/{rest}", status=status)
