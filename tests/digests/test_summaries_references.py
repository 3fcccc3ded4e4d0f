"""Which sentences lean on the one before, and how they read without it."""

import pytest

from digests.summaries.references import alone, is_in_first_person, leans

LEANING = {
    "en": """
He left early.
She said the plan would fail.
They were taken to hospital.
It is expected to open in May.
It's over now.
His wife stayed.
This came as a surprise.
These rules are new.
That is why it failed.
But the plan failed.
However, the plan failed.
Meanwhile, shares fell.
And nobody came.
As a result, shares fell.
For example, shares fell.
The company declined to comment.
The suspect was released.
The two met in May.
Asked about it, Hill left.
“It is over,” he said.
“It is over.”
The plan will fail, she added.
On Monday, he left for Rome.
When asked, she left the room.
Later that day, shares fell.
Both were arrested.
""",
    "de": """
Er ging früh.
Sie sagte, der Plan scheitere.
Das ist neu.
Diese Regel gilt ab Mai.
Doch der Plan scheiterte.
Außerdem fielen die Kurse.
Damit endet der Streit.
Seine Frau blieb.
„Das war es“, sagte er.
Im Mai ging er nach Rom.
Der 40-Jährige blieb.
""",
    "fr": """
Il est parti tôt.
Elle a dit non.
C’est nouveau.
Cette règle est nouvelle.
Mais le plan a échoué.
Cependant, le plan a échoué.
Par ailleurs, les cours baissent.
Sa femme est restée.
« C’est fini », a-t-il dit.
Lundi soir, il est parti.
""",
    "es": """
Él se fue temprano.
Ella dijo que no.
Dijo que no.
Esto es nuevo.
Pero el plan falló.
Sin embargo, el plan falló.
Su esposa se quedó.
Además, cayó la bolsa.
""",
    "ru": """
Он ушёл рано.
Его жена осталась.
Это стало неожиданностью.
Но план провалился.
Кроме того, упали акции.
При этом никто не пострадал.
У взрослых же всё иначе.
В мае он уехал в Рим.
«Всё кончено», — сказал он.
""",
    "zh": """
他说计划失败了。
她们离开了。
这是一个惊喜。
但计划失败了。
此外，股价下跌。
该公司拒绝评论。
其中三人受伤。
“结束了。”他说。
""",
    "ja": """
彼は早く出た。
これは新しい。
その計画は失敗した。
しかし計画は失敗した。
また、株価は下がった。
同社は否定した。
このため株価は下がった。
「終わった」と述べた。
""",
}
STANDING = {
    "en": """
The council met on Monday.
Ann Lee said he would leave.
It is clear that the plan failed.
It is unclear whether the plan failed.
It took three years to build the bridge.
This week the council meets.
This year the harvest was poor.
Those who left early missed it.
These days nobody reads it.
“Nobody came,” Hill said.
On Monday, Ann Lee said she would leave.
According to Ann Lee, he left.
The company that built the bridge failed.
The man who built the bridge failed.
Thousands fled.
So far nobody has come.
Butter is dear.
Thishaven is a town.
""",
    "de": """
Der Rat tagte am Montag.
Es gibt drei Gründe.
Diese Woche tagt der Rat.
Das Haus brannte ab.
Dieses Jahr ist die Ernte gut.
Sozialhilfe wird teurer.
""",
    "fr": """
Le conseil s’est réuni lundi.
Il y a trois raisons.
Il faut trois ans pour bâtir un pont.
Il est possible que le plan échoue.
Cette semaine, le conseil se réunit.
Ce lundi, le conseil se réunit.
""",
    "es": """
El consejo se reunió el lunes.
Esta semana se reúne el consejo.
Este lunes se reúne el consejo.
Los planes fallaron.
""",
    "ru": """
Совет собрался в понедельник.
Итоги подведут в мае.
Анна Петрова сказала, что он ушёл.
""",
    "zh": """
议会星期一开会。
这个月议会开会。
其他人留下了。
此前议会曾开会。
""",
    "ja": """
議会は月曜に開かれた。
これまでに三人が死亡した。
それぞれの町が賛成した。
この夏は暑かった。
""",
}


def rows(table: dict[str, str]) -> list[object]:
    lines = [(language, line) for language, block in table.items() for line in block.strip().splitlines()]
    return [pytest.param(line, language, id=f"{language}-{n}") for n, (language, line) in enumerate(lines)]


@pytest.mark.parametrize(("text", "language"), rows(LEANING))
def test_knows_what_leans_on_the_sentence_before(text: str, language: str) -> None:
    assert leans(text, language)


@pytest.mark.parametrize(("text", "language"), rows(STANDING))
def test_what_only_looks_so_stands_by_itself(text: str, language: str) -> None:
    assert not leans(text, language)


def test_in_a_language_without_rules_everything_stands() -> None:
    assert not leans("Hij ging vroeg weg.", "nl")
    assert alone("Hij ging vroeg weg.", "Jan Vos sprak.", {"people": ("jan vos",)}, "nl") is None


NAMES = {
    "people": ("angela merkel", "joe hill", "анна петрова"),
    "organizations": ("acme", "globex"),
    "places": ("berlin", "new york"),
}


