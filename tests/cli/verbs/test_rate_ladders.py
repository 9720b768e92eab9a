"""`prowess rate` with several files, saved ladders, time spans and groups."""

import json
from pathlib import Path

import polars as pl
import pytest

import prowess as pw
from prowess.model.presets import PRESETS
from tests.cli.running import LEAGUE, TEXTBOOK, WIDE, ruled, run, write

HISTORY = pw.History.read(LEAGUE)
HEAD, *ROWS = LEAGUE.read_text(encoding="utf-8").splitlines(keepends=True)


def weeks(folder: Path) -> tuple[Path, Path]:
    """Write the league to two files: matches until the end of May, and matches of June."""
    early = write(folder, "may.csv", HEAD + "".join(row for row in ROWS if row < "2026-06"))
    return early, write(folder, "june.csv", HEAD + "".join(row for row in ROWS if row >= "2026-06"))


def rated(*words: object) -> list[dict[str, object]]:
    result = run("rate", *words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)  # type: ignore[no-any-return]


def test_several_files_in_any_order_are_rated_as_one_history(tmp_path: Path) -> None:
    early, late = weeks(tmp_path)
    assert rated(late, early) == rated(LEAGUE)
    wide = "".join(f"{i},2026-07-0{i},ann,bob\n" for i in (1, 2))
    other = write(tmp_path, "cup.csv", "nr,date,winner,loser\n" + wide)
    result = run("rate", early, other, "--top", 1)
    assert "cup.csv: 2 matches, 2 players" in result.stderr
    assert f"combined: {len([row for row in ROWS if row < '2026-06']) + 2} matches, 26 players" in result.stderr


def test_match_that_is_in_two_rated_files_counts_once(tmp_path: Path) -> None:
    _, late = weeks(tmp_path)
    assert rated(LEAGUE, late) == rated(LEAGUE)
    result = run("rate", LEAGUE, late)
    assert (
        "are in more than one file and counted once (first: 2026-06-01); use --duplicates keep to count"
        in result.stderr
    )
    assert rated(LEAGUE, late, "--duplicates", "keep") != rated(LEAGUE)


@pytest.mark.parametrize("name", PRESETS)
def test_ladder_resumed_with_later_matches_is_bit_identical_to_a_ladder_from_one_run(tmp_path: Path, name: str) -> None:
    early, late = weeks(tmp_path)
    ladder = tmp_path / "league.prowess"
    assert run("rate", early, "--model", name, "--save", ladder).exit_code == 0
    result = run("rate", late, "--resume", ladder, "--save", ladder, "--json")
    assert result.exit_code == 0, result.output
    assert pw.Ladder.load(ladder) == PRESETS[name]().fit(HISTORY).ladder
    assert json.loads(result.stdout) == rated(LEAGUE, "--model", name, "--period", "week")
    assert {file.name for file in tmp_path.iterdir()} == {"may.csv", "june.csv", "league.prowess"}


def test_resumed_ladder_keeps_its_model(tmp_path: Path) -> None:
    early, late = weeks(tmp_path)
    ladder = tmp_path / "league.prowess"
    run("rate", early, "--set", "beta=3", "--save", ladder)
    for wrong in (("--model", "trueskill"), ("--set", "beta=4"), ("--model", "elo")):
        result = run("rate", late, "--resume", ladder, *wrong)
        assert (result.exit_code, result.stdout) == (1, "")
        assert f"{ladder}: the ladder was saved with another model; leave out the options of" in result.stderr
    assert run("rate", late, "--resume", ladder, "--set", "beta=3").exit_code == 0


def test_resuming_a_ladder_with_earlier_matches_is_an_error(tmp_path: Path) -> None:
    early, late = weeks(tmp_path)
    ladder = tmp_path / "league.prowess"
    run("rate", LEAGUE, "--save", ladder)
    before = ladder.read_bytes()
    result = run("rate", late, "--resume", ladder, "--save", ladder)
    assert result.exit_code == 1
    assert (
        "error: the first match, at 2026-06-01, is before the last match of the ladder, at 2026-06-07" in result.stderr
    )
    assert "leave out matches that are already in the ladder" in result.stderr
    assert "(--since 2026-06-07)" in result.stderr
    assert ladder.read_bytes() == before
    again = run("rate", late, "--resume", ladder, "--since", "2026-06-07")
    assert again.exit_code == 0
    assert "the first match has the same time as the ladder's last match (2026-06-07)" in again.stderr
    nothing = run("rate", early, "--resume", ladder, "--since", "2027", "--json")
    assert [row["player"] for row in json.loads(nothing.stdout)] == [row["player"] for row in rated(LEAGUE)]


