"""Runs the papers' experiments again: one folder per paper, with its parameters and the published numbers."""

from .paper import PAPERS, Paper, paper

__all__ = ["PAPERS", "Paper", "paper"]
