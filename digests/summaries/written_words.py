"""Words that tell whether a text may be shown as the summary it was asked for. Data."""

# Refusals, talk about oneself, and talk to whoever asked, wherever they stand; in lower case.
TALK = r"""
\bas an? (?:ai|artificial|language model|assistant)\b|\b(?:large )?language model\b|\bi['’]?m (?:sorry|unable|
    afraid)\b
\bi (?:cannot|can['’]?t|am unable|apologi[sz]e|will not|won['’]?t) (?:\w+ ){0,2}(?:summar|provide|help|assist|
    comply|write|do that|answer)
\b(?:here is|here['’]s|below is) (?:the|a|your) (?:\w+ ){0,3}(?:summary|rewrite|text|paragraph)\b
\blet me know if\b|\bis there anything else\b|\bfeel free to\b|\bhope this helps\b|\bword count\b|\b\d+ words\)?\s*\Z
\bes tut mir leid\b|\bals (?:ki|künstliche|sprachmodell)\b|\bich kann (?:ihnen|dir|das|diese\w*) (?:\w+ ){0,3}nicht\b
\bhier ist (?:die|eine|ihre) (?:\w+ ){0,2}zusammenfassung\b
\bje suis désolée?\b|\ben tant qu['’](?:ia|intelligence|assistant|modèle)|\bje ne peux pas (?:vous )?(?:fournir|
    résumer|aider)\b
\bvoici (?:le|un|votre) (?:\w+ ){0,2}résumé\b
\blo siento,|\bcomo (?:una? )?(?:ia|inteligencia|modelo de lenguaje|asistente)\b|\bno puedo (?:resumir|ayudar|
    proporcionar)\b
\baquí (?:está|tienes) (?:el|un) (?:\w+ ){0,2}resumen\b
\bкак (?:ии|искусственный интеллект|языковая модель)\b|\bя не могу (?:\w+ ){0,2}(?:предоставить|помочь|выполнить|
    написать)
\bвот (?:краткое|ваше)? ?(?:\w+ )?(?:изложение|резюме|содержание)\b
作为(?:一个|一名)?(?:ai|人工智能|语言模型)|作為(?:一個)?(?:ai|人工智慧|語言模型)|抱歉，|我(?:无法|無法|不能)(?:提供|
    协助|協助|总结|回答)
以下是.{0,8}(?:摘要|总结|總結|概要)|(?:^|。)(?:摘要|总结|總結)：
申し訳(?:ありません|ございません)|aiとして|言語モデル|(?:以下|こちら)(?:は|が).{0,8}(?:要約|まとめ)|お手伝い
"""

# A summary that begins so tells of the article in place of what it tells.
OF_THE_ARTICLE = r"""
(?:this|the) (?:article|text|story|passage|report|summary|news|author|piece|post) (?:\w+ly )?(?:is|was|describes|
    discusses|says|
    reports|explains|talks|covers|provides|highlights|details|explores|examines|states|mentions|focuses|announces)\b
in (?:this|the) (?:article|text|post|piece)\b
(?:der|dieser|das|die) (?:artikel|text|beitrag|autor|bericht) (?:beschreibt|berichtet|erklärt|behandelt|handelt|
    informiert|ist)\b
(?:l['’]article|cet article|le texte|ce texte|l['’]auteur) (?:décrit|parle|explique|traite|rapporte|présente|est)\b
(?:el|este) (?:artículo|texto|informe|autor) (?:describe|habla|explica|trata|informa|presenta|es|analiza)\b
(?:в |эта |данная )?(?:статье|статья|тексте|текст|автор) (?:рассказывает|описывает|говорится|посвящена|сообщает)
(?:本文|这篇|這篇|该文|文章)(?:文章|报道|報導)?(?:讲述|講述|介绍|介紹|描述|报道|報導|讨论|討論|主要|指出|是|说|說)
(?:この|本)(?:記事|文章|報告)(?:は|で|では)
"""

# Numbers in words with their figures; what is a word of its own as well ("one", "sechs" in a name) is left out.
NUMBERS: dict[str, str] = {
    "en": "two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 dozen=12 thirteen=13 "
    "fourteen=14 fifteen=15 sixteen=16 seventeen=17 eighteen=18 nineteen=19 twenty=20 thirty=30 forty=40 fifty=50 "
    "sixty=60 seventy=70 eighty=80 ninety=90 hundred=100 hundreds=100 thousand=1000 thousands=1000 million=million "
    "millions=million billion=billion billions=billion trillion=trillion",
    "de": "zwei=2 drei=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 elf=11 zwölf=12 zwanzig=20 dreißig=30 "
    "hundert=100 tausend=1000 million=million millionen=million milliarde=milliarde milliarden=milliarde",
    "fr": "deux=2 trois=3 quatre=4 cinq=5 six=6 sept=7 huit=8 dix=10 onze=11 douze=12 vingt=20 trente=30 cent=100 "
    "cents=100 mille=1000 million=million millions=million milliard=milliard milliards=milliard",
    "es": "dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 once=11 doce=12 veinte=20 treinta=30 "
    "cien=100 cientos=100 mil=1000 miles=1000 millón=millón millones=millón",
    "ru": "два=2 две=2 двух=2 три=3 трёх=3 трех=3 четыре=4 четырёх=4 четырех=4 пять=5 пяти=5 шесть=6 семь=7 восемь=8 "
    "девять=9 десять=10 двадцать=20 тридцать=30 сто=100 тысяч=тыс тысячи=тыс тысяча=тыс тыс=тыс миллион=млн "
    "миллиона=млн миллионов=млн млн=млн миллиард=млрд миллиарда=млрд миллиардов=млрд млрд=млрд",
}

# Begin sentences as no names do.
OPENERS: dict[str, str] = {
    "en": """
according additionally although amid analysts authorities besides critics currently despite details due during earlier
economists experts following furthermore initially investigators lawmakers locals ministers moreover officials
organizers overall police previously prosecutors recently regarding rescuers researchers residents scientists shares
situated speaking supporters ultimately unless upon voters whereas witnesses workers
""",
    "fr": """
actuellement après autorités bien certains chercheurs concernant depuis devant durant environ face grâce habitants
lors malgré parallèlement parmi pendant plusieurs près récemment selon suite suivant toutefois
""",
    "es": """
actualmente algunos además aunque autoridades cerca debido desde durante expertos gracias investigadores mediante
muchos pese recientemente según tras varias varios vecinos
""",
    "ru": """
власти благодаря вследствие в ходе данные жители кроме накануне начиная несмотря помимо после по согласно среди
сотрудники специалисты таким учёные ученые эксперты
""",
}
