"""The import of a file: its upload, its preview, and the form that maps its columns."""
