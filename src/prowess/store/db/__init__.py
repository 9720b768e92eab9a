"""Databases: connections, schema, migrations, backups."""
