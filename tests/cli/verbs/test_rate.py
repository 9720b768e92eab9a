import json
import os
import stat
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from rich.cells import cell_len

import prowess as pw
from tests.cli.running import LEAGUE, LONG, TEXTBOOK, WIDE, command, environment, run, write

EXPECTED = pw.TrueSkill().fit(pw.History.read(LEAGUE)).leaderboard(since="2026-06-01")  # as by default


def table(text: str) -> list[list[str]]:
    """Return the cells of a plain table, whose columns are two spaces apart."""
    return [[cell.strip() for cell in line.strip().split("  ") if cell.strip()] for line in text.splitlines()]


@pytest.mark.parametrize("text", [WIDE, LONG])
def test_rate_accepts_long_and_wide_files(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, "games.csv", text)
    result = run("rate", path)
    assert result.exit_code == 0
    heads, *rows = table(result.stdout)
    assert heads == ["rank", "player", "rating", "μ ± σ", "matches", "last seen"]
    ladder = pw.Ladder(pw.TrueSkill())
    ladder.record([["ann"], ["bob"]], time="2026-01-31")
    ladder.record([["bob"], ["cat"]], ranks=[1, 1], time="2026-02-01")
    ladder.record([["ann"], ["cat"]], time="2026-02-02")
    assert [row[1] for row in rows] == ladder.leaderboard()["player"].to_list()
    ann = ladder["ann"]
    assert rows[0] == ["1", "ann", f"{ann.shown:.2f}", f"{ann.mu:.2f} ± {ann.sigma:.2f}", "2", "2026-02-02"]


def test_detected_layout_is_printed_to_standard_error(tmp_path: Path) -> None:
    result = run("rate", write(tmp_path, "games.csv", WIDE))
    assert "home=home, away=away, home_score=hg" in result.stderr
    assert "games.csv: 3 matches, 3 players\n" in result.stderr
    assert "home" not in result.stdout


def test_piped_standings_are_plain_and_complete() -> None:
    result = run("rate", LEAGUE, *TEXTBOOK, COLUMNS="30")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split()[-2] for line in lines[1:]] == EXPECTED["last_seen"].cast(str).to_list()
    assert len(lines) == 1 + len(EXPECTED)
    assert len({len(line) for line in lines}) == 1
    assert not set(result.stdout + result.stderr) & set("\x1b─│┃━╭…")


@pytest.mark.parametrize(("top", "rows"), [(0, 24), (3, 3), (24, 24), (1000, 24)])
def test_top_option_limits_the_players_in_the_standings(top: int, rows: int) -> None:
    result = run("rate", LEAGUE, "--top", top)
    assert len(result.stdout.splitlines()) == 1 + rows
    assert ("21 more players; --top 0 shows all" in result.stderr) == (top == 3)


def test_rate_shows_a_ruled_table_of_twenty_players_on_a_terminal() -> None:
    result = run("rate", LEAGUE, *TEXTBOOK, FORCE_COLOR="1", COLUMNS="100", TERM="xterm")
    names = [name for name in EXPECTED["player"] if name in result.stdout]
    assert names == EXPECTED["player"][:20].to_list()
    assert "\x1b[1m" in result.stdout
    assert "─" in result.stdout
    assert "4 more players" in result.stderr


def test_rate_json_has_all_players() -> None:
    expected = json.loads(EXPECTED.with_columns(pl.col("last_seen").cast(str)).write_json())
    assert json.loads(run("rate", LEAGUE, *TEXTBOOK, "--json").stdout) == expected
    assert [row["rank"] for row in json.loads(run("rate", LEAGUE, "--json", "--top", 2).stdout)] == [1, 2]


