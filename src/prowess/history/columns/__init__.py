"""From a table to raw matches: column roles, teams, results, duplicates, and the rules for valid matches.

In this package, "columns" are the columns of an input table, not the array fields of `History`.
"""
