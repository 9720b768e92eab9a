"""Words and signs in cells: yes and no, units, missing places, results, unplayed matches, months, weekdays.

Most words are spelt as `names.plain_name` returns them: letters and digits only, in lower case, without accents.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TRUE = _words("true t yes y 1 1.0 x ✓ ✔ ☑ ✅ on ja j oui o si sí sì sim да 是")
FALSE = _words("false f no n 0 0.0 off nein non não нет 否 ✗ ✘ ☐ - –")
MISSING = _words(  # texts that mean an empty cell, in lower case
    "- -- --- – — ? . .. ... na n/a n.a. #n/a <na> nan null (null) none \\n missing unknown tbd tba"
) | {""}

# Error values and null markers that spreadsheets and databases write for a missing value.
NO_VALUES = _words("#REF! #N/A #VALUE! #NAME? #DIV/0! #NULL! #NUM! #SPILL! #CALC! \\N <NA> (null)")

# Separators between the names of a roster: first characters that never occur in names, then characters that may.
# Characters of the second kind count as separators only if at least half of the cells contain them.
ROSTER_SEPARATORS = ("\n", "\t", ";", "|", "+")
ALSO_IN_NAMES = ("&", "/", ",", " and ", " und ", " et ", " y ", " e ", " и ", " - ")

# Units after a number, such as "5 pts". Any other word also counts as a unit if at least half of the cells have it.
UNITS = _words(
    "$ € £ ¥ pt pts point points goal goals run runs set sets game games win wins lap laps kill kills frag frags vote"
    " votes punkt punkte tor tore but buts gol goles golos reti punto puntos punti pontos очко очка очков"
)

# Words instead of places. Players who did not start were absent; all others share the last place of the match.
DID_NOT_START = _words(
    "dns dnq dnpq dnp dnc scr scratched absent abs noshow np nt nonstarter notstarted didnotstart didnotqualify"
    " nichtangetreten didnotplay didntplay notplaying notpresent absent nichtdabei nichtgespielt fehlt abwesend"
    " absente pasjoue ausente nojugo naojogou assente nongiocato afwezig nietgespeeld nieobecny niegral franvarande"
    " неиграл отсутствовал"
)
UNPLACED = _words(
    "dnf wd wdn wdr w withdrawn withdrew dsq dq dqd disq disqualified nc ncl nq ret retd rtd retired retirement r ex"
    " exc excl excluded ab abd abn aband abandoned abandon otl hd hdl lap lapped out elim eliminated f fail failed"
    " fell crash crashed acc accident ocs ufd bfd raf dne dgm tle unc mdq udq rdsq lif pu ur bd su ro co ref unp"
    " unplaced unclassified notclassified unranked nr didnotfinish didnotplace nm nh ausg ausgeschieden aufg"
    " aufgegeben disk disqu nonclasse elimine retirado desc descalificado rit ritirato squal squalificato cut mc mdf"
    " missedcut"
)
# Words for places. A tournament round stands for the mean place of the players who lost in that round.
PLACES = {
    "gold": 1, "silver": 2, "bronze": 3, "first": 1, "second": 2, "third": 3, "winner": 1, "champion": 1,
    "champions": 1, "runnerup": 2, "finalist": 2,
}  # fmt: skip
ROUNDS = {"w": 1.0, "f": 2.0, "sf": 3.5, "qf": 6.5, "r16": 12.5, "r32": 24.5, "r64": 48.5, "r128": 96.5}

# Results of both teams in one cell, and words that may accompany them.
UNPLAYED = _words(
    "v vs versus pp ppd pst postp postponed cancelled canceled canc abandoned aban abd tbd tba void bye scheduled sched"
    " suspended susp noresult nocontest nc nr rainedout rain unplayed notplayed np unfinished inprogress live verlegt"
    " verschoben abgesagt abgebrochen annule annulee reporte aplazado cancelado suspendido rinviata adiado aa"
    " aplazada suspendida cancelada adiada rinviato rinv sospesa sosp przełozony przełozone odłozony odwołany"
    " uitgesteld afgelast installd uppskjuten utsatt udsat odlozeno halasztva ertelendi перенос перенесен 延期 推迟"
)
UNPLAYED_SIGNS = _words("* - -- --- -:- _:_ _-_ : x:x x-x ?:? ?-? ? 0f-0f 0f:0f")
WALKOVERS = _words(
    "wo walkover wover ff fft forfeit forfeited awarded awd award default defaulted kampflos wertung forfait tavolino"
    " tav incomparecencia walkower noshow kontumace неявка технпор тп 不戦勝"
)
FIRST_BY_WALKOVER = _words("+:- +/- +- +-- 1-0f 1f-0f 1f-0 1:0f 1f:0f 1f:0 h-w h/w")
SECOND_BY_WALKOVER = _words("-:+ -/+ -+ --+ 0f-1 0f-1f 0-1f 0f:1 0f:1f 0:1f a-w a/w")
# Words beside those for walkovers: the sides, "for" (the side that won), and words without a meaning of their own.
HOSTS = _words("heim heimteam home host hosts local locales domicile casa gospodarz gospodarzy thuis хозяев домашних")
GUESTS = _words("gast gaste away visitor visitors visitante visitantes exterieur ospite ospiti gosci uit гостей")
FOR = _words("fur for to pour para per dla favor voor till в")
_BESIDE = _words(
    "a al de del di en la las le les el los the por par pola victoria victoire vittoria vitoria sieg пользу"
)
AROUND_WALKOVERS = WALKOVERS | HOSTS | GUESTS | FOR | _BESIDE
SHOOTOUTS = _words(
    "p pen pens pk pks pso penalties penalty shootout so gws np ne ie elfm elfmeterschiessen tab dcr rig rigori ap gp"
    " penaltis penales tirs strafschoppen wns karne karnych kk sn str straffar пен пенальти бул буллиты б 点球"
)
AROUND_SCORES = SHOOTOUTS | _words(
    "aet et ot au but buts dp dprol от дв 1ot 2ot 3ot 4ot nv nve after extra time overtime ft full fulltime ht half"
    " halftime on agg aggregate won win wins by dls final sets tb prol dts n v i e a"
)
RETIRED = _words("ret retd retired rtd retires def dq disqualified ab abandon aufg aufgabe rit ritirato krecz kreczem")
MONTHS = (
    "jan feb mar apr may jun jul aug sep oct nov dec mrz mär mai okt dez févr fév avr juin juil août déc ene abr ago"
    " dic gen mag giu lug set ott fev out"
)
DRAWS = _words(
    "draw drawn d tie tied t both bothbad tiebothbad x = 0.5 ½ 1/2 1/2-1/2 ½-½ equal even none neither nobody"
    " matchtied matchdrawn unentschieden remis nul empate pareggio ничья jigo"
)
BYES = _words("bye bye. -bye- (bye) freilos spielfrei exempt libre riposa descansa пропуск")

# Names that stand for nobody, or for anybody, in lower case and with "_" for a blank.
PLACEHOLDERS = _words(
    "tbd tba tbc n/a n.a. n.n. n._n. n/n [deleted] anonymous anonym anonyme anonimo anônimo anónimo anonymus"
    " anon аноним 匿名 unknown unbekannt inconnu desconocido desconhecido sconosciuto onbekend nieznany"
    " неизвестный неизвестно 不明 未定 deleted deleted_user to_be_decided to_be_determined to_be_announced"
    " to_be_confirmed noch_offen à_déterminer por_definir a_definir da_definire"
    " walkover walk-over w/o w.o. kampflos forfait forfeit incomparecencia no_show no-show no_opponent nobody niemand"
)
# These are also names; they stand for nobody if they are in most matches.
ALSO_PLACEHOLDERS = _words(
    "guest gast invité invitado ospite convidado gość гость visitor opponent gegner adversaire rival stranger"
    " noname xx xxx nn someone jemand"
)
# Frequent given names: they come after the comma in "Smith, John", and on both sides of it in "Ann, Bob".
GIVEN_NAMES = _words(
    "adam alex alexander alice amelie ana andrea andreas andrew andrey anna anne ann antonio ben bob carla carlos"
    " carmen chris christian claire clara dan daniel david diego elena eli emil emily emma eric erik eva ewa felix"
    " finn francesco frank george giulia hanna hannah hans harry hugo ian ivan jack jakob james jan jana jean jim"
    " joao joe johan john jonas jose juan julia julie kate karl kim lars laura lea lena leo lisa luc luca lucas"
    " lucia luis lukas mara marc marco maria marie mark marta martin mary max mia michael michal miguel mike"
    " moritz nick nico nina noah olga oliver olivia oscar pablo paul pavel pedro peter petra pia piotr rosa ruth"
    " sam sara sarah simon sofia sophie stefan susan thomas tim tina tom tomas victor zoe анна иван мария ольга"
    " петр елена сергей дмитрий"
)

# Results as the first team sees them: a win, a draw, a loss. If several languages fit equally well, the first is used.
LANGUAGES = {
    "W/D/L": (
        "w win wins won victory winner",
        "d draw drawn draws drew dr t tie tied ties x remis both bothbad tiebothbad equal even",
        "l loss lose loses lost losses defeat loser",
    ),
    "H/D/A": ("h home hometeam homewin", "d draw drawn x tie tied", "a away awayteam awaywin visitor guest"),
    "1/½/0": ("1", "0.5", "0"),
    "1/X/2": ("1", "x 0 d draw tie", "2"),
    "1/0/-1": ("1", "0", "-1"),
    "3/1/0": ("3", "1", "0"),
    "+/=/-": ("+", "=", "-"),
    "V/N/D": ("v victoire", "n nul", "d defaite"),
    "V/E/D": ("v vitoria", "e empate", "d derrota"),
    "G/E/P": ("g ganado ganada victoria gano", "e empate empatado", "p perdido perdida derrota perdio"),
    "V/N/P": ("v vittoria vinta", "n x pareggio", "p sconfitta persa"),
    "S/U/N": ("s sieg gewonnen", "u unentschieden remis", "n niederlage verloren"),
    "V/X/S": ("v vittoria vinta", "x pareggio", "s sconfitta persa"),
    "Z/R/P": ("z zwyciestwo wygrana", "r remis", "p porazka przegrana"),
    "В/Н/П": ("в победа", "н ничья", "п поражение"),
}
YES_NO = dict.fromkeys(["true", "t", "yes", "ja", "oui", "si", "sim", "да"], 1) | dict.fromkeys(
    ["false", "f", "no", "nein", "non", "nao", "нет"], -1
)
OVERTIME = {"otw": "w", "sow": "w", "wot": "w", "wso": "w", "otl": "l", "sol": "l", "lot": "l", "lso": "l"}
BY_WALKOVER = {
    "wf": 1, "wff": 1, "wforfeit": 1, "wwo": 1, "winbyforfeit": 1,
    "lf": -1, "lff": -1, "lforfeit": -1, "lwo": -1, "lossbyforfeit": -1,
}  # fmt: skip

# English, German, French, Spanish, Italian, Portuguese, Dutch, Russian; a line for each month.
_MONTH_NAMES = (
    "january jan januar jänner januari janvier janv enero ene gennaio gen janeiro январь января янв",
    "february feb februar februari februaer février fevrier févr fevr fév fev febrero febbraio fevereiro"
    " февраль февраля фев февр",
    "march mar märz maerz mrz mär maart mrt mars marzo março marco март марта мар",
    "april apr avril avr abril abr aprile апрель апреля апр",
    "may mai mei mayo maggio mag maio май мая",
    "june jun juni juin junio giugno giu junho июнь июня июн",
    "july jul juli juillet juil julio luglio lug julho июль июля июл",
    "august aug augustus août aout aoû aou agosto ago август августа авг",
    "september sep sept septembre septiembre setiembre settembre sett set setembro сентябрь сентября сен сент",
    "october oct oktober okt octobre octubre ottobre ott outubro out октябрь октября окт",
    "november nov novembre noviembre novembro ноябрь ноября ноя нояб",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro декабрь декабря дек",
)
MONTH_NUMBERS = {name: month for month, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
# Polars can read only these names of months.
ENGLISH_MONTHS = frozenset(name for names in _MONTH_NAMES for name in names.split()[:2]) - {"mai"}
_DAYS = (
    "mon monday tue tues tuesday wed weds wednesday thu thur thurs thursday fri friday sat saturday sun sunday",
    "mo montag di dienstag mi mittwoch do donnerstag fr freitag sa samstag sonnabend so sonntag",
    "lun lundi mardi mer mercredi jeu jeudi ven vendredi sam samedi dim dimanche",
    "lunes mar martes mié mie miércoles miercoles jue jueves vie viernes sáb sab sábado sabado dom domingo",
    "lunedì lunedi martedì martedi mercoledì mercoledi gio giovedì giovedi venerdì venerdi sabato domenica",
    "seg segunda segunda-feira ter terça terça-feira qua quarta quarta-feira qui quinta quinta-feira sex sexta",
    "sexta-feira",
    "ma maandag dinsdag wo woe woensdag donderdag vr vrij vrijdag za zat zaterdag zo zon zondag",
    "пн понедельник вт вторник ср среда чт четверг пт пятница сб суббота вс воскресенье",
)
WEEKDAYS = frozenset(day for days in _DAYS for day in days.split())
