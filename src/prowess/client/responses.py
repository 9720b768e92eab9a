"""Convert responses of the service to objects of the library; numbers equal the server's to the last bit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..history import name_of
from ..model.prediction import Prediction
from ..model.rating import Rating, make_rating
from ..model.score_distribution import ScoreDifference
from ..model.statistic_words import KINDS
from ..text import count

if TYPE_CHECKING:
    import polars as pl

    from ..matchmaking.balancing.balance import Balance
    from ..matchmaking.next_match.next_match import NextMatches
    from ..matchmaking.pairing.pair import Pairing
    from ..model.components.statistic import Statistic

NOT_PARTS = ("mu", "sigma", "shown", "points", "points_low", "points_high", "points_shown")
DEFAULT_CAUTION = 3.0  # the default of every model


def parse_rating(body: Mapping[str, Any]) -> Rating:
    """Return the rating in a response body, with its ratings per trait and extra numbers such as a volatility.

    >>> parse_rating({"mu": 1500.0, "sigma": 200.0, "shown": 900.0, "volatility": 0.06})
    Rating(mu=1500.0, sigma=200.0, volatility=0.06)
    >>> parse_rating({"mu": 30.0, "sigma": 4.0, "shown": 22.0})
    Rating(mu=30.0, sigma=4.0, caution=2.0)
    """
    parts = {
        name: parse_rating(part) if isinstance(part, Mapping) else float(part)
        for name, part in body.items()
        if name not in NOT_PARTS and part is not None
    }
    mu, sigma, shown = body["mu"], body.get("sigma"), body.get("shown")
    caution = DEFAULT_CAUTION
    if sigma and shown is not None:  # find the caution with the fewest digits that reproduces `shown` to the last bit
        exact: float = (mu - shown) / sigma
        rounded = (round(exact, digits) for digits in range(16))
        caution = next((number for number in rounded if mu - number * sigma == shown), exact)
    return make_rating(mu, nan if sigma is None else sigma, caution, parts or None)


def _ratings(rows: Sequence[Mapping[str, Any]], key: str) -> dict[str, Rating | None]:
    return {row["player"]: None if row[key] is None else parse_rating(row[key]) for row in rows}


@dataclass(frozen=True)
class Revised:
    """A change to a league, or its preview: the new revision and the players whose ratings change.

    `before` and `after` map names to ratings; None means that the player had no match before, or has none afterwards.
    `ids` are the ids of the matches, and `repeated` counts those that the league already had. `replaying` is true while
    the service is still recomputing ratings after an earlier correction. The recomputation will include the matches of
    this change, so the ratings will soon change once more. `aliases` maps names that are aliases, or that were renamed,
    to the players for whom the matches are recorded. `warnings` maps new players to players with similar names.

    >>> Revised(7, {"ann": None}, {"ann": Rating(29, 7)}, ("m1",), 0)
    Revised(revision 7, 1 player with a new rating)
    """

    revision: int
    before: dict[str, Rating | None]
    after: dict[str, Rating | None]
    ids: tuple[str, ...]
    repeated: int
    replaying: bool = False
    aliases: dict[str, str] = field(default_factory=dict)
    warnings: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Revised:
        """Return the change that a response body describes.

        >>> row = {"player": "ann", "before": None, "after": {"mu": 29, "sigma": 7}}
        >>> Revised.from_json({"revision": 7, "ratings": [row]})
        Revised(revision 7, 1 player with a new rating)
        """
        rows, matches = body.get("ratings", ()), body.get("matches", ())
        ids = tuple(match["id"] for match in matches)
        repeated = sum(bool(match.get("repeated")) for match in matches)
        aliases = dict(body.get("aliases") or body.get("names") or {})
        warnings = {warning["name"]: list(warning["similar"]) for warning in body.get("warnings") or ()}
        about = {"replaying": body.get("replaying", False), "aliases": aliases, "warnings": warnings}
        return cls(body["revision"], _ratings(rows, "before"), _ratings(rows, "after"), ids, repeated, **about)

    def __repr__(self) -> str:
        """Show the revision and the number of changed ratings."""
        players = count(len(self.after), "player with a new rating", "players with new ratings")
        return f"Revised(revision {self.revision}, {players})"

    def to_frame(self) -> pl.DataFrame:
        """Return a Polars frame with the columns player, before, after (as shown) and gain, largest change first.

        >>> Revised(7, {"ann": Rating(30, 4)}, {"ann": Rating(31, 4)}, (), 0).to_frame().row(0)
        ('ann', 18.0, 19.0, 1.0)
        """
        import polars as pl

        shown = {
            name: [None if rating is None else rating.shown for rating in ratings.values()]
            for name, ratings in {"before": self.before, "after": self.after}.items()
        }
        schema = {"player": pl.String, "before": pl.Float64, "after": pl.Float64}
        frame = pl.DataFrame({"player": list(self.after), **shown}, schema=schema)
        gained = frame.with_columns(gain=pl.col("after") - pl.col("before"))
        return gained.sort(pl.col("gain").abs(), descending=True, nulls_last=True, maintain_order=True)


@dataclass(frozen=True)
class News:
    """The new ratings in a league at a revision. The rating is None for a player who has no matches left.

    One event may cover several changes. If `more` is true, there are too many new ratings to list; get the leaderboard
    instead.

    >>> News(7, {"ann": Rating(29, 7)}, False)
    News(revision 7, 1 player)
    """

    revision: int
    ratings: dict[str, Rating | None]
    more: bool

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> News:
        """Return the news in the data of a server-sent event.

        >>> News.from_json({"revision": 7, "ratings": [{"player": "ann", "rating": None}]}).ratings
        {'ann': None}
        """
        return cls(body["revision"], _ratings(body["ratings"], "rating"), bool(body.get("more")))

    def __repr__(self) -> str:
        """Show the revision and the number of players."""
        players = count(len(self.ratings), "player", "players")
        return f"News(revision {self.revision}, {players}{' and more' * self.more})"


def parse_prediction(body: Mapping[str, Any]) -> Prediction:
    """Return the forecast in a response body, as `Ladder.predict` would return it.

    >>> parse_prediction({"win": [0.7, 0.2], "draw": 0.1, "ranks": [[0.8, 0.2], [0.3, 0.7]]}).win
    array([0.7, 0.2])
    """
    teams = len(body["win"])
    mean, sigma = (np.array(body.get(name) or [nan] * teams) for name in ("mean", "sigma"))
    difference, scores = body.get("score_difference"), None
    if body.get("scores") is not None:
        likeliest = [(*score["scores"], score["probability"]) for score in body.get("most_probable") or ()]
        scores = SimpleNamespace(
            medians=np.array(body["scores"]),
            means=np.array(body["score_means"]),
            likeliest=lambda count: likeliest[:count],
        )
    prediction = Prediction(
        mean,
        sigma,
        np.array(body["win"]),
        body["draw"],
        [],
        score_distribution=scores,  # type: ignore[arg-type]  # only the three attributes above are ever read
        score_difference=None if difference is None else ScoreDifference(**difference),
    )
    if teams > 2 or "ranks" in body:  # for two teams, `ranks` follows from the other fields and may be missing
        prediction.__dict__["ranks"] = np.array(body.get("ranks", np.full((teams, teams), nan)))
    return prediction


def parse_balance(body: Mapping[str, Any]) -> Balance:
    """Return the fair teams in a response body, as `pw.balance` would return them."""
    from ..matchmaking.balancing.balance import Balance

    return Balance(
        teams=tuple(map(tuple, body["teams"])),
        quality=body["quality"],
        prediction=parse_prediction(body),
        exact=body["exact"],
        compared=body["compared"],
        newcomers=tuple(body["newcomers"]),
        unconstrained=body["unconstrained"],
    )


def parse_pairing(body: Mapping[str, Any], queue: Sequence[str | Sequence[str]]) -> Pairing:
    """Return the pairs in a response body, as `pw.pair` would return them.

    >>> parse_pairing({"pairs": [{"teams": [["ann"], ["cat"]], "quality": 0.9}], "left": [["bob"]], "newcomers": []},
    ...               ["ann", "bob", "cat"]).pairs
    [('ann', 'cat')]
    """
    from ..matchmaking.pairing.pair import Pairing

    items: list[Any] = [item if isinstance(item, str) else tuple(item) for item in queue]
    parties = [(item,) if isinstance(item, str) else item for item in items]
    place = {tuple(map(name_of, party)): index for index, party in enumerate(parties)}
    places = [[place[tuple(team)] for team in pair["teams"]] for pair in body["pairs"]]
    pairs = [(items[first], items[second]) for first, second in places]
    left = [items[place[tuple(party)]] for party in body["left"]]
    quality = np.array([pair["quality"] for pair in body["pairs"]], np.float64)
    return Pairing(pairs, quality, left, tuple(body["newcomers"]), np.array(places, np.int32).reshape(-1, 2))


def parse_next_matches(body: Mapping[str, Any]) -> NextMatches:
    """Return the most informative matches in a response body, as `pw.next_matches` would return them."""
    from ..matchmaking.next_match.next_match import NextMatch, NextMatches

    matches = tuple(
        NextMatch(tuple(map(tuple, match["teams"])), match["information"], parse_prediction(match))
        for match in body["matches"]
    )
    return NextMatches(matches, body["exact"], tuple(body["newcomers"]))


def parse_effects(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return effects or deviations as a Polars frame, as `Ladder.effects` would return them.

    >>> parse_effects([{"facet": "side", "value": "blue", "mu": 0.4, "sigma": 0.1, "matches": 7}]).row(0)
    ('side', 'blue', 0.4, 0.1, 7)
    """
    import polars as pl

    schema: dict[str, Any] = {"facet": pl.String, "value": pl.String, "trait": pl.String, "mu": pl.Float64}
    schema |= {"sigma": pl.Float64, "matches": pl.Int64, "points": pl.Float64, "points_sigma": pl.Float64}
    given = [
        name for name in schema if name not in ("trait", "points", "points_sigma") or any(name in row for row in rows)
    ]
    columns = {name: [row.get(name) for row in rows] for name in given}
    columns["value"] = [value or "" for value in columns["value"]]
    return pl.DataFrame(columns, {name: schema[name] for name in given})


