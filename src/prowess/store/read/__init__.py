"""The read side: views of a league that are cached in memory and kept up to date with the journal."""
