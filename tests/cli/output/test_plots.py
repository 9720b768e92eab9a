from prowess.cli.output.plots import line_chart, whisker
from prowess.lab import Interval


def test_whiskers_span_the_interval_and_end_in_an_arrow_beyond_the_plot() -> None:
    assert whisker(Interval(5.0, 3.0, 8.0), -1.0, 10.0, 12) == " │  ├─●──┤  "
    assert whisker(Interval(1.0, -1.0, 3.0), -1.0, 10.0, 12) == "├┼●─┤       "
    assert whisker(Interval(9.0, 5.0, 30.0), 0.0, 10.0, 11) == "│    ├───●▸"
    assert whisker(Interval(0.0, 0.0, 0.0), 0.0, 1.0, 11) == "●          "


def test_line_chart_draws_each_value_at_its_height() -> None:
    values = [0.0, 1.0, 4.0, 2.0, 2.0, 3.0]
    rows = line_chart(values, len(values), height=5, digits=0)
    assert [row.split()[0] for row in rows] == ["4", "3", "2", "1", "0"]
    ends = {column: [y for y, row in enumerate(rows) if row[3:].ljust(9)[column] in "╭╰─"] for column in range(5)}
    assert [4 - ends[column][-1 if values[column + 1] < values[column] else 0] for column in range(5)] == [
        1,
        4,
        2,
        2,
        3,
    ]
    assert len(line_chart([5.0], 30)) == 7
    assert len(line_chart([1.0] * 500, 30)[0]) < 40
