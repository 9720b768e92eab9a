"""What the facets of a model have learnt, as sentences and plots below the standings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import floor, hypot, isnan, log10, nan, sqrt
from typing import TYPE_CHECKING, Any

from ... import Ladder
from ...model.scale import Z95, format_rounded
from .console import get_console
from .plots import print_whiskers
from .standings import MOST_DECIMALS, rating_decimals
from .tables import print_text

if TYPE_CHECKING:
    import polars as pl

    from ...lab.interval import Interval

MOST_EFFECTS = 10  # rows of all effects
MOST_DEVIATIONS = 10  # rows of all deviations
LEAST_ROWS = 3  # rows of each facet, even if there are many facets


@dataclass(frozen=True)
class Block:
    """A sentence on a facet, and the rows below it: by label, an interval and its text."""

    title: str
    rows: Mapping[str, tuple[Interval, str]] = field(default_factory=dict)


def print_effects(ladder: Ladder, players: Collection[str]) -> None:
    """Print the effects that all players share, and the clearest deviations of some players, with 95 % intervals."""
    for block in describe_effects(ladder, players):
        get_console().print()
        print_text(block.title)
        if block.rows:
            intervals = [interval for interval, _ in block.rows.values()]
            low = min(0.0, *(_end(interval.low, interval) for interval in intervals))
            high = max(0.0, *(_end(interval.high, interval) for interval in intervals))
            styles = {label: _style(interval) for label, (interval, _) in block.rows.items()}
            print_whiskers(block.rows, styles, (low, high if high > low else low + 1.0))


def _end(end: float, interval: Interval) -> float:
    return interval.value if isnan(end) else end


def _style(interval: Interval) -> str:
    return "" if interval.within_noise else "green" if interval.value > 0 else "red"


def describe_effects(ladder: Ladder, players: Collection[str]) -> list[Block]:
    """Describe what the facets of a ladder have learnt; of the deviations, only those of the given players.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill().replace(facets=(pw.facet.Shared("side", sigma=2.0),)))
    >>> for _ in range(9):
    ...     _ = ladder.record([["ann"], ["bob"]], context={"side": ["blue", "red"]})
    ...     _ = ladder.record([["bob"], ["ann"]], context={"side": ["blue", "red"]})
    >>> [block] = describe_effects(ladder, ["ann", "bob"])
    >>> block.title
    'side: blue is worth 8.19 ± 4.48 more than red (95 % intervals)'
    """
    import polars as pl

    effects, deviations = ladder.effects, ladder.deviations.filter(pl.col("player").is_in(list(players)))
    return [*_effects(ladder, effects), *_deviations(ladder, deviations)]


def _effects(ladder: Ladder, frame: pl.DataFrame) -> Iterator[Block]:
    # The rows of numbers and of given effects have no value.
    facets = {
        (facet.column, facet.weighted or not facet.learnt): facet for facet in ladder.model.facets if not facet.personal
    }
    groups = _grouped(frame, ladder.layout.traits)
    room = max(LEAST_ROWS, MOST_EFFECTS // max(1, len(groups)))
    for (name, trait, numeric), rows in groups.items():
        writer = _Writer(ladder, frame, rows)
        suffix = f" in {trait}" if trait else ""
        facet = facets.get((name, numeric))
        if facet is None:
            yield Block(f"Playing at home is worth {writer.text(rows[0])}{writer.unit}{suffix} (95 % interval)")
        elif not facet.learnt:
            unit = "unit" if facet.weighted else "value"
            worth = writer.format(writer.number(rows[0]), nan)
            yield Block(f"{name}: each {unit} is worth {worth}{writer.unit}{suffix} (given, not learnt)")
        elif facet.weighted:
            yield Block(f"{name}: each unit is worth {writer.text(rows[0])}{writer.unit}{suffix} (95 % interval)")
        elif facet.counts_matches:
            yield Block(_describe_newcomer(writer, rows) + f"{suffix} (95 % interval)")
        else:
            yield Block(
                f"{name}: {_compare_values(writer, rows)}{suffix} (95 % intervals)",
                {str(row["value"]): (writer.interval(row), writer.text(row, sign=True)) for row in _ends(rows, room)},
            )


def _compare_values(writer: _Writer, rows: list[dict[str, Any]]) -> str:
    best, worst = rows[0], rows[-1]
    if best is worst:
        return f"{best['value']} is worth {writer.text(best)}{writer.unit}"
    value, margin = writer.number(best) - writer.number(worst), hypot(writer.margin(best), writer.margin(worst))
    return f"{best['value']} is worth {writer.format(value, margin)}{writer.unit} more than {worst['value']}"


def _describe_newcomer(writer: _Writer, rows: list[dict[str, Any]]) -> str:
    value, margin = sum(map(writer.number, rows)), hypot(*map(writer.margin, rows))
    side = "below" if value < 0 else "above"
    return f"experience: a newcomer plays {writer.format(abs(value), margin)}{writer.unit} {side} their later level"


def _deviations(ladder: Ladder, frame: pl.DataFrame) -> Iterator[Block]:
    groups = _grouped(frame, ladder.layout.traits)
    room = max(LEAST_ROWS, MOST_DEVIATIONS // max(1, len(groups)))
    for (name, trait, numeric), rows in groups.items():
        # Results hardly tell a skill from an average deviation, so that only differences are worth showing.
        shown = rows if numeric else [row for player in _by_player(rows) for row in _from_average(player)]
        if not shown:
            continue
        writer = _Writer(ladder, frame, shown)
        clearest = sorted(shown, key=writer.clarity, reverse=True)[:room]
        clearest.sort(key=writer.number, reverse=True)
        labels = {", ".join(filter(None, [row["player"], row["value"]])): row for row in clearest}
        suffix = f" in {trait}" if trait else ""
        unit = f", in{writer.unit}" if writer.unit else ""
        what = f"Slopes by {name}{suffix}" if numeric else f"Deviations by {name} from each player's average{suffix}"
        yield Block(
            f"{what}{unit} (95 % intervals)",
            {label: (writer.interval(row), writer.text(row, sign=True)) for label, row in labels.items()},
        )


def _by_player(rows: list[dict[str, Any]]) -> Iterable[list[dict[str, Any]]]:
    players: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        players.setdefault(row["player"], []).append(row)
    return players.values()


def _from_average(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the deviations of a player from their average, which is weighted by matches; [] if there is only one.

    >>> rows = [{"mu": 3.0, "sigma": 1.0, "matches": 1}, {"mu": 1.0, "sigma": 1.0, "matches": 1}]
    >>> [(row["mu"], round(row["sigma"], 3)) for row in _from_average(rows)]
    [(1.0, 0.707), (-1.0, 0.707)]
    """
    if len(rows) < 2:
        return []
    total = sum(row["matches"] for row in rows)
    shares = [row["matches"] / total for row in rows]
    changed = [dict(row) for row in rows]
    for mean, deviation in (("mu", "sigma"), ("points", "points_sigma")):
        if mean not in rows[0]:
            continue
        average = sum(share * row[mean] for share, row in zip(shares, rows, strict=True))
        variance = sum((share * row[deviation]) ** 2 for share, row in zip(shares, rows, strict=True))
        for row, share, old in zip(changed, shares, rows, strict=True):
            own = old[deviation] ** 2
            row[mean] = old[mean] - average
            row[deviation] = sqrt(max(0.0, variance + (1.0 - 2.0 * share) * own))
    return changed


