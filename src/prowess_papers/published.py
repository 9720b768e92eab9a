"""The numbers that a paper prints, and its parameters: a file beside the code that runs it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

__all__ = ["published"]


def published(paper: str) -> dict[str, Any]:
    """What a paper's `published.toml` says.

    >>> published("halo2")["mode"]["Free for All"]["full"]
    [32.14, 30.82]
    """
    return tomllib.loads((Path(__file__).parent / paper / "published.toml").read_text(encoding="utf-8"))
