"""Parsing the text of cells: names, numbers, places, results, rosters and times."""
