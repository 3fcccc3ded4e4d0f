"""How sentences begin that lean on the one before, by language. Data.

A row is a pattern, matched without regard to case where a sentence begins, after opening quotation marks. What only
looks like it ("This week", "It is clear that", "Il y a", "これまで") is left out by the pattern itself.
"""

_TIMES = "week|month|year|morning|afternoon|evening|weekend|summer|autumn|fall|spring|winter|season|time|century|decade"
_WEEK_AND_DAYS_FR = "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|matin|soir|week-end|mois|printemps"
_DAYS_ES = "lunes|martes|miércoles|jueves|viernes|sábado|domingo|semana|año|mes|mañana|tarde|noche|vez|verano|invierno"

LEANING: dict[str, str] = {
    "en": rf"""
(?:he|she|they|him|them|his|their|its|hers|theirs)(?:['’](?:s|d|ll|re|ve))?\b(?! who)
her\b
it(?:['’](?:s|d|ll))?\b(?! (?:is|was|has been|remains|will be|would be) (?:still |now |not |also |too |very |more |
    un)?(?:clear|known|likely|possible|impossible|important|hard|difficult|easy|early|late|time|worth|true|common|
    rare|usual|certain|necessary|essential|hoped|thought|believed|feared) )(?! (?:took|takes|rained|snowed|seems|
    appears|turns out|turned out|remains to) )(?!(?:['’]s| is| was) (?:\w+ )?\w+ that )
this\b(?! (?:{_TIMES})\b)
(?:these|those)\b(?! (?:days|who)\b)
that\b
(?:such|both|neither|others|another|the others?|the former|the latter|the two|the three|the pair|the duo|the trio|
    the couple|the same|one of them|all of them|some of them|most of them|each)\b
the (?:man|woman|boy|girl|suspect|victim|deal|move|decision|ruling|announcement|statement|incident|
    \d+-year-old)\b(?! (?:who|whose|that|of|in|to|by|with|between|on|at|for|from)\b)
the (?:company|firm|group|agency|bank|carmaker|automaker|airline|retailer|manufacturer|ministry|university|
    organi[sz]ation|start-?up|publisher|charity|union)\b(?! (?:that|which|who|whose|of|behind|in|for)\b)
(?:but|and|or|nor|yet|so(?! far)|however|nevertheless|nonetheless|meanwhile|moreover|furthermore|besides|also|
    therefore|thus|hence|instead|otherwise|consequently|accordingly|similarly|likewise|conversely|additionally|
    afterwards?|elsewhere|which|whereas|rather)\b
(?:still|then|later|earlier|first|second|third|firstly|secondly|thirdly|finally|lastly|next|again|indeed|well|plus|
    too|anyway|either way|even so|that said|what['’]s more|of course|not only that|if so|perhaps|sure|yes|no|true|
    now),
then\b(?!-)
later that\b
(?:in (?:addition|contrast|turn|fact|response|return|the meantime|this case|that case|other words|the same|doing so|
    both cases)|by (?:contrast|comparison|then)|on the (?:other hand|contrary)|for (?:example|instance|this reason|
    that reason|his part|her part|their part|its part)|as (?:a result|such|well)|at (?:the same time|that time|
    that point)|after (?:that|this|which)|since then|because of (?:this|that)|to (?:that|this) end|despite (?:this|
    that)|according to (?:him|her|them|it)|with (?:that|this)|under (?:this|that|these)|among them|of (?:these|
    those|them)|like (?:him|her|them)|among (?:these|those))\b
(?:asked|when asked|questioned) (?:about|if|whether|why|how|what|for)\b
(?:more|less) than that\b
""",
    "de": r"""
(?:er|ihm|ihn|ihnen|sein|seine|seinen|seinem|seiner|seines|ihr|ihre|ihren|ihrem|ihrer|ihres)\b
sie\b
(?:dies|diese|dieser|dieses|diesem|diesen|jene|jener|jenes|solche|solcher|solches)\b(?! (?:jahr|woche|monat|sommer|
    winter|herbst|frühling|tag|tage|wochen|saison))
das\b(?= (?:ist|war|sei|wäre|hat|hatte|wird|würde|bedeutet|teilte|sagte|geht|ging|gilt|zeigt|zeigte|berichtet|
    berichtete|sind|waren|soll|kann|könnte|macht|heißt|liegt|reicht|gibt)\b)
(?:dabei|damit|dazu|daher|deshalb|deswegen|darum|dadurch|danach|daraufhin|dann|dort|dafür|dagegen|davon|darauf|
    darin|darunter|darüber|daran|daneben|demnach|somit|folglich|also|so)\b
(?:doch|aber|und|oder|denn|auch|außerdem|zudem|allerdings|jedoch|trotzdem|dennoch|hingegen|stattdessen|zugleich|
    gleichzeitig|unterdessen|inzwischen|währenddessen|schließlich|ferner|weiter|weiterhin|anschließend|später|zuvor|
    ebenso|ebenfalls|beispielsweise|andererseits|einerseits|insgesamt)\b
(?:hinzu kommt|zum beispiel|im gegenzug|im gegensatz dazu|in der folge|nach seinen|nach ihren|nach eigenen)\b
(?:beide|beiden|letztere|letzterer|die beiden|der mann|die frau|der junge|das mädchen|d(?:er|ie|em) \d+-jährigen?)\b
(?:das unternehmen|der konzern|die firma|die behörde|der verein|der hersteller)\b
""",
    "fr": rf"""
il\b(?! (?:y a|n['’]y|y avait|faut|faudra|s['’]agit|pleut|reste|existe|suffit|convient|est (?:\w+ )?(?:possible|
    impossible|probable|clair|important|temps|nécessaire|difficile|question|vrai|prévu que)))
(?:elle|ils|elles|lui|eux|son|sa|ses|leur|leurs|celui|celle|ceux|celles|cela|ceci|ça|c['’](?:est|était)|
    ce (?:n['’]est|sont|qui|que|dernier)|cette dernière|ces derni)\b
ce\b(?! (?:{_WEEK_AND_DAYS_FR})\b)
(?:cet|cette|ces)\b(?! (?:année|semaine|nuit|fois|été|hiver|automne|après-midi|jours-ci)\b)
(?:mais|et|ou|or|donc|car|puis|ensuite|enfin|ainsi|aussi|alors|pourtant|cependant|toutefois|néanmoins|également|
    finalement|désormais|autrement)\b
(?:en revanche|par ailleurs|de plus|en outre|par conséquent|en effet|d['’]ailleurs|au contraire|de son côté|
    de leur côté|pour sa part|dans le même temps|au même moment|par exemple|selon lui|selon elle|selon eux|
    après cela|depuis lors|à ce|pour cela|malgré cela|dans ce|dans cette|parmi eux|parmi elles|y compris)\b
(?:l['’]homme|la femme|l['’]entreprise|le groupe|la société|le constructeur|les deux)\b(?! (?:qui|de|du|des)\b)
""",
    "es": rf"""
(?:él|ella|ellos|ellas|ello|esto|eso|aquello|su|sus|suyo|suya)\b
est(?:e|a|os|as)\b(?! (?:{_DAYS_ES})\b)
(?:es[eao]s?|aquel|aquella|aquellos|aquellas)\b
lo (?:anterior|mismo|cual)\b
(?:pero|y|e|o|u|ni|sino|además|también|tampoco|así|entonces|luego|asimismo|finalmente|mientras tanto|sin embargo|
    no obstante|ambos|ambas|igualmente|incluso)\b
(?:después|antes|primero|segundo),
(?:por (?:eso|ello|lo tanto|tanto|otra parte|otro lado|su parte|ejemplo|esto|esta razón)|en (?:cambio|consecuencia|
    este sentido|ese sentido|este caso|ese momento|total)|de (?:hecho|esta manera|esta forma|este modo)|es decir|
    al mismo tiempo|a su vez|según (?:él|ella)|pese a ello|a pesar de ello|tras ello)\b
(?:dijo|añadió|agregó|explicó|señaló|afirmó|aseguró|indicó|destacó|recordó|sostuvo|informó|precisó|apuntó|subrayó|
    comentó|manifestó|insistió|reconoció|advirtió|concluyó|declaró|expresó|detalló)\b
(?:el hombre|la mujer|el joven|la joven|la empresa|la compañía|los dos|las dos)\b(?! (?:que|de|del)\b)
""",
    "ru": r"""
(?:он|она|оно|они|его|е[её]|их|ему|ей|им|ними?|этот|эта|эти|этого|этой|этих|этому|этим|этими|это|такой|такая|такие|
    такое|тот|те|там|туда|тогда|оба|обе|последний)\b
(?:но|а|и|или|да|однако|также|тоже|затем|потом|поэтому|впрочем|зато|ведь|например|кстати|наконец|вместо этого|так|
    итак|иначе|причем|причём|притом)\b
(?:кроме того|кроме этого|помимо этого|при этом|между тем|тем временем|в то же время|в свою очередь|таким образом|
    тем не менее|к тому же|более того|по его|по е[её]|по их|об этом|после этого|до этого|из-за этого|для этого|
    вместе с тем|с другой стороны|на этом фоне|в этом|в связи с этим|за это|благодаря этому|несмотря на это|
    среди них|в результате|по этому|с этим|на это|на этот)\b
(?:\w+ ){1,3}же\b
""",
    "zh": r"""
(?:他|她|它|牠|祂)
(?:这|這)(?!(?:个|個|一)?(?:星期|礼拜|禮拜|周|週|月|年))
(?:那(?!不勒斯|英)|此(?!前)|该|該|其(?!他|它))
(?:但|然而|不过|不過|可是|而(?!立)|此外|另外|同时|同時|因此|所以|于是|於是|随后|隨後|之后|之後|接着|接著|并|並|且|
    及后|及後|其后)
(?:对此|對此|为此|為此|据此|據此|与此|與此|另一方面|首先|其次|再者|例如|比如|譬如|总之|總之|事实上|事實上|当中|當中|
    当时|當時|当日|當日|两人|兩人|二人|三人|双方|雙方|后者|後者|前者|上述|反之|换言之|換言之|也就是说|至于|至於|
    最后，|最後，|又指|又說|又说)
""",
    "ja": r"""
(?:彼|彼女|彼ら)(?:は|が|も|の|に|を|ら|と)
(?:これ(?!まで|から)|それ(?!ぞれ|だけ)|あれ|こう(?:した|いった|して)|そう(?:した|いった|して))
この(?!ほど|ところ|まま|夏|冬|春|秋|週末|日、)
その(?!まま|他の)
(?:しかし|だが|だけど|ただ、|ただし|でも、|また(?:、|は|は、)|さらに|一方|なお|そして|それで|だから|したがって|
    従って|つまり|例えば|たとえば|ところが|とはいえ|もっとも、|すると|そこで|加えて|併せて|ちなみに|続いて|次に|
    最後に|では、|同様に|ほかに|他に|逆に|むしろ|やがて|すなわち|要するに|とりわけ)
(?:同氏|同社|同省|同日|同庁|同県|同市|同署|同容疑者|同大|同国|同紙|同局|同館|同校|同店|両者|両氏|両国|両社|二人|
    ２人|2人|前者|後者|男は|女は|男性は|女性は)
""",
}

