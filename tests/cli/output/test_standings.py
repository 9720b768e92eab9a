"""The table and the HTML page of `prowess rate`: column widths, names in any script, and arrows."""

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from rich.cells import cell_len

import prowess as pw
from tests.cli.running import LEAGUE, TEXTBOOK, ruled, run, terminal, write

EXPECTED = pw.TrueSkill().fit(pw.History.read(LEAGUE)).leaderboard(since="2026-06-01")
NAMES = [
    *("Анна", "李雷", "ann 😀", "[red]bold[/red]", ":smile:", "Zoë", "👩‍👩‍👧‍👦 Семья", "🇩🇪 Müller", "é̂ combined"),
    *("한국어 선수", "नमस्ते", "x" * 70, "👍🏽 ok"),
]


def league(folder: Path) -> Path:
    """Write a league of players with unusual names; only its last match was played on the last day."""
    games = [f"2026-01-0{1 + i % 8},{one},{other}\n" for i, (one, other) in enumerate(pairwise(NAMES))]
    return write(folder, "a.csv", "date,winner,loser\n" + "".join(games) + f"2026-01-09,{NAMES[-1]},new one\n")


def rows(shown: str) -> list[str]:
    """Return the lines of a table that end with an arrow."""
    return [line.rstrip() for line in shown.splitlines() if re.search(r"  (▲\d+|▼\d+|–|new) *$", line)]


def check(shown: str, columns: int) -> None:
    assert max(cell_len(line.rstrip()) for line in shown.splitlines()) <= columns
    assert len(rows(shown)) == len(NAMES) + 1
    assert len({cell_len(row) for row in rows(shown)}) == 1
    assert "after 2026-01-09, change since 2026-01-02" in shown
    assert all(name in shown for name in NAMES if len(name) < 20)


def test_standings_table_aligns_names_in_any_script(tmp_path: Path) -> None:
    path = league(tmp_path)
    check(terminal("rate", path, columns=80), 80)
    for columns in (60, 140):
        check(ruled("rate", path, columns=columns), columns)


def test_standings_table_in_a_pipe_is_aligned(tmp_path: Path) -> None:
    lines = run("rate", league(tmp_path)).stdout.splitlines()
    assert len({cell_len(line) for line in lines}) == 1
    assert lines[0].split()[-1] == "change"


@pytest.mark.parametrize("width", [28, 40, 50, 60, 80])
def test_narrow_terminal_shows_fewer_columns_instead_of_cutting_numbers(width: int) -> None:
    first = EXPECTED.row(0, named=True)
    row = next(
        line
        for line in ruled("rate", LEAGUE, *TEXTBOOK, "--top", 2, columns=width).splitlines()
        if first["player"] in line
    )
    assert f"{first['shown']:.2f}" in row
    assert (f"{first['mu']:.2f} ± {first['sigma']:.2f}" in row) == (width >= 50)
    assert (str(first["last_seen"]) in row) == (width >= 80)


def test_terminal_exactly_as_wide_as_the_table_shows_all_columns() -> None:
    words = ("rate", LEAGUE, *TEXTBOOK, "--top", 2)
    table = ruled(*words, columns=200)
    width = max(map(len, table.splitlines()))
    assert ruled(*words, columns=width) == table
    assert "last seen" not in ruled(*words, columns=width - 1)


def test_only_a_wide_terminal_shows_offence_and_defence_columns(tmp_path: Path) -> None:
    words = ("rate", LEAGUE, "--model", "gaussianod", "--top", 3)
    assert "offence" not in ruled(*words, columns=80)
    assert re.search(r"offence +defence", ruled(*words, columns=120))
    assert re.search(r"offence +defence", run(*words).stdout)
    run(*words, "--out", tmp_path / "a.csv")
    assert ",offence,defence,change,gain" in (tmp_path / "a.csv").read_text()


def test_ratings_on_a_small_scale_are_printed_with_four_decimals(tmp_path: Path) -> None:
    words = ("--model", "poissonod", "--set", "mu=0", "--set", "sigma=0.05", "--set", "beta=0.1")
    page = tmp_path / "a.html"
    printed = run("rate", LEAGUE, *words, "--out", page).stdout.splitlines()
    best = pw.PoissonOD(mu=0, sigma=0.05, beta=0.1).fit(pw.History.read(LEAGUE)).leaderboard().row(0, named=True)
    assert best["sigma"] < 0.1
    assert f"{best['shown']:.4f} {best['mu']:.4f} ± {best['sigma']:.4f}" in " ".join(printed[1].split())
    assert f">{best['shown']:.4f}<" in page.read_text(encoding="utf-8")


def test_rank_changes_are_shown_as_coloured_arrows() -> None:
    shown = run("rate", LEAGUE, *TEXTBOOK, "--top", 0, FORCE_COLOR="1", COLUMNS="100", TERM="xterm").stdout
    assert "\x1b[32m▲1" in shown or "\x1b[1;32m▲1" in shown
    found = [
        int(text.replace("▲", "").replace("▼", "-").replace("–", "0"))
        for text in re.findall(r"(▲\d+|▼\d+|–) *$", ruled("rate", LEAGUE, *TEXTBOOK, "--top", 0), re.M)
    ]
    assert found == EXPECTED["change"].to_list()


def test_very_long_table_is_printed_without_ruled_lines(tmp_path: Path) -> None:
    games = "".join(f"player {i},player {i + 1}\n" for i in range(3000))
    shown = ruled("rate", write(tmp_path, "a.csv", "winner,loser\n" + games), "--top", 0)
    assert len(shown.splitlines()) == 3002
    assert "─" not in shown


class Page(HTMLParser):
    """Parses a page: `rows` has the cells of its tables, `tags` all its tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "input"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, text: str) -> None:
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += text


def test_html_page_has_the_standings_and_works_offline(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", 'winner,loser\n<script>alert(1)</script>,"&amp; ""co"""\n')
    for source, page in ((LEAGUE, tmp_path / "league.html"), (path, tmp_path / "a.HTML")):
        assert run("rate", source, *TEXTBOOK, "--out", page, "--top", 1).exit_code == 0
        text = page.read_text(encoding="utf-8")
        found = Page(text)
        expected = pw.TrueSkill().fit(pw.History.read(source)).leaderboard()
        name = found.rows[0].index("player")
        assert [row[name] for row in found.rows[1:]] == expected["player"].to_list()
        assert not [tag for tag, attributes in found.tags if {"src", "href"} & set(attributes)]
        assert "http" not in text
    assert [tag for tag, _ in Page((tmp_path / "a.HTML").read_text()).tags].count("script") == 1
    first = Page((tmp_path / "league.html").read_text(encoding="utf-8")).rows[1]
    best = EXPECTED.row(0, named=True)
    assert first[:4] == ["1", "–", best["player"], f"{best['shown']:.2f}"]
    assert first[-1] == str(best["last_seen"])


def test_html_page_of_standings_needs_no_optional_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("altair", "vl_convert", "joblib", "optuna"):
        monkeypatch.setitem(__import__("sys").modules, module, None)
    assert run("rate", LEAGUE, "--out", tmp_path / "a.html").exit_code == 0
