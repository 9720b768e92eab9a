"""The words in dates: names of months and of days of the week, in lower case, as people and spreadsheets write them."""

__all__ = ["ENGLISH", "MISSING", "MONTHS", "WEEKDAYS"]

# English, German, French, Spanish, Italian, Portuguese, Dutch, Russian; a line for each month.
_NAMES = (
    "january jan januar jänner januari janvier janv enero ene gennaio gen janeiro январь января янв",
    "february feb februar februari februaer février fevrier févr fevr fév fev febrero febbraio fevereiro"
    " февраль февраля фев февр",
    "march mar märz maerz mrz mär maart mrt mars marzo março marco март марта мар",
    "april apr avril avr abril abr aprile апрель апреля апр",
    "may mai mei mayo maggio mag maio май мая",
    "june jun juni juin junio giugno giu junho июнь июня июн",
    "july jul juli juillet juil julio luglio lug julho июль июля июл",
    "august aug augustus août aout aoû aou agosto ago август августа авг",
    "september sep sept septembre septiembre setiembre settembre sett set setembro сентябрь сентября сен сент",
    "october oct oktober okt octobre octubre ottobre ott outubro out октябрь октября окт",
    "november nov novembre noviembre novembro ноябрь ноября ноя нояб",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro декабрь декабря дек",
)
MONTHS = {name: month for month, names in enumerate(_NAMES, 1) for name in names.split()}
ENGLISH = frozenset(name for names in _NAMES for name in names.split()[:2]) - {"mai"}  # which Polars knows as well
_DAYS = (
    "mon monday tue tues tuesday wed weds wednesday thu thur thurs thursday fri friday sat saturday sun sunday",
    "mo montag di dienstag mi mittwoch do donnerstag fr freitag sa samstag sonnabend so sonntag",
    "lun lundi mardi mer mercredi jeu jeudi ven vendredi sam samedi dim dimanche",
    "lunes mar martes mié mie miércoles miercoles jue jueves vie viernes sáb sab sábado sabado dom domingo",
    "lunedì lunedi martedì martedi mercoledì mercoledi gio giovedì giovedi venerdì venerdi sabato domenica",
    "seg segunda segunda-feira ter terça terça-feira qua quarta quarta-feira qui quinta quinta-feira sex sexta",
    "sexta-feira",
    "ma maandag dinsdag wo woe woensdag donderdag vr vrij vrijdag za zat zaterdag zo zon zondag",
    "пн понедельник вт вторник ср среда чт четверг пт пятница сб суббота вс воскресенье",
)
WEEKDAYS = frozenset(day for days in _DAYS for day in days.split())
MISSING = frozenset(("", "-", "–", "—", "?", "na", "n/a", "nan", "nat", "none", "null", "tba", "tbc", "tbd", "unknown"))
