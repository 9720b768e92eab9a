"""The migrations, in numerical order."""
