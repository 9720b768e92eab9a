"""Time columns in all common notations are read as the right dates."""

from datetime import date, datetime, time
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.errors import Error
from prowess.history import History, parse_time, show_time
from prowess.history.cells.dates.columns import read_times
from prowess.history.read_context import Findings, Table
from prowess.history.read_options import Choices
from prowess.history.readers import from_frame


def column(*texts: Any, name: str = "time", **choices: Any) -> History:
    return History.from_frame(pl.DataFrame({"winner": "a", "loser": "b", name: texts}), **choices)


def findings(*texts: Any, name: str = "time", **choices: Any) -> Findings:
    return from_frame(pl.DataFrame({"winner": "a", "loser": "b", name: texts}), Choices(**choices))


def table(**columns: Any) -> Table:
    return Table(pl.DataFrame(columns), "the frame")


def read(*texts: Any, name: str = "time", **choices: Any) -> tuple[list[str], str]:
    """Return the times in the order of the rows, and the remarks."""
    one = Table(pl.DataFrame({name: texts}), "the frame", choices=Choices(**choices))
    times = read_times(one, name)
    assert times is not None, list(one.problems)
    return [str(show_time(times.kind, times.zone, number)) for number in times.number], "\n".join(map(str, one.remarks))


@pytest.mark.parametrize(
    "text",
    [
        "1969-12-31", "2024/02/29", "2026-01-31T10:20:30", "2026-01-31 10:20", "2026-01-31T10:20:30.5", "2026-1-5",
        "2026-01-31T10:20:30.000001", "2026-01-31T10:20:30.123456789Z", "2026-01-31T10:20:30-03:30", "31.1.2026",
        "2026-01-31 10:20:30 +0200", "0001-01-01", "9999-12-31T23:59:59.999999", "-3.5", "1e3", "20260131",
        "31 Jan 2026", "Jan 31, 2026 10:30 pm", "31. Januar 2026", "Sat Jan 31 10:00:00 2026", "2026-W05", "2026",
        "08 July 2004 15:45:00", "Sa, 31.01.2026", "2026-01-31 3pm", "31.01.2026 10h30", "2026年1月31日", "Sept 2026",
    ],
)  # fmt: skip
def test_date_column_gives_the_same_dates_as_parse_time(text: str) -> None:
    for texts in ((text, text), (f" {text} ", text), (text, f"{text} ", f"  {text}")):
        history = column(*texts)
        assert history.time is not None
        assert (history.time_kind, history.time_zone, history.time[1]) == parse_time(text)


@pytest.mark.parametrize(
    "text",
    [
        "2023-02-29", "0000-01-01", "2026-01-31T24:00:00", "2026-01-31T10:60", "2026-01-31T10:00:60", "1,5", "soon",
        "2026-01-31T10:00+24:00", "0001-01-01T00:00+02:00", "2026-01-31T10:00:00.", "32.01.2026", "2026-01-31 CET",
    ],
)  # fmt: skip
def test_unreadable_times_are_reported_with_their_rows(text: str) -> None:
    with pytest.raises(Error):
        parse_time(text)
    for texts in (("2026-01-01", text), ("2026-01-01T10:00", text, "2026-01-03"), ("31.12.2025", text)):
        found = findings(*texts)
        assert len(found.history) == len(texts) - 1
        assert [str(problem).partition(" time;")[0] for problem in found.problems] == [
            f"row 2: column 'time' holds {text!r}: this is not a valid date or"
        ]


DAYS = ["2026-01-05", "2026-01-31", "2026-12-24"]


