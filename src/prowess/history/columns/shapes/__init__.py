"""Tables of other shapes, such as cross tables and sheets of players, made into a row per match or per player."""
