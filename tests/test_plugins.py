"""An installed third-party package can add components, presets and commands."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import prowess as pw
from prowess import plugins
from prowess.model.presets import BUILT_IN, PRESETS, preset
from prowess.model.registry import COMPONENTS
from tests.cli.running import ROOT, command, environment, run

SOURCE = '''
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
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


@dataclass(frozen=True)
class Heavy(pw.outcome.FromLogLikelihood):
    gamma: float = 3.0

    def log_likelihood(self, lead, difference):
        return -2.5 * np.log1p(((lead - difference) / self.gamma) ** 2 / 4) - np.log(self.gamma * 8 / 3)


@dataclass(frozen=True)
class Pause(pw.Drift):
    move: float = 1.0

    def widen(self, board):
        for entry in range(board.entries):
            board.var[entry] += self.move**2 if board.elapsed[entry] > 30.0 else 0.0


def Robust():
    return pw.TrueSkill(draw_probability=0).replace(outcome=Heavy(), drift=Pause())


def read_duels(content):
    rows = [line.split("|") for line in content.decode().splitlines()]
    if any(len(row) != 3 for row in rows):
        raise pw.Error("a line must have three parts")
    names = "winner", "loser", "date"
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}
'''
ENTRIES = """[prowess.components]
Difference = fancy:Difference
Missing = fancy:Missing
Misnamed = fancy:Difference
Order = fancy:Difference
Heavy = fancy:Heavy
Pause = fancy:Pause

[prowess.formats]
duels = fancy:read_duels
csv = fancy:Elo

[prowess.presets]
Fancy = fancy:Fancy
Robust = fancy:Robust
Elo = fancy:Elo
NoModel = fancy:NoModel
Absent = not_installed:Absent