def test_since_and_until_options_include_whole_days_months_and_years() -> None:
    chosen = rated(LEAGUE, *TEXTBOOK, "--since", "2025-10", "--until", "2026-01-31")
    expected = pw.TrueSkill().fit(HISTORY.between("2025-10-01", "2026-02-01")).leaderboard()
    assert [(row["player"], row["mu"]) for row in chosen] == expected.select("player", "mu").rows()
    result = run("rate", LEAGUE, "--since", "2030")
    assert "selected by time: 0 of 400 matches" in result.stderr
    assert "no matches, so no standings" in result.stderr


def test_min_matches_option_hides_players_with_fewer_matches() -> None:
    rows = rated(LEAGUE, *TEXTBOOK, "--min-matches", 40)
    expected = pw.TrueSkill().fit(HISTORY).leaderboard().filter(pl.col("matches") >= 40)
    assert [row["player"] for row in rows] == expected["player"].to_list()
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))


@pytest.mark.parametrize(("period", "first"), [("week", "2026-06-01"), ("1m", "2026-05-08"), ("2w", "2026-05-25")])
def test_period_option_counts_back_from_the_last_match(period: str, first: str) -> None:
    expected = pw.TrueSkill().fit(HISTORY).leaderboard(since=first)
    rows = rated(LEAGUE, *TEXTBOOK, "--period", period)
    assert [(row["change"], row["gain"]) for row in rows] == expected.select("change", "gain").rows()
    assert run("rate", LEAGUE, "--period", period).stderr.count("changes are since") == 1


def test_option_period_none_hides_the_column_of_rank_changes() -> None:
    assert "change" not in run("rate", LEAGUE, "--period", "none").output
    assert "change" not in rated(LEAGUE, "--period", "none")[0]


SEASONS = (
    "Season,date,home,away,hg,ag\n2024,2024-05-01,ann,bob,1,0\n2025,2025-05-01,bob,ann,3,0\n"
    "2024,2024-05-02,cat,bob,2,2\n2025,2025-06-20,bob,李雷,1,0\n,2025-06-20,x,y,1,0\n"
)


def test_groups_are_rated_separately_in_one_table(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", SEASONS)
    rows = rated(path, "--by", "season", "--out", tmp_path / "out.csv")
    frames = []
    for name, history in pw.History.read_groups(path, "season").items():
        frame = pw.TrueSkill().fit(history).leaderboard()
        frames.append(frame.select(pl.lit(name).alias("season"), pl.all()))
    expected = pl.concat(frames)
    assert [tuple(row.values())[:4] for row in rows] == [row[:4] for row in expected.rows()]
    assert pl.read_csv(tmp_path / "out.csv").columns == [*expected.columns, "change", "gain"]
    lines = run("rate", path, "--by", "season").stdout.splitlines()
    assert lines[0].split()[:3] == ["season", "rank", "player"]
    assert len(lines) == 1 + len(expected)
    assert [row["rank"] for row in rated(path, "--by", "season", "--top", 1)] == [1, 1, 1]


def test_each_group_has_its_own_table_on_a_terminal_and_on_a_page(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", SEASONS)
    shown = ruled("rate", path, "--by", "season", "--out", tmp_path / "a.html")
    heads = ["season 2024: after 2024-05-02", "season 2025: after 2025-06-20, change since 2025-06-13", "season (none)"]
    assert [shown.index(head) for head in heads] == sorted(shown.index(head) for head in heads)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert page.count("<table>") == 3
    assert '<h2 id="group1">season 2025</h2>' in page
    assert '<a href="#group1">season 2025</a>' in page


def test_group_of_matches_may_span_several_files(tmp_path: Path) -> None:
    head, *rows = SEASONS.splitlines(keepends=True)
    one, other = write(tmp_path, "a.csv", head + "".join(rows[:2])), write(tmp_path, "b.csv", head + "".join(rows[2:]))
    whole = write(tmp_path, "c.csv", SEASONS)
    assert rated(one, other, "--by", "season") == rated(whole, "--by", "season")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("a.csv", "./a.csv"), "error: a.csv is listed twice"),
        (("a.csv", "none.csv"), "error: none.csv has no times, but others have: give times to all of them"),
        (("a.csv", "--by", "year"), "error: a.csv: no column 'year' to group by; the columns are 'date', 'home'"),
        (("a.csv", "--by", "rank"), "error: --by rank: the standings already have a column with this name"),
        (("a.csv", "--by", "home", "--save", "x.prowess"), "error: --by makes a ladder for each group"),
        (("a.csv", "--resume", "x.prowess"), "error: x.prowess: file not found"),
        (("a.csv", "--resume", "a.csv"), "error: a.csv is given both as FILE and with --resume"),
        (("a.csv", "--resume", "x.json", "--out", "x.json"), "error: x.json: --out would overwrite --resume"),
        (("a.csv", "--since", "someday"), "error: 'someday' isn't a date I understand"),
        (("a.csv", "--until", "2026-02-31"), "error: '2026-02-31' is not a date"),
        (("none.csv", "--since", "2026"), "error: these matches have no times"),
        (("none.csv", "--period", "week"), "error: these matches have no times"),
        (("a.csv", "--period", "fortnight"), "error: 'fortnight' is not a period: use hour, day, week"),
    ],
)
def test_error_about_ladders_or_groups_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "a.csv", WIDE)
    write(tmp_path, "none.csv", "winner,loser\nann,bob\n")
    before = {file.name for file in tmp_path.iterdir()}
    result = run("-q", "rate", *words)
    assert (result.exit_code, result.stdout) == (1, "")
    [line] = result.stderr.splitlines()
    assert message in line
    assert {file.name for file in tmp_path.iterdir()} == before


