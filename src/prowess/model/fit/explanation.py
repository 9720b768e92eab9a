"""An explanation of a rating: where it began, what each match moved, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor, log10, sqrt
from typing import TYPE_CHECKING, Any

from ...text import count, listed
from ..model import Model
from ..rating import Rating

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Explanation", "digits_of", "odds", "side"]

FORM = 10  # matches of late
SIDE = 2  # opponents who are named in a sentence


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Why a player's rating is what it is.

    `start` is the rating with which she came, `now` that after her last match. `matches` has a row for each match that
    counts: match, id, time, partners, opponents (at most twenty), opponent_count, teams, place, score and against (the
    best of the others), actual, expected, expected_lead (by how much she was to outscore them, in models of scores),
    mu_before, mu_after, drifted, moved, the same four of what is shown (shown_before, …), sigma_before, sigma_after.

    `expected` is the share of the opposing teams that she was forecast to beat before the match, `actual` that which
    she beat, ties counting half: between two teams 1, ½ or 0. `moved` is what the match did to mu, `drifted` what had
    happened to it since the match before (the carry-over of seasons; 0 in most models), so that exactly

        start.mu + Σ drifted + Σ moved = now.mu,    start.shown + Σ shown_drifted + Σ shown_moved = now.shown.

    Drift widens sigma and so lowers what is shown. Within a rating period, what a match moved is by how much the rating
    would be another one if the period ended after it.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["ann"]]}])
    >>> why = pw.TrueSkill().fit(history).explain("ann")
    >>> why
    Explanation('ann', 2 matches, 0.00 → 6.16)
    >>> why.matches["expected"].round(2).to_list(), why.matches["moved"].round(2).to_list()
    ([0.5, 0.64], [4.4, -4.44])
    >>> why.sentences[1]
    'Most was won in match 1 against bob: μ +4.40 (won, 50 % expected).'
    """

    player: str
    model: Model
    start: Rating
    now: Rating
    newcomer: bool
    matches: pl.DataFrame

    def __repr__(self) -> str:
        """Say how many matches there are, and from where to where they led."""
        matches = count(len(self.matches), "match", "matches")
        start, now = self._figure(self.start.shown), self._figure(self.now.shown)
        return f"Explanation({self.player!r}, {matches}, {start} → {now})"

    @cached_property
    def digits(self) -> int:
        """How many digits after the point tell something: where matches move ratings by 5, two; by 50, one.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> pw.TrueSkill().fit(history).explain("ann").digits, pw.Elo().fit(history).explain("ann").digits
        (2, 1)
        """
        return digits_of(self.matches["moved"].to_list(), self.start.sigma or 1.0)

    def _figure(self, value: float, sign: bool = False) -> str:
        text = f"{value:{'+' if sign else ''}.{self.digits}f}"
        return text.replace("-", "−") if sign else text

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain data.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> list(pw.Elo().fit(history).explain("ann").to_dict())
        ['player', 'start', 'now', 'newcomer', 'sentences', 'matches']
        """
        ratings = {name: _plain(getattr(self, name)) for name in ("start", "now")}
        found: dict[str, Any] = {"player": self.player} | ratings | {"newcomer": self.newcomer}
        return found | {"sentences": list(self.sentences), "matches": self.matches.to_dicts()}

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The same in words: the way, the matches that moved it most, the form of late, how sure it is.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> pw.Elo().fit(history).explain("ann").sentences[-1]
        'This system does not say how sure it is.'
        """
        said = [self._way()]
        if len(self.matches):
            said += [*self._extremes(), self._form(), *self._breaks()]
        return (*said, self._sureness())

    def _rating(self, rating: Rating) -> str:
        shown = self._figure(rating.shown)
        if rating.sigma is None:
            return shown
        return f"{shown} (μ {self._figure(rating.mu)} ± {self._figure(rating.sigma)})"

    def _way(self) -> str:
        came = "came as a newcomer, shown as" if self.newcomer else "began at"
        if not len(self.matches):
            return f"{self.player} stands at {self._rating(self.now)}, and has no match in this history."
        results = {
            "won": self.matches["actual"].eq(1.0).sum(),
            "drawn": self.matches["actual"].eq(0.5).sum() if (self.matches["teams"] == 2).all() else 0,
            "lost": self.matches["actual"].eq(0.0).sum(),
        }
        if (self.matches["teams"] > 2).any():
            results = {"won": self.matches["place"].eq(1).sum()}
        matches = count(len(self.matches), "match", "matches")
        ended = ", ".join(f"{number} {word}" for word, number in results.items() if number)
        began = f"{self.player} {came} {self._rating(self.start)}"
        return f"{began}, and stands at {self._rating(self.now)} after {matches}{f': {ended}' if ended else ''}."

    def _extremes(self) -> list[str]:
        """The match that raised the mean most, and the one that cost most."""
        said = []
        for what, row in (
            ("Most was won", self.matches.row(self.matches["moved"].arg_max() or 0, named=True)),
            ("Most was lost", self.matches.row(self.matches["moved"].arg_min() or 0, named=True)),
        ):
            if (row["moved"] > 0) == (what == "Most was won") and row["moved"] != 0:
                ended, expected = odds(row)
                moved = self._figure(row["moved"], True)
                said.append(f"{what} {_when(row)}against {side(row)}: μ {moved} ({ended}, {expected} expected).")
        return said

    def _form(self) -> str:
        """Results of late against what was expected of them."""
        late = self.matches.tail(FORM)
        actual, expected = float(late["actual"].sum()), float(late["expected"].sum())
        spread = sqrt(max(float((late["expected"] * (1 - late["expected"])).sum()), 1e-12))
        beyond = (actual - expected) / spread
        verdict = (
            "about as expected" if abs(beyond) < 1 else "better than expected" if beyond > 0 else "worse than expected"
        )
        span = f"the last {len(late)} matches" if len(late) > 1 else "the last match"
        moved = self._figure(float((late["moved"] + late["drifted"]).sum()), True)
        return (
            f"In {span} the results came to {actual:g} points where {expected:.1f} were expected, {verdict}: μ {moved}."
        )

    def _breaks(self) -> list[str]:
        """What the carry-over between seasons did to the mean."""
        drifted = float(self.matches["drifted"].sum())
        moved = bool((self.matches["drifted"] != 0).any())
        return [f"Breaks between seasons moved μ by {self._figure(drifted, True)}."] if moved else []

    def _sureness(self) -> str:
        """How far the skill may be from the mean, and how many matches it would take to halve that."""
        if self.now.sigma is None:
            return "This system does not say how sure it is."
        either = self._figure(1.96 * self.now.sigma)
        said = f"With 95 % probability the skill is within ±{either} of μ"
        late = self.matches["sigma_after"].tail(FORM + 1)
        if len(late) < 2 or not late[0] or not self.now.sigma:
            return f"{said}."
        gain = (self.now.sigma**-2 - late[0] ** -2) / (len(late) - 1)  # of precision, by a match
        need = 3.0 * self.now.sigma**-2 / gain if gain > 0 else float("inf")
        if need > 20 * len(self.matches) + 100:
            return f"{said}; more matches like the last will not make it much surer, as skills drift meanwhile."
        return f"{said}; at the pace of late it would take about {_round(need)} more matches to halve that."


