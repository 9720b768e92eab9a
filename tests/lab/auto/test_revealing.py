"""Columns that contain the result are never tried, and no forecast depends on the result of its own match."""

from dataclasses import replace

import numpy as np
import pytest

import prowess as pw
from prowess.history.context.columns import Context, ContextColumn
from prowess.lab.auto.columns import Columns
from prowess.lab.auto.facts import Facts
from prowess.lab.auto.revealing import is_score_text
from prowess.lab.compare.verdict import remarks
from tests.cli.running import run

PLAYERS = [f"player {number}" for number in range(12)]


INITIALS = dict(zip(PLAYERS, "QWERTZUIOPAS", strict=True))
STRENGTH = dict(zip(PLAYERS, np.random.default_rng(1).normal(0.0, 1.0, 12), strict=True))  # as in `league(seed=1)`


def league(matches=600, seed=1, sizes=(2,), winners_first=False):
    """Return matches between players of different strengths, some of them drawn, with scores."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0.0, 1.0, len(PLAYERS))
    found = []
    for _ in range(matches):
        chosen = rng.permutation(len(PLAYERS))[: rng.choice(sizes)]
        scores = np.maximum(np.round(2.0 + strength[chosen] + rng.normal(0.0, 1.5, len(chosen))), 0.0)
        if winners_first:
            chosen, scores = chosen[np.argsort(-scores)], np.sort(scores)[::-1]
        context = {"venue": str(rng.integers(5)), "shirt": [["red", "blue"][side % 2] for side in range(len(chosen))]}
        if rng.random() < 0.5:
            context["shirt"].reverse()
        found.append({"teams": [[PLAYERS[k]] for k in chosen], "scores": scores.tolist(), "context": context})
    return found


def best(match):
    """Return the index of the only winner of a match, or None."""
    top = [side for side, score in enumerate(match["scores"]) if score == max(match["scores"])]
    return top[0] if len(top) == 1 else None


def of_winner(match, of_side, drawn=None):
    return drawn if best(match) is None else of_side(best(match))


def is_weaker(match, side):
    """Return whether a side of two is the weaker one."""
    [own], [other] = match["teams"][side], match["teams"][1 - side]
    return STRENGTH[own] < STRENGTH[other]


# Columns that follow from the result; their names say nothing.
DERIVED = {
    "FT": lambda match: "-".join(f"{score:g}" for score in match["scores"]),
    "1X2": lambda match: of_winner(match, lambda side: "12"[side], "X"),
    "Ergebnis": lambda match: of_winner(match, lambda side: ["Heim", "Gast"][side], "remis"),
    "Sieger": lambda match: of_winner(match, lambda side: match["teams"][side][0].upper()),
    "Winner2": lambda match: of_winner(match, lambda side: match["teams"][side][0], "nobody"),
    "shirt on top": lambda match: of_winner(match, lambda side: match["context"]["shirt"][side]),
    "Buchstabe": lambda match: of_winner(match, lambda side: INITIALS[match["teams"][side][0]]),
    "Verlierer": lambda match: of_winner(match, lambda side: f"x/{match['teams'][1 - side][0]}.html", "-"),
    "trikot": lambda match: of_winner(match, lambda side: match["context"]["shirt"][side][0].upper()),
    "haken": lambda match: ["✅" if score == max(match["scores"]) else "❌" for score in match["scores"]],
    "halbzeit": lambda match: " zu ".join(f"{(score + 1) // 2:g}" for score in match["scores"]),
    "ausgeglichen": lambda match: f"{abs(match['scores'][0] - match['scores'][1]):g} Tore Unterschied",
    "beide": lambda match: "ja" if min(match["scores"]) > 0 else "nein",
    "viele Tore": lambda match: str(sum(match["scores"]) > 4),
    "Art": lambda match: of_winner(match, lambda side: "verdient" if sum(match["scores"]) % 2 else "glücklich"),
    "überraschung": lambda match: of_winner(match, lambda side: "ja" if is_weaker(match, side) else "nein"),
    "kills": lambda match: [[score] for score in match["scores"]],  # a statistic of players
    "abstand": lambda match: match["scores"][0] - match["scores"][1],
    "tore": lambda match: [f"{score:g}" for score in match["scores"]],
    "ausgang": lambda match: ["S" if score == max(match["scores"]) else "N" for score in match["scores"]],
}
IN_CROWDS = ("Sieger", "Winner2", "Buchstabe", "tore", "ausgang", "haken", "kills")


def with_columns(matches, names):
    return [match | {"context": match["context"] | {name: DERIVED[name](match) for name in names}} for match in matches]


def usable(matches):
    columns = Columns.of(pw.History.from_matches(matches))
    assert not {column.name for column in columns.usable} & set(columns.doubtful)
    return {column.name for column in columns.usable}


@pytest.mark.parametrize("name", DERIVED)
@pytest.mark.parametrize("matches", [400, 600])  # columns are tried from 400 matches on
@pytest.mark.parametrize("order", ["as drawn", "winners first"])
def test_column_that_follows_from_the_result_is_not_tried(name, matches, order):
    alike = name in ("1X2", "Ergebnis") and order == "winners first"  # then these columns only say who is not drawn
    found = usable(with_columns(league(matches, winners_first=order == "winners first"), [name]))
    assert name not in found or alike
    assert {"venue", "shirt"} <= found


@pytest.mark.parametrize("name", IN_CROWDS)
def test_column_that_names_the_winner_of_several_is_not_tried(name):
    matches = league(sizes=(2, 3, 4, 6))
    assert usable(with_columns(matches, [name])) == usable(matches)


def with_ratings(matches, name, after):
    """Add Elo ratings as they were before each match, or as they are after it."""
    ratings, found = dict.fromkeys(PLAYERS, 1500.0), []
    for match in matches:
        [one], [other] = match["teams"]
        before = [ratings[one], ratings[other]]
        won = 0.5 + 0.5 * np.sign(match["scores"][0] - match["scores"][1])
        gained = 24.0 * (won - 1.0 / (1.0 + 10.0 ** ((before[1] - before[0]) / 400.0)))
        ratings[one], ratings[other] = before[0] + gained, before[1] - gained
        values = [ratings[one], ratings[other]] if after else before
        ranks = [f"{sum(rating >= value for rating in ratings.values())}." for value in values]
        found.append(match | {"context": match["context"] | {name: values, "rang": ranks}})
    return found


@pytest.mark.parametrize("matches", [400, 600, 2000])
def test_rating_after_the_match_is_not_tried(matches):
    """Its values say no more than those of a rating before the match, but their changes say who has won."""
    games = league(matches)
    assert {"elo", "rang"} <= usable(with_ratings(games, "elo", after=False))
    late = usable(with_ratings(games, "elo", after=True))
    assert "elo" not in late
    assert "rang" not in late


def test_hand_of_the_winner_is_not_tried():
    """It names no side in half of the matches, because both players have the same hand."""
    matches = [match for match in league() if best(match) is not None]
    for match in matches:
        match["context"]["hand"] = ["LR"[PLAYERS.index(name) % 2] for [name] in match["teams"]]
        match["context"]["vorne"] = match["context"]["hand"][best(match)]
        match["context"]["linker"] = match["context"]["hand"][int(match["context"]["venue"]) % 2]
    assert usable(matches) == {"venue", "shirt", "linker"}


@pytest.mark.parametrize("seed", range(4))
def test_win_of_the_favourites_among_changing_teams_is_not_tried(seed):
    """Which team is the stronger one follows from all results of its players."""
    rng = np.random.default_rng(seed)
    strength, matches = rng.normal(0.0, 1.0, 24), []
    for _ in range(430):
        chosen = rng.permutation(24)[:10]
        lead = strength[chosen[:5]].sum() - strength[chosen[5:]].sum()
        won = bool(rng.random() < 1.0 / (1.0 + np.exp(-lead)))
        teams = [[f"player {number}" for number in team] for team in (chosen[:5], chosen[5:])]
        context = {"favorit": "ja" if won == (lead > 0.0) else "nein", "karte": str(rng.integers(4))}
        matches.append({"teams": teams, "ranks": [1, 2] if won else [2, 1], "context": context})
    assert usable(matches) == {"karte"}


@pytest.mark.parametrize("matches", [400, 600, 2000])
def test_points_after_the_match_are_not_tried(matches):
    """As texts, these numbers have too many values to count pairs of them."""
    games, points = league(matches), dict.fromkeys(PLAYERS, 0)
    for match in games:
        for side, [player] in enumerate(match["teams"]):
            points[player] += match["scores"][side] == max(match["scores"])
        match["context"]["stand"] = [f"{points[player]}" for [player] in match["teams"]]
    assert "stand" not in usable(games)


@pytest.mark.parametrize(
    "texts", [["1995-96", "1996-97"], ["15:00", "17:30", "20:45 Uhr"], ["2019-03-31", "2019-04-01"]]
)
def test_seasons_days_and_times_of_day_are_no_scores(texts):
    matches = league()
    for number, match in enumerate(matches):
        match["context"]["wann"] = texts[number % len(texts)]
    found = Columns.of(pw.History.from_matches(matches))
    assert "wann" in {column.name for column in found.usable}
    assert found.doubtful == ()


@pytest.mark.parametrize(
    "texts", [["21-15", "19-21"], ["1:0", "0:15", "2:30"], ["98:75", "80:85"], ["1-0 n.V.", "0 – 2"]]
)
def test_scores_are_recognised_as_text(texts):
    assert is_score_text(ContextColumn.of(texts))


def test_result_of_each_side_hides_no_result_of_the_match():
    """A value of the match that each time is also that of the first team still says who has won."""
    matches = [match for match in league() if best(match) is not None]
    for match in matches:
        match["context"]["seiten"] = ["S" if side == best(match) else "N" for side in (0, 1)]
        match["context"]["heim"] = match["context"]["seiten"][0]
    assert not {"seiten", "heim"} & usable(matches)


def test_columns_that_only_describe_a_match_are_tried():
    """Venues are named after players, and the value of a column depends on who plays."""
    matches = league()
    for match in matches:
        [one], [other] = match["teams"]
        match["context"] |= {"arena": PLAYERS[int(match["context"]["venue"])], "host": min(one, other)}
        homes = [f"c{PLAYERS.index(name) % 5}" for name in (one, other)]
        match["context"] |= {"ground": f"at {one}'s", "country": homes}
    found = Columns.of(pw.History.from_matches(matches))
    assert {"arena", "host", "venue"} <= {column.name for column in found.usable}
    assert found.doubtful == ()


def test_football_with_a_column_of_the_score_gets_the_same_model_as_without(data):
    read = pw.History.read(data / "premier_league_1995_2009.csv")
    scores = read.score.reshape(-1, 2).astype(int).tolist()
    texts = ContextColumn.of([f"{home}-{away}" for home, away in scores])
    revealed = replace(read, context=Context({**read.context, "FT": texts}))
    one, other = (pw.auto(history[:2000], progress=False) for history in (read, revealed))
    assert one.model == other.model
    assert "FT" in str(other)


@pytest.mark.parametrize(("seed", "sizes"), [(0, (2,)), (1, (2,)), (2, (2,)), (3, (2, 3, 4, 6))])
def test_no_forecast_depends_on_the_result_of_its_own_match(seed, sizes):
    """The model is chosen from the matches before match n; then the result of match n is replaced."""
    n, names = 520, DERIVED if sizes == (2,) else IN_CROWDS
    matches = league(n + 1, seed=seed, sizes=sizes)
    scores = matches[n]["scores"]
    other = matches[n] | {"scores": scores[::-1] if scores != scores[::-1] else [9.0, *scores[1:]]}
    histories = [pw.History.from_matches(with_columns([*matches[:n], last], names)) for last in (matches[n], other)]
    assert histories[0].entry_context["kills"] != histories[1].entry_context["kills"]
    forecasts = [pw.auto(history[:n], progress=False).model.fit(history).forecasts for history in histories]
    for column in ("mean", "variance", "win", "draw"):
        one, again = (getattr(found, column) for found in forecasts)
        assert one.tobytes() == again.tobytes()


@pytest.mark.parametrize("matches", [20, 150, 600])  # at first only textbook TrueSkill, then without columns
@pytest.mark.parametrize("options", [{"covariates": ["1X2"]}, {"facets": [pw.facet.By("1X2")]}], ids=str)
def test_column_with_the_result_that_the_user_names_is_used_with_a_remark(matches, options):
    history = pw.History.from_matches(with_columns(league(matches), ["1X2"]))
    choice = pw.auto(history, progress=False, **options)
    assert ("1X2" in choice.model.context_columns) or "covariates" in options
    named = [note.code for note in choice.notes if "1X2" in str(note)]
    assert named == ["revealing-columns"] or (matches == 20 and "covariates" in options)
    assert "revealing-columns" not in [note.code for note in pw.auto(history, progress=False).notes]


def test_discovery_names_the_columns_with_the_result():
    history = pw.History.from_matches(with_columns(league(), ["1X2"]))
    assert [note for note in pw.discover(history, progress=False).sentences if "1X2" in note] == [
        "Columns that may be known only after a match are not used: 1X2. If they are known before a match, use "
        "`covariates=['1X2']`."
    ]
    [said] = [note for note in pw.discover(history, covariates=["1X2"], progress=False).sentences if "If it" in note]
    assert said.startswith("1X2 says more about the results than is known before most matches.")


def test_comparison_names_the_columns_with_the_result():
    history = pw.History.from_matches(with_columns(league(), ["1X2"]))
    models = {facet: pw.TrueSkill().replace(facets=(pw.facet.By(facet, sigma=2.0),)) for facet in ("1X2", "venue")}
    comparison = pw.compare(history, models)
    assert comparison.revealing == ("1X2",)
    assert any(remark.startswith("1X2 says more") for remark in remarks(comparison))
    assert not pw.compare(history, {"venue": models["venue"]}).revealing


def test_goals_until_half_time_are_used_with_a_remark():
    """Each side's own goals say little, but their difference says much."""
    matches, rng = league(800), np.random.default_rng(1)
    for match in matches:
        match["context"]["hz"] = rng.binomial(np.array(match["scores"], int), 0.4).tolist()
        match["context"]["ecken"] = rng.poisson(5.0, 2).tolist()
    choice = pw.auto(pw.History.from_matches(matches), covariates=["hz", "ecken"], progress=False)
    [remark] = [note for note in choice.notes if note.code == "revealing-columns"]
    assert str(remark).startswith("hz says more about the results")


