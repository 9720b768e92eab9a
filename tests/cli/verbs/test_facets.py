"""Facets on the command line: --facet, --slope, --shared, --covariate, --experience and --at."""

import json
import shlex
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import prowess as pw
from tests.cli.running import LEAGUE, ROOT, TEXTBOOK, run, screened, write

TENNIS = ROOT / "examples" / "tennis.csv"
SURFACE = (TENNIS, *TEXTBOOK, "--facet", "surface")
ROWS = 24  # matches of `sides`


def sides(folder: Path, first: int = 0, last: int = ROWS, name: str = "sides.csv") -> Path:
    """Write matches in which White wins three of four times, with a row per player."""
    players = ("ann", "bob", "cat", "dan")
    lines = ["match,date,player,colour,rest,place"]
    for number in range(first, last):
        white, black = players[number % 4], players[(number + 1 + number // 4 % 3) % 4]
        won = number % 4 != 3
        day = f"2026-01-{number + 1:02d}"
        lines.append(f"{number},{day},{white},white,{1 + number % 5},{1 if won else 2}")
        lines.append(f"{number},{day},{black},black,{2 + number % 3},{2 if won else 1}")
    return write(folder, name, "\n".join(lines) + "\n")


def surfaces() -> tuple[pw.Model, pw.History]:
    history = pw.History.read(TENNIS)
    return pw.compose(pw.TrueSkill(), history, facet="surface"), history


def rate_json(*words: object) -> dict:
    result = run("rate", *words, "--json", "--quiet")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_rate_with_a_facet_equals_the_library_and_has_effects_and_deviations_as_json() -> None:
    model, history = surfaces()
    fit, printed = model.fit(history), rate_json(*SURFACE)
    assert list(printed) == ["standings", "effects", "deviations"]
    assert [row["shown"] for row in printed["standings"]] == fit.leaderboard()["shown"].to_list()
    assert printed["deviations"] == fit.deviations.to_dicts()
    assert printed["effects"] == []
    plain = json.loads(run("rate", TENNIS, *TEXTBOOK, "--json").stdout)
    assert isinstance(plain, list)  # without facets, the output is as it always was


def test_facet_without_a_model_is_part_of_the_model_that_is_chosen() -> None:
    _, history = surfaces()
    choice = pw.auto(history, facets=[pw.facet.By("surface")])
    assert choice.model.context_columns == ("surface",)
    for words in ((), ("--model", "auto")):
        printed = rate_json(TENNIS, "--facet", "Surface", *words)
        assert printed["deviations"] == choice.fit.deviations.to_dicts()
    result = run("rate", TENNIS, "--facet", "surface")
    assert "model chosen for these matches: " in result.stderr
    assert "deviations by surface" in result.stderr


def test_facet_with_a_setting_but_without_a_model_changes_textbook_trueskill() -> None:
    words = ("--facet", "surface", "--set", "surface_sigma=2")
    result = run("rate", TENNIS, *words)
    assert "you gave settings without --model, so they apply to TrueSkill" in result.stderr
    assert result.stdout == run("rate", TENNIS, *TEXTBOOK, *words).stdout


def shots(folder: Path, matches: int = 450) -> Path:
    """Write matches with kills, of which winners have more, and with texts that may be known only after a match."""
    rng, names = np.random.default_rng(7), [f"p{number}" for number in range(8)]
    lines = ["winner,loser,winner_kills,loser_kills,winner_result_kit,loser_result_kit,laps"]
    for _ in range(matches):
        winner, loser = rng.choice(names, 2, replace=False)
        kills, kits = rng.integers(0, 9, 2), rng.choice(["a", "b"], 2)
        lines.append(f"{winner},{loser},{kills[0] + 3},{kills[1]},{kits[0]},{kits[1]},{rng.integers(3)}")
    return write(folder, "kills.csv", "\n".join(lines) + "\n")


def test_doubtful_column_is_allowed_with_the_flag_that_is_printed(tmp_path: Path) -> None:
    file = shots(tmp_path)
    left_out = run("rate", file)
    remarks = [line for line in left_out.stderr.splitlines() if "known only after a match" in line]
    ends = (" If they are known before a match, use --facet laps --facet result_kit.", "use --covariate kills.")
    assert [remark.endswith(end) for remark, end in zip(remarks, ends, strict=True)] == [True, True]
    flags = ("--facet", "laps", "--covariate", "kills", "--facet", "result_kit")
    assert "kills: each unit is worth" not in left_out.stdout
    allowed = run("rate", file, *flags)
    assert allowed.exit_code == 0, allowed.output
    assert "kills: each unit is worth" in allowed.stdout
    assert "Deviations by result_kit" in allowed.stdout
    assert "known only after a match" not in allowed.stderr
    assert "a weight of kills" in allowed.stderr


def test_all_facets_may_be_named_without_a_model(tmp_path: Path) -> None:
    file, ladder = sides(tmp_path), tmp_path / "league.prowess"
    words = ("--shared", "colour", "--slope", "rest", "--covariate", "rest", "--facet", "colour", "--experience", "10")
    assert run("rate", file, *words, "--save", ladder).exit_code == 0
    model = pw.Ladder.load(ladder).model
    kinds = {(facet.kind, facet.column) for facet in model.facets}
    assert kinds >= {("shared", "colour"), ("slope", "rest"), ("covariate", "rest"), ("by", "colour")}
    assert ("experience", "experience") in kinds
    report = tmp_path / "choice.json"
    assert run("rate", file, *words, "--report", report).exit_code == 0
    assert "slopes by rest" in json.loads(report.read_text(encoding="utf-8"))["parts"]
    assert run("rate", file, "--resume", ladder, "--choose", "--facet", "colour").exit_code == 0


def test_facet_of_a_file_with_too_few_matches_changes_textbook_trueskill(tmp_path: Path) -> None:
    file = sides(tmp_path, last=12)
    assert rate_json(file, "--shared", "colour") == rate_json(file, *TEXTBOOK, "--shared", "colour")
    assert "model: textbook TrueSkill and effects of colour." in run("rate", file, "--shared", "colour").stderr


def test_parameters_of_facets_can_be_set_and_completed() -> None:
    model, history = surfaces()
    printed = rate_json(*SURFACE, "--set", "surface_sigma=2", "--set", "surface_tau=0.1")
    fit = model.replace(surface_sigma=2, surface_tau=0.1).fit(history)
    assert printed["deviations"] == fit.deviations.to_dicts()
    env = {"_PROWESS_COMPLETE": "complete_bash", "COMP_CWORD": "6"}
    words = "prowess rate x.csv --facet surface --set surface_s"
    assert run(**env, COMP_WORDS=words).stdout.split() == ["surface_sigma="]


def test_rate_at_a_value_shows_the_standings_there_whatever_its_case() -> None:
    model, history = surfaces()
    printed = rate_json(TENNIS, *TEXTBOOK, "--facet", "SURFACE", "--at", "Surface=clay")["standings"]
    expected = model.fit(history).leaderboard(surface="Clay")
    assert [row["player"] for row in printed] == expected["player"].to_list()
    assert [row["shown"] for row in printed] == expected["shown"].to_list()
    assert "ratings are for surface Clay" in run("rate", *SURFACE, "--at", "surface=clay").stderr


def modes(folder: Path) -> Path:
    """Write duels of ann and bob, and matches in pairs of everybody but bob, who has played only duels."""
    rows = [f"2026-01-0{day},ann,bob,1v1" for day in (1, 2, 3)]
    rows += ["2026-01-04,ann + cat,dan + eve,2v2", "2026-01-05,ann + dan,eve + cat,2v2"]
    return write(folder, "modes.csv", "\n".join(["date,winner,loser,mode", *rows]) + "\n")


@pytest.mark.parametrize("more", [(), ("--stream",), ("--hindsight",)], ids=" ".join)
def test_rate_at_a_value_lists_those_who_have_played_there_and_counts_their_matches_there(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    words = (modes(tmp_path), *TEXTBOOK, "--facet", "mode", "--at", "mode=1v1", "--columns", "winner=winner", *more)
    printed = rate_json(*words)["standings"]
    assert {row["player"]: row["matches"] for row in printed} == {"ann": 3, "bob": 3}
    printed = rate_json(*words, "--all")["standings"]
    counts = {row["player"]: row["matches"] for row in printed}
    assert counts == {"ann": 3, "bob": 3, "cat": 0, "dan": 0, "eve": 0}
    if "--hindsight" not in more:
        said = run("rate", *words).stderr
        assert "3 players have no match at mode 1v1, not shown; --all shows them" in said
        assert "no match at" not in run("rate", *words, "--all").stderr


def test_rate_at_a_value_that_is_new_in_the_period_shows_no_changes(tmp_path: Path) -> None:
    words = (modes(tmp_path), *TEXTBOOK, "--facet", "mode", "--at", "mode=2v2", "--period", "2d")
    assert {row["player"]: row["change"] for row in rate_json(*words)["standings"]} == dict.fromkeys(
        ["ann", "cat", "dan", "eve"]
    )


def test_rate_prints_the_clearest_deviations_below_the_standings() -> None:
    result = run("rate", *SURFACE, "--quiet")
    table, below = result.stdout.split("\n\n")
    assert len(table.splitlines()) == 9
    title, *rows = below.splitlines()
    assert title == "Deviations by surface from each player's average (95 % intervals)"
    assert len(rows) == 10
    values = [float(row.split(" ± ")[0].split()[-1].replace("−", "-")) for row in rows]
    assert values == sorted(values, reverse=True)
    assert any(row.startswith("Sofia Marchetti, Clay") and "●" in row for row in rows)


def test_deviations_are_only_those_of_players_in_the_table() -> None:
    below = run("rate", *SURFACE, "--quiet", "--top", "1").stdout.split("\n\n")[1]
    assert [row.startswith("Lena Brandt, ") for row in below.splitlines()[1:]] == [True] * 3


def test_rate_describes_effects_in_points_if_there_is_a_scale(tmp_path: Path) -> None:
    file = sides(tmp_path)
    words = (file, *TEXTBOOK, "--shared", "colour", "--covariate", "rest", "--experience", "10")
    result = run("rate", *words, "--scale", "1500,400", "--quiet")
    assert result.exit_code == 0, result.output
    history = pw.History.read(file)
    model = pw.compose(pw.TrueSkill(), history, shared="colour", covariate="rest", experience=10)
    effects = model.fit(history, scale=(1500, 400)).effects
    points = {(facet, value): mean for facet, value, mean in effects.select("facet", "value", "points").rows()}
    white, black = points["colour", "white"], points["colour", "black"]
    assert f"colour: white is worth {white - black:.0f} ± " in result.stdout
    assert " points more than black (95 % intervals)" in result.stdout
    assert f"+{white:.0f} ± " in result.stdout
    assert f"rest: each unit is worth {points['rest', '']:.0f} ± ".replace("-", "−") in result.stdout
    side = "below" if points["experience", "10"] < 0 else "above"
    assert f"experience: a newcomer plays {abs(points['experience', '10']):.0f} ± " in result.stdout
    assert f" points {side} their later level" in result.stdout
    assert max(map(len, screened(80, "rate", *words, "--quiet").stdout.splitlines())) <= 80


def test_given_effects_are_listed_without_intervals(tmp_path: Path) -> None:
    given = ("--set", "colour_sigma=0", "--set", "colour_mu=2", "--set", "rest_sigma=0", "--set", "rest_mu=-0.5")
    words = (sides(tmp_path), *TEXTBOOK, "--shared", "colour", "--covariate", "rest", *given, "--quiet")
    shown = run("rate", *words).stdout
    assert "colour: each value is worth 2.00 (given, not learnt)" in shown
    assert "rest: each unit is worth −0.50 (given, not learnt)" in shown
    rows = json.loads(run("rate", *words, "--json").stdout)["effects"]
    assert [(row["facet"], row["value"], row["mu"], row["sigma"]) for row in rows] == [
        ("colour", "", 2.0, 0.0),
        ("rest", "", -0.5, 0.0),
    ]


def test_home_advantage_is_listed_with_the_effects_of_facets(tmp_path: Path) -> None:
    text = "date,home,away,hg,ag,derby\n2026-01-01,ann,bob,1,0,yes\n2026-01-02,bob,ann,2,1,no\n"
    result = run("rate", write(tmp_path, "x.csv", text), "--home-advantage", "learnt", "--facet", "derby", "--quiet")
    assert "Playing at home is worth " in result.stdout


def test_standings_in_files_are_as_without_facets_and_the_page_has_the_effects(tmp_path: Path) -> None:
    file, page, table = sides(tmp_path), tmp_path / "s.html", tmp_path / "s.csv"
    for out in (page, table):
        assert run("rate", file, *TEXTBOOK, "--shared", "colour", "--facet", "rest", "--out", out).exit_code == 0
    assert "colour: white is worth " in page.read_text(encoding="utf-8")
    assert "Deviations by rest" in page.read_text(encoding="utf-8")
    assert {"rank", "player", "shown"} <= set(pl.read_csv(table).columns)
    assert len(pl.read_csv(table)) == 4


def test_many_values_and_facets_are_listed_in_few_lines(tmp_path: Path) -> None:
    lines = ["match,player,hero,map,place"]
    for number in range(60):
        lines += [f"{number},p{number % 7},h{number % 23},m{number % 9},1", f"{number},q{number % 5},h{number % 11},"]
        lines[-1] += f"m{number % 9},2"
    file = write(tmp_path, "x.csv", "\n".join(lines))
    result = run("rate", file, "--shared", "hero", "--facet", "hero", "--facet", "map", "--quiet", "--top", "5")
    assert result.exit_code == 0, result.output
    _, effects, heroes, maps = result.stdout.split("\n\n")
    assert effects.startswith("hero: ")
    assert (len(effects.splitlines()), len(heroes.splitlines()), len(maps.splitlines())) == (11, 6, 6)


def test_resuming_a_ladder_with_facets_reads_their_columns(tmp_path: Path) -> None:
    whole = sides(tmp_path)
    first, second = sides(tmp_path, last=10, name="1.csv"), sides(tmp_path, 10, name="2.csv")
    ladder = tmp_path / "league.prowess"
    words = (*TEXTBOOK, "--shared", "colour", "--facet", "rest")
    assert run("rate", first, *words, "--save", ladder).exit_code == 0
    result = run("rate", second, "--resume", ladder, "--save", ladder)
    assert result.exit_code == 0, result.output
    history = pw.History.read(whole)
    model = pw.compose(pw.TrueSkill(), history, shared="colour", facet="rest")
    assert pw.Ladder.load(ladder) == model.fit(history).ladder
    assert rate_json(whole, "--model", ladder)["effects"] == model.fit(history).effects.to_dicts()


def test_options_of_a_saved_ladder_may_be_repeated_in_any_case(tmp_path: Path) -> None:
    ladder = tmp_path / "league.prowess"
    words = ("--shared", "colour", "--covariate", "rest")
    run("rate", sides(tmp_path), *TEXTBOOK, *words, "--save", ladder)
    match = ("predict", ladder, "ann vs bob", "--json")
    assert run(*match, "--covariate", "REST", "--shared", "Colour").stdout == run(*match).stdout
    named = (*TEXTBOOK, "--shared", "colour")
    assert run(*match, "--shared", "colour").stdout == run(*match).stdout  # any model with this facet
    for wrong in (named, (*words, "--set", "rest_sigma=5"), (*words, "--facet", "rest")):
        result = run(*match, *wrong)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "saved with another model" in result.stderr


def test_streaming_a_file_gives_the_same_ratings(tmp_path: Path) -> None:
    words = (sides(tmp_path), *TEXTBOOK, "--shared", "Colour", "--covariate", "rest", "--at", "colour=white")
    whole, stream = rate_json(*words), rate_json(*words, "--stream")
    assert [row["shown"] for row in stream["standings"]] == [row["shown"] for row in whole["standings"]]
    assert stream["effects"] == whole["effects"]


def test_groups_have_facets_of_their_own(tmp_path: Path) -> None:
    text = sides(tmp_path).read_text(encoding="utf-8").splitlines()
    rows = [f"{text[0]},league", *(f"{line},{'AB'[index // 2 % 2]}" for index, line in enumerate(text[1:]))]
    file = write(tmp_path, "leagues.csv", "\n".join(rows))
    words = (file, *TEXTBOOK, "--by", "league", "--shared", "colour")
    effects = rate_json(*words)["effects"]
    assert {(row["league"], row["value"]) for row in effects} == {(a, b) for a in "AB" for b in ("white", "black")}
    result = run("rate", *words)
    assert "use --json to see the effects and deviations of each group" in result.stderr
    assert "--at shows the ratings of a single ladder" in run("rate", *words, "--at", "colour=white").stderr


def test_predict_at_a_value_uses_the_rating_there() -> None:
    model, history = surfaces()
    fit = model.fit(history)
    teams = [["Lena Brandt"], ["Sofia Marchetti"]]
    [printed] = json.loads(
        run("predict", *SURFACE, "Lena Brandt vs Sofia Marchetti", "--at", "surface=clay", "--json").stdout
    )
    expected = fit.predict(teams, context={"surface": "Clay"})
    assert printed["win"] == expected.win.tolist()
    assert printed["context"] == {"surface": "Clay"}
    assert printed["quality"] == fit.quality(teams, context={"surface": "Clay"})
    result = run("predict", *SURFACE, "Lena Brandt vs Sofia Marchetti")
    assert "predicted without surface; use --at to give its value, such as --at surface=Hard" in result.stderr
    title = run("predict", *SURFACE, "Lena Brandt vs Sofia Marchetti", "--at", "surface=clay").stdout.splitlines()[0]
    assert title == "Lena Brandt  –  Sofia Marchetti, surface Clay"


@pytest.mark.parametrize(
    ("words", "context"),
    [
        (("colour=white/black",), {"colour": ["white", "black"]}),
        (("colour=White,black",), {"colour": ["white", "black"]}),
        (("colour=white/", "rest=3,1"), {"colour": ["white", None], "rest": [3.0, 1.0]}),
        (("rest=3,4/2,5",), {"rest": [[3.0, 4.0], [2.0, 5.0]]}),
        (("rest=3/2,5",), {"rest": [[3.0, 3.0], [2.0, 5.0]]}),
    ],
)
def test_predict_takes_values_of_teams_and_players(tmp_path: Path, words, context) -> None:
    file = sides(tmp_path)
    flags = [word for text in words for word in ("--at", text)]
    options = (*TEXTBOOK, "--shared", "colour", "--covariate", "rest")
    [printed] = json.loads(run("predict", file, *options, "ann, bob vs cat, dan", *flags, "--json").stdout)
    history = pw.History.read(file)
    fit = pw.compose(pw.TrueSkill(), history, shared="colour", covariate="rest").fit(history)
    assert printed["context"] == context
    assert printed["win"] == fit.predict([["ann", "bob"], ["cat", "dan"]], context=context).win.tolist()
    assert run("predict", file, *options, "ann, bob vs cat, dan", *flags).exit_code == 0


@pytest.mark.parametrize(
    ("verb", "words", "message"),
    [
        ("rate", ("--facet", "surfac"), "no column 'surfac'; did you mean 'surface'?"),
        (
            "rate",
            ("--shared", "surface"),
            "the same for both sides of a match, so its effect would cancel; use --facet",
        ),
        (
            "rate",
            ("--covariate", "surface"),
            "the same for both sides of a match, so its effect would cancel; use --sl",
        ),
        ("rate", ("--slope", "surface"), "line 2: match 1: 'surface' is 'Hard', but a number is needed"),
        ("rate", ("--facet", "surface", "--model", "elo"), "cannot learn facets, because its ratings have no uncertai"),
        ("rate", ("--facet", "surface", "--model", "glicko"), "cannot learn facets, because it rates all matches of a"),
        ("rate", ("--experience", "ten"), "experience must be numbers of matches, such as 10,100, not 'ten'"),
        ("rate", ("--facet", "surface", "--set", "facet=round"), "--facet surface: --set also sets facet; set it once"),
        (
            "rate",
            ("--at", "surface=clay"),
            "--at surface=clay: this model has no facets; rate the matches with --facet",
        ),
        ("rate", ("--facet", "surface", "--at", "round=1"), "--at round=1: there is no facet 'round'; this model has"),
        ("rate", ("--facet", "surface", "--at", "surface=mud"), "no match has the surface 'mud'; there are Hard, Clay"),
        (
            "rate",
            ("--facet", "surface", "--at", "surface="),
            "--at surface=: the value is missing; write --at surface=",
        ),
        ("predict", ("--facet", "surface", "--at", "surface=mud"), "--at surface=mud: no match has the surface 'mud'"),
        ("predict", ("--facet", "surface", "--at", "surface=Clay/Hard/Hard"), "there are 3 values for 2 teams"),
    ],
)
def test_error_about_a_facet_is_one_clear_line(verb: str, words: tuple[str, ...], message: str) -> None:
    match = ("Lena Brandt vs Nora Haugen",) if verb == "predict" else ()
    model = () if "--model" in words or words[0] == "--at" else TEXTBOOK
    result = run(verb, TENNIS, *match, *model, *words, "--quiet", *(("--model", "trueskill") * (words[0] == "--at")))
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ("colour=white", "--at colour=white: a value that is the same for both sides has no effect; give one for each"),
        ("colour=white/blue", "--at colour=blue: no match has the colour 'blue'; there are white and black"),
        ("rest=3/long", "--at rest=long: 'rest' needs a number, not 'long'"),
        ("rest=3/1,2", "there are 2 values for a team of 1 player; give one for each player"),
    ],
)
def test_error_about_a_value_of_a_team_is_one_clear_line(tmp_path: Path, at: str, message: str) -> None:
    words = (sides(tmp_path), "ann vs bob", "--shared", "colour", "--covariate", "rest", "--at", at, "--quiet")
    result = run("predict", *words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_error_about_a_word_among_numbers_names_the_line_and_the_match(tmp_path: Path) -> None:
    text = "winner,loser,winner_rest,loser_rest\nann,bob,3,2\nbob,ann,1,long\nann,bob,4,1\n"
    path = write(tmp_path, "x.csv", text)
    result = run("rate", path, "--covariate", "rest", "--quiet")
    assert result.exit_code == 1
    where = f"{path}, line 3: match 2"
    assert result.stderr == f"error: --covariate rest: {where}: 'rest' is 'long', but a number is needed\n"


def test_columns_of_both_sides_are_one_column_of_the_teams(tmp_path: Path) -> None:
    text = "White,Black,Result,WhiteElo,BlackElo\nann,bob,1-0,1500,1400\nbob,ann,0-1,1410,1510\ncat,ann,0-1,1300,1500\n"
    file = write(tmp_path, "chess.csv", text)
    result = run("rate", file, "--covariate", "elo", "--quiet")
    assert "Elo: each unit is worth 0.0" in result.stdout
    wrong = run("rate", file, "--covariate", "WhiteElo", "--quiet")
    assert (
        wrong.stderr == "error: --covariate WhiteElo: there is no column 'WhiteElo'; the matches have the column Elo\n"
    )
    words = ("--columns", "home=White", "--columns", "away=Black", "--home-advantage", "learnt", "--covariate", "Elo")
    assert "Playing at home is worth " in run("rate", file, *words).stdout


def test_column_with_many_numbers_gives_a_note_on_slopes(tmp_path: Path) -> None:
    lines = [f"p{number % 7},p{(number + 1) % 7},{number}" for number in range(60)]
    file = write(tmp_path, "x.csv", "winner,loser,minutes\n" + "\n".join(lines))
    assert "--slope minutes learns one slope for each player" in run("rate", file, "--facet", "minutes").stderr
    assert "Slopes by minutes" in run("rate", file, "--slope", "minutes").stdout


def test_other_commands_accept_facets(tmp_path: Path) -> None:
    file = sides(tmp_path)
    words = ("--shared", "colour", "--quiet")
    for verb, *arguments in (
        ("explain", "ann"),
        ("balance", "ann", "bob", "cat", "dan"),
        ("pair", "ann", "bob", "cat", "dan"),
        ("next",),
        ("tune", "--params", "colour_sigma", "--trials", 2),
    ):
        result = run(verb, file, *arguments, *words)
        assert result.exit_code == 0, result.output
        assert result.stdout
    result = run("compare", file, "--models", "trueskill,trueskill:shared=colour:facet=rest:facet=colour", "--json")
    assert result.exit_code == 0, result.output
    names = [row["model"] for row in json.loads(result.stdout)["models"]]
    assert "TrueSkill shared=colour facet=rest facet=colour" in names


def test_teams_and_pairs_use_the_ratings_at_a_value() -> None:
    model, history = surfaces()
    fit, at = model.fit(history), ("--at", "surface=grass", "--json", "--quiet")
    players = ("Lena Brandt", "Ivana Petrović", "Sofia Marchetti", "Carmen Ruiz")
    teams = json.loads(run("balance", TENNIS, *players, *SURFACE[1:], *at).stdout)
    expected = fit.predict(teams["teams"], context={"surface": "Grass"}).win
    assert teams["win"] == expected.tolist()
    assert teams["quality"] == pytest.approx(fit.quality(teams["teams"], context={"surface": "Grass"}))
    [pairs] = json.loads(run("pair", TENNIS, *players, *SURFACE[1:], *at).stdout)
    for pair in pairs["pairs"]:
        assert pair["quality"] == pytest.approx(fit.quality(pair["teams"], context={"surface": "Grass"}))
    new = json.loads(run("balance", TENNIS, players[0], "Zoe", "--newcomers", *SURFACE[1:], *at).stdout)
    rated = [[fit.ladder.newcomer if name == "Zoe" else name for name in team] for team in new["teams"]]
    assert new["win"] == fit.predict(rated, context={"surface": "Grass"}).win.tolist()
    here, there = (run("next", *SURFACE, *words).stdout for words in (at, at[2:]))
    assert here != there


def test_teams_cannot_be_made_for_an_effect_that_all_players_share(tmp_path: Path) -> None:
    words = ("balance", sides(tmp_path), "ann", "bob", "--shared", "colour", "--at", "colour=white", "--quiet")
    assert run(*words).stderr == ("error: --at colour=white: its effect is the same for all players; leave it out\n")


def test_explain_says_that_it_explains_the_skill() -> None:
    result = run("explain", TENNIS, "Lena Brandt", *SURFACE[1:])
    assert "the player's skill, without deviations by surface; prowess rate --at shows both" in result.stderr


def test_long_labels_are_not_cut_in_a_pipe(tmp_path: Path) -> None:
    player, place = "Alexandra of the Northern Islands", "Coliseum of the Western Plain"
    rows = [f"{player},bob,{place if number % 2 else 'x'}" for number in range(6)]
    file = write(tmp_path, "x.csv", "winner,loser,venue\n" + "\n".join(rows))
    assert f"{player}, {place}" in run("rate", file, "--facet", "venue", "--quiet").stdout
    assert max(map(len, screened(80, "rate", file, "--facet", "venue", "--quiet").stdout.splitlines())) <= 80


def test_tuned_command_keeps_facets_and_the_sigma_of_numbers(tmp_path: Path) -> None:
    file = sides(tmp_path)
    words = ("--covariate", "Rest", "--params", "draw_probability=0.001:0.9", "--set", "draw_probability=0.8")
    tuned = run("tune", file, *words, "--trials", 8, "--json", "--quiet")
    command = json.loads(tuned.stdout)["command"]
    assert "--covariate Rest" in command
    assert "--set rest_sigma=" in command
    result = run(*shlex.split(command)[1:], "--quiet")
    assert result.exit_code == 0, result.output
    assert "rest: each unit is worth " in result.stdout


def test_import_cannot_set_facets(tmp_path: Path) -> None:
    database = tmp_path / "league.db"
    result = run("import", sides(tmp_path), "--league", "x", "--set", "facet=rest", "--database", database)
    assert result.exit_code == 1
    assert "--facet rest: import cannot set the facets of a league" in result.stderr
    assert run("simulate", "--facet", "surface").exit_code == 2


def test_leagues_without_facets_print_nothing_below_the_standings() -> None:
    assert "95 %" not in run("rate", LEAGUE, *TEXTBOOK, "--quiet").stdout
