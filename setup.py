"""Compile the kernels where a C compiler is found; without one the same files run as plain Python.

`PROWESS_REQUIRE_COMPILED=1` turns a missing or failing compiler into an error, `PROWESS_PURE=1` does not compile.
"""

import multiprocessing
import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNELS = [
    "prowess.history.cells.numbering",
    "prowess.model.gauss",
    "prowess.model.poisson",
    "prowess.model.ridge",
    "prowess.model.chances",
    "prowess.model.board",
    "prowess.model.bases",
    "prowess.model.rating",
    "prowess.model.newcomers",
    "prowess.model.prior",
    "prowess.model.seasons",
    "prowess.model.drift",
    "prowess.model.points",
    "prowess.model.volatile",
    "prowess.model.absorb",
    "prowess.model.team.sum",
    "prowess.model.team.mean",
    "prowess.model.team.weighted",
    "prowess.model.team.full_squad",
    "prowess.model.team.leader_bonus",
    "prowess.model.team.affine",
    "prowess.model.outcome.margin",
    "prowess.model.outcome.isotonic",
    "prowess.model.outcome.order",
    "prowess.model.outcome.places_ml",
    "prowess.model.outcome.comparison",
    "prowess.model.outcome.crowd",
    "prowess.model.outcome.pairwise",
    "prowess.model.outcome.logistic",
    "prowess.model.outcome.probit",
    "prowess.model.outcome.opposition",
    "prowess.model.outcome.duel",
    "prowess.model.outcome.chain",
    "prowess.model.outcome.places",
    "prowess.model.outcome.places_ep",
    "prowess.model.outcome.places_pair",
    "prowess.model.outcome.rounding",
    "prowess.model.outcome.score",
    "prowess.model.outcome.gaussian_score",
    "prowess.model.outcome.poisson_score",
    "prowess.model.outcome.several",
    "prowess.model.outcome.offence_defence",
    "prowess.model.columns",
    "prowess.model.ranks",
    "prowess.model.pairs",
    "prowess.model.pipeline",
    "prowess.model.sweep",
    "prowess.model.rate",
    "prowess.matchmaking.events",
    "prowess.matchmaking.blossoms",
    "prowess.matchmaking.tree",
    "prowess.matchmaking.folds",
    "prowess.matchmaking.matching",
    "prowess.matchmaking.worth",
    "prowess.matchmaking.prices",
    "prowess.store.scan",
]
SHARED = "prowess._shared"  # what Cython adds for arrays, compiled once instead of in every kernel
REQUIRED = os.environ.get("PROWESS_REQUIRE_COMPILED") == "1"
PURE = os.environ.get("PROWESS_PURE") == "1"
if REQUIRED and PURE:
    raise SystemExit("PROWESS_REQUIRE_COMPILED and PROWESS_PURE contradict each other; set one of them")


class BuildKernels(build_ext):
    """Build in parallel; fall back to plain Python, aloud, when the compiler is missing or fails."""

    def run(self):
        """Build every kernel, or none."""
        self.parallel = self.parallel or os.cpu_count()
        try:
            super().run()
        except Exception as error:
            if REQUIRED:
                raise
            print(f"prowess: the kernels were not compiled and will run as plain Python: {error}", file=sys.stderr)
            for extension in self.extensions:
                Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)
            self.extensions = []


def kernels():
    """The extensions: no fused multiply-add and no fast maths, so that both modes give the same bits."""
    if PURE:
        return []
    from Cython.Build import cythonize

    flags = [] if sys.platform == "win32" else ["-O2", "-g0", "-ffp-contract=off"]
    extensions = [
        Extension(
            name,
            [str(Path("src", *name.split(".")).with_suffix(".py"))],
            extra_compile_args=flags,
            libraries=[] if sys.platform == "win32" else ["m"],  # named, or an old and slower `exp` is bound
        )
        for name in KERNELS
    ]
    extensions.append(Extension(SHARED, [], extra_compile_args=flags))
    directives = {
        "language_level": 3,
        "boundscheck": False,
        "wraparound": False,
        "initializedcheck": False,
        "cdivision": True,
        "embedsignature": True,
    }
    forks = multiprocessing.get_start_method() == "fork"  # others would run this file again in every process
    return cythonize(
        extensions,
        compiler_directives=directives,
        include_path=["src"],
        shared_utility_qualified_name=SHARED,
        build_dir="build/cython",
        nthreads=(os.cpu_count() or 0) if forks else 0,
        quiet=True,
    )


setup(ext_modules=kernels(), cmdclass={"build_ext": BuildKernels})
