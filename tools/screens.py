"""Rewrite the screens on documentation pages; a screen is the output that follows a command.

    python tools/screens.py README.md docs/guide/organiser.md

Run this script in a checkout after a change that alters what commands print, and read the diff before you commit it.
All blocks of a page are run, as in tests/test_docs.py. A screen may show only a part of the output. The first and the
last line of that part are found in the new output by similarity.
"""

import os
import re
import shutil
import sys
import tempfile
from difflib import SequenceMatcher
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from prowess.text import count  # noqa: E402
from tests.documents import FENCE, GAP, Reader, check_screen, commands, text  # noqa: E402


def main(pages: list[str]) -> None:
    """Rewrite the pages whose screens are out of date."""
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "examples", Path(folder, "examples"))
            os.chdir(folder)
            writer = Writer(ROOT / page)
            writer.read()
            os.chdir(ROOT)
        if writer.rewritten:
            (ROOT / page).write_text("".join(writer.pieces), encoding="utf-8")
        print(f"{page}: {count(writer.rewritten, 'screen', 'screens')} rewritten")


class Writer(Reader):
    """Runs all code blocks of a page, and collects the text of the page with the current output."""

    def _read(self) -> None:
        self.pieces: list[str] = []
        self.rewritten = 0
        whole, end, copied = text(self.page), 0, 0
        for block in FENCE.finditer(whole):
            kind, code = block.groups()
            if whole[end : block.start()].strip():
                self.screen = None
            self.pieces.append(whole[copied : block.start(2)])
            if kind == "python":
                self.python(code)
            elif kind == "sh":
                self.screen = "".join(map(self.command, commands(code))) if commands(code) else None
            elif self.screen is not None and not is_current(code, self.screen):
                code = updated(code, self.screen)
                self.rewritten += 1
            self.pieces.append(code)
            end, copied = block.end(), block.end(2)
        self.pieces.append(whole[copied:])


def is_current(shown: str, printed: str) -> bool:
    """Return whether a screen matches the output."""
    try:
        check_screen(shown, printed)
    except AssertionError:
        return False
    return True


def updated(shown: str, printed: str) -> str:
    """Return the part of the output that a screen shows."""
    out = [line.rstrip() for line in printed.splitlines()]
    parts = [part.strip("\n").splitlines() for part in re.split(rf"^{GAP}$", shown, flags=re.M)]
    return f"\n{GAP}\n".join("\n".join(_same_part(part, out)) for part in parts) + "\n"


def _same_part(part: list[str], out: list[str]) -> list[str]:
    if not part:
        return part
    starts, ends = ([_likeness(line, other) for other in out] for line in (part[0], part[-1]))
    spans = [(i, j) for i in range(len(out)) for j in range(i, len(out)) if out[i] and out[j]]
    # If several pairs of first and last lines are equally similar, keep the number of lines.
    first, last = max(spans, key=lambda span: starts[span[0]] + ends[span[1]] - _change(part, *span))
    return out[first : last + 1]


def _change(part: list[str], first: int, last: int) -> float:
    return 0.01 * abs(last + 1 - first - len(part))


def _likeness(line: str, other: str) -> float:
    # Numbers and bars differ from model to model, words do not.
    plain = [re.sub(r"[\d█▏▎▍▌▋▊▉−]+", "0", text) for text in (line, other)]
    return SequenceMatcher(None, *plain, autojunk=False).ratio() + (line == other)


if __name__ == "__main__":
    main(sys.argv[1:])