[prowess.verbs]
rate = fancy:Elo
absent = not_installed:absent
"""
TOOLS = ROOT / "build" / "tools"  # has a setuptools that can build wheels; the one in a venv may be unable to
BROKEN = "ignore:the plugin .* from fancy-ratings:RuntimeWarning"


def install(folder: Path) -> Path:
    """Create a package in a folder, laid out as if installed by pip."""
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
def test_list_of_presets_ends_with_plugins_and_omits_broken_plugins() -> None:
    assert list(PRESETS) == [*BUILT_IN, "Fancy", "Robust"]
    assert PRESETS["Elo"] is pw.Elo
    assert preset("elo") is pw.Elo


@pytest.mark.usefixtures("installed")
def test_listing_all_presets_warns_once_about_each_broken_plugin() -> None:
    with pytest.warns(RuntimeWarning) as seen:
        list(PRESETS)
    assert [str(warning.message).split()[:3] for warning in seen] == [
        ["the", "plugin", "NoModel"],
        ["the", "plugin", "Absent"],
    ]
    list(PRESETS)  # a second warning would be an error


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("mapping", "name", "reason"),
    [
        (COMPONENTS, "Missing", "AttributeError: module 'fancy' has no attribute 'Missing'"),
        (COMPONENTS, "Misnamed", "its name must equal the name of its class, Difference"),
        (PRESETS, "NoModel", "a preset must be a function that returns a Model"),
        (PRESETS, "Absent", "ModuleNotFoundError: No module named 'not_installed'"),
    ],
)
def test_requesting_a_broken_plugin_raises_an_error_that_names_the_package(mapping, name, reason) -> None:
    with pytest.raises(pw.Error, match=f"the plugin {name} .* from fancy-ratings, failed to load: {reason}"):
        mapping[name]


@pytest.mark.usefixtures("installed")
def test_built_in_components_take_precedence_over_plugins() -> None:
    assert COMPONENTS["Order"] is pw.outcome.Order
    assert pw.Model.from_dict(pw.TrueSkill().to_dict()) == pw.TrueSkill()
    assert "fancy" not in sys.modules


def test_loading_a_model_with_a_component_of_an_uninstalled_package_raises_an_error() -> None:
    plain = pw.TrueSkill().to_dict() | {"outcome": {"is": "Difference", "gamma": 3.0}}
    with pytest.raises(pw.Error, match="unknown component"):
        pw.Model.from_dict(plain)


def test_importing_prowess_does_not_look_for_plugins(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import prowess as pw; pw.TrueSkill().to_dict(); pw.Elo()\n"
        "from prowess.plugins import find_plugins; assert not find_plugins.cache_info().currsize\n"
        "assert 'fancy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, install(tmp_path)], check=True)


@pytest.mark.usefixtures("installed")
def test_plugin_reads_files_with_its_suffix(tmp_path: Path) -> None:
    path = tmp_path / "evening.duels"
    path.write_text("ann|bob|2026-01-31\nbob|cat|2026-02-07\n")
    history = pw.History.read(path)
    assert [match["teams"] for match in history] == [[["ann"], ["bob"]], [["bob"], ["cat"]]]
    path.write_text("ann|bob\n")
    with pytest.raises(pw.Error, match=r"evening\.duels: a line must have three parts"):
        pw.History.read(path)
    path.write_bytes(b"\xff")
    with pytest.raises(pw.Error, match=r"evening\.duels: fancy:read_duels cannot read this file: UnicodeDecodeError"):
        pw.History.read(path)
    games = tmp_path / "games.csv"
    games.write_text("winner,loser\nann,bob\n")
    assert len(pw.History.read(games)) == 1


@pytest.mark.usefixtures("installed")
def test_likelihood_and_drift_of_a_package_work_in_the_service(tmp_path: Path) -> None:
    from prowess.service.api.models import _models
    from tests.service.app_client import served

    _models.cache_clear()
    with served(f"sqlite:///{tmp_path}/league.db") as ask:
        ask.post("/api/leagues", {"name": "darts", "model": {"name": "robust"}}, status=201)
        ask.post("/api/leagues/darts/matches", {"teams": [["ann"], ["bob"]], "scores": [3, 1]}, status=201)
        shown = ask.get("/api/leagues/darts/leaderboard").json()["players"]
    _models.cache_clear()
    fit = preset("robust")().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [3, 1]}]))
    assert [player["mu"] for player in shown] == pytest.approx([fit["ann"].mu, fit["bob"].mu])
    assert fit.model.hindsight(fit.history)["ann"].mu == pytest.approx(fit["ann"].mu)


@pytest.mark.usefixtures("installed")
def test_command_line_rates_with_a_plugin_preset(tmp_path: Path) -> None:
    games = tmp_path / "games.csv"
    games.write_text("team1,team2,score1,score2\nann,bob,3,1\nbob,cat,2,0\n")
    result = run("rate", games, "--model", "fancy", "--set", "gamma=1")
    assert result.exit_code == 0, result.stderr
    assert "ann" in result.stdout


@pytest.mark.usefixtures("installed")
@pytest.mark.filterwarnings(BROKEN)
def test_service_lists_and_uses_a_plugin_preset(tmp_path: Path) -> None:
    from prowess.service.api.models import _models
    from tests.service.app_client import served

    _models.cache_clear()
    with served(f"sqlite:///{tmp_path}/league.db") as ask:
        assert [model["name"] for model in ask.get("/api/models").json()["models"][-2:]] == ["Fancy", "Robust"]
        created = ask.post("/api/leagues", {"name": "darts", "model": {"name": "fancy"}}, status=201).json()
        assert created["model"]["name"] == "Fancy"
        ask.post("/api/leagues/darts/matches", {"teams": [["ann"], ["bob"]], "scores": [3, 1]}, status=201)
    _models.cache_clear()


def test_broken_plugin_command_causes_a_warning_in_the_help_and_fails_only_when_called(tmp_path: Path) -> None:
    path = search_path(install(tmp_path))
    broken = (
        "the plugin absent (not_installed:absent) for prowess.verbs, from fancy-ratings, failed to load: "
        "ModuleNotFoundError: No module named 'not_installed'\n"
    )
    listed = command("--help", PYTHONPATH=path)
    assert (listed.returncode, listed.stderr) == (0, f"warning: {broken}")
    assert "papers" in listed.stdout
    assert "absent" not in listed.stdout
    used = command("absent", PYTHONPATH=path)
    assert (used.returncode, used.stdout, used.stderr) == (1, "", f"error: {broken}")
    rated = command("rate", ROOT / "examples" / "league.csv", "--quiet", PYTHONPATH=path)
    assert (rated.returncode, rated.stderr) == (0, "")


def search_path(folder: Path) -> str:
    """Return a PYTHONPATH that starts with a folder, followed by the folder of prowess."""
    return f"{folder}{os.pathsep}{Path(pw.__file__).parents[1]}"


def example_files() -> dict[str, str]:
    """Return the files of the example package in docs/plugins.md."""
    page = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    section = re.search(r"^## A plugin package$(.*?)^## ", page, re.M | re.S)[1]
    return dict(re.findall(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```$", section, re.M | re.S))


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PYTHONPATH with the example package of docs/plugins.md, installed by pip."""
    if not TOOLS.is_dir():
        assert os.environ.get("CI") != "true", "setuptools must be in build/tools when CI=true"
        pytest.skip("setuptools is not in build/tools, where make puts it")
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("target")
    for name, text in example_files().items():
        (source / name).write_text(text, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
    tools = environment(PYTHONPATH=str(TOOLS))
    subprocess.run([*pip, "--no-build-isolation", "--target", target, source], env=tools, check=True)
    return search_path(target)


def test_example_plugin_package_is_short() -> None:
    files = example_files()
    assert list(files) == ["pyproject.toml", "prowess_capped.py"]
    assert sum(text.count("\n") for text in files.values()) < 60


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.csv"
    path.write_text("team1,team2,score1,score2\nann,bob,9,1\nbob,cat,2,0\nann,cat,3,4\n", encoding="utf-8")
    return path


def test_preset_of_the_example_plugin_rates_and_its_ladder_is_saved_and_loaded(example: str, games: Path) -> None:
    saved = games.with_name("ladder.prowess")
    options = ("--model", "capped", "--set", "cap=2.5", "--save", saved, "--quiet")
    rated = command("rate", games, *options, PYTHONPATH=example)
    assert (rated.returncode, rated.stderr) == (0, "")
    code = (
        "import sys, prowess as pw; ladder = pw.Ladder.load(sys.argv[1]); print(repr(ladder.model.outcome))\n"
        "ladder.record([['ann'], ['dan']], scores=[1, 0]); ladder.save(sys.argv[1])\n"
        "assert pw.Ladder.load(sys.argv[1]) == ladder"
    )
    loading = [sys.executable, "-c", code, saved]
    loaded = subprocess.run(loading, env=environment(PYTHONPATH=example), capture_output=True, text=True, check=True)
    assert loaded.stdout == "CappedDifference(cap=2.5, gamma=3.0)\n"
    assert json.loads(command("predict", saved, "ann vs dan", "--json", PYTHONPATH=example).stdout)
    without = command("predict", saved, "ann vs dan")
    assert without.returncode == 1
    assert "CappedDifference" in without.stderr


def test_command_of_the_example_plugin_is_listed_and_runs(example: str, games: Path) -> None:
    listed = command("--help", PYTHONPATH=example)
    assert re.search("Plugins .*blowouts  +Count the matches that were decided by more than a cap", listed.stdout, re.S)
    assert listed.stderr == ""
    assert command("blowouts", games, PYTHONPATH=example).stdout == "1\n"
    assert command("blowouts", games, "--cap", "1", "--quiet", PYTHONPATH=example).stdout == "2\n"


def test_service_accepts_the_preset_of_the_example_plugin(example: str, tmp_path: Path) -> None:
    code = """
import sys
from tests.service.app_client import served
with served(f"sqlite:///{sys.argv[1]}/league.db") as ask:
    model = {"name": "capped", "parameters": {"cap": 2}}
    created = ask.post("/api/leagues", {"name": "darts", "model": model}, status=201).json()
    assert created["model"]["name"] == "Capped", created
    ask.post("/api/leagues/darts/matches", {"teams": [["ann"], ["bob"]], "scores": [3, 1]}, status=201)
with served(f"sqlite:///{sys.argv[1]}/league.db") as ask:  # the service loads the model from the database
    ask.post("/api/leagues/darts/matches", {"teams": [["ann"], ["bob"]], "scores": [9, 1]}, status=201)
    assert "ann" in ask.get("/api/leagues/darts/leaderboard").text
"""
    running = [sys.executable, "-c", code, tmp_path]
    done = subprocess.run(
        running, env=environment(PYTHONPATH=example), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


WITHOUT_PAPERS = """
import importlib.metadata, sys
sys.modules["prowess_papers"] = None  # so that importing it fails
if sys.argv.pop(1) == "hidden":
    everywhere = importlib.metadata.entry_points
    importlib.metadata.entry_points = lambda **which: [
        entry for entry in everywhere(**which) if not entry.module.startswith("prowess_papers")
    ]
"""


def run_without_papers(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", WITHOUT_PAPERS + code, *words]
    return subprocess.run(line, env=environment(), capture_output=True, text=True, check=False)


@pytest.mark.parametrize("entries", ["hidden", "present"])
def test_papers_command_without_its_package_says_how_to_install_it(entries: str) -> None:
    main = "from prowess.cli import main; main()"
    done = run_without_papers(main, entries, "papers", "classics")
    message = "papers: not installed; pip install prowess-papers"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"error: {message}\n")
    listed = run_without_papers(main, entries, "--help")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert not re.search(r"papers +Run", listed.stdout)
    assert re.search(r"compare +Find", listed.stdout)


def test_no_module_of_prowess_imports_the_papers_package() -> None:
    code = """
import pkgutil, prowess
for module in pkgutil.walk_packages(prowess.__path__, "prowess."):
    if not module.name.endswith((".__main__", ".migrations.env")):
        importlib.import_module(module.name)
"""
    done = run_without_papers(code, "hidden")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
