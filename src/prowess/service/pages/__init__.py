"""The web pages, which show the data of the API; they are rendered on the server and work without JavaScript."""
