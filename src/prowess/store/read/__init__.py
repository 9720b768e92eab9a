"""The read side: views of a league that are kept in memory and follow the journal."""
