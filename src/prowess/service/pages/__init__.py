"""The web pages: what the API tells, for people to look at; made on the server, and whole without JavaScript."""
