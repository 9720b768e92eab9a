"""Read a table with one row per player or team in each match, by grouping the rows of a match."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error, Option, Remark
from ...text import count
from ..cells.numbers import note_negative, numbers
from ..cells.places import durations, ranks, word_masks
from ..cells.results import word_results
from ..cells.rosters import rosters
from ..cells.score_grammar import PLAYED
from ..cells.text import intern, intern_clean, labels, names, text_of, yes_no
from ..cells.words import DID_NOT_START, NO_VALUES, YES_NO
from ..names.spelling import plain_name
from ..ragged import Floats, Ints, gather, owners, pair_codes, starts
from ..read_context import Message, Problems, Table
from .direction import lowest_wins
from .joined_names import split_joined
from .match_parts import split_matches
from .placeholders import are_placeholders, leave_out_placeholders
from .raw_matches import RawMatches
from .roles.aliases import TO_PAR
from .roles.layout import Layout
from .teammates import find_teams

if TYPE_CHECKING:
    import polars as pl

MOST = 0.9  # fraction of the rows that must agree to decide how the file is read
MANY = 0.25  # if at least this fraction of the rows repeats a player within a match, the column does not hold players
FEW = 2  # number of rows that may repeat a player in any file


class RowGroups:
    """The rows of a table grouped by match and team, in order of first appearance."""

    def __init__(self, table: Table, match: Ints, team: Ints | None) -> None:
        """Sort the rows by match and team number, and record where each match and team begins."""
        self.table = table
        first_of_match = _first_equal(match)
        first = np.arange(len(match)) if team is None else _first_equal(pair_codes(match, team))
        self.order = np.lexsort((first, first_of_match))
        new_team, new_match = np.ones((2, len(match)), bool)
        new_team[1:] = np.diff(first[self.order]) != 0
        new_match[1:] = np.diff(first_of_match[self.order]) != 0
        self.team_start = np.append(np.flatnonzero(new_team), len(match)).astype(np.int32)
        self.match_start = starts(np.bincount(np.cumsum(new_match)[new_team] - 1, minlength=new_match.sum()))
        self.match_row_start = self.team_start[self.match_start]
        self.first_row = self.order[self.match_row_start[:-1]]  # the first row of each match
        self.entry_row = self.order  # the row of each entry; a row may list several players

    def of(self, match: int) -> NDArray[np.intp]:
        """Return the rows of a match."""
        return self.order[self.match_row_start[match] : self.match_row_start[match + 1]]

    def common_value(self, values: NDArray[Any], column: str, of: str) -> NDArray[Any]:
        """Return the common value of each match's (or team's) rows; report rows with a different value as problems."""
        values, start, differs = self._compare(values, of)
        wrong = np.flatnonzero(differs)
        if len(wrong):
            first = np.repeat(start[:-1], np.diff(start))
            other = ("; use ", Option("columns", {"team": None}), " to rate each player alone") if of == "team" else ()

            def right(index: int) -> Message:
                before = int(self.order[first[wrong[index]]])
                earlier = f"{self.table.row_name(before)} has {self.table.frame[column][before]!r}"
                return (f"{earlier}, and all rows of a {of} must have the same value", *other)

            self.table.reject(self.order[wrong], column, right)
        return values[start[:-1]]

    def earliest(self, values: NDArray[Any], column: str) -> NDArray[Any]:
        """Return the time of each match: the time that all its rows have.

        If in most matches the rows differ in their times, the earliest time of each match is used. Otherwise rows with
        a different time are reported as problems.
        """
        ordered, start, _ = self._compare(values, "match")
        most = 2 * self.count_differing(values, "match") > np.count_nonzero(np.diff(start) > 1)
        if not self.table.decide(f"whether a match has several times in {column}", lambda: bool(most)):
            return self.common_value(values, column, "match")
        text = f"the rows of a match have different times in {column}; the earliest is the time of the match"
        self.table.note("earliest-time", text, column=column)
        earliest: NDArray[Any] = np.minimum.reduceat(ordered, start[:-1])
        return earliest

    def count_differing(self, values: NDArray[Any], of: str) -> int:
        """Count the matches or teams whose rows have different values."""
        _, start, differs = self._compare(values, of)
        return len(np.unique(np.searchsorted(start, np.flatnonzero(differs), side="right")))

    def _compare(self, values: NDArray[Any], of: str) -> tuple[NDArray[Any], Ints, NDArray[np.bool_]]:
        """Return the values sorted by group, the start of each group, and a mask.

        The mask marks values that differ from the first value of their group.
        """
        start = self.team_start if of == "team" else self.match_row_start
        values = values[self.order]
        first = np.repeat(values[start[:-1]], np.diff(start))
        return values, start, (values != first) & ((values == values) | (first == first))  # NaN equals NaN


def _first_equal(key: NDArray[Any]) -> NDArray[np.intp]:
    """Return, for each element, the index of the first element that equals it."""
    _, index, inverse = np.unique(key, return_index=True, return_inverse=True)
    first: NDArray[np.intp] = index[inverse]
    return first


@dataclass
class _Results:
    """The result of each row: rank and score (NaN if missing), and whether the player is ranked last or absent."""

    rank: Floats | None
    score: Floats | None
    unplaced: NDArray[np.bool_]
    absent: NDArray[np.bool_]


def read_long(table: Table, layout: Layout) -> tuple[RawMatches, RowGroups]:
    """Read raw matches; also return the row groups, with which the caller reads times, importance and ids."""
    match = _match_codes(table, layout)
    results = _results(table, layout)
    match, split = split_matches(table, layout, match, results.rank)
    _drop_rising_scores(table, layout, match, results)
    value = results.score if results.rank is None else results.rank
    layout = _without_clubs(table, layout, match, results)
    layout = find_teams(table, layout, match, value, results.rank is not None)
    roles = layout.roles
    grouped = "team" in roles and bool({"player", "players"} & roles.keys())
    team = _team_codes(table, roles["team"]) if grouped else None
    _leave_out(table, layout, match, team, results, split)
    rows = RowGroups(table, match, team)
    size, player, different = _players(table, layout, rows)
    rows.entry_row = entry_row = np.repeat(rows.order, size)
    remarks: list[Remark] = []
    score = None if results.score is None else _scores(rows, results.score, roles["score"], remarks)
    listed = not {"rank", "score", "duration", "result"} & roles.keys()
    if listed:
        text = (
            "no column has ranks or scores, so the first row of a match is the winner, the second row is next, and "
            "so on"
        )
        remarks.append(Remark("order-of-rows", (text,)))
    if team is None and "result" in roles and "player" in roles and results.rank is not None:
        _note_no_teams(rows, results.rank, remarks)
    draft = RawMatches(
        match_start=rows.match_start,
        team_start=starts(size)[rows.team_start],
        player=player,
        names=different.to_list(),
        where=lambda match, entry: table.where(int(rows.first_row[match] if entry is None else entry_row[entry])),
        rows=lambda match, entry: rows.of(match) if entry is None else entry_row[[entry]],
        rank=_ranks(rows, layout, results, score),
        score=score,
        weight=np.repeat(numbers(table, roles["weight"])[rows.order], size) if "weight" in roles else None,
        home=_home(rows, roles["home"]) if "home" in roles else _home_by_matchup(rows),
        listed=listed,
        may_be_alone=True,
        remarks=tuple(remarks),
    )
    return draft, rows


def _team_codes(table: Table, column: str) -> Ints:
    code, different = intern_clean(labels(table, column))
    wrong = different.is_in(list(NO_VALUES)).to_numpy()
    table.reject(np.flatnonzero(wrong[code]) if wrong.any() else [], column, "fill it in, or drop the row")
    return code


def _note_no_teams(rows: RowGroups, rank: Floats, remarks: list[Remark]) -> None:
    # Without a team column, partners who share first place look like several winners.
    winners = np.add.reduceat(rank[rows.order] == 1, rows.match_row_start[:-1], dtype=np.int64)
    several = int(np.count_nonzero((winners > 1) & (np.diff(rows.match_row_start) > winners)))
    if several:
        matches = count(several, "match has several winners", "matches have several winners")
        option = Option("columns", {"team": "side"})
        text = (
            f"{matches}, but no column says who played together, so each player counts as a team; if there is such "
            "a column, map it, as in "
        )
        remarks.append(Remark("no-teams", (text, option), count=several))


def _match_codes(table: Table, layout: Layout) -> Ints:
    """Return, for each row, a number that identifies its match.

    A match name may recur, such as "Monaco" every year. If the season or day column splits the rows with the same
    match name into groups of several rows, this column also identifies matches.
    """
    if "match" not in layout.roles:
        return _one_match(table, layout)
    used = [layout.roles["match"]]
    code, _ = intern_clean(labels(table, used[0]))
    if "match" in layout.mapped or not len(code):
        return code
    time = layout.roles.get("time")
    for column in dict.fromkeys((*layout.parts, *([time] if time else []))):
        if column in used or table.frame[column].dtype.is_nested():
            continue
        part, _ = intern(text_of(table, column).fill_null(""))
        _, first, finer, size = np.unique(
            pair_codes(code, part), return_index=True, return_inverse=True, return_counts=True
        )
        split = (np.bincount(code[first]) > 1)[code]
        # A group of a single row may be a mistake.
        apart = split.any() and bool((size[finer][split] > 1).mean() >= MOST)
        if table.decide(f"whether {column} tells matches apart", lambda: apart or None):  # noqa: B023
            code = finer.astype(np.int32)
            used.append(column)
    if len(used) > 1:
        alone = Option("columns", {"match": used[0]})
        table.note(
            "match-columns", f"matches are identified by {' and '.join(used)}; use ", alone, f" to use only {used[0]}"
        )
    return code


def _one_match(table: Table, layout: Layout) -> Ints:
    who = _player_column(layout)
    player = text_of(table, who)
    if (twice := player.filter(player.is_duplicated()).drop_nulls()).len():
        others = [name for name in layout.unused(table.frame.columns) if table.frame[name].n_unique() < len(player)]
        once = [name for name in others if not table.frame.select(name, who).is_duplicated().any()]
        example = (", as in ", Option("columns", {"match": once[0]})) if once else ()
        name = f"{twice[0]} is listed twice, so the file is not one match: "
        raise Error(f"{table.title}: {name}map the column that identifies the match", *example)
    return np.zeros(len(player), np.int32)


def _results(table: Table, layout: Layout) -> _Results:
    import polars as pl

    # A word in place of a number means that the player did not finish.
    roles = layout.roles
    nobody = np.zeros(len(table.frame), bool)
    if "rank" in roles or "duration" in roles:
        places = ranks(table, roles["rank"]) if "rank" in roles else durations(table, roles["duration"])
        score = None
        if "rank" in roles and "score" in roles:  # a score that cannot be read is not a problem if there are places
            score = numbers(replace(table, remarks=[], problems=Problems()), roles["score"])
            note_negative(table, [roles["score"]], [score])
            score = None if table.choices.lowest_wins else score
        absent = places.absent | _did_not_start(table, layout, np.isnan(places.rank) & ~places.unplaced)
        return _Results(places.rank, score, places.unplaced, absent)
    if "result" in roles:
        outcomes = word_results(table, roles["result"], YES_NO)
        return _Results(np.where(outcomes.state == PLAYED, 1.5 - outcomes.sign / 2, np.nan), None, nobody, nobody)
    if "score" in roles:
        column = roles["score"]
        unplaced, absent = word_masks(table, column)
        blank = pl.Series(unplaced | absent)
        if blank.any():  # the copy shares its problems and remarks with the table
            table = replace(table, frame=table.frame.with_columns(table.frame[column].set(blank, None)))
        if plain_name(column) in TO_PAR.split():  # "E" means even
            cells = table.frame[column].cast(pl.String).replace(["E", "e", "EVEN", "Even", "PAR"], "0")
            table = replace(table, frame=table.frame.with_columns(cells))
        score = numbers(table, column)
        note_negative(table, [column], [score])
        lowest = lowest_wins(table, [column], score)
        if lowest and "player" in roles:  # the par of the course is not a player
            par = text_of(table, roles["player"]).str.to_lowercase() == "par"
            words = "row with the par of the course", "rows with the par of the course"
            table.leave_out(np.flatnonzero(par.fill_null(False)), "par", *words)
        return _Results(score if lowest else None, None if lowest else score, unplaced, absent)
    return _Results(None, None, nobody, nobody)


def _did_not_start(table: Table, layout: Layout, missing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    # The place is empty, but another column, such as the time, says DNS (did not start).
    absent = np.zeros(len(missing), bool)
    rows = np.flatnonzero(missing)
    for words in _other_words(table, layout, rows) if len(rows) else ():
        absent[rows] |= [_means_absent(word) for word in words]
    return absent


def _other_words(table: Table, layout: Layout, rows: NDArray[np.intp]) -> "Iterator[pl.Series]":
    import polars as pl

    for column in layout.unused(table.frame.columns):
        if table.frame[column].dtype == pl.String:
            yield text_of(table, column).gather(rows).fill_null("")


def _means_absent(word: str) -> bool:
    return len(word) > 2 and plain_name(word) in DID_NOT_START  # two letters may be a country


def _absent_word(table: Table, layout: Layout, column: str, absent: NDArray[np.intp]) -> str:
    # If `column` has no such word, other columns are searched.
    words = text_of(table, column).gather(absent).drop_nulls()
    if len(words):
        return str(words.mode()[0])
    others = (str(word) for words in _other_words(table, layout, absent) for word in words)
    return next(filter(_means_absent, others))


def _drop_rising_scores(table: Table, layout: Layout, match: Ints, results: _Results) -> None:
    """Drop the scores of a text file if worse places mostly have higher scores, as with golf strokes and race times."""
    rank, score = results.rank, results.score
    if rank is None or score is None or "score" in layout.mapped:
        return
    if table.frame[layout.roles["rank"]].dtype.is_numeric():
        return
    order = np.lexsort((rank, match))
    order = order[~np.isnan(rank[order]) & ~np.isnan(score[order])]
    apart = (np.diff(match[order]) == 0) & (np.diff(rank[order]) > 0)
    if 2 * np.count_nonzero((np.diff(score[order]) > 0) & apart) > np.count_nonzero(apart):
        column = layout.roles["score"]
        text = f"column {column!r} is not used as a score, because it is higher for worse places"
        table.note("unused-scores", text, column=column)
        results.score = None


def _without_clubs(table: Table, layout: Layout, match: Ints, results: _Results) -> Layout:
    """Return the layout, without the role `team` if most teams with several rows have several places.

    The players of a team share a place; the members of a club have places of their own.
    """
    if "team" not in layout.roles or "player" not in layout.roles or "team" in layout.mapped or results.rank is None:
        return layout
    column = layout.roles["team"]
    team, _ = intern(text_of(table, column).fill_null(""))  # players without a club have an empty cell
    rows = RowGroups(table, match, team)
    ordered = np.nan_to_num(np.where(results.unplaced, np.inf, results.rank)[rows.order], nan=np.inf, posinf=np.inf)
    low, high = (how.reduceat(ordered, rows.team_start[:-1]) for how in (np.minimum, np.maximum))
    several = (np.diff(rows.team_start) > 1) & np.isfinite(low)  # a team without any place is no evidence
    least = 0 if "duration" in layout.roles else np.count_nonzero(several) / 2  # durations belong to single players
    apart = bool(np.count_nonzero((low != high)[several]) > least)
    if not len(ordered) or not table.decide(f"whether {column} holds clubs", lambda: apart if several.any() else None):
        return layout
    text = f"players of the same {column} have different places, so each player counts as a team of one"
    table.note("everybody-alone", text, column=column)
    return layout.with_roles(team=None)


def _leave_out(table: Table, layout: Layout, match: Ints, team: Ints | None, results: _Results, split: bool) -> None:
    """Leave out absent players, repeated entries of a player, and matches without any result.

    If matches are `split` by a second column, repeated entries are problems.
    """
    absent = np.flatnonzero(results.absent)
    if len(absent):
        column = next(layout.roles[role] for role in ("rank", "duration", "score") if role in layout.roles)
        word = _absent_word(table, layout, column, absent)
        last = ("; use ", Option("unplaced", (word,)), f" to rank {word} last")
        table.leave_out(absent, "absent", f"absent entry ({word})", f"absent entries ({word}, …)", last)
    if "player" in layout.roles or "players" not in layout.roles:
        _leave_out_repeated(table, layout, match, team, results, split)
    values = [column for column in (results.rank, results.score) if column is not None]
    if not values:
        return
    has_result = ~(np.isnan(values[0]) | results.unplaced)
    has_result = has_result & ~results.absent if len(values) == 1 else has_result | ~np.isnan(values[1])
    unplayed = np.flatnonzero(np.bincount(match, has_result, minlength=match.max(initial=-1) + 1)[match] == 0)
    unplayed = np.setdiff1d(unplayed, absent)
    words = "match without any result", "matches without any result"
    table.leave_out(unplayed, "not-played", *words, number=len(np.unique(match[unplayed])))


def _leave_out_repeated(
    table: Table, layout: Layout, match: Ints, team: Ints | None, results: _Results, split: bool
) -> None:
    # Only the best of a player's rows in a match is kept: a driver may change cars, and rows may be duplicates.
    column = _player_column(layout)
    code, different = intern_clean(names(table, column))
    nobody = are_placeholders(different)
    if nobody.any():
        leave_out_placeholders(table, np.arange(len(code)), code, different, nobody, match)
    key = pair_codes(match, code)
    if team is not None:
        key = pair_codes(key, team)  # a player in two teams of a match is not a repeated entry, but a problem
    value = np.zeros(len(key))
    if results.rank is not None:
        value = results.rank
    elif results.score is not None:
        value = -results.score
    value = np.where(results.unplaced | results.absent | np.isnan(value), np.inf, value)
    order = np.lexsort((value, key))
    repeated = np.zeros(len(key), bool)
    repeated[order[1:]] = key[order[1:]] == key[order[:-1]]
    if nobody.any():
        repeated[table.unusable()] = False
    rows = np.flatnonzero(repeated & ~results.absent)
    if len(rows) and split:
        table.reject(rows, column, "the player is listed twice in this match; correct one of the rows")
        return
    if len(rows) > max(FEW, MANY * len(key)):
        message = (
            "the player is listed twice in this match, as are many others: map the column with the players, as in "
        )
        table.reject(rows, column, (message, Option("columns", {"player": "name"})))
        return
    more = "; each player's best result in a match counts"
    table.leave_out(rows, "repeated-players", "repeated entry", "repeated entries", more)


def _player_column(layout: Layout) -> str:
    return next(layout.roles[role] for role in ("player", "players", "team") if role in layout.roles)


def _players(table: Table, layout: Layout, rows: RowGroups) -> tuple[Ints, Ints, "pl.Series"]:
    """Return the number of players in each grouped row, the player indices of all rows, and the names."""
    if "players" not in layout.roles:
        code, different = intern_clean(names(table, _player_column(layout)))
        code = code[rows.order]
        alone = not {"player", "team"} <= layout.roles.keys()
        match = np.repeat(np.arange(len(rows.match_start) - 1), np.diff(rows.match_row_start))
        teams = split_joined(table, [_player_column(layout)], code, match, different) if alone else None
        return teams or (np.ones(len(code), np.int32), code, different)
    column = layout.roles["players"]
    [lists], _ = rosters(table, [column], sure=True)
    table.require(lists.list.len() > 0, column, "a team needs at least one player")
    lists = lists.fill_null([])
    size = lists.list.len().to_numpy().astype(np.int32)
    code, different = intern_clean(lists.explode().drop_nulls())
    _, entries = gather(starts(size), rows.order)
    return size[rows.order], code[entries], different


def _ranks(rows: RowGroups, layout: Layout, results: _Results, score: Floats | None) -> Floats | None:
    # Within a match, unranked teams come last.
    match = owners(rows.match_start)
    if results.rank is not None:
        column = next(layout.roles[role] for role in ("rank", "duration", "result", "score") if role in layout.roles)
        rank = rows.common_value(np.where(results.unplaced, np.nan, results.rank), column, "team")
    elif score is not None and results.unplaced.any():
        rank = -score
        match_of_row = np.repeat(np.arange(len(rows.match_start) - 1), np.diff(rows.match_row_start))
        score[:] = np.where(np.isin(match, match_of_row[results.unplaced[rows.order]]), np.nan, score)
    else:
        return None
    missing = np.isnan(rank)
    last = np.full(len(rows.match_start) - 1, -np.inf)
    np.maximum.at(last, match[~missing], rank[~missing])
    empty = missing & np.isfinite(last[match])
    first_rows = rows.order[rows.team_start[:-1]]
    role = "rank" if "rank" in layout.roles else "score"  # the lowest score may be the best
    if role in layout.roles and (plain := empty & ~results.unplaced[first_rows]).any():
        number, column, first = int(np.count_nonzero(plain)), layout.roles[role], int(first_rows[plain].min())
        words = "entry, which shares the last place of its match", "entries, which share the last place of their match"
        text = f"column {column!r} is empty in {count(number, *words)} (first: {rows.table.row_name(first)})"
        rows.table.note("missing-places", text, column=column, number=number, row=first)
    return np.where(empty, last[match] + 1, rank)


def _scores(rows: RowGroups, score: Floats, column: str, remarks: list[Remark]) -> Floats:
    # The decision holds for the whole file: if scores are summed, a team of two players with 3 points each has 6
    # points.
    size = np.diff(rows.team_start)
    several = int(np.count_nonzero(size > 1))
    differ = 2 * rows.count_differing(score, "team") >= max(several, 1)
    if not rows.table.decide(f"whether {column} is summed", lambda: differ if several else None):
        return rows.common_value(score, column, "team")
    text = f"players of a team have different values in {column}; the team's score is their sum"
    remarks.append(Remark("summed-scores", (text,), column))
    total: Floats = np.add.reduceat(score[rows.order], rows.team_start[:-1])
    return total


def _home_by_matchup(rows: RowGroups) -> Ints | None:
    # The row of the home team has "BOS vs. NYK", the other row has "NYK @ BOS".
    column = next((name for name in rows.table.frame.columns if plain_name(name) == "matchup"), None)
    if column is None or rows.table.frame[column].dtype.is_nested():
        return None
    text = text_of(rows.table, column)
    at_home, away = (text.str.contains(mark).fill_null(False).to_numpy() for mark in (r"(?i) vs\.? ", r" @ "))
    return _home_of_teams(rows, at_home, column) if len(text) and (at_home != away).all() else None


def _home(rows: RowGroups, column: str) -> Ints:
    # -1 means that there is no home team.
    return _home_of_teams(rows, yes_no(rows.table, column), column)


def _home_of_teams(rows: RowGroups, at_home: NDArray[np.bool_], column: str) -> Ints:
    teams = np.flatnonzero(rows.common_value(at_home, column, "team"))
    match = owners(rows.match_start)[teams]
    index = np.full(len(rows.match_start) - 1, -1, np.int32)
    index[match] = teams - rows.match_start[match]
    twice = np.flatnonzero(match[1:] == match[:-1])
    wrong = rows.order[rows.team_start[teams[twice + 1]]]
    rows.table.reject(wrong, column, "this match has two home teams: only one team can be at home")
    return index
