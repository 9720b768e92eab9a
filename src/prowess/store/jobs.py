"""What is worked out in the background of how well models predict a league: asked for, worked on, answered.

All processes of a service see the same. Who works on an analysis gives a sign of life about every second; without one
for long it counts as interrupted. The last answer stays until there is a new one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import time
from typing import Any, Literal

from sqlalchemy import Connection, Row, delete, insert, select, update

from .db import schema
from .leagues import League

__all__ = ["Analysis", "Kind", "answer_of", "ask", "beat", "cancel", "claim", "end", "finish", "latest", "waits"]

Kind = Literal["figures", "comparison"]
OPEN = ("queued", "running")
SILENT = 20.0  # seconds without a sign of life after which nobody works on it any more
_IT = schema.analysis.c


@dataclass(frozen=True)
class Analysis:
    """Something that was asked for, and how far it is; `asked` are models, each a name and its parameters.

    >>> Analysis(1, 1, "figures", "running", {}, "", 0.0, 0.0, "reading", 0.1, None, None, None).state
    'interrupted'
    """

    id: int
    league_id: int
    kind: str
    state: str
    asked: Mapping[str, Any]
    author: str
    asked_at: float
    seen_at: float | None
    step: str
    share: float
    ended_at: float | None
    generation: int | None
    revision: int | None
    why: str | None = None  # there is no answer

    def __post_init__(self) -> None:
        if self.state == "running" and time() - (self.seen_at or 0.0) > SILENT:
            object.__setattr__(self, "state", "interrupted")

    @property
    def open(self) -> bool:
        """Whether it waits or is worked on.

        >>> Analysis(1, 1, "figures", "queued", {}, "", 0.0, None, "", 0.0, None, None, None).open
        True
        """
        return self.state in OPEN


_COLUMNS = [
    _IT[name]
    for name in ("id", "league_id", "kind", "state", "asked", "author", "asked_at", "seen_at", "step", "share")
] + [_IT.ended_at, _IT.generation, _IT.revision]


def ask(connection: Connection, league: League, kind: Kind, asked: Mapping[str, Any], author: str = "") -> None:
    """Ask for an analysis, unless there is one that waits or is worked on; what failed earlier is forgotten.

    Where two ask at the same moment, one of them meets a `WriteClash`, and has what she wanted.
    """
    _, last = latest(connection, league, kind)
    if last is not None and last.open:
        return
    mine = (_IT.league_id == league.id) & (_IT.kind == kind)
    connection.execute(delete(schema.analysis).where(mine, _IT.state != "done"))
    row = {"league_id": league.id, "kind": kind, "state": "queued", "asked": json.dumps(asked, ensure_ascii=False)}
    more = {"author": author, "asked_at": time(), "step": "", "share": 0.0}
    connection.execute(insert(schema.analysis).values(row | more))


def latest(connection: Connection, league: League, kind: Kind) -> tuple[Analysis | None, Analysis | None]:
    """The last analysis that was answered, and the last that was asked for, which may be the same."""
    query = select(*_COLUMNS).where(_IT.league_id == league.id, _IT.kind == kind).order_by(_IT.id.desc()).limit(10)
    found = [_analysis(row) for row in connection.execute(query)]
    last = found[0] if found else None
    if last is not None and last.state == "failed":
        last = replace(last, why=answer_of(connection, last.id))
    return next((one for one in found if one.state == "done"), None), last


def _analysis(row: Row[Any]) -> Analysis:
    return Analysis(**(dict(row._mapping) | {"asked": json.loads(row.asked)}))


def answer_of(connection: Connection, id: int) -> str | None:
    """The answer of an analysis as it was written: JSON, or why there is none; None if it is gone."""
    found: str | None = connection.execute(select(_IT.answer).where(_IT.id == id)).scalar()
    return found


def waits(connection: Connection) -> bool:
    """Whether an analysis waits for somebody to work on it."""
    return connection.execute(select(_IT.id).where(_IT.state == "queued").limit(1)).first() is not None


def claim(connection: Connection, worker: str) -> Analysis | None:
    """Take the analysis that waits longest, for a worker of this name; None if there is none."""
    first = select(*_COLUMNS).where(_IT.state == "queued").order_by(_IT.id).limit(1)
    row = connection.execute(first).first()
    if row is None:
        return None
    values = {"state": "running", "worker": worker, "seen_at": time()}
    taken = connection.execute(update(schema.analysis).where(_IT.id == row.id, _IT.state == "queued").values(values))
    return _analysis(row) if taken.rowcount else None  # else another process was faster


def _mine(id: int, worker: str) -> Any:
    return (_IT.id == id) & (_IT.worker == worker) & (_IT.state == "running")


def beat(connection: Connection, id: int, worker: str, step: str, share: float) -> bool:
    """Give a sign of life and say how far the work is; whether it is still wanted."""
    values = {"seen_at": time(), "step": step, "share": share}
    return bool(connection.execute(update(schema.analysis).where(_mine(id, worker)).values(values)).rowcount)


def finish(connection: Connection, id: int, worker: str, generation: int, revision: int, answer: str) -> bool:
    """Write down the answer, of a league as it was at a revision; it takes the place of the one before."""
    values = {"state": "done", "share": 1.0, "ended_at": time(), "answer": answer}
    values |= {"generation": generation, "revision": revision}
    row = connection.execute(select(_IT.league_id, _IT.kind).where(_mine(id, worker))).first()
    if row is None or not connection.execute(update(schema.analysis).where(_mine(id, worker)).values(values)).rowcount:
        return False  # it was called off
    earlier = (_IT.league_id == row.league_id) & (_IT.kind == row.kind) & (_IT.id < id)
    connection.execute(delete(schema.analysis).where(earlier))
    return True


def end(connection: Connection, id: int, worker: str, why: str = "", *, state: str) -> None:
    """Note that there will be no answer: it "failed", or was "interrupted"."""
    values = {"state": state, "ended_at": time(), "answer": why or None}
    connection.execute(update(schema.analysis).where(_mine(id, worker)).values(values))


def cancel(connection: Connection, league: League, kind: Kind) -> None:
    """Call off what waits or is worked on; the worker sees it at its next sign of life."""
    mine = (_IT.league_id == league.id) & (_IT.kind == kind) & _IT.state.in_(OPEN)
    connection.execute(update(schema.analysis).where(mine).values(state="cancelled", ended_at=time()))
