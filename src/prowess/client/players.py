"""What is believed: the players of a league and their ratings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import Error
from ..history import name_of
from ..model.rating import Rating
from ..validate import whole
from . import objects
from .events import followed
from .http import Asking, ServiceError, plain, segment
from .objects import News

if TYPE_CHECKING:
    import polars as pl

PAGE = 1_000  # players of a page of the leaderboard


class Believing(Asking):
    """The part of a client that reads a league."""

    def __getitem__(self, name: str) -> Rating:
        """Give a player's rating."""
        return objects.rating(self.player(name, matches=0, curve=0)["rating"])

    def __contains__(self, name: object) -> bool:
        """Tell whether a player has a match in the league."""
        try:
            self.player(str(name), matches=0, curve=0)
        except ServiceError as error:
            if error.status != 404:
                raise
            self._get()  # where the league itself is missing, that is the answer
            return False
        except Error:
            return False
        return True

    def __len__(self) -> int:
        """Count the players."""
        return int(self._get("/leaderboard", size=1)["total"])

    def __iter__(self) -> Iterator[str]:
        """Give the names, best player first."""
        return (row["player"] for row in self._rows())

    def _rows(self, **query: Any) -> Iterator[dict[str, Any]]:
        """The rows of the leaderboard, page after page, all of one revision."""
        page = self._get("/leaderboard", size=PAGE, **query)
        while True:
            yield from page["players"]
            if page["next"] is None:
                return
            page = self._call.json("GET", f"/{page['next'].lstrip('/')}")  # a path of this service, whatever it says

    def player(self, name: str, *, matches: int = 20, curve: int = 500) -> dict[str, Any]:
        """All that is known of a player: rating, rank, curve, last matches, record against every opponent.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]])
        ...     client.player("ann")["rank"]
        1
        """
        found: dict[str, Any] = self._get(f"/players/{segment(name_of(name))}", matches=matches, curve=curve)
        return found

    def leaderboard(self, min_matches: int = 0, *, at: Any = None) -> pl.DataFrame:
        """The players from best to worst as a Polars frame, now or as it stood `at` a time; all of one revision.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]])
        ...     client.leaderboard().row(0)[:2]
        (1, 'ann')
        """
        asked = {"min_matches": whole("min_matches", min_matches), "at": plain(at)}
        return objects.standings(list(self._rows(**asked)))

    def events(self, after: int | None = None) -> Iterator[News]:
        """Follow the league: every change as it happens, from the revision `after` on, until you stop asking.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]])
        ...     next(client.events(after=0))
        News(revision 1, 2 players)
        """
        return followed(self._call, f"{self._path}/events", after)
