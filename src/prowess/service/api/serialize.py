"""Ratings, times and changes as plain data, for JSON; many of them by columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.fit.leaderboard import overall
from ...model.ladder.ladder import Ladder
from ...model.rating import Rating
from ...store.clock import Clock, show
from ...store.write.commands import CommandResult

FEW = 16  # of which columns are not worth it
SECOND = 1e6  # in microseconds
MOST = 1_000  # players of whom an answer tells, beside those of the matches themselves

Plain = dict[str, Any]


def rfc3339(seconds: float) -> str:
    """A time of the service's own clock, in RFC 3339.

    >>> rfc3339(0.5)
    '1970-01-01T00:00:00.500000Z'
    """
    return str(show("utc", float(round(seconds * SECOND))))


def rating_payload(one: Rating | None) -> Plain | None:
    """A rating as plain data.

    >>> rating_payload(Rating(30, 4))
    {'mu': 30.0, 'sigma': 4.0, 'shown': 18.0}
    """
    if one is None:
        return None
    found: Plain = {"mu": one.mu, "sigma": one.sigma, "shown": one.shown}
    for name, part in one.parts.items():
        found[name] = rating_payload(part) if isinstance(part, Rating) else part
    return found


def rating_payloads(ladder: Ladder | None, players: Sequence[str]) -> list[Plain | None]:
    """What is believed of some players; None of who is not there.

    >>> import prowess as pw
    >>> rating_payloads(pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)}), ["ann", "bob"])
    [{'mu': 30.0, 'sigma': 4.0, 'shown': 18.0}, None]
    """
    if ladder is None:
        return [None] * len(players)
    at, model = ladder.rows, ladder.model
    if len(players) < FEW or model.pipeline.traits > 1 or model.absorb.extras:
        return [rating_payload(ladder[one]) if one in at else None for one in players]
    known = [row for row in map(at.get, players) if row is not None]
    mu, sigma, shown = (column.tolist() for column in overall(model, ladder.settled[known]))
    sigmas = [None] * len(mu) if model.absorb.certain else sigma
    found = iter([{"mu": m, "sigma": s, "shown": x} for m, s, x in zip(mu, sigmas, shown, strict=True)])
    return [next(found) if one in at else None for one in players]


def format_times(clock: Clock, numbers: Sequence[float]) -> Iterable[str | float | None]:
    """Times on the clock of a league.

    >>> list(format_times("utc", [0.0, 1500000.0]))
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:01.500000Z']
    """
    if clock != "utc" or len(numbers) < FEW:
        return (show(clock, one) for one in numbers)
    instants = np.asarray(numbers, np.float64)
    written = np.datetime_as_string(instants.astype(np.int64).astype("datetime64[us]"), timezone="UTC").tolist()
    whole = (instants % SECOND == 0).tolist()
    return (f"{text[:19]}Z" if even else text for text, even in zip(written, whole, strict=True))


def change_payload(what: CommandResult, clock: Clock, largest_first: bool = False) -> Plain:
    """What a change came to; of the ratings of others than its own players, those that changed most."""
    players = what.players if len(what.players) <= MOST else _most(what)
    before, after = rating_payloads(what.before, players), rating_payloads(what.after, players)
    changes = [
        {"player": player, "before": old, "after": new} for player, old, new in zip(players, before, after, strict=True)
    ]
    if largest_first:
        changes.sort(key=_size)
    recorded = zip(what.ids, format_times(clock, what.times), what.repeated, strict=True)
    return {
        "league": what.league,
        "revision": what.revision,
        "matches": [{"id": id, "time": time, "repeated": again} for id, time, again in recorded],
        "changed": 0 if what.before is what.after else len(what.players),
        "ratings": changes,
    }


def _most(what: CommandResult) -> list[str]:
    """The players of a change itself, and those of the others who are moved most."""
    own = set(what.own)
    others = [one for one in what.players if one not in own]
    return [one for one in what.players if one in own] + most_moved(what, others, MOST)


def most_moved(what: CommandResult, players: Sequence[str], most: int) -> list[str]:
    """Those of some players whom a change moves most; who comes or goes is first, the best of them at the front."""
    before, after = _shown(what.before, players), _shown(what.after, players)
    moved = np.nan_to_num(np.abs(after - before), nan=np.inf)
    order = np.lexsort((-np.nan_to_num(after), -moved))[:most]
    return [players[row] for row in order.tolist()]


def _shown(ladder: Ladder | None, players: Sequence[str]) -> NDArray[np.float64]:
    """What is shown of some players, NaN of who is not there."""
    if ladder is None:
        return np.full(len(players), np.nan)
    shown = np.append(overall(ladder.model, ladder.settled)[2], np.nan)
    return shown[[ladder.rows.get(one, -1) for one in players]]


def _size(change: Plain) -> tuple[bool, float]:
    """By what dry runs are sorted: who comes or goes, then by how much what is shown changes."""
    before, after = change["before"], change["after"]
    if before is None or after is None:
        return False, 0.0
    return True, -abs(after["shown"] - before["shown"])


def csv_text(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> str:
    """Write rows as CSV; a list in a cell is written with semicolons, and without rows there is a header of `columns`.

    >>> csv_text([{"player": "ann", "teams": ["a", "b"]}]), csv_text([], ["player", "teams"])
    ('player,teams\\nann,a; b\\n', 'player,teams\\n')
    """
    import polars as pl

    if not rows:
        return ",".join(columns) + "\n"
    cells = [{name: _cell(value) for name, value in row.items()} for row in rows]
    return pl.DataFrame(cells, infer_schema_length=None).write_csv()


def _cell(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return "; ".join(str(_cell(part)) for part in value)
    return value
