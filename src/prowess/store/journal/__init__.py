"""The journal: every revision of every match."""
