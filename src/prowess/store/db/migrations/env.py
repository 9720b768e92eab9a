"""The environment of the `alembic` program, for writing a migration: `alembic -x database=URL revision --autogenerate`.

The service and the command line do not use this environment: they migrate with `prowess.store.db.migrate`.
"""

from __future__ import annotations

from alembic import context
from sqlalchemy import create_engine

from prowess.store.db.schema import metadata

url = context.get_x_argument(as_dictionary=True).get("database", "sqlite:///prowess.db")
with create_engine(url).connect() as connection:
    context.configure(connection=connection, target_metadata=metadata, compare_type=True)
    with context.begin_transaction():
        context.run_migrations()
