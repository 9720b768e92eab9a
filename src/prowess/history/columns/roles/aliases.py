"""The names under which columns are recognised: in lower case, without accents, blanks and punctuation.

An earlier alias wins over a later one.
"""

LONG = {
    "match": (
        "matchid match gameid game raceid race tournamentid tournament eventid event contestid contest fixtureid"
        " fixture heatid heat sessionid session playid quiz quizid meet regatta spielid spiel turnier partida partido"
        " torneo carrera course tournoi etapa rennen lauf corrida bateria manga gara regata wyscig prueba epreuve prova"
        " wettkampf zawody bieg турнир матч игра гонка партия забег 比赛 場次 场次 試合 partie rencontre incontro"
        " partita jogo wedstrijd mecz lopp night gamenight quiznight evening matchnr matchnumber matchno gameno"
        " wedstrijdnr"
    ),
    "player": (
        "player playername gamertag personaname riotidgamename summonername playerid driver drivername driverid"
        " competitor competitorid athlete athletename athleteid participant participantid contestant contestantid rider"
        " racer runner swimmer skater rower sculler golfer bowler archer cyclist skier ruderer segler reiter cavalier"
        " user username userid handle nickname name fullname model bot agent helm skipper pilot jockey horse boat"
        " spieler fahrer teilnehmer laufer lauferin schwimmer schwimmerin sportler sportlerin fahrerin coureur nageur"
        " nageuse corredor corredora nadador nadadora atleta ciclista piloto pilote pilota marchador corridore"
        " nuotatore zawodnik biegacz plywak kierowca namn naam navn nimi jmeno spelare spiller pelaaja hrac oyuncu"
        " спортсмен бегун пловец joueur jugador giocatore jogador speler gracz игрок участник гонщик 选手 球员 選手"
    ),
    "players": "players roster members lineup swimmers crew squadlist spielerliste joueurs jugadores состав",
    "team": (
        "team teamname teamid teamno teamnumber club clubid squad side mannschaft verein equipe equipo squadra"
        " isradiant команда 球队"
    ),
    "rank": (
        "place position placement placing finish finishposition finalposition finishingposition pos rank finalrank plac"
        " plats standing platz rang platzierung classement posicion puesto posizione posto posicao colocacao miejsce"
        " место позиция 名次 順位 placering plassering plaats sijoitus poradi"
    ),
    "score": (
        "score points pts goals teamscore totalscore finalscore totalpoints total punkte gesamt tore puntos goles punti"
        " pontos очки счет баллы 得分 得点 vp victorypoints siegpunkte holz pins strokes throws schlage coups golpes"
        " slag topar scoretopar penalites penalties penaltypoints faults fehlerpunkte strafpunkte penalizaciones"
        " penalidades punten poang punkty body pisteet tot reward"
    ),
    "duration": (
        "correctedtime corrected finishtime finishingtime racetime totaltime elapsedtime duration chiptime guntime"
        " nettime laptime besttime seconds secs sec sekunden segundos secondes secondi laufzeit zielzeit time zeit"
        " tiempo temps tempo tid tijd czas время"
    ),
    "result": "result outcome win won winner iswinner haswon wl winloss victory",
    "weight": "weight partialplay share",
    "home": "home ishome athome",
}
# Numbers of matches in a file with a row per match. If one recurs with the same sides, the match is listed again.
MATCH_NUMBERS = (
    "matchno matchnr matchnumber matchnum nmatch numeromatch idmatch matchcode gameno gamenr gamenumber gamenum idgame"
    " gamecode spielnr spielnummer spielid begegnung begegnungsnr npartido numeropartido idpartido npartida idpartida"
    " idpartita numeropartita njogo idjogo jogo nrmeczu idmeczu mecz wedstrijd wedstrijdnr matchid номерматча матч"
    " номеригры игра"
)
# Columns that number or name the parts of a match.
PARTS_OF_MATCHES = (
    "map mapname mapno mapnumber game gameno gamenumber set setno frame frameno leg legno board boardno table brett"
    " satz partie manche round rubber karte spiel set1 tisch mapa partida"
)
# If no column identifies the matches, a combination of these columns may: season and round, or day and race.
PARTS = (
    "season seasonid year saison temporada stagione сезон",
    "league competition division liga",
    "round roundid roundno roundnumber week gameweek matchday gw journee jornada spieltag runde runda kolejka kolo"
    " omgang rodada ronda ronde rd giornata durchgang turno 轮次 тур",
    "grandprix gp venue track circuit stage leg table board room court pairing paarung tisch brett mesa tavolo",
    "evening night gamenight quiznight session abend soiree",
)
# Columns that divide the rows of an event into matches, if players recur or places start again.
HEATS = (
    "heat heatno heatid heatnumber round roundno roundid race raceno session game gameno match matchno leg stage flight"
    " runde lauf rennen vorlauf durchgang spiel partie manche serie course tour bateria prova corrida etapa rodada"
    " ronda carrera manga tanda batteria gara turno fase wyscig bieg runda kolejka заезд тур раунд забег игра map 轮"
    " 轮次 组 局 group gruppe groupe grupo gruppo grupa pool poule"
)
# Events with several races or games.
EVENTS = "event regatta meeting meet tournament tournoi turnier torneo cup competition series festival турнир"
# At different tables, people play different matches.
TABLES = "table tableno tablenumber tisch tischnr mesa masa tavolo tafel stol stolik стол 桌"
ROUND = "round roundname stage phase runde tour fase ronda turno rodada ronde kolejka kolo omgang 轮次 轮"
# Words for scores of which the lowest is best, and for points, of which the highest is best.
LOWEST = (
    "stroke strokes shot shots throw throws schlag schlage coups golpes slag slagen colpi tacadas penalty penalties"
    " penaltypoints penalites penalidades penalizaciones penalita faltas fault faults fehler fehlerpunkte strafpunkte"
    " putt putts topar overpar scoretopar minigolf discgolf crazygolf miniaturgolf"
)
PENALTIES = "penalty penalties penalite penalites penalizacion penalidade penalita straf strafpunkte"
TIMED = "times seconds zeiten sekunden secondes segundos tiempos secondi tempi laptimes rundenzeiten"  # with fractions
HIGHEST = "point points pts stableford punkte poang puntos punti pontos punkty очки баллы pins holz kegel"
HANDICAP = "handicap hcap hcp hdcp hdc vorgabe spielvorgabe playinghandicap coursehandicap гандикап"
NET = "net nett netto neto nette"
GROSS = "gross brutto bruto brut lordo bruttoscore"
# Columns about the course in a sheet with a column per player, in lower case: Par is a column, but Pär is a player.
COURSE = "par holes loch löcher trous hoyos buche slope length distance"
# Columns that say who played together, besides those of `LONG["team"]`.
TOGETHER = (
    "pair paar paire pareja coppia dupla para пара couple duo doppel double partnership boat boot bateau barca crew"
    " colour color farbe couleur alliance party group gruppe"
)
# Further words of headers of numbers that are no scores.
NO_SCORES = (
    "courts platz pista campo cancha quadra terrain lane bahn rink sheet pitch feld class klasse overs tokens epoch"
    " unix timestamp minutes mins minuten minutos minuti hours turns moves age alter idx index id bib latency ms kills"
    " deaths assists muertes vorlagen faltas fouls tarjetas corners passes pases possession rebounds steals turnovers"
)
# Numbers of matches, which may tell their order.
GAME_NUMBER = (
    "game gameno gamenumber gamenr match matchno matchnumber matchnr no nr num number spiel spielnr spielnummer partie"
    " partida partido partidano jogo juego wedstrijd mecz gara incontro kamp матч игра партия 场次 場次 试合 試合"
)
# Columns of league tables, which sum up many matches.
STANDINGS = (
    "p pld played mp gp games matches spiele sp gesp partidos", "w won wins siege g s gew",
    "d drawn draws t ties u unentschieden", "l lost losses niederlagen n verl", "gd goaldifference diff tordifferenz",
    "gf pf goalsfor", "ga pa goalsagainst", "pct winpct winpercentage", "rating elo",
)  # fmt: skip
TO_PAR = "topar toparscore strokes"  # golf: R1 to R4 are the rounds of one tournament
OPPONENT = (
    "opponent opp opponentname opponentid opponentteam gegner adversaire rival avversario adversario oponente oponent"
    " tegenstander przeciwnik соперник противник against versus vs"
)
COMMON = {
    "time": (
        "datetime timestamp date matchdate gamedate racedate eventdate tourneydate tournamentdate startdate playedat"
        " playedon completedat dateplayed dateutc utcdate startedat starttime start createdat kickoff gametime"
        " matchtime createtime gamecreation gamestart gamestarttimestamp started startedepoch finishedat endedat"
        " endtime tsms epoch day datum fecha data jour abend spielabend soiree дата 日期 日付 tstamp ts time year jahr"
        " annee ano anno год"
    ),
    "clock": "time kickoff kickofftime starttime startet timeofday hour uhrzeit anstoss hora heure ora время",
    "importance": "importance matchweight matchimportance",
    "id": "matchid gameid raceid tournamentid eventid contestid fixtureid heatid sessionid id",
    "status": "status matchstatus gamestatus state",
    "order": "",  # only if the user maps it
}
HOME_AWAY = {
    "home": (
        "home hometeam domaci 主场选手 主场 hometeamname homename homeclub hteam homeplayer hometeamid homeid host"
        " hosts heim heimteam heimmannschaft heimverein equipeadomicile equipadacasa equipedacasa timedacasa local"
        " equipolocal domicile equipedomicile casa squadracasa mandante thuis thuisploeg heimspieler joueurdomicile"
        " jugadorlocal jogadorcasa thuisspeler gospodarze gospodarz hemma hemmalag homeneutral хозяева 主队 主隊 ホーム"
    ),
    "away": (
        "away awayteam hoste 客场选手 客场 awayteamname awayname awayclub ateam awayplayer awayteamid awayid visitor"
        " visitorteam visitors visitingteam guest guestteam guests gast gastteam gaste gastmannschaft gastverein"
        " auswarts visitante auswartsmannschaft auswartsteam auswartsverein gastemannschaft equipealexterieur"
        " equipadefora timedefora equipavisitante timevisitante equipovisitante exterieur equipeexterieur ospite ospiti"
        " fuori trasferta uit uitploeg goscie gosc borta bortalag gastspieler joueurexterieur jugadorvisitante"
        " jogadorfora uitspeler visitorneutral гости 客队 客隊 アウェイ"
    ),
    "home_score": (
        "homescore homegoals homepoints homepts homeruns hometeamscore hometeamgoals scorehome goalshome hg fthg hscore"
        " hpts hgoals hgoal heimtore torehein toreheim golescasa goleslocal butsdomicile goloscasa golscasa ptsh"
        " ptshome homeframes homelegs homesets homemaps homegames hs golcasa 主队得分 主队进球 主队比分 主隊得分"
    ),
    "away_score": (
        "awayscore awaygoals awaypoints awaypts awayruns awayteamscore awayteamgoals scoreaway goalsaway ag ftag ascore"
        " apts ptsv ptsa ptsaway ptsvisitor agoals visitorscore visitorgoals visitorpoints vscore vgoals vgoal vpts"
        " guestscore guestgoals gasttore toregast golesvisitante butsexterieur golosfora golsfora golosvisitante"
        " awayframes awaylegs awaysets awaymaps awaygames as golospite golospiti goltrasferta 客队得分 客队进球"
        " 客队比分 客隊得分"
    ),
    "neutral": "neutral neutralsite neutralground neutralvenue neutrallocation isneutral",
}
# Beside columns of clubs, the players who met on a board.
PLAYERS_OF_SIDES = (
    "homeplayer awayplayer heimspieler gastspieler joueurdomicile joueurexterieur jugadorlocal jugadorvisitante"
    " jogadorcasa jogadorfora thuisspeler uitspeler"
)
WINNER_LOSER = {
    "winner": (
        "winner winnername winningteam winningplayer winners winnertie winnerid champion champions sieger gewinner"
        " vainqueur gagnant ganador vincitore победитель 胜者 勝者 whowon vencedor vinnare vinder vinner winnaar"
        " voittaja zwyciezca vitez gyoztes kazanan переможець"
    ),
    "loser": (
        "loser losername losingteam losingplayer losers losertie loserid runnerup runnersup finalist verlierer perdant"
        " battu battue perdedor perdente sconfitto проигравший 负者 敗者 wholost derrotado forlorare taber taper"
        " verliezer haviaja przegrany porazeny vesztes kaybeden переможений"
    ),
    "winner_score": (
        "winnerscore winnersets wsets winnergoals winnerpoints winnerpts winningscore wscore scorewinner ptsw wpts"
    ),
    "loser_score": "loserscore losersets lsets losergoals loserpoints loserpts losingscore lscore scoreloser ptsl lpts",
    "draw": "draw drawn isdraw tie tied istie",
}
# Columns that hold the winner, or the result of both sides in one cell; the cells decide which of the two it is.
RESULT = (
    "winner winnerside winningside winningteam winnername winnerid sieger gewinner vainqueur gagnant ganador vincitore"
    " победитель zwyciezca vencedor ganhador winnaar vinnare vinder voittaja vitez gyoztes kazanan result outcome ftr"
    " res wl wdl vd vnd vdn zp sn winloss win score scores finalscore fulltimescore ft fulltime scoreline endresult"
    " sets satze saetze"
    " ergebnis endstand resultat resultado risultato placar uitslag wynik vysledek siffror body punteggio verdict"
    " preference preferred счет результат 比分 结果 スコア didyouwin didyouwinorlose iwon youwon winorlose winorloss"
    " wonorlost hastdugewonnen gewonnen siegoderniederlage astugagne avezvousgagne gagne hasganado ganaste ganado ganou"
    " ganhou vocevenceu venceu haivinto vinto hebjegewonnen czywygrales выиграл победа final endergebnis marcador"
    " marcadorfinal resultadofinal scorefinal risultatofinale eindstand итог maps"
)
# After a word for a side: radiant_win, team1_won.
WON = ("win", "won", "wins", "gewonnen", "gagne", "ganado", "ganaste", "ganou", "ganhou", "venceu", "vinto")
# For sides with a number or letter: score1, team1_goals.
# For sides with a number or letter: score1, team1_goals.
_SCORES = (
    "score goals points pts runs result wins strokes legs frames sets maps games imps touches punkte satze"
    " gewonnenesatze tore puntos goles buts total tot"
)
SCORES = tuple(_SCORES.split())
SCORES_ALONE = "final score goals g points pts runs r frames sets legs games maps tore punkte goles buts gol gols"
RANKS = ("rank", "place", "position", "placement")
# Pairs of sides without numbers; each cell is one name. In the last two pairs, a row is a match from one side's view.
PAIRS = (
    ("left leftmodel leftplayer leftname leftid", "right rightmodel rightplayer rightname rightid"),
    ("white whiteplayer whitename whiteusername whiteid weiss", "black blackplayer blackname blackusername blackid"),
    (
        "weiss weisse blancas blancs bianco bianchi brancas biale wit vit белые 白方",
        "schwarz schwarze negras noirs nero neri pretas czarne zwart svart черные 黑方",
    ),
    ("ns northsouth nspair pairns", "ew eastwest ewpair pairew"),
    ("red redplayer redteam redfighter redname rfighter", "blue blueplayer blueteam bluefighter bluename bfighter"),
    ("white whiteplayer weiss", "blue blueplayer blau"),
    ("radiant radiantteam radiantname radiantteamname", "dire direteam direname direteamname"),
    ("first firstplayer firstteam", "second secondplayer secondteam"),
    ("challenger challengername", "defender defendername challenged"),
    (
        "player playername playerid name user username yourname you myname me fighter boxer wrestler athlete spieler"
        " deinname ichbin votrenom tonnom tunombre seunome tuonome twojeimie jouwnaam jugador joueur игрок"
        " zawodnik speler giocatore jogador gracz spelare hrac oyuncu naam nom nombre nome",
        OPPONENT,
    ),
    ("team teamname teamid club", OPPONENT),
)
PARTNER = "partner yourpartner mypartner partnername teammate yourteammate mitspieler"
OPPONENT_PARTNER = "opponentspartner opponentpartner theirpartner opponent2"
OWN_SCORE = (
    "teamscore playerscore ownscore yourscore pointsfor goalsfor pf gf scored for scorefor myscore points pts goals"
    " score sets legs frames games satze tore punkte holz buts puntos goles punti reti pontos gols"
)
OPPONENT_SCORE = (
    "opponentscore oppscore opponentsscore theirscore opponentpoints opppoints opponentgoals oppgoals pointsagainst"
    " goalsagainst pa ga conceded allowed against scoreagainst opponentpts opppts"
    + "".join(f" {score}{who}" for score in OWN_SCORE.split() for who in OPPONENT.split())
)
VENUE = "venue homeaway ha location where site"  # whether the first side was at home
# Words in longer column names, such as home_team_goal_count: words for a side, for its name, and for its score.
SIDE_WORDS = {
    "home": (
        "home host hosts heim local domicile casa locales locaux gospodarz gospodarze gospodarzy thuis hemma hjemme"
        " mandante domaci хозяева хозяев"
    ),
    "away": (
        "away visitor visitors visiting guest guests gast visitante exterieur ospite trasferta visitantes visiteur"
        " visiteurs gosc goscie gosci uit borta ude hoste гости гостей"
    ),
    "winner": "winner winning",
    "loser": "loser losing",
}
NAME_WORDS = (
    "team name club player side squad id full long title user username code abbr short spieler mannschaft joueur equipe"
    " jugador equipo jogador giocatore squadra speler gracz zawodnik spelare lag players on the of"
)
SCORE_WORDS = (
    "score scores goals goal point points pts runs tore goles gols buts punkte puntos punti pontos punkty wynik bramki"
    " gole juegos jeux sets games reti gol poang doelpunten голы очки счет"
)
TOTALS = "final total ft fulltime gesamt endstand summe suma totale"
SCORE_FILLERS = f"{NAME_WORDS} final total full time ft count match game regular"
ORDINALS = (
    [f"{n}{'th' if 10 < n < 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}" for n in range(1, 31)],
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"],
    ["winner", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"],
    ["winner", "runnerup", "third", "fourth"],
    ["champion", "runnerup", "third", "fourth"],
    *map(str.split, ("gold silver bronze", "gold silber bronze", "or argent bronze", "oro plata bronce")),
    *map(str.split, ("oro argento bronzo", "ouro prata bronze", "goud zilver brons", "guld silver brons")),
    *([f"{word}{n}" for n in range(1, 31)] for word in ("place", "position", "rank", "pos", "finisher")),
)
ROSTER_STEMS = "team pair side squad roster players lineup mannschaft equipe equipo команда"
# Words of headers above lists of players; in some languages, the word for one player is the same.
LINEUP_WORDS = (
    "players roster rosters lineup lineups squad members spieler spielerinnen aufstellung kader joueurs joueuses"
    " composition effectif jugadores jugadoras alineacion plantilla jogadores escalacao elenco giocatori formazione"
    " rosa spelers opstelling selectie spelare gracze zawodnicy sklad hraci игроки состав 队员 球员 阵容 選手 メンバー"
)
TEAM_WORDS = "team teams mannschaft verein equipe equipo squadra club klub druzyna lag команда 队 球队 チーム"
NAME_STEMS = (
    "player model competitor opponent contestant fighter participant entrant user agent bot name spieler joueur jugador"
    " bowler giocatore jogador speler gracz zawodnik spelare spiller pelaaja hrac oyuncu pareja dupla coppia игрок p"
)
