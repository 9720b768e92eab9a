"""Leagues that live: a journal of matches in a database, and ratings that follow from it."""
