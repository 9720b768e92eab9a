"""Read a table with a row per match: the teams of each side, and the result as scores, ranks or one cell."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import Error, Option
from ...text import count
from ..cells.numbers import note_negative, numbers_together
from ..cells.places import ranks
from ..cells.results import pair_results, word_results
from ..cells.rosters import rosters, separator_in_cells
from ..cells.score_grammar import PLAYED, UNPLAYED_MATCH, WALKOVER, WRONG, pair_cell
from ..cells.text import intern, intern_clean, intern_names, text_of, without_invisible, yes_no
from ..cells.words import ALSO_IN_NAMES, BYES, MISSING, PLACEHOLDERS, ROSTER_SEPARATORS, UNPLAYED, WALKOVERS, YES_NO
from ..names.spelling import plain_name
from ..ragged import Floats, Ints, starts
from ..read_context import Problems, Table, quote_value
from .direction import lowest_wins
from .duplicates import BOTH_VIEWS, Meetings, leave_out_mirrored, leave_out_repeated
from .joined_names import split_joined
from .placeholders import are_placeholders, leave_out_placeholders
from .raw_matches import RawMatches
from .reports import leave_out_reports
from .roles.aliases import WON
from .roles.layout import Layout, Shape, Side
from .winner_names import DRAW, UNKNOWN, winning_sides

if TYPE_CHECKING:
    import polars as pl

Mask = NDArray[np.bool_]
NEAR = 500  # rows above and below the first unplayed match in which a comment is searched
FEW = 0.2  # maximum fraction of the matches that have a comment
SHOWN = 20  # unplayed matches in which a comment is searched
MOST = 0.9  # fraction of the matches that must agree to decide how the file is read
_NAMELESS = re.compile(r"\d*|_duplicated_\d+|Unnamed: \d+|Column\d+", re.IGNORECASE)
_AT_HOME = {word: home for home, words in ((0, "h home vs heim"), (1, "a away at gast")) for word in words.split()}
_AT_HOME |= dict.fromkeys(("n", "neutral", ""), -1)
_NULL = [*MISSING - {*PLACEHOLDERS, "?"}, "null", "NULL", "Null", "None", "NONE", "NaN", "NAN", "NA", "N/A", "#N/A"]
# Headers of columns with the players who did not finish.
_LAST = "dnf dnfs retired retirements ret abandon abandons abandonos ausgeschieden ausfall ausfalle ritirati сходы"
# Shapes of files in which both sides of a match may have a row.
_TWO_VIEWS = (Shape.HOME_AWAY, Shape.SIDES, Shape.ONE_VIEW)
_SIDE_OF_SIGN = np.array([DRAW, 0, 1], np.int8)  # indexed by the signs 0, 1 and -1
# Indexed by the winner: side 0, side 1, a draw, unknown.
_RANKS = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0], [np.nan, np.nan]])


class SideResults(NamedTuple):
    """Scores and ranks of the sides, with a row per match; NaN if a side has no score or rank."""

    score: Floats | None
    rank: Floats | None


class SideTeams(NamedTuple):
    """The mask `present` of sides that have players, with a row per match and a column per side.

    `side` has, for each column of the mask, the index of its side in the layout. Several columns have the same side if
    the players of a cell share a place.
    """

    present: Mask
    side: NDArray[np.intp]


def read_wide(table: Table, layout: Layout) -> tuple[RawMatches, SideTeams]:
    """Return a raw match for each row, and the sides that have players; the caller adds times, importance and ids."""
    place = np.arange(1.0, len(layout.sides) + 1)
    if layout.shape == Shape.PLACES:
        table, layout, place = _split_ties(table, layout)
    size, player, names = _teams(table, layout)
    bye = _are_byes(names)
    if len(layout.sides) == 2 and bye.any():
        row = np.repeat(np.arange(len(size)), size.sum(axis=1))
        word = names.filter(bye)[0]
        more = "" if word.lower() == "bye" else f" ({word})"
        table.leave_out(np.unique(row[bye[player]]), "byes", f"bye{more}", f"byes{more}")
    _reject_results(table, layout, size, player, names)
    present = size > 0
    score, rank = _results(table, layout, present)
    if (nobody := are_placeholders(names)).any():
        row = np.repeat(np.arange(len(size)), size.sum(axis=1))
        leave_out_placeholders(table, row, player, names, nobody)
    if layout.shape == Shape.PLACES:
        rank = np.tile(place, (len(present), 1))
    meetings = Meetings(table, size, player)
    leave_out_reports(table, layout, meetings, rank if score is None else score)
    leave_out_repeated(table, layout, meetings)
    if layout.shape in _TWO_VIEWS and len(layout.sides) == 2:
        leave_out_mirrored(table, layout, meetings, rank if score is None else score)
    # A fast path for the usual case, in which every side has players.
    all_present = present.all()
    flat: Any = slice(None) if all_present else present.reshape(-1)
    draft = RawMatches(
        match_start=starts(np.full(len(size), size.shape[1]) if all_present else present.sum(axis=1)),
        team_start=starts(size.reshape(-1)[flat]),
        player=player,
        names=names.to_list(),
        where=lambda match, entry: table.where(match),
        rows=lambda match, entry: np.array([match]),
        rank=None if rank is None else rank.reshape(-1)[flat],
        score=None if score is None else score.reshape(-1)[flat],
        home=_home(table, layout),
    )
    return draft, SideTeams(present, place.astype(np.intp) - 1)


def _are_byes(names: "pl.Series") -> Mask:
    """Return a mask of the names that mean "no opponent", such as "bye"."""
    byes = (names.str.len_chars() <= max(map(len, BYES)) + 2).to_numpy(writable=True)  # most names are longer
    plain = names.filter(byes).str.to_lowercase().str.replace(r" ?#?[0-9]{1,2}$", "")  # "Bye 2" is a bye, too
    byes[byes] = plain.is_in(list(BYES)).to_numpy()
    return byes


def _reject_results(table: Table, layout: Layout, size: Ints, player: Ints, names: "pl.Series") -> None:
    # A name such as "Herm won by 39 runs" is a result: the cells of its row are in the wrong order.
    wrong = names.str.contains(r"(?i)\bwon by [\d½]").to_numpy()
    if wrong.any():
        team = np.repeat(np.arange(size.size), size.reshape(-1))
        row, side = np.divmod(np.unique(team[wrong[player]]), size.shape[1])
        for k, one in enumerate(layout.sides):
            table.reject(row[side == k], one.column, "this is a result, not a name; move the cells to their columns")


def _teams(table: Table, layout: Layout) -> tuple[Ints, Ints, "pl.Series"]:
    """Return the team sizes (a row per match, 0 for an empty side), the player indices of all teams, and the names."""
    import polars as pl

    sides = layout.sides
    columns = [side.lineup or side.column for side in sides]
    # A fast path for the common case, without lists.
    if len(columns) == 2 and not any(side.roster or side.more or side.lineup for side in sides):
        player, names = intern_names(table, columns)
        teams = split_joined(table, columns, player, np.repeat(np.arange(len(table.frame)), 2), names)
        if teams is not None:
            size, player, names = teams
            return size.reshape(-1, 2), player, names
        return np.ones((len(table.frame), 2), np.int32), player, names
    if any(side.more for side in sides):  # each player has a column; an empty cell makes the team smaller
        cells = [[member_names(table, column) for column in (side.column, *side.more)] for side in sides]
        lists = [pl.select(pl.concat_list(members).list.drop_nulls()).to_series() for members in cells]
    else:
        lineup = sides[0].lineup is not None
        lists, _ = rosters(table, columns, split=sides[0].roster or lineup, sure=lineup)
    lists[2:] = [_without_missing(table, side, cells) for side, cells in zip(sides[2:], lists[2:], strict=True)]
    # Only the first two sides must be filled in every match.
    for column, roster in zip(columns[:2], lists, strict=False):
        table.require(roster.list.len() > 0, column, "a match needs at least two teams")
    lists = [roster.fill_null([]) for roster in lists]
    size = np.stack([roster.list.len().to_numpy() for roster in lists], axis=1).astype(np.int32)
    _note_smaller_teams(table, columns, size)
    # An empty list explodes to null, which is dropped.
    player, names = intern_clean(pl.select(pl.concat_list(lists)).to_series().explode().drop_nulls())
    return size, player, names


def member_names(table: Table, column: str) -> "pl.Series":
    """Return the names in one of several columns for the players of a side; NULL and None are empty cells."""
    import polars as pl

    text = text_of(table, column)
    return text.to_frame("text").select(pl.when(~pl.col("text").is_in(_NULL)).then("text")).to_series()


def _without_missing(table: Table, side: Side, roster: "pl.Series") -> "pl.Series":
    """Return the teams of a third or later side, without cells such as NULL in matches where it has no result."""
    import polars as pl

    result = side.score or side.rank
    if result is None or table.frame[side.column].dtype.is_nested():
        return roster
    cells = [text_of(table, column).str.to_lowercase() for column in (side.column, result)]
    scored = ~cells[1].str.strip_chars("0.,").is_in(["", *MISSING]).fill_null(True)
    nameless = np.flatnonzero((cells[0].is_null() & scored).to_numpy())
    table.reject(nameless, side.column, f"there is a value in {result!r}, but no name; fill it in, or drop the value")
    missing = cells[0].is_in(list(MISSING)) & (cells[1].is_null() | cells[1].is_in(list(MISSING)))
    return pl.select(pl.when(~missing.fill_null(False)).then(roster)).to_series() if missing.any() else roster


def _note_smaller_teams(table: Table, columns: list[str], size: Ints) -> None:
    # A team smaller than nearly all others suggests that a name is missing.
    usual = int(np.bincount(size[size > 0]).argmax()) if size.any() else 0
    small = (size > 0) & (size < usual)
    number = int(np.count_nonzero(small))
    if not number or number > max(1, (1 - MOST) * np.count_nonzero(size)):
        return
    row = int(small.any(axis=1).argmax())
    side = int(small[row].argmax())
    players = count(int(size[row, side]), "player", "players")
    held = f"{table.row_name(row)}: the team of column {columns[side]!r} has {players}"
    teams = f"{count(number, 'team is', 'teams are')} smaller than the usual {usual} players"
    table.note("smaller-teams", f"{held}; {teams}", column=columns[side], number=number, row=row)


def _split_ties(table: Table, layout: Layout) -> tuple[Table, Layout, Floats]:
    """Split cells in which players share a place into a column per player. Also return the place of each column.

    "Ann & Cat" is a tie if Ann and Cat are names in other cells. If other cells do not contain these names, "Ann & Cat"
    is one name, or a team.
    """
    import polars as pl

    columns = [side.column for side in layout.sides]
    texts = {
        column: without_invisible(text_of(table, column))
        for column in columns
        if not table.frame[column].dtype.is_nested()
    }
    cells = pl.concat(list(texts.values())).drop_nulls().unique(maintain_order=True).to_list() if texts else []
    choice = table.choices.rosters
    marks = [*ROSTER_SEPARATORS, *ALSO_IN_NAMES] if choice is None else [separator_in_cells(choice)]
    ties: dict[str, list[str]] = {}
    last = {cell for name, text in texts.items() if plain_name(name) in _LAST.split() for cell in text}
    for mark in filter(None, marks):
        for cell in cells:
            names = [name.strip() for name in cell.split(mark)]
            if len(names) > 1 and (set(names) <= set(cells) or cell in last):
                ties.setdefault(cell, names)
    if not ties:
        return table, layout, np.arange(1.0, len(columns) + 1)
    cell = next(iter(ties))
    table.note("tie-cells", f"{cell!r} is read as a tie; use ", Option("rosters", ""), " to read each cell as one name")
    frame, sides, place = table.frame, [], []
    for number, side in enumerate(layout.sides, 1):
        split = [ties.get(text, [text]) for text in texts[side.column]]
        for index in range(max(map(len, split), default=1)):
            name = side.column if index == 0 else f"{side.column}\0{index + 1}"
            members = pl.Series(name, [names[index] if index < len(names) else None for names in split], pl.String)
            frame = frame.with_columns(members)
            sides.append(replace(side, column=name))
            place.append(float(number))
    return replace(table, frame=frame), replace(layout, sides=tuple(sides)), np.array(place)


def add_venue(table: Table, layout: Layout) -> Layout:
    """Return the layout with a column that its header does not name clearly, if its cells do.

    A venue column holds @ if the first side played away. A column such as DNF names players who share the last place.
    """
    for column in layout.unused(table.frame.columns) if layout.shape == Shape.PLACES and not layout.mapped else ():
        if plain_name(column) in _LAST.split() and not table.frame[column].dtype.is_nested():
            names = {name for side in layout.sides for name in text_of(table, side.column).drop_nulls()}
            lists = text_of(table, column).drop_nulls()
            if any(names.intersection(map(str.strip, re.split(r"[,;/&+]", cell))) for cell in lists):
                table.note("words-for-places", f"{column}: these players share the last place", column=column)
                sides = (*layout.sides, Side(column, roster=True))
                layout = replace(layout.with_roles(**{f"rank{len(sides)}": column}), sides=sides)
    if "venue" in layout.roles or layout.shape not in (Shape.WINNER_LOSER, Shape.ONE_VIEW):
        return layout
    for column in table.frame.columns:
        if _NAMELESS.fullmatch(column) and not table.frame[column].dtype.is_nested():
            cells = set(text_of(table, column).drop_nulls().head(1000).str.to_lowercase())
            if "@" in cells and cells <= {"@", "n", "vs", "vs."}:
                return layout.with_roles(venue=column)
    return layout


def _home(table: Table, layout: Layout) -> Ints | None:
    if layout.shape == Shape.HOME_AWAY or (layout.shape == Shape.SIDES and "neutral" in layout.roles):
        if table.decided.get(BOTH_VIEWS):
            column = layout.sides[0].column
            text = f"each match is listed from both sides, so {column!r} does not say who was at home"
            table.note("no-home-team", text, column=column)
            return None
        home = np.zeros(len(table.frame), np.int32)
        if "neutral" in layout.roles:
            home[yes_no(table, layout.roles["neutral"])] = -1
        return home
    if "venue" not in layout.roles:
        return None
    code, words = intern(text_of(table, layout.roles["venue"]).fill_null(""))
    meaning = _AT_HOME | ({"": 0} if "@" in set(words) else {})
    home_sides = [meaning.get("at" if word == "@" else plain_name(word)) for word in words]
    return None if None in home_sides else np.array(home_sides, np.int32)[code]  # other words are names of venues


def _results(table: Table, layout: Layout, present: Mask) -> SideResults:
    if "status" in layout.roles:
        code, different = intern(text_of(table, layout.roles["status"]).fill_null(""))
        words = [plain_name(word) for word in different]
        _leave_out_unplayed(table, np.array([word in UNPLAYED for word in words], bool)[code])
        if table.choices.walkovers != "count":
            _leave_out_walkovers(table, np.array([word in WALKOVERS for word in words], bool)[code])
    if layout.shape == Shape.PLACES:
        return SideResults(None, None)
    if layout.shape == Shape.WINNER_LOSER:
        return _winner_first(table, layout)
    score = _score_columns(table, layout) if layout.scores else None
    lowest = score is not None and lowest_wins(table, layout.scores, score)
    if "winner" in layout.roles:
        result = read_result_column(table, layout)
        return SideResults(result.score if score is None else None if lowest else score, result.rank)
    if score is not None:
        _require_scores(table, layout, score, present)
    if lowest:
        return SideResults(None, score)
    places = [ranks(table, column) for column in layout.ranks]
    if not places:
        return SideResults(score, None)
    rank = np.stack([np.where(column.unplaced, np.nan, column.rank) for column in places], axis=1)
    last = np.nanmax(np.nan_to_num(rank, nan=-np.inf), axis=1, keepdims=True)
    unplaced = np.stack([column.unplaced for column in places], axis=1)
    return SideResults(score, np.where(unplaced & np.isfinite(last), last + 1, rank))


def _score_columns(table: Table, layout: Layout) -> Floats:
    scores = numbers_together(table, layout.scores)
    note_negative(table, layout.scores, scores)
    return np.stack(scores, axis=1)


def _leave_out_unplayed(table: Table, rows: Mask, layout: Layout | None = None) -> None:
    more = _beside_names(table, layout, rows) if layout is not None and rows.any() else ""
    table.leave_out(np.flatnonzero(rows), "not-played", "unplayed match", "unplayed matches", more)


def _beside_names(table: Table, layout: Layout, rows: Mask) -> str:
    """Quote a comment or a result in rows without a result; raise an `Error` if these rows seem to hold partners."""
    import polars as pl

    start = max(0, int(rows.argmax()) - NEAR)
    lines, frame, rows = table.lines, table.frame[start : start + 2 * NEAR], rows[start : start + 2 * NEAR]
    table = replace(table, frame=frame, lines=lambda row: lines(row + start))
    players = {name for side in layout.sides for name in (side.column, *side.more, side.lineup)}
    others = [name for name in frame.columns if name not in players]
    texts = [text_of(table, name) if frame[name].dtype == pl.String else frame[name] for name in others]
    filled = np.stack([text.is_not_null() for text in texts], axis=1)
    below = np.flatnonzero(~rows[:-1]) + 1  # the rows below matches
    if len(below) >= 3 and (rows & ~filled.any(axis=1))[below].mean() >= MOST and not table.choices.fixtures:
        text = "this row and most rows below a match hold only names; write the names of partners in one cell, or use "
        skip = Option("fixtures", "skip")
        raise table.error(int(below[0]), text, skip, " if these matches have not been played")
    for column in (name for name in layout.unused(others) if frame[name].dtype == pl.String):
        full = filled[:, others.index(column)]
        few = len(below) > 0 and np.count_nonzero(full & ~rows) <= FEW * np.count_nonzero(~rows)
        for row in np.flatnonzero(full & rows)[:SHOWN].tolist():
            cell = frame[column][row]
            state = pair_cell(cell).state if few or ":" not in cell else UNPLAYED_MATCH
            if state in (PLAYED, WALKOVER) or (few and state == WRONG and re.search(r"[^\W\d_]", cell)):
                held = f"; {table.row_name(row)}: column {column!r} holds {quote_value(cell)}"
                return f"{held}; if this is a result, write it in the column of the results"
    return ""


def _leave_out_walkovers(table: Table, rows: Mask) -> None:
    more = ("; use ", Option("walkovers", "count"), " to count them as matches")
    table.leave_out(np.flatnonzero(rows), "walkovers", "walkover", "walkovers", more)


def _require_scores(table: Table, layout: Layout, score: Floats, present: Mask) -> None:
    # Matches without any score were not played; scores for only some of the sides are a problem.
    missing = np.isnan(score)
    unplayed = (missing | ~present).all(axis=1)
    fine = np.ones(len(score), bool)
    fine[table.problems.rows()] = False
    _leave_out_unplayed(table, unplayed & fine, layout)
    for side, column in enumerate(layout.scores):
        wrong = np.flatnonzero(missing[:, side] & present[:, side] & ~unplayed & fine)
        table.reject(wrong, column, "another side has a score: fill in this one, too, or drop the row")
        fine[wrong] = False


def _winner_first(table: Table, layout: Layout) -> SideResults:
    rank = np.tile([1.0, 2.0], (len(table.frame), 1))
    if "draw" in layout.roles:
        rank[yes_no(table, layout.roles["draw"])] = 1
    if "result" in layout.roles and table.choices.walkovers != "count":
        code, cells = intern(text_of(table, layout.roles["result"]).fill_null(""))
        over = [any(plain_name(word) in WALKOVERS for word in (cell, *cell.split()[-1:])) for cell in cells]
        _leave_out_walkovers(table, np.array(over, bool)[code])
    columns = layout.scores
    if len(columns) < 2:
        if "tie" in plain_name(layout.roles["winner"]) and not {"draw", "result"} & layout.roles.keys():
            column = layout.roles["winner"]
            text = f"column {column!r} may hold draws, but without the scores of both sides, each match has a winner"
            table.note("unknown-draws", text, column=column)
        return SideResults(_scores_of_winners(table, layout), rank)
    score = _score_columns(table, layout)
    behind = score[:, 0] < score[:, 1]
    if np.count_nonzero(behind) > (1 - MOST) * len(score) and not layout.mapped & {"winnerscore", "loserscore"}:
        text = f"{columns[0]!r} and {columns[1]!r} are not used as scores, because "
        table.note("unused-scores", text, "winners often have fewer points than losers", column=columns[0])
        return SideResults(None, rank)
    if "tie" in plain_name(layout.roles["winner"]):
        rank[score[:, 0] == score[:, 1]] = 1
    return SideResults(score, rank)


def _scores_of_winners(table: Table, layout: Layout) -> Floats | None:
    """Return the scores in cells such as 7-6(4) 6-3 if the winner's score is first; otherwise None."""
    if "result" not in layout.roles:
        return None
    results = pair_results(replace(table, problems=Problems(), left_out=[]), layout.roles["result"], decided=True)
    decided = (results.state == PLAYED) & (results.sign != 0)
    if not results.scored or not decided.any() or (results.sign[decided] > 0).mean() < MOST:
        return None
    unread = results.state != PLAYED
    _note_unread_scores(table, layout.roles["result"], unread & ~(results.state == WALKOVER))
    return np.where(unread[:, None], np.nan, np.stack([results.first, results.second], axis=1))


