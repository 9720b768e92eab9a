"""Reading arbitrary bytes gives a history or an Error within seconds, and problems name the right line."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess import Error
from prowess.history import History

MUCH = 100_000  # bytes
MONSTERS = {
    "letters": b"x" * MUCH,
    "digits": b"7" * MUCH,
    "quotes": b'"' * MUCH,
    "separators": b"," * MUCH,
    "newlines": b"\n" * MUCH,
    "zeros": b"\0" * MUCH,
    "invalid bytes": b"\xff" * MUCH,
    "open quotes": b"winner,loser\n" + b'"ann,bob\n' * (MUCH // 9),
    "a long line": b"winner,loser\n" + b"y" * MUCH + b"\nann,bob\n",
    "a long result": b"home,away,result\nann,bob,1-" + b"1 " * (MUCH // 2) + b"\n",
    "a long place": b"race,driver,position\n1,a,1\n1,b," + b"9" * MUCH + b"-" + b"9" * MUCH + b"\n",
    "many columns": ",".join(f"c{number}" for number in range(10_000)).encode() + b"\n" + b"1," * 9999 + b"1\n",
    "equal column names": b",".join([b"winner", b"loser", *[b"x"] * 10_000]) + b"\nann,bob" + b",1" * 10_000 + b"\n",
}
ODD = st.text(st.sampled_from(list("ab19,;|\t\"'\n\r -:./\x00\ufeff½é北W")), max_size=60)
HEADERS = st.sampled_from(["", "winner,loser\n", "home;away;hg;ag\n", "match\tplayer\trank\n", "team1,team2,score\n"])


@given(st.one_of(st.text(), st.tuples(HEADERS, ODD).map("".join)).map(str.encode) | st.binary())
def test_any_bytes_are_read_as_a_history_or_raise_an_error(folder: Path, data: bytes) -> None:
    path = folder / "any.csv"
    path.write_bytes(data)
    with suppress(Error):
        History.read(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


@pytest.mark.parametrize("name", MONSTERS)
def test_huge_inputs_give_short_remarks_or_a_short_error(name: str, tmp_path: Path) -> None:
    path = tmp_path / "monster.csv"
    path.write_bytes(MONSTERS[name])
    try:
        said = History.read(path).recognised
    except Error as error:
        said = str(error)
    assert len(said) < 5000


WELL = st.sampled_from(["ann,bob,3,1", "bob,cat,0,0", '"cat",dan,2,4', '"Lee, Ann",bob,1,5'])
BETWEEN = st.lists(st.sampled_from(["", "  ", ",,,", "home,away,hg,ag"]), max_size=2)
TITLES = st.lists(st.sampled_from(["The league", "# a comment", "", "Season 2026"]), max_size=3)
LONG_CELL = '"cat\nof two lines",dan,1,2'
BAD = st.sampled_from(["ann,bob,x,1", "ann,bob,1,", ",bob,1,2", "ann,ann,1,2", '"ann,bob,1,2', "ann,bob,1,2,3,4"])


@given(TITLES, st.lists(st.tuples(WELL | st.just(LONG_CELL), BETWEEN), min_size=4, max_size=12), BAD, st.data())
def test_problem_in_a_file_is_reported_with_its_line_number(
    folder: Path, titles: list[str], rows: list[tuple[str, list[str]]], bad: str, data: st.DataObject
) -> None:
    lines = [line for row, between in rows for line in (row, *between)]
    at = data.draw(st.integers(0, len(lines)))
    lines.insert(at, bad)
    end = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = "\n".join([*titles, "home,away,hg,ag", *lines])
    line = 1 + "\n".join([*titles, "home,away,hg,ag", *lines[:at], ""]).count("\n")
    path = folder / "named.csv"
    path.write_bytes(text.replace("\n", end).encode())
    found = History.check(path)
    assert {one.where for one in found.problems} == {f"line {line}"}, [text, *map(str, found.problems)]
    assert len(found.history) == len(rows)
    with pytest.raises(Error, match=f"named.csv, line {line}: "):
        History.read(path)
