"""Template filters that format numbers, counts and times."""

from __future__ import annotations

from datetime import UTC, datetime
from math import ceil, isfinite, log10

from ....model.model import Model
from ....text import count

MINUS, NONE, GAP = "−", "–", "\u00a0"  # GAP is a no-break space
SMALL = 3  # extra digits that a small change may have


def digits(model: Model) -> int:
    """Return the number of decimal places for a model's ratings: none for Elo, one for TrueSkill.

    >>> import prowess as pw
    >>> digits(pw.TrueSkill()), digits(pw.Elo()), digits(pw.PoissonOD())
    (1, 0, 1)
    """
    newcomer = model.rating()
    spread = newcomer.sigma or abs(newcomer.mu) / 4 or 1.0
    return max(0, min(6, round(1.6 - log10(spread))))


def number(value: float | None, places: int = 0) -> str:
    """Format a number with `places` decimal places, and with the minus sign − instead of a hyphen.

    >>> number(-1234.56, 1), number(1234567), number(None), number(-0.01, 1)
    ('−1,234.6', '1,234,567', '–', '0.0')
    """
    if value is None or not isfinite(value):
        return NONE
    text = f"{value:,.{places}f}"
    return f"{abs(value):,.{places}f}" if float(text.replace(",", "")) == 0 else text.replace("-", MINUS)


def figure(value: float) -> str:
    """Format a score with as many digits as it has.

    >>> figure(3.0), figure(2.5), figure(-1)
    ('3', '2.5', '−1')
    """
    return number(value) if value == round(value) else f"{value:g}".replace("-", MINUS)


def signed(value: float | None, places: int = 0) -> str:
    """Format a rating change with its sign; a small change gets more digits, so that it is not shown as zero.

    >>> signed(1.25, 1), signed(-0.0123, 1), signed(0.0, 1), signed(1e-9, 1), signed(None)
    ('+1.2', '−0.01', '0', '≈0', '–')
    """
    if not value or not isfinite(value):
        return "0" if value == 0 else NONE
    text = number(value, max(places, min(places + SMALL, ceil(-log10(abs(value))))))
    if not text.strip("0."):
        return "≈0"
    return text if text.startswith(MINUS) else f"+{text}"


def percent(value: float | None, places: int = 0) -> str:
    """Format a probability in percent; 0 % and 100 % are shown only for exactly 0 and 1.

    >>> percent(0.536), percent(0.9999), percent(0.0001), percent(1.0), percent(None)
    ('54\\xa0%', '>\\xa099\\xa0%', '<\\xa01\\xa0%', '100\\xa0%', '–')
    """
    if value is None or not isfinite(value):
        return NONE
    least = 10.0**-places
    if 0 < 100 * value < least:
        return f"<{GAP}{least:g}{GAP}%"
    if 100 - least < 100 * value < 100:
        return f">{GAP}{100 - least:g}{GAP}%"
    return f"{100 * value:.{places}f}{GAP}%"


def setting(value: object) -> str:
    """Format the value of a model parameter with as many digits as it needs; a component is shown as in Python.

    >>> setting(8.333333333333334), setting(1500.0), setting(0.1), setting(True), setting("estimated"), setting(None)
    ('8.333', '1,500', '0.1', 'yes', 'estimated', '–')
    >>> import prowess as pw
    >>> setting(pw.outcome.Spread())
    'Spread(least=1.0, printed=False)'
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, (int, float)):
        return str(value) if value else NONE
    text = f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.6g}"
    return text.replace("-", MINUS) if isfinite(value) else NONE


def day(value: str | float | None) -> str:
    """Format a league's time, a UTC timestamp or a number; midnight is shown as the date alone.

    >>> day("2026-01-31T00:00:00Z"), day("2026-01-31T19:30:00Z"), day(None)
    ('31 Jan 2026', '31 Jan 2026, 19:30', '–')
    >>> day(7.0), day(2026), day(1234567.0), day(-0.25), day(1e300)
    ('7', '2026', '1,234,567', '−0.25', '1e+300')
    """
    if value is None:
        return NONE
    if isinstance(value, (int, float)):
        separator = "," if 1e4 <= abs(value) < 1e15 else ""  # no separator in four digits, which may be a year
        return f"{value:{separator}.15g}".replace("-", MINUS)
    moment = datetime.fromisoformat(value)
    moment = moment.astimezone(UTC) if moment.tzinfo else moment  # naive times are UTC, whatever the server's zone
    date = f"{moment.day} {moment:%b} {moment.year}"
    return date if (moment.hour, moment.minute, moment.second) == (0, 0, 0) else f"{date}, {moment:%H:%M}"


FILTERS = {filter.__name__: filter for filter in (day, figure, number, percent, setting, signed)} | {"with_noun": count}
