"""The equations of the Manifesto with numbers: Harkness, Elo and Glicko."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10
from typing import TYPE_CHECKING, Any

from prowess.history import History
from prowess.lab.report import Claim, Section
from prowess.model.model import Model
from prowess.model.presets import Elo, Glicko, Glicko2, Harkness
from prowess.model.rating import Rating
from prowess.text import join_words

from .beside import beside

if TYPE_CHECKING:
    import polars as pl

__all__ = ["elo", "glicko", "harkness"]

RANKS = {0: [2, 1], 0.5: [1, 1], 1: [1, 2]}


def harkness(said: dict[str, Any]) -> Section:
    """Equation (1): a tournament of four games."""
    given, model = said["harkness"], Harkness()
    met = [model.rating(rating) for rating in given["opponents"]]
    after = _event(model, model.rating(given["rating"]), met, given["results"])
    text = (
        f"A player of {given['rating']} meets {join_words(given['opponents'])}, wins three and loses one: the mean of"
        " the opponents plus 50 for each win more than losses. The old rating does not count: Harkness has no memory."
    )
    forgets = _event(model, model.rating(2400), met, given["results"])
    evidence = f"a player of 2400 would be at {forgets.mu:g} after the same games"
    claim = Claim("A player's rating is adjusted: the old one counts", after.mu != forgets.mu, evidence)
    rows = [beside("new rating", given["by_hand"], after.mu)]
    return Section("Harkness, equation (1)", text, _frame(rows), None, (claim,))


def elo(said: dict[str, Any]) -> Section:
    """Equations (3) to (5), and a tournament whose result is known."""
    given = said["elo"]
    model = Elo(k=given["k"])
    rows = []
    for case in given["expected"]:
        one, other = case["ratings"]
        chance = model.predict([[model.rating(one)], [model.rating(other)]]).win[0]
        rows.append(beside(f"(3) expected score of {one} against {other}", case["by_hand"], chance))
    for case in given["update"]:
        after = model.rate([[model.rating(1500)], [model.rating(1700)]], ranks=case["ranks"])
        for printed, [player], was in zip(case["by_hand"], after, (1500, 1700), strict=True):
            rows.append(beside(f"(5) {case['what']}: {was} becomes", printed, player.mu))
    rows.append(beside(given["tournament"]["source"], given["tournament"]["published"], _tournament(given)))
    return Section(f"Elo, equations (3) to (5), K = {given['k']}", "", _frame(rows))


def _tournament(given: dict[str, Any]) -> float:
    """Games of one event are rated from the rating before it: the points of each are added up."""
    model, event = Elo(k=given["k"]), given["tournament"]
    start, total = model.rating(event["rating"]), 0.0
    for opponent, result in zip(event["opponents"], event["results"], strict=True):
        [[after], _] = model.rate([[start], [model.rating(opponent)]], ranks=RANKS[result])
        total += after.mu - start.mu
    return float(start.mu + total)


def glicko(said: dict[str, Any]) -> Section:
    """Equations (6) to (8): Glickman's example, and Glicko-2 on the same games."""
    given, rows = said["glicko"], []
    model = Glicko(c=0)
    opponents = [model.rating(*known) for known in given["opponents"]]
    sure = model.rating(given["rating"][0], 0)  # equation (6) looks at the opponent's RD alone
    for printed, expected, other in zip(given["g"], given["expected"], opponents, strict=True):
        chance = _expected(model, sure, other)
        name = f"{other.mu:.0f} (RD {other.sigma:.0f})"
        damped = 400 / (sure.mu - other.mu) * log10(chance / (1 - chance))
        rows += [beside(f"(7) g of {name}", printed, damped), beside(f"(6) E against {name}", expected, chance)]
    after = _event(model, model.rating(*given["rating"]), opponents, given["results"])
    for name, printed, ours in zip(("rating", "RD"), given["published"], (after.mu, after.sigma), strict=True):
        rows.append(beside(f"(8) Glicko: new {name}", printed, ours))
    second = Glicko2(tau=0.5)
    met = [second.rating(*known) for known in given["opponents"]]
    after = _event(second, second.rating(*given["rating"]), met, given["results"])
    found = (after.mu, after.sigma, after.volatility)
    for name, printed, ours in zip(("rating", "RD", "volatility"), said["glicko2"]["published"], found, strict=True):
        rows.append(beside(f"Glicko-2: new {name}", printed, ours))
    text = (
        "1500 (RD 200) beats 1400 (RD 30) and loses to 1550 (RD 100) and to 1700 (RD 300), in one rating period. The"
        " Glicko-2 paper rounds on the way: to more digits the rating is 1464.0507."
    )
    return Section("Glicko, equations (6) to (8)", text, _frame(rows), None, _glicko_claims(model, given))


def _glicko_claims(model: Model, given: dict[str, Any]) -> tuple[Claim, ...]:
    """What the Manifesto says of its equations, where it can be checked."""
    one, other = model.rating(1500, 30), model.rating(1700, 300)
    printed = [_expected(model, model.rating(a.mu, 0), b) for a, b in ((one, other), (other, one))]
    both = [_expected(model, a, b) for a, b in ((one, other), (other, one))]
    sure = _expected(Elo(), Elo().rating(1900), Elo().rating(1500))
    damped = _expected(model, model.rating(1900, 0), model.rating(1500, given["largest"]))
    least = log10(damped / (1 - damped))
    return (
        Claim(
            "Equation (6) is the chance to win: E_A + E_B = 1",
            abs(sum(printed) - 1) < 1e-9,
            f"1500 (RD 30) against 1700 (RD 300): {printed[0]:.4f} + {printed[1]:.4f} = {sum(printed):.4f}; with both"
            f" deviations in g, as prowess predicts: {both[0]:.4f} + {both[1]:.4f} = {sum(both):.4f}",
        ),
        Claim(
            "If RD is large, g ≪ 1",
            least < 0.5,
            f"at the largest RD, {given['largest']}, g is {least:.3f}: a lead of 400 is worth {damped:.3f},"
            f" not {sure:.3f}",
        ),
        Claim(
            "A rating period is a spell of a career, from a return to a retirement",
            False,
            "by Glickman's definition: it is a fixed span of time, such as a month, whose games are rated together",
        ),
    )


def _expected(model: Model, one: Rating, other: Rating) -> float:
    prediction = model.predict([[one], [other]])
    return float(prediction.win[0] + 0.5 * prediction.draw)


def _event(model: Model, player: Rating, opponents: Sequence[Rating], results: Sequence[float]) -> Rating:
    """A player after games that are rated together, as all of one rating period are."""
    names = [f"opponent {index}" for index in range(len(opponents))]
    games = [
        {"teams": [["player"], [name]], "ranks": RANKS[result], "time": 1}
        for name, result in zip(names, results, strict=True)
    ]
    start = dict(zip(names, opponents, strict=True)) | {"player": player}
    return model.fit(History.from_matches(games), start=start, progress=False)["player"]


def _frame(rows: list[dict[str, str]]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(rows)
