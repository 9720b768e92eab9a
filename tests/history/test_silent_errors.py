"""A file with a realistic mistake is read correctly, or the mistake is reported; the file is never silently misread."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from prowess import Error
from prowess.history import History
from prowess.history.data_checks import suspicions
from prowess.history.read_context import Findings

from .silent.edits import EDITS
from .silent.sheet import Edited, Sheet, open_sheet
from .strangers.case import CASES, case, read_matches

# Remarks that every file gets: they say how columns are used, not that something is odd.
_USUAL = {"layout", "ignored-columns", "context", "context-left-out"}
# Remarks about rows that were left out or counted; an edit may change the number in them.
_ROWS = {
    "not-played", "walkovers", "byes", "absent", "repeated-players", "single-team", "repeated-rows",
    "repeated-rows-counted", "mirrored-rows", "mirrored-rows-counted", "repeated-matches",
    "partial-scores", "contradicting-results", "unused-scores", "missing-places", "missing-durations",
}  # fmt: skip


def verdict(sheet: Sheet, edited: Edited, folder: Path) -> str:
    """Return "right" if the file is read correctly, "told" if the edit is reported, and "silent" otherwise."""
    try:
        findings = History.check(edited.case.write(folder))
    except Error:
        return "told"
    if findings.problems or tells(sheet, edited, findings):
        return "told"
    read = Counter(read_matches(findings.history))
    if edited.refuse:
        return "silent"
    undone = Counter() if edited.undo is None else Counter(map(edited.undo, read.elements()))
    plain = Counter(sheet.matches) if edited.undo is None else Counter(map(edited.undo, sheet.matches))
    return "right" if Counter(sheet.matches) in (read, undone) or (undone and undone == plain) else "silent"


def tells(sheet: Sheet, edited: Edited, findings: Findings) -> bool:
    """Return whether a remark is about the edit.

    A remark is about the edit if it names the line or the column, or if its code is one of the expected codes.
    """
    moved = edited.case.text.count("\n") != sheet.case.text.count("\n")
    before = {(remark.code, remark.count, None if moved else remark.line) for remark in sheet.findings.history.remarks}
    for remark in findings.history.remarks:
        if remark.code in _USUAL or (remark.code, remark.count, None if moved else remark.line) in before:
            continue
        about = remark.line in edited.lines or remark.column in edited.columns
        if about or remark.code in edited.codes | _ROWS:
            return True
    odd = {(check.kind, check.text) for check in suspicions(findings.history)}
    odd -= {(check.kind, check.text) for check in suspicions(sheet.findings.history)}
    return bool({kind for kind, _ in odd} & edited.codes)


_OF_BYTES = ("byte_order_mark", "utf_16", "windows_encoding", "old_mac_line_ends")
_WORKBOOKS = (".xlsx", ".xls", ".ods")
_KNOWN = {
    # The file has both names and ids of the teams; without the heading of the names, it is right to use the ids.
    "basketball_log_of_all_teams": {"heading_misspelt"},
    # With few matches, the fourth place has too few names to show that its heading is misspelt.
    "ausfaelle_einer_kartserie": {"heading_misspelt"},
    # The second header says how the columns of the rows below it are ordered.
    "header_in_another_order": {"latest_first", "a_day_first_date_among_month_first"},
    # Below the heading "day", plain numbers are numbers of days.
    "verdicts_beside_milliseconds": {"serial_dates", "serial_dates_from_1904"},
    # With two matches, nobody can tell which of them has a damaged team.
    "winners_marked_t_and_f": {"name_and_score_swapped"},
    "teams_and_booleans_of_a_database": {"name_and_score_swapped"},
    # The winners are known without the scores.
    "braces_with_semicolons": {"heading_misspelt"},
    # In a file with years, a row with the sides exchanged may be a return match.
    "setzplaetze_in_klammern": {"row_mirrored"},
    # A third report of two players on a day may be that of a second match.
    "formular_mit_wenigen_doppelten": {"row_mirrored"},
    # A misspelt word for a walkover is a name.
    "walkover_as_an_opponent": {"name_misspelt"},
}


def silent_edits(path: Path, names: Sequence[str], folder: Path) -> list[str]:
    """Apply edits to a file, and return the edits after which the file is silently misread."""
    stranger = case(path)
    if stranger.matches is None:
        return []
    sheet = open_sheet(stranger, folder, Random(0))
    binary = stranger.name.endswith(_WORKBOOKS)
    found = []
    for name in names:
        if name in _KNOWN.get(path.stem, ()) or (binary if name in _OF_BYTES else not sheet.rows):
            continue
        edited = EDITS[name](replace(sheet, random=Random(f"{path.stem} {name}")))
        if edited is not None and verdict(sheet, edited, folder) == "silent":
            found.append(f"{path.stem}: {name}")
    return found


def test_silent_error_tests_cover_at_least_40_edits_and_123_files() -> None:
    assert len(EDITS) >= 40
    assert len(CASES) >= 123


@pytest.mark.parametrize("part", range(4))
def test_no_file_in_a_sample_of_edited_files_is_misread_silently(part: int, tmp_path: Path) -> None:
    random = Random(f"sample {part}")
    names = list(EDITS)
    for path in random.sample(CASES, 6):
        assert not silent_edits(path, random.sample(names, 5), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_no_edited_file_is_misread_silently(path: Path, tmp_path: Path) -> None:
    assert not silent_edits(path, list(EDITS), tmp_path)
