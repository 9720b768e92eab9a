"""With any content, the page of a report is well-formed and self-contained, and its JSON is valid."""

from __future__ import annotations

import json
from datetime import date
from html.parser import HTMLParser

import altair as alt
import numpy as np
import polars as pl
import pytest

import prowess as pw
from prowess.frames import json_types
from prowess.lab import Claim, Report, Section, skill_curves

EVIL = '</script><b onload="x">&amp;{title}'
VOID = {"meta", "br"}


class Page(HTMLParser):
    """Parses a page, checks that its tags are balanced, and collects its texts and scripts."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.texts, self.numbers = [], [], {}, []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        for tag in dict.fromkeys(self.open):
            self.texts[tag][-1] += data


def strict(text):
    """Parse JSON strictly, without NaN and Infinity."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def league():
    matches = [{"teams": [[EVIL], ["bob"]], "time": f"2026-01-0{day}"} for day in (1, 2, 3)]
    return pw.TrueSkill().fit(pw.History.from_matches(matches))


def table():
    return pl.DataFrame(
        {
            EVIL: [EVIL, "b", None],
            "x": [1.23456, float("nan"), float("inf")],
            "n": [1, None, 3],
            "large": [12345.678, -2e20, 1e-9],
            "ok": [True, False, None],
            "day": [date(2026, 1, 31)] * 3,
            "list": [[1.0, float("nan")], [], None],
        }
    )


def test_html_in_names_is_escaped_in_a_report():
    claims = (Claim(EVIL, True, EVIL), Claim("b", None, ""), Claim("c", False, "1 < 2"))
    section = Section(EVIL, f"{EVIL}\n\n1 < 2", table(), skill_curves(league(), [EVIL]), claims, frozenset({(0, EVIL)}))
    page = Page(Report(EVIL, (section, Section("empty"))).page())
    assert page.texts["title"] == page.texts["h1"] == [EVIL]
    assert page.texts["h2"] == [EVIL, "empty"]
    assert page.texts["p"] == [EVIL, "1 < 2"]
    assert page.texts["th"][0] == EVIL
    assert page.texts["td"][0] == EVIL
    assert page.texts["strong"] == ["holds", "cannot be decided with these data", "does not hold", EVIL]
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert "b" not in {tag for tag, _ in page.tags}
    data = page.texts["script"][1].strip().removeprefix("const charts = ").split(";\ncharts.forEach")[0]
    [spec] = strict(data)
    assert EVIL in json.dumps(spec, ensure_ascii=False).replace('\\"', '"')


def test_report_page_loads_nothing_from_a_network():
    page = Page(Report("A league", (Section("Curves", chart=skill_curves(league(), ["bob"])),)).page())
    assert {tag for tag, _ in page.tags}.isdisjoint({"link", "img", "iframe"})
    assert not any({"src", "href"} & set(attributes) for _, attributes in page.tags)
    assert ("div", {"id": "chart0"}) in page.tags
    assert not any(tag == "script" for tag, _ in Page(Report("A league", ()).page()).tags)


def test_report_tables_leave_missing_values_empty():
    page = Page(Report("t", (Section("s", table=table()),)).page())
    rows = [page.texts["td"][i : i + 7] for i in (0, 7, 14)]
    assert [row[1:5] for row in rows] == [
        ["1.235", "1", "12345.68", "True"],
        ["", "", "-2e+20", "False"],
        ["inf", "3", "1e-09", ""],
    ]
    assert rows[0][5:] == ["2026-01-31", "[1.0, nan]"]


def test_report_tables_right_align_the_headings_of_numbers():
    page = Page(Report("t", (Section("s", table=table()),)).page())
    sides = [attributes.get("class") for tag, attributes in page.tags if tag == "th"]
    assert sides == [None, "number", "number", "number", None, None, None]


def test_to_dict_of_a_report_is_strict_json(tmp_path):
    report = Report(EVIL, (Section("s", "text", table(), claims=(Claim("a", None, "b"),)), Section("empty")))
    report.save(tmp_path / "report.json")
    found = strict((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert found == report.to_dict()
    assert found["title"] == EVIL
    first, second, third = found["sections"][0]["table"]
    assert (first["x"], second["x"], third["x"]) == (1.23456, None, None)
    assert (first["day"], first["list"], first["ok"], second["n"]) == ("2026-01-31", [1.0, None], True, None)
    assert found["sections"][0]["claims"] == [{"claim": "a", "holds": None, "evidence": "b"}]
    assert found["sections"][1] == {"title": "empty"}


def test_numpy_scalars_in_a_report_become_json_values():
    claim = Claim("a", np.bool_(True), "b")
    chart = alt.Chart(alt.InlineData(values=[{"x": np.int64(1)}])).mark_point()
    report = Report("numpy", (Section("s", chart=chart, claims=(claim,)),))
    assert strict(json.dumps(report.to_dict()))["sections"][0]["claims"][0]["holds"] is True
    assert "holds" in report.page()
    assert json_types([np.float64(0.5), np.float32(np.nan), np.int32(3), np.str_("x")]) == [0.5, None, 3, "x"]


def test_report_can_be_saved_as_html_and_json(tmp_path):
    report = Report("A league", (Section("s", table=table()),))
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.page()
    with pytest.raises(pw.Error, match=r"\.html"):
        report.save(tmp_path / "report.pdf")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_report_shows_wide_tables_in_a_small_font():
    wide = pl.DataFrame({f"x{k}": [k] for k in range(11)})
    page = Page(Report("t", (Section("s", table=wide), Section("u", table=table()))).page())
    assert [attributes["class"] for tag, attributes in page.tags if tag == "div"] == ["table dense", "table"]
