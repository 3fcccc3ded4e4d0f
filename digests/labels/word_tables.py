"""Words that no label is made of, and words that only help another. Data, in lower case.

Collected from headlines and from the templates of news sites in the languages below; a word that is missing makes a
duller label, no more.
"""

from feeds.dedup.name_tables import COUNTRIES, DAYS_AND_MONTHS, KNOWN_ORGANIZATIONS


def words_in(text: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(text.split())


REPORTING = words_in(
    """say says saying said tell tells telling told according report reports reported reporting reportedly announce
    announces announced announcing announcement claim claims claimed add adds added explain explains explained write
    writes wrote mention mentions mentioned noted comment comments commented stated reuters
    sagt sagte sagen gesagt erklärt erklärte erklären teilt teilte mitteilte mitgeteilt berichtet berichtete berichten
    bericht berichte berichts angaben zufolge meldet meldete melden heißt hieß betont betonte
    dit dire disent déclare déclaré annonce annonces annoncé annoncer affirme affirmé indique indiqué explique
    expliqué précise précisé rapporte rapporté ajoute ajouté assure assuré
    dice dicen dijo decir declara declaró anuncia anunció anunciar anunciado afirma afirmó asegura aseguró explica
    explicó informa informó según señala señaló indica indicó añade añadió
    disse diz dizem afirmou anunciou segundo informou explicou ha detto dichiara dichiarato annuncia annunciato
    zegt zei meldt volgens
    сказал сказала сказали говорит говорят сообщил сообщила сообщили сообщает сообщается сообщают заявил заявила
    заявили заявляет рассказал рассказала рассказали рассказало отметил отметила объявил объявила объявили пишет
    написал пояснил уточнил добавил подчеркнул передает передаёт сообщение сообщению словам словами"""
)

OF_PAGES = words_in(
    """read reading more video videos photo photos picture pictures pics image images gallery slideshow live liveblog
    update updates updated updating newsletter newsletters subscribe subscriber subscribers subscription podcast
    podcasts click here login cookies advertisement sponsored breaking exclusive listen news headline headlines article
    articles blog posted http https www com html via tweet tweets opinion editorial factbox preview recap roundup
    highlights quot amp nbsp
    weiterlesen mehr bild bilder foto fotos newsticker liveticker ticker eilmeldung artikel anzeige abonnieren jetzt
    nachrichten aktuell
    lire suite vidéo vidéos photos abonnés abonnez direct article actualité actualités infos
    leer más vídeo vídeos foto fotos directo vivo noticias noticia suscríbete artículo última hora
    leggi foto diretta notizie ler mais leia notícias
    читать далее читайте видео фото фотографии подробнее новости новость онлайн прямой эфир подписаться подпишитесь
    материал источник"""
)

# Of time, quantity, rank and the like; the commonest verbs of headlines. They help a phrase, alone they say nothing.
WEAK = DAYS_AND_MONTHS | words_in(
    """first second third last next latest top best big bigger biggest great good better bad high higher low lower long
    short small large major early late old young full whole main huge key recent former extra several
    national north south east west northern southern eastern western
    day days week weeks weekend month months year years decade decades century centuries time times today tonight
    hour hours minute minutes number numbers lot lots people person man men woman women guy thing things way
    ways part kind case place point end start start-up one two three four five six seven eight nine ten dozen dozens
    hundred hundreds thousand thousands million millions billion billions trillion percent per cent pct quarter
    come comes coming look looks looking show shows showing face faces facing help helps hit hits want wants plan plans
    work works call calls calling see sees seeing find finds give gives gave get gets got take takes taking took put
    puts bring brings turn turns try tries begin begins begun stop stops remain remains stay stays move moves run runs
    think thinks believe know known mean means happen happens hold holds held keep keeps let lets need needs use uses
    become becomes seem seems go goes went
    story stories post posts episode watch follow share note notes sign signs source sources detail details reason
    reasons fact facts question questions issue issues matter everything everyone someone something nothing anything
    euro euros dollar dollars pound pounds yen рублей доллар долларов евро
    available different various likely possible
    tag tage tagen woche wochen monat monate jahr jahre jahren jahres uhr heute gestern morgen mensch menschen mann
    frau zeit ende neu neue neuer neues neuen erste ersten erster zweite zwei drei vier fünf prozent million
    millionen milliarde milliarden groß große großen soll sollen will wollen kommt gibt geht macht steht
    jour jours semaine semaines mois an ans année années heure heures homme hommes femme femmes fois deux trois
    quatre cinq premier première dernier dernière nouveau nouvelle nouveaux nouvelles grand grande millions milliards
    veut face doit peut pourrait
    día días semana semanas mes meses año años hora horas hombre mujer personas vez veces dos tres cuatro cinco primer
    primera primero nuevo nueva nuevos nuevas gran grande mayor millones
    день дня дней дни неделя неделе недели месяц месяца месяцев год года году лет час часа часов человек человека
    людей люди раз первый первая первое новый новая новое новые нового новой два три четыре пять тысяч тысячи миллион
    миллиона миллионов миллиард миллиарда миллиардов стал стала стали будет будут может могут оказался
    время времени"""
)

# Neither begin nor end a phrase, and are no term: they tie what they stand between.
LOOSE = words_in(
    """despite amid ahead due near soon just even also via versus vs back away together instead unless ever never too
    yet still already else otherwise anyway whether while
    wegen trotz sowie gegen seit nach laut bereits weiter immer wieder
    inside outside onto upon within beyond throughout
    warum wieso weshalb wann woher wohin womit
    contre malgré avant après entre depuis sans toujours encore
    pourquoi combien cómo cuándo cuánto quién perché quando come waarom hoe
    contra durante entre desde hasta sin aunque todavía
    почему зачем сколько откуда куда
    против после перед между среди ради около почти снова вновь пока"""
)

# What may stand inside a phrase between two words that say something.
CONNECTORS = {
    "en": words_in("of"),
    "fr": words_in("de du des la"),
    "es": words_in("de del la los las"),
    "pt": words_in("de do da dos das"),
    "it": words_in("di del della dei delle"),
    "ca": words_in("de del la"),
    "nl": words_in("van de"),
    "ro": words_in("de"),
}

# Spellings in the table of countries that name the people, or what is of the country, not the country.
NATIONALITIES = words_in(
    """american americans américain british briton britons britannique emirati russian russians russe chinese chinois
    ukrainian ukrainians ukrainien german germans allemand french français japanese indian indians indien israeli
    israelis israélien iranian iranians iranien iraqi iraqis syrian syrians turkish turk turks egyptian egyptians saudi
    saudis palestinian palestinians palestinien lebanese afghan afghans pakistani pakistanis canadian canadians
    canadien mexican mexicans brazilian brazilians argentine argentinian argentinians venezuelan venezuelans australian
    australians spanish spaniard spaniards espagnol italian italians italien greek greeks dutch belgian belgians belge
    swiss austrian austrians swedish swede swedes norwegian norwegians danish dane danes finnish finn finns polish pole
    poles irish portuguese portugais hungarian hungarians belarusian belarusians kazakh nigerian nigerians kenyan
    kenyans ethiopian ethiopians sudanese somali somalis somalian yemeni yemenis libyan libyans indonesian indonesians
    filipino filipinos philippine vietnamese thai thais singaporean singaporeans malaysian malaysians taiwanese
    armenian armenians uzbek romanian romanians bulgarian bulgarians serbian serbs croatian croatians czech czechs
    latvian latvians lithuanian lithuanians estonian estonians cuban cubans colombian colombians chilean chileans
    peruvian peruvians bangladeshi bangladeshis burmese european europeans scottish scot scots"""
) | {"south korean", "south koreans", "north korean", "north koreans", "new zealander", "new zealanders"}
NATIONALITIES |= {"south african", "south africans", "south sudanese", "hong konger", "hong kongers"}


POSSESSIVE_NAMES = words_in(
    """mcdonald macy wendy lloyd moody sainsbury levi kohl lowe sotheby christie domino denny arby kellogg morrison
    dillard dick carl bj chili applebee hardee papa reese schwab zaxby culver boscov"""
)


def _by_canonical() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for spelling, known in (COUNTRIES | KNOWN_ORGANIZATIONS).items():
        found.setdefault(known, set()).add(spelling)
    return {known: frozenset(spellings) for known, spellings in found.items()}


SPELLINGS = _by_canonical()  # of countries and organizations, by the canonical one
COUNTRY_NAMES = frozenset(COUNTRIES.values())
