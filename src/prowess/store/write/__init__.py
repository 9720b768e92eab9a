"""The write side: commands are validated, planned, previewed and committed."""
