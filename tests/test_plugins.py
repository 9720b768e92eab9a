"""An installed third-party package adds components and presets."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import prowess as pw
from prowess import plugins
from prowess.model.presets import BUILT_IN, PRESETS, preset
from prowess.model.registry import COMPONENTS

SOURCE = '''
from dataclasses import dataclass
from math import log, sqrt

import prowess as pw
from prowess.model.maths.normal import cdf, log_pdf


@dataclass(frozen=True)
class Difference(pw.Outcome):
    gamma: float = 3.0

    def forecast(self, board):
        spread = sqrt(board.variance[0] + board.variance[1] + self.gamma**2)
        board.win = cdf((board.mean[0] - board.mean[1]) / spread)
        board.loss = 1.0 - board.win
        board.draw = 0.0

    def evidence(self, board):
        variance = board.variance[0] + board.variance[1] + self.gamma**2
        beyond = board.score[0] - board.score[1] - (board.mean[0] - board.mean[1])
        for team, sign in ((0, 1.0), (1, -1.0)):
            board.d1[team] = sign * beyond / variance
            board.d2[team] = -1.0 / variance
            board.left[team] = (board.variance[1 - team] + self.gamma**2) / variance
        return log_pdf(beyond / sqrt(variance)) - 0.5 * log(variance)


def Fancy(gamma=3.0):
    """Fancy ratings by score differences.

    >>> Fancy()
    """
    return pw.TrueSkill().replace(outcome=Difference(gamma))


def Elo():
    raise AssertionError("a built-in name must win")


def NoModel():
    return 5
'''
ENTRIES = """[prowess.components]
Difference = fancy:Difference
Missing = fancy:Missing
Misnamed = fancy:Difference
Order = fancy:Difference

[prowess.presets]
Fancy = fancy:Fancy
Elo = fancy:Elo
NoModel = fancy:NoModel
Absent = not_installed:Absent
"""
BROKEN = "ignore:fancy-ratings adds:RuntimeWarning"


def install(folder: Path) -> Path:
    """Lay a package out as pip installs it."""
    metadata = folder / "fancy_ratings-1.0.dist-info"
    metadata.mkdir()
    (folder / "fancy.py").write_text(SOURCE)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: fancy-ratings\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRIES)
    return folder


def forget_plugins() -> None:
    for cached in (plugins.find_plugins, plugins.load_plugin, plugins.load_plugins):
        cached.cache_clear()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(install(tmp_path))
    forget_plugins()
    yield
    forget_plugins()
    sys.modules.pop("fancy", None)


@pytest.mark.usefixtures("installed")
def test_model_with_a_plugin_component_is_saved_and_loaded(tmp_path: Path) -> None:
    model = preset("fancy")(gamma=2.0)
    assert pw.Model.from_dict(model.to_dict()) == model
    ladder = pw.Ladder(model)
    ladder.record([["ann"], ["bob"]], scores=[3, 1])
    ladder.save(tmp_path / "ladder.json")
    loaded = pw.Ladder.load(tmp_path / "ladder.json")
    assert loaded == ladder
    assert loaded.model.outcome.gamma == 2.0


@pytest.mark.usefixtures("installed")
@pytest.mark.filterwarnings(BROKEN)
def test_list_of_presets_has_those_of_plugins_last_and_leaves_broken_ones_out() -> None:
    assert list(PRESETS) == [*BUILT_IN, "Fancy"]
    assert PRESETS["Elo"] is pw.Elo
    assert preset("elo") is pw.Elo


@pytest.mark.usefixtures("installed")
def test_broken_plugin_is_warned_of_once_when_all_are_listed() -> None:
    with pytest.warns(RuntimeWarning) as seen:
        list(PRESETS)
    assert [str(warning.message).split()[:3] for warning in seen] == [
        ["fancy-ratings", "adds", "NoModel"],
        ["fancy-ratings", "adds", "Absent"],
    ]
    list(PRESETS)  # warnings are errors here


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("mapping", "name", "reason"),
    [
        (COMPONENTS, "Missing", "AttributeError: module 'fancy' has no attribute 'Missing'"),
        (COMPONENTS, "Misnamed", "its name must be that of the class, Difference"),
        (PRESETS, "NoModel", "a preset is a function that returns a Model"),
        (PRESETS, "Absent", "ModuleNotFoundError: No module named 'not_installed'"),
    ],
)
def test_asking_for_a_broken_plugin_is_an_error_that_names_the_package(mapping, name, reason) -> None:
    with pytest.raises(pw.Error, match=f"fancy-ratings adds {name} .* broken: {reason}"):
        mapping[name]


@pytest.mark.usefixtures("installed")
def test_built_in_components_win_and_need_no_plugin() -> None:
    assert COMPONENTS["Order"] is pw.outcome.Order
    assert pw.Model.from_dict(pw.TrueSkill().to_dict()) == pw.TrueSkill()
    assert "fancy" not in sys.modules


def test_component_of_a_package_that_is_not_installed_is_an_error() -> None:
    plain = pw.TrueSkill().to_dict() | {"outcome": {"is": "Difference", "gamma": 3.0}}
    with pytest.raises(pw.Error, match="no component of prowess or of an installed package"):
        pw.Model.from_dict(plain)


def test_importing_prowess_looks_for_no_plugins(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import prowess as pw; pw.TrueSkill().to_dict(); pw.Elo()\n"
        "from prowess.plugins import find_plugins; assert not find_plugins.cache_info().currsize\n"
        "assert 'fancy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, install(tmp_path)], check=True)


@pytest.mark.usefixtures("installed")
def test_command_line_rates_with_a_plugin_preset(tmp_path: Path) -> None:
    from tests.cli.running import run

    games = tmp_path / "games.csv"
    games.write_text("team1,team2,score1,score2\nann,bob,3,1\nbob,cat,2,0\n")
    result = run("rate", games, "--model", "fancy", "--set", "gamma=1")
    assert result.exit_code == 0, result.stderr
    assert "ann" in result.stdout


@pytest.mark.usefixtures("installed")
@pytest.mark.filterwarnings(BROKEN)
def test_service_lists_and_uses_a_plugin_preset(tmp_path: Path) -> None:
    from prowess.service.api.models import _models
    from tests.service.asking import served

    _models.cache_clear()
    with served(f"sqlite:///{tmp_path}/league.db") as ask:
        assert ask.get("/api/models").json()["models"][-1]["name"] == "Fancy"
        created = ask.post("/api/leagues", {"name": "darts", "model": {"name": "fancy"}}, status=201).json()
        assert created["model"]["name"] == "Fancy"
        ask.post("/api/leagues/darts/matches", {"teams": [["ann"], ["bob"]], "scores": [3, 1]}, status=201)
    _models.cache_clear()
