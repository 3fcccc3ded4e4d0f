"""Words by which the end of a sentence is told from a dot within one, by language. Data.

Only what the library that splits sentences does not know, or knows otherwise; all in lower case without the last dot.
"""


def _words(row: str) -> frozenset[str]:
    return frozenset(row.split())


def _by_language(table: dict[str, str]) -> dict[str, frozenset[str]]:
    return {language: _words(row) for language, row in table.items()}


# Stand before a name or a number, so that a sentence never ends with them. The key "" is for languages without a row.
NEVER_LAST = _by_language(
    {
        "": "mr mrs ms dr prof st approx",
        "en": "mr mrs ms mx dr prof gov sen rep gen lt col maj capt cmdr sgt rev hon mt messrs approx vs supt insp",
        "de": "dr prof hr fr ing dipl st nr ca bzw vgl sog ggf inkl evtl bspw mind max abs zzgl z.b d.h u.a i.d.r s.o",
        "fr": "m mm mme mlle dr pr me mgr st ste av env",
        "es": "sr sra sres srta dr dra d dña ud uds av avda núm pág gral ing lic prof dto",
        "ru": "ул им проф акад см т.е т.к пр-т просп пер наб обл гр",
    }
)

# So only before a figure: "No. 5", "рис. 3".
BEFORE_FIGURES = _by_language(
    {
        "": "no nos p pp art fig vol",
        "en": "no nos p pp art arts fig figs vol vols sec ch para eq eqs approx pop est",
        "de": "nr s art abb bd kap ziff abs str",
        "fr": "n no p pp art fig vol chap",
        "es": "n no núm p pp pág págs art fig vol cap",
        "ru": "рис стр ст гл п пп табл № д кв корп стр",
    }
)

# End a sentence when the next word has a capital. What has two dots is written without the space.
MAY_BE_LAST = _by_language(
    {
        "": "etc",
        "en": "etc",
        "de": "usw etc usf",
        "fr": "etc",
        "es": "etc",
        "ru": "т.д т.п др пр руб тыс млн млрд",
    }
)

# With a capital they begin a sentence, even after an abbreviation or an initial.
FIRST_WORDS = _by_language(
    {
        "en": """
The He She It They We You But And In On At For After Before When While If As This That These Those There His Her Its
Their Our Then Since However Meanwhile Now Still Yet So Not No One Some Many Most Several Other Others Both All
Another What Who Why How Where Earlier Later Nobody Nothing
""",
        "de": """
Der Die Das Den Dem Ein Eine Einen Er Sie Es Wir Ich Und Aber Doch Im In An Auf Bei Nach Vor Mit Für Seit Wenn Als Wie
Was Wer Auch Dann Danach Dabei Damit Dort Hier Heute Alle Niemand Nun So Nur Diese Dieser Dieses Sein Ihr Ihre Laut
""",
        "fr": """
Le La Les Un Une Il Elle Ils Elles On Ce Cette Ces Mais Et En Dans Sur Pour Par Avec Après Depuis Selon Au Aux Son Sa
Ses Puis Tout Tous Nous Je Vous
""",
        "es": """
El La Los Las Un Una En Y Pero Por Para Con Según Su Sus Luego Después También Este Esta Cuando Si No Se Tras Desde Al
Ella Él Ellos Más Todo Todos Hay
""",
        "ru": """
В Во На С Со И А Но Он Она Они Оно Это По После Потом К Для При За До Из У Его Её Их Также Кроме Однако Как Что Если
Когда Все Всё Мы Я Не Так Там Тогда Затем Теперь Ранее Сейчас Сегодня Позже
""",
    }
)
PARTS_OF_NAMES = _words("Le La Les El Los Las Al De Du Des Der Den Dem Van Von Di Da San")

# What a single letter names, so that it is no initial: "vitamin C".
LETTERED = _words(
    """vitamin vitamins plan hepatitis grade type option class group groups team gate phase series terminal vitamine
    vitamina vitaminas gruppe grupo groupe influenza"""
)

# After "p.m.": it goes on with a day, a zone, a month.
AFTER_HOURS = (
    "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun|ET|EST|EDT|CT|CST|CDT|MT|"
    "MST|MDT|PT|PST|PDT|GMT|UTC|BST|CET|CEST|IST|AEST|AEDT|JST|Eastern|Central|Mountain|Pacific|Greenwich|"
    "January|February|March|April|May|June|July|August|September|October|November|December|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)

# Stand before the number in "der 1. FC", "im 19. Jahrhundert".
BEFORE_ORDINALS = (
    "der|die|das|den|dem|des|am|im|vom|zum|zur|beim|seit|bis|jeder|jede|jedes|jeden|ein|eine|einen|einem|ihr|ihre|ihrem|"
    "ihren|sein|seine|seinem|seinen|und|auf|platz|rang"
)
