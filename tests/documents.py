"""Find the code blocks of documentation pages, and run them."""

import doctest
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from tests.cli.running import CODES, ROOT, environment, run

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])
FENCE = re.compile(r"^```(python|sh|text)\n(.*?)^```$", re.M | re.S)
EXIT = re.compile(r"# exit (\d+)\s*$")
KEPT = re.compile(r"export (\w+)=\$\((prowess .*)\)$")  # a variable assigned from a command's output
ADDRESS = "http://127.0.0.1:8000"  # the address on the pages; the tests use a free port
GAP = "…"


def name(page: Path) -> str:
    """Return the path of a page in the repository."""
    return str(page.relative_to(ROOT))


def text(page: Path) -> str:
    """Return the text of a page."""
    return page.read_text(encoding="utf-8")


def commands(code: str) -> list[str]:
    """Return the lines of a shell block that call prowess; a line that ends with a backslash continues on the next."""
    return [line for line in code.replace("\\\n", " ").splitlines() if line.startswith("prowess ") or KEPT.match(line)]


@dataclass
class Reader:
    """Runs all code blocks of a page in order, in one folder."""

    page: Path
    namespace: dict = field(default_factory=lambda: {"__name__": "page"})
    screen: str | None = None  # the output of the commands in the previous block
    address: str = ADDRESS
    left: ExitStack = field(default_factory=ExitStack)  # stops processes at the end of the page

    def read(self) -> None:
        """Run the Python code, run the commands and check their exit codes, and compare screens with the output."""
        with self.left:
            self._read()

    def _read(self) -> None:
        whole, end = text(self.page), 0
        for block in FENCE.finditer(whole):
            kind, code = block.groups()
            if whole[end : block.start()].strip():
                self.screen = None
            if kind == "python":
                self.python(code, whole[: block.start(2)].count("\n"))
            elif kind == "sh":
                self.screen = "".join(map(self.command, commands(code))) if commands(code) else None
            elif self.screen is not None:
                check_screen(code, self.screen)
            end = block.end()

    def python(self, code: str, line: int = 0) -> None:
        """Run a Python block; if it has prompts (>>>), its output must match."""
        code = code.replace(ADDRESS, self.address)
        if ">>>" not in code:
            exec(compile("\n" * line + code, name(self.page), "exec", dont_inherit=True), self.namespace)
            return
        example = doctest.DocTestParser().get_doctest(code, self.namespace, name(self.page), str(self.page), line)
        said: list[str] = []
        runner = doctest.DocTestRunner(verbose=False)
        runner.run(example, out=said.append, clear_globs=False)
        assert not runner.failures, "".join(said)
        self.namespace.update(example.globs)

    def command(self, line: str) -> str:
        """Run a command on an 80-column terminal and return its output; `# exit 1` states the expected exit code."""
        if kept := KEPT.match(line):
            result = run(*shlex.split(kept[2])[1:])
            assert result.exit_code == 0, f"{name(self.page)}: {line}\n{result.output}"
            self.left.enter_context(mock.patch.dict(os.environ, {kept[1]: result.stdout.strip()}))
            return ""
        end = EXIT.search(line)
        words = shlex.split(line, comments=True)[1:]
        assert not {"|", ">", "<"} & set(words), f"{name(self.page)}: {line}: remove pipes and redirections"
        if words[0] == "serve":
            if words[-1] != "&":
                with started(*words) as printed:
                    return printed
            printed = self.left.enter_context(started(*words[:-1]))
            self.address = printed.split()[1]
            return printed.replace(self.address, ADDRESS)
        result = run(*words, FORCE_COLOR="1", NO_COLOR="1", COLUMNS="80", TERM="xterm")
        assert result.exit_code == (int(end[1]) if end else 0), f"{name(self.page)}: {line}\n{result.output}"
        return CODES.sub("", result.output)


@contextmanager
def started(*words: str) -> Iterator[str]:
    """Run `prowess serve` on a free port while the context is open; yield the first line that it prints."""
    line = [sys.executable, "-m", "prowess", *words, "--port", "0", "--log", "off"]
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(line, env=environment(), stdout=subprocess.PIPE, stderr=said, text=True) as process,
    ):
        try:
            printed = process.stdout.readline()
            said.seek(0)
            assert printed.startswith("open http"), said.read()
            yield printed
        finally:
            process.terminate()


def check_screen(shown: str, printed: str) -> None:
    """Check that the output has the lines of a screen in this order; … skips any lines, and blank lines are ignored."""
    out = [line.rstrip() for line in printed.splitlines() if line.strip()]
    parts: list[list[str]] = [[]]
    for line in (line.rstrip() for line in shown.splitlines() if line.strip()):
        if line == GAP:
            parts.append([])
        else:
            parts[-1].append(line)
    at = 0
    for part in parts:
        found = [k for k in range(at, len(out) - len(part) + 1) if out[k : k + len(part)] == part]
        assert found, "not printed:\n" + "\n".join(part) + "\n\nthe output is:\n" + os.linesep.join(out)
        at = found[0] + len(part)
