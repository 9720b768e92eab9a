"""A result is entered, corrected or taken out, after a look at what it will change."""

from __future__ import annotations

from fastapi import APIRouter

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
