"""What the service answers, as the objects of the library: numbers are equal to the server's to the last bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..history import name_of
from ..model.prediction import Prediction
from ..model.rating import Rating, make_rating
from ..model.score_distribution import ScoreDifference
from ..text import count

if TYPE_CHECKING:
    import polars as pl

    from ..matchmaking.balancing.balance import Balance
    from ..matchmaking.next_match.next_match import NextMatches
    from ..matchmaking.pairing.pair import Pairing

KNOWN = {"mu", "sigma", "shown"}
USUAL = 3.0  # the caution of every model, unless it is told otherwise


def rating(told: Mapping[str, Any]) -> Rating:
    """A rating as the server holds it; its parts are skills of their own, or numbers such as a volatility.

    >>> rating({"mu": 1500.0, "sigma": 200.0, "shown": 900.0, "volatility": 0.06})
    Rating(mu=1500.0, sigma=200.0, volatility=0.06)
    >>> rating({"mu": 30.0, "sigma": 4.0, "shown": 22.0})
    Rating(mu=30.0, sigma=4.0, caution=2.0)
    """
    parts = {
        name: rating(part) if isinstance(part, Mapping) else float(part)
        for name, part in told.items()
        if name not in KNOWN and part is not None
    }
    sigma = told.get("sigma")
    return make_rating(told["mu"], nan if sigma is None else sigma, _caution(told), parts or None)


def _caution(told: Mapping[str, Any]) -> float:
    """How many sigma are shown below the mean: the number of fewest digits by which that comes out."""
    mu, sigma, shown = told["mu"], told.get("sigma"), told.get("shown")
    if not sigma or shown is None:
        return USUAL
    wanted: float = (mu - shown) / sigma
    tried = (round(wanted, digits) for digits in range(16))
    return next((one for one in tried if mu - one * sigma == shown), wanted)


def _rating_or_none(told: Mapping[str, Any] | None) -> Rating | None:
    return None if told is None else rating(told)


@dataclass(frozen=True)
class Revised:
    """What a change did to a league, or would do: the revision after it, and who is rated otherwise than before.

    `before` and `after` hold the ratings by name, None where somebody had or has no match. `ids` are those of the
    matches, `repeated` how many of them the league had already.

    >>> Revised(7, {"ann": None}, {"ann": Rating(29, 7)}, ("m1",), 0)
    Revised(revision 7, 1 player rated anew)
    """

    revision: int
    before: dict[str, Rating | None]
    after: dict[str, Rating | None]
    ids: tuple[str, ...]
    repeated: int

    @classmethod
    def told(cls, answer: Mapping[str, Any]) -> Revised:
        """What the service answers to a change.

        >>> row = {"player": "ann", "before": None, "after": {"mu": 29, "sigma": 7}}
        >>> Revised.told({"revision": 7, "ratings": [row]})
        Revised(revision 7, 1 player rated anew)
        """
        rows, matches = answer.get("ratings", ()), answer.get("matches", ())
        before = {row["player"]: _rating_or_none(row["before"]) for row in rows}
        after = {row["player"]: _rating_or_none(row["after"]) for row in rows}
        ids = tuple(match["id"] for match in matches)
        return cls(answer["revision"], before, after, ids, sum(bool(match.get("repeated")) for match in matches))

    def __repr__(self) -> str:
        """Say how much changed."""
        return f"Revised(revision {self.revision}, {count(len(self.after), 'player', 'players')} rated anew)"

    def to_frame(self) -> pl.DataFrame:
        """Who changed by how much, as a Polars frame: player, before, after (as shown) and their gain, largest first.

        >>> Revised(7, {"ann": Rating(30, 4)}, {"ann": Rating(31, 4)}, (), 0).to_frame().row(0)
        ('ann', 18.0, 19.0, 1.0)
        """
        import polars as pl

        rows = [(name, *(None if one is None else one.shown for one in (self.before[name], self.after[name])))
                for name in self.after]  # fmt: skip
        schema = {"player": pl.String, "before": pl.Float64, "after": pl.Float64}
        frame = pl.DataFrame(rows, schema=schema, orient="row").with_columns(gain=pl.col("after") - pl.col("before"))
        return frame.sort(pl.col("gain").abs(), descending=True, nulls_last=True, maintain_order=True)


@dataclass(frozen=True)
class News:
    """Ratings of a league that are new, as of a revision; None of who has no match left.

    One may stand for several changes. With `more`, so many ratings are new that not all are told: ask for the
    leaderboard.

    >>> News(7, {"ann": Rating(29, 7)}, False)
    News(revision 7, 1 player)
    """

    revision: int
    ratings: dict[str, Rating | None]
    more: bool

    @classmethod
    def told(cls, answer: Mapping[str, Any]) -> News:
        """What an event says.

        >>> News.told({"revision": 7, "ratings": [{"player": "ann", "rating": None}]}).ratings
        {'ann': None}
        """
        ratings = {row["player"]: _rating_or_none(row["rating"]) for row in answer["ratings"]}
        return cls(answer["revision"], ratings, bool(answer.get("more")))

    def __repr__(self) -> str:
        """Say how much is new."""
        return (
            f"News(revision {self.revision}, {count(len(self.ratings), 'player', 'players')}{' and more' * self.more})"
        )


def prediction(told: Mapping[str, Any]) -> Prediction:
    """What is expected of a match, as `Ladder.predict` says it.

    >>> prediction({"win": [0.7, 0.2], "draw": 0.1, "ranks": [[0.8, 0.2], [0.3, 0.7]]}).win
    array([0.7, 0.2])
    """
    teams = len(told["win"])
    mean, sigma = (np.array(told.get(name) or [nan] * teams) for name in ("mean", "sigma"))
    difference = told.get("score_difference")
    found = Prediction(
        mean,
        sigma,
        np.array(told["win"]),
        told["draw"],
        [],
        score_distribution=_scores(told),
        score_difference=None if difference is None else ScoreDifference(**difference),
    )
    if teams > 2 or "ranks" in told:  # of two teams they follow from the rest, and are not always told
        found.__dict__["ranks"] = np.array(told.get("ranks", np.full((teams, teams), nan)))
    return found


def _scores(told: Mapping[str, Any]) -> Any:
    """The forecasts of scores, where the model has them: what the server told of their distribution."""
    if told.get("scores") is None:
        return None
    likely = [(*one["scores"], one["probability"]) for one in told.get("most_probable") or ()]
    means = np.array(told["score_means"])
    return SimpleNamespace(medians=np.array(told["scores"]), means=means, likeliest=lambda count: likely[:count])


def balance(told: Mapping[str, Any]) -> Balance:
    """Fair teams, as `pw.balance` gives them."""
    from ..matchmaking.balancing.balance import Balance

    return Balance(
        teams=tuple(map(tuple, told["teams"])),
        quality=told["quality"],
        prediction=prediction(told),
        exact=told["exact"],
        compared=told["compared"],
        newcomers=tuple(told["newcomers"]),
        unconstrained=told["unconstrained"],
    )


def pairing(told: Mapping[str, Any], queue: Sequence[str | Sequence[str]]) -> Pairing:
    """Who plays whom, as `pw.pair` gives it: by the items of the queue.

    >>> pairing({"pairs": [{"teams": [["ann"], ["cat"]], "quality": 0.9}], "left": [["bob"]], "newcomers": []},
    ...         ["ann", "bob", "cat"]).pairs
    [('ann', 'cat')]
    """
    from ..matchmaking.pairing.pair import Pairing

    items: list[Any] = [one if isinstance(one, str) else tuple(one) for one in queue]
    place = {
        tuple(name_of(name) for name in ([one] if isinstance(one, str) else one)): at for at, one in enumerate(items)
    }
    places = [[place[tuple(team)] for team in pair["teams"]] for pair in told["pairs"]]
    pairs = [(items[one], items[two]) for one, two in places]
    left = [items[place[tuple(one)]] for one in told["left"]]
    quality = np.array([pair["quality"] for pair in told["pairs"]], np.float64)
    return Pairing(pairs, quality, left, tuple(told["newcomers"]), np.array(places, np.int32).reshape(-1, 2))


def next_matches(told: Mapping[str, Any]) -> NextMatches:
    """The matches that would tell most, as `pw.next_matches` gives them."""
    from ..matchmaking.next_match.next_match import NextMatch, NextMatches

    matches = tuple(
        NextMatch(tuple(map(tuple, one["teams"])), one["information"], prediction(one)) for one in told["matches"]
    )
    return NextMatches(matches, told["exact"], tuple(told["newcomers"]))


def standings(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """The rows of a leaderboard as the frame of `Ladder.leaderboard`.

    >>> row = {"rank": 1, "player": "ann", "mu": 29.0, "sigma": 7.0, "shown": 8.0, "matches": 1, "last_seen": None}
    >>> standings([row]).columns
    ['rank', 'player', 'mu', 'sigma', 'shown', 'matches', 'last_seen']
    """
    import polars as pl

    whole, real = pl.Int64, pl.Float64
    schema: dict[str, Any] = {"rank": whole, "player": pl.String, "mu": real, "sigma": real, "shown": real}
    schema |= {"matches": whole, "last_seen": None}
    extras = [name for name in (rows[0] if rows else ()) if name not in {*schema, "provisional", "active"}]
    schema |= dict.fromkeys(extras, real)
    frame = pl.DataFrame({name: [row[name] for row in rows] for name in schema}, schema=schema)
    if frame["last_seen"].dtype == pl.String:
        return frame.with_columns(pl.col("last_seen").str.to_datetime(time_unit="us", time_zone="UTC"))
    return frame if frame["last_seen"].dtype != pl.Null else frame.with_columns(pl.col("last_seen").cast(real))
