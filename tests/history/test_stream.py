"""A streamed file gives the same matches as the file read at once."""

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from prowess.errors import Error, Option
from prowess.history import History
from prowess.history import stream as stream_module
from prowess.history.concat import join
from prowess.history.reading import chunks as parts_module

SIZES = [1, 7, 1000]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make chunks small, so that short files have several chunks."""
    monkeypatch.setattr(stream_module, "SAMPLE", 6)
    monkeypatch.setattr(parts_module, "BLOCK", 64)


def wide(count: int = 40, day: Callable[[int], str] = lambda number: f"2026-01-{1 + number // 3:02d}") -> str:
    rng = np.random.default_rng(1)
    lines = ["date,home,away,hg,ag"]
    for number in range(count):
        one, other = rng.choice(8, 2, replace=False)
        lines.append(f"{day(number)},p{one},p{other},{rng.integers(5)},{rng.integers(5)}")
    return "\n".join(lines) + "\n"


def long(count: int = 15) -> str:
    rng = np.random.default_rng(2)
    lines = ["race,driver,position,date"]
    for number in range(count):
        for place, driver in enumerate(rng.permutation(9)[: rng.integers(2, 7)], 1):
            lines.append(f"r{number},d{driver},{place},2026-01-{1 + number // 2:02d}")
    return "\n".join(lines) + "\n"


def same(path: Path, rows: int, **reading: Any) -> list[History]:
    """Check that the histories of a stream together equal the history of the whole file."""
    whole = History.read(path, **reading)
    found = list(History.stream(path, rows=rows, **reading))
    assert join(found, once=False) == whole
    return found


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize(
    "text",
    [
        wide(),
        wide(day=lambda number: str(number)),
        wide(day=lambda number: "2026-01-01"),
        wide().replace("date,", "day,").replace("2026-01-", ""),
        long(),
        "A league\n\n" + wide().replace(",", ";"),
        wide().replace("\n", "\r\n"),
        wide().replace("p1", '"p\n""1"""'),
        wide().replace("p1", "Zoë").encode("cp1252"),
        wide().replace("p1", "Zoë").encode("utf-16"),
        wide().encode("utf-8-sig"),
        wide(day=lambda number: f"{13 + number // 3:02d}/01/2026"),
        wide(day=lambda number: f"{1 + number // 5:02d}/02/2026 10:{number:02d}"),
        "\n".join(line for line in wide().splitlines()[1:]),
        "match,team,player,score\n"
        + "".join(f"{m},{p // 2},p{p},{p * (m + 1) % 5}\n" for m in range(12) for p in range(4)),
        "team1,team2,score1,score2\n"
        + "".join(f"p{m % 5};q{m % 3},r{m % 4};s{m % 7},{m % 4},{m % 3}\n" for m in range(30)),
        "year,driver,position\n" + "".join(f"{1990 + m},p{(m + p) % 5},{p + 1}\n" for m in range(12) for p in range(4)),
    ],
)
def test_streamed_histories_together_have_all_matches_of_the_file(tmp_path: Path, text: str | bytes, rows: int) -> None:
    path = tmp_path / "games.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    found = same(path, rows)
    assert rows > 40 or len(found) > 1


@pytest.mark.parametrize("rows", [4, 100])
def test_every_format_can_be_streamed(tmp_path: Path, rows: int) -> None:
    frame = pl.read_csv(wide().encode())
    frame.write_parquet(tmp_path / "a.parquet", row_group_size=7)
    frame.write_ndjson(tmp_path / "a.jsonl")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(wide().encode()))
    (tmp_path / "a.csv.xz").write_bytes(lzma.compress(long().encode()))
    matches = [json.dumps({"teams": [[f"p{n % 3}"], [f"q{n % 4}"]], "time": n}) for n in range(20)]
    (tmp_path / "b.jsonl").write_text("\n".join(matches))
    (tmp_path / "b.json").write_text(f"[{', '.join(matches)}]")
    for name in ("a.parquet", "a.jsonl", "a.csv.gz", "a.csv.xz", "b.jsonl", "b.json"):
        same(tmp_path / name, rows)


