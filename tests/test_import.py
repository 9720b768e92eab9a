"""`import prowess` imports NumPy and little else."""

import subprocess
import sys

import prowess as pw

HEAVY = ("polars", "pandas", "pyarrow", "typer", "rich", "altair", "scipy", "zoneinfo", "prowess.lab", "prowess.cli")


def test_importing_prowess_loads_no_heavy_packages():
    code = f"import sys, prowess; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_lazy_names_are_imported_on_first_use():
    code = "import prowess as pw; print(pw.Fit.__name__, pw.Prediction.__name__, pw.lab.skill_curves.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["Fit", "Prediction", "skill_curves"]


def test_dir_lists_all_public_names_and_nothing_private():
    code = "import prowess as pw; print(*dir(pw))"
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"compare", "tune", "simulate", "Client", "lab", "TrueSkill", "__version__"} <= set(names)
    assert {name for name in names if name.startswith("_")} == {"__version__"}
    assert set(pw.__all__) <= set(names)
    assert all(hasattr(pw, name) for name in names)


def test_command_line_starts_without_importing_the_service():
    served = ("fastapi", "jinja2", "sqlalchemy", "altair", "polars", "prowess.store", "prowess.service.app")
    code = (
        "import runpy, sys\nsys.argv = ['prowess', '--version']\n"
        "try:\n    runpy.run_module('prowess', run_name='__main__')\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {served!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