def _grouped(frame: pl.DataFrame, traits: Sequence[str]) -> dict[tuple[str, str, bool], list[dict[str, Any]]]:
    """Return the rows by facet, trait ("" if there is only one), and whether they are multiplied by numbers."""
    groups: dict[tuple[str, str, bool], list[dict[str, Any]]] = {}
    rows = frame.to_dicts()
    names = list(dict.fromkeys(row["facet"] for row in rows))
    order = ["", *traits]
    for row in sorted(rows, key=lambda row: (names.index(row["facet"]), order.index(row.get("trait", "")))):
        groups.setdefault((row["facet"], row.get("trait", ""), not row["value"]), []).append(row)
    return groups


def _ends(rows: list[dict[str, Any]], room: int) -> list[dict[str, Any]]:
    """Return the rows with the largest and the smallest numbers if there is not enough room for all."""
    return rows if len(rows) <= room else rows[: room - room // 2] + rows[-(room // 2) :]


class _Writer:
    """Writes the numbers of a facet: in points if the ladder has a scale, with the digits that the margins need."""

    def __init__(self, ladder: Ladder, frame: pl.DataFrame, rows: list[dict[str, Any]]) -> None:
        self.in_points = "points" in frame.columns
        self.unit = " points" if self.in_points else ""
        usual = ladder.scale.digits if ladder.scale is not None else rating_decimals(frame)
        margins = [self.margin(row) for row in rows if self.margin(row) > 0.0]
        needed = -floor(log10(min(margins))) if margins else 0
        self.digits = min(max(usual, needed), MOST_DECIMALS)

    def number(self, row: Mapping[str, Any]) -> float:
        return float(row["points" if self.in_points else "mu"])

    def margin(self, row: Mapping[str, Any]) -> float:
        """Return half the width of the 95 % interval; NaN if there is none."""
        sigma = row["points_sigma" if self.in_points else "sigma"]
        return nan if sigma is None else Z95 * float(sigma)

    def clarity(self, row: Mapping[str, Any]) -> float:
        """Return the distance of the interval from 0; if the interval contains 0, a negative number."""
        value, margin = abs(self.number(row)), self.margin(row)
        return value - margin if value >= margin else value / margin - 1.0

    def interval(self, row: Mapping[str, Any]) -> Interval:
        # The lab is large, and only ladders with facets need intervals.
        from ...lab.interval import Interval

        value, margin = self.number(row), self.margin(row)
        return Interval(value, value - margin, value + margin)

    def text(self, row: Mapping[str, Any], sign: bool = False) -> str:
        return self.format(self.number(row), self.margin(row), sign)

    def format(self, value: float, margin: float, sign: bool = False) -> str:
        text = format_rounded(value, self.digits).replace("-", "−")
        text = f"+{text}" if sign and value > 0.0 else text
        return text if isnan(margin) else f"{text} ± {format_rounded(margin, self.digits)}"