def test_stream_never_splits_a_match_and_splits_a_day_only_if_it_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "races.csv"
    path.write_text(long())
    races = pl.read_csv(path)["race"].rle().struct.field("len")
    assert [history.entries for history in History.stream(path, rows=1)] == races.to_list()
    path.write_text(wide())
    assert [len(history) for history in History.stream(path, rows=7)][:3] == [6, 6, 6]
    assert [len(history) for history in History.stream(path, rows=2)][:4] == [2, 1, 2, 1]


def test_share_of_the_file_read_by_a_stream_grows_to_one(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text(wide())
    stream = History.stream(path, rows=5)
    shares = [stream.share for _ in stream]
    assert shares == sorted(shares)
    assert stream.share == 1


@pytest.mark.parametrize("rows", [3, 9])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (wide().replace("2026-01-09", "2026-01-19"), "line 29: a match at 2026-01-10 comes after one at 2026-01-19: "),
        (wide().replace(",0,", ",x,").replace(",x,", ",0,", 2), "line {x}: column 'hg' holds 'x': this is not a"),
        (wide().replace("2026-01-12", "soon"), "line 35: column 'date' holds 'soon': this is not a valid date"),
        (wide().replace("2026-01-12", ""), "line 35: (column 'date' is empty: )?give a time to every match"),
        (wide() + "2026-01-30,a,b,1,0,9\n", "line 42: the row has 6 cells, but the header has 5 columns"),
    ],
)  # fmt: skip
def test_error_in_a_stream_counts_lines_from_the_start_of_the_file(
    tmp_path: Path, text: str, message: str, rows: int
) -> None:
    path = tmp_path / "games.csv"
    path.write_text(text)
    line = next((number for number, one in enumerate(text.splitlines(), 1) if ",x," in one), 0)
    with pytest.raises(Error, match=message.replace("{x}", str(line))) as error:
        list(History.stream(path, rows=rows))
    assert str(error.value).startswith(f"{path}, line")


def test_error_in_a_streamed_parquet_file_counts_rows_from_the_start_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    cells = {"home": "abcab", "away": "bcabc", "hg": "120x1", "ag": "00000"}
    pl.DataFrame({name: list(column) for name, column in cells.items()}).write_parquet(path)
    with pytest.raises(Error, match="row 4: column 'hg' holds 'x'") as caught:
        list(History.stream(path, rows=2))
    assert caught.value.line == 4


@pytest.mark.parametrize("time", [",2026-01-30", ""])
def test_match_that_continues_in_a_later_chunk_of_a_stream_raises_an_error(tmp_path: Path, time: str) -> None:
    path = tmp_path / "races.csv"
    rows = ["a,x,1", "a,y,2", "b,x,1", "b,y,2", "c,x,1", "c,y,2", "a,z,3"]
    path.write_text("\n".join(["race,driver,position" + (time and ",date"), *(row + time for row in rows)]))
    with pytest.raises(Error, match="line 8: column 'race' holds 'a', but rows of other matches lie between"):
        list(History.stream(path, rows=2))
    assert len(next(History.stream(path, rows=9))) == 3


def test_stream_skips_unreadable_rows_like_a_file_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text(wide().replace(",p1,", ",,"))
    same(path, 5, skip_problems=True)


