"""`prowess papers`: the list of papers, and the output for each paper."""

import json
import re
from pathlib import Path

import pytest

from prowess.cli.output.console import print_json
from prowess.cli.output.tables import print_report
from prowess.lab.report import Claim, Report, Section
from prowess_papers import PAPERS
from tests.cli.running import run
from tests.papers.halo_files import write


def test_papers_command_without_arguments_lists_the_papers_and_their_files() -> None:
    result = run("papers")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.split()[0] for line in result.stdout.splitlines()[::2]] == list(PAPERS)
    assert "needs one or more of FreeForAll.csv, SmallTeam.csv, HeadToHead.csv, LargeTeam.csv" in result.stdout
    assert "needs no data" in result.stdout


def test_papers_command_without_arguments_lists_the_papers_as_json() -> None:
    listed = json.loads(run("papers", "--json").stdout)
    assert [one["name"] for one in listed] == list(PAPERS)
    assert listed[0]["files"] == list(PAPERS["halo2"].files)


def test_papers_command_prints_our_numbers_beside_the_published_numbers(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("papers", "halo2", "--data", write(tmp_path, 40, ("HeadToHead.csv",)), "--small", "--html", page)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "TrueSkill and Elo on Halo 2"
    head = next(line for line in lines if "TrueSkill: ours" in line)
    row = next(line for line in lines if line.startswith("Head to Head  full"))
    assert "33.24" in row
    assert row.index("32.44") + 5 == head.index("TrueSkill: published") + len("TrueSkill: published")
    assert any(line.startswith("• ") and ": Head to Head, all games" in line for line in lines)
    assert f"wrote {page}" in result.stderr
    assert "halo2: " in result.stderr
    text = page.read_text(encoding="utf-8")
    assert "<h1>TrueSkill and Elo on Halo 2</h1>" in text
    assert "vegaEmbed" in text
    assert "<script src=" not in text
    assert not set(result.stdout) & set("\x1b─│…")


def test_paper_on_scores_is_run_on_the_available_files(tmp_path: Path) -> None:
    result = run("papers", "scores", "--data", write(tmp_path, 300, ("HeadToHead.csv",)), "--small", "--json")
    assert result.exit_code == 0, result.output
    assert "Halo 2" in result.stdout
    assert "Premier League" not in str([section["title"] for section in json.loads(result.stdout)["sections"]])


def test_json_output_of_the_papers_command_contains_only_the_report() -> None:
    result = run("papers", "classics", "--small", "--json")
    said = json.loads(result.stdout)
    assert said["sections"][1]["table"][0] == {
        "what": "new rating",
        "printed": "1712.5",
        "ours": "1712.5",
        "agrees": "yes",
    }
    assert said["sections"][3]["claims"][0]["holds"] is True
    assert re.fullmatch(r"Of \d+ claims, .*hold.*", said["sections"][0]["text"])
    assert "the charts are on the page that --html FILE writes" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("halo3",), "error: no paper named 'halo3'; available: halo2, tournaments, scores, classics, best"),
        (("halo2",), "error: halo2 needs --data DIR, a folder with one or more of FreeForAll.csv"),
        (("halo2", "--data", "."), "has none of the files: halo2 needs one or more of FreeForAll.csv"),
        (("halo2", "--data", "."), "(CSV without header, a row per player: datetime, game id, variant, map, player id"),
        (("scores", "--data", "."), "has none of the files: scores needs one or more of premier_league_1995_2009.csv"),
        (("tournaments", "--data", "nowhere"), "folder nowhere not found; tournaments needs a folder with chgk"),
        (("classics", "--html", "page.pdf"), "error: page.pdf: the name must end in .html"),
        (("classics", "--html", "nowhere/page.html"), "error: nowhere/page.html: there is no folder nowhere"),
    ],
)
def test_error_of_the_papers_command_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("papers", *words)
    assert (result.exit_code, result.stdout) == (1, "")
    [line] = result.stderr.splitlines()
    assert line.startswith("error: ")
    assert message in line
    assert list(tmp_path.iterdir()) == []


def test_papers_command_prints_ruled_tables_and_coloured_verdicts_on_a_terminal() -> None:
    result = run("papers", "classics", "--small", FORCE_COLOR="1", COLUMNS="100", TERM="xterm")
    assert result.exit_code == 0
    assert "─" in result.stdout
    assert "\x1b[1;32mholds: " in result.stdout
    assert "\x1b[1;31mdoes not hold: " in result.stdout


def test_markup_and_escape_codes_in_a_report_are_printed_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    import polars as pl

    frame = pl.DataFrame({"name": ["[red]a[/red]", "b\x1b[2J"], "x": [1.5, float("nan")], "n": [3, None]})
    claim = Claim("It works", None, "who knows")
    report = Report("Odd", (Section("A", "", frame, claims=(claim,), bold=frozenset({(0, "x")})), Section("B")))
    print_report(report)
    said = capsys.readouterr().out
    assert "[red]a[/red]" in said
    assert "\x1b" not in said
    assert "• cannot be decided with these data: It works (who knows)" in said
    print_json(report.to_dict())
    plain = json.loads(capsys.readouterr().out)
    assert plain["sections"][0]["table"][1] == {"name": "b\x1b[2J", "x": None, "n": None}
