"""Random edits of every readable file from an unknown source never crash the reader, and never go unnoticed.

The oracle: after an edit, reading raises an `Error`, reports a problem or a remark about the edit, or gives the matches
of the unedited file up to what the edit itself changes:

- a column dropped or renamed: the same matches without what the column held (the time, the scores, who was at home); a
  column of context changes nothing; a column of players is never dropped, because it makes a file of other players;
- two columns swapped, or all separators changed: the same matches;
- a cell shifted, or a separator changed in one row: at most the match of that row differs;
- the end cut off: the matches of the other rows, perhaps with or without scores; at most one is new, from the row that
  is cut. In a grid, where a row is a player, the matches lose players.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from prowess import Error
from prowess.history import History

from .silent.random_edits import TABLE_EDITS, RandomEdit, allowed, truncate
from .silent.sheet import Sheet, open_sheet
from .strangers.case import CASES, case, read_matches
from .test_silent_errors import tells

EDITS = 40  # of each file
# Edits that nobody could notice.
_KNOWN = {
    ("golf_totals", "drop_a_column"),  # without the places, the strokes may be points
    ("golf_totals", "rename_a_column"),
    ("swimming_not_started", "drop_a_column"),  # the times said who did not start
    ("formula_one_tables", "rename_a_column"),  # the rank of the fastest lap may be the place
    ("tennis_of_a_bookmaker", "rename_a_column"),  # the comment said which match was not played
    ("tennis_of_a_bookmaker", "drop_a_column"),
    ("formula_one_tables", "drop_a_column"),
    ("seeds_in_square_brackets", "truncate"),  # without the later rows, no name occurs without a seed
    ("gana_quien_tenga_menos_puntos", "truncate"),  # the note that the lowest wins is cut off
    ("pgn_of_a_server", "truncate"),  # the last game loses its time of day, so the dates of all games count
}
_GUESSES = ("race-columns", "player-columns", "inferred-columns", "one-match", "handicap")


def is_misread(sheet: Sheet, edit: RandomEdit, folder: Path) -> bool:
    try:
        findings = History.check(edit.edited.case.write(folder))
    except Error:
        return False
    if findings.problems or tells(sheet, edit.edited, findings) or _tells_of_columns(sheet, findings.history):
        return False
    return not allowed(sheet, edit, Counter(read_matches(findings.history)))


def _tells_of_columns(sheet: Sheet, history: History) -> bool:
    """Return whether a remark is new: without a column or rows, others are guessed, or the order of the rows counts."""
    before = sheet.findings.history.remarks
    if {remark.code for remark in history.remarks} - {remark.code for remark in before}:
        return True
    return bool({str(remark) for remark in history.remarks if remark.code in _GUESSES} - set(map(str, before)))


def misread(path: Path, seed: int, edits: int, folder: Path) -> list[str]:
    """Apply random edits to a file, and return those after which it is silently misread."""
    stranger = case(path)
    if stranger.matches is None:
        return []
    sheet = open_sheet(stranger, folder, Random(0))
    found = []
    for number in range(edits):
        random = Random(f"{path.stem} {seed} {number}")
        change = random.choice(TABLE_EDITS) if sheet.rows else truncate
        edit = change(replace(sheet, random=random))
        if (path.stem, change.__name__) in _KNOWN:
            continue
        if edit is not None and is_misread(sheet, edit, folder):
            found.append(f"{path.stem}: {change.__name__}, number {number} of seed {seed}")
    return found


def test_no_file_in_a_sample_is_misread_after_random_edits(tmp_path: Path) -> None:
    paths: Sequence[Path] = Random("sample of random edits").sample(CASES, 24)
    assert not [wrong for path in paths for wrong in misread(path, 1, 10, tmp_path)]


@pytest.mark.long
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_no_file_is_misread_after_random_edits(path: Path, tmp_path: Path) -> None:
    assert not misread(path, 2, EDITS, tmp_path)
