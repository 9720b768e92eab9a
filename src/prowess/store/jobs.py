"""The queue of background jobs that analyse how well models predict a league: request, claim, finish.

There are three kinds: "figures" of the league's model, a "comparison" with other models, and the "choice" of a better
model (see `choices.py`).

All processes of a service share the queue. A worker sends a heartbeat about every second; an analysis whose heartbeat
stops counts as interrupted. The last result is kept until the next analysis has finished.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import time
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, case, delete, insert, select, update

from .db import schema
from .leagues import League

Kind = Literal["figures", "comparison", "choice"]
OPEN = ("queued", "running")
SILENT = 20.0  # seconds without a heartbeat after which a worker is considered lost
_ANALYSIS = schema.analysis.c


@dataclass(frozen=True)
class Analysis:
    """A requested analysis and its progress; `asked` maps model labels to presets with parameters.

    A running analysis whose worker has sent no heartbeat for a while gets the state "interrupted".

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
    why: str | None = None  # why the analysis failed

    def __post_init__(self) -> None:
        if self.state == "running" and time() - (self.seen_at or 0.0) > SILENT:
            object.__setattr__(self, "state", "interrupted")

    @property
    def open(self) -> bool:
        """Whether the analysis is queued or running.

        >>> Analysis(1, 1, "figures", "queued", {}, "", 0.0, None, "", 0.0, None, None, None).open
        True
        """
        return self.state in OPEN


_ROWS = select(*(_ANALYSIS[name] for name in Analysis.__dataclass_fields__ if name != "why"))


def request(connection: Connection, league: League, kind: Kind, asked: Mapping[str, Any], author: str = "") -> None:
    """Queue an analysis, unless one of this kind is queued or running; delete failed and interrupted ones.

    If two requests arrive at the same moment, one of them raises a `WriteClash`, which its caller can ignore.
    """
    _, last = latest(connection, league, kind)
    if last is not None and last.open:
        return
    connection.execute(delete(schema.analysis).where(_of(league.id, kind), _ANALYSIS.state != "done"))
    row = _new_row(league, kind, author) | {"state": "queued", "asked": json.dumps(asked, ensure_ascii=False)}
    connection.execute(insert(schema.analysis).values(row))


def _new_row(league: League, kind: Kind, author: str) -> dict[str, Any]:
    about = {"league_id": league.id, "kind": kind, "author": author}
    return about | {"asked": "{}", "asked_at": time(), "step": "", "share": 0.0}


def version_of(league: League) -> dict[str, int]:
    """Return the numbers that identify the state of a league for which a result was computed."""
    return {"posted": league.posted, "revision": league.revision, "generation": league.generation}


def record(connection: Connection, league: League, kind: Kind, answer: Mapping[str, Any], author: str = "") -> None:
    """Store a result that was computed elsewhere; delete earlier results and requests of this kind."""
    connection.execute(delete(schema.analysis).where(_of(league.id, kind)))
    text = json.dumps({**answer, **version_of(league)})
    done = {"state": "done", "share": 1.0, "ended_at": time(), "answer": text}
    done |= {"generation": league.generation, "revision": league.revision}
    connection.execute(insert(schema.analysis).values(_new_row(league, kind, author) | done))


def latest(connection: Connection, league: League, kind: Kind) -> tuple[Analysis | None, Analysis | None]:
    """Return the last analysis with a result and the last requested one, which may be the same; None if missing."""
    query = _ROWS.where(_of(league.id, kind)).order_by(_ANALYSIS.id.desc()).limit(10)
    analyses = [_analysis(row) for row in connection.execute(query)]
    last = analyses[0] if analyses else None
    if last is not None and last.state == "failed":
        last = replace(last, why=answer(connection, last.id))
    return next((analysis for analysis in analyses if analysis.state == "done"), None), last


