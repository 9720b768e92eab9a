"""From bytes to a table: compression, encoding, file format, separator, header row and the rows below it."""
