import json
import re
from pathlib import Path

import polars as pl
import pytest
from rich.cells import cell_len

import prowess as pw
from prowess.cli.output.plots import line_chart
from tests.cli.running import LEAGUE, run, screened, write

FIT = pw.TrueSkill().fit(pw.History.read(LEAGUE))
WHY = FIT.explain("Ada")


def test_words_and_matches() -> None:
    result = run("explain", LEAGUE, "ada")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[: len(WHY.sentences)] == list(WHY.sentences)
    table = lines[len(WHY.sentences) + 1 :]
    assert table[0].split() == ["time", "against", "result", "expected", "moved", "rating"]
    assert len(table) == 1 + len(WHY.matches)
    last = WHY.matches.row(-1, named=True)
    assert table[-1].split() == [
        str(last["time"]),
        *last["opponents"],
        "lost",
        f"{last['score']:g}:{last['against']:g}",
        f"{100 * last['expected']:.0f}",
        "%",
        f"{last['moved']:.2f}".replace("-", "−"),
        f"{FIT['Ada'].shown:.2f}",
    ]
    assert "'ada' is taken to be 'Ada'" in result.stderr


@pytest.mark.parametrize(("last", "rows"), [(3, 3), (0, 34), (1000, 34)])
def test_last(last: int, rows: int) -> None:
    result = run("explain", LEAGUE, "Ada", "--last", last)
    assert len(re.findall(r"^20\d\d-", result.stdout, re.M)) == rows
    assert ("31 earlier matches: --last 0 shows all" in result.stderr) == (last == 3)


def test_json_adds_up() -> None:
    found = json.loads(run("explain", LEAGUE, "Ada", "--json", "--model", "glicko2").stdout)
    moved = sum(row["moved"] + row["drifted"] for row in found["matches"])
    assert found["start"]["mu"] + moved == pytest.approx(found["now"]["mu"])
    assert len(json.loads(run("explain", LEAGUE, "Ada", "--json", "--last", 2).stdout)["matches"]) == 2


def test_files(tmp_path: Path) -> None:
    csv, page, parquet = tmp_path / "ada.csv", tmp_path / "ada.html", tmp_path / "ada.parquet"
    assert run("explain", LEAGUE, "Ada", "--out", csv, "--html", page).exit_code == 0
    assert pl.read_csv(csv)["moved"].to_list() == WHY.matches["moved"].to_list()
    assert WHY.sentences[1] in page.read_text(encoding="utf-8")
    assert run("explain", LEAGUE, "Ada", "--out", parquet).exit_code == 0
    assert pl.read_parquet(parquet).equals(WHY.matches)
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("Add",), "no player is called 'Add' (did you mean 'Ada'?)"),
        (("Ada", "--out", "ada.pdf"), "must end in .csv"),
        (("Ada", "--html", "nowhere/ada.html"), "there is no folder"),
    ],
)
def test_what_cannot_be(words: tuple[str, ...], said: str) -> None:
    result = run("explain", LEAGUE, *words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr


def test_a_ladder_has_no_matches_to_explain(tmp_path: Path) -> None:
    FIT.ladder.save(tmp_path / "league.prowess")
    result = run("explain", tmp_path / "league.prowess", "Ada")
    assert result.exit_code == 1
    assert "a ladder keeps no matches" in result.stderr


@pytest.mark.parametrize("width", [80, 140])
def test_screens_stay_within_their_width(tmp_path: Path, width: int) -> None:
    crowd = [f"Игрок номер {k}" for k in range(30)]
    rows = [f"2026-01-{k + 1:02},王小明;{crowd[k]},{';'.join(crowd[k + 1 : k + 9])},{k % 3},1\n" for k in range(20)]
    path = write(tmp_path, "world.csv", "date,team1,team2,score1,score2\n" + "".join(rows))
    result = screened(width, "explain", path, "王小明")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert max(map(cell_len, lines)) <= width
    table = [line for line in lines if line.startswith(" 2026-01-")]
    assert len(table) == 20
    assert len({cell_len(line) for line in table}) == 1
    assert any("┼" in line for line in lines)


def test_a_line_is_as_high_as_the_numbers() -> None:
    values = [0.0, 1.0, 4.0, 2.0, 2.0, 3.0]
    rows = line_chart(values, len(values), height=5, digits=0)
    assert [row.split()[0] for row in rows] == ["4", "3", "2", "1", "0"]
    ends = {column: [y for y, row in enumerate(rows) if row[3:].ljust(9)[column] in "╭╰─"] for column in range(5)}
    assert [4 - ends[column][-1 if values[column + 1] < values[column] else 0] for column in range(5)] == [
        1,
        4,
        2,
        2,
        3,
    ]
    assert len(line_chart([5.0], 30)) == 7
    assert len(line_chart([1.0] * 500, 30)[0]) < 40
