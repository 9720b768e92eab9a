"""From a table to raw matches: column roles, teams, results, duplicates, and the rules for valid matches.

"Columns" here are those of an input table; a history's own columns are the array fields of `History`.
"""
