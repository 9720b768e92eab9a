"""The automatic choice tries columns as facets, keeps those that gain, and never looks at what a match reveals."""

from dataclasses import replace

import numpy as np
import pytest

import prowess as pw
from prowess.history.context.columns import Context, ContextColumn
from prowess.lab.auto.columns import Columns

TEAMS = [["ann"], ["bob"]], [["cat"], ["ann"]], [["bob"], ["cat"]]


def history(contexts):
    matches = [{"teams": TEAMS[k % 3], "ranks": [1 + k % 2, 2 - k % 2], "context": c} for k, c in enumerate(contexts)]
    return pw.History.from_matches(matches)


def found(**columns):
    """Return what is found about columns; each is a function of the number of a match and of a random number."""
    rng = np.random.default_rng(1)
    return Columns.of(history([{name: make(k, rng.integers(60)) for name, make in columns.items()} for k in range(90)]))


def names(columns):
    return {column.name: column.kinds for column in columns.usable}


def test_columns_of_few_values_are_tried_and_their_level_says_how():
    columns = found(
        surface=lambda k, x: "abc"[x % 3],
        prompt=lambda k, x: x % 4,
        side=lambda k, x: ["blue", "red"] if x % 2 else ["red", "blue"],
        rest=lambda k, x: [x % 5, 3],
        hero=lambda k, x: [["tank" if x % 2 else "mage"], ["tank"]],
    )
    assert names(columns) == {
        "surface": ("by",),
        "prompt": ("by",),
        "side": ("shared", "by"),
        "rest": ("covariate",),
        "hero": ("shared", "by"),
    }
    assert columns.doubtful == ()


def test_identifiers_rare_values_fractions_and_names_of_players_are_not_tried():
    columns = found(
        id=lambda k, x: k,
        venue=lambda k, x: f"venue {k}",
        wind=lambda k, x: k / 7,
        mostly_missing=lambda k, x: None if k % 3 else "here",
        constant=lambda k, x: "always",
        city=lambda k, x: [{"ann": "Rome", "bob": "Oslo", "cat": "Bern"}[team[0]] for team in TEAMS[k % 3]],
        first_player=lambda k, x: {"ann": "1", "bob": "2", "cat": "3"}[TEAMS[k % 3][0][0]],
    )
    assert names(columns) == {}


@pytest.mark.parametrize("name", ["kills", "Laps", "reasonRetired", "time_played", "points", "sets", "xyz"])
def test_numbers_that_may_be_known_only_after_the_match_are_tried_as_statistics_alone(name):
    read = history([{name: [k % 7, k % 5]} for k in range(90)])
    assert [(column.name, column.kinds) for column in Columns.of(read).statistics] == [(name, ("statistic",))]
    assert Columns.of(read).doubtful == ()
    assert names(Columns.of(read)) == {}
    assert names(Columns.of(read, [name])) == {name: ("covariate",)}


def test_values_that_only_some_sides_have_may_reveal_the_result():
    columns = found(retirement=lambda k, x: ["engine" if x % 2 else "tyre", None if x % 3 else "tyre"])
    assert columns.doubtful == ("retirement",)


@pytest.mark.parametrize(
    ("file", "tried", "left_out"),
    [
        ("f1_race_results.csv", {"constructorId"}, {"laps", "order"}),
        ("cwl_2017_2018.csv.gz", {"mode", "map", "team"}, {"kills", "deaths", "assists"}),
        ("atp_2000_2023.csv.gz", {"surface", "round", "best_of"}, set()),
        ("llm_comparisons.csv", {"prompt", "worker"}, set()),
    ],
)
def test_columns_of_real_files_are_tried_unless_they_reveal_the_result(data, file, tried, left_out):
    columns = Columns.of(pw.History.read(data / file))
    assert set(names(columns)) == tried
    assert left_out <= {column.name for column in columns.statistics}
    assert ("result" in columns.doubtful) == file.startswith("cwl")
    assert not {"reasonRetired", "seconds", "points", "kills"} & set(names(columns))


def league(seed, matches=3000, players=30, deviation=1.0):
    """Simulate matches with deviations by mode, an advantage of the blue side, and a useless column."""
    rng = np.random.default_rng(seed)
    skill, own = rng.normal(0.0, 1.0, players), rng.normal(0.0, deviation, (players, 2))
    rows = []
    for _ in range(matches):
        pair, mode, blue = rng.choice(players, 2, replace=False), rng.integers(2), rng.integers(2)
        performance = skill[pair] + own[pair, mode] + 0.8 * (np.arange(2) == blue) + rng.normal(0.0, 1.0, 2)
        context = {
            "mode": ["duel", "race"][mode],
            "side": ["blue", "red"] if blue == 0 else ["red", "blue"],
            "weather": ["sun", "rain", "snow"][rng.integers(3)],
        }
        places = [1, 2] if performance[0] > performance[1] else [2, 1]
        rows.append({"teams": [[f"p{name}"] for name in pair], "ranks": places, "context": context})
    return pw.History.from_matches(rows)


