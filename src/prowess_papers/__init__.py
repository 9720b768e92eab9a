"""The papers, re-run: one folder per paper, with its parameters, the published numbers and the differences."""

from .paper import PAPERS, Paper, paper

__all__ = ["PAPERS", "Paper", "paper"]
