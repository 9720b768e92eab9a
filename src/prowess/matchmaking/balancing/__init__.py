"""Balanced teams: split a group so that the match has the highest quality."""
