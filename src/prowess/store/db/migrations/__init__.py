"""Database migrations, one per file; a released migration never changes."""
