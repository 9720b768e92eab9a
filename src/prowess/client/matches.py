"""What happened: matches that are posted, corrected and taken back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ..history import name_of
from ..model.rating import Rating
from ..progress import following
from .http import ServiceError, match_of, plain, segment
from .objects import Revised
from .players import Believing

if TYPE_CHECKING:
    from ..history import History

BATCH = 10_000  # matches that the service takes at once
Teams = Sequence[Sequence[str]]


class Changing(Believing):
    """The part of a client that changes a league."""

    def record(
        self,
        teams: Teams,
        ranks: Sequence[float] | None = None,
        scores: Sequence[float] | None = None,
        *,
        time: Any = None,
        weights: Sequence[Sequence[float]] | None = None,
        importance: float | None = None,
        home: int | None = None,
        id: str | None = None,
    ) -> list[list[Rating]]:
        """Post a match and give the new ratings, nested like the teams, when it is durable; newcomers are welcome.

        `time` may be earlier than matches that were posted before: every later rating is then made anew. Without it the
        match gets the time at which the service received it. An `id` of your own makes posting it again harmless.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     [[ann, bob], [cat]] = client.record([["ann", "bob"], ["cat"]], ranks=[2, 1], time="2026-01-31")
        >>> cat.mu > ann.mu
        True
        """
        match = match_of(locals()) | {"id": uuid4().hex if id is None else id}
        found = Revised.told(self._send("POST", "/matches", match))
        named = [[name_of(player) for player in team] for team in teams]
        return [[found.after.get(player) or self[player] for player in team] for team in named]

    def record_all(
        self, matches: Iterable[Mapping[str, Any]], *, key: str | None = None, progress: bool | None = None
    ) -> int:
        """Post any number of matches, mappings with the parameters of `record`, and give how many were new.

        They go in batches of 10,000, each of which is one revision. Those without an id get one that is made of `key`
        and their number. So where this was interrupted, the same call with the same `key` goes on: the error tells the
        key if none was given. `progress` shows a bar, or not.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     week = [{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["cat"]], "ranks": [1, 1]}]
        ...     client.record_all(week, key="week 5"), client.record_all(week, key="week 5")
        (2, 0)
        """
        made = key or uuid4().hex
        total = len(matches) if isinstance(matches, Sized) else 0
        new: list[int] = []  # of each batch
        share = lambda: len(new) * BATCH / total if total else 0.0  # noqa: E731
        for part in following(_batches(matches, made), "posting matches", share, progress):
            try:
                found = Revised.told(self._send("POST", "/matches", part))
            except ServiceError as error:
                there = f"the first {len(new) * BATCH:,} matches are there; call again with key={made!r} to go on"
                raise ServiceError(f"{error} ({there})" if new else str(error), error.status, error.problem) from None
            new.append(len(part) - found.repeated)
        return sum(new)

    def preview(
        self,
        teams: Teams,
        ranks: Sequence[float] | None = None,
        scores: Sequence[float] | None = None,
        *,
        time: Any = None,
        weights: Sequence[Sequence[float]] | None = None,
        importance: float | None = None,
        home: int | None = None,
    ) -> Revised:
        """Who would be rated how after a match, which is not recorded.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     client.preview([["ann"], ["bob"]]), len(client)
        (Revised(revision 0, 2 players rated anew), 0)
        """
        return Revised.told(self._send("POST", "/matches", match_of(locals()), dry_run="true"))

    def edit(
        self,
        id: str,
        teams: Teams | None = None,
        ranks: Sequence[float] | None = None,
        scores: Sequence[float] | None = None,
        *,
        time: Any = None,
        weights: Sequence[Sequence[float]] | None = None,
        importance: float | None = None,
        home: int | None = None,
        reason: str = "",
        dry_run: bool = False,
    ) -> Revised:
        """Correct a match: what is given takes the place of what was, and every later rating is made anew.

        With `dry_run` nothing is changed, and the answer says what would be. The journal keeps who corrected it, when,
        and the `reason`.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]], ranks=[1, 2], id="final")
        ...     _ = client.edit("final", ranks=[2, 1], reason="the sheet was read upside down")
        ...     client["bob"].mu > client["ann"].mu
        True
        """
        changed = match_of({name: value for name, value in locals().items() if name not in ("reason", "dry_run")})
        was = self._body(id)
        if changed.keys() & {"ranks", "scores"}:
            was = {name: part for name, part in was.items() if name not in ("ranks", "scores")}
        asked = {"reason": reason, "dry_run": "true" if dry_run else None}
        return Revised.told(self._send("PUT", f"/matches/{segment(id)}", was | changed, **asked))

    def _body(self, id: str) -> dict[str, Any]:
        """A match as it was posted."""
        told = self.match(id)
        kept = ("ranks", "scores", "time", "weights", "importance", "home")
        return {"teams": told["teams"], **{name: told[name] for name in kept if told.get(name) is not None}}

    def delete(self, id: str, *, reason: str = "", dry_run: bool = False) -> Revised:
        """Take a match back, as if it had never been; with `dry_run` only say what would change.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]], id="final")
        ...     client.delete("final", dry_run=True), "ann" in client
        (Revised(revision 1, 2 players rated anew), True)
        """
        asked = {"reason": reason, "dry_run": "true" if dry_run else None}
        return Revised.told(self._send("DELETE", f"/matches/{segment(id)}", **asked))

    def match(self, id: str) -> dict[str, Any]:
        """All that is known of a match: teams, result, ratings before and after, what was predicted, its revisions.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]], id="final")
        ...     client.match("final")["id"]
        'final'
        """
        found: dict[str, Any] = self._get(f"/matches/{segment(id)}")
        return found

    def history(self) -> History:
        """All matches of the league, as a `pw.History` that any model can rate.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]], time="2026-01-31")
        ...     len(client.history())
        1
        """
        from io import BytesIO

        import polars as pl

        from ..history import History

        return History.from_frame(pl.read_parquet(BytesIO(self._call("GET", f"{self._path}/export.parquet").content)))


def _batches(matches: Iterable[Mapping[str, Any]], key: str) -> Iterator[list[dict[str, Any]]]:
    """The matches in batches, each match with an id."""
    numbered = (
        {"id": f"{key}/{number}"} | {name: plain(part) for name, part in match.items() if part is not None}
        for number, match in enumerate(matches, 1)
    )
    while part := list(islice(numbered, BATCH)):
        yield part
