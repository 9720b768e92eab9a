"""`pw.discover` names what matters in simulated and real matches, and hardly ever anything else."""

import json
from dataclasses import replace

import numpy as np
import pytest

import prowess as pw
from prowess.history.context.columns import Context, ContextColumn
from tests.lab.auto.test_columns import league, shooter


@pytest.fixture(scope="module")
def found():
    return pw.discover(league(1, 1500), progress=False)


def test_what_matters_comes_first_with_its_use_and_an_interval(found):
    kept = [(one.what, one.use) for one in found.findings if one.kept]
    assert set(kept) == {("mode", "players differ by it"), ("side", "its values have effects")}
    assert [one.kept for one in found.findings] == sorted((one.kept for one in found.findings), reverse=True)
    for one in found.findings:
        assert one.gain.low < one.gain.value < one.gain.high
    weather = next(one for one in found.findings if one.what == "weather")
    assert weather.sentence.startswith("weather: nothing beyond noise, ")
    assert "mode: matters, +" in str(found)


def test_intervals_are_corrected_for_the_number_of_findings(found):
    step = next(step for step in found.choice.tried if step.decision == "column weather")
    own = next(one.gain for one in found.findings if one.what == "weather")
    assert own.high - own.low > 1.2 * (step.gain.high - step.gain.low)


def test_model_and_command_can_be_used(found):
    assert found.model.context_columns == ("mode", "side")
    names = {}
    exec(found.code, names)
    assert names["model"] == found.model
    assert found.command("a file.csv") == "prowess rate 'a file.csv' --facet mode --shared side"
    plain = json.loads(json.dumps(found.to_dict()))
    assert pw.Model.from_dict(plain["model"]) == found.model


def test_page_has_the_findings_and_the_effects(found, tmp_path):
    found.to_html(tmp_path / "found.html", "matches.csv")
    page = (tmp_path / "found.html").read_text(encoding="utf-8")
    for text in (
        "What matters",
        "Effects of side",
        "Deviations",
        "prowess rate matches.csv --facet mode --shared side",
    ):
        assert text in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_statistics_are_found_with_their_direction_and_their_kinds():
    read = shooter(2, 900)
    found = pw.discover(read, progress=False)
    assert [one.what for one in found.findings if one.kept and one.use == "it shows who played well"] == ["kills"]
    assert found.command() == "prowess rate FILE --statistic kills:per=mode"
    assert "kills" not in found.model.forecast_columns


def test_few_matches_are_an_error():
    with pytest.raises(pw.Error, match="10 matches are too few to find out what matters"):
        pw.discover(league(1, 10))
    with pytest.raises(pw.Error, match="discover needs a History, not list"):
        pw.discover([])


def test_named_statistics_are_part_of_the_chosen_model():
    read = shooter(3, 500)
    quits = pw.statistic.Quit("left")
    left = ContextColumn.of((np.arange(read.entries) % 50 == 0).astype(int).tolist())
    read = replace(read, entry_context=Context({**read.entry_context, "left": left}))
    choice = pw.auto(read, statistics=[pw.statistic.Points("luck points", lower=True, per=None), quits])
    assert [one.column for one in choice.model.statistics][:2] == ["luck points", "left"]
    assert choice.model.statistics[0].lower
    assert choice.model.statistics[0].per is None
    assert choice.model.statistics[1] == quits


@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "matter"),
    [
        ("atp_2000_2023.csv.gz", {"surface", "margin of victory"}),
        ("f1_race_results.csv", {"constructorId"}),
        ("cwl_2017_2018.csv.gz", {"mode", "kills"}),
        ("premier_league_1995_2009.csv", {"home advantage"}),
    ],
)
def test_discover_finds_what_is_known_to_matter_in_real_files(data, file, matter):
    found = pw.discover(pw.History.read(data / file), progress=False)
    assert matter <= {one.what for one in found.findings if one.kept}


@pytest.mark.long
def test_shuffled_columns_are_hardly_ever_kept():
    kept = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        read = shooter(seed, 700)
        noise = rng.normal(0.0, 1.0, (2, read.entries)).round(3).tolist()
        modes = {f"map {k}": ContextColumn.of(rng.choice(["a", "b", "c"], len(read)).tolist()) for k in range(3)}
        points = {f"points {k}": ContextColumn.of(column) for k, column in enumerate(noise)}
        found = pw.discover(replace(read, context=Context(modes), entry_context=Context(points)), progress=False)
        kept += len(found.model.facets) + len(found.model.statistics)
    assert kept <= 1
