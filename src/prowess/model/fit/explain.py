"""Explanations: how a player's matches led to a rating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor, isfinite, isnan, log10, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...history import name_of
from ...text import count, join_words
from ..ladder.ladder import Ladder
from ..model import Model
from ..rating import Rating
from ..registry import unique_keys
from ..scale import Z95, Points, Scale

if TYPE_CHECKING:
    import polars as pl

    from .trace import Trace

Ints = NDArray[np.intp]

FORM = 10  # number of last matches that count as recent form
NAMED_VALUES = 5  # number of values of a facet that a sentence names, those with the largest changes
NAMED = 2  # number of opponents that a sentence names


def explain(trace: Trace, name: str, before: Ladder, now: Rating, points: Points | None = None) -> Explanation:
    """Explain the rating `now` of a player from a trace that began with the ladder `before`.

    With `points`, the explanation is in points.
    """
    import polars as pl

    key, history = name_of(name), trace.history
    entry = trace.entries(key)
    entry = entry[trace.counted(trace.locate(entry)[1])]
    _, match = trace.locate(entry)
    start = now if not len(match) and key not in before else _first_rating(trace, before, key, match)
    columns: dict[str, Any] = {"match": match}
    if history.ids is not None:
        columns["id"] = [history.ids[index] for index in match]
    described = trace.describe(entry)
    moves = _moves(start, described)
    columns |= trace.times(match) | {key: column for key, column in described.items() if key not in moves} | moves
    schema: dict[str, Any] = {"partners": pl.List(pl.String), "opponents": pl.List(pl.String)}
    for facet in unique_keys([facet for facet in trace.model.facets if facet.personal]):
        schema |= {f"at_{facet}": pl.String, f"moved_at_{facet}": pl.Float64}
    schema |= {f"statistic_{statistic}": pl.Float64 for statistic in unique_keys(trace.model.statistics)}
    schema = {name: kind for name, kind in schema.items() if name in columns}
    floats = ["expected", "sigma_before", "sigma_after"]
    frame = pl.DataFrame(columns, schema_overrides=schema).with_columns(pl.col(floats).cast(pl.Float64).fill_nan(None))
    if points is not None:
        frame = frame.with_columns(
            points_before=points.of(pl.col("mu_before")),
            points_after=points.of(pl.col("mu_after")),
            points_drifted=points.factor * pl.col("drifted"),
            points_moved=points.factor * pl.col("moved"),
        )
    return Explanation(key, trace.model, start, now, key not in before, frame, points)


def _first_rating(trace: Trace, before: Ladder, name: str, matches: Ints) -> Rating:
    # If the prior learns, this rating depends on earlier matches of other players.
    if name in before:
        return before[name]
    if not trace.model.prior.learns:
        return before.newcomer
    return trace.model.learn(trace.history[: matches[0]], before, progress=False).newcomer


def _moves(start: Rating, described: dict[str, Any]) -> dict[str, Any]:
    moves: dict[str, Any] = {}
    for what, prefix in (("mu", ""), ("shown", "shown_")):
        before, after = described[f"{what}_before"], described[f"{what}_after"]
        previous = np.concatenate([[getattr(start, what)], after])[:-1]
        moves |= {f"{what}_before": before, f"{what}_after": after}
        moves |= {f"{prefix}drifted": before - previous, f"{prefix}moved": described[f"{prefix}moved"]}
    return moves | {key: described[key] for key in ("sigma_before", "sigma_after")}


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """How a player's matches led to the present rating.

    `start` is the rating before the first match, `now` the rating after the last. `matches` has a row for each match
    that counts. The columns are match, id, time, partners, opponents (at most twenty), opponent_count, teams, place,
    score, against (the best score of the others), actual, expected, expected_lead (the predicted score difference, in
    models of scores), mu_before, mu_after, drifted, moved, the same four for `shown` (shown_before, …), sigma_before,
    sigma_after. For a facet by player, such as `By("surface")`, there are two more columns: the value (`at_surface`),
    and how far the match moved the player's deviation there (`moved_at_surface`). If the fit has a scale, four columns
    for points follow (points_before, …), and the sentences are in points.

    `expected` is the predicted share of opposing teams that the player's team beats, and `actual` the share that it did
    beat; ties count half. Between two teams `actual` is 1, ½ or 0. `moved` is the change of mu by the match. `drifted`
    is the change of mu between the previous match and this one, caused by the carry-over between seasons; in most
    models `drifted` is 0. The changes add up exactly:

        start.mu + Σ drifted + Σ moved = now.mu,    start.shown + Σ shown_drifted + Σ shown_moved = now.shown.

    Drift increases sigma, which lowers `shown`. Within a rating period, `moved` is how much the match would change the
    rating if the period ended right after the match.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["ann"]]}])
    >>> why = pw.TrueSkill().fit(history).explain("ann")
    >>> why
    Explanation('ann', 2 matches, 0.00 → 6.16)
    >>> why.matches["expected"].round(2).to_list(), why.matches["moved"].round(2).to_list()
    ([0.5, 0.64], [4.4, -4.44])
    >>> why.sentences[1]
    'Biggest gain: in match 1 against bob, μ +4.40 (won, 50 % expected).'
    """

    player: str
    model: Model
    start: Rating
    now: Rating
    newcomer: bool
    matches: pl.DataFrame
    points: Points | None = None

    def __repr__(self) -> str:
        matches = count(len(self.matches), "match", "matches")
        start, now = self._figure(self.start.shown), self._figure(self.now.shown)
        if self.points is not None:
            start, now = self._rating(self.start), self._rating(self.now)
        return f"Explanation({self.player!r}, {matches}, {start} → {now})"

    @cached_property
    def digits(self) -> int:
        """The number of decimals worth showing: two if a match moves ratings by about 5, one for moves of about 50.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> pw.TrueSkill().fit(history).explain("ann").digits, pw.Elo().fit(history).explain("ann").digits
        (2, 1)
        """
        scale = None if self.points is None else self.points.scale
        return digits_of(self.moves, self._unit * (self.start.sigma or 1.0), scale)

    @property
    def moves(self) -> list[float]:
        """The change of mu by each match, in points if there is a scale.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> pw.Elo().fit(history).explain("ann").moves
        [16.0]
        """
        return [self._unit * moved for moved in self.matches["moved"].to_list()]

    @property
    def ratings(self) -> list[float]:
        """The ratings to chart: before the first match and after each match, as `shown` or in points.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> pw.Elo().fit(history).explain("ann").ratings
        [1500.0, 1516.0]
        """
        if self.points is not None:
            return [self.points.of(self.start.mu), *self.matches["points_after"].to_list()]
        return [self.start.shown, *self.matches["shown_after"].to_list()]

    @property
    def _unit(self) -> float:
        return 1.0 if self.points is None else self.points.factor

    def _change(self, moved: float) -> str:
        """Return a change of mu as text, in points if there is a scale."""
        text = self._figure(self._unit * moved, True)
        return f"μ {text}" if self.points is None else f"{text} points"

    def _figure(self, value: float, sign: bool = False) -> str:
        text = f"{value:{'+' if sign else ''}.{self.digits}f}"
        return text.replace("-", "−") if sign else text

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> list(pw.Elo().fit(history).explain("ann").to_dict())
        ['player', 'start', 'now', 'newcomer', 'sentences', 'matches']
        """
        ratings = {name: self._plain(getattr(self, name)) for name in ("start", "now")}
        found: dict[str, Any] = {"player": self.player} | ratings | {"newcomer": self.newcomer}
        return found | {"sentences": list(self.sentences), "matches": self.matches.to_dicts()}

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The explanation in words: first and last rating, biggest changes, recent form, uncertainty.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> pw.Elo().fit(history).explain("ann").sentences[-1]
        'This system has no measure of uncertainty.'
        """
        sentences = [self._summary()]
        if len(self.matches):
            sentences += [*self._extremes(), *self._parts(), *self._statistics(), self._form(), *self._breaks()]
        return (*sentences, self._certainty())

    def _plain(self, rating: Rating) -> dict[str, float | None]:
        plain = {"mu": rating.mu, "sigma": rating.sigma, "shown": rating.shown}
        return plain if self.points is None else plain | self.points.columns(rating.mu, rating.sigma)

    def _rating(self, rating: Rating) -> str:
        if self.points is not None:
            return self.points.text(rating.mu, rating.sigma)
        shown = self._figure(rating.shown)
        if rating.sigma is None:
            return shown
        return f"{shown} (μ {self._figure(rating.mu)} ± {self._figure(rating.sigma)})"

    def _summary(self) -> str:
        if not len(self.matches):
            return f"{self.player} is rated {self._rating(self.now)} and has no match in this history."
        results = {
            "won": self.matches["actual"].eq(1.0).sum(),
            "drawn": self.matches["actual"].eq(0.5).sum() if (self.matches["teams"] == 2).all() else 0,
            "lost": self.matches["actual"].eq(0.0).sum(),
        }
        if (self.matches["teams"] > 2).any():
            # With more than two teams, "lost" could mean any place but the first.
            results = {"won": self.matches["place"].eq(1).sum()}
        matches = count(len(self.matches), "match", "matches")
        ended = ", ".join(f"{number} {word}" for word, number in results.items() if number)
        start = f"{self.player} {'started' if self.newcomer else 'entered this history'} at {self._rating(self.start)}"
        return f"{start} and is now rated {self._rating(self.now)} after {matches}{f': {ended}' if ended else ''}."

    def _extremes(self) -> list[str]:
        sentences = []
        moved = self.matches["moved"]
        for what, sign, index in (("gain", 1, moved.arg_max()), ("loss", -1, moved.arg_min())):
            row = self.matches.row(index or 0, named=True)
            if sign * row["moved"] > 0:
                ended, expected = result_and_odds(row)
                where = f"{_when(row)}against {opponents_of(row)}, {self._change(row['moved'])}"
                sentences.append(f"Biggest {what}: {where} ({ended}, {expected} expected).")
        return sentences

    def _parts(self) -> list[str]:
        """Say how much of all changes went to the skill, and how much to the deviation at each value of a facet."""
        import polars as pl

        sentences = []
        facets = [facet for facet in self.model.facets if facet.personal]
        for key, facet in zip(unique_keys(facets), facets, strict=True):
            if f"at_{key}" not in self.matches.columns:
                continue
            by_value = self.matches.group_by(f"at_{key}", maintain_order=True)
            moved = by_value.agg(pl.col(f"moved_at_{key}").sum()).drop_nulls()
            rows = sorted(moved.rows(), key=lambda row: -abs(row[1]))[:NAMED_VALUES]
            skill = self._change(float(self.matches["moved"].sum()))
            values = [f"{self._figure(self._unit * change, True)} at {facet.column} {value}" for value, change in rows]
            if rows:
                sentences.append(f"The matches changed the skill by {skill}, and the rating by {join_words(values)}.")
        return sentences

    def _statistics(self) -> list[str]:
        """Say how much of all changes came from the results, and how much from the statistics."""
        if "moved_by_statistics" not in self.matches.columns:
            return []
        told = float(self.matches["moved_by_statistics"].sum())
        result = self._change(float(self.matches["moved"].sum()) - told)
        names = join_words([statistic.column for statistic in self.model.statistics])
        return [f"Results changed the rating by {result}, and {names} by {self._change(told)}."]

    def _form(self) -> str:
        recent = self.matches.tail(FORM)
        actual, expected = float(recent["actual"].sum()), float(recent["expected"].sum())
        # Treat results as independent coin tosses with the expected probabilities.
        sigma = sqrt(max(float((recent["expected"] * (1 - recent["expected"])).sum()), 1e-12))
        surprise = (actual - expected) / sigma
        verdict = "about as" if abs(surprise) < 1 else "better than" if surprise > 0 else "worse than"
        span = f"{len(recent)} matches" if len(recent) > 1 else "match"
        moved = self._change(float((recent["moved"] + recent["drifted"]).sum()))
        scored = f"{actual:g} points" if self.points is None else f"score {actual:g}"
        return f"Last {span}: {scored}, {expected:.1f} expected ({verdict} expected), {moved}."

    def _breaks(self) -> list[str]:
        drifted = float(self.matches["drifted"].sum())
        moved = bool((self.matches["drifted"] != 0).any())
        if self.points is not None:
            return [f"Breaks between seasons: {self._change(drifted)}."] if moved else []
        return [f"Breaks between seasons moved μ by {self._figure(drifted, True)}."] if moved else []

    def _certainty(self) -> str:
        if self.now.sigma is None:
            return "This system has no measure of uncertainty."
        if self.points is None:
            interval = f"With 95 % probability, true skill is within ±{self._figure(Z95 * self.now.sigma)} of μ"
        else:
            margin = f"{self.points.margin(self.now.sigma):.{self.points.scale.digits}f}"
            interval = f"With 95 % probability, true skill is within ±{margin} points of the rating"
        recent = self.matches["sigma_after"].tail(FORM + 1)
        if len(recent) < 2 or not recent[0] or not self.now.sigma:
            return f"{interval}."
        # Half of sigma means four times the precision, so three times the present precision must be added.
        gain = (self.now.sigma**-2 - recent[0] ** -2) / (len(recent) - 1)  # gain in precision per match
        # Drift can outweigh what recent matches have added.
        need = 3.0 * self.now.sigma**-2 / gain if gain > 0 else float("inf")
        if need > 20 * len(self.matches) + 100:
            return f"{interval}; more matches will hardly narrow that, because skills drift between matches."
        return f"{interval}; at the current rate it takes about {_round(need)} more matches to halve that."


def _when(row: dict[str, Any]) -> str:
    if "time" not in row:
        return f"in match {row['match'] + 1} "
    return f"at {row['time']:g} " if isinstance(row["time"], float) else f"on {row['time']:%Y-%m-%d} "


def digits_of(moves: Sequence[float], usual: float = 1.0, scale: Scale | None = None) -> int:
    """Return how many decimals are worth showing for the given changes; without changes, for a `usual` change.

    Changes in points have the decimals of their scale, or more if all changes are tiny.

    >>> digits_of([4.4, -0.2]), digits_of([0.0]), digits_of([4.4], scale=Scale()), digits_of([0.1], scale=Scale())
    (2, 2, 0, 3)
    """
    # The number of decimals depends on the largest change, so that Elo points and log rates of goals get the same
    # number of digits.
    largest = max(map(abs, moves), default=0.0) or usual
    if scale is not None and largest >= 2.0 * 10.0**-scale.digits:
        return scale.digits
    return min(max(2 - floor(log10(largest)), 0), 4)


def opponents_of(row: dict[str, Any]) -> str:
    """Return the names of the opponents in a row of `matches` as text; a long list is shortened.

    >>> opponents_of({"opponents": ["ann", "bob"], "opponent_count": 2})
    'ann and bob'
    """
    names, more = row["opponents"], row["opponent_count"]
    if more <= NAMED + 1:
        return join_words(names)
    return f"{', '.join(names[:NAMED])} and {more - NAMED} others"


def result_and_odds(row: dict[str, Any]) -> tuple[str, str]:
    """Return two texts about a row of `matches`: the actual result, and the expected result.

    The expected result is the expected place in a match of three or more teams. For two teams, it is the predicted
    lead in models of scores, and otherwise the expected score as a percentage.

    >>> result_and_odds({"teams": 2, "actual": 1.0, "expected": 0.36})
    ('won', '36 %')
    >>> result_and_odds({"teams": 3, "place": 1, "expected": 0.5})
    ('place 1 of 3', '2.0')
    """
    if row["teams"] > 2:
        return f"place {row['place']} of {row['teams']}", f"{1 + (1 - row['expected']) * (row['teams'] - 1):.1f}"
    ended = {1.0: "won", 0.5: "drawn", 0.0: "lost"}[row["actual"]]
    if row.get("score") is not None and row["score"] == row["score"]:
        ended += f" {row['score']:g}:{row['against']:g}"
    if "expected_lead" in row:
        return ended, f"a lead of {row['expected_lead']:.1f}".replace("-", "−")
    return ended, f"{100 * row['expected']:.0f} %"


def surprise(row: Mapping[str, Any]) -> float | None:
    """Return how much better a result was than expected: by how many goals, or by what share of the opponents.

    Scores are compared in models of scores, because these also move the rating of a winner by the margin. The surprise
    is None if nothing was expected.

    >>> surprise({"actual": 1.0, "expected": 0.75}), surprise({"actual": 1.0, "expected": None})
    (0.25, None)
    >>> surprise({"actual": 1.0, "expected": 0.9, "expected_lead": 3.0, "score": 1.0, "against": 0.0})
    -2.0
    """
    lead, score, against = (row.get(name) for name in ("expected_lead", "score", "against"))
    if lead is not None and score is not None and against is not None and isfinite(lead + score - against):
        return float(score - against - lead)
    expected = row["expected"]
    return None if expected is None or isnan(expected) else float(row["actual"] - expected)


def defies_result(row: Mapping[str, Any]) -> bool:
    """Return whether a match moved a rating against its result: down after a win, or up after a defeat.

    >>> defies_result({"actual": 1.0, "moved": -3.2}), defies_result({"actual": 0.5, "moved": -3.2})
    (True, False)
    """
    moved = row["moved"] or 0.0
    return bool((row["actual"] == 1.0 and moved < 0.0) or (row["actual"] == 0.0 and moved > 0.0))


def statistics_outweigh(row: Mapping[str, Any]) -> bool:
    """Return whether a player's statistics moved the rating further than the result did.

    >>> statistics_outweigh({"moved": -3.0, "moved_by_statistics": -4.0}), statistics_outweigh({"moved": -3.0})
    (True, False)
    """
    moved, told = row["moved"] or 0.0, row.get("moved_by_statistics") or 0.0
    return bool(moved * told > 0.0 and abs(told) > abs(moved - told))


def statistics_of(row: Mapping[str, Any]) -> list[str]:
    """Return the statistics of a player in a match in words.

    >>> statistics_of({"moved": -3.0, "statistic_kills": 19.0, "statistic_damage_done": None})
    ['19 kills']
    """
    found = [(name.removeprefix("statistic_"), row[name]) for name in row if name.startswith("statistic_")]
    return [f"{_shortest(value)} {name.replace('_', ' ')}" for name, value in found if value is not None]


def _shortest(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def expectation(row: Mapping[str, Any]) -> str:
    """Return what was expected of a player in a few words; `teams` is the number of teams.

    >>> expectation({"teams": 2, "expected": 0.9, "expected_lead": 3.04})
    'expected to win by 3'
    >>> expectation({"teams": 2, "expected": 0.2, "expected_lead": -0.62}), expectation({"teams": 2, "expected": 0.65})
    ('expected to lose by 0.6', '65 % expected')
    >>> expectation({"teams": 3, "expected": 0.5})
    'expected place 2.0'
    """
    if row["teams"] > 2:
        return f"expected place {result_and_odds({'place': None, **row})[1]}"
    lead = row.get("expected_lead")
    if lead is None:
        return f"{100 * row['expected']:.0f} % expected"
    by = f"{abs(lead):.1f}".removesuffix(".0")
    return "expected to draw" if by == "0" else f"expected to {'win' if lead > 0 else 'lose'} by {by}"


def _round(number: float) -> str:
    """Round to one significant digit, as in 40 or 300. Numbers below 20 become whole numbers, as in 7 or 13."""
    digits = max(0, len(str(int(number))) - (1 if number >= 20 else 2))
    return f"{round(number, -digits):,.0f}" if digits else f"{max(1, round(number))}"


def plain(cell: Any) -> Any:
    """Return a cell of a column as a plain Python value; NaN becomes None."""
    if isinstance(cell, np.generic):
        cell = cell.item()
    return None if cell != cell else cell