@pytest.mark.parametrize(
    "texts",
    [
        "5/1/2026 31/1/2026 24/12/2026", "1/5/2026 1/31/2026 12/24/2026", "05-01-2026 31-01-2026 24-12-2026",
        "05.01.2026 31.01.2026 24.12.2026", "05/01/26 31/01/26 24/12/26", "1/5/26 1/31/26 12/24/26",
        "20260105 20260131 20261224", "46027 46053 46380", "2026/01/05 2026-1-31 20261224",
        "5.1.2026 31/1/2026 24-12-2026", "5Jan2026 31-JAN-26 December-24-2026", "2026-Jan-5 2026-Jan-31 2026Dec24",
        "5_Jan_2026|31_Jan_2026|24_Dec_2026", "Jan_5,_2026|January_31st,_2026|Dec._24,_2026",
        "Mo,_05.01.2026|Sa,_31.01.2026|Do,_24.12.2026", "Monday_5_January_2026|Sat_31_Jan_2026|Thu,_24_Dec_2026",
        "5._Januar_2026|31._Jänner_2026|24._Dez._2026", "5_janvier_2026|31_janv._2026|24_décembre_2026",
        "5_de_enero_de_2026|31_ene_2026|24_diciembre_2026", "5_gennaio_2026|31_gen_2026|24_dic_2026",
        "5_de_janeiro_de_2026|31_jan_2026|24_dezembro_2026", "5_januari_2026|31_jan._2026|24_december_2026",
        "5_января_2026_г.|31_янв_2026|24_декабря_2026", "2026._1._5.|2026._1._31.|2026._12._24.",
        "2026-W02-1 2026-W05-6 2026-W52-4", "5/1/2026 24/12/2026 31/1/2026",
    ],
)  # fmt: skip
def test_common_date_formats_are_read(texts: str) -> None:
    cells = [one.replace("_", " ") for one in texts.split("|" if "|" in texts else " ")]
    assert sorted(read(*cells, name="date")[0]) == DAYS


@pytest.mark.parametrize(
    "text",
    [
        "31.01.2026 15:05", "31/01/2026 15:05:00", "1/31/2026 3:05 PM", "1/31/2026 3:05:00 pm", "31.01.2026 15h05",
        "31.01.2026 15.05", "31 Jan 2026 15:05", "31 Jan 2026, 3:05 p.m.", "31. Januar 2026 um 15:05 Uhr",
        "31 janvier 2026 à 15h05", "2026-01-31T15:05", "2026-01-31 15:05:00.000", "Sat 31 Jan 2026 at 15:05",
        "20260131T150500", "202601311505", "20260131150500", "2026-01-31 15:05:00,000", "Sat Jan 31 15:05:00 2026",
    ],
)  # fmt: skip
def test_common_time_of_day_formats_are_read(text: str) -> None:
    assert read(text)[0] == ["2026-01-31 15:05:00"]


@pytest.mark.parametrize(("text", "day"), [("31.12.69", "2069-12-31"), ("31.12.70", "1970-12-31")])
def test_two_digit_years_lie_between_1970_and_2069(text: str, day: str) -> None:
    assert read(text)[0] == [day]


