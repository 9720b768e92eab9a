"""Standings: who is best, now or at any time, and how everybody moves."""

from __future__ import annotations

from fastapi import APIRouter

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
