"""How pages write ratings: in points with their 95 % interval if the league has a scale, else in the model's unit.

The rating is always the number by which players are ranked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ....model.fit.explain import defies_result, expectation, statistics_outweigh, surprise
from ....model.ladder.leaderboard import choose_ranking, rating_column
from ....model.model import Model
from ....model.scale import Z95, Scale
from ....store.leagues import Settings
from ....text import join_words
from .filters import digits, number, signed
from .match_context import column_label

Rating = Mapping[str, Any]  # mu, sigma and shown, and points, points_low and points_high if the league has a scale


@dataclass(frozen=True)
class RatingFormat:
    """Formats the ratings of a league; a rating is plain data, as in the responses of the API.

    >>> import prowess as pw
    >>> plain, scaled = RatingFormat(pw.TrueSkill(), None), RatingFormat(pw.TrueSkill(), Scale())
    >>> rating = {"mu": 30.0, "sigma": 1.0, "shown": 27.0}
    >>> plain.rating(rating), plain.margin(rating), plain.skill(rating)
    ('27.0', '', '30.0 ± 1.0')
    >>> rating |= pw.TrueSkill().points().columns(30.0, 1.0)
    >>> scaled.rating(rating), scaled.margin(rating), scaled.skill(rating)
    ('1775', '108', '1775 ± 108')
    """

    model: Model
    scale: Scale | None
    ranking: str | None = None

    @classmethod
    def of(cls, model: Model, settings: Settings) -> RatingFormat:
        """Return the format of ratings by a model in a league with these settings."""
        return cls(model, settings.scale, settings.ranking)

    @cached_property
    def by_mean(self) -> bool:
        """Whether players are ranked by the mean, so that provisional players come after all others."""
        return choose_ranking(self.ranking, self.scale) == "mean"

    @cached_property
    def places(self) -> int:
        """The number of decimal places of ratings."""
        return digits(self.model) if self.scale is None else self.scale.digits

    def rating(self, rating: Rating | None, more: int = 0) -> str:
        """Format the number in the column "Rating"; `more` is the number of additional decimal places."""
        return self._text(self.value(rating), more)

    def value(self, rating: Rating | None) -> float | None:
        """Return the number in the column "Rating", by which players are ranked."""
        if rating is None:
            return None
        name = rating_column(rating.keys() - {"provisional"})
        value: float | None = rating["mu"] if name == "shown" and self.by_mean and "mu" in rating else rating[name]
        return value  # offers of earlier versions have no mu

    def is_marked(self, row: Rating) -> bool:
        """Return whether a rating has a question mark: the player is provisional and comes after all others."""
        return bool(self.by_mean and not self.model.absorb.certain and row.get("provisional"))

    def beside(self, rating: Rating) -> str:
        """Format half the width of the 95 % interval, if the rating is its middle; else ""."""
        return "" if "points_shown" in rating else self.margin(rating)

    def change(self, before: Rating | None, after: Rating | None) -> float | None:
        """Return how much the number in the column "Rating" changes; None if one of the ratings is missing."""
        old, new = self.value(before), self.value(after)
        return None if old is None or new is None else new - old

    def moved(self, row: Rating) -> float | None:
        """Return how much a match changed the estimated skill of a player, in points or as a change of μ."""
        moved: float | None = row["points_moved"] if "points_moved" in row else row["moved"]
        return moved

    def verdict(self, row: Rating, teams: Sequence[Any], scores: Sequence[float] | None = None) -> dict[str, str]:
        """Return how to show the rating change of a player in a match: a class, the class in words, and a reason.

        The class is "good" if the result was better than expected, else "bad". The reason is what was expected, if the
        change seems to contradict the result: a win that costs points, or a defeat that gains some. If statistics moved
        the rating further than the result did, they are the reason, and the class follows the change.

        >>> import prowess as pw
        >>> row = {"team": 0, "actual": 1.0, "expected": 0.9, "expected_lead": 3.0, "score": 1.0, "moved": -0.4}
        >>> RatingFormat(pw.GaussianSD(), None).verdict(row, [["ann"], ["bob"]], [1.0, 0.0])
        {'class': 'bad', 'words': 'worse than expected', 'reason': 'expected to win by 3'}
        """
        own = row["team"]
        others = [score for team, score in enumerate(scores or ()) if team != own and score is not None]
        row = {**row, "teams": len(teams), "against": max(others, default=None)}
        better = surprise(row)
        if statistics_outweigh(row) and (better or 0.0) * row["moved"] <= 0.0:
            names = [column_label(name).lower() for name, value in row["statistics"].items() if value is not None]
            reason = f"because of {join_words(names)}" if defies_result(row) else ""
            return {"class": "good" if row["moved"] > 0 else "bad", "words": "", "reason": reason}
        if not row["moved"]:
            better = 0.0
        elif better is None:
            return {"class": "good" if row["moved"] > 0 else "bad", "words": "", "reason": ""}
        name, words = {1: ("good", "better than expected"), -1: ("bad", "worse than expected"), 0: ("", "")}[
            (better > 0) - (better < 0)
        ]
        return {"class": name, "words": words, "reason": expectation(row) if defies_result(row) else ""}

    def margin(self, rating: Rating, more: int = 0) -> str:
        """Format half the width of the 95 % interval in points; "" without points or without uncertainty.

        As in `rating`, `more` is the number of additional decimal places.
        """
        if rating.get("points_high") is None:
            return ""
        return self._text(rating["points_high"] - rating["points"], more)

    def mean(self, rating: Rating, more: int = 0) -> str:
        """Format the estimated skill: the points, or μ. `more` has the same meaning as in `rating`."""
        return self._text(rating["points"] if "points" in rating else rating["mu"], more)

    def spread(self, rating: Rating, more: int = 0) -> str:
        """Format the uncertainty of the skill: half the width of the 95 % interval in points, or σ, or "".

        As in `rating`, `more` is the number of additional decimal places.
        """
        if "points" in rating or rating["sigma"] is None:
            return self.margin(rating, more)
        return self._text(rating["sigma"], more)

    def skill(self, rating: Rating) -> str:
        """Format the estimated skill with its uncertainty."""
        return " ± ".join(filter(None, (self.mean(rating), self.spread(rating))))

    def effects(self, rows: Sequence[Rating]) -> list[dict[str, Any]]:
        """Return effects or deviations as groups of rows, one for each facet, with bars on a common scale of 0 to 100.

        The bar of a row is its 95 % interval, with the ends `low` and `high` and the estimate `middle`. `zero` is the
        place where an effect would be 0.

        >>> import prowess as pw
        >>> row = {"facet": "surface", "value": "clay", "mu": 2.0, "sigma": 1.0, "matches": 7}
        >>> [group] = RatingFormat(pw.TrueSkill(), None).effects([row])
        >>> group["label"], group["rows"][0]["value"], group["rows"][0]["text"], group["rows"][0]["margin"]
        ('Surface', 'clay', '+2.0', '2.0')
        """
        in_points = [
            (row["points"], row["points_sigma"]) if "points" in row else (row["mu"], row["sigma"]) for row in rows
        ]
        bars = [(mean - Z95 * (sigma or 0.0), mean, mean + Z95 * (sigma or 0.0)) for mean, sigma in in_points]
        low, high = min((0.0, *(bar[0] for bar in bars))), max((0.0, *(bar[2] for bar in bars)))
        unit = 100.0 / (high - low) if high > low else 0.0
        given = [facet.column for facet in self.model.facets if not (facet.weighted or facet.learnt)]
        groups: dict[str, dict[str, Any]] = {}
        for row, bar in zip(rows, bars, strict=True):
            name = row["facet"]
            is_home = name == "home" and row["matches"] is None
            label = "Home advantage" if is_home else column_label(name)
            group = groups.setdefault(name, {"label": label, "zero": unit * -low, "rows": []})
            value = row["value"] or ("home team" if is_home else "each value" if name in given else "each unit")
            plain = {"value": value, "trait": row.get("trait"), "matches": row["matches"]}
            plain |= {
                "text": signed(bar[1], self.places),
                "margin": self._text(bar[2] - bar[1]) if bar[2] > bar[1] else "",
            }
            plain |= {name: unit * (end - low) for name, end in zip(("low", "middle", "high"), bar, strict=True)}
            group["rows"].append(plain)
        return list(groups.values())

    def _text(self, value: float | None, more: int = 0) -> str:
        # Points are written without thousands separators, as people know them from chess.
        text = number(value, self.places + more)
        return text if self.scale is None else text.replace(",", "")
