"""Build distributions and install them into empty environments; nothing is downloaded."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

from tools.licences import needed_by

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / "build" / "tools"  # setuptools and Cython, which `make` keeps out of the environment of the tests
BUILT = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "_avx2", "*.egg-info")
FILES = ("LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py")
SETTINGS = re.compile(r"PROWESS_|PYTHON|PIP_|VIRTUAL_ENV")
CORE = ("numpy", "polars", "typer", "rich")


def environment(**more: str) -> dict[str, str]:
    """Return the environment without what changes builds, pip and Python."""
    return {name: value for name, value in os.environ.items() if not SETTINGS.match(name)} | more


def copy_sources(folder: Path) -> Path:
    """Copy what a distribution is built from; a build in the checkout itself would leave files there."""
    shutil.copytree(ROOT / "src", folder / "src", ignore=BUILT)
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "tests").mkdir()
    shutil.copyfile(ROOT / "tests" / "test_import.py", folder / "tests" / "test_import.py")  # to be left out
    for name in FILES:
        shutil.copyfile(ROOT / name, folder / name)
    return folder


def run_backend(hook: str, project: Path, dist: Path, **settings: str) -> Path:
    """Call a hook of the build backend, `build_sdist` or `build_wheel`, and return the file that it wrote."""
    code = f"import sys; from setuptools import build_meta; print('built', build_meta.{hook}(sys.argv[1]))"
    settings = {"PYTHONPATH": str(TOOLS)} | settings
    line = [sys.executable, "-c", code, str(dist)]
    done = subprocess.run(line, cwd=project, env=environment(**settings), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    [name] = re.findall(r"^built (.+)$", done.stdout, re.MULTILINE)
    return dist / name


def unpack(sdist: Path, folder: Path) -> Path:
    """Unpack a source distribution and return its only folder."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    [project] = folder.iterdir()
    return project


def link_packages(folder: Path, names: tuple[str, ...] = CORE) -> Path:
    """Make a folder from which only these installed distributions, and what they need, can be imported."""
    folder.mkdir()
    for name in needed_by(list(names)):
        installed = distribution(name)
        for top in {file.parts[0] for file in installed.files or () if file.parts[0] not in ("..", "__pycache__")}:
            if not (folder / top).exists():
                (folder / top).symlink_to(Path(str(installed.locate_file(top))))
    return folder


@dataclass(frozen=True)
class Installed:
    """An environment in which prowess was installed from a local folder, without a compiler on the path."""

    bin: Path

    @classmethod
    def create(cls, folder: Path, dist: Path, packages: Path) -> "Installed":
        """Create a virtual environment without pip, with the packages of a folder, and install prowess into it."""
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], env=environment(), check=True)
        [site] = folder.glob("lib/python3*/site-packages")
        (site / "packages.pth").write_text(f"{packages}\n", encoding="utf-8")
        self = cls(folder / "bin")
        pip = [sys.executable, "-m", "pip", "--isolated", "--python", str(self.bin / "python"), "install"]
        # Without --no-deps, pip checks that the packages that are there satisfy the requirements.
        words = ["--quiet", "--no-index", "--find-links", str(dist), "--no-compile", "prowess"]
        done = subprocess.run([*pip, *words], env=environment(), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return self

    def run(self, *words: object, cwd: Path, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the environment, with nothing but this environment on the path."""
        path = {"PATH": str(self.bin), "COLUMNS": "80"}
        line = [str(self.bin / str(words[0])), *map(str, words[1:])]
        return subprocess.run(line, cwd=cwd, env=environment(**path | settings), capture_output=True, text=True)