# Said by somebody who is only a pronoun: “…,” he said.
SAID_BY_PRONOUN: dict[str, str] = {
    "en": r"""
(?:[,.!?…]['’”\"]+|,) (?:he|she|they|it) (?:\w+ly |also |later |has |had )?(?:said|says|added|adds|told|tells|wrote|
    writes|explained|explains|noted|notes|continued|recalled|recalls|warned|insisted|asked|tweeted|argued|posted|
    stated|joked|replied|concluded|admitted|acknowledged|declared|announced|stressed|pointed)\b
[,.!?…]['’”\"]+ (?:his|her|their) \w+
""",
    "de": r"""
[“”«\"], (?:\w+ ){0,2}(?:er|sie)\b
""",
    "fr": r"""
[»”\"],? (?:a-t-(?:il|elle)|\w+-t-(?:il|elle)|(?:selon|pour) (?:lui|elle)\b)
""",
    "es": r"""
[»”\"], (?:dijo|añadió|agregó|explicó|señaló|afirmó|aseguró|indicó|sostuvo|concluyó|apuntó|declaró)[.,]
""",
    "ru": r"""
[»”\"]\s?,? ?[—–-] ?(?:\w+ )?(?:он|она|они)\b
[»”\"]\s?,? ?[—–-] ?(?:сказал|заявил|отметил|добавил|пояснил|уточнил|подчеркнул|рассказал|написал)а?и?\.
""",
    "zh": r"""
[”」』]，?(?:他|她)
""",
    "ja": r"""
」と(?:同氏|彼|彼女)は
\A「[^」]*」と(?:話した|語った|述べた|説明した|強調した|話す|語る)。
""",
}