TWICE = """
import sys
from prowess.cli import main
for words in (["--json"], []):
    sys.argv = ["prowess", "rate", *words, "--model", "trueskill", sys.argv[-1]]
    try:
        main()
    except SystemExit as end:
        assert not end.code
    print()
"""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_rate_writes_json_and_a_table_to_a_pipe_with_a_legacy_encoding(encoding: str) -> None:
    line = [sys.executable, "-c", TWICE, str(LEAGUE)]
    done = subprocess.run(line, env=environment(PYTHONIOENCODING=encoding), capture_output=True, check=True)
    rows, standings = done.stdout.strip().split(b"\n\n")
    assert [row["player"] for row in json.loads(rows)] == EXPECTED["player"].to_list()
    assert len(standings.splitlines()) == 1 + len(EXPECTED)


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.json", "OUT.CSV"])
def test_output_file_of_rate_has_all_standings(tmp_path: Path, name: str) -> None:
    write(tmp_path, name, "old")
    result = run("rate", LEAGUE, *TEXTBOOK, "--out", tmp_path / name, "--top", 1)
    assert result.exit_code == 0
    assert f"wrote {tmp_path / name}" in result.stderr
    read = {".csv": pl.read_csv, ".parquet": pl.read_parquet, ".json": pl.read_json}[Path(name).suffix.lower()]
    found = read(tmp_path / name)
    if found["last_seen"].dtype == pl.String:
        found = found.with_columns(pl.col("last_seen").str.to_date())
    assert found.equals(EXPECTED, null_equal=True)
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_output_file_of_rate_has_the_usual_permissions(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        run("rate", LEAGUE, "--out", tmp_path / "a.csv")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a.csv").stat().st_mode) == 0o644


def test_columns_option_of_rate_maps_roles_to_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "who,won=,note\nann,bob,x\nann,bob,y\n")
    result = run("rate", path, "--columns", "winner=won=", "--columns", "loser=who")
    assert [row[1] for row in table(result.stdout)] == ["player", "bob", "ann"]
    path = write(tmp_path, "b.csv", "winner,loser,time\nann,bob,someday\n")
    assert run("rate", path).exit_code == 1
    assert run("rate", path, "--columns", "time=").exit_code == 0


def test_set_option_of_rate_changes_a_model_parameter(tmp_path: Path) -> None:
    path = write(tmp_path, "games.csv", WIDE)
    rows = json.loads(run("rate", path, "--set", "draw_probability=0.4", "--json").stdout)
    fit = pw.TrueSkill(draw_probability=0.4).fit(pw.History.read(path))
    assert rows[0]["mu"] == fit["ann"].mu != pw.TrueSkill().fit(pw.History.read(path))["ann"].mu


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("missing.csv",), "error: missing.csv: file not found"),
        (("folder.csv",), "error: folder.csv: this is a folder; name a file in it"),
        (
            ("games.csv", "--columns", "home=nix"),
            "column 'nix', given for the role 'home', not found; the columns are 'date', 'home'",
        ),
        (("games.csv", "--columns", "nix=home"), "unknown role 'nix'"),
        (("games.csv", "--columns", "home=away", "--columns", "home=home"), "the role 'home' is set twice"),
        (("games.csv", "--out", "a.pdf"), "error: a.pdf: the name must end in .csv, .parquet, .json or .html"),
        (("games.csv", "--out", "nowhere/a.csv"), "error: nowhere/a.csv: there is no folder nowhere"),
        (("games.csv", "--out", "folder.csv"), "error: folder.csv: cannot be written"),
        (("games.csv", "--out", "./games.csv"), "error: games.csv: --out would overwrite FILE"),
        (("games.csv", "--save", "games.csv"), "error: games.csv: --save would overwrite FILE"),
        (("games.csv", "--out", "a.csv", "--save", "a.csv"), "error: a.csv: --save would overwrite --out"),
        (("games.csv", "--save", "league"), "error: league: the name must end in .prowess"),
        (("games.csv", "--set", "draw_probability=2"), "error: draw_probability must"),
        (("broken.csv", "--strict"), "error: broken.csv, line 3: column 'hg' holds 'x': this is not a number"),
        (("odd.csv",), "--columns winner=who --columns 'loser=won by', the first matches are: ann beat bob"),
        (("games.csv", "--since", "banana"), "(add Z or +02:00 for a zone), or a plain number"),
        (("bytes.csv",), "error: bytes.csv"),
    ],
)
def test_error_of_the_rate_command_is_one_line_and_exits_with_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "games.csv", WIDE)
    write(tmp_path, "broken.csv", WIDE.replace("2,2", "x,2"))
    write(tmp_path, "odd.csv", "who,won by\nann,bob\n")
    (tmp_path / "bytes.csv").write_bytes(b"\x00\xff\x1b[31m\n\xfe")
    (tmp_path / "folder.csv").mkdir()
    before = {file.name for file in tmp_path.iterdir()}
    result = run("rate", *words)
    assert (result.exit_code, result.stdout) == (1, "")
    *_, last = (line for line in result.stderr.splitlines() if "--ask" not in line)
    assert last.startswith("error: ")
    assert message in last
    assert "`" not in last
    assert result.stderr.count("error: ") == 1
    assert "\x1b" not in result.stderr
    assert {file.name for file in tmp_path.iterdir()} == before
    assert (tmp_path / "games.csv").read_text() == WIDE


