"""From a table to raw matches: the roles of its columns, teams, results, duplicates and the rules of a match.

These are the columns of a table that is read. The columns of a history, its arrays, are fields of `History`.
"""