# Clauses before a pronoun: "On Monday, he …".
CLAUSE_AND_PRONOUN: dict[str, str] = {
    "en": r"""
[^,“\"]{1,70}, (?:he|she|they|it|his|her|their|this|that)\b
""",
    "de": r"""
[^,„\"]{1,70} (?:er|ihm|ihn)\b
""",
    "fr": r"""
[^,«]{1,70}, (?:il|elle|ils|elles)\b(?! (?:y a|faut|s['’]agit|est (?:possible|important)))
""",
    "ru": r"""
[^,«\"]{1,60} (?:он|она|они)\b
""",
}

# He or she as the subject; where things are he and she too, before a verb of saying.
PERSON_AS_SUBJECT: dict[str, str] = {
    "en": r"""
(?:He|She)(?= [a-z])
""",
    "de": r"""
(?:Er|Sie)(?= (?:sagte|sagt|erklärte|erklärt|betonte|betont|kündigte|fügte|forderte|fordert|kritisierte|kritisiert|
    schrieb|schreibt|teilte|verwies|warnte|warnt|lobte|meinte|meint|versprach|räumte|bedauerte|äußerte|berichtete|
    dankte|bat|glaubt|hofft)\b)
""",
    "fr": r"""
(?:Il|Elle)(?= (?:a|avait) (?:\w+ )?(?:déclaré|dit|ajouté|affirmé|expliqué|estimé|assuré|précisé|souligné|annoncé|
    indiqué|rappelé|confié|reconnu|promis|regretté|dénoncé|salué|appelé|demandé|répondu|écrit|insisté|admis)\b)
(?:Il|Elle)(?= (?:déclare|dit|ajoute|affirme|explique|estime|assure|précise|souligne|annonce|indique|rappelle|confie|
    reconnaît|promet|regrette|dénonce|salue|appelle|demande|répond|écrit|insiste|admet|pense|croit|espère)\b)
""",
    "es": r"""
(?:Él|Ella)(?= [a-záéíóú])
""",
}
GROUP_AS_SUBJECT: dict[str, str] = {
    "en": r"""
It(?= (?:said|says|announced|reported|expects|expected|plans|planned|added|posted|employs|sells|sold|operates|owns|
    bought|acquired|denied|declined|manufactures|competes)\b)
The (?:company|firm|group|agency|bank|carmaker|automaker|airline|retailer|manufacturer|start-?up|publisher)
    (?= (?:\w+(?:ed|s)|said|has|had|was|is|will|would)\b)
""",
}

