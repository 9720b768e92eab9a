"""Names of players: spelling, an index to find them, aliases, renaming."""
