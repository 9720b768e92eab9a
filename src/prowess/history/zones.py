"""The zones of times: "UTC", an offset such as "+02:00", or a name such as "Europe/Berlin"."""

import re
from datetime import UTC, timedelta, timezone, tzinfo

__all__ = ["zone_name", "zone_of"]


def zone_of(zone: str) -> tzinfo:
    """Give the zone that a stored name stands for.

    >>> zone_of("+02:00")
    datetime.timezone(datetime.timedelta(seconds=7200))
    """
    if zone == "UTC":
        return UTC
    if zone[0] in "+-":
        size = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:]))
        return timezone(-size if zone[0] == "-" else size)
    from zoneinfo import ZoneInfo  # few have a use for it, and everyone would wait for it

    return ZoneInfo(zone)


def zone_name(text: str) -> str:
    """Spell an offset in the one way in which it is stored: "Z", "GMT" and "+00:00" are "UTC", "+2" is "+02:00".

    >>> zone_name("Z"), zone_name("+0200"), zone_name("UTC+2")
    ('UTC', '+02:00', '+02:00')
    """
    found = re.search(r"([+-])\s*([0-9]{1,2}?):?([0-9]{2})?$", text.strip())
    if found is None or not (found[2] + (found[3] or "")).strip("0"):
        return "UTC"
    return f"{found[1]}{found[2].zfill(2)}:{found[3] or '00'}"