@pytest.mark.parametrize(
    ("texts", "choices", "first", "said"),
    [
        (["03/04/2026", "01/05/2026"], {}, "2026-04-03", "day first, because the file is then in chronological"),
        (["03/04/2026", "01/05/2026", "12/12/2026"], {}, "2026-04-03", "as 2026-04-03; use `day_first=False`"),
        (["03/04/2026", "04/01/2026"], {}, "2026-03-04", "month first, because the file is then in chronological"),
        (["05/12/2026", "05/03/2026", "04/10/2026"], {}, "2026-05-12", "as 2026-05-12; use `day_first=True` to"),
        (["03/04/2026"], {}, "2026-04-03", "dates such as 03/04/2026 are read with the day first, as 2026-04-03; use "),
        (["03.04.2026", "04.01.2026"], {}, "2026-04-03", "03.04.2026 are read with the day first, as 2026-04-03"),
        (["03/04/2026"], {"day_first": False}, "2026-03-04", ""),
        (["03/04/2026"], {"day_first": True}, "2026-04-03", ""),
        (["03/04/2026", "25/04/2026"], {}, "2026-04-03", ""),
        (["03/04/2026", "04/25/2026"], {}, "2026-03-04", ""),
        (["04/04/2026", "05/05/2026"], {}, "2026-04-04", ""),
        (["03/04/2026"], {"time_format": "%m/%d/%Y", "day_first": True}, "2026-03-04", ""),
        (["26-01-31", "26-02-28", "26-03-02"], {}, "2026-01-31", "the year first, because the file is then"),
        (["99-01-31", "01-02-03"], {}, "1999-01-31", "years, as in 99-01-31, are read as years from 1970 to 2069"),
        (["2026-01", "2026-02"], {}, "2026-01-01", "such as 2026-01, are read as the first day of the month"),
        (["1700000000", "1700003600"], {}, "2023-11-14 22:13:20+00:00", "Unix times, in UTC; use `time_format="),
        (["1700000000123"], {}, "2023-11-14 22:13:20.123000+00:00", "1700000000123 are read as Unix times"),
        (["1700000000"], {"time_format": "number"}, "1700000000.0", ""),
        (["20260131"], {"time_format": "number"}, "20260131.0", ""),
        (["20260131", "20260201"], {}, "2026-01-31", "20260131 are read as dates; use `time_format="),
        ([20260131, 20260201], {}, "2026-01-31", "20260131 are read as dates"),
        ([20260131], {"time_format": "%Y%m%d"}, "2026-01-31", ""),
        ([20260131.0], {}, "20260131.0", ""),
        (["46053.5", "46054.25"], {"time_format": "excel"}, "2026-01-31 12:00:00", ""),
        (["46053", "46054"], {}, "46053.0", ""),
        (["2025", "2026"], {}, "2025.0", ""),
        (["20261301", "20269999"], {}, "20261301.0", ""),
        (["2026-01-31T10:00+01:00", "2026-07-31T10:00+02:00"], {}, "2026-01-31 09:00:00+00:00", "several zones"),
        (["2026-01-31T10:00+01:00"], {"utc": True}, "2026-01-31 09:00:00+00:00", ""),
    ],
)  # fmt: skip
def test_only_ambiguous_dates_add_a_remark(texts: list[Any], choices: Any, first: str, said: str) -> None:
    times, notes = read(*texts, **choices)
    assert times[0] == first
    assert said in notes if said else not notes


def test_remark_on_the_order_of_day_and_month_is_added_even_if_a_date_does_not_exist() -> None:
    cells = Table(pl.DataFrame({"date": ["12-25-2020", "26-01-31", "2026-01-31"]}), "cells")
    assert read_times(cells, "date") is None
    [remark] = [remark for remark in cells.remarks if remark.code == "day-month-order"]
    assert remark.column == "date"


def test_numbers_in_a_date_column_are_read_as_spreadsheet_days() -> None:
    times, notes = read("46053", "46054", name="Match Date")
    assert times == ["2026-01-31", "2026-02-01"]
    assert "46053 are read as spreadsheet day numbers; use `time_format='number'`" in notes


@pytest.mark.parametrize(
    ("texts", "rows", "right"),
    [
        (
            ["31/01/2026"] * 3 + ["01/25/2026"],
            [4],
            "this date does not exist: in this column, the day is first; use `day_fir",
        ),
        (["01/31/2026"] * 3 + ["25/01/2026"], [4], "this date does not exist: in this column, the month is first"),
        (["31/01/2026"] * 3 + ["13/14/2026"], [4], "not a valid date"),
        (["2026-01-31", "", "2026-02-01", "n/a"], [2, 4], "give a time to every match, or to none"),
        (["2026-01-31", None, "2026-02-01"], [2], "give a time to every match, or to none"),
        (["2026-01-31", "5", "2026-02-01"], [2], "plain numbers and dates are mixed"),
        (["5", "2026-01-31", "6"], [2], "most times in this column are numbers"),
        (["5", "x", "6", ""], [2, 4], None),
        (["2026-01-31T10:00Z", "2026-01-31", "2026-02-01T10:00Z"], [2], "mixed time zones: some times have a zone"),
        (["2026-01-31T10:00Z", "2026-01-31T10:00", "2026-02-01T10:00"], [1], "mixed time zones"),
        (
            ["20260131"] * 20 + ["20261331"],
            [21],
            "numbers such as 20260131 are read as dates, and this one does not fit",
        ),
        (["1700000000"] * 20 + ["17"], [21], "Unix times"),
    ],
)
def test_times_that_do_not_fit_their_column_are_reported_with_their_rows(
    texts: list[Any], rows: list[int], right: str | None
) -> None:
    found = findings(*texts)
    assert [one.where for one in found.problems] == [f"row {row}" for row in rows]
    assert all(right is None or right in one.problem.detail() for one in found.problems)
    assert len(found.history) == len(texts) - len(rows)


