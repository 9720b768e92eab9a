"""Parsing dates and times in the cells of a column."""
