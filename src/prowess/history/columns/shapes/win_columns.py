"""Read columns that count the wins of each side and the draws: of one match, or of all matches of a period.

In `team1_win, team2_win, tie`, a 1 marks the result of the match. In `Month, A, B, A wins, B wins, Draws`, a row may
stand for several matches. Both become a table with a column of results.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....errors import Option, Piece
from ...cells.text import intern, text_of
from ...cells.words import FALSE, MISSING, TRUE
from ...context.columns import parse_marked_header
from ...names.spelling import plain_name
from ...ragged import Floats
from ...read_context import Table
from ..roles import aliases
from ..roles.headers import SIDE
from ..roles.layout import NoLayout, recognise

MOST = 0.9  # fraction of the rows that must have one result
RESULT = "result"
_WORD = re.compile(r"[^\W\d_]+|\d+")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_WIN = _set(
    "w win wins won winner victory victories sieg siege siegen victoire victoires v ganado ganados ganada ganadas"
    " gana ganan gagne gagnent vince vincono vence vencem victoria victorias"
    " vitoria vitorias vittoria vittorie vinte wygrana wygrane zwyciestwo zwyciestwa vinst vinster"
    " п победа победы 胜 勝"
)
_DRAW = _set(
    "d x draw draws drawn tie ties tied remis unentschieden nul nuls nulle nulles empate empates pareggio pareggi"
    " tablas remisy oavgjort oavgjorda н ничья ничьи 平 平局 引分"
)
_LOSS = _set(
    "l loss losses lost defeat defeats niederlage niederlagen verloren defaite defaites derrota derrotas perdido"
    " perdidos sconfitta sconfitte perse porazka porazki forlust forluster поражение поражения 负 敗"
)
_FILLERS = _set(
    "team player model side is has did number of total games matches count anzahl partien spiele partidos parties match"
    " spieler joueur jugador equipe equipo"
)
_PERIODS = _set(
    "month monat mois mes mese miesiac месяц 月 season saison temporada stagione sezon сезон year jahr annee ano anno"
    " rok год decade decada quarter quartal"
)
_PAIRS = (
    tuple(f"{aliases.HOME_AWAY[side]} {aliases.SIDE_WORDS[side]}" for side in ("home", "away")),
    *aliases.PAIRS[:-2],
)


@dataclass(frozen=True)
class _WinColumns:
    """The columns of wins of the first side, of draws, and of wins of the second side; None if there is no column."""

    first: str | None
    draw: str | None
    second: str | None
    sides: tuple[str, ...] = ()  # the columns whose names are the labels of the sides, such as A and B
    labels: tuple[str, ...] = ()  # the names of the sides in the headers of their columns

    @property
    def names(self) -> list[str]:
        return [name for name in (self.first, self.second, self.draw) if name is not None]


def read_win_columns(table: Table) -> Table:
    """Return the table with a column of results made from columns of wins and draws, if it has such columns.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"home": ["a", "b"], "away": ["b", "a"], "home_win": [1, 0], "draw": [0, 1]})
    >>> read_win_columns(Table(frame, "the frame")).frame["result"].to_list()
    ['1-0', '1/2-1/2']
    """
    import polars as pl

    found = _find([column for column in table.frame.columns if parse_marked_header(column) is None])
    mapped = set((table.choices.columns or {}).values())
    if found is None or not len(table.frame) or mapped & {*found.names}:
        return table
    counts = {name: _counts(table, name) for name in found.names}
    values = [values for values in counts.values() if values is not None]
    if len(values) < len(counts):
        return table
    if any(text_of(table, name).has_nulls() for name in counts) and _is_known(table.frame.columns, scored=True):
        return table  # a league table beside the matches
    ones = np.sum(values, axis=0)
    slips = np.count_nonzero(ones > 1) <= max(1, (1 - MOST) * len(ones))
    flags = all(np.isin(column, (0, 1)).all() for column in values) and slips
    complete = found.first is not None and found.second is not None
    totals = table.decide("whether wins are totals", lambda: not flags)
    if not totals and not (complete and table.choices.totals == "score"):
        return _with_results(table, found, counts, ones)
    doubtful, choice = found.draw is not None or _has_periods(table), table.choices.totals
    if not complete or (not doubtful and choice is None and _is_known(table.frame.columns, scored=True)):
        return table
    if not doubtful and choice is None:  # the games of a match, such as 2 and 1
        change = "; use ", Option("totals", "matches"), " if each win is a match"
        table.note("win-columns", f"{', '.join(found.names)}: the wins are read as a score", *change)
        choice = "score"
    first, draw, second = (
        np.zeros(len(ones), int) if name is None else counts[name].astype(int)  # type: ignore[union-attr]
        for name in (found.first, found.draw, found.second)
    )
    if choice is None:
        row = int((ones > 1).argmax())
        held = ", ".join(f"{name!r} {values[index][row]:g}" for index, name in enumerate(counts))
        matches, score = Option("totals", "matches"), Option("totals", "score")
        text = f"the row counts {ones[row]:g} wins and draws ({held}); use "
        middle = " if these are that many matches, or "
        raise table.error(row, text, matches, middle, score, " if they are a score", column=found.first)
    table = _with_sides(table, found)
    if choice == "score":
        cells = [f"{won}-{lost}" for won, lost in zip(first, second, strict=True)]
        return _reserve(table.frame.with_columns(pl.Series(RESULT, cells)), table, found)
    rows = np.repeat(np.arange(len(ones)), first + draw + second)
    kinds = np.tile(["1-0", "1/2-1/2", "0-1"], len(ones))
    results = np.repeat(kinds, np.stack([first, draw, second], axis=1).reshape(-1))
    lines, choices = table.lines, replace(table.choices, duplicates="keep")
    table = replace(table, lines=lambda row: lines(rows[row]), choices=choices, origin=None)
    return _reserve(table.frame[rows].with_columns(pl.Series(RESULT, results.tolist(), pl.String)), table, found)


def _with_results(table: Table, found: _WinColumns, counts: dict[str, Floats | None], ones: Floats) -> Table:
    import polars as pl

    lost = found.first is not None and (_meaning(found.first) or "")[0] == "loss"
    if found.draw is None and not lost and (ones == 1).all():
        return table
    if found.draw is None and (ones == 0).any():
        row = int((ones == 0).argmax())
        text = f"{' and '.join(found.names)} are 0; if this is a draw, use "
        raise table.error(row, text, Option("totals", "score"), ", otherwise drop the row", column=found.first)
    table = _with_sides(table, found)
    cells = np.full(len(ones), "", "U7")
    if found.first is None or found.second is None:
        cells[:] = "0-1" if found.second is None else "1-0"  # the side without a column won all other matches
    for name, cell in ((found.first, "1-0"), (found.second, "0-1"), (found.draw, "1/2-1/2")):
        if name is not None:
            cells[counts[name] == 1] = cell
    several = np.flatnonzero(ones > 1)
    names = ", ".join(found.names)
    table.reject(several, found.names[0], f"only one of {names} can be 1, because a match has one result")
    if _is_known(
        [name for name in table.frame.columns if name not in found.names]
    ):  # the scores or the winners have columns of their own
        return replace(table, reserved={**table.reserved, **dict.fromkeys(found.names, True)})
    option = Option("totals", "score")
    change: tuple[Piece, ...] = ("; use ", option, " to read scores") if found.first and found.second else ()
    table.note("win-columns", f"{names}: a 1 marks the result of the match", *change, column=found.names[0])
    return _reserve(table.frame.with_columns(pl.Series(RESULT, cells.tolist(), pl.String)), table, found)


def _reserve(frame: "object", table: Table, found: _WinColumns) -> Table:
    return replace(table, frame=frame, reserved={**table.reserved, **dict.fromkeys(found.names, False)})  # type: ignore[arg-type]


def _with_sides(table: Table, found: _WinColumns) -> Table:
    # In "Ann wins, Bob wins, Draws", only the headers name the players.
    import polars as pl

    if found.sides and not table.choices.columns and not _is_known([*found.sides, RESULT]):
        columns = {**dict(zip(("player1", "player2"), found.sides, strict=True)), "winner": RESULT}
        return replace(table, choices=replace(table.choices, columns=columns))
    if not found.labels:
        return table
    sides = [pl.lit(label).alias(f"player{number}") for number, label in enumerate(found.labels, 1)]
    return replace(table, frame=table.frame.with_columns(sides))


def _is_known(columns: Sequence[str], *, scored: bool = False) -> bool:
    """Return whether the names of the columns tell the sides and the result, or the `scored` sides."""
    try:
        layout = recognise(columns)
    except NoLayout:
        return False
    return len(layout.scores) > 1 if scored else bool(layout.sides)


def _find(columns: Sequence[str]) -> _WinColumns | None:
    meanings = {column: _meaning(column) for column in columns}
    kinds: dict[str, list[tuple[str, str]]] = {"win": [], "draw": [], "loss": []}
    for column, meaning in meanings.items():
        if meaning is not None:
            kinds[meaning[0]].append((meaning[1], column))
    wins, draws, losses = kinds.values()
    if not wins and len(losses) == 2 and all(label for label, _ in losses):  # a side that lost: the other one won
        wins = [(losses[0][0], losses[1][1]), (losses[1][0], losses[0][1])]
    losses = [loss for loss in losses if not loss[0]]
    if not wins or len(wins) > 2 or len(draws) > 1 or len(losses) > 1 or RESULT in columns:
        return None
    draw = draws[0][1] if draws else None
    others = [plain_name(column) for column, meaning in meanings.items() if meaning is None]
    if len(wins) == 2:
        if losses or not all(label for label, _ in wins) or wins[0][0] == wins[1][0]:
            return None
        if draw is None and all(column.isdigit() for _, column in wins):
            return None  # the columns of a file without a header are called 1, 2, ...
        ordered = _order(wins, columns)
        if ordered is not None:
            labels = {column: label for label, column in wins}
            free = [name for name in columns if name not in ordered]
            sides = tuple(name for each in ordered for name in free if plain_name(name) == labels[each])
            return _WinColumns(ordered[0], draw, ordered[1], sides if len(sides) == 2 else ())
        if draw is None or len(others) > 1:
            return None
        names = tuple(" ".join(word for word in column.split() if plain_name(word) not in _WIN) for _, column in wins)
        return _WinColumns(wins[0][1], draw, wins[1][1], labels=names)
    label, won = wins[0]
    if label:
        for left, right in (*_PAIRS, ("1", "2"), ("a", "b")):
            if draw is not None and not losses and label in (*left.split(), *right.split()):
                return _WinColumns(won, draw, None) if label in left.split() else _WinColumns(None, draw, won)
        return None
    of_sides = any(name in aliases.OPPONENT.split() for name in others) or sum(map(_is_side, others)) == 2
    if not of_sides or not (losses or draw):
        return None
    return _WinColumns(won, draw, losses[0][1] if losses else None)


def _is_side(name: str) -> bool:
    return SIDE.fullmatch(name) is not None or name in _PAIRS[0][0].split() or name in _PAIRS[0][1].split()


def _words(header: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", header)
    return [word for word in map(plain_name, _WORD.findall(spaced)) if word not in _FILLERS]


def _meaning(header: str) -> tuple[str, str] | None:
    """Return what a column counts, wins, draws or losses, and the label of the side in its header.

    >>> _meaning("winner_model_a"), _meaning("Auswärtssiege"), _meaning("isDraw"), _meaning("Winner Name")
    (('win', 'a'), ('win', 'auswarts'), ('draw', ''), None)
    """
    words = _words(header)
    if not words or len(words) > 3 or "%" in header:
        return None
    if _DRAW & set(words) and set(words) <= _DRAW | _WIN:
        return "draw", ""
    if set(words) <= _LOSS:
        return "loss", ""
    if words in (["1"], ["2"]) and header.strip() in "12":
        return "win", words[0]
    rest = [word for word in words if word not in _WIN]
    if len(rest) == len(words) == 1:
        for end in ("siege", "sieg", "wins", "win", "vinst", "seier", "sejr", "voitto"):
            side = words[0].removesuffix(end)
            if side != words[0] and any(side in names.split() for names in _PAIRS[0]):
                return "win", side
    if len(words) == 2 and len({*words} & _LOSS) == 1:
        return "loss", next(word for word in words if word not in _LOSS)
    return ("win", "".join(rest)) if len(rest) == len(words) - 1 and rest[:1] != ["name"] else None


def _order(wins: Sequence[tuple[str, str]], columns: Sequence[str]) -> tuple[str, str] | None:
    """Return the columns of wins of the first and of the second side; None if no column names the sides."""
    (one, first), (two, second) = wins
    short = one.isdigit() or len(one) == 1
    for left, right in _PAIRS:
        if one in left.split() and two in right.split():
            return first, second
        if two in left.split() and one in right.split():
            return second, first
    labels = {"".join(_words(name)) for name in columns}
    if one not in labels or two not in labels:
        return (first, second) if one.isdigit() and two.isdigit() and one < two else None
    if short:
        return (first, second) if one < two else (second, first)
    at = [next(index for index, name in enumerate(columns) if plain_name(name).endswith(label)) for label in (one, two)]
    return (first, second) if at[0] < at[1] else (second, first)


def _counts(table: Table, column: str) -> Floats | None:
    """Read a column of counts, or of marks such as x and yes; None if it holds anything else."""
    import polars as pl

    series = table.frame[column]
    if series.dtype.is_numeric():
        numeric: Floats = series.cast(pl.Float64).fill_null(0).to_numpy()
        return numeric if (numeric == np.floor(numeric)).all() and numeric.min(initial=0) >= 0 else None
    if series.dtype not in (pl.String, pl.Boolean):
        return None
    code, cells = intern(text_of(table, column).fill_null(""))
    values = []
    for cell in map(str.casefold, cells):
        if cell.isdecimal() and len(cell) < 5:
            values.append(float(cell))
        elif cell in TRUE or cell in FALSE or cell in MISSING:
            values.append(float(cell in TRUE))
        else:
            return None
    read: Floats = np.array(values)[code]
    return read


def _has_periods(table: Table) -> bool:
    return any(plain_name(column) in _PERIODS for column in table.frame.columns)
