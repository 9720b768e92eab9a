"""From the cells of a column to values: names, numbers, places, results, rosters, times."""