@pytest.mark.parametrize(
    ("text", "before", "language", "expected"),
    [
        pytest.param(
            "She said the plan would fail.",
            "Chancellor Angela Merkel spoke in Berlin on Monday.",
            "en",
            "Angela Merkel said the plan would fail.",
            id="full-name-without-title",
        ),
        pytest.param("He left.", "Hill's plan failed.", "en", "Hill left.", id="as-it-stands-there"),
        pytest.param(
            "It said sales fell.", "Acme Corp closed a plant in New York.", "en", "Acme said sales fell.", id="it"
        ),
        pytest.param(
            "The company said sales fell.", "Acme closed a plant.", "en", "Acme said sales fell.", id="the-company"
        ),
        pytest.param(
            "Sie sagte, das sei gut.", "Angela Merkel sprach.", "de", "Angela Merkel sagte, das sei gut.", id="de"
        ),
        pytest.param("Il a déclaré que non.", "Joe Hill est venu.", "fr", "Joe Hill a déclaré que non.", id="fr"),
        pytest.param("Él dijo que no.", "Joe Hill vino a Berlin.", "es", "Joe Hill dijo que no.", id="es"),
    ],
)
def test_puts_the_one_name_that_is_meant_in_its_place(text: str, before: str, language: str, expected: str) -> None:
    assert alone(text, before, NAMES, language) == expected


@pytest.mark.parametrize(
    ("text", "before", "language"),
    [
        pytest.param("He left.", "Joe Hill met Angela Merkel.", "en", id="two-people"),
        pytest.param("He left.", "Joe Hill met John Roe.", "en", id="one-nobody-told-us-of"),
        pytest.param("He left.", "Joe Hill met Roe in Berlin.", "en", id="a-surname-nobody-told-us-of"),
        pytest.param("She wept.", "Joe Hill came with his wife.", "en", id="his-wife"),
        pytest.param("He left.", "The council met.", "en", id="nobody"),
        pytest.param("He thanked Merkel.", "Angela Merkel came.", "en", id="named-in-the-sentence"),
        pytest.param("They left.", "Joe Hill came.", "en", id="they"),
        pytest.param("His plan failed.", "Joe Hill came.", "en", id="his"),
        pytest.param("He's late.", "Joe Hill came.", "en", id="short-form"),
        pytest.param("But he failed.", "Joe Hill came.", "en", id="after-a-connective"),
        pytest.param("It is late.", "Acme closed a plant.", "en", id="it-that-says-nothing"),
        pytest.param("It said sales fell.", "Acme sued Globex.", "en", id="two-organizations"),
        pytest.param("It expects the rest by Thursday.", "Acme closed a plant.", "en", id="leans-on-more"),
        pytest.param("Er liegt am Fluss.", "Joe Hill kam.", "de", id="de-a-thing-perhaps"),
        pytest.param("Il est vert.", "Joe Hill est venu.", "fr", id="fr-a-thing-perhaps"),
        pytest.param("Она ушла.", "Анна Петрова пришла.", "ru", id="ru-has-no-rule"),
        pytest.param("这是真的。", "议会开会。", "zh", id="zh-this"),
    ],
)
def test_never_guesses_who_or_what_is_meant(text: str, before: str, language: str) -> None:
    assert leans(text, language)
    assert alone(text, before, NAMES, language) is None


def test_without_names_nobody_is_meant() -> None:
    assert alone("He left.", "Joe Hill came.", {}, "en") is None


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        pytest.param("But the plan failed.", "en", "The plan failed.", id="but"),
        pytest.param("However, the plan failed.", "en", "The plan failed.", id="however"),
        pytest.param("And 12 people came.", "en", "12 people came.", id="and"),
        pytest.param("Meanwhile, Acme closed.", "en", "Acme closed.", id="meanwhile"),
        pytest.param("Doch der Plan scheiterte.", "de", "Der Plan scheiterte.", id="doch"),
        pytest.param("Mais le plan a échoué.", "fr", "Le plan a échoué.", id="mais"),
        pytest.param("Sin embargo, el plan falló.", "es", "El plan falló.", id="sin-embargo"),
        pytest.param("Кроме того, акции упали.", "ru", "Акции упали.", id="krome-togo"),
        pytest.param("但是，计划失败了。", "zh", "计划失败了。", id="danshi"),
        pytest.param("しかし、計画は失敗した。", "ja", "計画は失敗した。", id="shikashi"),
        pytest.param("But when it rained, nobody came.", "en", None, id="a-clause-follows"),
        pytest.param("But for the rain, all was well.", "en", None, id="but-for"),
        pytest.param("However, they left.", "en", None, id="a-pronoun-follows"),
        pytest.param("Doch scheiterte der Plan.", "de", None, id="de-verb-first"),
        pytest.param("As a result, shares fell.", "en", None, id="not-a-mere-connective"),
    ],
)
def test_drops_a_connective_where_a_whole_sentence_stays(text: str, language: str, expected: str | None) -> None:
    assert alone(text, "The council met.", {}, language) == expected


@pytest.mark.parametrize(
    ("text", "language", "mine"),
    [
        pytest.param("I left.", "en", True, id="i"),
        pytest.param("“We left,” Hill said.", "en", True, id="quoted"),
        pytest.param("Iron fell.", "en", False, id="a-word"),
        pytest.param("Мы ушли.", "ru", True, id="ru"),
        pytest.param("Je pars.", "fr", True, id="fr"),
    ],
)
def test_knows_who_speaks_of_himself(text: str, language: str, mine: bool) -> None:
    assert is_in_first_person(text, language) is mine
