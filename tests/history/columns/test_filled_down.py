import polars as pl

from prowess.history.read_options import Choices
from prowess.history.readers import from_frame


def codes(**columns: list[str]) -> set[str]:
    return {remark.code for remark in from_frame(pl.DataFrame(columns), Choices()).history.remarks}


def test_measured_times_of_players_who_did_not_finish_are_not_filled_in() -> None:
    times = ["38:12", "39:01", "", "", "", "37:50", "38:40", "40:00", "", ""]
    assert "filled-down" not in codes(race=["1"] * 5 + ["2"] * 5, runner=list("abcde") * 2, time=times)


def test_year_in_the_first_row_of_a_block_is_filled_in() -> None:
    names = {"winner": ["ann", "bob", "cat", "ann"], "loser": ["bob", "cat", "ann", "cat"]}
    assert "filled-down" in codes(year=["2024", "", "2025", ""], **names)


def test_dates_that_are_missing_here_and_there_are_not_filled_in() -> None:
    day = ["2026-01-31", "2026-01-31", "", "2026-02-07", "2026-02-07", "2026-02-07"]
    findings = from_frame(pl.DataFrame({"date": day, "winner": list("aabbcc"), "loser": list("bccaab")}), Choices())
    assert [one.where for one in findings.problems] == ["row 3"]
