"""The names under which columns are recognised: in lower case, without spaces, underscores, hyphens and dots.

An earlier alias wins over a later one.
"""

LONG = {
    "match": (
        "matchid match gameid game raceid race tournamentid tournament eventid event contestid contest fixtureid"
        " fixture heatid heat sessionid session"
    ),
    "player": (
        "player playername playerid driver drivername driverid competitor competitorid athlete athleteid participant"
        " participantid contestant contestantid rider racer runner user username userid name"
    ),
    "players": "players roster members lineup",
    "team": "team teamname teamid teamno teamnumber club clubid squad side",
    "rank": "rank place position placement placing finish finishposition finalrank standing",
    "score": "score points pts goals teamscore",
    "weight": "weight partialplay share",
    "home": "home ishome athome",
}
COMMON = {
    "time": (
        "datetime timestamp date time playedat playedon matchdate gamedate racedate eventdate startedat starttime start"
        " kickoff utcdate createdat day"
    ),
    "importance": "importance matchweight matchimportance",
    "id": "matchid gameid raceid tournamentid eventid contestid fixtureid heatid sessionid id",
}
HOME_AWAY = {
    "home": "home hometeam hometeamname homename homeclub hteam homeplayer hometeamid homeid",
    "away": (
        "away awayteam awayteamname awayname awayclub ateam awayplayer awayteamid awayid visitor visitorteam"
        " visitingteam visitors guest guestteam"
    ),
    "home_score": (
        "homescore homegoals homepoints homepts hometeamscore hometeamgoals scorehome goalshome hg fthg hscore"
    ),
    "away_score": (
        "awayscore awaygoals awaypoints awaypts awayteamscore awayteamgoals scoreaway goalsaway ag ftag ascore"
        " visitorscore visitorgoals visitorpoints vscore guestscore guestgoals"
    ),
    "neutral": "neutral neutralsite neutralground neutralvenue isneutral",
}
WINNER_LOSER = {
    "winner": "winner winnername winningteam winningplayer winnerid",
    "loser": "loser losername losingteam losingplayer loserid",
    "winner_score": "winnerscore winnergoals winnerpoints winnerpts winningscore wscore wpts scorewinner",
    "loser_score": "loserscore losergoals loserpoints loserpts losingscore lscore lpts scoreloser",
    "draw": "draw drawn isdraw tie tied istie",
}
RESULT = "winner winnerside winningside winningteam result outcome ftr"  # of home/away and of sides: who won
SCORES = ("score", "goals", "points", "pts")  # of sides, beside a number or letter: score1, team1_goals
RANKS = ("rank", "place", "position", "placement")
PAIRS = (("left", "right"), ("white", "black"))  # sides that are not numbered; a cell is one name
ROSTER_STEMS = ("team", "side", "squad", "roster", "players", "lineup")  # team1, team_b: a cell may hold several names
NAME_STEMS = ("player", "model", "competitor", "opponent", "contestant", "fighter", "user", "agent", "bot")
DRAWS = ("draw", "drawn", "d", "tie", "tied", "both", "bothbad", "tiebothbad", "x", "0.5", "½", "1/2", "1/2-1/2", "½-½")
CHESS = ("1-0", "0-1")  # the first side won, the second did
# What separates the names in a roster: the first that is found at all, or else the first that half of the cells have.
ROSTER_SEPARATORS = ("\n", "\t", ";", "|", "+")
ALSO_IN_NAMES = (
    "&",
    "/",
    ",",
    " and ",
    " und ",
    " et ",
    " y ",
    " e ",
    " и ",
    " - ",
)  # where half of the cells have them
# Cells that say nothing, in lower case; and words for places of those who have none, as letters and digits alone.
MISSING = (
    "", "-", "--", "---", "–", "—", "?", ".", "..", "...", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", "(null)",
    "none", "\\n", "missing", "unknown", "tbd", "tba",
)  # fmt: skip
DID_NOT_START = (
    "dns dnq dnpq dnp dnc wd wdn wdr w withdrawn withdrew scr scratched absent abs noshow np nt nonstarter notstarted"
    " didnotstart didnotqualify nichtangetreten"
)
UNPLACED = (
    f"{DID_NOT_START} dnf dsq dq dqd disq disqualified nc ncl nq ret retd rtd retired retirement r ex exc excl excluded"
    " ab abd abn aband abandoned abandon otl hd hdl lap lapped out elim eliminated f fail failed fell crash crashed acc"
    " accident ocs ufd bfd raf dne dgm tle unc mdq udq rdsq lif pu ur bd su ro co ref unp unplaced unclassified"
    " notclassified unranked nr didnotfinish didnotplace nm nh ausg ausgeschieden aufg aufgegeben disk disqu nonclassé"
    " éliminé retirado desc descalificado rit ritirato squal squalificato"
)
