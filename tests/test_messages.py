"""No code matches on the words of a message, because `Error` has attributes for the cause and the place.

The check reads the syntax trees of the sources. Within each function, it follows the text of errors and of `recognised`
through assignments, loops and one level of calls. Errors are names bound by `except … as name`, and parameters that are
annotated as an error. The check fails where such text is compared, searched, cut or replaced.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1]

CUTS = {"startswith", "endswith", "replace", "partition", "rpartition", "removeprefix", "removesuffix"}
CUTS |= {"find", "rfind", "index", "rindex", "count", "translate", "split", "rsplit"}
SEARCHES = {"match", "fullmatch", "search", "sub", "subn", "findall", "finditer", "split"}
TEXTS = {"args", "pieces", "message", "msg", "detail", "render"}  # attributes and methods of errors that are text
PLAIN = {"strip", "lstrip", "rstrip", "lower", "upper", "casefold", "splitlines", "join", "format", "encode"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Texts(ast.NodeVisitor):
    """Finds the places in a function that examine the text of an error; `tainted` are the names that hold such text."""

    def __init__(self, errors: set[str], tainted: set[str], matching: dict[str, set[int]]) -> None:
        self.errors, self.tainted, self.matching = errors, tainted, matching
        self.places: list[int] = []

    def is_text(self, node: ast.AST) -> bool:
        """Return whether an expression is the text of an error, or derived from it."""
        match node:
            case ast.Name(id=name):
                return name in self.tainted
            case ast.Call(func=ast.Name(id="str" | "repr" | "format"), args=[first, *_]):
                return self.is_error(first) or self.is_text(first)
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in TEXTS:
                return self.is_error(value)
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=args) if name in PLAIN:
                return self.is_text(value) or any(self.is_text(one) for one in args)
            case ast.Attribute(value=value, attr=name):
                return name == "recognised" or (name in TEXTS and self.is_error(value))
            case ast.Subscript(value=value):
                return self.is_text(value)
            case ast.JoinedStr(values=values):
                return any(self.is_text(one) for one in values)
            case ast.FormattedValue(value=value):
                return self.is_error(value) or self.is_text(value)
            case ast.BinOp(left=left, right=right):
                return self.is_text(left) or self.is_text(right)
            case ast.BoolOp(values=values):
                return any(self.is_text(one) for one in values)
            case ast.IfExp(body=body, orelse=other):
                return self.is_text(body) or self.is_text(other)
        return False

    def is_error(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self.errors

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute):
            spaces = function.attr in ("split", "rsplit") and not node.args  # only normalises white space
            cut = function.attr in CUTS and self.is_text(function.value) and not spaces
            if cut or (function.attr in SEARCHES and any(self.is_text(one) for one in node.args)):
                self.places.append(node.lineno)
        elif isinstance(function, ast.Name):
            places = self.matching.get(function.id, set())
            if any(k in places and self.is_text(one) for k, one in enumerate(node.args)):
                self.places.append(node.lineno)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for k, operator in enumerate(node.ops):
            compares = isinstance(operator, (ast.In, ast.NotIn, ast.Eq, ast.NotEq))
            if compares and (self.is_text(sides[k]) or self.is_text(sides[k + 1])):
                self.places.append(node.lineno)
        self.generic_visit(node)

    def visit_Match(self, node: ast.Match) -> None:
        if self.is_text(node.subject):
            self.places.append(node.lineno)
        self.generic_visit(node)


def parameters(function: Function) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def is_error_type(annotation: ast.expr | None) -> bool:
    names = {"Error", "Conflict", "NotFound", "Unavailable", "Unsure", "Clash", "Exception", "BaseException"}
    found = {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)} if annotation else set()
    return any(name in names or name.endswith("Error") for name in found)


def examine(function: Function, matching: dict[str, set[int]], texts: set[str] | None = None) -> list[int]:
    """Return the lines of a function that examine the text of an error, or of the parameters `texts`."""
    caught = {node.name for node in ast.walk(function) if isinstance(node, ast.ExceptHandler) and node.name}
    errors = caught | {one.arg for one in parameters(function) if is_error_type(one.annotation)}
    visitor = Texts(errors, texts or set(), matching)
    assigned = [
        (target.id, value)
        for node in ast.walk(function)
        for target, value in assignments(node)
        if isinstance(target, ast.Name)
    ]
    while new := {name for name, value in assigned if visitor.is_text(value)} - visitor.tainted:
        visitor.tainted |= new
    visitor.visit(function)
    return visitor.places


def assignments(node: ast.AST) -> Iterator[tuple[ast.AST, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield target, value
        case ast.AugAssign(target=target, value=value):
            yield target, value
        case ast.NamedExpr(target=target, value=value):
            yield target, value
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            yield target, value


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def find_matching(trees: list[ast.AST]) -> dict[str, set[int]]:
    """Return, by function name, the positions of text parameters that the function searches, cuts or compares."""
    found: dict[str, set[int]] = defaultdict(set)
    for tree in trees:
        for function in functions(tree):
            for k, one in enumerate(parameters(function)):
                text = isinstance(one.annotation, ast.Name) and one.annotation.id == "str"
                if text and examine(function, {}, {one.arg}):
                    found[function.name].add(k)
    return found


def find_places(sources: dict[str, str]) -> set[str]:
    """Return the functions that examine the text of an error, each in the form "file function"."""
    trees = {name: ast.parse(text) for name, text in sources.items()}
    matching = find_matching(list(trees.values()))
    return {
        f"{name} {function.name}"
        for name, tree in trees.items()
        for function in functions(tree)
        if examine(function, matching)
    }


def test_no_code_matches_on_the_text_of_a_message() -> None:
    sources = {
        str(path.relative_to(SOURCES)): path.read_text()
        for package in ("src/prowess", "papers/src/prowess_papers")
        for path in sorted((SOURCES / package).rglob("*.py"))
    }
    assert len(sources) > 300
    assert not find_places(sources)


CAUGHT = "def f(x):\n    try:\n        g(x)\n    except Error as error:\n        {}"
PLANTED = [
    CAUGHT.format("if 'ranks' in str(error): pass"),
    CAUGHT.format("return str(error).startswith('match')"),
    CAUGHT.format("raise Error(str(error).replace('a', 'b'))"),
    CAUGHT.format("said = str(error)\n        return said.partition(': ')"),
    CAUGHT.format("said = f'{error}!'\n        more = said + '.'\n        return more.removeprefix('match')"),
    CAUGHT.format("return re.sub('a', 'b', str(error))"),
    CAUGHT.format("return PATTERN.match(error.args[0])"),
    CAUGHT.format("return error.args[0] == 'nothing'"),
    CAUGHT.format("return str(error).split(': ')[1]"),
    CAUGHT.format("return error.detail().endswith('.')"),
    "def f(error: Error):\n    return 'ranks' in str(error)",
    "def f(history):\n    return [one for one in history.recognised.splitlines() if one.startswith('ignored: ')]",
    "def look(text: str):\n    return re.search('a', text)\n" + CAUGHT.format("return look(str(error))"),
]
HARMLESS = [
    CAUGHT.format("raise Error(f'match: {error}') from None"),
    CAUGHT.format("return error.field == 'ranks'"),
    CAUGHT.format("return str(error)"),
    CAUGHT.format("return ' '.join(str(error).split())"),
    CAUGHT.format("return x.replace('a', 'b')"),
    CAUGHT.format("return errors.get(error.errno) or str(error.strerror)"),
]


@pytest.mark.parametrize("source", PLANTED)
def test_check_for_code_that_matches_on_messages_finds_planted_violations(source: str) -> None:
    assert find_places({"planted.py": source}) == {"planted.py f"}


@pytest.mark.parametrize("source", HARMLESS)
def test_check_for_code_that_matches_on_messages_accepts_other_uses_of_errors(source: str) -> None:
    assert not find_places({"planted.py": source})
