"""The import pages: upload a file, preview it, and map its columns."""