def test_rate_error_in_a_separate_process_is_one_line() -> None:
    result = command("rate", "missing.csv")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "error: missing.csv: file not found\n"


def test_columns_option_without_equals_sign_exits_with_code_2() -> None:
    result = run("rate", LEAGUE, "--columns", "winner")
    assert result.exit_code == 2
    assert "ROLE=NAME" in result.stderr


NAMES = ["Анна", "李雷", "ann 😀", "[red]bold[/red]", ":smile:", "Zoë"]


def test_player_names_are_printed_unchanged(tmp_path: Path) -> None:
    rows = "".join(f"{one},{other}\n" for one, other in pairwise(NAMES))
    result = run("rate", write(tmp_path, "a.csv", "winner,loser\n" + rows))
    assert all(name in result.stdout for name in NAMES)
    assert len({cell_len(line) for line in result.stdout.splitlines()}) == 1
    standings = json.loads(run("rate", tmp_path / "a.csv", "--json").stdout)
    assert {row["player"] for row in standings} == set(NAMES)
    assert set(pl.read_csv(_written(tmp_path / "a.csv"))["player"]) == set(NAMES)


def _written(source: Path) -> Path:
    run("rate", source, "--out", source.with_name("out.csv"))
    return source.with_name("out.csv")


def test_control_characters_in_names_are_not_printed(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", 'winner,loser\n"a\x1b[2Jb","c\nd"\n')
    result = run("rate", path, "--rosters", "")
    assert "\x1b" not in result.output
    assert len(result.stdout.splitlines()) == 3


def test_rating_a_file_with_only_a_header_gives_an_empty_table(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "winner,loser\n")
    result = run("rate", path)
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1)
    assert "no matches, so no standings" in result.stderr
    assert json.loads(run("rate", path, "--json").stdout) == []
    for name in ("b.csv", "b.parquet", "b.json", "b.html"):
        assert run("rate", path, "--out", tmp_path / name).exit_code == 0
    assert pl.read_parquet(tmp_path / "b.parquet").columns == EXPECTED.columns
    assert run("rate", write(tmp_path, "c.csv", "")).exit_code == 1


@pytest.mark.parametrize(
    ("time", "shown", "iso"),
    [
        ("20260131", "2026-01-31", "2026-01-31"),
        ("3", "3", 3.0),
        ("1.5", "1.5", 1.5),
        ("2026-01-31T18:30:00", "2026-01-31 18:30", "2026-01-31T18:30:00"),
        ("2026-01-31T18:30:00+02:00", "2026-01-31 16:30 UTC", "2026-01-31T16:30:00+00:00"),
    ],
)
def test_table_shows_when_each_player_was_last_seen(tmp_path: Path, time: str, shown: str, iso: object) -> None:
    path = write(tmp_path, "a.csv", f"winner,loser,time\nann,bob,{time}\n")
    assert [row[-1] for row in table(run("rate", path).stdout)] == ["last seen", shown, shown]
    assert json.loads(run("rate", path, "--json").stdout)[0]["last_seen"] == iso


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_rate_into_a_closed_pipe_prints_no_traceback(tmp_path: Path) -> None:
    rows = "".join(f"player {i},player {i + 1}\n" for i in range(20_000))
    path = write(tmp_path, "a.csv", "winner,loser\n" + rows)
    line = f'"{sys.executable}" -m prowess rate "{path}" | head -1'
    done = subprocess.run(line, shell=True, env=environment(), capture_output=True, encoding="utf-8", check=False)
    assert done.stdout.split()[:2] == ["rank", "player"]
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.parametrize(("draws", "advice"), [(0, "0"), (10, None), (60, "0.3")])
def test_rate_suggests_another_draw_probability_if_draws_are_rare_or_frequent(
    tmp_path: Path, draws: int, advice: str | None
) -> None:
    rows = [f"p{i % 7},p{7 + i % 5},{int(i >= draws)},0" for i in range(200)]
    file = tmp_path / "league.csv"
    file.write_text("home,away,hg,ag\n" + "\n".join(rows) + "\n", encoding="utf-8")
    notes = run("rate", file, *TEXTBOOK).stderr
    assert ("--set draw_probability" in notes) == (advice is not None)
    if advice is not None:
        assert f"--set draw_probability={advice}" in notes
        assert "--set draw_probability" not in run("rate", file, "--set", f"draw_probability={advice}").stderr


def test_rate_uses_the_separator_and_time_format_options(tmp_path: Path) -> None:
    file = tmp_path / "liga.csv"
    file.write_text("datum:winner:loser\n31~01~2026:ann:bob\n", encoding="utf-8")
    words = ("rate", file, "--separator", ":", "--columns", "time=datum")
    wrong = run(*words)
    assert wrong.exit_code == 1
    assert "--time-format" in wrong.stderr
    right = run(*words, "--time-format", "%d~%m~%Y")
    assert right.exit_code == 0
    assert "2026-01-31" in right.stdout


OLD_AND_NEW = """date,winner,loser
1990-01-01,old,ann
1990-01-02,old,bob
2026-01-01,bob,ann
2026-01-02,bob,cat
"""


def test_inactive_players_are_hidden_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path, "games.csv", OLD_AND_NEW)
    result = run("rate", path, "--period", "none")
    rows = table(result.stdout)
    assert [row[:2] for row in rows[1:]] == [["1", "bob"], ["2", "cat"], ["3", "ann"]]
    assert "1 inactive player, last seen before 2022-05-28, not shown; --all shows them" in result.stderr
    everybody = run("rate", path, "--period", "none", "--all")
    heads, *rows = table(everybody.stdout)
    assert {(row[1], row[heads.index("active")]) for row in rows} == {
        ("old", "no"),
        ("ann", "yes"),
        ("bob", "yes"),
        ("cat", "yes"),
    }
    assert "not shown" not in everybody.stderr


