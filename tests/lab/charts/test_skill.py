import json
import re
import struct
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prowess as pw
from prowess.lab import charts, save, skill_curves

NAMES = ["Анна", "Zoë", "</script><script>alert(1)</script>"]


def league(count: int = 30, **more: Any) -> pw.Fit:
    rng = np.random.default_rng(5)
    pairs = [rng.permutation(NAMES)[:2].tolist() for _ in range(count)]
    matches = [{"teams": [[one], [two]]} | {k: v(i) for k, v in more.items()} for i, (one, two) in enumerate(pairs)]
    return pw.TrueSkill().fit(pw.History.from_matches(matches))


def dated(count: int = 30) -> pw.Fit:
    return league(count, time=lambda i: f"2026-01-{1 + i // 3:02d}")


def points(chart: Any) -> list[dict[str, Any]]:
    (rows,) = chart.to_dict()["datasets"].values()
    return list(rows)


def test_skill_chart_has_a_line_for_the_mean_and_a_band_for_the_uncertainty() -> None:
    spec = skill_curves(dated(), NAMES).to_dict()
    band, line, end, _ = spec["layer"]
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["area", "line", "point", "point"]
    assert {key: band["encoding"][key]["field"] for key in ("x", "y", "y2", "color")} == {
        "x": "x", "y": "low", "y2": "high", "color": "player"
    }  # fmt: skip
    assert {key: line["encoding"][key]["field"] for key in ("x", "y", "color")} == {
        "x": "x", "y": "mu", "color": "player"
    }  # fmt: skip
    assert end["transform"] == [{"filter": "datum.last"}]
    assert line["encoding"]["y"]["title"] == "skill μ (rating points)"
    assert line["encoding"]["y"]["scale"] == {"zero": False}
    assert "band: μ ± σ, which contains the skill with 68.3 % probability" in spec["title"]["subtitle"]


def test_skill_chart_shows_the_points_of_the_trajectory() -> None:
    fit = league()
    rows = [row for row in points(skill_curves(fit, NAMES, band=2)) if row["player"] == "Zoë"]
    path = fit.trajectory("Zoë")
    assert [row["x"] for row in rows] == (path["match"] + 1).to_list()
    assert [row["mu"] for row in rows] == path["mu"].to_list()
    np.testing.assert_allclose([row["high"] - row["mu"] for row in rows], 2 * path["sigma"])
    np.testing.assert_allclose([row["mu"] - row["low"] for row in rows], 2 * path["sigma"])
    assert [row.get("last", False) for row in rows] == [False] * (len(rows) - 1) + [True]


def test_skill_chart_of_a_fit_with_a_scale_is_in_points_with_the_95_percent_interval() -> None:
    history = league().history
    fit = pw.TrueSkill().fit(history, scale=(1500, 400))
    chart = skill_curves(fit, NAMES[:1])
    table, last = fit.trajectory(NAMES[0]), points(chart)[-1]
    found = [last[name] for name in ("mu", "low", "high")]
    assert found == pytest.approx([table[name][-1] for name in ("points", "points_low", "points_high")])
    assert chart.to_dict()["layer"][1]["encoding"]["y"]["title"] == "rating (points)"
    assert "95 % interval" in json.dumps(chart.to_dict(), ensure_ascii=False)
    half = points(skill_curves(fit, NAMES[:1], band=0.5))[-1]
    assert half["high"] - half["mu"] == pytest.approx(0.5 * fit.points.factor * table["sigma"][-1])  # type: ignore[union-attr]


def test_skill_chart_shows_the_last_rating_of_each_day() -> None:
    fit = dated()
    rows = points(skill_curves(fit, ["Zoë"]))
    last = {f"{row['time']}T00:00:00": row["mu"] for row in fit.trajectory("Zoë").iter_rows(named=True)}
    assert {row["x"]: row["mu"] for row in rows} == last
    assert len(rows) == len(last) < len(fit.trajectory("Zoë"))


