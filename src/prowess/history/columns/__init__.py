"""From a table to a history: which column is what, who played whom and how it ended, and what is wrong."""
