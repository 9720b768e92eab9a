import json
import re
from pathlib import Path

import polars as pl
import pytest
from rich.cells import cell_len

import prowess as pw
from tests.cli.running import LEAGUE, TEXTBOOK, run, screened, write

FIT = pw.TrueSkill().fit(pw.History.read(LEAGUE))
WHY = FIT.explain("Ada")


def test_explain_prints_an_explanation_in_sentences_and_a_table_of_matches() -> None:
    result = run("explain", LEAGUE, *TEXTBOOK, "ada")
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
    assert "reading 'ada' as 'Ada'" in result.stderr


@pytest.mark.parametrize(("last", "rows"), [(3, 3), (0, 34), (1000, 34)])
def test_explain_last_option_limits_the_matches_shown(last: int, rows: int) -> None:
    result = run("explain", LEAGUE, *TEXTBOOK, "Ada", "--last", last)
    assert len(re.findall(r"^20\d\d-", result.stdout, re.M)) == rows
    assert ("31 earlier matches; --last 0 shows all" in result.stderr) == (last == 3)


def test_explained_rating_changes_in_json_add_up_to_the_rating() -> None:
    found = json.loads(run("explain", LEAGUE, "Ada", "--json", "--model", "glicko2").stdout)
    moved = sum(row["moved"] + row["drifted"] for row in found["matches"])
    assert found["start"]["mu"] + moved == pytest.approx(found["now"]["mu"])
    assert len(json.loads(run("explain", LEAGUE, *TEXTBOOK, "Ada", "--json", "--last", 2).stdout)["matches"]) == 2


def test_explain_writes_csv_parquet_and_html(tmp_path: Path) -> None:
    csv, page, parquet = tmp_path / "ada.csv", tmp_path / "ada.html", tmp_path / "ada.parquet"
    assert run("explain", LEAGUE, *TEXTBOOK, "Ada", "--out", csv, "--html", page).exit_code == 0
    assert pl.read_csv(csv)["moved"].to_list() == WHY.matches["moved"].to_list()
    assert WHY.sentences[1] in page.read_text(encoding="utf-8")
    assert run("explain", LEAGUE, *TEXTBOOK, "Ada", "--out", parquet).exit_code == 0
    assert pl.read_parquet(parquet).equals(WHY.matches)
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("Add",), "no player named 'Add' among 24 players; did you mean 'Ada'?"),
        (("Ada", "--out", "ada.pdf"), "must end in .csv"),
        (("Ada", "--html", "nowhere/ada.html"), "there is no folder"),
    ],
)
def test_explain_refuses_wrong_arguments_with_an_error(words: tuple[str, ...], message: str) -> None:
    result = run("explain", LEAGUE, *TEXTBOOK, *words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr


def test_explain_refuses_a_saved_ladder_because_it_has_no_matches(tmp_path: Path) -> None:
    FIT.ladder.save(tmp_path / "league.prowess")
    result = run("explain", tmp_path / "league.prowess", "Ada")
    assert result.exit_code == 1
    assert "a saved ladder has no matches" in result.stderr


@pytest.mark.parametrize("width", [80, 140])
def test_explain_output_fits_the_terminal(tmp_path: Path, width: int) -> None:
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


def test_explain_with_a_scale_shows_ratings_in_points() -> None:
    result = run("explain", LEAGUE, *TEXTBOOK, "Priya", "--scale", "1500,400", "--last", 3)
    assert "Priya started at 1500 ± 897 and is now rated 2012 ± 257" in result.stdout
    assert "−116    2012" in result.stdout
    assert "μ" not in result.stdout + result.stderr
    plain = json.loads(run("explain", LEAGUE, *TEXTBOOK, "Priya", "--scale", "1500,400", "--json").stdout)
    assert round(plain["now"]["points"]) == round(plain["matches"][-1]["points_after"]) == 2012


def test_hindsight_shows_what_is_known_now_beside_what_was_known_then(tmp_path: Path) -> None:
    curve = pw.TrueSkill().hindsight(pw.History.read(LEAGUE)).curve("Ada")
    result = run("explain", LEAGUE, *TEXTBOOK, "Ada", "--hindsight")
    heads, *rows = result.stdout.splitlines()[len(WHY.sentences) + 2 :]
    assert heads.split()[-2:] == ["rating", "hindsight"]
    assert [float(row.split()[-1]) for row in rows] == curve["shown"].round(2).to_list()
    assert "In hindsight, given all matches, Ada was rated" in result.stdout
    found = json.loads(run("explain", LEAGUE, *TEXTBOOK, "Ada", "--hindsight", "--json").stdout)
    assert [row["mu_hindsight"] for row in found["matches"]] == curve["mu"].to_list()
    out = tmp_path / "ada.csv"
    assert run("explain", LEAGUE, *TEXTBOOK, "Ada", "--hindsight", "--scale", "1500,400", "--out", out).exit_code == 0
    assert pl.read_csv(out).columns[-4:] == ["mu_hindsight", "sigma_hindsight", "shown_hindsight", "points_hindsight"]
    screen = screened(100, "explain", LEAGUE, *TEXTBOOK, "Ada", "--hindsight").stdout
    assert screen.index("known then:") < screen.index("known now:")


def test_page_shows_both_curves_only_if_the_model_has_a_hindsight(tmp_path: Path) -> None:
    title = "What was known then, and what is known now"
    for model, shown in (("trueskill", True), ("elo", False)):
        page = tmp_path / f"{model}.html"
        assert run("explain", LEAGUE, "--model", model, "Ada", "--html", page).exit_code == 0
        assert (title in page.read_text(encoding="utf-8")) == shown


def test_explain_without_the_option_has_no_hindsight() -> None:
    assert "hindsight" not in run("explain", LEAGUE, *TEXTBOOK, "Ada").output
    result = run("explain", LEAGUE, "--model", "elo", "Ada", "--hindsight")
    assert result.exit_code == 1
    assert "cannot use a whole history" in result.stderr


def test_match_that_does_not_count_has_no_rating_in_hindsight(tmp_path: Path) -> None:
    games = "winner,loser,importance\nann,bob,1\nann,cat,0\nbob,ann,1\n"
    path = write(tmp_path, "games.csv", games)
    result = run("explain", path, *TEXTBOOK, "ann", "--hindsight")
    assert result.exit_code == 0, result.stderr
    assert "–" in result.stdout or "cat" not in result.stdout


def test_win_that_costs_skill_says_how_high_a_win_was_expected(tmp_path: Path) -> None:
    path = tmp_path / "margins.csv"
    scores = ["5,0"] * 5 + ["1,0"]
    rows = [f"2026-01-0{day},ann,bob,{score}" for day, score in enumerate(scores, 1)]
    path.write_text("\n".join(["date,team1,team2,score1,score2", *rows]) + "\n", encoding="utf-8")
    result = run("explain", path, "ann", "--model", "GaussianSD", "--set", "beta=0.1", "--set", "gamma=1")
    assert result.exit_code == 0, result.output
    *_, before, last = [line for line in result.stdout.splitlines() if line.startswith("2026-01-0")]
    assert re.search(r"won +1:0 +to win by [345](\.\d)? +−", last)
    assert re.search(r"won +5:0 +\d+ % +", before)
