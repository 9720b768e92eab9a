"""Choose the kernels for this processor.

On x86-64, kernels with loops over lanes have two variants: for every processor, and for processors with AVX2, whose
vectors are twice as long. Both give the same bits. A local build has only the variant for its own processor, unless
`PROWESS_VARIANTS=all` is set. With `PROWESS_BASELINE=1`, the kernels for every processor are used.
"""

from __future__ import annotations

import os
from os.path import basename, dirname

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from . import _cython as cython

if not cython.compiled:
    from ._cython import has_avx2

FOLDER = os.path.join(dirname(dirname(__file__)), "_avx2")  # the kernels for AVX2
BASELINE = os.path.join(dirname(__file__), "maths", basename(__file__).replace("processor", "normal"))  # one of them


def kernel_variant() -> str:
    """Return "AVX2" if the kernels for processors with AVX2 are used, otherwise "baseline".

    >>> kernel_variant() in ("AVX2", "baseline")
    True
    """
    if not os.path.isdir(FOLDER):
        return "baseline"
    if has_avx2() and os.environ.get("PROWESS_BASELINE") != "1":
        return "AVX2"
    if not os.path.exists(BASELINE):
        raise ImportError(
            "prowess was compiled for processors with AVX2 only; compile it again on this machine, or with "
            "PROWESS_VARIANTS=all for all processors"
        )
    return "baseline"


def choose_kernels(path: list[str], package: str) -> None:
    """Let a package find its kernels for this processor first; `path` is the package's `__path__`."""
    if kernel_variant() == "AVX2":
        path.insert(0, os.path.join(FOLDER, *package.split(".")[1:]))
