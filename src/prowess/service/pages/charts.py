"""Charts at addresses of their own, drawn here and kept by revision."""

from __future__ import annotations

from fastapi import APIRouter

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
