"""Random edits of whole columns, cells and ends of a file, with the change of the matches that each of them allows."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from prowess.history.columns.roles.headers import set_columns

from ..strangers.case import Case
from .edits import EDITS
from .sheet import Edited, Match, Sheet

# What a column holds is lost with the column: its matches are compared without it.
_WITHOUT: dict[str, Callable[[Match], Match]] = {
    "other": lambda match: match,
    "time": lambda match: ("-", match[1]),
    "score": lambda match: (match[0], frozenset((who, place, None, home) for who, place, _, home in match[1])),
    "result": lambda match: (match[0], frozenset((who, place, None, home) for who, place, _, home in match[1])),
    "rank": lambda match: match,
    "role": lambda match: ("-", frozenset((who, place, score, False) for who, place, score, _ in match[1])),
}
# Other columns from which the reader takes something: who was at home, and who did not start.
_ALSO_ROLES = ("matchup", "time")


@dataclass(frozen=True)
class RandomEdit:
    """An edited file. At most `lost` matches may be missing and at most `new` matches may be added without a word.

    If `parts` is true, matches without some of their players are not new: a row of a grid is a player of all matches.
    """

    edited: Edited
    lost: int = 0
    new: int = 0
    parts: bool = False


RandomEdits = Callable[[Sheet], RandomEdit | None]


def _of_kind(sheet: Sheet, column: int) -> str:
    kind = next((kind for kind, columns in sheet.kinds.items() if column in columns), "role")
    roles = sheet.findings.layout.roles.values() if sheet.findings.layout is not None else ()
    name = sheet.names[column]
    return "role" if kind == "other" and (name in roles or name.casefold() in _ALSO_ROLES) else kind


def _is_needed(sheet: Sheet, column: int) -> bool:
    """Return whether a file without the column is another file: of other players, fewer sets or larger matches."""
    name, remarks = sheet.names[column], sheet.findings.history.remarks
    divides = any(remark.code in ("match-columns", "teammates") and name in str(remark) for remark in remarks)
    return divides or _of_kind(sheet, column) == "name" or name in set_columns(sheet.names)


def drop_a_column(sheet: Sheet) -> RandomEdit | None:
    if sheet.header is None or len(sheet.names) < 3:
        return None
    column = sheet.random.randrange(len(sheet.names))
    if not sheet.cells(sheet.header)[column].strip() or _is_needed(sheet, column):
        return None  # a column without a heading belongs to the one before it
    lines = [
        sheet.join([cell for number, cell in enumerate(sheet.cells(at)) if number != column])
        if at >= sheet.header
        else line
        for at, line in enumerate(sheet.lines)
    ]
    case = sheet.with_lines(lines)
    return RandomEdit(Edited(case, undo=_WITHOUT[_of_kind(sheet, column)]))


def rename_a_column(sheet: Sheet) -> RandomEdit | None:
    if sheet.header is None:
        return None
    cells = sheet.cells(sheet.header)
    column = sheet.random.randrange(len(cells))
    if not cells[column].strip() or column >= len(sheet.names) or _is_needed(sheet, column):
        return None
    cells[column] = sheet.random.choice(("zzyx", "remarks", cells[column][:-1] + "qq"))
    case = sheet.changed({sheet.header: cells})
    return RandomEdit(Edited(case, undo=_WITHOUT[_of_kind(sheet, column)]))


def swap_two_columns(sheet: Sheet) -> RandomEdit | None:
    if sheet.header is None or not all(sheet.cells(sheet.header)) or any(" (" in name for name in sheet.names):
        return None  # a column belongs to the one before it, or to the first of two with its heading
    edited = EDITS["columns_swapped"](sheet)
    return None if edited is None else RandomEdit(edited)


def shift_a_cell(sheet: Sheet) -> RandomEdit | None:
    """Insert or delete a cell in one row."""
    at = sheet.random.choice(sheet.rows)
    cells = sheet.cells(at)
    column = sheet.random.randrange(len(cells))
    cells = (
        [*cells[:column], "", *cells[column:]] if sheet.random.random() < 0.5 else cells[:column] + cells[column + 1 :]
    )
    return RandomEdit(Edited(sheet.changed({at: cells}), frozenset([at + 1])), lost=1, new=1)


def change_a_separator(sheet: Sheet) -> RandomEdit | None:
    if sheet.random.random() < 0.3:
        edited = EDITS["other_separator"](sheet)
        return None if edited is None else RandomEdit(edited)
    at = sheet.random.choice(sheet.rows)
    line, mark = sheet.lines[at], sheet.separator or ","
    if '"' in line:
        return None
    where = sheet.random.choice([index for index, letter in enumerate(line) if letter == mark])
    other = sheet.random.choice([letter for letter in ",;\t|. " if letter != mark])
    lines = [*sheet.lines[:at], f"{line[:where]}{other}{line[where + 1 :]}", *sheet.lines[at + 1 :]]
    return RandomEdit(Edited(sheet.with_lines(lines), frozenset([at + 1])), lost=1, new=1)


def truncate(sheet: Sheet) -> RandomEdit | None:
    text = sheet.case.text
    where = sheet.random.randrange(len(text) // 2, len(text))
    case: Case = replace(sheet.case, text=text[:where])
    cut = text[where:].count("\n") + 1
    is_grid = len(sheet.rows) < len(sheet.matches)  # a row of a grid is in several matches
    edited = Edited(case, frozenset([text.count("\n") - cut + 2]), undo=_WITHOUT["score"])
    return RandomEdit(edited, len(sheet.matches) if is_grid else cut, 1, parts=is_grid)


TABLE_EDITS: tuple[RandomEdits, ...] = (
    drop_a_column, swap_two_columns, rename_a_column, shift_a_cell, change_a_separator, truncate,
)  # fmt: skip


def _is_part(match: Match, whole: Match, known: set[tuple[str, ...]]) -> bool:
    """Return whether the teams of a match with known names are teams of another match, in the same order."""
    places = {who: place for who, place, _, _ in whole[1]}
    own = [(place, who) for who, place, _, _ in match[1] if who in known]
    pairs = [(one, two) for one in own for two in own]
    return all(who in places for _, who in own) and all(
        (one[0] < two[0]) == (places[one[1]] < places[two[1]]) for one, two in pairs
    )


def allowed(sheet: Sheet, edit: RandomEdit, read: Counter[Match]) -> bool:
    """Return whether the matches differ from those of the unedited file only as the edit allows."""
    before = Counter(sheet.matches)
    if edit.parts:
        known = {who for match in sheet.matches for who, *_ in match[1]}
        new = (read - before).elements()
        return sum(not any(_is_part(match, whole, known) for whole in before) for match in new) <= edit.new
    undo = edit.edited.undo
    if (before - read).total() <= edit.lost and (read - before).total() <= edit.new:
        return True
    if undo is None:
        return False
    before, read = (Counter(map(undo, matches.elements())) for matches in (before, read))
    return (before - read).total() <= edit.lost and (read - before).total() <= edit.new
