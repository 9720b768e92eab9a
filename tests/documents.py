"""The pages of the documentation: their blocks of code, and how each is run."""

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
KEPT = re.compile(r"export (\w+)=\$\((prowess .*)\)$")  # what a command prints, in a variable
ADDRESS = "http://127.0.0.1:8000"  # of a service on a page; here it is on a free port
GAP = "…"


def name(page: Path) -> str:
    """The name of a page in the repository."""
    return str(page.relative_to(ROOT))


def text(page: Path) -> str:
    """What stands on a page."""
    return page.read_text(encoding="utf-8")


def commands(code: str) -> list[str]:
    """The lines of a block for a shell that call prowess; a line that ends with a backslash goes on in the next."""
    return [line for line in code.replace("\\\n", " ").splitlines() if line.startswith("prowess ") or KEPT.match(line)]


@dataclass
class Reader:
    """Somebody who tries everything on a page, from top to bottom, in one folder."""

    page: Path
    namespace: dict = field(default_factory=lambda: {"__name__": "page"})
    screen: str | None = None  # what the commands of the block just before have printed
    address: str = ADDRESS
    left: ExitStack = field(default_factory=ExitStack)  # what goes on until the end of the page

    def read(self) -> None:
        """Try every block: Python runs, commands end as they should, and a screen shows what came out."""
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
        """Run a block: what a prompt shows must come out, a block without prompts must only run."""
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
        """Run a command as on a terminal of 80 columns, and give all that it prints; `# exit 1` says how it ends."""
        if kept := KEPT.match(line):
            result = run(*shlex.split(kept[2])[1:])
            assert result.exit_code == 0, f"{name(self.page)}: {line}\n{result.output}"
            self.left.enter_context(mock.patch.dict(os.environ, {kept[1]: result.stdout.strip()}))
            return ""
        end = EXIT.search(line)
        words = shlex.split(line, comments=True)[1:]
        assert not {"|", ">", "<"} & set(words), f"{name(self.page)}: {line}: pipes are not run"
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
    """`prowess serve` on any free port, as long as it is needed; gives the first line that it prints."""
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
    """The lines of a screen came out in this order without others between them, but for … and blank ones."""
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
        assert found, "this did not come out:\n" + "\n".join(part) + "\n\nbut\n" + os.linesep.join(out)
        at = found[0] + len(part)
