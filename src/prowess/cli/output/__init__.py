"""Output on the terminal and as files: tables, plots, JSON, HTML."""