def test_dates_that_do_not_fit_the_date_options_are_reported_with_their_rows() -> None:
    for choices, said in (({"day_first": False}, "month is first"), ({"time_format": "%m/%d/%Y"}, "%m/%d/%Y'`")):
        found = findings("12/01/2026", "31/01/2026", **choices)
        assert [one.where for one in found.problems] == ["row 2"]
        assert said in found.problems[0].problem.detail()


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["15:00", "17:30"], "column 'time' is not used: it holds times of day without a date"),
        (["Sat", "Sun"], "column 'time' is not used: it holds days of the week without a date"),
        ([time(15), time(17)], "column 'time' is not used: it holds times of day without a date"),
        (["", " "], ""),
        (["NA", "-"], ""),
    ],
)
def test_time_column_without_dates_is_not_used(texts: list[Any], said: str) -> None:
    history = column(*texts)
    assert history.time is None
    assert len(history) == 2
    assert said in history.recognised


def test_name_columns_are_not_inferred_to_be_time_columns() -> None:
    rows = [(f"2026-01-{day}", f"p{day % 3}", f"p{day % 3 + 1}", day % 5, day % 2) for day in range(10, 30)]
    history = History.from_frame(pl.DataFrame(rows, schema=["1", "2", "3", "4", "5"], orient="row"))
    assert str(history[0]["time"]) == "2026-01-10"


def test_column_without_any_time_raises_a_single_error() -> None:
    texts = [f"round {number}" for number in range(1, 12)]
    with pytest.raises(
        Error, match=r"row 1: column 'time' holds 'round 1', which is not a date or time.*`columns={'tim"
    ):
        column(*texts)
    assert len(findings(*texts[:3]).problems) == 3
    with pytest.raises(
        Error, match=r"row 1: column 'time' holds 'round 1', which .* this does not fit `time_format='%Y'`"
    ):
        column(*texts, time_format="%Y")


@pytest.mark.parametrize(
    ("clocks", "expected", "said"),
    [
        (["15:00", "3pm", "9.30"], ["15:00:00", "15:00:00", "09:30:00"], ""),
        (["15:00:30", "1500", "930"], ["15:00:30", "15:00:00", "09:30:00"], ""),
        (
            [time(15), time(9, 30), None],
            ["15:00:00", "09:30:00", "00:00:00"],
            "empty in 1 row, so the time there is midnight",
        ),
        (["15:00", "", "TBD"], ["15:00:00", "00:00:00", "00:00:00"], "empty in 2 rows"),
        ([0.625, 0.5, 0.0], ["15:00:00", "12:00:00", "00:00:00"], ""),
        (["15:00Z", "14:00 UTC", "10:00Z"], ["15:00:00+00:00", "14:00:00+00:00", "10:00:00+00:00"], ""),
        (["90 min", "45 min", "15:00"], None, "column 'time' is not used: it holds no times of day"),
        ([7.5, 3.5, 1.0], None, "column 'time' is not used: it holds no times of day"),
    ],
)
def test_time_of_day_is_read_from_a_separate_column(clocks: list[Any], expected: Any, said: str) -> None:
    one = table(date=["31.01.2026"] * 3, time=clocks)
    times = read_times(one, "date", "time")
    assert times is not None
    shown = [str(show_time(times.kind, times.zone, number)) for number in times.number]
    assert shown == (["2026-01-31"] * 3 if expected is None else [f"2026-01-31 {clock}" for clock in expected])
    assert said in "\n".join(map(str, one.remarks)) if said else not one.remarks