def test_scale_option_shows_ratings_in_points_ranked_by_the_mean() -> None:
    plain, scaled = rated(LEAGUE), rated(LEAGUE, "--scale", "1500,400")
    beside = ("rank", "change")
    by_name = {row["player"]: {key: row[key] for key in plain[0] if key not in beside} for row in scaled}
    assert by_name == {row["player"]: {key: row[key] for key in row if key not in beside} for row in plain}
    points = [row["points"] for row in scaled]
    assert points == sorted(points, reverse=True)  # type: ignore[type-var]
    conservative = rated(LEAGUE, "--scale", "1500,400", "--ranking", "conservative")
    assert [{key: row[key] for key in plain[0]} for row in conservative] == plain
    assert all(row["points_low"] < row["points"] < row["points_high"] for row in scaled)  # type: ignore[operator]
    result = run("rate", LEAGUE, *TEXTBOOK, "--scale", "1500,400")
    assert "μ" not in result.stdout
    assert "1  Rosa María  2124 ± 242" in result.stdout
    assert (
        "rating in points: newcomers have 1500 points, and a lead of 400 points means win odds of 10:1;"
        in result.stderr
    )
    assert "μ − 3σ" not in result.stderr
    cautious = run("rate", LEAGUE, *TEXTBOOK, "--scale", "1500,400", "--ranking", "conservative")
    assert "skills in points: newcomers have 1500 points" in cautious.stderr  # their rating is far below
    assert "rating in points" not in cautious.stderr
    elo = run("rate", LEAGUE, "--scale", "1500,400", "--model", "elo")
    assert "±" not in elo.stdout + elo.stderr


def test_saved_ladder_keeps_its_scale_until_another_scale_is_given(tmp_path: Path) -> None:
    early, late = weeks(tmp_path)
    saved = tmp_path / "league.prowess"
    run("rate", early, "--save", saved, "--scale", "1500,400")
    assert "points" in rated(late, "--resume", saved)[0]
    assert "points" not in rated(late, "--resume", saved, "--scale", "none")[0]
    assert 900 < rated(late, "--resume", saved, "--scale", "1000,100")[0]["points"] < 1400  # type: ignore[operator]
    assert pw.Ladder.load(saved).scale == (1500, 400)


def test_scale_option_works_with_groups_streams_and_output_files(tmp_path: Path) -> None:
    groups = write(tmp_path, "a.csv", "day,winner,loser,town\n1,ann,bob,x\n2,cat,dan,y\n3,ann,bob,x\n")
    small, large = (rated(groups, "--by", "town", "--scale", scale) for scale in ("0,1", "0,1000"))
    assert [1000 * row["points"] for row in small] == pytest.approx([row["points"] for row in large])  # type: ignore[operator]
    assert "points" in rated(LEAGUE, "--scale", "1500,400", "--stream")[0]
    page, table = tmp_path / "a.html", tmp_path / "a.csv"
    run("rate", LEAGUE, *TEXTBOOK, "--scale", "1500,400", "--out", page)
    text = page.read_text(encoding="utf-8")
    assert "<button>±</button>" in text
    assert ">2124</td>" in text
    assert "newcomers have 1500 points" in text
    assert "<button>σ</button>" not in text
    assert "points_low" not in text
    run("rate", LEAGUE, "--scale", "1500,400", "--out", table)
    assert pl.read_csv(table).columns[-5:] == ["points", "points_low", "points_high", "change", "gain"]


@pytest.mark.parametrize("scale", ["1500", "1500,400,1", "a,b", ""])
def test_scale_option_must_be_two_numbers(scale: str) -> None:
    result = run("rate", LEAGUE, "--scale", scale)
    assert result.exit_code == 2
    assert "two numbers such as 1500,400" in result.stderr


def test_second_number_of_the_scale_option_must_be_positive() -> None:
    result = run("rate", LEAGUE, "--scale", "1500,0")
    assert result.exit_code == 1
    assert "the second number of --scale must be a finite number above 0" in result.stderr
