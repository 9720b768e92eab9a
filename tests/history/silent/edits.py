"""Edit files with mistakes that people, spreadsheets and programs make, and that a reader can notice.

An edit is a function that takes a sheet and returns the edited file, or None if the edit does not apply to the sheet.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta

from prowess.history.columns.roles.layout import Shape

from .sheet import Edited, Match, Sheet, is_number

Edit = Callable[[Sheet], Edited | None]

# Edits that no reader could notice, each with what the edited file seems to show.
UNNOTICEABLE = {
    "the cells of both sides swapped in all rows, scores included": "the same file with the sides in another order",
    "the cells of both score columns swapped, or the names of two sides swapped": "a league with other winners",
    "the two numbers of one result exchanged": "another result, unless a second column says who won",
    "one digit of a score changed": "another result",
    "one name replaced by the name of another player": "another match, unless that player has two matches that day",
    "a name misspelt where it occurs only a few times": "another player; `check` lists similar names",
    "a blank doubled in a name that occurs only once": "the name as the file spells it",
    "a place replaced by the place of another player in the same match": "a tie",
    "the cell of the last place emptied": "fewer players took part",
    "a misspelt heading of scores in a file with places, or of names in a file with ids": "the column is not needed",
    "a row left out": "a match that was not played",
    "day and month exchanged in one date, both at most 12": "another date",
    "a date moved to another day of the same season": "another date",
    "rows in another order, in a file without times": "other matches came first",
    "a match copied with the sides exchanged, without a date or with few different scores": "a return match",
    "a column of scores replaced by other numbers of the same size, such as shots": "other scores",
    "two columns of text exchanged that are not names of players": "these columns are not read",
}

_HEADINGS = frozenset(
    (
        "inferred-columns", "inferred-time", "no-times", "ignored-names", "unnamed-ignored", "unnamed-columns",
        "no-header", "contradicting-results", "player-columns", "names-for-places", "no-teams", "half-scores",
        "uneven-sides", "ignored-rosters", "single-name",
    )
)  # fmt: skip
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_RESULT = re.compile(r"(\d{1,3})( ?[-:x–] ?)(\d{1,3})")


def _swap(cells: list[str], one: int, other: int) -> list[str]:
    cells = list(cells)
    cells[one], cells[other] = cells[other], cells[one]
    return cells


def _one_cell(sheet: Sheet, columns: list[int], new: Callable[[str], str | None], **more: object) -> Edited | None:
    """Change one cell of one match, in one of the columns."""
    for column in sheet.random.sample(columns, len(columns)):
        at = sheet.pick(column, lambda cell: new(cell) not in (None, cell))
        if at is not None:
            cells = sheet.cells(at)
            cells[column] = new(cells[column]) or ""
            touched = frozenset([at + 1]), frozenset([sheet.names[column]])
            if column in sheet.columns("time"):
                more.setdefault("codes", frozenset(["no-times"]))
            return Edited(sheet.changed({at: cells}), *touched, **more)  # type: ignore[arg-type]
    return None


def _scores(sheet: Sheet) -> set[float]:
    """Return the different scores of a file."""
    return {score for _, teams in sheet.matches for _, _, score, _ in teams if score is not None}


def _all_cells(sheet: Sheet, columns: list[int], new: Callable[[str], str], **more: object) -> Edited | None:
    case = sheet.map_column(columns, new) if columns else None
    names = frozenset(sheet.names[column] for column in columns)
    if set(columns) & set(sheet.columns("time")):
        more["codes"] = frozenset(["no-times"]) | more.get("codes", frozenset())  # type: ignore[operator]
    return None if case is None else Edited(case, columns=names, **more)  # type: ignore[arg-type]


def _insert_line(sheet: Sheet, at: int, line: str, **more: object) -> Edited:
    lines = [*sheet.lines[:at], line, *sheet.lines[at:]]
    return Edited(sheet.with_lines(lines), frozenset([at + 1]), **more)  # type: ignore[arg-type]


def _middle(sheet: Sheet) -> int:
    return sheet.rows[len(sheet.rows) // 2]


def _every_line(sheet: Sheet, change: Callable[[list[str], int], list[str]], **more: object) -> Edited | None:
    """Change the cells of the header and of all rows."""
    first = 0 if sheet.header is None else sheet.header
    cells = {at: change(sheet.cells(at), at) for at in range(first, len(sheet.lines)) if len(sheet.cells(at)) > 1}
    return Edited(sheet.changed(cells), **more)  # type: ignore[arg-type]


# Lines and columns around the matches


def title_lines(sheet: Sheet) -> Edited | None:
    return Edited(sheet.with_lines(["Summer league", "Results of all matches", "", *sheet.lines]))


def title_with_date(sheet: Sheet) -> Edited | None:
    assert sheet.separator is not None
    return Edited(sheet.with_lines([sheet.join(["Exported:", "2024-05-01"]), *sheet.lines]))


def blank_line_in_the_middle(sheet: Sheet) -> Edited | None:
    return _insert_line(sheet, _middle(sheet), "")


def separators_in_a_blank_line(sheet: Sheet) -> Edited | None:
    return _insert_line(sheet, _middle(sheet), (sheet.separator or ",") * (len(sheet.names) - 1))


def trailing_separators(sheet: Sheet) -> Edited | None:
    return Edited(sheet.with_lines([line + 2 * (sheet.separator or "") for line in sheet.lines]))


def trailing_separator_in_one_row(sheet: Sheet) -> Edited | None:
    at = _middle(sheet)
    return Edited(sheet.with_lines([line + (sheet.separator or "") * (i == at) for i, line in enumerate(sheet.lines)]))


def comment_lines(sheet: Sheet) -> Edited | None:
    at = _middle(sheet)
    lines = ["# exported by the club", *sheet.lines[:at], "# second half of the season", *sheet.lines[at:]]
    return Edited(sheet.with_lines(lines), frozenset([1, at + 2]))


def repeated_header(sheet: Sheet) -> Edited | None:
    return None if sheet.header is None else _insert_line(sheet, _middle(sheet), sheet.lines[sheet.header])


def footer_totals(sheet: Sheet) -> Edited | None:
    cells = ["Total", *[""] * (len(sheet.names) - 1)]
    for column in sheet.columns("score"):
        cells[column] = str(sum(int(cell) for at in sheet.rows if is_number(cell := sheet.cells(at)[column])))
    return _insert_line(sheet, len(sheet.lines), sheet.join(cells))


def footer_average(sheet: Sheet) -> Edited | None:
    if not sheet.columns("score") or 0 in sheet.columns("score"):
        return None
    cells = ["Average", *[""] * (len(sheet.names) - 1)]
    for column in sheet.columns("score"):
        cells[column] = "2.5"
    return _insert_line(sheet, len(sheet.lines), sheet.join(cells))


def footer_note(sheet: Sheet) -> Edited | None:
    lines = [*sheet.lines, "", "Source: the club's web site", "Updated 1 May 2024"]
    return Edited(sheet.with_lines(lines), frozenset(range(len(lines) - 1, len(lines) + 1)))


def note_in_the_middle(sheet: Sheet) -> Edited | None:
    return _insert_line(sheet, _middle(sheet), "Winter break")


def heading_of_a_round(sheet: Sheet) -> Edited | None:
    return _insert_line(sheet, _middle(sheet), sheet.join(["Round 2", *[""] * (len(sheet.names) - 1)]))


def units_under_the_heading(sheet: Sheet) -> Edited | None:
    if sheet.header is None:
        return None
    units = {**dict.fromkeys(sheet.columns("score"), "pts"), **dict.fromkeys(sheet.columns("time"), "date")}
    units |= dict.fromkeys(sheet.columns("name"), "name") | dict.fromkeys(sheet.columns("rank"), "no.")
    return _insert_line(
        sheet, sheet.header + 1, sheet.join([units.get(i, "") for i in range(len(sheet.names))]), codes=_HEADINGS
    )


def rule_under_the_heading(sheet: Sheet) -> Edited | None:
    if sheet.header is None:
        return None
    return _insert_line(sheet, sheet.header + 1, sheet.join(["---"] * len(sheet.names)))


def column_of_row_numbers(sheet: Sheet) -> Edited | None:
    if len(set(sheet.lines)) < len(sheet.lines):
        return None  # the numbers would make equal rows different
    heading = sheet.random.choice(["", "#", "No."])
    return _every_line(sheet, lambda cells, at: [heading if at == sheet.header else str(at), *cells])


def columns_of_elo(sheet: Sheet) -> Edited | None:
    """Insert a column of ratings after each column of names."""
    names = sheet.columns("name")
    if sheet.header is None or len(set(sheet.lines)) < len(sheet.lines):
        return None

    def insert(cells: list[str], at: int) -> list[str]:
        new: list[str] = []
        for column, cell in enumerate(cells):
            new.append(cell)
            if column in names:
                new.append(f"{cell} Elo" if at == sheet.header else str(1400 + (37 * at + 91 * column) % 300))
        return new

    return _every_line(sheet, insert, codes=_HEADINGS)


def column_of_remarks(sheet: Sheet) -> Edited | None:
    at_row = _middle(sheet)
    return _every_line(sheet, lambda cells, at: [*cells, "Remarks" if at == sheet.header else "late" * (at == at_row)])


def column_copied(sheet: Sheet) -> Edited | None:
    """Copy a column of scores or names to the end, under the same heading."""
    column = sheet.random.choice(sheet.columns("score", "name"))
    return _every_line(sheet, lambda cells, at: [*cells, cells[column] if column < len(cells) else ""])


def columns_swapped(sheet: Sheet) -> Edited | None:
    """Swap two columns with their headings."""
    if sheet.header is None or len(sheet.names) < 2:
        return None
    one, other = sheet.random.sample(range(len(sheet.names)), 2)
    if not (sheet.lines[sheet.header] and sheet.cells(sheet.header)[one] and sheet.cells(sheet.header)[other]):
        return None  # a column without a heading belongs to the one before it
    width = len(sheet.names)
    return _every_line(sheet, lambda cells, at: _swap(cells + [""] * (width - len(cells)), one, other))


def columns_reversed(sheet: Sheet) -> Edited | None:
    """Write the columns from right to left."""
    if sheet.header is None or not all(sheet.cells(sheet.header)) or any("(2)" in name for name in sheet.names):
        return None
    width = len(sheet.names)
    return _every_line(sheet, lambda cells, at: (cells + [""] * (width - len(cells)))[::-1])


def headings_swapped(sheet: Sheet) -> Edited | None:
    """Swap the headings of two columns with different contents, such as names and scores."""
    if sheet.header is None:
        return None
    pairs = [
        (one, other)
        for kind, another in (("name", "score"), ("name", "time"), ("score", "time"), ("name", "rank"))
        for one in sheet.columns(kind)
        for other in sheet.columns(another)
    ]
    if not pairs:
        return None
    one, other = sheet.random.choice(pairs)
    line = sheet.join(_swap(sheet.cells(sheet.header), one, other))
    lines = [line if at == sheet.header else text for at, text in enumerate(sheet.lines)]
    return Edited(sheet.with_lines(lines), codes=_HEADINGS)


def _heading(sheet: Sheet, column: int, text: str, **more: object) -> Edited | None:
    if sheet.header is None:
        return None
    cells = sheet.cells(sheet.header)
    if not cells[column].strip() or cells[column] == text:
        return None
    cells[column] = text
    # A remark says how the columns were guessed, that a column is not used, or that the order of rows counts.
    return Edited(sheet.changed({sheet.header: cells}), codes=_HEADINGS, **more)  # type: ignore[arg-type]


def merged_heading(sheet: Sheet) -> Edited | None:
    """Leave the second of two neighbouring headings empty, as if both cells were merged."""
    used = sheet.columns("name", "score")
    second = [column for column in used if column - 1 in used]
    return _heading(sheet, sheet.random.choice(second), "") if second else None


def heading_missing(sheet: Sheet) -> Edited | None:
    return _heading(sheet, sheet.random.choice(sheet.columns("name", "score", "time")), "")


def heading_misspelt(sheet: Sheet) -> Edited | None:
    # In a file with places, scores are not needed, so nobody would notice.
    column = sheet.random.choice(sheet.columns("name", "rank" if sheet.columns("rank") else "score"))
    name = sheet.names[column]
    return _heading(sheet, column, name[:-2] + name[:-3:-1]) if len(name) > 2 else None


def headings_in_capitals(sheet: Sheet) -> Edited | None:
    if sheet.header is None:
        return None
    line = sheet.lines[sheet.header].upper()
    return Edited(sheet.with_lines([line if at == sheet.header else text for at, text in enumerate(sheet.lines)]))


def header_deleted(sheet: Sheet) -> Edited | None:
    codes = frozenset(["no-header", "inferred-columns"])
    if sheet.header is None:
        return None
    return Edited(sheet.with_lines(sheet.lines[: sheet.header] + sheet.lines[sheet.header + 1 :]), codes=codes)


def two_heading_rows(sheet: Sheet) -> Edited | None:
    if sheet.header is None or not sheet.columns("score", "result"):
        return None
    upper = [""] * len(sheet.names)
    upper[sheet.columns("name")[0]], upper[sheet.columns("score", "result")[0]] = "Match", "Result"
    return _insert_line(sheet, sheet.header, sheet.join(upper), codes=_HEADINGS)


# Bytes and separators


def byte_order_mark(sheet: Sheet) -> Edited | None:
    return Edited(replace(sheet.case, encoding="utf-8-sig")) if sheet.case.encoding == "utf-8" else None


def utf_16(sheet: Sheet) -> Edited | None:
    return Edited(replace(sheet.case, encoding="utf-16"))


def windows_encoding(sheet: Sheet) -> Edited | None:
    text = sheet.case.text
    if text.isascii() or text.encode("cp1252", "replace").decode("cp1252") != text:
        return None
    return Edited(replace(sheet.case, encoding="cp1252"), codes=frozenset(["encoding"]))


def old_mac_line_ends(sheet: Sheet) -> Edited | None:
    return Edited(replace(sheet.case, lines="\r"))


def all_cells_quoted(sheet: Sheet) -> Edited | None:
    mark = sheet.separator or ","
    quoted = [mark.join('"{}"'.format(cell.replace('"', '""')) for cell in sheet.cells(at)) for at in _all(sheet)]
    return Edited(sheet.with_lines(quoted))


def _all(sheet: Sheet) -> range:
    return range(len(sheet.lines))


def other_separator(sheet: Sheet) -> Edited | None:
    other = replace(sheet, separator="\t" if sheet.separator == ";" else ";")
    return Edited(sheet.with_lines([other.join(sheet.cells(at)) for at in _all(sheet)]))


def tab_in_one_row(sheet: Sheet) -> Edited | None:
    """Write one row with tabs instead of the separator."""
    at = _middle(sheet)
    line = "\t".join(sheet.cells(at)) if sheet.separator != "\t" else ",".join(sheet.cells(at))
    lines = [line if i == at else text for i, text in enumerate(sheet.lines)]
    return Edited(sheet.with_lines(lines), frozenset([at + 1]), codes=frozenset(["rosters"]))


def one_separator_changed(sheet: Sheet) -> Edited | None:
    """Replace one separator by a full stop, which joins two cells."""
    at = _middle(sheet)
    line = sheet.lines[at]
    if '"' in line:
        return None
    where = sheet.random.choice([i for i, letter in enumerate(line) if letter == sheet.separator])
    lines = [f"{line[:where]}.{line[where + 1 :]}" if i == at else text for i, text in enumerate(sheet.lines)]
    return Edited(sheet.with_lines(lines), frozenset([at + 1]))


def unbalanced_quote(sheet: Sheet) -> Edited | None:
    at = _middle(sheet)
    cells = sheet.lines[at].split(sheet.separator)
    if '"' in sheet.lines[at]:
        return None
    column = sheet.random.randrange(len(cells))
    cells[column] = f'"{cells[column]}'
    lines = [(sheet.separator or "").join(cells) if i == at else text for i, text in enumerate(sheet.lines)]
    return Edited(sheet.with_lines(lines), frozenset([at + 1]))


def all_rows_in_one_cell(sheet: Sheet) -> Edited | None:
    """Put quotation marks around each whole line, as some programs do."""
    return Edited(sheet.with_lines(['"{}"'.format(line.replace('"', '""')) for line in sheet.lines]))


# Rows


def file_pasted_twice(sheet: Sheet) -> Edited | None:
    body = [sheet.lines[at] for at in sheet.rows]
    codes = frozenset(["repeated-rows", "repeated-rows-counted", "repeated-players"])
    return Edited(sheet.with_lines([*sheet.lines, *body]), codes=codes)


def row_pasted_twice(sheet: Sheet) -> Edited | None:
    at = sheet.random.choice(sheet.rows)
    codes = frozenset(["repeated-rows", "repeated-rows-counted", "repeated-players"])
    return _insert_line(sheet, at, sheet.lines[at], codes=codes)


def _mirrored(sheet: Sheet, at: int) -> str | None:
    """Return a row that shows the same match from the other side's view."""
    layout = sheet.findings.layout
    names, scores, results = (sheet.columns(kind) for kind in ("name", "score", "result"))
    cells = sheet.cells(at)
    if layout is None or len(layout.sides) != 2 or len(names) != 2 or len(results) > 1:
        return None
    if "winner" in layout.roles and layout.roles["winner"] == sheet.names[names[0]]:
        return None  # the first name is always the winner
    cells = _swap(cells, *names)
    if scores:
        cells = _swap(cells, scores[0], scores[1])
    for column in results:
        flipped = {"W": "L", "L": "W", "H": "A", "A": "H"}
        if pair := _RESULT.fullmatch(cells[column]):
            cells[column] = f"{pair[3]}{pair[2]}{pair[1]}"
        elif cells[column] in flipped:
            cells[column] = flipped[cells[column]]
        elif cells[column] not in (cells[names[0]], cells[names[1]], "D"):
            return None
    return sheet.join(cells)


