"""The words and signs of cells: truth, units, results; words stand as letters and digits alone, in lower case."""

TRUE = "true t yes y 1 1.0 x ✓ ✔ ☑ ✅ on ja j oui o si sí sì sim да 是"
FALSE = "false f no n 0 0.0 off nein non não нет 否 ✗ ✘ ☐ - –"

# After a number, what it counts: "5 pts". Another word is a unit too where at least half of the cells have it.
UNITS = (
    "$ € £ ¥ pt pts point points goal goals run runs set sets game games win wins lap laps kill kills frag frags vote"
    " votes punkt punkte tor tore but buts gol goles golos reti punto puntos punti pontos очко очка очков"
)

# Places that are words; rounds of a tournament stand for the mean of the places of those who went out in them.
PLACES = {
    "gold": 1, "silver": 2, "bronze": 3, "first": 1, "second": 2, "third": 3, "winner": 1, "champion": 1,
    "champions": 1, "runnerup": 2, "finalist": 2,
}  # fmt: skip
ROUNDS = {"w": 1.0, "f": 2.0, "sf": 3.5, "qf": 6.5, "r16": 12.5, "r32": 24.5, "r64": 48.5, "r128": 96.5}

# Results of both teams in one cell.
UNPLAYED = (
    "v vs versus pp ppd pst postp postponed cancelled canceled canc abandoned aban abd tbd tba void bye scheduled sched"
    " suspended susp noresult nr rainedout rain unplayed notplayed unfinished inprogress live verlegt abgesagt"
    " abgebrochen annulé annulée reporté aplazado cancelado suspendido rinviata adiado"
)
UNPLAYED_SIGNS = "* - -- --- -:- _:_ _-_ : x:x x-x ?:? ?-? ? 0f-0f 0f:0f"
WALKOVERS = (
    "wo walkover wover ff fft forfeit forfeited awarded awd award default defaulted kampflos forfait tavolino"
    " incomparecencia"
)
FIRST_BY_WALKOVER = "+:- +/- +- +-- 1-0f 1f-0f 1f-0 1:0f 1f:0f 1f:0"
SECOND_BY_WALKOVER = "-:+ -/+ -+ --+ 0f-1 0f-1f 0-1f 0f:1 0f:1f 0:1f"
AROUND_SCORES = (
    "aet et ot 1ot 2ot 3ot 4ot so nv nve ap after extra time overtime ft full fulltime ht half halftime p pen pens pk"
    " pks pso penalties penalty shootout on ie elfm elfmeterschießen np agg aggregate won win wins by dls final sets tb"
    " prol tab dts dcr rig n v i e a"
)
SHOOTOUTS = "p pen pens pk pks pso penalties penalty shootout so np ie elfm elfmeterschießen tab dcr rig ap"
RETIRED = "ret retd retired rtd retires def dq disqualified"
MONTHS = (
    "jan feb mar apr may jun jul aug sep oct nov dec mrz mär mai okt dez févr fév avr juin juil août déc ene abr ago"
    " dic gen mag giu lug set ott fev out"
)

# Results from the view of the first team: a win, a draw, a loss. The first language that fits best is taken.
LANGUAGES = {
    "W/D/L": (
        "w win wins won victory winner",
        "d draw drawn draws drew dr t tie tied ties x remis both bothbad tiebothbad",
        "l loss lose loses lost losses defeat loser",
    ),
    "H/D/A": ("h home hometeam homewin", "d draw drawn x tie tied", "a away awayteam awaywin visitor guest"),
    "1/½/0": ("1", "0.5", "0"),
    "1/X/2": ("1", "x 0 d draw tie", "2"),
    "1/0/-1": ("1", "0", "-1"),
    "3/1/0": ("3", "1", "0"),
    "+/=/-": ("+", "=", "-"),
    "V/N/D": ("v victoire", "n nul", "d défaite defaite"),
    "V/E/D": ("v vitória vitoria", "e empate", "d derrota"),
    "G/E/P": ("g ganado ganada victoria ganó", "e empate empatado", "p perdido perdida derrota perdió"),
    "V/N/P": ("v vittoria vinta", "n x pareggio", "p sconfitta persa"),
    "S/U/N": ("s sieg gewonnen", "u unentschieden remis", "n niederlage verloren"),
    "В/Н/П": ("в победа", "н ничья", "п поражение"),
}
OVERTIME = {"otw": "w", "sow": "w", "wot": "w", "wso": "w", "otl": "l", "sol": "l", "lot": "l", "lso": "l"}
BY_WALKOVER = {
    "wf": 1, "wff": 1, "wforfeit": 1, "wwo": 1, "winbyforfeit": 1,
    "lf": -1, "lff": -1, "lforfeit": -1, "lwo": -1, "lossbyforfeit": -1,
}  # fmt: skip