def _of(league_id: int, kind: str) -> ColumnElement[bool]:
    return (_ANALYSIS.league_id == league_id) & (_ANALYSIS.kind == kind)


def _analysis(row: Row[Any]) -> Analysis:
    return Analysis(**(dict(row._mapping) | {"asked": json.loads(row.asked)}))


def answer(connection: Connection, id: int) -> str | None:
    """Return the result of an analysis as JSON, or the reason for its failure; None if the analysis was deleted."""
    text: str | None = connection.execute(select(_ANALYSIS.answer).where(_ANALYSIS.id == id)).scalar()
    return text


def interrupted(connection: Connection, kind: Kind) -> list[int]:
    """Return the ids of the leagues whose job of this kind was interrupted, or sends no heartbeat any more."""
    lost = (_ANALYSIS.state == "running") & (_ANALYSIS.seen_at < time() - SILENT)
    query = select(_ANALYSIS.league_id).where(_ANALYSIS.kind == kind, lost | (_ANALYSIS.state == "interrupted"))
    return list(connection.execute(query).scalars())


def has_queued(connection: Connection) -> bool:
    """Return whether any analysis is waiting for a worker."""
    return connection.execute(select(_ANALYSIS.id).where(_ANALYSIS.state == "queued").limit(1)).first() is not None


def claim(connection: Connection, worker: str) -> Analysis | None:
    """Claim the analysis that has waited longest; return None if none waits, or another process has just claimed it.

    A choice of a model comes last, because nobody waits for it.
    """
    queued, unhurried = _ANALYSIS.state == "queued", case((_ANALYSIS.kind == "choice", 1), else_=0)
    row = connection.execute(_ROWS.where(queued).order_by(unhurried, _ANALYSIS.id).limit(1)).first()
    if row is None:
        return None
    values = {"state": "running", "worker": worker, "seen_at": time()}
    claimed = connection.execute(update(schema.analysis).where(_ANALYSIS.id == row.id, queued).values(values))
    return _analysis(row) if claimed.rowcount else None  # otherwise another process has claimed it


def _update(connection: Connection, id: int, worker: str, **values: Any) -> bool:
    """Update an analysis that a worker has claimed; return whether the worker still owns the analysis."""
    own = (_ANALYSIS.id == id, _ANALYSIS.worker == worker, _ANALYSIS.state == "running")
    return bool(connection.execute(update(schema.analysis).where(*own).values(values)).rowcount)


def heartbeat(connection: Connection, id: int, worker: str, step: str, share: float) -> bool:
    """Record a worker's progress, and that the worker is alive; return False if the analysis was cancelled."""
    return _update(connection, id, worker, seen_at=time(), step=step, share=share)


def finish(connection: Connection, id: int, worker: str, generation: int, revision: int, answer: str) -> bool:
    """Store the result of an analysis at a revision, and delete earlier results of the same kind.

    Return False if the analysis was cancelled.
    """
    done = {"state": "done", "share": 1.0, "ended_at": time(), "generation": generation, "revision": revision}
    if not _update(connection, id, worker, answer=answer, **done):
        return False
    row = connection.execute(select(_ANALYSIS.league_id, _ANALYSIS.kind).where(_ANALYSIS.id == id)).one()
    connection.execute(delete(schema.analysis).where(_of(row.league_id, row.kind), _ANALYSIS.id < id))
    return True


def abort(connection: Connection, id: int, worker: str, why: str = "", *, state: str) -> None:
    """Record that an analysis ended without a result, and why; `state` is "failed" or "interrupted"."""
    _update(connection, id, worker, state=state, ended_at=time(), answer=why or None)


def cancel(connection: Connection, league: League, kind: Kind) -> None:
    """Cancel the queued or running analysis; the worker notices at its next heartbeat."""
    open_ = (_of(league.id, kind), _ANALYSIS.state.in_(OPEN))
    connection.execute(update(schema.analysis).where(*open_).values(state="cancelled", ended_at=time()))
