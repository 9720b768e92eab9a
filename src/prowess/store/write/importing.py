"""Import a history into a league. All matches are recorded at once, and repeating an import changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import numpy as np

from ...history import History
from .. import choices, leagues
from ..choices import Chosen
from ..clock import clock_of
from ..db.database import Database
from ..errors import NotFound, Renamed
from ..facets import with_own_levels
from ..journal.journal import bodies
from ..leagues import STARTING, League, Preset, Settings, league_name
from .commands import ChangeModel, CommandResult, Post
from .posts import check_future, validate
from .writer import perform, preview

IMPORT_REASON = "chosen for the imported matches"  # why a league that had no matches got its model


@dataclass(frozen=True, eq=False)
class Imported:
    """The result of an import: the league, and how many of the matches the league already had.

    `league` is None after a dry run that would have created the league. `chosen` is the model that was chosen for these
    matches; None if no model was chosen.
    """

    league: League | None
    founded: bool
    matches: int
    repeated: int
    players: int
    revision: int
    aliases: Mapping[str, str] = field(default_factory=dict)  # maps aliases in the file to their players
    chosen: Chosen | None = None


def import_history(
    database: Database,
    history: History,
    title: str,
    *,
    preset: Preset | None = None,
    choose: Callable[[History], Chosen | None] | None = None,
    public: bool = True,
    author: str = "",
    reason: str = "",
    dry_run: bool = False,
) -> Imported:
    """Post all matches of a history to the league with this title, as one revision; create the league if it is missing.

    Matches without ids get ids derived from their contents, so that importing a file again changes nothing. An existing
    league keeps its own model, title and visibility. Without a `preset`, `choose` returns the model of a new league, or
    of a league that has no matches and still has the default model.
    """
    name = league_name(title)
    league = _find(database, name)
    post = Post(name, with_ids(history), author=author, reason=reason)
    clock = clock_of(history) if league is None else league.clock
    validated = validate(post, clock)
    fresh = league is None or choices.is_fresh(league)
    if fresh:
        check_future(validated, Settings() if league is None else league.settings)
    chosen = choose(history) if fresh and preset is None and choose is not None else None
    model = chosen.preset if chosen is not None else preset
    if league is None or chosen is not None:
        first = (model or STARTING).model
        first.learn(with_own_levels(first, history))  # so that nothing is changed if a match cannot be rated
    if league is None and dry_run:
        return Imported(None, True, len(history), 0, len(history.players), 0, chosen=chosen)
    if league is None:
        with database.writing() as connection:
            leagues.create(connection, name, title=title, model=model, clock=clock, public=public, author=author)
    elif chosen is not None and not dry_run:
        perform(database, ChangeModel(name, chosen.preset, unrated=True, author=author, reason=IMPORT_REASON))
    result: CommandResult = (preview if dry_run else perform)(database, post)
    now, repeated = _find(database, name), sum(result.repeated)
    if chosen is not None and now is not None and not dry_run:
        with database.writing() as connection:
            choices.record(connection, now, chosen.answer, author)
    about = (len(history), repeated, len(history.players), result.revision, result.aliases)
    return Imported(now, league is None, *about, chosen=chosen)


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
