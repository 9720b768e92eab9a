"""Print how the code is built: sizes, and the knowledge that parts have of each other: `python tools/house.py`.

`tests/test_house.py` holds these figures as ceilings. `python tools/house.py NAME` lists what a figure counts.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import networkx

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src", ROOT / "papers" / "src"
COMPONENTS = ROOT / "src" / "prowess" / "model" / "components"
STORE, SCHEMAS = ROOT / "src" / "prowess" / "store", ROOT / "src" / "prowess" / "service" / "api" / "schemas"
FACADES = "prowess.history.history", "prowess.model.model"
LONG_FILE, LONG_FUNCTION, LARGE_FOLDER = 450, 50, 18  # lines of code; lines of code; modules
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BRANCHES = (ast.If, ast.IfExp, ast.For, ast.While, ast.BoolOp)


@cache
def files() -> list[Path]:
    """Return all modules of the packages."""
    return sorted(path for folder in SOURCES for path in folder.rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


@cache
def lines_of_code(path: Path) -> frozenset[int]:
    """Return the numbers of the lines that hold more than a comment or a docstring."""
    text = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    lines = {number for number, line in text if line.strip() and not line.lstrip().startswith("#")}
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            lines.update(_lines(node.lineno, node.end_lineno or node.lineno))
    for node in nodes(path):
        if (
            isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS))
            and ast.get_docstring(node, clean=False) is not None
        ):
            docstring = node.body[0]
            lines.difference_update(_lines(docstring.lineno, docstring.end_lineno or docstring.lineno))
    return frozenset(lines)


def _lines(first: int, last: int) -> range:
    return range(first, last + 1)


def _shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def long_files() -> list[str]:
    return [f"{_shown(path)}: {size}" for path in files() if (size := len(lines_of_code(path))) > LONG_FILE]


def _size(path: Path, node: ast.AST) -> int:
    return sum(line in lines_of_code(path) for line in _lines(node.lineno, node.end_lineno))  # type: ignore[attr-defined]


def long_functions() -> list[str]:
    return [
        f"{_shown(path)}: {node.name}: {size}"
        for path in files()
        for node in nodes(path)
        if isinstance(node, FUNCTIONS) and (size := _size(path, node)) > LONG_FUNCTION
    ]


@cache
def components() -> frozenset[str]:
    """Return the names of the concrete component classes."""
    return frozenset(
        node.name
        for path in COMPONENTS.rglob("*.py")
        if path.name != "interfaces.py"
        for node in tree(path).body
        if isinstance(node, ast.ClassDef) and node.bases and not node.name.startswith("_")
    )


def class_tests() -> list[str]:
    """Return the places outside `components` that ask for the class of a component."""
    return [
        f"{_shown(path)}:{node.lineno}: {', '.join(sorted(names))}"
        for path in files()
        if not path.is_relative_to(COMPONENTS)
        for node in nodes(path)
        if (names := _tested_classes(node) & components())
    ]


def _tested_classes(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
        return _names(node.args[1])
    if isinstance(node, ast.Compare) and any(_is_type_call(side) for side in (node.left, *node.comparators)):
        return {name for side in (node.left, *node.comparators) if not _is_type_call(side) for name in _names(side)}
    return _names(node.cls) if isinstance(node, ast.MatchClass) else set()


def _is_type_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"


def _names(node: ast.AST) -> set[str]:
    return {
        part.attr if isinstance(part, ast.Attribute) else part.id
        for part in ast.walk(node)
        if isinstance(part, (ast.Attribute, ast.Name))
    }


def branches_of_the_loop() -> list[str]:
    """Return the branches of the loop over the matches."""
    path = ROOT / "src" / "prowess" / "model" / "engine" / "pipeline.py"
    loop = next(node for node in nodes(path) if isinstance(node, FUNCTIONS) and node.name == "rate_serially")
    return [f"{_shown(path)}:{node.lineno}" for node in ast.walk(loop) if isinstance(node, BRANCHES)]


def attributes(name: str) -> Callable[[], list[str]]:
    """Return a function that lists the attributes of a compiled class."""

    def listed() -> list[str]:
        for path in (ROOT / "src" / "prowess" / "model" / "engine").glob("*.pxd"):
            body = re.search(rf"^cdef class {name}\b.*:\n((?:(?: .*)?\n)+)", path.read_text(encoding="utf-8"), re.M)
            if body:
                fields = re.findall(r"^ +cdef (?:public |readonly )?([^(\n]+)$", body[1], re.M)
                return [
                    part.split()[-1].strip("*") for field in fields for part in re.sub(r"\[.*?\]", "", field).split(",")
                ]
        raise LookupError(name)

    return listed


def imports_only_for_python() -> list[str]:
    """Return the lines of imports that kernels need only if they are not compiled, or that are written twice."""
    return [
        f"{_shown(path)}:{line}"
        for path in files()
        for node in nodes(path)
        if isinstance(node, ast.If) and "cython.compiled" in ast.unparse(node.test)
        for line in _lines(node.body[0].lineno, node.end_lineno or node.lineno)
        if line in lines_of_code(path)
    ]


@cache
def modules() -> dict[str, Path]:
    return {_module(path): path for path in files()}


def _module(path: Path) -> str:
    folder = next(folder for folder in SOURCES if path.is_relative_to(folder))
    return ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")


def imports(name: str) -> Iterator[tuple[str, bool]]:
    """Yield the modules that a module imports when it runs, and whether the import is inside a function."""
    path = modules()[name]
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    yield from _imports_of(tree(path).body, package, False)


def _imports_of(body: Iterable[ast.AST], package: str, lazy: bool) -> Iterator[tuple[str, bool]]:
    for node in body:
        if isinstance(node, ast.ImportFrom):
            yield from ((module, lazy) for module in _imported(node, package))
        elif isinstance(node, ast.Import):
            yield from ((alias.name, lazy) for alias in node.names if alias.name in modules())
        elif not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            inner = chain.from_iterable(getattr(node, part, ()) for part in ("body", "orelse", "handlers", "finalbody"))
            yield from _imports_of(inner, package, lazy or isinstance(node, FUNCTIONS))


def _imported(node: ast.ImportFrom, package: str) -> Iterator[str]:
    base = package.rsplit(".", node.level - 1)[0] if node.level else ""
    module = ".".join(filter(None, (base, node.module)))
    for alias in node.names:
        if f"{module}.{alias.name}" in modules():
            yield f"{module}.{alias.name}"
        elif module in modules():
            yield module


@cache
def import_graph() -> networkx.DiGraph:
    """Return the modules with an edge for each import, without the imports inside the methods of the façades."""
    graph = networkx.DiGraph()
    for name in modules():
        graph.add_edges_from((name, other) for other, lazy in imports(name) if not (lazy and name in FACADES))
    return graph


def doorways() -> list[str]:
    """Return the imports inside the methods of the two façades of modules that themselves import the façade."""
    return [
        f"{facade}: {module}"
        for facade in FACADES
        for module, lazy in imports(facade)
        if lazy and networkx.has_path(import_graph(), module, facade)
    ]


def modules_in_cycles() -> list[str]:
    """Return the modules that import each other, directly or not, without the doorways."""
    groups = networkx.strongly_connected_components(import_graph())
    return sorted(name for group in groups if len(group) > 1 for name in group)


def record_classes_twice() -> list[str]:
    """Return the classes that are defined both in `store` and in the schemas of the service."""
    one, other = (
        {
            node.name
            for path in files()
            if path.is_relative_to(folder)
            for node in tree(path).body
            if isinstance(node, ast.ClassDef)
        }
        for folder in (STORE, SCHEMAS)
    )
    return sorted(one & other)


def large_folders() -> list[str]:
    """Return the folders with many modules, not counting `__init__`."""
    sizes: dict[Path, int] = {}
    for path in files():
        sizes[path.parent] = sizes.get(path.parent, 0) + (path.name != "__init__.py")
    return [f"{_shown(folder)}: {size}" for folder, size in sizes.items() if size > LARGE_FOLDER]


FIGURES: dict[str, Callable[[], list[str]]] = {
    "long files": long_files,
    "long functions": long_functions,
    "class tests": class_tests,
    "branches of the loop": branches_of_the_loop,
    "attributes of Board": attributes("Board"),
    "attributes of Effects": attributes("Effects"),
    "attributes of Pipeline": attributes("Pipeline"),
    "imports only for Python": imports_only_for_python,
    "modules in cycles": modules_in_cycles,
    "doorways": doorways,
    "record classes twice": record_classes_twice,
    "large folders": large_folders,
}


def main(names: list[str]) -> None:
    if not names:
        print(f"{'lines of code':26}{sum(len(lines_of_code(path)) for path in files()):8,}")
    for name in names or FIGURES:
        counted = FIGURES[name]()
        print(f"{name:26}{len(counted):8,}")
        if names:
            print(*counted, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
