import gzip
import json
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import polars as pl
import pytest

from prowess.errors import Error
from prowess.history import History

GAMES = "date,home,away,hg,ag\n2026-01-31,ann,bob,1,0\n2026-02-01,bob,cat,2,2\n"
EXPECTED = History.from_matches(
    [
        {"teams": [["ann"], ["bob"]], "scores": [1, 0], "time": "2026-01-31", "home": 0},
        {"teams": [["bob"], ["cat"]], "scores": [2, 2], "time": "2026-02-01", "home": 0},
    ]
)


def write(folder: Path, name: str, text: str | bytes) -> Path:
    content = text.encode() if isinstance(text, str) else text
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("games.csv", GAMES),
        ("GAMES.CSV", GAMES),
        ("games.csv.gz", GAMES),
        ("games.csv", "\ufeff" + GAMES),
        ("games.csv", GAMES.replace("\n", "\r\n")),
        ("games.csv", GAMES.replace(",", ";")),
        ("games.csv", GAMES.replace(",", "|")),
        ("games.txt", GAMES.replace(",", "\t")),
        ("games.tsv.gz", GAMES.replace(",", "\t")),
        ("games.csv", GAMES.replace("\n2026-02", "\n\n2026-02") + "\n\n"),
        ("games.csv", GAMES.replace("date", '"date"').replace("ann", '"ann"')),
        ("games.csv", GAMES.rstrip()),
        ("games.csv", GAMES.replace("\n", ",\n").replace("ag,", 'ag,"note; of; the; home; team; a; b"')),
    ],
)
def test_history_is_read_from_text_files_of_every_format(tmp_path: Path, name: str, text: str) -> None:
    assert History.read(write(tmp_path, name, text)) == EXPECTED
    assert History.read(str(tmp_path / name)) == EXPECTED


def test_separator_option_sets_the_separator(tmp_path: Path) -> None:
    path = write(tmp_path, "games.csv", GAMES.replace(",", ":"))
    assert History.read(path, separator=":") == EXPECTED


def test_history_is_read_from_parquet_files(tmp_path: Path) -> None:
    EXPECTED.to_frame().write_parquet(tmp_path / "games.parquet")
    assert History.read(tmp_path / "games.parquet") == EXPECTED


@pytest.mark.parametrize("name", ["games.jsonl", "games.ndjson", "games.jsonl.gz"])
def test_json_lines_file_may_hold_matches_or_table_rows(tmp_path: Path, name: str) -> None:
    matches = "\n".join(json.dumps(match | {"time": str(match["time"])}) for match in EXPECTED)
    assert History.read(write(tmp_path, name, matches)) == EXPECTED
    keys, *rows = (line.split(",") for line in GAMES.split())
    flat = "\n\n".join(json.dumps(dict(zip(keys, row, strict=True))) for row in rows)
    assert History.read(write(tmp_path, name, flat)) == EXPECTED


def test_file_with_only_a_header_gives_an_empty_history(tmp_path: Path) -> None:
    for name, text in (("a.csv", "winner,loser"), ("a.csv", "winner,loser\n\n"), ("a.jsonl", ""), ("a.jsonl", "\n")):
        assert len(History.read(write(tmp_path, name, text))) == 0


def test_player_names_that_are_numbers_stay_text(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "winner,loser\n2726956381513258,007\n")
    assert History.read(path).players == ("2726956381513258", "007")


def test_columns_option_maps_roles_to_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "A,B,C,when\nann,bob,B,31.01.2026\n")
    mapping = {"team1": "A", "team2": "B", "winner": "C", "time": "when"}
    history = History.read(path, columns=mapping, time_format="%d.%m.%Y")
    assert (history.place.tolist(), str(history[0]["time"])) == ([2, 1], "2026-01-31")
    assert "team1=A, team2=B, winner=C, time=when" in history.recognised


