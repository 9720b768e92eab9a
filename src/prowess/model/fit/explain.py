"""Why ratings are what they are: explanations of a player's rating, and accounts of what one match did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor, log10, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...history import History, name_of
from ...text import count, join_words
from ..ladder.ladder import Ladder
from ..model import Model
from ..rating import Rating
from .forecasts import performance, strength
from .trace import Trace

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

FORM = 10  # matches of late
SIDE = 2  # opponents who are named in a sentence
FEW = 16  # players who are looked for one by one
SURE = 1.5  # how many times as uncertain as another a rating must be, to be called so


def explain(trace: Trace, name: str, before: Ladder, now: Rating) -> Explanation:
    """Explain the rating `now` of a player by a trace, which began with the ladder `before`."""
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
    schema = {"partners": pl.List(pl.String), "opponents": pl.List(pl.String)}
    floats = ["expected", "sigma_before", "sigma_after"]
    frame = pl.DataFrame(columns, schema_overrides=schema).with_columns(pl.col(floats).cast(pl.Float64).fill_nan(None))
    return Explanation(key, trace.model, start, now, key not in before, frame)


def _first_rating(trace: Trace, before: Ladder, name: str, matches: Ints) -> Rating:
    """The rating with which a player came to her first match; the level of newcomers is learnt until then."""
    if name in before:
        return before[name]
    if not trace.model.prior.learns:
        return before.newcomer
    return trace.model.learn(trace.history[: matches[0]], before, progress=False).newcomer


def _moves(start: Rating, described: dict[str, Any]) -> dict[str, Any]:
    """What was believed before and after each match, what it moved, and what had moved since the match before."""
    moves: dict[str, Any] = {}
    for what, prefix in (("mu", ""), ("shown", "shown_")):
        before, after = described[f"{what}_before"], described[f"{what}_after"]
        previous = np.concatenate([[getattr(start, what)], after])[:-1]
        moves |= {f"{what}_before": before, f"{what}_after": after}
        moves |= {f"{prefix}drifted": before - previous, f"{prefix}moved": described[f"{prefix}moved"]}
    return moves | {key: described[key] for key in ("sigma_before", "sigma_after")}


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
        sentences = [self._summary()]
        if len(self.matches):
            sentences += [*self._extremes(), self._form(), *self._breaks()]
        return (*sentences, self._certainty())

    def _rating(self, rating: Rating) -> str:
        shown = self._figure(rating.shown)
        if rating.sigma is None:
            return shown
        return f"{shown} (μ {self._figure(rating.mu)} ± {self._figure(rating.sigma)})"

    def _summary(self) -> str:
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
        sentences = []
        for what, row in (
            ("Most was won", self.matches.row(self.matches["moved"].arg_max() or 0, named=True)),
            ("Most was lost", self.matches.row(self.matches["moved"].arg_min() or 0, named=True)),
        ):
            if (row["moved"] > 0) == (what == "Most was won") and row["moved"] != 0:
                ended, expected = result_and_odds(row)
                moved = self._figure(row["moved"], True)
                where = f"{_when(row)}against {opponents_of(row)}"
                sentences.append(f"{what} {where}: μ {moved} ({ended}, {expected} expected).")
        return sentences

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

    def _certainty(self) -> str:
        """How far the skill may be from the mean, and how many matches it would take to halve that."""
        if self.now.sigma is None:
            return "This system does not say how sure it is."
        either = self._figure(1.96 * self.now.sigma)
        interval = f"With 95 % probability the skill is within ±{either} of μ"
        late = self.matches["sigma_after"].tail(FORM + 1)
        if len(late) < 2 or not late[0] or not self.now.sigma:
            return f"{interval}."
        gain = (self.now.sigma**-2 - late[0] ** -2) / (len(late) - 1)  # of precision, by a match
        need = 3.0 * self.now.sigma**-2 / gain if gain > 0 else float("inf")
        if need > 20 * len(self.matches) + 100:
            return f"{interval}; more matches like the last will not make it much surer, as skills drift meanwhile."
        return f"{interval}; at the pace of late it would take about {_round(need)} more matches to halve that."


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


def opponents_of(row: dict[str, Any]) -> str:
    """The opponents of a row of matches, or the first of them.

    >>> opponents_of({"opponents": ["ann", "bob"], "opponent_count": 2})
    'ann and bob'
    """
    names, more = row["opponents"], row["opponent_count"]
    if more <= SIDE + 1:
        return join_words(names)
    return f"{', '.join(names[:SIDE])} and {more - SIDE} others"


def result_and_odds(row: dict[str, Any]) -> tuple[str, str]:
    """How a row of matches ended, and how it was expected to end.

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


def _round(number: float) -> str:
    """A number as one says it: 7, 40, 300."""
    digits = max(0, len(str(int(number))) - (1 if number >= 20 else 2))
    return f"{round(number, -digits):,.0f}" if digits else f"{max(1, round(number))}"


