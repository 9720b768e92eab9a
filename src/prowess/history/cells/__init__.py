"""From the text of cells to values: names, numbers, places, results, rosters, times."""