QUOTED = 'date,home,away,hg,ag\n2026-01-31,"ann\nlee",bob,1,0\n\n2026-02-01,bob,cat,{},2\n'


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", GAMES.replace("2,2", "x,2"), "line 3: column 'hg' holds 'x': this is not a number"),
        ("a.csv.gz", GAMES.replace("2,2", "x,2"), "line 3: column 'hg' holds 'x'"),
        ("a.csv", QUOTED.format("x"), "line 5: column 'hg' holds 'x'"),
        ("a.csv", GAMES.replace("cat", "bob"), "line 3: bob is listed in team 1 and in team 2"),
        ("a.csv", GAMES.replace("02-01", "02-31"), "line 3: column 'date' holds '2026-02-31'"),
        ("a.csv", GAMES.replace("2,2", "2,2,2"), "line 3: the row has 6 cells, but the header has 5 columns"),
        ("a.csv", GAMES.encode().replace(b"cat", b"c\xb1t"), "line 3: a byte is invalid"),
        ("a.csv", "", " the file is empty; its first line must name the columns"),
        ("a.csv", "who,won\nann,bob\n", " I can't tell what these columns mean: 'who', 'won'"),
        ("a.jsonl", '{"winner": "a", "loser": "b"}\n\n{"winner": "a", "loser": "a"}', "line 3: a is listed in team 1"),
        ("a.jsonl", '{"winner": "a", "loser": "b"}\n\n{"winner": ', "line 3: invalid JSON"),
        ("a.jsonl", '{"winner": "a", "loser": "b"}\n3', "line 2: "),
        ("a.jsonl", '{"teams": [["a"], ["b"]]}\n\n{"teams": [["a"]]}', "line 3: a match needs at least two teams"),
        ("a.jsonl", '{"teams": [["a"], ["b"]]}\n\n{"teams": 3}', "line 3: teams must be a list"),
        ("a.jsonl", '{"teams": [["a"], ["b"]]}\n\n{"teams', "line 3: invalid JSON"),
        ("a.parquet", "PAR1", " cannot be read"),
        ("a.csv.gz", None, " cannot be read"),
    ],
)
def test_error_for_an_invalid_file_names_the_file_the_line_and_the_value(
    tmp_path: Path, name: str, text: Any, message: str
) -> None:
    path = tmp_path / name
    if text is None:
        path.write_bytes(b"no gzip")
    else:
        write(tmp_path, name, text)
    with pytest.raises(Error) as error:
        History.read(path)
    assert str(error.value).startswith((f"{path}, {message}", f"{path}:{message}"))


def test_path_of_a_missing_file_or_of_a_folder_raises_an_error(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(Error, match=r"missing\.csv: file not found"):
        History.read(tmp_path / "missing.csv")
    with pytest.raises(Error, match=r"folder\.csv: this is a folder; name a file in it"):
        History.read(tmp_path / "folder.csv")


def test_error_in_a_parquet_file_names_the_row(tmp_path: Path) -> None:
    pl.DataFrame({"winner": ["a", "b"], "loser": ["b", "b"]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(Error, match=r"a.parquet, row 2: b is listed in team 1 and in team 2"):
        History.read(tmp_path / "a.parquet")


def test_wide_file_of_200_000_rows_is_read_in_seconds(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    count, players = 200_000, 20_000
    home = rng.integers(0, players, count)
    away = (home + rng.integers(1, players, count)) % players
    goals = rng.integers(0, 5, (2, count))
    moments = np.datetime64("2020-01-01", "ms") + 1000 * rng.integers(0, 10**8, count)
    frame = pl.DataFrame({"date": moments, "home": home, "away": away, "hg": goals[0], "ag": goals[1]})
    frame.write_csv(tmp_path / "games.csv", datetime_format="%Y-%m-%d %H:%M:%S")
    begin = perf_counter()
    history = History.read(tmp_path / "games.csv")
    assert perf_counter() - begin < 10
    order = np.argsort(moments, kind="stable")
    assert len(history) == count
    assert history.score is not None
    np.testing.assert_array_equal(history.score.reshape(-1, 2), goals.T[order])
    names = np.array(history.players).astype(int)
    np.testing.assert_array_equal(names[history.player].reshape(-1, 2), np.stack([home, away], axis=1)[order])
    assert history.time is not None
    np.testing.assert_array_equal(history.time, moments[order].astype("datetime64[us]").astype(np.int64))


def test_problems_are_listed_in_the_order_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    file.write_text("home,away,hg,ag\na,b,1,0\nb,b,1,0\nc,a,x,1\na,b,2,2\n")
    found = History.check(file)
    assert [one.where for one in found.problems] == ["line 3", "line 4"]
    assert len(found.history) == 2
