"""Pages to upload a file of matches, preview it and import it."""