def test_terminal_shows_inactive_players_in_grey(tmp_path: Path) -> None:
    path = write(tmp_path, "games.csv", OLD_AND_NEW)
    result = run("rate", path, "--all", FORCE_COLOR="1", COLUMNS="100")
    [line] = [line for line in result.stdout.splitlines() if "old" in line]
    assert "\x1b[90m" in line


def test_files_and_json_output_include_inactive_players(tmp_path: Path) -> None:
    path, out = write(tmp_path, "games.csv", OLD_AND_NEW), tmp_path / "standings.csv"
    found = json.loads(run("rate", path, "--json", "--out", out).stdout)
    assert {row["player"]: row["active"] for row in found} == {"old": False, "ann": True, "bob": True, "cat": True}
    assert pl.read_csv(out).sort("player")["active"].to_list() == [True, True, True, False]
    page = tmp_path / "standings.html"
    run("rate", path, "--out", page)
    active, inactive = page.read_text().split("<details")
    assert (">old<" in active, ">old<" in inactive, ">bob<" in active) == (False, True, True)


def test_rate_reads_context_only_to_choose_a_model_or_if_an_option_asks_for_it(tmp_path: Path) -> None:
    path = write(tmp_path, "games.csv", "winner,loser,surface\na,b,clay\nb,a,grass\na,b,clay\n")
    assert "ignored: surface" in run("rate", path, "--model", "trueskill").stderr
    assert "context: surface (match)" in run("rate", path).stderr
    assert "context: surface (match)" in run("rate", path, "--context", "surface").stderr
    by_surface = run("rate", path, "--by", "surface", "--json")
    assert {row["surface"] for row in json.loads(by_surface.stdout)} == {"clay", "grass"}


def test_json_matches_can_be_rated_separately_by_a_context_column(tmp_path: Path) -> None:
    lines = [
        '{"teams": [["a"], ["b"]], "context": {"map": "dust"}}',
        '{"teams": [["b"], ["a"]], "context": {"map": "mill"}}',
    ]
    path = write(tmp_path, "games.jsonl", "\n".join(lines))
    rows = json.loads(run("rate", path, "--by", "map", "--json").stdout)
    assert {(row["map"], row["player"]) for row in rows if row["rank"] == 1} == {("dust", "a"), ("mill", "b")}


def test_repeated_remarks_of_groups_are_printed_once(tmp_path: Path) -> None:
    rows = [
        f"{number},{'AB'[number % 2]},2026-01-{number + 1:02d} 10:00,p{number % 3 + place},{place}"
        for number in range(20)
        for place in (1, 2)
    ]
    file = write(tmp_path, "x.csv", "match,map,recorded,player,place\n" + "\n".join(rows))
    result = run("rate", file, "--by", "map", *TEXTBOOK)
    assert result.exit_code == 0, result.stderr
    assert result.stderr.count("'recorded' is read as the time of a match") == 1
