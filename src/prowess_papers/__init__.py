"""The papers, re-run: one folder each, with its parameters, the published numbers and what differs."""

from .paper import PAPERS, Paper, paper

__all__ = ["PAPERS", "Paper", "paper"]