# Whoever is named by such a word in the sentence before may be meant as well.
PEOPLE_WORDS: dict[str, str] = {
    "en": """
wife husband mother father parents son daughter brother sister uncle aunt cousin nephew niece grandmother grandfather
friend partner fiancé fiancée boyfriend girlfriend man woman men women boy girl child children baby teenager suspect
victim victims defendant plaintiff spokesman spokeswoman spokesperson lawyer lawyers attorney judge officer officers
policeman driver passenger witness neighbour neighbor colleague predecessor successor rival opponent counterpart widow
son-in-law officials aide aides someone somebody anyone player players fan fans
""",
    "de": """
frau mann mutter vater eltern sohn tochter bruder schwester freund freundin ehefrau ehemann sprecher sprecherin anwalt
anwältin richter richterin fahrer fahrerin täter opfer polizist polizistin kollege kollegin nachfolger nachfolgerin
vorgänger vorgängerin junge mädchen kind
""",
    "fr": """
femme homme mère père parents fils fille frère sœur ami amie épouse époux mari porte-parole avocat avocate juge
conducteur conductrice suspect victime policier policière collègue successeur prédécesseur garçon enfant
""",
    "es": """
mujer hombre madre padre padres hijo hija hermano hermana amigo amiga esposa esposo marido portavoz abogado abogada
juez jueza conductor conductora sospechoso víctima policía colega sucesor predecesor niño niña
""",
}

