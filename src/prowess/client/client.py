"""The Python client of the rating service: an object for one league that is used like a ladder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from io import BytesIO
from itertools import islice
from math import inf
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypedDict, Unpack
from uuid import uuid4

from ..errors import Error
from ..history import History, name_of
from ..history.context.columns import clean_name
from ..model.prediction import Prediction
from ..model.rating import Rating
from ..progress import track
from ..validate import whole
from . import responses
from .http import Connection, ServiceError, encode_body, encode_segment, to_json
from .responses import News, Revised

if TYPE_CHECKING:
    import httpx
    import polars as pl

    from ..matchmaking.balancing.balance import Balance
    from ..matchmaking.next_match.next_match import NextMatches
    from ..matchmaking.pairing.pair import Pairing
    from ..model.components.statistic import Statistic

BATCH = 10_000  # matches per request: the most that the service accepts
PAGE = 1_000  # players per page of the leaderboard
ATTEMPTS = 10  # of reading all pages of one revision
Teams = Sequence[Sequence[str]]
Numbers = Sequence[float]


class MatchDetails(TypedDict, total=False):
    """The optional parts of a match besides its teams and result, as in `Client.record`."""

    time: Any
    weights: Sequence[Numbers] | None
    importance: float | None
    home: int | None
    context: Mapping[str, Any] | None
    statistics: Mapping[str, Any] | None


class Client:
    """A league on a rating service (`prowess serve`), with methods much like those of a `pw.Ladder`.

    Every match is sent with an id, so that it counts once even if it is sent twice. If the connection breaks or the
    service is busy, the client retries for up to `patience` seconds. If the service rejects a request, the `pw.Error`
    has the HTTP `status` and the complete `problem`. Threads may share a client.

    >>> from prowess.service.testing import trial
    >>> with trial("darts") as client:
    ...     [[ann], [bob]] = client.record([["ann"], ["bob"]], scores=[3, 1])
    ...     client["ann"] == ann, "dan" in client, len(client)
    (True, False, 2)
    """

    def __init__(
        self,
        address: str,
        league: str,
        key: str | None = None,
        *,
        timeout: float = 30.0,
        patience: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Connect to a league by name. A `key` (see `prowess key create`) lets you write, or read a private league.

        `timeout` is how many seconds the client waits for the service before an attempt fails, and `patience` is for
        how many seconds it retries. `transport` replaces the network, for tests.
        """
        self._connection = Connection(address, key, timeout, patience, transport)
        self.league = name_of(league, "the name of a league")
        self._path = f"/api/leagues/{encode_segment(self.league)}"

    def __enter__(self) -> Client:
        """Return the client itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections to the service.

        >>> import prowess as pw
        >>> pw.Client("http://127.0.0.1:8000", "darts").close()
        """
        self._connection.http.close()

    def __repr__(self) -> str:
        """Show the league and the address."""
        return f"Client({self.league!r} at {self._connection.http.base_url})"

    def _get(self, path: str = "", **query: Any) -> Any:
        return self._send("GET", path, **query)

    def _send(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        request: dict[str, Any] = {"params": {name: value for name, value in query.items() if value is not None}}
        if body is not None:
            request |= {"content": encode_body(body), "headers": {"content-type": "application/json"}}
        return self._connection.request_json(method, f"{self._path}{path}", **request)

    def __getitem__(self, name: str) -> Rating:
        """Return a player's rating."""
        return responses.parse_rating(self.player(name, matches=0, curve=0)["rating"])

    def __contains__(self, name: object) -> bool:
        """Return whether a player with exactly this name has a match in the league."""
        try:
            return bool(self.player(str(name), matches=0, curve=0)["player"] == name_of(name))
        except ServiceError as error:
            if error.status != 404:
                raise
            self._get()  # raises if the league itself does not exist
            return False
        except Error:  # not a valid name
            return False

    def __len__(self) -> int:
        """Count the players."""
        return int(self._get("/leaderboard", size=1)["total"])

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the players, best first."""
        return (row["player"] for row in self._rows())

    def _rows(self, **query: Any) -> Iterator[dict[str, Any]]:
        return (row for page in self._pages("/leaderboard", **query) for row in page["players"])

    def _pages_in_hindsight(self, path: str, **query: Any) -> list[dict[str, Any]]:
        # Only the latest revision is available in hindsight, so a new one may come between two pages.
        for _ in range(ATTEMPTS):
            pages = list(self._pages(path, **query))
            if len({page["revision"] for page in pages}) == 1:
                return pages
        raise ServiceError(f"{self.league} changes faster than it can be read in hindsight; try again later")

    def _pages(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        # Except in hindsight, all pages show the same revision.
        page = self._get(path, size=PAGE, **query)
        while True:
            yield page
            if page["next"] is None:
                return
            # exactly one leading slash, or `next` could name another host, which would then receive the key
            page = self._connection.request_json("GET", f"/{page['next'].lstrip('/')}")

    def player(self, name: str, *, matches: int = 20, curve: int = 500, hindsight: bool = False) -> dict[str, Any]:
        """Return a player's rating, rank, rating curve and last matches, and results by opponent and partner.

        The result has the last `matches` matches, at most `curve` points of the curve, and the 100 most frequent
        opponents and partners. The name may differ in case, accents, punctuation and the order of words; "player" in
        the result is the exact name. With `hindsight`, the result also has the curve in hindsight, as known now from
        all matches.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]])
        ...     client.player("ann")["rank"]
        1
        """
        path = f"/players/{encode_segment(name_of(name))}"
        player: dict[str, Any] = self._get(path, matches=matches, curve=curve, hindsight=hindsight or None)
        return player

    def leaderboard(
        self, min_matches: int = 0, *, at: Any = None, hindsight: bool = False, all: bool = False, **context: Any
    ) -> pl.DataFrame:
        """Return the players with at least `min_matches` matches, best first, as a Polars frame, now or at time `at`.

        With `hindsight`, the ratings use all matches, also those after `at`, and the players are those of
        `pw.Hindsight.leaderboard`. If values of the context are given, such as `surface="clay"`, the ratings are those
        at these values, of the players who have played there; with `all`, of the others, too.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]])
        ...     client.leaderboard().row(0)[:2]
        (1, 'ann')
        """
        values = {f"context.{column}": value for column, value in context.items()}
        query = {"min_matches": whole("min_matches", min_matches), "at": to_json(at), "all": all or None, **values}
        if hindsight:
            return responses.parse_standings(self._pages_in_hindsight("/leaderboard", hindsight=True, **query))
        return responses.parse_standings(list(self._pages("/leaderboard", **query)))

    def best(self, min_matches: int = 0) -> pl.DataFrame:
        """Return the players at their best, the best of all time first, as `pw.Hindsight.best` does.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]])
        ...     client.best().row(0)[:2]
        (1, 'ann')
        """
        return responses.parse_best(self._pages_in_hindsight("/best", min_matches=whole("min_matches", min_matches)))

    def effects(self) -> pl.DataFrame:
        """Return what all players share, like `pw.Ladder.effects`: facet, value, mu, sigma and matches.

        >>> from prowess.service.testing import trial
        >>> with trial("chess") as client:
        ...     client.effects().columns
        ['facet', 'value', 'mu', 'sigma', 'matches']
        """
        return responses.parse_effects(self._get("/effects")["effects"])

    def statistics(self) -> tuple[Statistic, ...]:
        """Return the individual statistics of the league's model with their parameters, as `pw.Model.statistics`.

        >>> from prowess.service.testing import trial
        >>> with trial("arena", statistics=[{"is": "Points", "column": "kills", "gamma": 3.0}]) as client:
        ...     [(statistic.column, statistic.gamma) for statistic in client.statistics()]
        [('kills', 3.0)]
        """
        return responses.parse_statistics(self._get("/effects")["statistics"])

    def deviations(self, name: str) -> pl.DataFrame:
        """Return how a player differs from the skill at each value of the context: facet, value, mu, sigma, matches.

        >>> from prowess.service.testing import trial
        >>> with trial("chess") as client:
        ...     _ = client.record([["ann"], ["bob"]])
        ...     len(client.deviations("ann"))
        0
        """
        return responses.parse_effects(self.player(name, matches=0, curve=0)["deviations"])

    def events(self, after: int | None = None) -> Iterator[News]:
        """Follow the league: yield new ratings as they arise, until you stop iterating.

        With `after`, the first item has the ratings that have changed since that revision.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]])
        ...     next(client.events(after=0))
        News(revision 1, 2 players)
        """
        for event in self._connection.events(f"{self._path}/events", after):
            yield News.from_json(event)

    def record(
        self,
        teams: Teams,
        ranks: Numbers | None = None,
        scores: Numbers | None = None,
        *,
        time: Any = None,
        weights: Sequence[Numbers] | None = None,
        importance: float | None = None,
        home: int | None = None,
        context: Mapping[str, Any] | None = None,
        statistics: Mapping[str, Any] | None = None,
        id: str | None = None,
        strict: bool = False,
    ) -> list[list[Rating]]:
        """Post a match, wait until it is stored, and return the new ratings, nested like the teams.

        The arguments that are not described here are those of `pw.Model.rate`.

        Names of new players are allowed; with `strict`, a new name that is similar to a player's name is an error.
        `time` may be earlier than the times of matches posted before; in that case, all later ratings are recomputed.
        Without `time`, the match gets the time at which the service receives it. If you pass your own `id`, you can
        safely post the match again. `context` stores other facts about the match, such as
        `{"surface": "clay", "side": ["blue", "red"]}`; ratings depend on them only if the model has facets.
        `statistics` has a number for each player, such as `{"kills": [[9, 4], [5, 6]]}`; they count if the model has
        these statistics.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     [[ann, bob], [cat]] = client.record([["ann", "bob"], ["cat"]], ranks=[2, 1], time="2026-01-31")
        >>> cat.mu > ann.mu
        True
        """
        details: MatchDetails = {"time": time, "weights": weights, "importance": importance, "home": home}
        match = _match_body(teams, ranks, scores, **(details | {"context": context, "statistics": statistics}))
        match["id"] = uuid4().hex if id is None else id
        change = Revised.from_json(self._send("POST", "/matches", match, strict="true" if strict else None))
        named = [[name_of(player) for player in team] for team in teams]
        named = [[change.aliases.get(player, player) for player in team] for team in named]
        return [[change.after.get(player) or self[player] for player in team] for team in named]

    def record_all(
        self,
        matches: Iterable[Mapping[str, Any]],
        *,
        key: str | None = None,
        strict: bool = False,
        progress: bool | None = None,
    ) -> int:
        """Post any number of matches (mappings with the parameters of `record`) and return how many were new.

        The matches are sent in batches of 10,000, and each batch is one revision. A match without an id gets an id
        derived from `key` and the match's number. After an interruption, the same call with the same `key` resumes. If
        you passed no `key`, the error message names the key that was used. `strict` works as in `record`; `progress`
        turns the progress bar on or off.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     week = [{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["cat"]], "ranks": [1, 1]}]
        ...     client.record_all(week, key="week 5"), client.record_all(week, key="week 5")
        (2, 0)
        """
        prefix = key or uuid4().hex
        total = len(matches) if isinstance(matches, Sized) else 0
        new: list[int] = []  # number of new matches in each batch
        share = lambda: len(new) * BATCH / total if total else 0.0  # noqa: E731
        for batch in track(_batches(matches, prefix), "posting matches", share, progress):
            try:
                change = Revised.from_json(self._send("POST", "/matches", batch, strict="true" if strict else None))
            except ServiceError as error:
                if not new:
                    raise
                resume = (
                    f"the first {len(new) * BATCH:,} matches are recorded; call again with key={prefix!r} to resume"
                )
                raise ServiceError(f"{error} ({resume})", error.status, error.problem) from None
            new.append(len(batch) - change.repeated)
        return sum(new)

    def preview(
        self,
        teams: Teams,
        ranks: Numbers | None = None,
        scores: Numbers | None = None,
        **details: Unpack[MatchDetails],
    ) -> Revised:
        """Return how a match, given as in `record`, would change the ratings; the match is not recorded.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     client.preview([["ann"], ["bob"]]), len(client)
        (Revised(revision 0, 2 players with new ratings), 0)
        """
        return Revised.from_json(
            self._send("POST", "/matches", _match_body(teams, ranks, scores, **details), dry_run="true")
        )

    def edit(
        self,
        id: str,
        teams: Teams | None = None,
        ranks: Numbers | None = None,
        scores: Numbers | None = None,
        *,
        reason: str = "",
        dry_run: bool = False,
        **details: Unpack[MatchDetails],
    ) -> Revised:
        """Correct a match: replace the given parts, named as in `record`, and recompute all later ratings.

        If only the `context` changes, all ratings stay the same, unless the model has facets or statistics of the
        changed columns; `context={}` removes the context, and `statistics` replace those of the same names. With
        `dry_run`, nothing is changed, and the result says what would change. The journal records the author, the time
        and the `reason` of the correction.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]], ranks=[1, 2], id="final")
        ...     _ = client.edit("final", ranks=[2, 1], reason="the sheet was read upside down")
        ...     client["bob"].mu > client["ann"].mu
        True
        """
        changes, match = _match_body(teams, ranks, scores, **details), self.match(id)
        kept = {"teams", "ranks", "scores", *MatchDetails.__annotations__}
        if changes.keys() & {"ranks", "scores"}:  # a new result replaces the old one, whether that had ranks or scores
            kept -= {"ranks", "scores"}
        body = {name: match[name] for name in kept if match.get(name) is not None} | changes
        if "context" not in changes and "statistics" in changes and match.get("context"):
            # The service returns statistics as columns of the context; new ones replace them.
            new = {clean_name(str(name)) for name in changes["statistics"]}
            body["context"] = {name: part for name, part in match["context"].items() if name not in new}
        return self._correct("PUT", id, body, reason, dry_run)

    def delete(self, id: str, *, reason: str = "", dry_run: bool = False) -> Revised:
        """Delete a match as if it had never been played; with `dry_run`, only return what would change.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]], id="final")
        ...     client.delete("final", dry_run=True), "ann" in client
        (Revised(revision 1, 2 players with new ratings), True)
        """
        return self._correct("DELETE", id, None, reason, dry_run)

    def _correct(self, method: str, id: str, body: dict[str, Any] | None, reason: str, dry_run: bool) -> Revised:
        query = {"reason": reason or None, "dry_run": "true" if dry_run else None}
        return Revised.from_json(self._send(method, f"/matches/{encode_segment(id)}", body, **query))

    def rename(
        self, player: str, name: str, *, reason: str = "", dry_run: bool = False, seen: int | None = None
    ) -> Revised:
        """Rename a player in all matches; if another player has the new name, the two are merged.

        The old name becomes an alias, so matches that are recorded under it later count for the renamed player. With
        `dry_run`, nothing is changed, and the result says what would change. `seen` is the
        revision of this result: if matches of the players or names in the league have changed since, the service
        refuses the change.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record_all([{"teams": [["Deevo"], ["cat"]]}, {"teams": [["Jeevo"], ["cat"]]}])
        ...     change = client.rename("Jeevo", "Deevo", reason="a typo")
        ...     change.aliases, "Jeevo" in list(client), len(client)
        ({'Jeevo': 'Deevo'}, False, 2)
        """
        body = {"name": name_of(name)} | ({} if seen is None else {"revision": seen})
        return self._change_names(f"/players/{encode_segment(name_of(player))}/rename", body, reason, dry_run)

    def merge(
        self, player: str, into: str, *, reason: str = "", dry_run: bool = False, seen: int | None = None
    ) -> Revised:
        """Merge a player into an existing player; apart from that, `merge` works like `rename`.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record_all([{"teams": [["Deevo"], ["cat"]]}, {"teams": [["Jeevo"], ["cat"]]}])
        ...     client.merge("Jeevo", "Deevo", dry_run=True)
        Revised(revision 1, 3 players with new ratings)
        """
        body = {"into": name_of(into)} | ({} if seen is None else {"revision": seen})
        return self._change_names(f"/players/{encode_segment(name_of(player))}/merge", body, reason, dry_run)

    def undo_rename(self, revision: int, *, reason: str = "", dry_run: bool = False) -> Revised:
        """Undo the merge or rename that made this revision of the league.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record_all([{"teams": [["Deevo"], ["cat"]]}, {"teams": [["Jeevo"], ["cat"]]}])
        ...     change = client.merge("Jeevo", "Deevo")
        ...     _ = client.undo_rename(change.revision)
        ...     "Jeevo" in list(client), client.aliases()
        (True, {})
        """
        return self._change_names(f"/renames/{whole('revision', revision)}/undo", None, reason, dry_run)

    def _change_names(self, path: str, body: dict[str, Any] | None, reason: str, dry_run: bool) -> Revised:
        query = {"reason": reason or None, "dry_run": "true" if dry_run else None}
        return Revised.from_json(self._send("POST", path, body, **query))

    def aliases(self) -> dict[str, str]:
        """Return the aliases of the league, with the players to whom they belong.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["Deevo"], ["cat"]])
        ...     client.add_alias("Dee", "Deevo")
        ...     client.aliases()
        {'Dee': 'Deevo'}
        """
        return {one["alias"]: one["player"] for one in self._get("/aliases")["aliases"]}

    def add_alias(self, alias: str, player: str) -> None:
        """Add an alias of a player; if matches were recorded under that name, use `merge` instead.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["Deevo"], ["cat"]])
        ...     client.add_alias("Dee", "Deevo")
        ...     _ = client.record([["Dee"], ["cat"]])
        ...     len(client)
        2
        """
        self._send("POST", "/aliases", {"alias": name_of(alias), "player": name_of(player)})

    def remove_alias(self, alias: str) -> None:
        """Remove an alias, so that a new player can have the name. Recorded matches stay as they are.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["Deevo"], ["cat"]])
        ...     client.add_alias("Dee", "Deevo")
        ...     client.remove_alias("Dee")
        ...     client.aliases()
        {}
        """
        self._send("DELETE", f"/aliases/{encode_segment(name_of(alias))}")

    def renames(self) -> list[dict[str, Any]]:
        """Return all merges, renames and changes of aliases, newest first.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["Jeevo"], ["cat"]])
        ...     _ = client.rename("Jeevo", "Deevo")
        ...     [(change["kind"], change["undoable"]) for change in client.renames()]
        [('rename', True)]
        """
        changes: list[dict[str, Any]] = self._get("/renames")["changes"]
        return changes

    def similar_players(self) -> list[tuple[str, str]]:
        """Return pairs of names that may belong to the same player; the second name has more matches.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     names = ["John Smith"] * 9 + ["Jhon Smith"]
        ...     _ = client.record_all([{"teams": [[name], ["cat"]]} for name in names])
        ...     client.similar_players()
        [('Jhon Smith', 'John Smith')]
        """
        return [(pair["alias"], pair["player"]) for pair in self._get("/similar-players")["pairs"]]

    def tell_apart(self, player: str, other: str) -> None:
        """Record that two names belong to different players, so that `similar_players` leaves them out.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     names = ["John Smith"] * 9 + ["Jhon Smith"]
        ...     _ = client.record_all([{"teams": [[name], ["cat"]]} for name in names])
        ...     client.tell_apart("John Smith", "Jhon Smith")
        ...     client.similar_players()
        []
        """
        self._send("POST", "/similar-players/dismiss", {"players": [name_of(player), name_of(other)]})

    def model_offer(self) -> dict[str, Any]:
        """Return the result of the last search for a better model; the "state" is "offered" if a better one was found.

        Other states are "not_searched", "in_use", "not_better" and "outdated". "explanation" says in sentences how the
        model was chosen, "gain" says how much better it predicts, and "changes" shows how the ranks would change.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     offer = client.model_offer()
        ...     offer["state"], offer["next_search"]
        ('not_searched', 30)
        """
        offer: dict[str, Any] = self._get("/model/offer")
        return offer

    def accept_offer(self, id: int, *, reason: str = "", dry_run: bool = False) -> Revised:
        """Accept a model that the service offers, given by its id in `model_offer`; all matches are rated again.

        With `dry_run`, nothing is changed, and the result says what would change.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     client.accept_offer(7)
        Traceback (most recent call last):
        ...
        prowess.client.http.ServiceError: model offer 7 of league 'darts' is no longer open; load the current offer
        """
        query = {"reason": reason or None, "dry_run": "true" if dry_run else None}
        return Revised.from_json(self._send("POST", "/model/offer", {"id": whole("id", id)}, **query))

    def match(self, id: str) -> dict[str, Any]:
        """Return a match: its teams, result and forecast, the ratings before and after it, and its revisions.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]], id="final")
        ...     client.match("final")["id"]
        'final'
        """
        match: dict[str, Any] = self._get(f"/matches/{encode_segment(id)}")
        return match

    def matches(
        self, player: str | None = None, *, limit: int | None = None, **context: Any
    ) -> Iterator[dict[str, Any]]:
        """Yield matches, newest first: all matches, or only those of a player or with certain values in their context.

        The matches of a player also have the expected result and the rating change. Each keyword argument is a context
        column with the wanted value, or with a list of accepted values. With `limit`, at most that many matches are
        returned.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]], id="m1", context={"venue": "The Pub"})
        ...     _ = client.record([["ann"], ["bob"]], id="m2", context={"venue": "Town Hall"})
        ...     [match["id"] for match in client.matches("ann", venue="the pub")]
        ['m1']
        """
        query: dict[str, Any] = {f"context.{column}": values for column, values in context.items()}
        query |= {} if player is None else {"player": player}
        offset, left = 0, inf if limit is None else limit
        while left > 0:
            page = self._get("/matches", **query, limit=int(min(left, PAGE)), offset=offset)
            yield from page["matches"]
            offset, left = offset + PAGE, left - PAGE
            if page["next"] is None:
                return

    def history(self) -> History:
        """Return all matches of the league as a `pw.History` that any model can rate.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]], time="2026-01-31")
        ...     len(client.history())
        1
        """
        import polars as pl

        response = self._connection.request("GET", f"{self._path}/export.parquet")
        return History.from_frame(pl.read_parquet(BytesIO(response.content)))

    def predict(
        self,
        teams: Teams,
        *,
        time: Any = None,
        weights: Sequence[Numbers] | None = None,
        home: int | None = None,
        context: Mapping[str, Any] | None = None,
        newcomers: bool = False,
    ) -> Prediction:
        """Predict a match between players of the league; `newcomers` allows unknown names.

        The other arguments are those of `pw.Ladder.predict`.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"]])
        ...     client.predict([["ann"], ["bob"]]).win.round(2)
        array([0.75, 0.21])
        """
        body = _match_body(teams, time=time, weights=weights, home=home, context=context) | {"newcomers": newcomers}
        return responses.parse_prediction(self._send("POST", "/predict", body))

    def quality(
        self,
        teams: Teams,
        *,
        weights: Sequence[Numbers] | None = None,
        home: int | None = None,
        context: Mapping[str, Any] | None = None,
        newcomers: bool = False,
    ) -> float:
        """Return the quality of a match between players of the league: how fair it is, from 0 to 1.

        `newcomers` allows unknown names. `weights`, `home` and `context` are those of `pw.Ladder.quality`.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     round(client.quality([["ann"], ["bob"]], newcomers=True), 2)
        0.45
        """
        body = _match_body(teams, weights=weights, home=home, context=context) | {"newcomers": newcomers}
        return float(self._send("POST", "/quality", body)["quality"])

    def balance(self, players: Sequence[str], **options: Any) -> Balance:
        """Split players into fair teams, with the options of `pw.balance`; an unknown name is a newcomer.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     len(client.balance(["ann", "bob", "cat", "dan"], together=[["ann", "bob"]]).teams)
        2
        """
        body = {"players": list(players), "newcomers": True, **options}
        return responses.parse_balance(self._send("POST", "/balance", body))

    def pair(self, queue: Sequence[Any], **options: Any) -> Pairing:
        """Pair the players or groups of a queue, with the options of `pw.pair`; an unknown name is a newcomer.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     len(client.pair(["ann", "bob", "cat", "dan"], waiting={"ann": 30}))
        2
        """
        body = {"queue": list(queue), "newcomers": True, **options}
        return responses.parse_pairing(self._send("POST", "/pair", body), queue)

    def next_matches(self, players: Sequence[str] | None = None, **options: Any) -> NextMatches:
        """Return the most informative matches between the given players, or between all players of the league.

        The options are those of `pw.next_matches`. An unknown name in `players` is a newcomer.

        >>> from prowess.service.testing import trial
        >>> with trial("darts") as client:
        ...     _ = client.record([["ann"], ["bob"], ["cat"]])
        ...     len(client.next_matches(count=1))
        1
        """
        body = {} if players is None else {"players": list(players), "newcomers": True}
        return responses.parse_next_matches(self._send("POST", "/next", body | options))


def _match_body(
    teams: Teams | None, ranks: Numbers | None = None, scores: Numbers | None = None, **details: Unpack[MatchDetails]
) -> dict[str, Any]:
    if unknown := details.keys() - MatchDetails.__annotations__.keys():
        raise TypeError(f"unexpected keyword argument {min(unknown)!r}")
    match = {"teams": teams, "ranks": ranks, "scores": scores, **details}
    return {name: to_json(part) for name, part in match.items() if part is not None}


def _batches(matches: Iterable[Mapping[str, Any]], key: str) -> Iterator[list[dict[str, Any]]]:
    # A match's own id replaces the derived one.
    numbered = (
        {"id": f"{key}/{number}"} | {name: to_json(part) for name, part in match.items() if part is not None}
        for number, match in enumerate(matches, 1)
    )
    while batch := list(islice(numbered, BATCH)):
        yield batch