def _note_unread_scores(table: Table, column: str, rows: Mask) -> None:
    number, row = int(np.count_nonzero(rows)), int(rows.argmax())
    if number:
        cell = text_of(table, column)[row]
        held = "is empty" if cell is None else f"holds {cell!r}, which is not a score"
        text = f"{table.row_name(row)}: column {column!r} {held}; the match is rated by its winner, without a score"
        more = f" ({number:,} matches)" if number > 1 else ""
        table.note("unread-scores", f"{text}{more}", column=column, number=number, row=row)


def _ask_for_winners(table: Table, layout: Layout, column: str) -> None:
    """Raise an `Error` if the first side won each match, but another column has wins and losses."""
    import polars as pl

    for other in layout.unused(table.frame.columns):
        if table.frame[other].dtype == pl.String and not text_of(table, other).str.contains(r"\P{L}").any():
            result = word_results(replace(table, remarks=[], problems=Problems(), left_out=[]), other)
            if (result.state == PLAYED).mean() >= MOST and {-1, 1} <= set(result.sign.tolist()):
                text = f"{table.title}: {column!r} says that the first side won every match, but {other!r} does not"
                options = [Option("columns", {"winner": name}) for name in (other, column)]
                raise Error(f"{text}; use ", options[0], " or ", options[1], field=column)