def test_date_order_found_in_the_first_rows_holds_for_the_whole_stream(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    rows = [f"{day:02d}/01/2026,a,b,2-1" for day in (25, 26, 27)] + [f"0{day}/02/2026,b,a,1-0" for day in range(1, 8)]
    path.write_text("date,team1,team2,result\n" + "\n".join(rows) + "\n")
    found = same(path, 2)
    assert all(history.score is not None for history in found)
    late = [f"01/0{day}/2026,a,b,2-1" for day in range(1, 8)] + [f"01/{day}/2026,a,b,2-1" for day in range(13, 20)]
    path.write_text("date,team1,team2,result\n" + "\n".join(late) + "\n")
    with pytest.raises(Error, match=r"line \d+: column 'date' holds '01/13/2026': .* the day is first.*`day_first=F"):
        list(History.stream(path, rows=3))
    assert len(list(History.stream(path, rows=3, day_first=False))) > 1


def test_times_with_changing_utc_offsets_are_streamed_as_instants(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    days = [f"2026-03-{day}T10:00+0{1 + (day > 28)}:00" for day in range(20, 32)]
    path.write_text("date,winner,loser\n" + "".join(f"{day},a,b\n" for day in days))
    same(path, 3)


def test_table_with_a_column_per_player_cannot_be_streamed(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text("date,Ann,Bob,Cat\n" + "".join(f"2026-01-{1 + m:02d},{m % 5},{m % 3},{m % 7}\n" for m in range(25)))
    assert len(History.read(path)) == 25
    with pytest.raises(Error, match="cannot be read in chunks") as caught:
        list(History.stream(path, rows=5))
    assert caught.value.hint == Option("stream", False)


def test_games_in_descending_order_cannot_be_streamed(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text("game,winner,loser\n" + "".join(f"{20 - m},ann,bob\n" for m in range(20)))
    assert len(History.read(path)) == 20
    with pytest.raises(Error, match="not in the order of their numbers") as caught:
        list(History.stream(path, rows=5))
    assert caught.value.hint == Option("stream", False)


def test_header_alone_is_streamed_as_an_empty_history_and_invalid_input_raises_an_error(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text("winner,loser\n")
    assert [len(history) for history in History.stream(path)] == [0]
    path.write_text("")
    with pytest.raises(Error, match="the file is empty"):
        next(History.stream(path))
    with pytest.raises(Error, match="file not found"):
        next(History.stream(tmp_path / "none.csv"))
    with pytest.raises(Error, match="rows must be a whole number of at least 1, not 0"):
        History.stream(path, rows=0)


@pytest.mark.parametrize("rows", [3, 7, 50, 2000])
def test_matches_listed_once_for_each_team_count_once_in_every_chunk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(stream_module, "SAMPLE", 1000)  # the sample shows that the rows are mirrored
    path = tmp_path / "both.csv"
    lines = ["date,team_1,team_2,outcome"]
    for day in range(1, 29):
        for pair in range(5):
            first, second = f"t{pair}", f"t{(pair + day) % 7 + 5}"
            lines += [f"2020-01-{day:02d},{first},{second},1", f"2020-01-{day:02d},{second},{first},0"]
    path.write_text("\n".join(lines))
    assert sum(map(len, History.stream(path, rows=rows))) == 28 * 5


def test_streamed_file_gives_the_same_context_as_the_file_read_at_once(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    lines = ["match,team,player,score,map,side,kills,league,url"]
    for match in range(30):
        level = "duel" if match < 20 else "brawl"  # only late matches have several players in a team
        for team in "xy":
            for player in range(1 if level == "duel" else 2):
                cells = (match, team, f"{team}{player}", "xy".index(team), f"m{match % 4}", f"s{rng.integers(2)}")
                lines.append(",".join(map(str, (*cells, rng.integers(9), level, f"u{match}{team}{player}"))))
    path = tmp_path / "games.csv"
    path.write_text("\n".join(lines))
    for rows in (7, 20, 1000):
        found = list(History.stream(path, rows=rows))
        whole, joined = History.read(path), join(found, once=False)
        assert joined.entry_context["kills"] == whole.entry_context["kills"]
        assert joined.context["league"] == whole.context["league"]
        assert joined.context["map"] == whole.context["map"]
        assert [set(part.context) for part in found] == [set(found[0].context)] * len(found)
    chosen = list(History.stream(path, rows=7, context=["map"]))
    assert {(*part.context, *part.team_context, *part.entry_context) for part in chosen} == {("map",)}
    assert not any(part.context for part in History.stream(path, rows=7, context=[]))


def test_peek_returns_the_next_history_without_consuming_it(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text("winner,loser\nann,bob\nbob,cat\ncat,ann\n", encoding="utf-8")
    stream = History.stream(path, rows=2)
    first = stream.peek()
    assert stream.peek() is first
    assert [len(history) for history in stream] == [2, 1]
