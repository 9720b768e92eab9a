"""Count the modules that run in each walk of docs/architecture.md: `python tools/walks.py`; `-v` also lists them.

Run this script without compiled kernels (in a checkout before `make`), because a profiler does not see compiled
functions.
"""

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from typer.testing import CliRunner

import prowess as pw
from prowess.cli import app
from prowess.service.testing import trial

LEAGUE = Path(__file__).parents[1] / "examples" / "league.csv"
PACKAGE = Path(pw.__file__).parent
CALLER = ("client", "service.testing")  # modules that send the requests; they are not part of a walk

Result = TypeVar("Result")


class Walk:
    """Collects the modules whose functions run in any thread while `recording` is true."""

    def __init__(self) -> None:
        self.recording = False
        self.modules: dict[str, None] = {}
        threading.setprofile(self.profile)
        sys.setprofile(self.profile)

    def profile(self, frame: FrameType, event: str, _: Any) -> None:
        if not self.recording or event != "call" or frame.f_code.co_name == "<module>":
            return
        path = Path(frame.f_code.co_filename)
        if path.suffix == ".py" and path.is_relative_to(PACKAGE):
            parts = path.relative_to(PACKAGE).with_suffix("").parts
            self.modules.setdefault(".".join(parts).removesuffix(".__init__"))

    def record(self, title: str, work: Callable[[], Result], before: Callable[[], Any] | None = None) -> Result:
        """Run `work`, print the modules whose functions it calls, and return its result.

        Before that, run `before`, or by default `work` itself, so that lazy imports are not recorded.
        """
        (before or work)()
        time.sleep(0.5)  # wait until background work has ended
        self.modules.clear()
        self.recording = True
        try:
            return work()
        finally:
            self.recording = False
            visited = [name for name in self.modules if not name.startswith(CALLER)]
            print(f"{title}: {len(visited)} modules")
            if "-v" in sys.argv:
                print(*(f"  {name}" for name in visited), sep="\n")


def main() -> None:
    walk = Walk()
    walk.record("a CSV file to standings", lambda: CliRunner().invoke(app, ["rate", str(LEAGUE)]))
    history, model = pw.History.read(LEAGUE), pw.TrueSkill()
    walk.record("model.fit", lambda: model.fit(history))
    walk.record("model.rate", lambda: model.rate([[model.rating()], [model.rating()]]))
    with trial("darts") as client:
        http, times = client._connection.http, iter(range(10))

        def post() -> None:
            match = {"teams": [["ann"], ["bob"]], "ranks": [1, 2], "time": f"2026-01-0{1 + next(times)}T10:00:00Z"}
            http.post("/api/leagues/darts/matches", json=match).raise_for_status()

        def page() -> None:
            http.get("/leagues/darts/standings").raise_for_status()

        def export() -> None:
            http.get("/api/leagues/darts/export.ndjson").raise_for_status()

        walk.record("POST a match", post)
        walk.record("GET the standings page", page)
        walk.record("GET the standings page right after a post", page, before=post)
        walk.record("GET an export right after a post", export, before=lambda: (export(), post()))


if __name__ == "__main__":
    main()
