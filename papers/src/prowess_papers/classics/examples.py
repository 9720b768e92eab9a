"""The equations of Stout, A Manifesto of Skill (2025), with numbers: Harkness, Elo, Glicko and TrueSkill."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10, sqrt
from typing import TYPE_CHECKING, Any

from prowess.history import History
from prowess.lab.report import Claim, Section
from prowess.model.maths.normal import Truncated, above, central_width
from prowess.model.model import Model
from prowess.model.presets import Elo, Glicko, Glicko2, Harkness, TrueSkill
from prowess.model.rating import Rating
from prowess.text import join_words

if TYPE_CHECKING:
    import polars as pl

RANKS = {0: [2, 1], 0.5: [1, 1], 1: [1, 2]}


def harkness(published: dict[str, Any]) -> Section:
    """Return a section that checks equation (1) of the Manifesto with a tournament of four games."""
    given, model = published["harkness"], Harkness()
    met = [model.rating(rating) for rating in given["opponents"]]
    after = _event(model, model.rating(given["rating"]), met, given["results"])
    text = (
        f"A player rated {given['rating']} meets {join_words(given['opponents'])}, wins three games and loses one. The "
        "new rating is the mean of the opponents' ratings plus 50 · (wins − losses). The old rating does not count: "
        "Harkness has no memory."
    )
    forgets = _event(model, model.rating(2400), met, given["results"])
    evidence = f"a player rated 2400 would also get {forgets.mu:g} for the same games"
    claim = Claim("A player's rating is adjusted: the old one counts", after.mu != forgets.mu, evidence)
    rows = [compare_digits("new rating", given["by_hand"], after.mu)]
    return Section("Harkness, equation (1)", text, _frame(rows), None, (claim,))


def elo(published: dict[str, Any]) -> Section:
    """Return a section on equations (3) to (5) of the Manifesto, and a tournament whose result is published."""
    given = published["elo"]
    model = Elo(k=given["k"])
    rows = []
    for case in given["expected"]:
        one, other = case["ratings"]
        chance = model.predict([[model.rating(one)], [model.rating(other)]]).win[0]
        rows.append(compare_digits(f"(3) expected score of {one} against {other}", case["by_hand"], chance))
    for case in given["update"]:
        after = model.rate([[model.rating(1500)], [model.rating(1700)]], ranks=case["ranks"])
        for printed, [player], was in zip(case["by_hand"], after, (1500, 1700), strict=True):
            rows.append(compare_digits(f"(5) {case['what']}: {was} becomes", printed, player.mu))
    rows.append(compare_digits(given["tournament"]["source"], given["tournament"]["published"], _tournament(given)))
    return Section(f"Elo, equations (3) to (5), K = {given['k']}", "", _frame(rows))


def _tournament(given: dict[str, Any]) -> float:
    # Every game is rated from the ratings before the event, and the gains are added up.
    model, event = Elo(k=given["k"]), given["tournament"]
    start, total = model.rating(event["rating"]), 0.0
    for opponent, result in zip(event["opponents"], event["results"], strict=True):
        [[after], _] = model.rate([[start], [model.rating(opponent)]], ranks=RANKS[result])
        total += after.mu - start.mu
    return float(start.mu + total)


def glicko(published: dict[str, Any]) -> Section:
    """Return a section on equations (6) to (8) of the Manifesto (Glickman's example) and Glicko-2 on the same games."""
    given, rows = published["glicko"], []
    model = Glicko(c=0)
    opponents = [model.rating(*known) for known in given["opponents"]]
    sure = model.rating(given["rating"][0], 0)  # equation (6) uses only the opponent's RD
    for printed, expected, other in zip(given["g"], given["expected"], opponents, strict=True):
        chance = _expected(model, sure, other)
        name = f"{other.mu:.0f} (RD {other.sigma:.0f})"
        # Equation (6), solved for g.
        damped = 400 / (sure.mu - other.mu) * log10(chance / (1 - chance))
        rows += [
            compare_digits(f"(7) g of {name}", printed, damped),
            compare_digits(f"(6) E against {name}", expected, chance),
        ]
    after = _event(model, model.rating(*given["rating"]), opponents, given["results"])
    for name, printed, ours in zip(("rating", "RD"), given["published"], (after.mu, after.sigma), strict=True):
        rows.append(compare_digits(f"(8) Glicko: new {name}", printed, ours))
    second = Glicko2(tau=0.5)
    met = [second.rating(*known) for known in given["opponents"]]
    after = _event(second, second.rating(*given["rating"]), met, given["results"])
    found = (after.mu, after.sigma, after.volatility)
    for name, printed, ours in zip(
        ("rating", "RD", "volatility"), published["glicko2"]["published"], found, strict=True
    ):
        rows.append(compare_digits(f"Glicko-2: new {name}", printed, ours))
    text = (
        "A player rated 1500 (RD 200) beats 1400 (RD 30) and loses to 1550 (RD 100) and to 1700 (RD 300), in one rating"
        " period. The Glicko-2 paper rounds intermediate results; with more digits the rating is 1464.0507."
    )
    return Section("Glicko, equations (6) to (8)", text, _frame(rows), None, _glicko_claims(model, given))


def _glicko_claims(model: Model, given: dict[str, Any]) -> tuple[Claim, ...]:
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
            f" deviations in g, as in prowess's predictions: {both[0]:.4f} + {both[1]:.4f} = {sum(both):.4f}",
        ),
        Claim(
            "If RD is large, g ≪ 1",
            least < 0.5,
            f"at the largest RD, {given['largest']}, g is {least:.3f}: with a lead of 400, the expected score is"
            f" {damped:.3f} instead of {sure:.3f}",
        ),
        Claim(
            "A rating period is a part of a career, from a return to a retirement",
            False,
            "by Glickman's definition: it is a fixed span of time, such as a month, whose games are rated together",
        ),
    )