def _no_home(match: Match) -> Match:
    return match[0], frozenset((who, place, score, False) for who, place, score, _ in match[1])


def rows_mirrored(sheet: Sheet) -> Edited | None:
    """List each match once more from the other side's view."""
    both = [(sheet.lines[at], _mirrored(sheet, at)) for at in sheet.rows]
    if any(mirror is None for _, mirror in both) or "venue" in (
        sheet.findings.layout.roles if sheet.findings.layout else ()
    ):
        return None
    body = [line for pair in both for line in pair if line is not None]
    codes = frozenset(["mirrored-rows", "mirrored-rows-counted", "contradicting-results"])
    return Edited(sheet.with_lines([*sheet.lines[: sheet.rows[0]], *body]), undo=_no_home, codes=codes)


def row_mirrored(sheet: Sheet) -> Edited | None:
    at = sheet.random.choice(sheet.rows)
    line = _mirrored(sheet, at)
    if line is None or not sheet.columns("time") or len(_scores(sheet)) <= 3:
        return None  # without a date or varied scores, the new row may be a return match
    return _insert_line(sheet, at + 1, line, codes=frozenset(["mirrored-rows", "mirrored-rows-counted"]))


def column_shifted_by_a_row(sheet: Sheet) -> Edited | None:
    """Shift the cells of a column down by one row; the first cell becomes empty, and the last cell is lost."""
    column = sheet.random.choice(sheet.columns("name", "score", "rank", "result", "time"))
    rows, values = sheet.rows, [""] + [sheet.cells(at)[column] for at in sheet.rows]
    if len(rows) < 2:
        return None
    new = {
        at: [*(cells := sheet.cells(at))[:column], value, *cells[column + 1 :]]
        for at, value in zip(rows, values, strict=False)
    }
    touched = frozenset([rows[0] + 1]), frozenset([sheet.names[column]])
    codes = frozenset(["contradicting-results", "unused-scores", "no-times", "everybody-alone", "no-teams"])
    return Edited(sheet.changed(new), *touched, codes=codes)


