"""Responses of the API: JSON and CSV, ETags, and ratings, times and rating changes as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response

from ...frames import csv_cells
from ...model.ladder.ladder import Ladder
from ...model.ladder.leaderboard import overall
from ...model.rating import Rating
from ...model.scale import Points
from ...store.clock import Clock, show
from ...store.leagues import League
from ...store.write.commands import CommandResult

Plain = dict[str, Any]

NOT_MODIFIED: dict[int | str, Plain] = {304: {"description": "Not modified: the ETag in `If-None-Match` is current."}}
MANY_TIMES = 16  # from this number on, NumPy formats the times faster than a loop
SECOND = 1e6  # in microseconds
MAX_OTHERS = 1_000  # maximum number of changed players in a response, in addition to those in the posted matches


def json_response(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response; NaN and infinity become null.

    The function bypasses FastAPI's own encoder, which would validate every value.

    >>> json_response({"mu": 25.0}).body
    b'{"mu":25.0}'
    """
    return Response(to_json(content, inf_nan_mode="null"), status, headers, "application/json")


def etag_of(league: League, generation: int, revision: int) -> str:
    """Return the ETag of a league's data at a revision of a generation.

    The ETag also depends on the settings, the state and erasures of the league, because they change how all revisions
    look.
    """
    state = f"{league.id} {league.archived_at} {league.purge_at} {league.public} {league.erased}"
    shown = f"{state} {league.settings} {league.title!r}".encode()
    return f'W/"{generation}.{revision}.{crc32(shown):x}"'


def extend_etag(tag: str, *more: object) -> str:
    """Return an ETag that depends on `tag` and on the values in `more`.

    >>> extend_etag('W/"1.7"', 3, "a")
    'W/"1.7.3.a"'
    """
    return f'{tag[:-1]}.{".".join(map(str, more))}"'


def etag_headers(tag: str) -> dict[str, str]:
    """Return headers that make caches revalidate every time.

    >>> etag_headers('W/"7"')
    {'ETag': 'W/"7"', 'Cache-Control': 'no-cache'}
    """
    return {"ETag": tag, "Cache-Control": "no-cache"}


def not_modified(request: Request, tag: str) -> Response | None:
    """Return 304 Not Modified if the client already has the version with this ETag, else None."""
    seen = request.headers.get("if-none-match")
    if seen is None or (seen.strip() != "*" and tag not in (part.strip() for part in seen.split(","))):
        return None
    return Response(status_code=304, headers=etag_headers(tag))


def cached_json(request: Request, tag: str, content: Callable[[], Any]) -> Response:
    """Return 304 Not Modified if the client has this version; otherwise, compute the content and return it as JSON."""
    return not_modified(request, tag) or json_response(content(), headers=etag_headers(tag))


def rfc3339(seconds: float) -> str:
    """Format a Unix time, in seconds, as RFC 3339 in UTC.

    >>> rfc3339(0.5)
    '1970-01-01T00:00:00.500000Z'
    """
    return str(show("utc", float(round(seconds * SECOND))))


def format_times(clock: Clock, numbers: Sequence[float]) -> Iterable[str | float | None]:
    """Format the times of a league: RFC 3339 for a UTC clock, otherwise numbers or None.

    >>> list(format_times("utc", [0.0, 1500000.0]))
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:01.500000Z']
    """
    if clock != "utc" or len(numbers) < MANY_TIMES:
        return (show(clock, number) for number in numbers)
    # NumPy formats all times at once, but always with microseconds.
    instants = np.asarray(numbers, np.float64)
    texts = np.datetime_as_string(instants.astype(np.int64).astype("datetime64[us]"), timezone="UTC").tolist()
    whole = (instants % SECOND == 0).tolist()
    return (f"{text[:19]}Z" if even else text for text, even in zip(texts, whole, strict=True))


def rating_payload(rating: Rating | None, points: Points | None = None) -> Plain | None:
    """Return a rating as plain data; with `points`, also in points.

    >>> rating_payload(Rating(30, 4))
    {'mu': 30.0, 'sigma': 4.0, 'shown': 18.0}
    """
    if rating is None:
        return None
    parts = {name: rating_payload(part) if isinstance(part, Rating) else part for name, part in rating.parts.items()}
    scaled = {} if points is None else points.columns(rating.mu, rating.sigma, rating.shown)
    return {"mu": rating.mu, "sigma": rating.sigma, "shown": rating.shown} | parts | scaled


