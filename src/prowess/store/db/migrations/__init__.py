"""Database migrations, one per file, which never change after a release."""
