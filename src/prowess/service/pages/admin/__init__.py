"""Pages for the admins of a league: its settings, its keys, and anonymised players."""