def cells_shifted_right(sheet: Sheet) -> Edited | None:
    """Insert an empty cell in one row."""
    at, column = _middle(sheet), sheet.random.randrange(1 + max(sheet.columns("name", "score", "rank", "result")))
    cells = sheet.cells(at)
    return Edited(sheet.changed({at: [*cells[:column], "", *cells[column:]]}), frozenset([at + 1]))


def cells_shifted_left(sheet: Sheet) -> Edited | None:
    """Delete a cell in one row."""
    at, column = _middle(sheet), sheet.random.randrange(1 + max(sheet.columns("name", "score", "rank", "result")))
    cells = sheet.cells(at)
    return Edited(sheet.changed({at: [*cells[:column], *cells[column + 1 :]]}), frozenset([at + 1]))


def row_cut_short(sheet: Sheet) -> Edited | None:
    """End one row after the first of its names."""
    at = _middle(sheet)
    return Edited(sheet.changed({at: sheet.cells(at)[: sheet.columns("name")[0] + 1]}), frozenset([at + 1]))


def latest_first(sheet: Sheet) -> Edited | None:
    if not sheet.columns("time"):
        return None
    body = [sheet.lines[at] for at in reversed(range(sheet.rows[0], len(sheet.lines)))]
    return Edited(sheet.with_lines([*sheet.lines[: sheet.rows[0]], *body]))


