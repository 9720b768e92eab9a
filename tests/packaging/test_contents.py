"""Distributions contain what users need and nothing else, and pip prefers the compiled wheel to the pure one."""

import shutil
import subprocess
import sys
import tarfile
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.tags import sys_tags

import prowess as pw
from tests.packaging.building import BUILT, ROOT, TOOLS, copy_sources, environment, run_backend, unpack

EXAMPLES = {f"prowess/example_files/{name}.csv" for name in ("clubs", "clubs_truth", "league")}
INFO = f"prowess-{pw.__version__}.dist-info/"


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The source distribution."""
    folder = tmp_path_factory.mktemp("sdist")
    return run_backend("build_sdist", copy_sources(folder / "sources"), folder)


@pytest.fixture(scope="module")
def project(sdist, tmp_path_factory):
    """The unpacked source distribution, as pip builds it."""
    return unpack(sdist, tmp_path_factory.mktemp("unpacked"))


@pytest.fixture(scope="module")
def wheel(project, tmp_path_factory):
    """The pure wheel, built from the source distribution."""
    return run_backend("build_wheel", project, tmp_path_factory.mktemp("dist"), PROWESS_PURE="1")


def sources(folder: str, package: str) -> set[str]:
    """Return the files of a package that are not built, relative to the folder that it is in."""
    files = (ROOT / folder / package).rglob("*")
    kept = (file for file in files if file.is_file() and file.suffix not in (".pyc", ".so"))
    return {str(file.relative_to(ROOT / folder)) for file in kept}


def test_pure_wheel_has_the_package_and_the_example_leagues_and_nothing_else(wheel):
    assert wheel.name == f"prowess-{pw.__version__}-py3-none-any.whl"
    names = {name for name in ZipFile(wheel).namelist() if not name.startswith(INFO)}
    assert names == sources("src", "prowess") | EXAMPLES
    league = (ROOT / "examples" / "league.csv").read_bytes()
    assert ZipFile(wheel).read("prowess/example_files/league.csv") == league


def test_source_distribution_has_all_that_a_build_needs_and_no_tests(sdist):
    assert sdist.name == f"prowess-{pw.__version__}.tar.gz"
    with tarfile.open(sdist) as archive:
        files = {member.name.partition("/")[2] for member in archive if member.isfile()}
    outside = {name for name in files if not name.startswith("src/")}
    built = {"PKG-INFO", "setup.cfg"}
    examples = {name.replace("prowess/example_files", "examples") for name in EXAMPLES}
    assert outside == {"LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py"} | examples | built
    inside = {name.removeprefix("src/") for name in files - outside if ".egg-info/" not in name}
    assert inside == sources("src", "prowess")


def test_metadata_names_four_dependencies_the_licence_and_the_command(wheel):
    archive = ZipFile(wheel)
    metadata = Parser().parsestr(archive.read(INFO + "METADATA").decode())
    needs = map(Requirement, metadata.get_all("Requires-Dist"))
    assert {need.name for need in needs if need.marker is None} == {"numpy", "polars", "rich", "typer"}
    assert (metadata["Name"], metadata["Version"]) == ("prowess", pw.__version__)
    assert (metadata["License-Expression"], metadata["Requires-Python"]) == ("MIT", ">=3.11")
    assert archive.read(INFO + "licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    assert "prowess = prowess.cli:main" in archive.read(INFO + "entry_points.txt").decode()


def test_papers_are_a_distribution_of_their_own_for_the_same_version(tmp_path):
    project = shutil.copytree(ROOT / "papers", tmp_path / "papers", ignore=BUILT)
    wheel = ZipFile(run_backend("build_wheel", project, tmp_path))
    info = f"prowess_papers-{pw.__version__}.dist-info/"
    assert {name for name in wheel.namelist() if not name.startswith(info)} == sources("papers/src", "prowess_papers")
    metadata = Parser().parsestr(wheel.read(info + "METADATA").decode())
    assert (metadata["Name"], metadata.get_all("Requires-Dist")) == (
        "prowess-papers",
        [f"prowess[lab]=={pw.__version__}"],
    )
    assert wheel.read(info + "licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()


@pytest.mark.parametrize("compiled", [True, False])
def test_pip_takes_the_compiled_wheel_if_there_is_one_and_the_pure_one_otherwise(compiled, wheel, tmp_path):
    offered, taken = tmp_path / "offered", tmp_path / "taken"
    tag = next(iter(sys_tags())) if compiled else "cp39-cp39-win32"
    for name in (wheel.name, wheel.name.replace("py3-none-any", str(tag))):
        offered.mkdir(exist_ok=True)
        shutil.copyfile(wheel, offered / name)
    words = ["download", "--quiet", "--no-index", "--no-deps", "--find-links", offered, "--dest", taken, "prowess"]
    subprocess.run([sys.executable, "-m", "pip", "--isolated", *words], env=environment(), check=True)
    [chosen] = taken.iterdir()
    assert chosen.name.endswith("py3-none-any.whl") != compiled


def test_build_without_a_compiler_says_in_one_line_that_the_kernels_run_uncompiled(project, tmp_path: Path):
    settings = {"PYTHONPATH": str(TOOLS), "CC": str(tmp_path / "missing")}
    line = [sys.executable, "setup.py", "--quiet", "build_ext"]
    done = subprocess.run(line, cwd=project, env=environment(**settings), capture_output=True, text=True)
    assert done.returncode == 0
    said = [line for line in done.stderr.splitlines() if line.startswith("prowess: ")]
    assert said == ["prowess: no C compiler, so the kernels will run as plain Python, 20 to 300 times slower"]


@pytest.mark.parametrize(("compiler", "builds", "said"), [("/usr/bin/cc", 3, 0), ("", 2, 1)])
def test_make_wheel_says_if_there_is_no_compiler_for_a_compiled_wheel(compiler, builds, said):
    line = ["make", "--dry-run", "wheel", f"CC_FOUND={compiler}"]
    lines = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert sum("python -m build --outdir dist" in line for line in lines) == builds
    assert sum("no C compiler, so there is no compiled wheel" in line for line in lines) == said
