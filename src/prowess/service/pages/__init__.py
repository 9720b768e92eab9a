"""The web pages: the data of the API for people to read; rendered on the server, and complete without JavaScript."""