def row_of_a_bye(sheet: Sheet) -> Edited | None:
    names = sheet.columns("name")
    layout = sheet.findings.layout
    if layout is None or len(layout.sides) != 2 or len(names) != 2:
        return None
    at = _middle(sheet)
    cells = sheet.cells(at)
    cells[names[1]] = "BYE"
    return _insert_line(sheet, at, sheet.join(cells), codes=frozenset(["byes"]))


# Names


def name_with_spaces(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, sheet.columns("name"), lambda cell: f" {cell}  " if cell.strip() else None)


def name_with_a_hard_space(sheet: Sheet) -> Edited | None:
    """Write a non-breaking space inside a name, or after it."""
    return _one_cell(
        sheet,
        sheet.columns("name"),
        lambda cell: (cell.replace(" ", "\xa0") if " " in cell else f"{cell}\xa0") if cell.strip() else None,
    )


def name_with_two_spaces(sheet: Sheet) -> Edited | None:
    counts = Counter(player for _, teams in sheet.matches for who, *_ in teams for player in who)
    return _one_cell(
        sheet, sheet.columns("name"), lambda cell: cell.replace(" ", "  ", 1) if counts[cell] > 1 else None
    )


def name_with_decomposed_accents(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, sheet.columns("name"), lambda cell: unicodedata.normalize("NFD", cell))


