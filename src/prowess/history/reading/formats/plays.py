"""Read logs of board-game plays: the JSON export of BG Stats, and the XML of BoardGameGeek's plays."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from ....errors import Error, Remark
from ....text import count
from ...columns.shapes.play_logs import winner_places
from ...read_context import Table
from ...read_options import Choices
from ..byte_source import Source
from .exports import Entry, ExportedMatches, JsonObject, choose_keys, number_or_none, places

_PLAYS = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<plays\b", re.DOTALL)
# Keys that hold the context of a play or of a player, with the names of their columns.
_BG_STATS_PLAY = {"durationMin": "minutes", "rounds": "rounds", "board": "board"}
_BG_STATS_SEAT = {"role": "role", "seatOrder": "seat", "startPlayer": "starts", "newPlayer": "new"}
_BGG_PLAY = {"length": "minutes", "location": "location"}
_BGG_PLAYER = {"startposition": "seat", "color": "color", "new": "new"}
_ANONYMOUS = frozenset(("", "anonymous", "anonymous player", "unknown"))


@dataclass
class _Seat:
    """A player of a play; `rank` is 0 if the file has none, and `team` is empty if everybody plays alone."""

    name: str
    won: bool
    score: float | None = None
    rank: int = 0
    team: str = ""
    context: Mapping[str, object] = field(default_factory=dict)


@dataclass
class _Play:
    """A play; `highest` is whether the highest score wins, or None if the file does not say."""

    number: int
    date: str = ""
    game: str = ""
    id: str = ""
    cooperative: bool = False
    ignored: bool = False
    quantity: int = 1
    highest: bool | None = None
    context: Mapping[str, object] = field(default_factory=dict)
    seats: list[_Seat] = field(default_factory=list)


class _PlayLog:
    def __init__(self, title: str, choices: Choices, program: str, unit: str) -> None:
        self.matches = ExportedMatches(title, choices, program, unit)
        self.anonymous = 0
        self.repeated = 0

    def add(self, play: _Play) -> None:
        teams: dict[str, list[_Seat]] = {}
        for index, seat in enumerate(play.seats):
            teams.setdefault(seat.team or f"seat {index}", []).append(seat)
        if play.ignored:
            self.matches.skip(play.number, "unfinished-plays")
        elif play.cooperative and len({seat.team for seat in play.seats if seat.team}) < 2:
            self.matches.skip(play.number, "cooperative-plays")
        elif len(teams) < 2:
            self.matches.skip(play.number, "solo-plays")
        else:
            self._add_teams(play, list(teams.values()))

    def _add_teams(self, play: _Play, teams: list[list[_Seat]]) -> None:
        won = [any(seat.won for seat in team) for team in teams]
        scores = [_common_score(team) for team in teams]
        ranks = [min(seat.rank for seat in team) for team in teams]
        if min(ranks) > 0:
            order: list[int] | None = places([-rank for rank in ranks])
        else:
            order = winner_places(won, [score for score in scores if score is not None], play.highest)
        if order is None:
            self.matches.skip(play.number, "cooperative-plays" if all(won) else "no-result")
            return
        known = [all(seat.name.casefold() not in _ANONYMOUS for seat in team) for team in teams]
        self.anonymous += known.count(False)
        self.repeated += play.quantity > 1
        kept = [index for index, good in enumerate(known) if good]
        if len(kept) < 2:
            self.matches.skip(play.number, "unknown-players")
            return
        rank = places([-order[index] for index in kept])
        entries = [
            Entry(
                tuple(seat.name for seat in teams[index]),
                place,
                None if play.highest is False else scores[index],
                [seat.context for seat in teams[index]],
            )
            for place, index in zip(rank, kept, strict=True)
        ]
        self.matches.add(play.number, entries, play.date, play.id, play.game, play.context)

    def table(self) -> Table:
        if self.anonymous:
            text = f"{count(self.anonymous, 'entry of an anonymous player', 'entries of anonymous players')} left out"
            self.matches.remarks.append(Remark("anonymous-players", (text,), count=self.anonymous))
        if self.repeated:
            plays = count(self.repeated, "play has", "plays have")
            text = f"{plays} a quantity above 1 but only one result, so each is counted as one match"
            self.matches.remarks.append(Remark("play-quantity", (text,), count=self.repeated))
        return self.matches.table()


def _common_score(team: Sequence[_Seat]) -> float | None:
    # Players of a team with different scores have no common score.
    scores = {seat.score for seat in team if seat.score is not None}
    return scores.pop() if len(scores) == 1 else None


def read_bg_stats(document: Any, title: str, choices: Choices) -> Table | None:
    """Read the export of BG Stats, whose plays name games and players by their ids; None for another format."""
    plays = document.get("plays") if isinstance(document, dict) else None
    if not isinstance(plays, list) or not any(isinstance(play, dict) and "playerScores" in play for play in plays):
        return None
    players, games, locations = (
        {one.get("id"): one for one in document.get(key) or ()} for key in ("players", "games", "locations")
    )
    log = _PlayLog(title, choices, "BG Stats", "play")
    for number, value in enumerate(plays, 1):
        game = games.get(value.get("gameRefId")) or {}
        play = _Play(
            number,
            date=str(value.get("playDate") or "").removesuffix(" 00:00:00"),
            game=str(game.get("name") or ""),
            id=str(value.get("uuid") or ""),
            cooperative=bool(game.get("cooperative")),
            ignored=bool(value.get("ignored")),
            highest=None if value.get("manualWinner") or game.get("noPoints") else game.get("highestWins"),
            context=choose_keys(value, _BG_STATS_PLAY)
            | choose_keys(locations.get(value.get("locationRefId")) or {}, {"name": "location"}),
        )
        for seat in value.get("playerScores") or ():
            play.seats.append(_bg_stats_seat(seat, players.get(seat.get("playerRefId")) or {}, value))
        log.add(play)
    return log.table()


def _bg_stats_seat(seat: JsonObject, player: JsonObject, play: JsonObject) -> _Seat:
    return _Seat(
        name="" if player.get("isAnonymous") else str(player.get("name") or ""),
        won=bool(seat.get("winner")),
        score=number_or_none(seat.get("score")),
        rank=seat["rank"] if isinstance(seat.get("rank"), int) else 0,
        team=str(seat.get("team") or "") if play.get("usesTeams") else "",
        context=choose_keys(seat, _BG_STATS_SEAT),
    )


def is_bgg(head: bytes) -> bool:
    """Return whether a file with this beginning holds plays of BoardGameGeek.

    >>> is_bgg(b'<?xml version="1.0"?><plays username="ann">'), is_bgg(b"<html><body>")
    (True, False)
    """
    return _PLAYS.match(head) is not None


def read_bgg(source: Source, choices: Choices) -> Table:
    """Read the plays that the XML API of BoardGameGeek returns, element by element."""
    log = _PlayLog(source.title, choices, "BoardGameGeek", "line")
    play = _Play(0)
    parser = expat.ParserCreate()

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal play
        if name == "play":
            play = _bgg_play(parser.CurrentLineNumber, attributes)
        elif name == "item":
            play.game = attributes.get("name", "")
        elif name == "player":
            who = attributes.get("name", "").strip() or attributes.get("username", "").strip()
            score, context = number_or_none(attributes.get("score")), choose_keys(attributes, _BGG_PLAYER)
            play.seats.append(_Seat(who, attributes.get("win") == "1", score, context=context))

    def end(name: str) -> None:
        if name == "play":
            log.add(play)

    def refuse(*_: object) -> None:
        raise Error(f"{source}: the XML declares entities, which is not allowed in a file of plays")

    parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = start, end, refuse
    try:
        with source.open() as stream:
            parser.ParseFile(stream)
    except expat.ExpatError as error:
        raise Error(f"{source}: invalid XML: {error}") from None
    return log.table()


def _bgg_play(line: int, attributes: dict[str, str]) -> _Play:
    ignored = "1" in (attributes.get("incomplete"), attributes.get("nowinstats"))
    return _Play(
        line,
        date=attributes.get("date", ""),
        id=attributes.get("id", ""),
        ignored=ignored,
        quantity=int(number_or_none(attributes.get("quantity")) or 1),
        context=choose_keys(attributes, _BGG_PLAY),
    )
