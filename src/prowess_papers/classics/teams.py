"""TrueSkill's example of three teams, and the first step of its inference: figure 2 and section 5.5."""

from __future__ import annotations

from math import sqrt
from typing import Any

from prowess.lab.report import Claim, Section
from prowess.model.maths.normal import Truncated, above, central_width
from prowess.model.presets import TrueSkill

from .beside import beside

__all__ = ["teams"]


def teams(said: dict[str, Any]) -> Section:
    """Player 1 wins, players 2 and 3 draw with player 4: all of them newcomers."""
    import polars as pl

    given, model = said["trueskill"], TrueSkill()
    rated = model.rate([[model.rating()] * len(team) for team in given["teams"]], ranks=given["ranks"])
    players = [player for team in rated for player in team]
    rows = []
    for number, (player, mu, sigma) in enumerate(zip(players, given["mu"], given["sigma"], strict=True), 1):
        rows += [beside(f"player {number}: μ", mu, player.mu), beside(f"player {number}: σ", sigma, player.sigma)]
    mean, spread, before = _first_step()
    rows += [beside("first step: mean of d₁", given["step"][0], mean)]
    rows += [beside("first step: standard deviation of d₁", given["step"][1], spread)]
    for name, ranks, printed in (("a winner", [1, 2], given["winner"]), ("a draw", [1, 1], given["draw"])):
        [[one], _] = model.rate([[model.rating()], [model.rating()]], ranks=ranks)
        rows += [beside(f"two newcomers, {name}: μ", printed[0], one.mu)]
        rows += [beside(f"two newcomers, {name}: σ", printed[1], one.sigma)]
    sigma = 1 / sqrt(1 / spread**2 - 1 / before**2)
    claim = Claim(
        "After moment matching p(d₁) is N(d₁; μ, σ²) · N(μ′, σ′²)",
        False,
        f"N(μ′, σ′²) is p(d₁) itself; the factor's message is N(μ′, σ′²) / N(μ, σ²), here with σ = {sigma:.2f}",
    )
    text = (
        f"A₁ = {{1}}, A₂ = {{2, 3}}, A₃ = {{4}}, r = (1, 2, 2); printed: {given['source']}, and for the first step"
        " numerical integration. The larger team lost most: two newcomers were expected to beat one."
    )
    return Section("TrueSkill, three teams (figure 2)", text, pl.DataFrame(rows), None, (claim,))


def _first_step() -> tuple[float, float, float]:
    """Mean and standard deviation of d₁ = t₁ − t₂ when it is known to exceed ε, and its deviation before."""
    model = TrueSkill()
    mu, sigma, beta, tau = (model.params[name] for name in ("mu", "sigma", "beta", "tau"))
    players = 3
    margin = central_width(model.params["draw_probability"]) * beta * sqrt(players)
    spread = sqrt(players * (sigma**2 + tau**2 + beta**2))
    cut = Truncated()
    above((mu - 2 * mu - margin) / spread, cut)
    return margin + spread * cut.mean, spread * sqrt(cut.left), spread
