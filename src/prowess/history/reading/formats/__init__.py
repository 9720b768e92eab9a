"""Readers of formats that other programs write; each returns a table with a row per match or a row per player."""
