"""Pairing a queue of players and groups."""