def name_with_a_zero_width_space(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, sheet.columns("name"), lambda cell: f"{cell}\u200b" if cell.strip() else None)


def name_in_capitals(sheet: Sheet) -> Edited | None:
    """Write one name in capitals; `prowess check` lists similar names."""
    counts = Counter(player for _, teams in sheet.matches for who, *_ in teams for player in who)
    return _one_cell(
        sheet,
        sheet.columns("name"),
        lambda cell: cell.upper() if counts[cell] > 1 else None,
        codes=frozenset(["spelling"]),
    )


def _spelt_right(match: Match) -> Match:
    return match[0], frozenset(
        (tuple(sorted(name.removesuffix("zq") for name in who)), place, score, home)
        for who, place, score, home in match[1]
    )


def name_misspelt(sheet: Sheet) -> Edited | None:
    """Misspell a name.

    If a result column names winners, it no longer fits the match. In other files, the misspelt name is another player.
    """
    column = sheet.random.choice(sheet.columns("name"))
    at = sheet.pick(column)
    if at is None:
        return None
    cells = sheet.cells(at)
    if cells[column].endswith("]"):
        return None
    cells[column] = f"{cells[column].rstrip()}zq"
    return Edited(
        sheet.changed({at: cells}), frozenset([at + 1]), codes=frozenset(["similar-names"]), undo=_spelt_right
    )


