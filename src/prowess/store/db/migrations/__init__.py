"""Migrations of the database, one a file, which never change after a release."""
