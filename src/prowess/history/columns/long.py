"""From a file with a row per player, or per team, per match to a draft: the rows of a match are gathered."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import Option, Remark
from ...text import count
from ..cells.labels import labels, names, yes_no
from ..cells.numbers import numbers
from ..cells.places import durations, ranks, words
from ..cells.results import PLAYED
from ..cells.rosters import rosters
from ..cells.text import intern, text_of
from ..cells.win_loss import word_results
from ..cells.words import YES_NO
from ..ragged import Floats, Ints, gather, owners, pair_codes, starts
from ..read_context import Problems, Table
from .layout import Layout
from .long_groups import Rows, match_codes
from .raw_matches import RawMatches

if TYPE_CHECKING:
    import polars as pl

MANY = 0.25  # of the rows: where so many tell of a player for the second time, they tell of something else
FEW = 4  # rows, of which nothing is known


@dataclass
class _Results:
    """The results of the rows: a rank or a score, NaN where there is none, and who is ranked last or was not there."""

    rank: Floats | None
    score: Floats | None
    unplaced: NDArray[np.bool_]
    absent: NDArray[np.bool_]


def read_long(table: Table, layout: Layout) -> tuple[RawMatches, Rows]:
    """Make a draft, and give the rows, by which the caller reads what belongs to a match as a whole."""
    match = match_codes(table, layout)
    results = _results(table, layout)
    _drop_strokes(table, layout, match, results)
    layout = _playing_teams(table, layout, match, results)
    roles = layout.roles
    team = intern(labels(table, roles["team"]))[0] if "team" in roles and {"player", "players"} & roles.keys() else None
    _leave_out(table, layout, match, team, results)
    rows = Rows(table, match, team)
    size, player, different = _players(table, layout, rows)
    entry_row = np.repeat(rows.order, size)
    first_row = rows.order[rows.match_row_start[:-1]]
    remarks: list[Remark] = []
    score = None if results.score is None else _scores(rows, results.score, roles["score"], remarks)
    listed = not {"rank", "score", "duration", "result"} & roles.keys()
    if listed:
        text = "no rank or score: the rows of a match stand in the order of the result"
        remarks.append(Remark("order-of-rows", (text,)))
    draft = RawMatches(
        match_start=rows.match_start,
        team_start=starts(size)[rows.team_start],
        player=player,
        names=different.to_list(),
        where=lambda match, entry: table.where(int(first_row[match] if entry is None else entry_row[entry])),
        rows=lambda match, entry: rows.of(match) if entry is None else entry_row[[entry]],
        rank=_ranks(rows, layout, results, score),
        score=score,
        weight=np.repeat(numbers(table, roles["weight"])[rows.order], size) if "weight" in roles else None,
        home=_home(rows, roles["home"]) if "home" in roles else None,
        listed=listed,
        may_be_alone=True,
        remarks=tuple(remarks),
    )
    return draft, rows


def _results(table: Table, layout: Layout) -> _Results:
    """Read the places, or the scores, or how long each took; a word instead says that somebody did not finish."""
    roles = layout.roles
    nobody = np.zeros(len(table.frame), bool)
    score = None
    if "rank" in roles:
        places = ranks(table, roles["rank"])
        if "score" in roles:  # beside places a score that cannot be read is no problem
            score = numbers(replace(table, remarks=[], problems=Problems()), roles["score"])
        return _Results(places.rank, score, places.unplaced, places.absent)
    if "duration" in roles:
        places = durations(table, roles["duration"])
        return _Results(places.rank, None, places.unplaced, places.absent)
    if "result" in roles:
        outcomes = word_results(table, roles["result"], YES_NO)
        return _Results(np.where(outcomes.state == PLAYED, 1.5 - outcomes.sign / 2, np.nan), None, nobody, nobody)
    if "score" in roles:
        unplaced, absent = words(table, roles["score"])
        score = numbers(_blank(table, roles["score"], unplaced | absent), roles["score"])
        return _Results(None, score, unplaced, absent)
    return _Results(None, None, nobody, nobody)


def _drop_strokes(table: Table, layout: Layout, match: Ints, results: _Results) -> None:
    """Drop scores of a text file that mostly grow with the places: strokes and seconds are no scores."""
    rank, score = results.rank, results.score
    if (
        rank is None
        or score is None
        or "score" in layout.mapped
        or table.frame[layout.roles["rank"]].dtype.is_numeric()
    ):
        return
    order = np.lexsort((rank, match))
    order = order[~np.isnan(rank[order]) & ~np.isnan(score[order])]
    apart = (np.diff(match[order]) == 0) & (np.diff(rank[order]) > 0)
    if 2 * np.count_nonzero((np.diff(score[order]) > 0) & apart) > np.count_nonzero(apart):
        column = layout.roles["score"]
        table.note("unused-scores", f"{column!r} does not fall with the places: it is not used", column=column)
        results.score = None


def _blank(table: Table, column: str, rows: NDArray[np.bool_]) -> Table:
    """Give the table with some cells of a column empty; what is found in it is found in the table."""
    import polars as pl

    if not rows.any():
        return table
    return replace(table, frame=table.frame.with_columns(table.frame[column].set(pl.Series(rows), None)))


def _playing_teams(table: Table, layout: Layout, match: Ints, results: _Results) -> Layout:
    """Tell teams that play together from clubs: where most that have several rows have several places, they are not."""
    if "team" not in layout.roles or "player" not in layout.roles or "team" in layout.mapped or results.rank is None:
        return layout
    team, _ = intern(text_of(table, layout.roles["team"]).fill_null(""))  # not everybody has a club
    rank = np.where(results.unplaced, np.inf, results.rank)
    rows = Rows(table, match, team)
    several = np.diff(rows.team_start) > 1
    ordered = np.nan_to_num(rank[rows.order], nan=np.inf, posinf=np.inf)
    low, high = (how.reduceat(ordered, rows.team_start[:-1]) for how in (np.minimum, np.maximum))
    several &= np.isfinite(low)  # where nobody has a place, nothing is told
    column = layout.roles["team"]
    least = 0 if "duration" in layout.roles else np.count_nonzero(several) / 2  # everybody is timed alone
    apart = bool(np.count_nonzero((low != high)[several]) > least)
    if not len(ordered) or not table.decide(f"whether {column} plays apart", lambda: apart if several.any() else None):
        return layout
    text = f"players with one {column} have places of their own: everybody plays alone"
    table.note("everybody-alone", text, column=column)
    return replace(layout, roles={role: used for role, used in layout.roles.items() if role != "team"})


def _leave_out(table: Table, layout: Layout, match: Ints, team: Ints | None, results: _Results) -> None:
    """Leave out who was not there, who stands twice in a match, and matches in which nobody has a result."""
    absent = np.flatnonzero(results.absent)
    table.leave_out(absent, "absent", "did not take part: ", "entry is", "entries are")
    if "player" in layout.roles or "players" not in layout.roles:
        _leave_out_twice(table, layout, match, team, results)
    has_result = ~(results.unplaced | results.absent)
    for column in (results.rank, results.score):
        if column is not None and (results.rank is None or column is results.rank or np.isnan(results.rank).all()):
            has_result &= ~np.isnan(column)
    if results.rank is None and results.score is None:
        return
    if results.rank is not None and results.score is not None:
        has_result = (~np.isnan(results.rank) & ~results.unplaced) | ~np.isnan(results.score)
    unplayed = np.flatnonzero(np.bincount(match, has_result, minlength=match.max(initial=-1) + 1)[match] == 0)
    unplayed = np.setdiff1d(unplayed, absent)
    words = "match without any result is", "matches without any result are"
    table.leave_out(unplayed, "not-played", "not played: ", *words, number=len(np.unique(match[unplayed])))


def _leave_out_twice(table: Table, layout: Layout, match: Ints, team: Ints | None, results: _Results) -> None:
    """Of a player's rows in one match the best counts: a driver who took over another's car, or a row that repeats."""
    who, _ = intern(names(table, layout.roles["player" if "player" in layout.roles else "team"]))
    key = pair_codes(match, who)
    if team is not None:
        key = pair_codes(key, team)  # in two teams of a match nobody can be: that is a problem
    value = np.zeros(len(key))
    if results.rank is not None:
        value = np.where(results.unplaced | np.isnan(results.rank), np.inf, results.rank)
    elif results.score is not None:
        value = np.where(results.unplaced | np.isnan(results.score), np.inf, -results.score)
    value = np.where(results.absent, np.inf, value)
    order = np.lexsort((value, key))
    repeated = np.zeros(len(key), bool)
    repeated[order[1:]] = key[order[1:]] == key[order[:-1]]
    rows = np.flatnonzero(repeated & ~results.absent)
    if len(rows) > max(FEW, MANY * len(key)):
        column = layout.roles["player" if "player" in layout.roles else "team"]
        message = "it stands in this match already, as many do: say who plays, as in "
        table.reject(rows, column, (message, Option("columns", {"player": "name"})))
        return
    why = "twice in a match: of a player's rows the best counts, "
    table.leave_out(rows, "repeated-players", why, "other is", "others are")


def _players(table: Table, layout: Layout, rows: Rows) -> tuple[Ints, Ints, "pl.Series"]:
    """Return the number of players in each ordered row, the players of all rows, and their names."""
    if "players" not in layout.roles:
        code, different = intern(names(table, layout.roles["player" if "player" in layout.roles else "team"]))
        return np.ones(len(code), np.int32), code[rows.order], different
    column = layout.roles["players"]
    [lists], _ = rosters(table, [column], sure=True)
    table.require(lists.list.len() > 0, column, "a team needs at least one player")
    lists = lists.fill_null([])
    size = lists.list.len().to_numpy().astype(np.int32)
    code, different = intern(lists.explode().drop_nulls())
    _, entries = gather(starts(size), rows.order)
    return size[rows.order], code[entries], different


def _ranks(rows: Rows, layout: Layout, results: _Results, score: Floats | None) -> Floats | None:
    """Give the ranks of the teams; who has none beside others who have one shares the last place, or one after it."""
    rank = results.rank
    if rank is not None:
        column = next(layout.roles[role] for role in ("rank", "duration", "result") if role in layout.roles)
        rank = rows.one(np.where(results.unplaced, np.nan, rank), column, "team")
    elif score is not None and results.unplaced.any():
        rank = -score
        score[:] = np.where(np.isin(owners(rows.match_start), _matches_of(rows, results.unplaced)), np.nan, score)
    if rank is None:
        return None
    match = owners(rows.match_start)
    missing = np.isnan(rank)
    last = np.full(len(rows.match_start) - 1, -np.inf)
    np.maximum.at(last, match[~missing], rank[~missing])
    empty = missing & np.isfinite(last[match])
    if "rank" in layout.roles and (plain := empty & ~results.unplaced[rows.order[rows.team_start[:-1]]]).any():
        number, column = int(np.count_nonzero(plain)), layout.roles["rank"]
        first = int(rows.order[rows.team_start[:-1]][plain].min())
        share = f"{count(number, 'entry shares', 'entries share')} the last place of their match"
        text = f"no place in column {column!r}: {share}, the first on {rows.table.row_name(first)}"
        rows.table.note("missing-places", text, column=column, number=number, row=first)
    return np.where(empty, last[match] + 1, rank)


def _matches_of(rows: Rows, mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Give the matches of the rows of a mask."""
    match = np.repeat(np.arange(len(rows.match_start) - 1), np.diff(rows.match_row_start))
    return np.unique(match[mask[rows.order]])


