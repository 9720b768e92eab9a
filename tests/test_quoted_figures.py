"""Figures in the prose and tables of the pages that a reader can check in a second; examples are run by `test_docs`."""

from math import log
from pathlib import Path

import pytest

import prowess as pw
from prowess.lab import measures
from prowess.model.ladder.leaderboard import PROVISIONAL_MATCHES, UNKNOWN
from tools import calibration

PAGES = Path(__file__).parent.parent


def text_of(page):
    return " ".join((PAGES / page).read_text(encoding="utf-8").split())


def percent(chance):
    return f"{100 * chance:.0f} %"


@pytest.mark.parametrize("difference", [0, 2, 4, 8, 16])
def test_chances_by_difference_in_skill(difference):
    model = pw.TrueSkill()
    teams = [[model.rating(25 + difference, 1)], [model.rating(25, 1)]]
    prediction = model.predict(teams)
    stronger, weaker = prediction.win
    cells = [difference, percent(stronger), percent(prediction.draw), percent(weaker), f"{model.quality(teams):.2f}"]
    assert f"| {' | '.join(map(str, cells))} |" in text_of("docs/guide/reading-a-rating.md")


@pytest.mark.parametrize("chance", [0.99, 0.7, 0.5, 0.1])
def test_log_loss_by_probability(chance):
    assert f"| {percent(chance)} | {-log(chance):.2f} |" in text_of("docs/guide/reading-a-rating.md")


def test_points_of_textbook_trueskill():
    text = text_of("docs/guide/reading-a-rating.md")
    points = pw.TrueSkill().points((1500, 400))
    assert f"it is {400 / points.factor:.2f}, so one point is a difference of {1 / points.factor:.4f}." in text
    assert UNKNOWN == 0.5**2
    assert PROVISIONAL_MATCHES == 10
    assert "until σ is below half of a newcomer's, for ten matches at most." in text

    def odds(lead):
        won = pw.TrueSkill(tau=0).predict([[pw.Rating(25 + lead / points.factor, 1e-6)], [pw.Rating(25, 1e-6)]])
        return won.win[0] / won.win[1]

    assert odds(400) == pytest.approx(10.0, rel=0.01)
    assert odds(120) == pytest.approx(2.0, rel=0.1)
    assert odds(800) >= 100.0


@pytest.mark.parametrize(("draw_probability", "text"), [(0.1, "gets a mu of {} with"), (0.0, "and of {} with 0.")])
def test_winner_of_a_large_field(draw_probability, text):
    model = pw.TrueSkill(draw_probability=draw_probability)
    best = model.rate([[model.rating()] for _ in range(2000)])[0][0]
    assert text.format(f"{best.mu:.0f}") in text_of("docs/guide/limits.md")


@pytest.mark.parametrize("page", ["README.md", "docs/guide/speed.md"])
def test_chance_against_seven_weaker_players(page):
    model = pw.TrueSkill(draw_probability=0)
    chance = model.predict([[model.rating(35, 1)], *([model.rating(25, 1)] for _ in range(7))]).win[0]
    assert f"{chance:.3f}" in text_of(page)
    assert "`draw_probability=0`" in text_of(page)


def later_loss(model, history, start):
    """Return the mean loss of the matches from `start` on: the log loss, or the loss per pair of teams."""
    measure = measures.log_loss if history.teams == 2 * len(history) else measures.pair_log_loss
    return measure(model.fit(history).forecasts).mean(slice(start, None))


@pytest.mark.parametrize(
    ("name", "row", "tau", "share", "k"),
    [
        ("llm_comparisons.csv", "8,931 votes between language models, 25 to 64 % draws", 0.2, 0.45, 20),
        ("premier_league_1995_2009.csv", "Premier League 1995 to 2009", 0.1, 0.31, 15),
        ("international_football.csv", "international football since 1872", 0.17, 0.31, 40),
    ],
    ids=["votes", "premier-league", "international"],
)
def test_log_losses_by_the_memory_of_draws(data, name, row, tau, share, k):
    history = pw.History.read(data / name)
    home = {} if "llm" in name else {"home_advantage": "learnt"}
    trueskill = pw.TrueSkill(tau=tau)
    learnt = trueskill.replace(draw_probability="learnt")
    models = [trueskill, trueskill.replace(draw_probability=share)]
    models += [learnt.replace(draw_memory=memory) for memory in (60, 500, 3000)]
    models.append(pw.Elo(k=k))
    losses = [later_loss(pw.compose(model, history, **home), history, int(0.6 * len(history))) for model in models]
    text = text_of("docs/guide/models.md")
    assert f"| {row} | {' | '.join(f'{loss:.4f}' for loss in losses)} |" in text
    assert f"{tau:g}" in text.partition("TrueSkill uses a `tau` of ")[2][:20]


