"""Ladders: players by name with their current ratings, updated one match at a time."""
