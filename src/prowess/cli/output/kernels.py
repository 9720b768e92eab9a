"""How the kernels run, as text: for `prowess --version`, and as a note if they are not compiled."""

from __future__ import annotations

from .console import note

# How many times as long ratings take without compiled kernels: single calls, and fits of a million matches
# (`python -m benchmarks --only Uncompiled`). Reading a file and starting Python take as long as otherwise.
SLOWER = (20, 300)
TIMES = "{} to {} times as long".format(*SLOWER)
MANY = 10_000  # matches that take noticeably longer without compiled kernels


def describe_kernels() -> str:
    """Return how the kernels run, and how much slower that is if they are not compiled.

    >>> describe_kernels().split()[0].strip(",") in ("compiled", "pure")
    True
    """
    from ... import kernel_mode
    from ...model.processor import kernel_variant

    if kernel_mode() == "pure":
        return f"pure, so rating takes {TIMES} as with compiled kernels"
    return f"compiled ({kernel_variant()})"


def note_uncompiled(matches: int) -> None:
    """Print a note if there are many matches to rate and the kernels are not compiled."""
    from ... import kernel_mode

    if matches >= MANY and kernel_mode() == "pure":
        note(
            f"prowess runs uncompiled here, so rating takes {TIMES}: install a compiled wheel, or a C compiler "
            "and then prowess"
        )