def rating_payloads(ladder: Ladder | None, players: Sequence[str], points: Points | None = None) -> list[Plain | None]:
    """Return ratings as plain data, as `rating_payload` does; None for players who are not on the ladder.

    >>> import prowess as pw
    >>> rating_payloads(pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)}), ["ann", "bob"])
    [{'mu': 30.0, 'sigma': 4.0, 'shown': 18.0}, None]
    """
    if ladder is None:
        return [None] * len(players)
    rows, model = ladder.rows, ladder.model
    # Ratings with more parts than mu, sigma and shown do not fit into three columns.
    if model.pipeline.traits > 1 or model.absorb.extras or points is not None:
        return [rating_payload(ladder[player], points) if player in rows else None for player in players]
    rated = [player for player in players if player in rows]
    columns = overall(model, ladder.settled[[rows[player] for player in rated]])
    mu, sigma, shown = (column.tolist() for column in columns)
    sigmas = [None] * len(mu) if model.absorb.certain else sigma
    payloads: dict[str, Plain] = {
        player: {"mu": m, "sigma": s, "shown": x} for player, m, s, x in zip(rated, mu, sigmas, shown, strict=True)
    }
    return [payloads.get(player) for player in players]


def change_payload(
    result: CommandResult,
    clock: Clock,
    largest_first: bool = False,
    most: int | None = None,
    points: Points | None = None,
) -> Plain:
    """Return the rating changes of a command, and its matches or the first `most` of them, as plain data.

    All changes of players in the command's matches are listed, but only the largest changes of other players. With
    `largest_first`, the changes are sorted by size. With `points`, ratings are also given in points.
    """
    players: Sequence[str] = result.players
    if len(players) > MAX_OTHERS:
        own = set(result.own)
        others = [player for player in players if player not in own]
        players = [player for player in players if player in own] + most_moved(result, others, MAX_OTHERS)
    before, after = (rating_payloads(ladder, players, points) for ladder in (result.before, result.after))
    changes = [
        {"player": player, "before": old, "after": new} for player, old, new in zip(players, before, after, strict=True)
    ]
    if largest_first:
        changes.sort(key=_largest_first)
    recorded = zip(result.ids[:most], format_times(clock, result.times[:most]), result.repeated[:most], strict=False)
    payload = {
        "league": result.league,
        "revision": result.revision,
        "matches": [{"id": id, "time": time, "repeated": repeated} for id, time, repeated in recorded],
        # If the ladder is the same before and after, nothing was rated.
        "changed": 0 if result.before is result.after else len(result.players),
        "ratings": changes,
    }
    payload |= {"aliases": dict(result.aliases)} if result.aliases else {}
    return payload | {"replaying": True} if result.replaying else payload


def most_moved(result: CommandResult, players: Sequence[str], most: int, of_mean: bool = False) -> list[str]:
    """Return the `most` players whose shown rating or, with `of_mean`, whose μ changes most, largest change first.

    New and removed players come first, ordered by rating.
    """
    before, after = (_ratings(ladder, players, of_mean) for ladder in (result.before, result.after))
    # New and removed players have NaN on one side.
    moved = np.nan_to_num(np.abs(after - before), nan=np.inf)
    order = np.lexsort((-np.nan_to_num(after), -moved))[:most]
    return [players[row] for row in order.tolist()]


def _ratings(ladder: Ladder | None, players: Sequence[str], of_mean: bool) -> NDArray[np.float64]:
    if ladder is None:
        return np.full(len(players), np.nan)
    ratings = np.append(overall(ladder.model, ladder.settled)[0 if of_mean else 2], np.nan)
    return ratings[[ladder.rows.get(player, -1) for player in players]]


def _largest_first(change: Plain) -> tuple[bool, float]:
    # New and removed players come first, then the largest rating changes.
    before, after = change["before"], change["after"]
    if before is None or after is None:
        return False, 0.0
    name = "points" if "points" in after else "shown"  # the number that is displayed
    return True, -abs(after[name] - before[name])


def csv_text(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = (), raw_names: bool = False) -> str:
    """Write rows as CSV; lists in a cell are joined by semicolons. Without rows, only the header `columns` is written.

    Text that a spreadsheet would run as a formula gets an apostrophe, unless `raw_names` is true.

    >>> csv_text([{"player": "ann", "teams": ["a", "=b"]}]), csv_text([], ["player", "teams"])
    ("player,teams\\nann,a; '=b\\n", 'player,teams\\n')
    """
    import polars as pl

    if not rows:
        return ",".join(columns) + "\n"
    return csv_cells(pl.DataFrame(rows, infer_schema_length=None), raw_names).write_csv()
