"""A file of matches brought into a league: all at once, and harmless if it is repeated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from ...history import History
from .. import leagues
from ..clock import clock_of
from ..db.database import Database
from ..errors import NotFound
from ..journal.match_json import bodies
from ..leagues import League, Preset, league_name
from .commands import CommandResult, Post
from .prepare import prepare
from .writer import perform, preview


@dataclass(frozen=True, eq=False)
class Imported:
    """What came of an import: the league, None where it would be founded yet, and which matches were there already."""

    league: League | None
    founded: bool
    matches: int
    repeated: int
    players: int
    revision: int


def import_history(
    database: Database,
    history: History,
    title: str,
    *,
    preset: Preset | None = None,
    public: bool = True,
    author: str = "",
    reason: str = "",
    dry_run: bool = False,
) -> Imported:
    """Post all matches of a history as one revision to the league of a title, which is founded if it is not there.

    Matches without ids get some that are made of what they say, so that the same file changes nothing when it comes
    again. A league that is there keeps its own model and title.
    """
    name = league_name(title)
    league = _find(database, name)
    post = Post(name, with_ids(history), author=author, reason=reason)
    clock = clock_of(history) if league is None else league.clock
    prepare(post, clock)
    if league is None:
        (preset or Preset()).model.learn(history)  # what cannot be rated founds no league
        if dry_run:
            return Imported(None, True, len(history), 0, len(history.players), 0)
        with database.writing() as connection:
            leagues.create(connection, name, title=title, model=preset, clock=clock, public=public, author=author)
    result: CommandResult = (preview if dry_run else perform)(database, post)
    now, repeated = _find(database, name), sum(result.repeated)
    return Imported(now, league is None, len(history), repeated, len(history.players), result.revision)


def _find(database: Database, name: str) -> League | None:
    with database.reading() as connection:
        try:
            return leagues.find(connection, name)
        except NotFound:
            return None


def with_ids(history: History) -> History:
    """A history in which every match has an id: its own, or one that is made of its time, teams and result.

    Of rows that say the same, the second has another id than the first.

    >>> match = {"teams": [["ann"], ["bob"]], "time": "2026-01-31"}
    >>> with_ids(History.from_matches([match, match, {**match, "id": "final"}])).ids
    ('e723e90021a9d490c097c65a', '7e5105532bcd3c49a47a4c75', 'final')
    """
    own = history.ids or ("",) * len(history)
    if all(own):
        return history
    times = [0.0] * len(history) if history.time is None else history.time.astype(np.float64).tolist()
    seen: dict[str, int] = {}
    ids = []
    for id, time, body in zip(own, times, bodies(history), strict=True):
        text = f"{time!r} {body}"
        seen[text] = number = seen.get(text, 0) + 1
        ids.append(id or blake2b(f"{text} {number}".encode(), digest_size=12).hexdigest())
    return replace(history, ids=tuple(ids))
