"""From a table to matches: which column of a file plays which role, who played whom, how it ended, and what is wrong.

These are the columns of the table that is read. The columns of a history, its arrays, are fields of `History`.
"""