def read_result_column(table: Table, layout: Layout) -> SideResults:
    """Read a result column: the winner's name or side, scores such as 3-1, or W, L and D for the first side.

    The whole column is read in the way that fits most rows. A separate score column must agree with the result column;
    the score decides if the result cell is empty.
    """
    column = layout.roles["winner"]
    if len(layout.sides) > 2:
        named = f"{table.title}: column {column!r} names one winner among {len(layout.sides)} sides"
        right = "which does not rank the other sides; add a column with the rank or the score of each side"
        raise Error(f"{named}, {right}", field=column)
    side = winning_sides(table, layout)
    trials = [replace(table, remarks=[], problems=Problems(), left_out=[]) for _ in range(2)]
    # True means a win only in columns with a name such as radiant_win.
    won = YES_NO if plain_name(column).endswith(WON) else {}
    readings = [pair_results(trials[0], column), word_results(trials[1], column, won)]
    fits = [np.count_nonzero(side != UNKNOWN), *(np.count_nonzero(reading.state == PLAYED) for reading in readings)]
    best = table.decide(f"how {column} is read", lambda: int(np.argmax(fits)))
    if not max(fits) and readings[0].dates:
        best = 1  # results that a spreadsheet turned into dates
    score = None
    if best == 0:
        # a cell that names no side may mean that the match was not played
        state = np.where(readings[0].state == PLAYED, WRONG, readings[0].state)
        state = np.where(side != UNKNOWN, PLAYED, state)
    else:
        result, trial = readings[best - 1], trials[best - 1]
        state, side = result.state, np.where(result.state == WRONG, UNKNOWN, _SIDE_OF_SIGN[result.sign])
        table.remarks.extend(remark for remark in trial.remarks if remark not in table.remarks)
        table.problems.groups.extend(trial.problems.groups)
        if ("suggested" in table.decided or not table.choices.columns) and (side[state == PLAYED] == 0).all():
            _ask_for_winners(table, layout, column)
        if table.decide(f"whether {column} holds scores", lambda: result.scored):
            score = np.stack([result.first, result.second], axis=1)
    if "score" in layout.roles:
        beside = pair_results(replace(table, problems=Problems(), left_out=[]), layout.roles["score"], decided=True)
        played = beside.state == PLAYED
        settled = (state == UNPLAYED_MATCH) & played
        if beside.scored:
            _note_unread_scores(table, layout.roles["score"], (state == PLAYED) & ~played & (beside.state != WALKOVER))
        state, side = np.where(settled, PLAYED, state), np.where(settled, _SIDE_OF_SIGN[beside.sign], side)
        sign = np.sign(_RANKS[side, 1] - _RANKS[side, 0])
        score = np.stack([beside.first, beside.second], axis=1) if beside.scored else score
        wrong = np.flatnonzero(played & (beside.sign * sign < 0))
        table.reject(
            wrong, layout.roles["score"], f"column {column!r} says that the other side won; correct one of them"
        )
    _leave_out_unplayed(table, state == UNPLAYED_MATCH, layout)
    if best == 0 or table.choices.walkovers != "count":  # a walkover without a winner cannot count
        _leave_out_walkovers(table, state == WALKOVER)
    if best == 0:
        names = " or ".join(repr(each.column) for each in layout.sides)
        table.reject(np.flatnonzero(state == WRONG), column, f"write the name of the winner, {names}, or 'draw'")
    return SideResults(score, _RANKS[side])