# Whose sentence it is, when it begins so: a quotation that lost its marks, if the others do not.
FIRST_PERSON: dict[str, str] = {
    "en": "i my we our you your i'm i've",
    "de": "ich mein meine wir unser unsere du dein",
    "fr": "je j mon ma mes nous notre nos tu vous",
    "es": "yo mi mis nosotros nuestro nuestra me nos",
    "ru": "я мой моя мне меня мы наш наша нам нас ты вы",
}

# Connectives that may be taken away where what follows is a whole sentence of its own.
DROPPED: dict[str, str] = {
    "en": r"""
(?:But|And|Yet|So)\s+(?=(?:the|an?|some|many|most|several|all|no|not every\w*|officials|experts|analysts|critics|
    researchers|scientists|police|there) |[A-Z][a-z]|\d)
(?:However|But|And|Meanwhile|Moreover|Furthermore|Still|Also|Nevertheless|Nonetheless|Additionally|In addition|
    Besides|Yet),\s+(?=[a-zA-Z\d])
""",
    "de": r"""
(?:Doch|Aber|Und|Denn)\s+(?=(?:der|die|das|den|dem|ein|eine|einen|einer|viele|einige|manche|alle) |[A-ZÄÖÜ])
""",
    "fr": r"""
(?:Mais|Et|Or)\s+(?=(?:le|la|les|un|une|des|plusieurs|certains|beaucoup|tous) |l['’]|[A-ZÀ-Þ])
(?:Cependant|Toutefois|Par ailleurs|En outre|De plus|Néanmoins|Pourtant|En effet),\s+(?=[a-zà-ÿA-ZÀ-Þ\d])
""",
    "es": r"""
(?:Pero|Y)\s+(?=(?:el|la|los|las|un|una|unos|unas|muchos|algunos|varios|todos) |[A-ZÁÉÍÓÚ])
(?:Sin embargo|Además|No obstante|Por otra parte|Por otro lado|Asimismo|De hecho),\s+(?=[a-záéíóúA-ZÁÉÍÓÚ\d])
""",
    "ru": r"""
(?:Но|А|Однако)\s+(?=[А-ЯЁ])
(?:Кроме того|Между тем|Тем временем|Вместе с тем|Более того|К тому же),\s+(?=[а-яёА-ЯЁ\d])
""",
    "zh": r"""
(?:但是|但|然而|不过|不過|此外|另外|同时|同時|因此|事实上|事實上)[，,]\s?
""",
    "ja": r"""
(?:しかし|だが|また|さらに|一方|なお|そして|加えて|このため|そのため|ただ|ちなみに)、
""",
}
