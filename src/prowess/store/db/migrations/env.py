"""What the program `alembic` runs for those who write a step: `alembic -x database=URL revision --autogenerate`.

The service and the command line do not come here: they migrate by `prowess.store.db.migrate`.
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
