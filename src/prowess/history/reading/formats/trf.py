"""Read tournament reports of FIDE (TRF16): a line for each player, with the opponent and the result of each round."""

import re
from typing import NamedTuple

import numpy as np

from ....errors import Error, Remark
from ...read_context import Problems, Table, left_out
from ...read_options import Choices
from ..byte_source import Source
from ..encodings import detect_encoding

_PLAYER_LINE = re.compile(rb"(?:^|\n)001 +\d+ ")
_FIRST_LINE = re.compile(rb"\s*(?:0\d[12]|1\d2|XX[A-Z]|###)[ #]")
_PLAYER = re.compile(r"001 +(?P<number>\d+) .{5} ?(?P<name>.{1,33})")
_GAME = re.compile(r"(?<!\S)(\d{1,4}) ([wb-]) ([-+=10wdlhfuz])(?!\S)", re.IGNORECASE)
_ROUNDS, _FIRST_COLOUR, _FIRST_DATE, _WIDTH = 84, 96, 91, 10  # positions of the rounds, which are equally wide
_POINTS = {"1": 1.0, "w": 1.0, "+": 1.0, "0": 0.0, "l": 0.0, "-": 0.0, "=": 0.5, "d": 0.5}
_CELLS = {1.0: "1-0", 0.0: "0-1", 0.5: "1/2-1/2"}


class _Game(NamedTuple):
    opponent: int
    colour: str
    result: str


def is_trf(data: bytes) -> bool:
    """Return whether the beginning of a file is that of a tournament report.

    >>> is_trf(b"012 Club Open\\n001    1 m    Lee, Ann"), is_trf(b"001,Ann,Bob")
    (True, False)
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    return _FIRST_LINE.match(data) is not None and _PLAYER_LINE.search(data) is not None


def read_trf(source: Source, choices: Choices) -> Table:
    """Read the games of a tournament, in the order of the rounds; each game is listed in the lines of both players."""
    import polars as pl

    data = source.read().removeprefix(b"\xef\xbb\xbf")
    encoding = detect_encoding(data, choices.encoding)
    texts = encoding.decode(data).splitlines()
    choices.read_limits.check_table(source.title, len(texts), 1)
    names, lines, games = _games(texts)
    if not games:
        raise Error(f"{source.title}: the report has no games; export it after the first round")
    problems = Problems()
    rows: list[tuple[str, ...]] = []
    at: list[int] = []
    byes: list[int] = []
    for (round, number), game in sorted(games.items(), key=lambda item: item[0][0]):
        opponent, points = game.opponent, _POINTS.get(game.result)
        if opponent == 0 or points is None:
            byes.append(lines[number])
            continue
        back = games.get((round, opponent), _Game(0, "", ""))
        theirs = _POINTS.get(back.result) if back.opponent == number else None
        if theirs is not None and lines[opponent] < lines[number]:
            continue  # the opponent's line has already given this game
        if opponent not in names:
            text = f"round {round}: player {opponent} has no line in this report; add it, or correct the number"
            problems.add([len(rows)], None, None, text)
        if theirs is not None and theirs != 1 - points and points + theirs > 0:
            text = f"round {round}: the line of {names[opponent]} has another result for this game; correct one of them"
            problems.add([len(rows)], None, None, text)
        is_white = game.colour == "w" or (game.colour != "b" and back.colour == "b")
        white, black = (number, opponent) if is_white else (opponent, number)
        cell = _CELLS[points if is_white else 1 - points]
        if game.result in "+-":
            cell = "+:-" if cell == "1-0" else "-:+"
        both_lost = points == theirs == 0
        rows.append((str(round), names.get(white, ""), names.get(black, ""), "-:-" if both_lost else cell))
        at.append(lines[number])
    frame = pl.DataFrame(rows, schema=dict.fromkeys(("round", "white", "black", "result"), pl.String), orient="row")
    remarks = [Remark("export", ("a tournament report (TRF)",)), *encoding.remarks(data)]
    if byes:
        text = left_out(len(byes), "bye", "byes", f"line {min(byes)}")
        remarks.append(Remark("byes", (text,), count=len(byes), line=min(byes)))
    if dates := _dates(texts, [int(row[0]) for row in rows], remarks):
        frame = frame.with_columns(pl.Series("date", dates, pl.String))
    return Table(frame, source.title, np.array(at, np.int64).__getitem__, choices, remarks, problems, unit="line")


def _games(texts: list[str]) -> tuple[dict[int, str], dict[int, int], dict[tuple[int, int], _Game]]:
    """Return the names and the lines of the players by their numbers, and their games by round and player."""
    names: dict[int, str] = {}
    lines: dict[int, int] = {}
    games: dict[tuple[int, int], _Game] = {}
    for line, text in enumerate(texts, 1):
        if player := _PLAYER.match(text):
            number = int(player["number"])
            names[number], lines[number] = player["name"].strip(), line
            for game in _GAME.finditer(text, _ROUNDS):
                round = 1 + max(0, (game.start(2) - _FIRST_COLOUR + _WIDTH // 2) // _WIDTH)
                games[round, number] = _Game(int(game[1]), game[2].lower(), game[3].lower())
    return names, lines, games


def _dates(texts: list[str], rounds: list[int], remarks: list[Remark]) -> list[str]:
    """Return the date of each game; [] if the file has no dates."""
    heads = {text[:3]: text for text in texts if text[:2] in ("04", "05", "13")}
    starts = [_FIRST_DATE + _WIDTH * (round - 1) for round in rounds]
    days = [heads.get("132", "")[start : start + 8].strip() for start in starts]
    if days and all(days):
        return [f"20{day}" for day in days]
    first, last = (heads.get(key, "")[4:14].strip() for key in ("042", "052"))
    if first and first != last:
        text = "the file has no dates of the rounds, so every game has the first day of the tournament"
        remarks.append(Remark("partial-dates", (text,), "date", len(rounds)))
    return [first] * len(rounds) if first else []