def _plain(rating: Rating) -> dict[str, float | None]:
    return {"mu": rating.mu, "sigma": rating.sigma, "shown": rating.shown}


def _when(row: dict[str, Any]) -> str:
    if "time" not in row:
        return f"in match {row['match'] + 1} "
    return f"at {row['time']:g} " if isinstance(row["time"], float) else f"on {row['time']:%Y-%m-%d} "


def digits_of(moves: Sequence[float], usual: float = 1.0) -> int:
    """How many digits after the point tell something of such moves, or of a `usual` one where there is none.

    >>> digits_of([4.4, -0.2]), digits_of([0.0])
    (2, 2)
    """
    largest = max(map(abs, moves), default=0.0) or usual
    return min(max(2 - floor(log10(largest)), 0), 4)


def side(row: dict[str, Any]) -> str:
    """The opponents of a row of matches, or the first of them.

    >>> side({"opponents": ["ann", "bob"], "opponent_count": 2})
    'ann and bob'
    """
    names, more = row["opponents"], row["opponent_count"]
    if more <= SIDE + 1:
        return listed(names)
    return f"{', '.join(names[:SIDE])} and {more - SIDE} others"


def odds(row: dict[str, Any]) -> tuple[str, str]:
    """How a row of matches ended, and how it was expected to end.

    >>> odds({"teams": 2, "actual": 1.0, "expected": 0.36}), odds({"teams": 3, "place": 1, "expected": 0.5})
    (('won', '36 %'), ('place 1 of 3', '2.0'))
    """
    if row["teams"] > 2:
        return f"place {row['place']} of {row['teams']}", f"{1 + (1 - row['expected']) * (row['teams'] - 1):.1f}"
    ended = {1.0: "won", 0.5: "drawn", 0.0: "lost"}[row["actual"]]
    if row.get("score") is not None and row["score"] == row["score"]:
        ended += f" {row['score']:g}:{row['against']:g}"
    if "expected_lead" in row:
        return ended, f"a lead of {row['expected_lead']:.1f}".replace("-", "−")
    return ended, f"{100 * row['expected']:.0f} %"


def _round(number: float) -> str:
    """A number as one says it: 7, 40, 300."""
    digits = max(0, len(str(int(number))) - (1 if number >= 20 else 2))
    return f"{round(number, -digits):,.0f}" if digits else f"{max(1, round(number))}"