def test_auto_finds_deviations_and_effects_and_leaves_out_a_useless_column():
    choice = pw.auto(league(1))
    kinds = {type(facet).__name__: facet.column for facet in choice.model.facets}
    assert kinds == {"By": "mode", "Shared": "side"}
    assert "deviations by mode" in choice.parts
    assert "effects of side" in choice.parts
    kept = choice.steps.filter("kept")["decision"].to_list()
    assert "column mode" in kept
    assert "column weather" not in kept
    assert choice.fit.effects["value"][0] == "blue"
    assert pw.Model.from_dict(choice.to_dict()["model"]) == choice.model


def test_auto_says_which_columns_were_not_used():
    read = league(2, 600)
    kills = ContextColumn.of(np.where(read.place == 1, 9, 2).tolist())
    result = ContextColumn.of(np.where(read.place == 1, "W", "L").tolist())
    read = replace(read, team_context=Context({**read.team_context, "kills": kills, "result": result}))
    choice = pw.auto(read, statistics=False)
    assert any("after a match" in remark and "result and kills" in remark for remark in choice.remarks)
    assert not {"kills", "result"} & set(choice.model.context_columns)
    assert "kills" not in pw.auto(read).model.forecast_columns
    with pytest.raises(pw.Error, match="no column 'deaths'; the matches have"):
        pw.auto(read, covariates=["deaths"])


def test_allowed_column_that_reveals_the_result_is_still_not_used():
    read = league(3, 600)
    winner = ContextColumn.of(np.where(read.place == 1, 1.0, 0.0).tolist())
    read = replace(read, team_context=Context({**read.team_context, "rating bonus": winner}))
    choice = pw.auto(read)
    assert "rating bonus" not in choice.model.context_columns
    assert any("rating bonus" in remark for remark in choice.remarks)


def revealing(seed):
    """Simulate matches with a column that reveals who wins."""
    read = league(seed, 600)
    kills = ContextColumn.of(np.where(read.place == 1, 9.0, 2.0).tolist())
    return replace(read, team_context=Context({**read.team_context, "kills": kills}))


def test_column_that_is_named_as_a_covariate_is_used_even_if_it_reveals_the_result():
    read = revealing(5)
    for choice in (pw.auto(read, covariates=["kills"]), pw.auto(read, covariates="kills")):
        assert "kills" in choice.model.context_columns
        assert not [note for note in choice.notes if note.code == "late-columns"]
        assert not choice.model.statistics
    for changes, code in (({"statistics": False}, "late-columns"), ({}, "statistics")):
        [note] = [note for note in pw.auto(read, **changes).notes if note.code in ("late-columns", "statistics")]
        assert note.code == code
        assert str(note).endswith(": kills. If they are known before a match, use `covariates=['kills']`.")


def test_facets_that_are_asked_for_are_tuned_and_other_columns_are_tried():
    facets = (pw.facet.By("weather"), pw.facet.Covariate("kills"), pw.facet.Experience((5.0, 50.0)))
    choice = pw.auto(revealing(5), facets=facets)
    found = {(facet.kind, facet.column): facet for facet in choice.model.facets}
    assert list(found)[:3] == [("by", "weather"), ("covariate", "kills"), ("experience", "experience")]
    assert found["experience", "experience"].scales == (5.0, 50.0)
    assert choice.parts[-3:] == ("deviations by weather", "a weight of kills", "a learning curve")
    assert not [note for note in choice.notes if note.code == "late-columns"]
    read = league(1)
    choice = pw.auto(read, facets=[pw.facet.By("weather")])
    assert {facet.column for facet in choice.model.facets} == {"weather", "mode", "side"}
    sigma = choice.model.params["weather_sigma"] / choice.model.params["mode_sigma"]
    assert sigma < 0.5, "the weather is useless, so its deviations are tuned to be small"


@pytest.mark.parametrize("matches", [5, 60])
def test_facets_that_are_asked_for_are_used_in_small_leagues(matches):
    read = history([{"rest": k % 5, "side": ["blue", "red"]} for k in range(matches)])
    facets = [pw.facet.By("rest", numeric=True), pw.facet.Shared("side")]
    choice = pw.auto(read, facets=facets)
    assert [(facet.kind, facet.column) for facet in choice.model.facets] == [("slope", "rest"), ("shared", "side")]
    assert choice.parts[-2:] == ("slopes by rest", "effects of side")
    assert choice.fit.effects["value"].to_list()


