"""The write side: validated commands are planned, previewed and committed."""
