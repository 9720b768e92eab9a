"""Benchmarks of single calls, compiled and uncompiled, and of imports."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import trueskill
from openskill.models import PlackettLuce

import prowess as pw
from tests import pure

from .figures import Figure
from .pairing import ladder
from .timing import interleaved, per_call, per_item, statement_clock
from .workloads import Workload, frame, scaled

HELP = """\
import sys
sys.argv = ["prowess", "--help"]
try:
    from prowess.cli import main
    main()
except SystemExit:
    pass"""


def calls(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure the calls that a game makes for each match or page, with other packages where they have the same call."""
    model, plackett = pw.TrueSkill(), PlackettLuce()
    ours = [[model.rating()], [model.rating(mu=30, sigma=4)]]
    skills = [[trueskill.Rating()], [trueskill.Rating(30, 4)]]
    open_skills = [[plackett.rating()], [plackett.rating(mu=30, sigma=4)]]
    many = ladder(scaled(10_000, scale))
    duel, ten, hundred = [["p0"], ["p1"]], list(many)[:10], list(many)[:100]
    with TemporaryDirectory() as folder:
        file = Path(folder, "ladder.prowess")
        clocks = {
            "rate, 1v1": per_call(lambda: model.rate(ours), scaled(20_000, scale)),
            "trueskill": per_call(lambda: trueskill.rate(skills), scaled(1000, scale, 10)),
            "openskill": per_call(lambda: plackett.rate(open_skills), scaled(4000, scale, 10)),
            "Ladder.record, 1v1": per_call(lambda: many.record(duel), scaled(1000, scale, 10)),
            "Ladder.predict, 1v1": per_call(lambda: many.predict(duel), scaled(1000, scale, 10)),
            "Ladder.quality, 1v1": per_call(lambda: many.quality(duel), scaled(1000, scale, 10)),
            "Ladder.leaderboard, 10,000 players": per_call(many.leaderboard, 1),
            "Ladder.save, 10,000 players": per_call(lambda: many.save(file), 1),
            "balance, 10 players": per_call(lambda: pw.balance(many, ten), 1),
            "balance, 100 players": per_call(lambda: pw.balance(many, hundred), 1),
        }
        medians = interleaved(clocks, 2 * repeats - 1)
    for peer, target in (("openskill", 3.0), ("trueskill", None)):
        yield Figure("rate, 1v1", medians["rate, 1v1"], "µs", peer, medians.pop(peer), at_least=target)
    for name, median in list(medians.items())[1:]:
        yield Figure(name, median, "µs")


def uncompiled(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure a call and a fit as they run where the kernels could not be compiled."""
    slow = pure.load()
    table = frame(Workload("1v1", scaled(5_000, scale), 1_000).rosters())
    clocks = {}
    for name, package in (("compiled", pw), ("uncompiled", slow)):
        model, past = package.TrueSkill(), package.History.from_frame(table)
        teams = [[model.rating()], [model.rating()]]
        clocks[name, "rate, 1v1"] = per_call(lambda model=model, teams=teams: model.rate(teams), scaled(5_000, scale))
        clocks[name, "fit, 1v1: per match"] = per_item(lambda model=model, past=past: model.fit(past), len(past))
    medians = interleaved(clocks, repeats)
    for measure in dict.fromkeys(measure for _, measure in medians):
        yield Figure(measure, medians["compiled", measure], "µs", "uncompiled", medians["uncompiled", measure])


def imports(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure `import prowess` and `prowess --help` against `import numpy`, each in new interpreters."""
    clocks = {name: statement_clock(f"import {name}") for name in ("prowess", "numpy")}
    medians = interleaved(clocks | {"help": statement_clock(HELP)}, 4 * repeats - 3)
    yield Figure("import prowess", medians["prowess"], "ms", "import numpy", medians["numpy"], at_most=1.5)
    yield Figure("prowess --help", medians["help"], "ms", "import numpy", medians["numpy"], at_most=2.0)