@dataclass(frozen=True, eq=False, repr=False)
class Account:
    """What became of the players of one match, and why.

    `rows` has a mapping for each player, in the order of the teams: player, team (its index), partners, opponents,
    place, actual and expected (the share of the opposing teams that was beaten, and that was forecast to be), mu, sigma
    and shown before and after, moved, and whether it was her first match. `forecast` says what was expected of every
    team: mean and sigma of its performance, and for two teams `win` and `draw`. A match of importance 0 moves nobody.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"]]}])
    >>> described = pw.TrueSkill().fit(history).account(1)
    >>> [row["player"] for row in described.rows], round(described.rows[0]["expected"], 2)
    (['bob', 'ann'], 0.23)
    >>> described.sentences[0]
    'bob won against ann (21 % chance): +6.04 to 26.64.'
    """

    rows: list[dict[str, Any]]
    forecast: dict[str, Any]
    counts: bool

    def __repr__(self) -> str:
        """Say who played."""
        return f"Account({', '.join(row['player'] for row in self.rows)})"

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each player: the result, how likely or expected it was, and the change of the rating.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "importance": 0}])
        >>> pw.Elo().fit(history).account(0).sentences[1]
        'bob lost against ann; the match does not count.'
        """
        digits = digits_of([row["moved"] for row in self.rows if row["moved"] is not None])
        return tuple(self._sentence(row, digits) for row in self.rows)

    def _sentence(self, row: dict[str, Any], digits: int) -> str:
        ended, expected = result_and_odds(row)
        verb = {"drawn": "drew", "place": "finished in place"}
        first, _, rest = ended.partition(" ")
        began = f"{row['player']} {verb.get(first, first)}{f' {rest}' if rest else ''} against {opponents_of(row)}"
        if not self.counts:
            return f"{began}; the match does not count."
        moved = f"{row['moved']:+.{digits}f}".replace("-", "−")
        if first == "place":
            expectation = f", expected place {expected}"
        elif "expected_lead" in row or self.forecast["win"] is None:
            expectation = f", expected {expected}"
        else:
            expectation = f" ({100 * self._chance(row):.0f} % chance)"
        return f"{began}{expectation}: {moved} to {row['mu_after']:.{digits}f}{self._reason(row)}."

    def _chance(self, row: dict[str, Any]) -> float:
        """Return the forecast probability of the result of a match of two teams, as pages and charts show it."""
        team, win = row["team"], self.forecast["win"]
        chance: float = {1.0: win[team], 0.5: self.forecast["draw"], 0.0: win[1 - team]}[row["actual"]]
        return chance

    def _reason(self, row: dict[str, Any]) -> str:
        """Explain a large or small change by how certain the rating was, compared with the others."""
        own, (sigmas, all_new) = row["sigma_before"], self._sigmas
        others = len(sigmas) - bool(own)  # who is not alone is looked at beside the surest and the least sure of them
        if own is None or not others:
            return ""
        if row["first"]:
            return "" if all_new else " (a large change: this was a first match)"
        if own >= SURE * sigmas[own == sigmas[0]]:
            return " (a large change: the rating was still uncertain)"
        certain = sigmas[-1 - (own == sigmas[-1])] >= SURE * own
        return " (a small change: the rating was already well established)" if certain else ""

    @cached_property
    def _sigmas(self) -> tuple[list[float], bool]:
        """The uncertainties of all players before the match, in their order, and whether all of them were new."""
        sigmas = sorted(row["sigma_before"] for row in self.rows if row["sigma_before"])
        return sigmas, all(row["first"] for row in self.rows)


def account(trace: Trace, match: int, most: int | None = None) -> Account:
    """What a match of a trace, by its index, did to its players; of a large one, to so many of the best teams."""
    history = trace.history
    teams = history.match_start[match : match + 2]
    entry: Ints = np.arange(*history.team_start[teams])
    if most is not None and len(entry) > most:
        entry = _best_teams(history, teams, most)
    team, _ = trace.locate(entry)
    counts = bool(trace.counted(np.array([match]))[0])
    columns: dict[str, Any] = {
        "player": [history.players[row] for row in history.player[entry]],
        "team": team - teams[0],
    }
    columns |= trace.describe(entry)
    rows = [{key: plain(column[k]) for key, column in columns.items()} for k in range(len(entry))]
    for row, played in zip(rows, _have_played(history, entry, int(history.team_start[teams[0]])), strict=True):
        row["first"] = not played
        if not counts:
            row |= dict.fromkeys(("moved", "shown_moved"), 0.0)
    return Account(rows, _forecast(trace, match), counts)


def _best_teams(history: History, teams: NDArray[np.int32], most: int) -> Ints:
    """The entries of the best teams of a match: one of each of so many teams, and so many of all players."""
    order = np.arange(*teams)[np.argsort(history.place[teams[0] : teams[1]], kind="stable")][:most]
    first, last = history.team_start[order], history.team_start[order + 1]
    players = np.concatenate([np.arange(*ends)[:most] for ends in zip(first, last, strict=True)])[:most]
    return np.union1d(first, players).astype(np.intp)


def _have_played(history: History, entry: Ints, start: int) -> list[bool]:
    """Whether the players of some entries of a match, whose first one is `start`, have earlier ones."""
    if len(entry) <= FEW:
        return [_has_played(history, e) for e in entry.tolist()]
    played: list[bool] = np.isin(history.player[entry], history.player[:start]).tolist()
    return played


def _has_played(history: History, entry: int) -> bool:
    """Whether the player of an entry has an earlier one; most have one that is not far."""
    end, reach = entry, 1 << 14
    while end > 0:
        if (history.player[max(end - reach, 0) : end] == history.player[entry]).any():
            return True
        end, reach = end - reach, 4 * reach
    return False


def _forecast(trace: Trace, match: int) -> dict[str, Any]:
    """What was expected of the teams of a match."""
    forecasts = trace.forecasts.take(np.array([match]))
    mean, sigma = strength(forecasts).tolist(), np.sqrt(performance(forecasts)).tolist()
    win, draw = plain(forecasts.win[0]), plain(forecasts.draw[0])
    both = None if win is None else [win, max(0.0, 1.0 - win - draw)]
    return {"win": both, "draw": draw, "mean": mean, "sigma": sigma}


def plain(cell: Any) -> Any:
    """A cell of a column as plain Python; None for what is not known."""
    if isinstance(cell, np.generic):
        cell = cell.item()
    return None if cell != cell else cell
