"""On all outputs of `prowess rate`, the rating is the number that sorts, and provisional players come last."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from tests.cli.running import TEXTBOOK, ruled, run

SCALE = ("--scale", "1500,400")


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Return a file of matches between six players; late1 to late3 join with a single win each."""
    pairs = [(one, other) for one in range(6) for other in range(one + 1, 6)]
    rows = [f"2026-01-{1 + index % 28:02d},p{one},p{other}" for index, (one, other) in enumerate(pairs * 4)]
    rows += [f"2026-02-{k:02d},late{k},p{k}" for k in (1, 2, 3)]
    path = tmp_path / "league.csv"
    path.write_text("\n".join(["date,winner,loser", *sorted(rows)]) + "\n", encoding="utf-8")
    return path


def column(text: str, name: str) -> list[str]:
    """Return the cells of a column of numbers in plain output, whose headings and cells end in the same place."""
    head, *rows = text.splitlines()
    end = head.index(name) + len(name)
    return [re.split(r"\s{2,}", row[:end].rstrip())[-1] for row in rows if row.strip()]


def check(cells: list[str], provisional: int) -> None:
    """Check that ratings fall from row to row, first those of established players, then the provisional ones."""
    numbers = [cell.split(" ")[0] for cell in cells]
    marks = [number.endswith("?") for number in numbers]
    assert marks == sorted(marks)
    assert sum(marks) == provisional
    for mark in (False, True):
        group = [float(number.rstrip("?")) for number, its in zip(numbers, marks, strict=True) if its is mark]
        assert group == sorted(group, reverse=True)


@pytest.mark.parametrize(
    ("options", "provisional"),
    [((), 0), (SCALE, 3), (("--ranking", "mean"), 3), ((*SCALE, "--ranking", "conservative"), 0)],
)
def test_rating_falls_from_row_to_row_in_every_output(league: Path, options: tuple[str, ...], provisional: int) -> None:
    page = league.with_suffix(".html")
    words = ("rate", league, *TEXTBOOK, *options)
    result = run(*words, "--out", page)
    assert result.exit_code == 0, result.output
    check(column(result.stdout, "rating"), provisional)
    check(_cells(page.read_text(encoding="utf-8"), "rating"), provisional)
    lines = [line for line in ruled(*words).splitlines() if re.match(r"\s+\d+ ", line)]
    check([re.split(r"\s{2,}", line.strip())[2] for line in lines], provisional)
    assert len(lines) == 9


@pytest.mark.parametrize("options", [(), SCALE, ("--ranking", "mean"), (*SCALE, "--ranking", "conservative")])
def test_json_and_exports_have_the_same_order_and_ranks(league: Path, options: tuple[str, ...]) -> None:
    out = league.with_name("standings.csv")
    result = run("rate", league, *TEXTBOOK, *options, "--json", "--out", out)
    rows, table = json.loads(result.stdout), pl.read_csv(out)
    assert [row["player"] for row in rows] == table["player"].to_list()
    assert [row["rank"] for row in rows] == table["rank"].to_list() == sorted(row["rank"] for row in rows)
    assert ("provisional" in table.columns) == (options in (SCALE, ("--ranking", "mean")))
    assert ("points_shown" in table.columns) == ("conservative" in options and "--scale" in options)


def test_provisional_players_come_last_although_they_have_more_points(league: Path) -> None:
    rows = json.loads(run("rate", league, *TEXTBOOK, *SCALE, "--json").stdout)
    assert [row["player"] for row in rows if row["provisional"]] == [row["player"] for row in rows[6:]]
    assert rows[6]["points"] > rows[1]["points"]
    assert [row["player"] for row in rows[:6]] == ["p0", "p1", "p2", "p3", "p4", "p5"]


def test_note_says_what_the_rating_is_and_why_some_are_provisional(league: Path) -> None:
    said = run("rate", league, *TEXTBOOK, *SCALE).stderr
    assert "? marks provisional ratings" in said
    assert "μ − 3σ" not in said
    assert "rating = μ − 3σ" in run("rate", league, *TEXTBOOK, *SCALE, "--ranking", "conservative").stderr
    assert "rating = μ − 3σ" in run("rate", league, *TEXTBOOK).stderr
    without = run("rate", league, "--model", "elo", *SCALE)
    assert "provisional" not in without.stderr
    assert "?" not in without.stdout


@pytest.mark.parametrize("more", [(), ("--on", "2026-01-20", "--all"), ("--best",)])
def test_standings_in_hindsight_are_sorted_by_the_rating(league: Path, more: tuple[str, ...]) -> None:
    result = run("rate", league, *TEXTBOOK, *SCALE, "--hindsight", *more)
    assert result.exit_code == 0, result.output
    cells = column(result.stdout, "rating")
    check(cells, sum("?" in cell for cell in cells))


def test_saved_ladders_and_groups_are_ranked_alike(league: Path) -> None:
    saved = league.with_suffix(".prowess")
    run("rate", league, *TEXTBOOK, *SCALE, "--save", saved)
    more = league.with_name("more.csv")
    more.write_text("date,winner,loser\n2026-02-10,p0,p1\n", encoding="utf-8")
    check(column(run("rate", more, "--resume", saved).stdout, "rating"), 3)
    check(column(run("rate", more, "--resume", saved, "--ranking", "conservative").stdout, "rating"), 0)


def test_unknown_ranking_is_an_error(league: Path) -> None:
    result = run("rate", league, "--ranking", "points")
    assert result.exit_code == 2 or result.exit_code == 1
    assert 'ranking must be "mean" or "conservative"' in result.output


class _Table(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


def _cells(page: str, name: str) -> list[str]:
    table = _Table()
    table.feed(page.partition("<tbody>")[0].rpartition("<table>")[2])
    table.feed(page.partition("<tbody>")[2].partition("</tbody>")[0])
    head, *rows = table.rows
    return [row[head.index(name)] for row in rows]
