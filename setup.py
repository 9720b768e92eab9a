"""Compile the kernels if there is a C compiler; without a compiler the same files run as plain Python.

`PROWESS_REQUIRE_COMPILED=1` makes a missing or failing compiler an error. With `PROWESS_PURE=1`, nothing is compiled.
"""

import multiprocessing
import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNELS = [
    "prowess.history.cells.hash_table",
    "prowess.model.maths.normal",
    "prowess.model.maths.poisson",
    "prowess.model.maths.poisson_pairs",
    "prowess.model.engine.board",
    "prowess.model.components.interfaces",
    "prowess.model.rating",
    "prowess.model.components.prior",
    "prowess.model.components.drift",
    "prowess.model.components.absorb",
    "prowess.model.components.team",
    "prowess.model.components.margin",
    "prowess.model.components.outcome.order",
    "prowess.model.components.outcome.places_ml",
    "prowess.model.components.outcome.comparison",
    "prowess.model.components.outcome.pairwise",
    "prowess.model.components.outcome.pair_curves",
    "prowess.model.components.outcome.duel",
    "prowess.model.components.outcome.ep_chain",
    "prowess.model.components.outcome.places",
    "prowess.model.components.outcome.places_two",
    "prowess.model.components.outcome.place_forecast",
    "prowess.model.components.outcome.gaussian_score",
    "prowess.model.components.outcome.poisson_score",
    "prowess.model.components.outcome.offence_defence",
    "prowess.model.maths.rank_probabilities",
    "prowess.model.fit.pairs",
    "prowess.model.engine.pipeline",
    "prowess.model.engine.sweep",
    "prowess.model.engine.rate",
    "prowess.matchmaking.blossom.state",
    "prowess.matchmaking.blossom.tree",
    "prowess.matchmaking.blossom.solve",
    "prowess.matchmaking.pairing.weights",
    "prowess.store.journal.scanner",
]
SHARED = "prowess._shared"  # Cython's code for arrays, compiled once instead of in every kernel
REQUIRED = os.environ.get("PROWESS_REQUIRE_COMPILED") == "1"
PURE = os.environ.get("PROWESS_PURE") == "1"
if REQUIRED and PURE:
    raise SystemExit("PROWESS_REQUIRE_COMPILED and PROWESS_PURE contradict each other; set one of them")


class BuildKernels(build_ext):
    """Build in parallel; if the compiler is missing or fails, print a message and fall back to plain Python."""

    def run(self):
        """Build all kernels; if one of them fails, remove all."""
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
    """Return the extensions, compiled without fused multiply-add or fast maths, so that both modes give equal bits."""
    if PURE:
        return []
    from Cython.Build import cythonize

    flags = [] if sys.platform == "win32" else ["-O2", "-g0", "-ffp-contract=off"]
    extensions = [
        Extension(
            name,
            [str(Path("src", *name.split(".")).with_suffix(".py"))],
            extra_compile_args=flags,
            libraries=[] if sys.platform == "win32" else ["m"],  # without it, an old and slow `exp` is linked
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
        "infer_types": True,  # a local variable needs a declaration only if its value comes from an untyped attribute
    }
    forks = multiprocessing.get_start_method() == "fork"  # other methods would run this file again in every process
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