def _expected(model: Model, one: Rating, other: Rating) -> float:
    prediction = model.predict([[one], [other]])
    return float(prediction.win[0] + 0.5 * prediction.draw)


def _event(model: Model, player: Rating, opponents: Sequence[Rating], results: Sequence[float]) -> Rating:
    """Return a player's rating after games that are rated together, as in one rating period."""
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


def teams(published: dict[str, Any]) -> Section:
    """Return a section that checks figure 2 and section 5.5 of the Manifesto.

    Player 1 wins, and the team of players 2 and 3 draws with player 4. All players are newcomers.
    """
    import polars as pl

    given, model = published["trueskill"], TrueSkill()
    rated = model.rate([[model.rating()] * len(team) for team in given["teams"]], ranks=given["ranks"])
    players = [player for team in rated for player in team]
    rows = []
    for number, (player, mu, sigma) in enumerate(zip(players, given["mu"], given["sigma"], strict=True), 1):
        rows += [
            compare_digits(f"player {number}: μ", mu, player.mu),
            compare_digits(f"player {number}: σ", sigma, player.sigma),
        ]
    mean, spread, before = _first_step()
    rows += [compare_digits("first step: mean of d₁", given["step"][0], mean)]
    rows += [compare_digits("first step: standard deviation of d₁", given["step"][1], spread)]
    for name, ranks, printed in (("a winner", [1, 2], given["winner"]), ("a draw", [1, 1], given["draw"])):
        [[first], _] = model.rate([[model.rating()], [model.rating()]], ranks=ranks)
        rows += [compare_digits(f"two newcomers, {name}: μ", printed[0], first.mu)]
        rows += [compare_digits(f"two newcomers, {name}: σ", printed[1], first.sigma)]
    sigma = 1 / sqrt(1 / spread**2 - 1 / before**2)
    claim = Claim(
        "After moment matching p(d₁) is N(d₁; μ, σ²) · N(μ′, σ′²)",
        False,
        f"N(μ′, σ′²) is p(d₁) itself; the factor's message is N(μ′, σ′²) / N(μ, σ²), here with σ = {sigma:.2f}",
    )
    text = (
        f"The teams are A₁ = {{1}}, A₂ = {{2, 3}}, A₃ = {{4}}, with ranks r = (1, 2, 2). The printed numbers come from"
        f" {given['source']}, and for the first step from numerical integration. The larger team lost most, because two"
        " newcomers were expected to beat one."
    )
    return Section("TrueSkill, three teams (figure 2)", text, pl.DataFrame(rows), None, (claim,))


def _first_step() -> tuple[float, float, float]:
    """Return the mean and standard deviation of d₁ = t₁ − t₂ given d₁ > ε, and its prior standard deviation."""
    model = TrueSkill()
    mu, sigma, beta, tau = (model.params[name] for name in ("mu", "sigma", "beta", "tau"))
    # Team 1 has one player and team 2 has two, so three players contribute to the difference.
    players = 3
    margin = central_width(model.params["draw_probability"]) * beta * sqrt(players)
    spread = sqrt(players * (sigma**2 + tau**2 + beta**2))
    cut = Truncated()
    above((mu - 2 * mu - margin) / spread, cut)
    return margin + spread * cut.mean[0], spread * sqrt(cut.left[0]), spread


def compare_digits(what: str, printed: str, ours: float | None) -> dict[str, str]:
    """Return a row of a table: label, printed number, our number with as many digits, and whether they agree.

    Numbers agree if they differ by at most one in the last digit, because printed numbers often come from rounded
    intermediate results.

    >>> compare_digits("a third", "0.333", 1 / 3)
    {'what': 'a third', 'printed': '0.333', 'ours': '0.333', 'agrees': 'yes'}
    """
    places = len(printed.partition(".")[2])
    assert ours is not None  # σ is None only in systems without uncertainty, which these examples do not use
    # The factor slightly above 1 allows for rounding in the comparison itself.
    agrees = abs(ours - float(printed)) <= 1.0001 * 10.0**-places
    return {"what": what, "printed": printed, "ours": f"{ours:.{places}f}", "agrees": "yes" if agrees else "no"}
