"""Columns of the context: their values, their one form in files and JSON, and how they are built."""