def winner_misspelt(sheet: Sheet) -> Edited | None:
    sides = {cell for at in sheet.rows for column in sheet.columns("name") if (cell := sheet.cells(at)[column])}
    return _one_cell(sheet, sheet.columns("result"), lambda cell: f"{cell}zq" if cell in sides else None)


def empty_side(sheet: Sheet) -> Edited | None:
    if sheet.findings.layout is not None and sheet.findings.layout.shape == Shape.PLACES:
        return None  # an empty cell means that fewer players took part
    return _one_cell(sheet, sheet.columns("name"), lambda cell: "")


def player_against_himself(sheet: Sheet) -> Edited | None:
    names = sheet.columns("name")
    layout = sheet.findings.layout
    if layout is None or not layout.sides or len(names) < 2:
        return None
    at = sheet.pick(names[0], lambda cell: cell.strip())
    if at is None:
        return None
    cells, scores = sheet.cells(at), sheet.columns("score")
    if scores and not any(is_number(cells[column]) for column in scores):
        return None  # the match has not been played
    cells[names[-1]] = cells[names[0]]
    return Edited(sheet.changed({at: cells}), frozenset([at + 1]), refuse=True)


def name_and_score_swapped(sheet: Sheet) -> Edited | None:
    """Swap a name and a score in one row."""
    names, others = sheet.columns("name"), sheet.columns("score", "rank", "result")
    pairs = [(one, other) for one in names for other in others]
    if not pairs:
        return None
    one, other = sheet.random.choice(pairs)
    at = sheet.pick(other)
    if at is None or sheet.cells(at)[one] == sheet.cells(at)[other]:
        return None
    codes = frozenset(["spelling"])
    return Edited(sheet.changed({at: _swap(sheet.cells(at), one, other)}), frozenset([at + 1]), codes=codes)


# Scores and results


def half_a_result(sheet: Sheet) -> Edited | None:
    """Drop the second number: 2- instead of 2-1."""
    return _one_cell(
        sheet,
        sheet.columns("result"),
        lambda cell: f"{pair[1]}{pair[2].strip()}" if (pair := _RESULT.fullmatch(cell)) else None,
    )


def other_half_of_a_result(sheet: Sheet) -> Edited | None:
    """Drop the first number: -1 instead of 2-1."""
    return _one_cell(
        sheet,
        sheet.columns("result"),
        lambda cell: f"{pair[2].strip()}{pair[3]}" if (pair := _RESULT.fullmatch(cell)) else None,
    )


def one_number_of_a_result(sheet: Sheet) -> Edited | None:
    """Drop the dash and a number: 2 instead of 2-1."""
    return _one_cell(
        sheet, sheet.columns("result"), lambda cell: pair[1] if (pair := _RESULT.fullmatch(cell)) else None
    )


def dash_lost(sheet: Sheet) -> Edited | None:
    """Drop the dash: 21 instead of 2-1."""
    return _one_cell(
        sheet, sheet.columns("result"), lambda cell: pair[1] + pair[3] if (pair := _RESULT.fullmatch(cell)) else None
    )


def letter_o_for_0(sheet: Sheet) -> Edited | None:
    return _one_cell(
        sheet,
        sheet.columns("score", "rank", "result"),
        lambda cell: cell.replace("0", "O", 1) if _has_numbers(cell) else None,
    )


def letter_l_for_1(sheet: Sheet) -> Edited | None:
    return _one_cell(
        sheet,
        sheet.columns("score", "rank", "result"),
        lambda cell: cell.replace("1", "l", 1) if _has_numbers(cell) else None,
    )


def _has_numbers(cell: str) -> bool:
    return re.fullmatch(r"[\d\s:.,½-]+", cell) is not None