@pytest.mark.parametrize("add", [["1X2", "viele Tore"], []])
def test_column_with_the_result_is_no_kind_of_match(add):
    """Statistics are compared within matches of one kind; a result or a name of the best player is none."""
    matches, rng = with_columns(league(800), add), np.random.default_rng(1)
    for match in matches:
        kind = int(rng.integers(1, 3))
        match["context"] |= {
            "mode": f"mode {kind}",
            "shots": [kind * (score + rng.poisson(3)) for score in match["scores"]],
        }
        match["context"]["star"] = f"{match['teams'][0][0]} or number {rng.integers(20)}"
    facts = Facts.of(pw.History.from_matches(matches), 400)
    assert facts.statistic_of("shots").per == ("mode",)


def test_tune_names_the_columns_with_the_result(tmp_path):
    pw.History.from_matches(with_columns(league(200), ["1X2"])).write(tmp_path / "football.csv")
    words = ("tune", tmp_path / "football.csv", "--model", "trueskill", "--trials", 2, "--facet")
    assert "1X2 says more about the results" in run(*words, "1X2").stderr
    assert "says more" not in run(*words, "venue").stderr


@pytest.mark.parametrize("model", [(), ("--model", "trueskill")], ids=" ".join)
@pytest.mark.parametrize("flag", ["--facet", "--shared"])
def test_rate_names_the_columns_with_the_result(tmp_path, flag, model):
    matches = with_columns(league(200), ["1X2"])
    for match in matches:
        match["context"]["seite"] = DERIVED["ausgang"](match)
    column = {"--facet": "1X2", "--shared": "seite"}[flag]
    pw.History.from_matches(matches).write(tmp_path / "football.csv")
    said = run("rate", tmp_path / "football.csv", flag, column, *model).stderr
    assert f"{column} says more about the results than is known before most matches" in said
    assert "says more" not in run("rate", tmp_path / "football.csv", "--facet", "venue", *model).stderr
