"""The HTTP client of the rating service (`pw.Client`)."""
