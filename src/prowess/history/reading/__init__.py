"""From any file of bytes to a table: what it is packed in, its encoding, its separators, its heading."""
