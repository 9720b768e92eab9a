"""The most informative matches to play next."""
