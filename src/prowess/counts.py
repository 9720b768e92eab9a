"""Numbers in sentences: one row is left out, two rows are."""

__all__ = ["count"]


def count(number: int, one: str, many: str) -> str:
    """Give a number and what it counts, in the singular or in the plural.

    >>> count(1, "row is", "rows are"), count(1200, "row is", "rows are")
    ('1 row is', '1,200 rows are')
    """
    return f"{number:,} {one if number == 1 else many}"
