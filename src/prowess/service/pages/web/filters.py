"""How numbers and times are written on pages; each is a filter of the templates."""

from __future__ import annotations

from datetime import UTC, datetime
from math import isfinite, log10

from ....model.model import Model
from ....text import count

__all__ = ["day", "digits", "figure", "number", "percent", "setting", "signed", "thousands", "with_noun"]

MINUS, NONE, GAP = "−", "–", "\u00a0"  # the gap is one at which no line ends


def digits(model: Model) -> int:
    """How many digits after the point ratings of a model are worth: none for Elo's, one for TrueSkill's.

    >>> import prowess as pw
    >>> digits(pw.TrueSkill()), digits(pw.Elo()), digits(pw.PoissonOD())
    (1, 0, 1)
    """
    newcomer = model.rating()
    spread = newcomer.sigma or abs(newcomer.mu) / 4 or 1.0
    return max(0, min(6, round(1.6 - log10(spread))))


def number(value: float | None, places: int = 0) -> str:
    """A number, with a true minus sign.

    >>> number(-1234.56, 1), number(None), number(-0.01, 1)
    ('−1,234.6', '–', '0.0')
    """
    if value is None or not isfinite(value):
        return NONE
    text = f"{value:,.{places}f}"
    return f"{abs(value):,.{places}f}" if float(text.replace(",", "")) == 0 else text.replace("-", MINUS)


def figure(value: float) -> str:
    """A score, with as many digits as it has.

    >>> figure(3.0), figure(2.5), figure(-1)
    ('3', '2.5', '−1')
    """
    return number(value, 0) if value == round(value) else f"{value:g}".replace("-", "−")


def signed(value: float | None, places: int = 0) -> str:
    """A change, with its sign.

    >>> signed(1.25, 1), signed(-1.25, 1), signed(0.0), signed(None)
    ('+1.2', '−1.2', '±0', '–')
    """
    text = number(value, places)
    if text in (NONE, number(0.0, places)):
        return text if text == NONE else f"±{text}"
    return text if text.startswith(MINUS) else f"+{text}"


def percent(value: float | None, places: int = 0) -> str:
    """A probability in percent; what is not quite certain is never shown as certain.

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


def setting(value: float | str | bool | None) -> str:
    """A parameter of a model, with as many digits as it needs.

    >>> setting(8.333333333333334), setting(1500.0), setting(0.1), setting(True), setting("estimated"), setting(None)
    ('8.333', '1,500', '0.1', 'yes', 'estimated', '–')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or isinstance(value, str):
        return value or NONE
    whole = f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.6g}"
    return NONE if not isfinite(value) else whole.replace("-", MINUS)


def thousands(value: int) -> str:
    """A count.

    >>> thousands(1234567)
    '1,234,567'
    """
    return f"{value:,}"


def with_noun(value: int, one: str, many: str) -> str:
    """A count with its noun.

    >>> with_noun(1, "match", "matches"), with_noun(1200, "match", "matches")
    ('1 match', '1,200 matches')
    """
    return count(value, one, many)


def day(value: str | float | None) -> str:
    """A time on the clock of a league, as people write it: midnight is the day alone.

    >>> day("2026-01-31T00:00:00Z"), day("2026-01-31T19:30:00Z"), day(None)
    ('31 Jan 2026', '31 Jan 2026, 19:30', '–')
    >>> day(7.0), day(2026), day(1234567.0), day(-0.25), day(1e300)
    ('7', '2026', '1,234,567', '−0.25', '1e+300')
    """
    if value is None:
        return NONE
    if isinstance(value, (int, float)):
        apart = "," if 1e4 <= abs(value) < 1e15 else ""  # four digits may be a year
        return f"{value:{apart}.15g}".replace("-", MINUS)
    moment = datetime.fromisoformat(value)
    moment = moment.astimezone(UTC) if moment.tzinfo else moment  # wherever the service runs, what has no zone is UTC
    date = f"{moment.day} {moment:%b} {moment.year}"
    return date if (moment.hour, moment.minute, moment.second) == (0, 0, 0) else f"{date}, {moment:%H:%M}"
