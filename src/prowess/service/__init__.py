"""The rating service: leagues over HTTP."""
