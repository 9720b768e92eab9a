"""What the service answers to programs, a file a noun."""
