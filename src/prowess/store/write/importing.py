"""Import a history into a league. All matches are recorded at once, and repeating an import changes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import numpy as np

from ...history import History
from .. import leagues
from ..clock import clock_of
from ..db.database import Database
from ..errors import NotFound, Renamed
from ..journal.journal import bodies
from ..leagues import League, Preset, Settings, league_name
from .commands import CommandResult, Post
from .posts import check_future, validate
from .writer import perform, preview


@dataclass(frozen=True, eq=False)
class Imported:
    """The result of an import: the league, and how many of the matches the league already had.

    `league` is None after a dry run that would have created the league.
    """

    league: League | None
    founded: bool
    matches: int
    repeated: int
    players: int
    revision: int
    aliases: Mapping[str, str] = field(default_factory=dict)  # names in the file, with the players whom they mean


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
    """Post all matches of a history to the league with this title, as one revision; create the league if it is missing.

    Matches without ids get ids derived from their contents, so that importing a file again changes nothing. An existing
    league keeps its own model and title.
    """
    name = league_name(title)
    league = _find(database, name)
    post = Post(name, with_ids(history), author=author, reason=reason)
    clock = clock_of(history) if league is None else league.clock
    validated = validate(post, clock)
    if league is None:
        check_future(validated, Settings())
        (preset or Preset()).model.learn(history)  # so that no league is created if a match cannot be rated
        if dry_run:
            return Imported(None, True, len(history), 0, len(history.players), 0)
        with database.writing() as connection:
            leagues.create(connection, name, title=title, model=preset, clock=clock, public=public, author=author)
    result: CommandResult = (preview if dry_run else perform)(database, post)
    now, repeated = _find(database, name), sum(result.repeated)
    about = (len(history), repeated, len(history.players), result.revision, result.aliases)
    return Imported(now, league is None, *about)


def _find(database: Database, name: str) -> League | None:
    with database.reading() as connection:
        try:
            return leagues.find(connection, name)
        except Renamed:
            raise  # matches for the old name belong to the renamed league, not to a new one
        except NotFound:
            return None


def with_ids(history: History) -> History:
    """Return the history with an id for every match: its own, or a hash of its time, teams and result.

    Equal matches get different ids.

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
