"""Each group of matches in a file is read like a separate file."""

from pathlib import Path

import pytest

from prowess.errors import Error
from prowess.history import History

ROUNDS = (
    "Season,round,date,driver,position\n"
    "2024,1,2024-03-01,ann,1\n2024,1,2024-03-01,bob,2\n2024,2,2024-03-08,bob,1\n2024,2,2024-03-08,ann,2\n"
    "2025,1,2025-03-01,ann,1\n2025,1,2025-03-01,cat,2\n2025,1,2025-03-01,bob,3\n"
)


def write(folder: Path, text: str, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_each_group_is_read_like_a_separate_file(tmp_path: Path) -> None:
    reading = {"columns": {"match": "round"}}
    groups = History.read_groups(write(tmp_path, ROUNDS), "season", **reading)
    head, *rows = ROUNDS.splitlines(keepends=True)
    assert list(groups) == ["2024", "2025"]
    for name, found in groups.items():
        alone = write(tmp_path, head + "".join(row for row in rows if row.startswith(name)), "b.csv")
        assert found == History.read(alone, **reading)
    with pytest.raises(Error, match="line 7"):  # read as one file, rounds of both seasons are mixed up
        History.read(tmp_path / "a.csv", **reading)


def test_rows_of_a_group_may_be_scattered_and_its_name_may_be_empty(tmp_path: Path) -> None:
    path = write(tmp_path, "winner,loser,league\na,b,x\nc,d,\ne,f, x\n")
    groups = History.read_groups(path, "league")
    assert {name: [match["teams"] for match in found] for name, found in groups.items()} == {
        "x": [[["a"], ["b"]], [["e"], ["f"]]],
        "": [[["c"], ["d"]]],
    }


def test_leaving_out_a_row_of_one_group_does_not_affect_other_groups(tmp_path: Path) -> None:
    path = write(tmp_path, "league,home,away,hg,ag\nx,a,b,1,0\nx,a,b,,\ny,a,b,1,0\ny,b,a,2,1\n")
    groups = History.read_groups(path, "league")
    assert {name: len(found) for name, found in groups.items()} == {"x": 1, "y": 2}
    assert ["left out" in found.recognised for found in groups.values()] == [True, False]


def test_problems_in_groups_have_line_numbers_of_the_whole_file_and_are_counted_together(tmp_path: Path) -> None:
    path = write(tmp_path, "league,home,away,hg,ag\nx,a,b,1,0\ny,a,b,1,?\nx,a,b,3,1\nx,a,b,!,0\n")
    with pytest.raises(Error, match=r"a.csv, line 5: column 'hg' holds '!'.*1 more problem"):
        History.read_groups(path, "league")
    kept = History.read_groups(path, "league", skip_problems=True)
    assert {name: len(found) for name, found in kept.items()} == {"x": 2, "y": 0}


def test_error_says_why_a_file_cannot_be_grouped(tmp_path: Path) -> None:
    with pytest.raises(
        Error, match="no column 'year' to group by; the columns are 'Season', 'round', 'date', 'driver', 'position'"
    ):
        History.read_groups(write(tmp_path, ROUNDS), "year")
    nested = write(tmp_path, '{"teams": [["a"], ["b"]]}\n', "a.jsonl")
    with pytest.raises(Error, match="cannot group by 'league'"):
        History.read_groups(nested, "league")
    flat = write(tmp_path, '{"winner": "a", "loser": "b", "league": 3}\n', "b.jsonl")
    assert list(History.read_groups(flat, "league")) == ["3"]
    assert History.read_groups(write(tmp_path, "league,winner,loser\n", "c.csv"), "league") == {}


def test_json_matches_can_be_grouped_by_a_context_column(tmp_path: Path) -> None:
    lines = ['{"teams": [["a"], ["b"]], "context": {"league": "x", "rest": 3}}']
    lines += ['{"teams": [["b"], ["c"]], "context": {"league": "y"}}', '{"teams": [["c"], ["a"]]}']
    groups = History.read_groups(write(tmp_path, "\n".join(lines), "a.jsonl"), "league")
    assert {name: found[0]["teams"] for name, found in groups.items()} == {
        "x": [["a"], ["b"]],
        "y": [["b"], ["c"]],
        "": [["c"], ["a"]],
    }
    assert list(History.read_groups(tmp_path / "a.jsonl", "rest")) == ["3", ""]
    without = History.read_groups(tmp_path / "a.jsonl", "league", context=[])
    assert not any(found.context for found in without.values())
