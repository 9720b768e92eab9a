"""Time along an axis, of whatever kind it is in a history."""

from __future__ import annotations

from datetime import UTC, date, datetime

from ...history import History

__all__ = ["place_of", "time_axis"]


def place_of(when: float | date) -> float | str:
    """A time on the axis: without a zone, so that a browser shows the same date everywhere; matches count from 1.

    >>> place_of(date(2026, 1, 31)), place_of(0), place_of(0.5)
    ('2026-01-31T00:00:00', 1, 0.5)
    """
    if isinstance(when, datetime):
        return (when if when.tzinfo is None else when.astimezone(UTC).replace(tzinfo=None)).isoformat()
    if isinstance(when, date):
        return f"{when.isoformat()}T00:00:00"
    return when + 1 if isinstance(when, int) else when


def time_axis(history: History) -> tuple[str, str, str]:
    """The column of a frame that runs along the axis, its kind for Vega-Lite, and what to call it.

    >>> time_axis(History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    ('match', 'Q', 'match number')
    """
    if history.time is None:
        return "match", "Q", "match number"
    if history.time_kind == "number":
        return "time", "Q", "time (as in the history)"
    zone = "" if history.time_zone is None else " (UTC)"
    return "time", "T", "date" if history.time_kind == "date" else f"time{zone}"
