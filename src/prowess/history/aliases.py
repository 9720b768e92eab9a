"""The names under which columns are recognised: in lower case, without accents, blanks and punctuation.

An earlier alias wins over a later one.
"""

LONG = {
    "match": (
        "matchid match gameid game raceid race tournamentid tournament eventid event contestid contest fixtureid"
        " fixture heatid heat sessionid session spielid spiel turnier partida partido torneo carrera course tournoi"
        " турнир матч игра гонка"
    ),
    "player": (
        "player playername playerid driver drivername driverid competitor competitorid athlete athletename athleteid"
        " participant participantid contestant contestantid rider racer runner swimmer skater user username userid"
        " handle nickname name fullname model bot agent spieler fahrer teilnehmer joueur jugador giocatore jogador"
        " игрок участник гонщик"
    ),
    "players": "players roster members lineup squadlist spielerliste joueurs jugadores состав",
    "team": (
        "team teamname teamid teamno teamnumber club clubid squad side mannschaft verein equipe equipo squadra команда"
    ),
    "rank": (
        "rank place position placement placing finish finishposition finalrank finalposition finishingposition standing"
        " pos platz rang platzierung classement posicion puesto posizione posto место позиция"
    ),
    "score": (
        "score points pts goals teamscore totalscore finalscore punkte tore puntos goles punti pontos очки счет баллы"
    ),
    "duration": (
        "finishtime finishingtime racetime totaltime elapsedtime duration chiptime guntime nettime laptime besttime"
        " laufzeit zielzeit"
    ),
    "weight": "weight partialplay share",
    "home": "home ishome athome",
}
# Where no column names the matches, these together may: the second round of a season, the race of a day.
PARTS = (
    "season seasonid year saison temporada stagione сезон",
    "league competition division liga",
    "round roundid roundno roundnumber week gameweek matchday gw journee jornada spieltag runde тур",
    "grandprix gp venue track circuit stage leg table board room court",
)
OPPONENT = (
    "opponent opp opponentname opponentid opponentteam against versus vs gegner adversaire rival avversario соперник"
)
COMMON = {
    "time": (
        "datetime timestamp date matchdate gamedate racedate eventdate tourneydate tournamentdate startdate playedat"
        " playedon dateplayed dateutc utcdate startedat starttime start createdat kickoff gametime matchtime day datum"
        " fecha data jour дата time"
    ),
    "clock": "time kickoff kickofftime starttime timeofday hour uhrzeit anstoss hora heure ora время",
    "importance": "importance matchweight matchimportance",
    "id": "matchid gameid raceid tournamentid eventid contestid fixtureid heatid sessionid id",
    "status": "status matchstatus gamestatus state",
}
HOME_AWAY = {
    "home": (
        "home hometeam hometeamname homename homeclub hteam homeplayer hometeamid homeid host hosts heim heimteam"
        " heimmannschaft heimverein local equipolocal domicile equipedomicile casa squadracasa mandante хозяева"
    ),
    "away": (
        "away awayteam awayteamname awayname awayclub ateam awayplayer awayteamid awayid visitor visitorteam visitors"
        " visitingteam guest guestteam guests gast gastteam gaste gastmannschaft gastverein auswarts visitante"
        " equipovisitante exterieur equipeexterieur ospite ospiti fuori trasferta гости"
    ),
    "home_score": (
        "homescore homegoals homepoints homepts homeruns hometeamscore hometeamgoals scorehome goalshome hg fthg hscore"
        " hpts hgoals heimtore torehein toreheim golescasa goleslocal butsdomicile hs"
    ),
    "away_score": (
        "awayscore awaygoals awaypoints awaypts awayruns awayteamscore awayteamgoals scoreaway goalsaway ag ftag ascore"
        " apts agoals visitorscore visitorgoals visitorpoints vscore guestscore guestgoals gasttore toregast"
        " golesvisitante butsexterieur as"
    ),
    "neutral": "neutral neutralsite neutralground neutralvenue isneutral",
}
WINNER_LOSER = {
    "winner": (
        "winner winnername winningteam winningplayer winners winnertie winnerid sieger gewinner vainqueur gagnant"
        " ganador vincitore победитель"
    ),
    "loser": (
        "loser losername losingteam losingplayer losers losertie loserid verlierer perdant perdedor perdente sconfitto"
        " проигравший"
    ),
    "winner_score": "winnerscore winnergoals winnerpoints winnerpts winningscore wscore wpts scorewinner ptsw",
    "loser_score": "loserscore losergoals loserpoints loserpts losingscore lscore lpts scoreloser ptsl",
    "draw": "draw drawn isdraw tie tied istie",
}
# Who won, or the result of both sides in one cell; what the cells hold decides how they are read.
RESULT = (
    "winner winnerside winningside winningteam winnername winnerid result outcome ftr res wl wdl winloss win score"
    " scores finalscore fulltimescore ft fulltime scoreline endresult ergebnis endstand resultat resultado risultato"
    " счет результат победитель"
)
SCORES = ("score", "goals", "points", "pts", "runs", "wins")  # of sides, beside a number or letter: score1, team1_goals
RANKS = ("rank", "place", "position", "placement")
# Sides that are not numbered; a cell is one name. In the last two a row is how one side saw the match.
PAIRS = (
    ("left leftmodel leftplayer leftname leftid", "right rightmodel rightplayer rightname rightid"),
    ("white whiteplayer whitename whiteusername whiteid", "black blackplayer blackname blackusername blackid"),
    ("red redplayer redteam redfighter redname rfighter", "blue blueplayer blueteam bluefighter bluename bfighter"),
    ("first firstplayer firstteam", "second secondplayer secondteam"),
    ("challenger challengername", "defender defendername"),
    ("player playername playerid name user username", OPPONENT),
    ("team teamname teamid club", OPPONENT),
)
OWN_SCORE = "teamscore playerscore ownscore pointsfor goalsfor pf gf scored for scorefor myscore points pts goals score"
OPPONENT_SCORE = (
    "opponentscore oppscore opponentpoints opppoints opponentgoals oppgoals pointsagainst goalsagainst pa ga conceded"
    " allowed against scoreagainst opponentpts opppts"
)
VENUE = "venue homeaway ha location where site"  # whether the first side of such a row was at home
# Words of longer names, such as home_team_goal_count: a side, what it is called, and what it scored.
SIDE_WORDS = {
    "home": "home host hosts heim local domicile casa",
    "away": "away visitor visitors visiting guest guests gast visitante exterieur ospite trasferta",
    "winner": "winner winning",
    "loser": "loser losing",
}
NAME_WORDS = "team name club player side squad id full long title user username code abbr short"
SCORE_WORDS = "score scores goals goal points pts runs tore goles gols buts punkte"
SCORE_FILLERS = f"{NAME_WORDS} final total full time ft count match game regular"
ORDINALS = (
    [f"{n}{'th' if 10 < n < 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}" for n in range(1, 31)],
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"],
    ["winner", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"],
    ["gold", "silver", "bronze"],
    *([f"{word}{n}" for n in range(1, 31)] for word in ("place", "position", "rank", "pos", "finisher")),
)
ROSTER_STEMS = ("team", "side", "squad", "roster", "players", "lineup", "mannschaft", "equipe", "equipo", "команда")
NAME_STEMS = (
    "player",
    "model",
    "competitor",
    "opponent",
    "contestant",
    "fighter",
    "participant",
    "user",
    "agent",
    "bot",
    "name",
    "spieler",
    "joueur",
    "jugador",
    "игрок",
    "p",
)