@pytest.mark.parametrize(
    ("facets", "message"),
    [
        ([pw.facet.By("mode", sigma=2.0)], "facets must be True, False or facets without numbers"),
        (["mode"], r"such as \[By\('surface'\)\], not 'mode'"),
        ([pw.facet.By("hero")], "no column 'hero'; the matches have the columns mode, weather and side"),
        ([pw.facet.Covariate("side")], "'side' is 'red', but a number is needed"),
        ([pw.facet.Shared("mode")], "is the same for both sides of a match"),
    ],
)
def test_facet_that_does_not_suit_the_matches_is_an_error(facets, message):
    with pytest.raises(pw.Error, match=message):
        pw.auto(league(1, 60), facets=facets)


@pytest.mark.long
def test_shuffled_columns_are_not_kept():
    """Of 100 useless columns in 20 leagues, at most one is kept."""
    kept = 0
    for seed in range(20):
        rng = np.random.default_rng(100 + seed)
        read = league(seed, 1000 + 100 * seed, deviation=0.0)
        match = {f"map {k}": ContextColumn.of([f"v{v}" for v in rng.integers(0, k + 2, len(read))]) for k in range(3)}
        team = {f"kit {k}": ContextColumn.of([f"v{v}" for v in rng.integers(0, k + 3, read.teams)]) for k in range(2)}
        choice = pw.auto(replace(read, context=Context(match), team_context=Context(team)))
        kept += len(choice.model.facets)
    assert kept <= 1


def test_compare_and_tune_use_the_context():
    read = league(4, 1200)
    plain, facets = pw.TrueSkill(), pw.TrueSkill().replace(facets=(pw.facet.By("mode", sigma=5.0),))
    comparison = pw.compare(read, {"plain": plain, "mode": facets})
    assert comparison.best == "mode"
    losses = [
        -np.log(np.where(read.place[::2] == 1, fit.win, 1 - fit.win - fit.draw)).mean()
        for fit in (plain.fit(read).forecasts, facets.fit(read).forecasts)
    ]
    assert losses[1] < losses[0] - 0.01
    tuned = pw.tune(facets, read, parameters=["mode_sigma"], trials=10, progress=False)
    assert tuned.model.params["mode_sigma"] > 1.0
    with pytest.raises(pw.Error, match="no column 'mode'"):
        pw.compare(replace(read, context=Context({})), {"mode": facets})


def shooter(seed, matches=1500, players=40, noise=1.0, size=4):
    """Simulate teams of four; the kills of each player follow the performance, and luck does not."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(0.0, 1.0, players)
    rows = []
    for _ in range(matches):
        chosen = rng.permutation(players)[: 2 * size].reshape(2, size)
        performance = skill[chosen] + rng.normal(0.0, 1.5, chosen.shape)
        mode = int(rng.integers(2))
        kills = (1.0, 8.0)[mode] * (performance + rng.normal(0.0, noise, chosen.shape)) + (5.0, 40.0)[mode]
        luck = rng.normal(0.0, 1.0, chosen.shape)
        rows.append(
            {
                "teams": [[f"p{player}" for player in team] for team in chosen],
                "scores": performance.sum(1).round(1).tolist(),
                "context": {"mode": ["flag", "kill"][mode]},
                "statistics": {"kills": kills.round(2).tolist(), "luck points": luck.round(2).tolist()},
            }
        )
    return pw.History.from_matches(rows)


def test_auto_finds_a_statistic_with_its_direction_and_scale_and_leaves_out_noise():
    read = shooter(1)
    deaths = ContextColumn.of((-read.entry_context["kills"].to_numpy()).tolist())
    read = replace(read, entry_context=Context({"deaths": deaths, "luck points": read.entry_context["luck points"]}))
    choice = pw.auto(read)
    [statistic] = choice.model.statistics
    assert (statistic.column, statistic.lower, statistic.per) == ("deaths", True, ("mode",))
    assert "deaths as a statistic" in choice.parts
    assert choice.steps.filter("kept")["decision"].to_list().count("column luck points") == 0
    assert pw.Model.from_dict(choice.to_dict()["model"]) == choice.model


@pytest.mark.long
def test_statistics_of_pure_noise_are_hardly_ever_kept():
    kept = 0
    for seed in range(20):
        read = shooter(seed, 700)
        rng = np.random.default_rng(seed)
        noise = {
            f"points {k}": ContextColumn.of(rng.normal(0.0, 1.0, read.entries).round(3).tolist()) for k in range(5)
        }
        kept += len(pw.auto(replace(read, entry_context=Context(noise))).model.statistics)
    assert kept <= 1