def negative_score(sheet: Sheet) -> Edited | None:
    if any(score < 0 for score in _scores(sheet)):
        return None  # in this game, scores are negative
    return _one_cell(
        sheet, sheet.columns("score", "rank"), lambda cell: f"-{cell}" if is_number(cell) and cell != "0" else None
    )


def percent_sign(sheet: Sheet) -> Edited | None:
    return _one_cell(
        sheet, sheet.columns("score", "rank"), lambda cell: f"{cell}%" if is_number(cell) and cell != "0" else None
    )


def empty_score(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, sheet.columns("score"), lambda cell: "")


def empty_result(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, sheet.columns("result"), lambda cell: "")


def empty_place(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, sheet.columns("rank"), lambda cell: "")


def score_with_a_footnote(sheet: Sheet) -> Edited | None:
    return _one_cell(
        sheet, sheet.columns("score", "rank", "result"), lambda cell: f"{cell}*" if cell[-1:].isdigit() else None
    )


def score_with_a_unit(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, sheet.columns("score"), lambda cell: f"{cell} pts" if is_number(cell) else None)


def two_numbers_in_a_score(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, sheet.columns("score"), lambda cell: f"{cell} 1" if is_number(cell) else None)


def score_as_a_word(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, sheet.columns("score"), lambda cell: "two" if is_number(cell) else None)


def score_with_an_extra_digit(sheet: Sheet) -> Edited | None:
    """Type a digit five times: 33333 instead of 3. `prowess check` lists scores that are far from all others."""
    return _one_cell(
        sheet,
        sheet.columns("score"),
        lambda cell: 5 * cell if is_number(cell) and cell != "0" else None,
        codes=frozenset(["score"]),
    )


def spreadsheet_error(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, sheet.columns("score", "rank", "result", "name"), lambda cell: "#REF!" if cell else None)


def colon_for_dash(sheet: Sheet) -> Edited | None:
    return _all_cells(sheet, sheet.columns("result"), lambda cell: re.sub(r"(?<=\d) ?- ?(?=\d)", ":", cell))


def long_dash(sheet: Sheet) -> Edited | None:
    return _all_cells(sheet, sheet.columns("result"), lambda cell: re.sub(r"(?<=\d) ?- ?(?=\d)", "–", cell))


def minus_sign(sheet: Sheet) -> Edited | None:
    return _all_cells(sheet, sheet.columns("result"), lambda cell: re.sub(r"(?<=\d) ?- ?(?=\d)", " \u2212 ", cell))


def decimal_comma(sheet: Sheet) -> Edited | None:
    return _all_cells(
        sheet, sheet.columns("score"), lambda cell: f"{cell},0" if is_number(cell) else cell.replace(".", ",")
    )


def decimal_point(sheet: Sheet) -> Edited | None:
    return _all_cells(sheet, sheet.columns("score"), lambda cell: f"{cell}.0" if is_number(cell) else cell)


def _scaled(factor: float) -> Callable[[Match], Match]:
    return lambda match: (
        match[0],
        frozenset(
            (who, place, None if score is None else score / factor, home) for who, place, score, home in match[1]
        ),
    )


def thousands_separator(sheet: Sheet) -> Edited | None:
    if any(not is_number(cell) for at in sheet.rows for c in sheet.columns("score") if (cell := sheet.cells(at)[c])):
        return None
    return _all_cells(
        sheet, sheet.columns("score"), lambda cell: f"{int(cell) * 1000:,}" if cell else cell, undo=_scaled(1000)
    )


def thousands_in_one_score(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, sheet.columns("score"), lambda cell: f"{int(cell):,}" if is_number(cell) else None)


def draw_in_another_language(sheet: Sheet) -> Edited | None:
    words = {"draw", "Draw", "D", "tie", "tied", "Draws", "½-½", "1/2-1/2", "=", "drawn"}
    new = sheet.random.choice(["Unentschieden", "nul", "empate", "pareggio", "ничья", "gelijk", "remíza"])
    return _all_cells(sheet, sheet.columns("result"), lambda cell: new if cell in words else cell)


def did_not_finish(sheet: Sheet) -> Edited | None:
    new = sheet.random.choice(["DNF", "abandon", "Aufgabe", "ausgeschieden", "n.f.", "NP"])
    return _one_cell(sheet, sheet.columns("rank"), lambda cell: new)


# Times


def _days(sheet: Sheet) -> list[int]:
    """Return the time column, if all of its cells are dates such as 2024-01-31."""
    columns = sheet.columns("time")
    plain = columns and all(_DATE.fullmatch(sheet.cells(at)[columns[0]]) for at in sheet.rows)
    return columns if plain and all(date.fromisoformat(sheet.cells(at)[columns[0]]) for at in sheet.rows) else []


