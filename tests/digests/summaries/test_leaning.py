"""Which sentences lean on the one before."""

import pytest

from digests.summaries.leaning import is_in_first_person, leans
from tests.tables import table

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


@table(("text", "language"), rows(LEANING))
def test_detects_sentences_that_lean_on_the_one_before(text: str, language: str) -> None:
    assert leans(text, language)


@table(("text", "language"), rows(STANDING))
def test_accepts_self_contained_sentences(text: str, language: str) -> None:
    assert not leans(text, language)


def test_languages_without_patterns_accept_every_sentence() -> None:
    assert not leans("Hij ging vroeg weg.", "nl")


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
def test_detects_the_first_person(text: str, language: str, mine: bool) -> None:
    assert is_in_first_person(text, language) is mine