def test_log_losses_of_score_models(data):
    league, football = (pw.History.read(data / f"{name}.csv") for name in ("premier_league_1995_2009", "afl_1999_2009"))
    exact = pw.GaussianSD(sigma=0.4, beta=0.1)
    rounded = [f"{later_loss(model, league, 0):.2f}" for model in (exact, exact.replace(rounding=1))]
    text = text_of("docs/guide/models.md")
    assert f"from {rounded[0]} to {rounded[1]}." in text
    first = [f"{later_loss(pw.PoissonOD(base_rate=base), football[:50], 0):.2f}" for base in (1.0, "learnt")]
    assert f"from {first[0]} to {first[1]}." in text


@pytest.mark.parametrize(
    ("name", "start", "row"),
    [
        ("llm_comparisons.csv", 5522, "| prompt, worker | {:.3f} on the last 3,409 (without: {:.3f}) |"),
        pytest.param("f1_race_results.csv", 928, "| constructor | {:.3f} per pair of drivers", marks=pytest.mark.long),
        pytest.param(
            "atp_2000_2023.csv.gz",
            32_210,
            "| surface, round, best of | {:.3f} in 2010–2023 (without: {:.3f}) |",
            marks=pytest.mark.long,
        ),
    ],
)
def test_log_losses_with_the_columns_that_auto_finds(data, name, start, row):
    history = pw.History.read(data / name)
    choices = [pw.auto(history[:start], progress=False)]
    if row.count("{") > 1:
        choices.append(pw.auto(history[:start], facets=False, progress=False))
    losses = [later_loss(choice.model, history, start) for choice in choices]
    assert row.format(*losses) in text_of("docs/guide/facets.md")


def test_coverage_of_intervals():
    text = (PAGES / "docs/guide/models.md").read_text(encoding="utf-8").splitlines()
    rows = [row for _, row, _ in calibration.rows()]
    assert set(rows) <= set(text)
    assert len(rows) == 14


def test_gains_from_individual_statistics(data):
    """The parameters of the table, which were tuned on the first half of the league, give its losses and gains."""
    history = pw.History.read(data / "cwl_2017_2018.csv.gz")
    page = (PAGES / "docs/guide/statistics.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if "| β " in line]
    skill = pw.TrueSkill(draw_probability=0.002).replace(drift=pw.drift.PerTime(0.1, cap=25 / 3))
    models = {}
    for name, parameters, *_ in rows:
        statistic = next((word for word in ("kills", "deaths") if word in name), None)
        modes = (pw.facet.By("mode"),) if "mode" in name else ()
        statistics = (pw.statistic.Points(statistic, lower=statistic == "deaths", per="mode"),) if statistic else ()
        model = skill.replace(facets=modes, statistics=statistics)
        symbols = {"β": "beta", "τ": "tau", "σ": "mode_sigma", "ω": f"{statistic}_omega", "γ": f"{statistic}_gamma"}
        values = dict(one.split() for one in parameters.split(", "))
        models[name] = model.replace(**{symbols[symbol]: float(value) for symbol, value in values.items()})
    protocol = pw.lab.Prequential(len(history) // 2)
    found = pw.compare(history, models, protocol=protocol, measures=["log_loss"], progress=False)
    losses = {row["model"]: f"{row['log_loss']:.4f}" for row in found.table().iter_rows(named=True)}
    gains = {"one skill": ""}
    for row in found.differences("one skill").iter_rows(named=True):
        gain, low, high = (f"{-row[key]:.4f}".replace("-", "−") for key in ("difference", "high", "low"))
        gains[row["model"]] = f"{gain} ({low} to {high})"
    assert [[name, losses[name], gains[name]] for name in models] == [[row[0], *row[2:], ""][:3] for row in rows]
    assert len(models) == 5