def _scores(rows: Rows, score: Floats, column: str, remarks: list[Remark]) -> Floats:
    """Give the scores of the teams: what all rows of a team say, or, where those of most teams differ, their sums.

    Whether a column holds scores of teams or of players is one decision for the file: two players with 3 points each
    are a team with 6 where other teams show that points are counted by player.
    """
    values = score[rows.order]
    first = values[rows.team_start[:-1]]
    size = np.diff(rows.team_start)
    alike = not len(values) or np.array_equal(values, np.repeat(first, size), equal_nan=True)
    mostly = alike or rows.mostly_agree(score, "team")
    summed = rows.table.decide(f"whether {column} is summed", lambda: not mostly if (size > 1).any() else None)
    if not summed:
        return first if alike else rows.one(score, column, "team")
    remarks.append(Remark("summed-scores", (f"{column} differs within a team: a team's score is the sum",), column))
    total: Floats = np.add.reduceat(values, rows.team_start[:-1])
    return total


def _home(rows: Rows, column: str) -> Ints:
    """Give the index of the home team in each match, -1 where there is none."""
    home = rows.one(yes_no(rows.table, column), column, "team")
    teams = np.flatnonzero(home)
    match = owners(rows.match_start)[teams]
    index = np.full(len(rows.match_start) - 1, -1, np.int32)
    index[match] = teams - rows.match_start[match]
    twice = np.flatnonzero(match[1:] == match[:-1])
    if len(twice):
        wrong = rows.order[rows.team_start[teams[twice + 1]]]
        rows.table.reject(wrong, column, "two teams of this match are at home: at most one is")
    return index
