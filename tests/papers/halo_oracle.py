"""A slow and simple reader of the Halo 2 files, line by line."""

from itertools import groupby


def games(text):
    """Return the games of a file, each as teams (lists of player ids) and their scores."""
    rows = [[cell.strip() for cell in line.split(",")] for line in text.splitlines() if line.strip()]
    found = []
    for _, block in groupby(rows, key=lambda row: (row[1], row[0])):
        teams, scores = {}, {}
        for row in block:
            players = teams.setdefault(row[5], [])
            if row[4] not in players:
                players.append(row[4])
            scores[row[5]] = scores.get(row[5], 0) + float(row[6])
        everybody = [player for team in teams.values() for player in team]
        if len(teams) > 1 and len(set(everybody)) == len(everybody):
            found.append((list(teams.values()), list(scores.values())))
    return found
