"""Wheels work in an empty environment with nothing but the core dependencies, and without a compiler."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import openpyxl
import pytest

import prowess as pw
from tests.cli.running import WIDE
from tests.packaging.building import ROOT, Installed, copy_sources, environment, link_packages, run_backend, unpack

pytestmark = pytest.mark.long  # compiling takes minutes
KINDS = ("compiled", "pure")
SETTINGS = {
    "compiled": {"PROWESS_REQUIRE_COMPILED": "1", "PROWESS_VARIANTS": "all"},
    "pure": {"PROWESS_PURE": "1"},
}
# Tests that need no source tree.
WITHOUT_SOURCES = (
    "tests/model/ladder",
    "tests/model/test_prediction.py",
    "tests/model/test_threads.py",
    "tests/matchmaking/balancing",
    "tests/matchmaking/next_match",
    "tests/conformance/test_outcomes.py",
    "tests/conformance/test_predictions.py",
    "tests/history/test_history.py",
    "tests/history/test_times.py",
)


@pytest.fixture(scope="module")
def dists(tmp_path_factory):
    """A folder for each kind of wheel: from the folder PROWESS_WHEELS if it is given, otherwise built here."""
    folder = tmp_path_factory.mktemp("dists")
    for kind in KINDS:
        (folder / kind).mkdir()
    if ready := os.environ.get("PROWESS_WHEELS"):
        for wheel in Path(ready).glob("prowess-*.whl"):
            shutil.copy(wheel, folder / ("pure" if "none-any" in wheel.name else "compiled"))
    else:
        build(folder)
    return {kind: folder / kind for kind in KINDS}


def build(folder: Path) -> None:
    """Build both kinds of wheels from the source distribution."""
    project = unpack(run_backend("build_sdist", copy_sources(folder / "sources"), folder), folder / "unpacked")
    for kind in KINDS:
        copy = shutil.copytree(project, folder / f"{kind}_build")
        run_backend("build_wheel", copy, folder / kind, **SETTINGS[kind])


@pytest.fixture(scope="module", params=KINDS)
def installed(request, dists, tmp_path_factory):
    """An environment with a wheel and the core dependencies."""
    folder = tmp_path_factory.mktemp(request.param)
    packages = link_packages(folder / "packages")
    return request.param, Installed.create(folder / "venv", dists[request.param], packages)


@pytest.fixture
def folder(tmp_path):
    """A folder with a file of matches and nothing else."""
    (tmp_path / "matches.csv").write_text(WIDE, encoding="utf-8")
    return tmp_path


def test_version_names_the_kernels(installed, folder):
    kind, prowess = installed
    version, kernel = prowess.run("prowess", "--version", cwd=folder).stdout.splitlines()
    assert version == f"prowess {pw.__version__}"
    assert kernel.startswith("kernel: compiled (" if kind == "compiled" else "kernel: pure, so rating takes 20 to")


def test_compiled_wheel_has_kernels_for_every_processor_and_for_avx2(dists, tmp_path):
    [wheel] = dists["compiled"].iterdir()
    shutil.unpack_archive(wheel, tmp_path, "zip")
    normal = {file.parent.parent.relative_to(tmp_path) for file in tmp_path.rglob("normal.*.so")}
    assert normal == {Path("prowess/model"), Path("prowess/_avx2/model")}


@pytest.mark.parametrize("start", [("prowess",), ("python", "-m", "prowess")])
def test_rate_check_and_predict_work_in_any_folder(start, installed, folder):
    prowess = installed[1]
    rated = prowess.run(*start, "rate", "matches.csv", "--json", cwd=folder)
    assert (rated.returncode, {row["player"] for row in json.loads(rated.stdout)}) == (0, {"ann", "bob", "cat"})
    assert prowess.run(*start, "check", "matches.csv", cwd=folder).returncode == 0
    assert "ann" in prowess.run(*start, "predict", "matches.csv", "ann vs bob", cwd=folder).stdout


def test_demo_works_without_a_checkout_and_says_what_charts_need(installed, folder):
    done = installed[1].run("prowess", "demo", cwd=folder)
    assert done.returncode == 0
    assert done.stderr == "skill curves need Altair and vl-convert: pip install 'prowess[lab]'\n"
    assert "Farley United" in done.stdout


@pytest.mark.parametrize(
    ("words", "package", "extra"),
    [
        (("rate", "matches.xlsx"), "fastexcel", "excel"),
        (("compare", "matches.csv", "--jobs", "2"), "joblib", "lab"),
        (("tune", "matches.csv", "--model", "elo"), "Optuna", "lab"),
        (("rate", "matches.csv", "--report", "report.html"), "Altair", "lab"),
        (("serve",), "FastAPI", "service"),
    ],
)
def test_error_for_a_missing_extra_says_how_to_install_it(words, package, extra, installed, folder):
    openpyxl.Workbook().save(folder / "matches.xlsx")
    done = installed[1].run("prowess", *words, cwd=folder)
    error = f"error: this needs {package}, which is not installed: pip install 'prowess[{extra}]'"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, error)


def test_tests_that_need_no_source_tree_pass_with_the_wheel(installed, tmp_path):
    kind, prowess = installed
    shutil.copytree(ROOT / "tests", tmp_path / "tests")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copyfile(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    [site] = prowess.bin.parent.glob("lib/python3*/site-packages")
    ours = "import prowess; assert 'site-packages' in prowess.__file__"
    run = {"cwd": tmp_path, "env": environment(PYTHONPATH=str(site), PATH=os.environ["PATH"]), "check": True}
    subprocess.run([sys.executable, "-c", ours], **run)
    paths = WITHOUT_SOURCES if kind == "compiled" else WITHOUT_SOURCES[:2]
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *paths], **run)