def parse_statistics(rows: Sequence[Mapping[str, Any]]) -> tuple[Statistic, ...]:
    """Return the statistics of a model.

    >>> parse_statistics([{"kind": "quit", "column": "left", "margin": 1.0, "bounded": False, "trait": None}])
    (Quit(column='left', margin=1.0, bounded=False, trait=None),)
    """
    kinds: dict[str, Any] = KINDS
    return tuple(kinds[row["kind"]](**{name: row[name] for name in row if name != "kind"}) for row in rows)


def parse_standings(pages: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return the rows of a leaderboard's pages as a Polars frame, as `Ladder.leaderboard` would return them.

    >>> row = {"rank": 1, "player": "ann", "mu": 29.0, "sigma": 7.0, "shown": 8.0, "matches": 1, "last_seen": None}
    >>> parse_standings([{"players": [row | {"provisional": True, "active": True}]}]).columns
    ['rank', 'player', 'mu', 'sigma', 'shown', 'matches', 'last_seen', 'active']
    """
    import polars as pl

    rows = [row for page in pages for row in page["players"]]
    columns: dict[str, Any] = {"matches": pl.Int64, "last_seen": None, "active": pl.Boolean}
    # In other rankings, "provisional" has another meaning; services of earlier versions do not say how they rank.
    by_mean = pages[0].get("ranking") == "mean" and any(row["sigma"] is not None for row in rows)
    columns |= {"provisional": pl.Boolean} if by_mean else {}
    return _ranked(rows, columns, "last_seen", {"provisional"})


def parse_best(pages: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return the players at their best as a Polars frame, as `Hindsight.best` would return them.

    >>> row = {"rank": 1, "player": "ann", "mu": 29.0, "sigma": 7.0, "shown": 8.0, "matches": 1, "match": 1}
    >>> parse_best([{"players": [row | {"time": "2026-01-31T10:00:00Z"}]}]).select("player", "match").rows()
    [('ann', 0)]
    """
    import polars as pl

    rows = [row for page in pages for row in page["players"]]
    columns: dict[str, Any] = {"matches": pl.Int64, "match": pl.Int64, "time": None}
    columns |= {"provisional": pl.Boolean} if any("provisional" in row for row in rows) else {}
    frame = _ranked(rows, columns, "time")
    return frame.with_columns(pl.col("match") - 1)  # an index, as in the history of the league


def _ranked(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, Any], time: str, left_out: Collection[str] = ()
) -> pl.DataFrame:
    """Return rows with ratings and other columns, one of which is a time, as a Polars frame."""
    import polars as pl

    whole, real = pl.Int64, pl.Float64
    schema: dict[str, Any] = {"rank": whole, "player": pl.String, "mu": real, "sigma": real, "shown": real, **columns}
    extras = [name for name in (rows[0] if rows else ()) if name not in {*schema, *left_out}]
    schema |= dict.fromkeys(extras, real)
    frame = pl.DataFrame({name: [row[name] for row in rows] for name in schema}, schema=schema)
    if frame[time].dtype == pl.String:
        return frame.with_columns(pl.col(time).str.to_datetime(time_unit="us", time_zone="UTC"))
    return frame if frame[time].dtype != pl.Null else frame.with_columns(pl.col(time).cast(real))
