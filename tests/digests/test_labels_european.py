"""Labels of topics in German, French, Spanish, Russian and other languages with spaces."""

import pytest

from digests.labels import TopicText
from tests.digests.topics_to_label import label_of, topic_in

TOPICS = [
    pytest.param(
        topic_in(
            "de",
            "Bundestag stimmt für höheren Mindestlohn | Der Mindestlohn steigt im Januar. Der Bundestag stimmte zu.",
            "Mindestlohn steigt auf 14 Euro | Der Bundestag hat den höheren Mindestlohn beschlossen.",
            "Was der neue Mindestlohn bringt | Für viele Beschäftigte steigt der Lohn.",
            organizations="bundestag",
        ),
        "Bundestag: Mindestlohn, Euro",
        id="German nouns keep their capital",
    ),
    pytest.param(
        topic_in(
            "de",
            "Scharfe Kritik an neuer Rentenreform | Die Gewerkschaften lehnen die Reform der Rente ab.",
            "Gewerkschaften gegen Rentenreform | Die Kritik der Gewerkschaften ist laut.",
        ),
        "Gewerkschaften, Rentenreform, Kritik",
        id="German adjectives do not",
    ),
    pytest.param(
        topic_in(
            "de",
            "Olaf Scholz besucht Kiew | Der Kanzler sagte weitere Hilfe zu. Scholz sprach mit Selenskyj.",
            "Scholz in Kiew: weitere Hilfe | Olaf Scholz traf in Kiew Selenskyj.",
            people="olaf scholz, scholz, selenskyj",
            places="kiew",
        ),
        "Olaf Scholz: Kiew, Hilfe, Selenskyj",
        id="German people",
    ),
    pytest.param(
        topic_in(
            "de",
            "Deutsche Bahn: Streik legt Züge lahm | Am Montag fahren kaum Züge der Deutschen Bahn.",
            "Streik bei der Deutschen Bahn | Die Lokführer streiken, Züge fallen aus.",
            organizations="deutsche bahn",
        ),
        "Deutsche Bahn: Streik, Züge",
        id="German organization",
    ),
    pytest.param(
        topic_in(
            "de",
            "Hochwasser in Passau sinkt | Die Pegel in Passau sinken langsam.",
            "Passau räumt nach Hochwasser auf | In Passau helfen Freiwillige.",
            places="passau",
        ),
        "Passau: Hochwasser",
        id="German place",
    ),
    pytest.param(
        topic_in("de", "Warum Katzen gern in Kartons liegen | Katzen suchen Verstecke. Die Kartons wärmen."),
        "Kartons, Katzen, Verstecke",
        id="one German article",
    ),
    pytest.param(
        topic_in(
            "de",
            "EU-Kommission plant Zölle auf E-Autos | Die EU-Kommission will Zölle auf E-Autos aus China.",
            "Zölle auf E-Autos aus China | Die Zölle der EU-Kommission gelten ab Juli.",
            places="china",
        ),
        "China: Zölle, E-Autos, EU-Kommission",
        id="German words with hyphens",
    ),
    pytest.param(
        topic_in(
            "fr",
            "Réforme des retraites : les syndicats appellent à la grève | Ils refusent la réforme des retraites.",
            "Grève contre la réforme des retraites | La réforme des retraites passe au Sénat.",
            "Retraites : la réforme devant le Sénat | Les syndicats promettent la grève.",
        ),
        "réforme des retraites, grève, Sénat",
        id="French of inside a phrase",
    ),
    pytest.param(
        topic_in(
            "fr",
            "La BCE baisse ses taux d'intérêt | Les taux d'intérêt baissent à Francfort.",
            "Taux d'intérêt : la BCE agit | La BCE veut soutenir le crédit.",
            organizations="bce",
        ),
        "BCE: taux d'intérêt",
        id="French elision inside a phrase",
    ),
    pytest.param(
        topic_in(
            "fr",
            "Emmanuel Macron reçoit Zelensky à Paris | Emmanuel Macron a promis des armes à l'Ukraine.",
            "A Paris, Macron promet des armes | Macron et Zelensky se sont vus à Paris.",
            people="emmanuel macron, macron, zelensky",
            places="paris, ukraine",
        ),
        "Macron: Paris, armes, Zelensky",
        id="French people",
    ),
    pytest.param(
        topic_in(
            "fr",
            "L'armée malienne reprend Kidal | L'armée est entrée dans Kidal mardi.",
            "Kidal reprise par l'armée | A Kidal, l'armée malienne avance.",
            places="kidal",
        ),
        "Kidal: armée malienne",
        id="French article before a word",
    ),
    pytest.param(
        topic_in(
            "fr",
            "Vidéo : lire aussi, en direct de la canicule | La canicule touche le sud. Températures record.",
            "Canicule : températures record dans le sud | La canicule dure.",
        ),
        "canicule, sud, direct",
        id="French words of pages",
    ),
    pytest.param(
        topic_in(
            "es",
            "Tipos de interés: el BCE los baja otra vez | Los tipos de interés bajan en Europa.",
            "El BCE baja los tipos de interés | Los tipos de interés caen.",
            organizations="bce",
        ),
        "BCE: tipos de interés, baja",
        id="Spanish of inside a phrase",
    ),
    pytest.param(
        topic_in(
            "es",
            "Lluvias dejan diez muertos en Valencia | Las lluvias causaron inundaciones en Valencia.",
            "Inundaciones en Valencia: diez muertos | Las inundaciones cortaron carreteras.",
            "Valencia, tras las inundaciones | Las lluvias siguen.",
            places="valencia",
        ),
        "Valencia: inundaciones, lluvias, diez muertos",
        id="Spanish place",
    ),
    pytest.param(
        topic_in(
            "es",
            "España gana la Eurocopa femenina | La selección de España ganó la final de la Eurocopa.",
            "España, campeona de la Eurocopa | La final de la Eurocopa fue en Basilea.",
            places="spain, basilea",
        ),
        "España: final de la Eurocopa, gana, campeona",
        id="Spanish country in the spelling of the texts",
    ),
    pytest.param(
        topic_in("es", "Receta de gazpacho andaluz | El gazpacho lleva tomate y pan."),
        "receta de gazpacho andaluz, pan, tomate",
        id="one Spanish article",
    ),
    pytest.param(
        topic_in(
            "ru",
            "Путин провел встречу с Эрдоганом в Сочи | Путин и Эрдоган обсудили зерновую сделку.",
            "Эрдоган и Путин обсудили зерновую сделку | Встреча прошла в Сочи.",
            "Зерновая сделка: Путин назвал условия | В Сочи Путин говорил о зерне.",
            people="путин, эрдоган",
            places="сочи",
        ),
        "Путин: зерновую сделку, Сочи, Эрдоган",
        id="Russian people",
    ),
    pytest.param(
        topic_in(
            "ru",
            "Центробанк повысил ключевую ставку | Ключевая ставка выросла, заявил Центробанк.",
            "Ключевая ставка: решение Центробанка | Центробанк сообщил о решении.",
            organizations="центробанк",
        ),
        "Центробанк: ключевая ставка, решение",
        id="Russian organization, no verb of reporting",
    ),
    pytest.param(
        topic_in(
            "ru",
            "Пожар на складе в Казани потушен | Пожар на складе начался ночью.",
            "В Казани горит склад | Склад в Казани загорелся, пожар тушат.",
            places="казань",
        ),
        "складе, Казани, пожар",
        id="Russian place in the case of the text",
    ),
    pytest.param(
        topic_in(
            "ru",
            "США ввели новые санкции | Санкции США касаются банков.",
            "Новые санкции США против банков | Банки назвали санкции США слабыми.",
            places="united states",
        ),
        "США: новые санкции, банков",
        id="Russian country",
    ),
    pytest.param(
        topic_in(
            "ru",
            "OpenAI выпустила новую модель | Модель OpenAI пишет код.",
            "Новая модель OpenAI пишет код | Модель вышла во вторник.",
            organizations="openai",
        ),
        "OpenAI: новую модель, пишет код",
        id="Latin name in Russian",
    ),
    pytest.param(
        topic_in(
            "it",
            "Sciopero dei treni a Milano | Lo sciopero dei treni ferma Milano.",
            "Milano, treni fermi per lo sciopero | A Milano lo sciopero dei treni dura un giorno.",
            places="milano",
        ),
        "Milano: sciopero dei treni, ferma",
        id="Italian",
    ),
    pytest.param(
        topic_in(
            "nl",
            "Storm raast over Zeeland | De storm trof Zeeland in de nacht.",
            "Schade in Zeeland na storm | De storm gaf veel schade in Zeeland.",
            places="zeeland",
        ),
        "Zeeland: storm, schade, raast",
        id="Dutch",
    ),
    pytest.param(
        topic_in(
            "ko",
            "서울 지하철 파업 시작 | 서울 지하철 노조가 파업을 시작했다.",
            "서울 지하철 파업 이틀째 | 파업 이틀째 시민 불편.",
        ),
        "서울 지하철 파업, 이틀째, 시작",
        id="Korean has spaces",
    ),
    pytest.param(
        topic_in(
            "ar",
            "زلزال قوي يضرب المغرب | زلزال قوي ضرب مراكش.",
            "المغرب: زلزال قوي قرب مراكش | سكان مراكش في الشوارع.",
            places="المغرب",
        ),
        "المغرب: زلزال قوي, مراكش, قرب",
        id="Arabic",
    ),
    pytest.param(
        topic_in("de", "Kritik an Reform | Die Reform hat Kritiker.", "Reform in der Kritik | Kritik an der Reform."),
        "Kritik, Reform",
        id="two German nouns",
    ),
]


@pytest.mark.parametrize(("topic", "expected"), TOPICS)
def test_is_what_a_reader_would_write(topic: TopicText, expected: str) -> None:
    assert label_of(topic) == expected
