"""Live leagues: a journal of matches in a database, and the ratings derived from it."""
