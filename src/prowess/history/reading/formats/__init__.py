"""Readers for the export formats of other programs; each returns a table with a row per match or a row per player."""