def month_first_dates(sheet: Sheet) -> Edited | None:
    return _all_cells(sheet, _days(sheet), lambda cell: f"{date.fromisoformat(cell):%m/%d/%Y}")


def day_first_dates(sheet: Sheet) -> Edited | None:
    return _all_cells(sheet, _days(sheet), lambda cell: f"{date.fromisoformat(cell):%d.%m.%Y}")


def a_day_first_date_among_month_first(sheet: Sheet) -> Edited | None:
    days = _days(sheet)
    found = sheet.pick(days[0], lambda cell: date.fromisoformat(cell).day > 12) if days else None
    if found is None:
        return None
    new = {}
    for at in sheet.rows:
        cells = sheet.cells(at)
        day = date.fromisoformat(cells[days[0]])
        cells[days[0]] = f"{day:%d/%m/%Y}" if at == found else f"{day:%m/%d/%Y}"
        new[at] = cells
    touched = frozenset([found + 1]), frozenset([sheet.names[days[0]]])
    return Edited(sheet.changed(new), *touched, codes=frozenset(["no-times"]))


def two_digit_years(sheet: Sheet) -> Edited | None:
    days = _days(sheet)
    if days and any(date.fromisoformat(sheet.cells(at)[days[0]]).year < 1970 for at in sheet.rows):
        return None
    return _all_cells(sheet, days, lambda cell: f"{date.fromisoformat(cell):%d/%m/%y}")


def names_of_months(sheet: Sheet) -> Edited | None:
    return _all_cells(sheet, _days(sheet), lambda cell: f"{date.fromisoformat(cell):%d %b %Y}")


def dates_without_a_year(sheet: Sheet) -> Edited | None:
    return _all_cells(
        sheet, _days(sheet), lambda cell: f"{date.fromisoformat(cell):%d.%m.}", codes=frozenset(["no-times"])
    )


def _recent_days(sheet: Sheet) -> list[int]:
    """Return the time column if its dates are recent enough to be recognised as spreadsheet day numbers."""
    days = _days(sheet)
    return days if days and min(sheet.cells(at)[days[0]] for at in sheet.rows) > "1990" else []


def serial_dates(sheet: Sheet) -> Edited | None:
    return _all_cells(
        sheet, _recent_days(sheet), lambda cell: str((date.fromisoformat(cell) - date(1899, 12, 30)).days)
    )


def one_serial_date(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, _days(sheet), lambda cell: str((date.fromisoformat(cell) - date(1899, 12, 30)).days))


def _at_midnight(match: Match) -> Match:
    return match[0][:10], match[1]


def one_time_of_day(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, _days(sheet), lambda cell: f"{cell} 15:00", undo=_at_midnight)


def impossible_date(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, _days(sheet), lambda cell: f"{cell[:5]}02-30")


def month_13(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, _days(sheet), lambda cell: f"{cell[:5]}13{cell[7:]}")


def empty_date(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, sheet.columns("time"), lambda cell: "")


def word_for_a_date(sheet: Sheet) -> Edited | None:
    return _one_cell(sheet, sheet.columns("time"), lambda cell: "rained off" if cell else None)


def year_misspelt(sheet: Sheet) -> Edited | None:
    """Write 2204 instead of the year."""
    return _one_cell(sheet, _days(sheet), lambda cell: f"2204{cell[4:]}")


def dates_with_a_weekday(sheet: Sheet) -> Edited | None:
    return _all_cells(sheet, _days(sheet), lambda cell: f"{date.fromisoformat(cell):%a, %d %b %Y}")


def times_in_a_zone(sheet: Sheet) -> Edited | None:
    if sheet.case.name.endswith(("xlsx", "xls", "ods")):
        return None  # workbooks have no zones
    return _all_cells(sheet, _days(sheet), lambda cell: f"{cell}T12:00:00+02:00", undo=_at_midnight)


def serial_dates_from_1904(sheet: Sheet) -> Edited | None:
    """Write the dates as day numbers of a spreadsheet program that counts from 1904."""
    return _all_cells(
        sheet,
        _recent_days(sheet),
        lambda cell: str((date.fromisoformat(cell) - date(1904, 1, 1)).days),
        undo=_from_1904,
        codes=frozenset(["numbers-as-dates"]),
    )


def _from_1904(match: Match) -> Match:
    if not _DATE.fullmatch(match[0]):
        return match
    return str(datetime.fromisoformat(match[0]).date() + timedelta(days=1462)), match[1]


EDITS: dict[str, Edit] = {
    name: value
    for name, value in list(globals().items())
    if callable(value) and getattr(value, "__module__", None) == __name__ and not name.startswith("_")
}
