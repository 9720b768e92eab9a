"""Run the tests that take long, group by group: `python -m tests.long [GROUP …]`; `--remind` names groups that are due.

A group that passes on a clean tree writes its commit and date to `tests/long_runs.json`.
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent
RECORD = ROOT / "tests" / "long_runs.json"
DUE_AFTER = 200  # commits
PYTEST = ("-m", "pytest", "-q", "--numprocesses", "2", "--dist", "worksteal")
LONG = ("--thorough", "-m", "long or hypothesis")
VARIANT_TESTS = "test_modes.py"  # these need kernels for all processors
KERNEL_TESTS = ("tests/model", "tests/matchmaking/blossom", "tests/matchmaking/pairing/test_pair.py")
# Tests whose results go through BLAS, or through NumPy's vectorised functions.
VECTORS = (
    "tests/model/hindsight",
    "tests/lab/compare",
    "tests/lab/measures",
    "tests/lab/tune",
    "tests/lab/auto",
    "tests/matchmaking/next_match",
)
BLAS_KERNELS = ("Prescott", "Nehalem", "Haswell", "Zen", "SkylakeX")
COMPILED = {"PROWESS_REQUIRE_COMPILED": "1"}
OLD_NUMPY = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"  # what NumPy must leave unused: AVX2 and everything above it


@dataclass(frozen=True)
class Run:
    """One command of a group: arguments of Python, and settings of the environment."""

    arguments: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    python: str = sys.executable

    def __str__(self) -> str:
        """Show the command as a shell would take it."""
        settings = [f"{name}={value!r}" for name, value in self.environment.items()]
        return " ".join([*settings, Path(self.python).name, *self.arguments])


def thorough(*paths: str) -> list[Run]:
    """Run the long tests, and ten times as many examples of Hypothesis."""
    return [Run((*PYTEST, *LONG, *paths))]


def top_level() -> list[Run]:
    """Run the long tests that are in no other group."""
    others = {path.parts[-1] for path in ROOT.glob("tests/*/") if path.is_dir()}
    grouped = {"history", "model", "conformance", "lab", "papers", "store", "service", "packaging"}
    folders = sorted(f"tests/{name}" for name in others - grouped if any(ROOT.glob(f"tests/{name}/**/test_*.py")))
    files = sorted(str(file.relative_to(ROOT)) for file in ROOT.glob("tests/test_*.py") if file.name != VARIANT_TESTS)
    return thorough("src", "papers/src", *folders, *files)


def uncompiled() -> list[Run]:
    """Run the tests of the kernels uncompiled."""
    return [Run((*PYTEST, "--pure", *KERNEL_TESTS))]


def variants() -> list[Run]:
    """Build the kernels for all processors, and compare them with those for this one."""
    tools = {"PYTHONPATH": str(ROOT / "build" / "tools")}
    return [
        Run(("setup.py", "--quiet", "build_ext", "--inplace"), COMPILED | tools | {"PROWESS_VARIANTS": "all"}),
        Run((*PYTEST, *LONG, f"tests/{VARIANT_TESTS}")),
        Run((*PYTEST, *KERNEL_TESTS, "tests/conformance"), {"PROWESS_BASELINE": "1"}),
    ]


def processors() -> list[Run]:
    """Run what goes through BLAS or NumPy's vectors as on other processors."""
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split() if Path("/proc/cpuinfo").exists() else []
    blas = [{"OPENBLAS_CORETYPE": name} for name in BLAS_KERNELS if name != "SkylakeX" or "avx512f" in flags]
    return [Run((*PYTEST, *VECTORS), setting) for setting in [*blas, {"NPY_DISABLE_CPU_FEATURES": OLD_NUMPY}]]


def pythons() -> list[Run]:
    """Run the ordinary tests with the oldest and the newest Python that are installed, unless `make test` uses it."""
    found = installed_pythons()
    own = sys.version_info.minor
    return [run for minor in sorted({min(found), max(found)} - {own}) for run in with_python(minor, found[minor])]


def with_python(minor: int, python: str) -> list[Run]:
    """Install everything for another Python, and run the ordinary tests."""
    folder = ROOT / "build" / "pythons" / f"3.{minor}"
    own, tools = str(folder / "bin" / "python"), str(folder / "tools")
    install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--constraint", "constraints.txt")
    pure = {"PROWESS_PURE": "1", "PROWESS_REQUIRE_COMPILED": "0"}
    return [
        Run(("-m", "venv", str(folder)), python=python),
        Run((*install, "--upgrade", "--target", tools, "setuptools", "cython"), python=own),
        Run((*install, "--editable", ".[test]", "--editable", "./papers"), pure, own),
        Run(("setup.py", "--quiet", "build_ext", "--inplace"), COMPILED | {"PYTHONPATH": tools}, own),
        Run(PYTEST, python=own),
    ]