def test_unusable_time_of_day_columns_are_reported_or_ignored() -> None:
    one = table(date=["31.01.2026"] * 3, time=["15:00", "25:00", "16:00"])
    assert read_times(one, "date", "time") is None
    assert [str(problem) for problem in one.problems] == [
        "column 'time' holds '25:00': a time of day such as 15:00 or 3pm is needed"
    ]
    two = table(date=["31.01.2026 10:00"], time=["15:00"])
    assert read_times(two, "date", "time") == read_times(two, "date")
    assert "column 'time' is not used: the match times already include a time of day" in list(map(str, two.remarks))


def test_date_column_may_mix_dates_and_timestamps_with_hyphens_or_slashes() -> None:
    history = column("2026-01-31 10:00", "2026/01/30", "2026-01-29")
    assert history.time_kind == "timestamp"
    assert [match["time"].day for match in history] == [29, 30, 31]


def test_fast_and_slow_date_parsers_give_the_same_dates() -> None:
    texts = ["01.02.2026 10:00:00", "31.01.2026 11:00:00"]
    fast = column(*texts, time_format="%d.%m.%Y %H:%M:%S")
    slow = column(*(text[:6] + text[8:] for text in texts), time_format="%d.%m.%y %H:%M:%S")
    assert fast == slow
    assert [match["time"].day for match in fast] == [31, 1]


def test_utc_offset_parsed_with_a_custom_time_format_is_kept() -> None:
    history = column("31.01.2026 10:00 +0200", time_format="%d.%m.%Y %H:%M %z")
    assert (history.time_zone, history[0]["time"].hour) == ("+02:00", 10)


DATES = ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%a %d %b %Y", "%Y%m%d", "%d-%b-%Y"]
EITHER = ["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y"]
CLOCKS = [" %H:%M:%S", " %I:%M:%S %p", "T%H:%M:%S", " %H:%M:%S UTC"]
moments = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)).map(lambda moment: moment.replace(microsecond=0))


@given(st.lists(moments, min_size=1, max_size=5), st.sampled_from(DATES + EITHER), st.sampled_from(["", *CLOCKS]))
def test_dates_written_in_any_supported_format_are_read_back_unchanged(
    found: list[datetime], day: str, clock: str
) -> None:
    texts = [moment.strftime(day + clock) for moment in found]
    proven = any(moment.day > 12 for moment in found)
    choices = {"day_first": day.startswith("%d")} if day in EITHER and not proven else {}
    times, _ = read(*texts, **choices)
    shown = [str(moment if clock else moment.date()) + "+00:00" * ("UTC" in clock) for moment in found]
    assert times == shown


@given(st.dates(date(1970, 1, 1), date(2069, 12, 31)), st.booleans())
def test_two_digit_years_are_read(day: date, first: bool) -> None:
    text = day.strftime("%d/%m/%y" if first else "%m/%d/%y")
    assert read(text, day_first=first)[0] == [str(day)]


def test_large_date_column_in_one_format_is_read_correctly_without_remarks() -> None:
    moments = pl.datetime_range(datetime(2001, 1, 1), datetime(2003, 1, 1), "97m13s", eager=True)
    for form in ("%Y-%m-%dT%H:%M:%S", "%d.%m.%Y %H:%M:%S", "%m/%d/%Y %I:%M:%S %p", "%d %B %Y %H:%M:%S"):
        one = Table(pl.DataFrame({"date": moments.dt.strftime(form)}), "the frame")
        times = read_times(one, "date")
        assert times is not None
        assert not one.remarks
        assert (times.number == moments.cast(pl.Datetime("us")).to_physical().to_numpy()).all()
