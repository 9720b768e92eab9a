"""`import prowess` imports nothing else, a model imports NumPy and little else, and `prowess --help` neither."""

import ast
import pydoc
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import prowess as pw

HEAVY = {"polars", "pandas", "pyarrow", "altair", "scipy", "zoneinfo", "sqlalchemy", "fastapi", "jinja2"}
COMMAND_LINE = {"typer", "click", "rich", "prowess.cli"}
# Each takes a few per cent of the time that importing NumPy takes.
SLOW = {"importlib.metadata", "email", "pathlib", "json", "secrets", "hashlib", "difflib", "shutil", "tempfile", "csv"}
RATE = """
import prowess as pw
model = pw.TrueSkill()
model.rate([[model.rating()], [pw.Rating(9, 1)]])
pw.Ladder(model)
pw.History
"""
HELP = """
from prowess.cli import main
sys.argv = ["prowess", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code
"""


def loaded(code: str, before: str = "") -> set[str]:
    """Return the modules that a new process loads while it runs `code`, without those that it loaded before."""
    lines = f"import sys\n{before}\nkept = set(sys.modules)\n{code}\nprint('\\n', *sys.modules.keys() - kept)"
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, encoding="utf-8", check=True)
    return set(done.stdout.splitlines()[-1].split())


def own(names: set[str]) -> set[str]:
    return {name for name in names if name.split(".")[0] in ("prowess", "prowess_papers")}


def test_importing_prowess_loads_none_of_its_modules_and_not_even_numpy():
    names = loaded("import prowess")
    assert own(names) == {"prowess"}
    assert "numpy" not in names


def test_using_a_model_loads_little_besides_numpy():
    names = loaded(RATE, before="import numpy.typing")
    assert not names & (HEAVY | COMMAND_LINE | SLOW)
    assert not {name.split(".")[1] for name in own(names) - {"prowess"}} & {"lab", "matchmaking", "store", "service"}
    assert 40 < len(own(names)) <= 80
    assert len(names - own(names)) <= 20


def test_help_of_the_command_line_imports_no_verb_and_not_even_numpy():
    names = loaded(HELP)
    assert not names & (HEAVY | {"numpy"})
    used = ("cli", "cli.output", "cli.output.console", "errors", "plugins", "progress")
    assert own(names) == {"prowess", *(f"prowess.{name}" for name in used)}


def test_each_name_that_a_type_checker_sees_is_imported_on_first_use():
    source = ast.parse(Path(pw.__file__).read_text(encoding="utf-8"))
    [block] = [node for node in source.body if isinstance(node, ast.If)]
    seen = {}
    for line in block.body:
        assert isinstance(line, ast.ImportFrom)
        module = import_module("." * line.level + (line.module or ""), "prowess")
        seen |= {alias.name: getattr(module, alias.name) for alias in line.names}
    assert seen.keys() == {*pw.__all__, "lab"} - {"kernel_mode"}
    assert all(getattr(pw, name) is value for name, value in seen.items())


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'prowess' has no attribute 'TrueSkil'"):
        _ = pw.TrueSkil


def test_dir_and_help_list_all_public_names_and_nothing_private():
    assert set(dir(pw)) == {*pw.__all__, "lab", "__version__"}
    shown = pydoc.plain(pydoc.render_doc(pw))
    assert all(f"\n    {name}(" in shown for name in ("TrueSkill", "compare", "kernel_mode"))


def test_pickled_objects_are_loaded_in_a_process_that_has_not_used_prowess():
    dump = "import pickle, prowess as pw; print(pickle.dumps((pw.TrueSkill(), pw.Rating(25, 8), pw.Error('wrong'))))"
    data = subprocess.run([sys.executable, "-c", dump], capture_output=True, encoding="utf-8", check=True).stdout
    assert "prowess.model.model" in loaded(f"import pickle; pickle.loads({data.strip()})")
