"""The example notebooks are valid, contain no outputs, and run from top to bottom."""

import ast
import json
import shutil

import pytest

from tests.documents import ROOT, name

BOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def cells(book, kind="code"):
    """Return the sources of all cells of a kind."""
    whole = json.loads(book.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in whole["cells"] if cell["cell_type"] == kind]


@pytest.mark.parametrize("book", BOOKS, ids=name)
def test_notebook_runs_without_errors(book, tmp_path, monkeypatch):
    """All cells run in order, in one namespace, in the notebook's folder; charts are rendered."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    namespace = {"__name__": "notebook"}
    for number, code in enumerate(cells(book), 1):
        show(code, f"{name(book)}, cell {number}", namespace)


def show(code, where, namespace):
    """Run a cell, and return the value of its last expression as a notebook shows it."""
    tree = ast.parse(code, where)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec", dont_inherit=True), namespace)
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), where, "eval", dont_inherit=True), namespace)
    drawn = getattr(value, "_repr_mimebundle_", None)
    return drawn() if drawn else repr(value)


def test_value_of_the_last_line_of_a_notebook_cell_is_shown():
    assert show("a = 2\na + 1", "cell", {}) == "3"
    assert show("a = 2", "cell", {}) is None
    with pytest.raises(ZeroDivisionError):
        show("1 / 0", "cell", {})


@pytest.mark.parametrize("book", BOOKS, ids=name)
def test_notebook_has_unique_cell_ids_and_no_outputs(book):
    whole = json.loads(book.read_text(encoding="utf-8"))
    assert whole["nbformat"] == 4
    assert len({cell["id"] for cell in whole["cells"]}) == len(whole["cells"])
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in whole["cells"] if "outputs" in cell)
    assert cells(book, "markdown")[0].startswith("# ")


def test_each_audience_has_a_notebook():
    assert {book.stem for book in BOOKS} == {"season", "matchmaking", "models"}
