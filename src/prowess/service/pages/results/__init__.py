"""Pages to enter, edit and delete results."""
