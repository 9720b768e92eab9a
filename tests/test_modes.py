"""Compiled kernels are used if they exist, and their results equal those of uncompiled kernels to the last bit."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import prowess as pw
from prowess.model.processor import kernel_variant
from tests.pure import KERNELS, SOURCES, load

ROOT = SOURCES.parent.parent


def test_kernels_are_compiled_if_there_is_a_compiler():
    """A silent fallback to uncompiled code would invalidate every benchmark."""
    if os.environ.get("CI") == "true" or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang"):
        assert pw.kernel_mode() == "compiled"
    compiled = {
        Path(module.__file__).suffix != ".py"
        for module in (pw.model.maths.normal, pw.model.engine.sweep, pw.model.engine.board)
    }
    assert compiled == {pw.kernel_mode() == "compiled"}


def test_every_module_written_for_compilation_is_marked_as_a_kernel():
    found = {
        "prowess." + ".".join(file.relative_to(SOURCES).with_suffix("").parts)
        for file in SOURCES.rglob("*.py")
        if re.search(r"^    import cython$", file.read_text(encoding="utf-8"), re.M)
    }
    assert found == set(KERNELS)


def test_kernels_import_names_twice_only_where_c_has_its_own():
    """Functions of `math`, C constants and modules used whole are declared in the `.pxd` file, and hidden from C."""
    for file in SOURCES.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        for block in re.findall(r"if not cython\.compiled:\n((?: +.*\n)+)", text):
            lines = re.sub(r"\([^)]*\)", "", block).splitlines()  # names in brackets may be on separate lines
            assert all(line.lstrip().startswith("from ") for line in lines), file
        assert len(re.findall(r"cython\.compiled", text)) <= 1, file


def league(rng, matches=300, players=40):
    """Return matches of every kind: two teams and many, wins and draws, weights, importance, times."""
    found = []
    for number in range(matches):
        sizes = rng.integers(1, 4, 2 if number % 3 else rng.integers(2, 9))
        names = rng.permutation(players)[: sizes.sum()]
        teams = [[f"p{name}" for name in team] for team in np.split(names, np.cumsum(sizes)[:-1])]
        found.append(
            {
                "teams": teams,
                "scores": rng.integers(0, 4, len(teams)).tolist(),
                "weights": [rng.choice([0.5, 1.0, 1.0], len(team)).tolist() for team in teams],
                "importance": float(rng.choice([0.0, 0.5, 1.0, 1.0, 2.0])),
                "time": float(number // 5),
            }
        )
    return found


RATE = """
import hashlib, sys, numpy as np, prowess as pw
from prowess.model.processor import kernel_variant
from tests.test_modes import league
matches = league(np.random.default_rng(7), players=200)
duels = [match | {"teams": match["teams"][:2], "scores": match["scores"][:2], "weights": None} for match in matches]
digest = hashlib.sha256()
histories = pw.History.from_matches(matches[:150]), pw.History.from_matches(duels)
models = pw.TrueSkill(), pw.Elo(), pw.Glicko(), pw.Glicko2(), pw.GaussianOD(), pw.PoissonOD(), pw.TS2()
fits = [model.fit(history) for model in models for history in histories]
fits.append(pw.TrueSkill().replace(outcome=pw.outcome.Logit(6)).fit(histories[1]))
for fit in fits:
    for column in (fit.ladder.state, fit.forecasts.mean, fit.forecasts.variance, fit.forecasts.log_evidence):
        digest.update(np.ascontiguousarray(column).tobytes())
print(kernel_variant(), digest.hexdigest())
"""


def run(code, baseline="0", root=ROOT):
    """Run code with the package below a folder, and return the finished process."""
    environment = os.environ | {"PROWESS_BASELINE": baseline, "PYTHONPATH": f"{root}{os.pathsep}{root / 'src'}"}
    return subprocess.run([sys.executable, "-c", code], env=environment, cwd=root, capture_output=True, text=True)


@pytest.mark.long
def test_kernels_for_avx2_and_for_every_processor_give_identical_results():
    """The group `variants` of the long tests compiles both."""
    shown = [run(RATE, baseline).stdout.split() for baseline in ("0", "1")]
    assert [variant for variant, _ in shown] == ["AVX2", "baseline"]
    assert shown[0][1] == shown[1][1]


@pytest.mark.skipif(pw.kernel_mode() == "pure", reason="there are no compiled kernels")
@pytest.mark.skipif(kernel_variant() != "AVX2", reason="this processor does not have AVX2")
def test_kernels_for_avx2_alone_fail_with_one_sentence_where_others_are_needed(tmp_path):
    """As on an older processor than that which compiled them."""
    shutil.copytree(ROOT / "src" / "prowess", tmp_path / "src" / "prowess", copy_function=os.symlink)
    for name in ("normal", "elementary"):
        for file in (tmp_path / "src" / "prowess" / "model" / "maths").glob(f"{name}.*.so"):
            file.unlink()
    failed = run("import prowess; prowess.TrueSkill()", "1", tmp_path)
    assert "compiled for processors with AVX2 only" in failed.stderr.splitlines()[-1]


def edges(package, model):
    """Return ratings after matches at the limits of floating-point arithmetic."""
    for a, b in ((1e20, 1e-20), (-1e6, 1e6), (25.0, 0.0), (0.0, 1e12)):
        teams = [[package.Rating(a, 1.0)], [package.Rating(0.0, b if b > 0 else 1e-9)], [package.Rating(1.0, 2.0)]]
        for ranks in ([1, 2, 3], [2, 1, 1], [1, 1, 1]):
            for importance in (1.0, 1e-9, 1e9):
                rated = model.rate(teams, ranks=ranks, importance=importance)
                yield np.array([[rating.mu, rating.sigma] for team in rated for rating in team])


PARTS = {
    "TrueSkill": lambda pw: {},
    "mean": lambda pw: {"team": pw.team.Mean(), "drift": pw.drift.PerTime(0.3, cap=9.0), "margin": 0.7},
    "newton": lambda pw: {"team": pw.team.Weighted((1.0, 0.0, 0.5)), "absorb": pw.absorb.Newton(), "tau": 0.0},
    "constant": lambda pw: {"absorb": pw.absorb.Constant(), "drift": pw.drift.Still(), "draw_probability": 0.0},
}


@pytest.mark.parametrize("parts", PARTS)
def test_variants_of_trueskill_give_identical_results_compiled_and_uncompiled(parts):
    matches = league(np.random.default_rng(5))
    results = []
    for package in (pw, load()):
        model = package.TrueSkill(draw_probability=0.2).replace(**PARTS[parts](package))
        fit = model.fit(package.History.from_matches(matches))
        frame = fit.leaderboard()
        teams = [[package.Rating(mu, 2.0)] for mu in (20.0, 25.0, 31.0, 24.0)]
        prediction = model.predict(teams)
        columns = [frame["mu"].to_numpy(), frame["sigma"].to_numpy(), fit.forecasts.mean, fit.forecasts.variance]
        columns += [np.array([model.quality(teams)]), *edges(package, model)]
        columns += [fit.forecasts.win, fit.forecasts.draw, fit.forecasts.log_evidence, prediction.win, prediction.ranks]
        results.append(columns)
    for compiled, pure in zip(*results, strict=True):
        assert compiled.tobytes() == pure.tobytes()
