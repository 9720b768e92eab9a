"""Which column has which role, by its header and its cells."""
