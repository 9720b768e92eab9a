"""What is expected: forecasts, and who should play whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import objects
from .http import Asking, match_of

if TYPE_CHECKING:
    from ..matchmaking.balancing.balance import Balance
    from ..matchmaking.next_match.next_match import NextMatches
    from ..matchmaking.pairing.pair import Pairing
    from ..model.prediction import Prediction

Teams = Sequence[Sequence[str]]


class Expecting(Asking):
    """The part of a client that asks for forecasts and matches."""

    def predict(
        self,
        teams: Teams,
        *,
        time: Any = None,
        weights: Sequence[Sequence[float]] | None = None,
        home: int | None = None,
        newcomers: bool = False,
    ) -> Prediction:
        """What is expected of a match between players of the league; `newcomers` allows names that are not known.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]])
        ...     client.predict([["ann"], ["bob"]]).win.round(2)
        array([0.75, 0.21])
        """
        return objects.prediction(self._send("POST", "/predict", match_of(locals())))

    def quality(
        self,
        teams: Teams,
        *,
        weights: Sequence[Sequence[float]] | None = None,
        home: int | None = None,
        newcomers: bool = False,
    ) -> float:
        """How fair a match between players of the league would be, 0 to 1.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     round(client.quality([["ann"], ["bob"]], newcomers=True), 2)
        0.45
        """
        return float(self._send("POST", "/quality", match_of(locals()))["quality"])

    def balance(self, players: Sequence[str], **wanted: Any) -> Balance:
        """Fair teams of some players, with the options of `pw.balance`; who is not known is a newcomer.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     len(client.balance(["ann", "bob", "cat", "dan"], together=[["ann", "bob"]]).teams)
        2
        """
        return objects.balance(self._send("POST", "/balance", {"players": list(players), "newcomers": True, **wanted}))

    def pair(self, queue: Sequence[Any], **wanted: Any) -> Pairing:
        """Who of a queue plays whom, with the options of `pw.pair`; who is not known is a newcomer.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     len(client.pair(["ann", "bob", "cat", "dan"], waiting={"ann": 30}))
        2
        """
        return objects.pairing(self._send("POST", "/pair", {"queue": list(queue), "newcomers": True, **wanted}), queue)

    def next_matches(self, players: Sequence[str] | None = None, **wanted: Any) -> NextMatches:
        """The matches that would tell most of the players' skills, with the options of `pw.next_matches`.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"], ["cat"]])
        ...     len(client.next_matches(count=1))
        1
        """
        known = {} if players is None else {"players": list(players), "newcomers": True}
        return objects.next_matches(self._send("POST", "/next", known | wanted))