def wheels() -> list[Run]:
    """Build the wheels, install each into an empty environment, and run it there."""
    return [Run(("-m", "pytest", "-q", "-m", "long", "tests/packaging"))]


def installed_pythons() -> dict[int, str]:
    """Return the Pythons from 3.11 on that are on the path or come from pyenv, by their minor version."""
    folders = os.environ["PATH"].split(os.pathsep), Path.home().glob(".pyenv/versions/*/bin")
    files = {Path(folder, f"python3.{minor}"): minor for part in folders for folder in part for minor in range(11, 30)}
    works = {minor: str(file) for file, minor in files.items() if file.exists() and _is_usable(file)}
    return works | {sys.version_info.minor: sys.executable}


def _is_usable(python: Path) -> bool:
    return subprocess.run([python, "-c", "import venv, sysconfig"], capture_output=True).returncode == 0


GROUPS = {
    "history": lambda: thorough("tests/history"),
    "model": lambda: thorough("tests/model", "tests/conformance"),
    "lab": lambda: thorough("tests/lab", "tests/papers"),
    "store": lambda: thorough("tests/store"),
    "service": lambda: thorough("tests/service"),
    "others": top_level,
    "pure": uncompiled,
    "variants": variants,
    "processors": processors,
    "pythons": pythons,
    "wheels": wheels,
}


def run_group(name: str) -> bool:
    """Run the commands of a group, all of them even if one fails; return whether all have passed."""
    passed = True
    for run in GROUPS[name]():
        print(f"\n{name}: {run}", flush=True)
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        passed &= (
            subprocess.run([run.python, *run.arguments], cwd=ROOT, env=environment | run.environment).returncode == 0
        )
    return passed


def run_groups(names: list[str]) -> int:
    """Run groups, record those that pass, and print what was run; return 1 if a group has failed."""
    shown, failed, clean = [], 0, is_clean()
    for name in names:
        start = time.monotonic()
        passed = run_group(name)
        minutes = (time.monotonic() - start) / 60
        failed |= not passed
        if passed and clean:
            record(name, minutes)
        shown.append(f"{name:12}{'passed' if passed else 'FAILED':8}{minutes:6.1f} min")
    print("\n" + "\n".join(shown))
    if not clean:
        print("There are uncommitted changes, so these runs are not recorded.")
    return int(failed)


def record(name: str, minutes: float) -> None:
    """Write the commit and the date of a run that has passed."""
    run = {
        "commit": git("rev-parse", "HEAD"),
        "date": datetime.now(UTC).date().isoformat(),
        "minutes": round(minutes, 1),
    }
    RECORD.write_text(json.dumps(recorded() | {name: run}, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def recorded() -> dict[str, dict]:
    """Return the last recorded run of every group."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}


def is_clean() -> bool:
    """Return whether everything but the record is committed."""
    changed = git("status", "--porcelain").splitlines()
    return all(line[3:] == str(RECORD.relative_to(ROOT)) for line in changed)


def due() -> dict[str, str]:
    """Return why groups should be run again, by their names."""
    runs = recorded()
    reasons = {}
    for name in GROUPS:
        if name not in runs:
            reasons[name] = "has never been run whole"
        elif (ago := git("rev-list", "--count", f"{runs[name]['commit']}..HEAD")) == "" or int(ago) > DUE_AFTER:
            reasons[name] = f"was last run on {runs[name]['date']}, {ago or 'an unknown number of'} commits ago"
    return reasons


def git(*arguments: str) -> str:
    """Return what a git command prints; nothing if it fails, as in a checkout without history."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip("\n") if done.returncode == 0 else ""


def main(arguments: list[str]) -> int:
    """Run the named groups, or all; with `--remind`, only say which are due."""
    if arguments == ["--remind"]:
        for name, reason in due().items():
            print(f"make test-long GROUP={name}: {reason}")
        return 0
    if unknown := set(arguments) - set(GROUPS):
        print(f"unknown groups: {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
        return 2
    return run_groups(arguments or list(GROUPS))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
