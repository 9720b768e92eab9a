"""Rating systems and their parameters."""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from ...model.presets import PRESETS
from .common import answer
from .schemas import leagues as forms

__all__ = ["described", "router"]

router = APIRouter(tags=["models"])


@router.get("/api/models", summary="All models", response_model=forms.Models)
async def models() -> Response:
    """The rating systems that a league can have, each with its parameters, their defaults and what it is."""
    return answer({"models": _models()})


@cache
def _models() -> list[dict[str, Any]]:
    return [described(name) for name in PRESETS]


def described(name: str) -> dict[str, Any]:
    """A preset as it is shown.

    >>> described("Elo")["traits"]
    ['skill']
    """
    model = PRESETS[name]()
    ranges = model.tunable
    parameters: list[dict[str, Any]] = []
    for parameter, default in model.params.items():
        if not isinstance(default, (bool, int, float, str)):
            continue  # a part of the model, which is no value of JSON
        one: dict[str, Any] = {"name": parameter, "default": default}
        if parameter in ranges:
            one |= {"low": ranges[parameter].low, "high": ranges[parameter].high}
        parameters.append(one)
    words, _, _ = inspect.cleandoc(PRESETS[name].__doc__ or "").partition("\n\n")
    return {
        "name": name,
        "description": re.sub(r"\s+", " ", words).replace("`", ""),
        "parameters": parameters,
        "traits": list(model.outcome.traits),
        "uncertainty": not model.absorb.certain,
    }