@pytest.mark.parametrize(
    ("time", "kind", "title", "first"),
    [
        (None, "quantitative", "match number", 1),
        (lambda i: 100.5 + i, "quantitative", "time (as in the history)", 100.5),
        (lambda i: "2026-01-31", "temporal", "date", "2026-01-31T00:00:00"),
        (lambda i: "2026-01-31T10:00:00", "temporal", "time", "2026-01-31T10:00:00"),
        (lambda i: "2026-01-31T10:00:00+02:00", "temporal", "time (UTC)", "2026-01-31T08:00:00"),
    ],
)
def test_time_axis_of_a_skill_chart_shows_dates_numbers_or_match_counts(
    time: Any, kind: str, title: str, first: object
) -> None:
    matches = [{"teams": [["ann"], ["bob"]]} | ({"time": time(i)} if time else {}) for i in range(3)]
    chart = skill_curves(pw.TrueSkill().fit(pw.History.from_matches(matches)), ["ann"])
    x = chart.to_dict()["layer"][1]["encoding"]["x"]
    assert (x["type"], x["title"]) == (kind, title)
    assert points(chart)[0]["x"] == first


def test_skill_chart_assigns_colours_in_the_given_order_and_sorts_the_legend_by_skill() -> None:
    fit = dated()
    colour = skill_curves(fit, NAMES).to_dict()["layer"][1]["encoding"]["color"]
    domain, colours = colour["scale"]["domain"], colour["scale"]["range"]
    assert domain == sorted(NAMES, key=lambda name: -fit[name].mu)
    assert dict(zip(domain, colours, strict=True)) == dict(zip(NAMES, charts.COLOURS, strict=False))
    assert colour["legend"]["title"] == "player"


def test_lines_of_players_who_share_a_colour_have_different_dashes() -> None:
    names = [f"p{i}" for i in range(25)]
    fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [[one], [two]]} for one, two in pairwise(names)]))
    encoding = skill_curves(fit, names[:24]).to_dict()["layer"][1]["encoding"]
    looks = zip(encoding["color"]["scale"]["range"], map(tuple, encoding["strokeDash"]["scale"]["range"]), strict=True)
    assert len(set(looks)) == 24
    with pytest.raises(pw.Error, match="choose 1 to 24 players for a chart, not 25"):
        skill_curves(fit, names)
    with pytest.raises(pw.Error, match="for a chart, not 0"):
        skill_curves(fit, [])


def test_single_player_name_is_not_split_into_letters() -> None:
    assert {row["player"] for row in points(skill_curves(dated(), "Zoë"))} == {"Zoë"}


def test_long_skill_curves_are_reduced_to_a_maximum_number_of_points() -> None:
    history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]} for _ in range(3000)])
    rows = points(skill_curves(pw.TrueSkill().fit(history), ["ann", "bob"]))
    assert len(rows) == 2 * charts.theme.MAX_POINTS
    assert (rows[0]["x"], rows[charts.theme.MAX_POINTS - 1]["x"]) == (1, 3000)


def test_unknown_players_and_invalid_band_widths_are_errors() -> None:
    fit = dated()
    with pytest.raises(pw.Error, match=r"no player named 'Zoe' among .* players; did you mean 'Zoë'"):
        skill_curves(fit, ["Zoe"])
    with pytest.raises(pw.Error, match="band must be"):
        skill_curves(fit, NAMES, band=-1)
    model = pw.TrueSkill()
    started = model.fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]), start={"cat": model.rating()})
    with pytest.raises(pw.Error, match="cat has no match in this history"):
        skill_curves(started, ["cat"])


def test_player_with_a_single_match_is_shown_as_a_dot(tmp_path: Path) -> None:
    fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    save(skill_curves(fit, ["ann"]), tmp_path / "a.svg")
    assert charts.COLOURS[0].lower() in (tmp_path / "a.svg").read_text(encoding="utf-8").lower()


