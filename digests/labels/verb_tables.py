"""Verbs that headlines are made with. Data, in lower case; labels are made of nouns (`word_kinds`)."""

from digests.labels.word_tables import words_in

# Verbs that headlines are made with, in the base form; those that are nouns as well are not among them.
_VERBS = words_in(
    """accept accuse acquire add admit agree aim allow announce appear appoint approve argue arrive ask assure avoid
    become beg begin believe bet blame boost borrow brace break bring build burn buy call cancel catch celebrate
    cheer choose claim close collapse collect compete condemn confirm consider continue convince create criticize
    dazzle decide declare deepen defeat defend delay deliver demand deny depart describe destroy dip discover
    discuss ditch double drag draw drop earn eat edge emerge enable engage enter erupt escape examine exceed
    expand expect explain explode explore expose express extend face fade fail fall fight file fill find finish
    fix flee follow forget fuel gain get give go grill grow halt happen haunt head hear hide hint hire hit hold
    honor hope host ignore impose improve include incur indicate inherit insist inspire introduce invite involve
    join jump keep kill know land last launch lead learn leave let lie like loom lose love lure make mark marry
    meet miss mourn move mull name near need offer oppose order oust overtake pass pay pick play plead pledge
    plunge predict prefer prepare present prevent prove provide publish pull push put quit raise reach react read
    receive recommend recover refuse reject relate remain remember remind remove rename reopen repeat replace
    reply request require resign resist respond restore resume retain retire return reunite reveal ride rise risk
    roll rule run save say scrap secure see seek seem sell send serve set shake shape shine shoot shut sink sit
    slam slash slip slow snap sneak snub soar sound spark speak spend split spread squeeze stand start stay steal
    step stick stop struggle submit succeed sue suffer suggest surface surpass surprise survive suspend swap take
    talk tease tell tend think threaten throw tighten top toss tout transform travel trigger trim triple try
    tumble turn understand unite unveil urge use vanish veto visit vow wait walk want warn weaken wear weigh
    welcome widen win wonder woo worry write yield"""
)
_NOUN_VERBS = words_in(
    """aim arrest ask bet blame boost break build buy claim close collapse delay demand dip double draw escape fall
    fight file fix gain grow halt hire hit honor hope host kill land last launch lead lie like love move name need
    offer order pay pick play pledge plunge present push request return ride rise risk rule run say secret sell
    set shape shine slash snap sound split squeeze stand start step stick struggle surface surprise suspend talk
    tend top trigger try turn use visit vow wait walk warm welcome win"""
)
# Which of them take an object in headlines more often than not, before which they make no name of it.
TAKING_OBJECTS = words_in(
    """force help face shape hold host boost offer leave pay save join fight hit keep make read run set use win lose ask
    blame claim close demand escape fix gain give hire lead need order pledge plan push raise request risk seek
    spark stop support threaten trigger try visit want eye mark mull lift meet back"""
)
_IRREGULAR_PASTS = words_in(
    """became began bought brought built caught chose fell fought found gave went gone got grew heard hid held kept
    knew known led left lost made met paid put quit ran rode rose said saw seen sold sent set shook shot shut sat
    slid spoke spent stood stole stolen stuck took taken told thought threw thrown understood wore won wrote
    written broke broken drew drawn ate eaten fled forgotten forgot hit let lay meant read rewritten risen shown
    showed sued tried died dies die dead marries married worries ends seeing taking getting making giving going
    coming facing looking finding keeping leaving putting turning trying wanting calling breaks tops bets falls
    rises jumps hits turns moves lands looks leads draws pushes pays fights needs runs wins names saves shows
    stands stays tries uses wants claims asks gains bet bets"""
)

# The commonest verbs of headlines in other languages, but for those that nouns are written like.
VERBS_BY_LANGUAGE = {
    "fr": words_in(
        """agit appelle appellent arrive baissent bat change cherche continue coûte demande dénonce devient donne dure
        dévoile entre explose exige fait font ferme gagne interdit juge lance lancent lève maintient menace meurt
        montre obtient ouvre parle passe perd permet peut place porte prend présente prépare promet promettent
        propose quitte reçoit refuse refusent rejette remporte reprend rend répond reste retire retrouve réussir
        révèle revient signe sort soutient succède tue touche trouve va veut veulent vend vient vise vote être
        avoir faire dire mettre réagit"""
    ),
    "es": words_in(
        """abre acepta acusa advierte alcanza aprueba avanza baja bajan cae caen cambia cierra confirma critica deja
        dejan denuncia detiene elimina empieza enfrenta entra evita exige firma gana ganó hace hay impulsa incluye
        inicia investiga lanza lidera llega llegan llama logra muere mueren muestra niega obliga ofrece pide piden
        pierde prepara presenta prohíbe promete propone quiere reabre recibe rechaza recorta reclama reduce
        regresa renuncia resulta revela sale sigue son sube suben suma supera tiene toma trabaja vence viaja
        vuelve"""
    ),
    "it": words_in(
        """apre arriva attacca batte cade cerca chiede chiude chiama dice diventa esce fa ferma fermi firma lancia
        lascia muore muoiono nega ottiene parla passa perde porta prende presenta promette propone resta rifiuta
        rischia sale scende scopre segna si svela torna trova uccide va vince vola vuole"""
    ),
    "pt": words_in(
        """abre aceita acusa adverte aprova cai caem chega confirma critica deixa diz encontra faz ganha inicia lança
        mata morre morrem mostra nega obtém pede perde promete propõe quer recebe recusa revela sai segue sobe tem
        vence volta"""
    ),
    "ru": words_in(
        """берет входит выходит говорит горит горят грозит даст дают едет ждет ждёт идет идёт исчез погиб погибли
        приходит просит растет растёт ставит стоит умер уходит хочет"""
    ),
    "nl": words_in(
        """begint blijft brengt daalt doet eist gaat geeft haalt houdt kiest komt krijgt laat ligt loopt maakt moet
        neemt opent raakt raast sluit staat start stelt stijgt stopt treft valt verlaat verliest vindt vraagt wil
        wint wordt"""
    ),
}


def _forms_of_verbs() -> frozenset[str]:
    """Pasts; and of those that are no nouns the base forms and the third persons."""
    found = set(_IRREGULAR_PASTS)
    for verb in _VERBS:
        stem = verb[:-1] + "i" if verb.endswith("y") and verb[-2] not in "aeiou" else verb
        found.add(f"{stem}d" if stem.endswith("e") else f"{stem}ed")
        if verb not in _NOUN_VERBS:
            found |= {verb, f"{stem}es" if stem.endswith(("i", "s", "sh", "ch", "x", "z")) else f"{stem}s"}
    return frozenset(found)


VERBS = _forms_of_verbs()
NOUNS_AND_VERBS = _NOUN_VERBS | {
    f"{verb}es" if verb.endswith(("s", "sh", "ch", "x")) else f"{verb}s" for verb in _NOUN_VERBS
}