def test_chart_saved_as_png_has_twice_the_size_for_sharp_print(tmp_path: Path) -> None:
    save(skill_curves(dated(), NAMES, width=300, height=200), tmp_path / "a.png")
    content = (tmp_path / "a.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n")
    width, height = struct.unpack(">II", content[16:24])
    assert 600 < width < 1600
    assert 400 < height < 800


def test_chart_saved_as_svg_contains_the_names(tmp_path: Path) -> None:
    save(skill_curves(dated(), NAMES, title="Lige <her>"), tmp_path / "a.svg")
    content = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert content.startswith("<svg")
    assert all(text in content for text in ("Анна", "Zoë", "Lige &lt;her&gt;", "rating points"))


def test_chart_saved_as_html_is_self_contained(tmp_path: Path) -> None:
    save(skill_curves(dated(), NAMES, title="Lige <her>"), tmp_path / "a.html")
    content = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert not re.search(r"<script[^>]*\ssrc|https?://cdn|jsdelivr|unpkg", content)
    markup = re.sub(r"<script>.*?</script>", "", content, flags=re.DOTALL)
    assert len(markup) < 1000
    assert not re.search(r"src|href|url|@import|http", markup)
    assert "<title>Lige &lt;her&gt;</title>" in content
    assert "vegaEmbed=" in content.replace(" ", "")
    assert '"editor": false' in content


def test_script_tag_in_a_name_is_escaped(tmp_path: Path) -> None:
    save(skill_curves(dated(), NAMES), tmp_path / "a.html")
    content = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in content
    assert content.count("</script>") == 2
    (spec,) = re.findall(r'vegaEmbed\("#chart", (.*), \{renderer: "svg"\}\)', content)
    (rows,) = json.loads(spec)["datasets"].values()
    assert {row["player"] for row in rows} == set(NAMES)


def test_chart_saved_as_json_contains_its_specification(tmp_path: Path) -> None:
    chart = skill_curves(dated(), NAMES)
    save(chart, tmp_path / "a.JSON")
    assert json.loads((tmp_path / "a.JSON").read_text(encoding="utf-8")) == chart.to_dict()


def test_saving_a_chart_to_a_wrong_extension_or_folder_is_an_error(tmp_path: Path) -> None:
    chart = skill_curves(dated(), NAMES)
    with pytest.raises(pw.Error, match=r"a\.pdf: the name must end in \.png, \.svg, \.html or \.json"):
        save(chart, tmp_path / "a.pdf")
    with pytest.raises(pw.Error, match=r"a\.json: there is no folder .*nowhere; create it first$"):
        save(chart, tmp_path / "nowhere" / "a.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("module", "package"), [("altair", "Altair"), ("vl_convert", "vl-convert")])
def test_error_about_a_missing_chart_package_names_the_pip_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, package: str
) -> None:
    fit = dated()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(pw.Error) as error:
        save(skill_curves(fit, NAMES), tmp_path / "a.svg")
    assert str(error.value) == f"this needs {package}, which is not installed: pip install 'prowess[lab]'"


def test_lab_imports_altair_only_when_a_chart_is_made() -> None:
    code = "import sys, prowess.lab; print({'altair', 'vl_convert', 'polars'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_curves_of_a_hindsight_are_drawn_at_its_matches():
    matches = [{"teams": [["ann"], ["bob"]], "time": f"2026-01-{day:02}"} for day in (1, 5, 9)]
    history = pw.History.from_matches(matches)
    hindsight = pw.TrueSkill().hindsight(history)
    chart = pw.lab.skill_curves(hindsight, ["ann"]).to_dict()
    assert chart["title"]["text"] == "Skill over time, in hindsight"
    values = next(iter(chart["datasets"].values())) if "datasets" in chart else chart["data"]["values"]
    assert [row["mu"] for row in values] == pytest.approx(hindsight.curve("ann")["mu"].to_list())
