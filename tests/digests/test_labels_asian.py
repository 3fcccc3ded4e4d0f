"""Labels of topics in Chinese, Japanese, Thai: scripts without spaces."""

import pytest

from digests.labels import TopicText
from tests.digests.topics_to_label import label_of, topic_in

TOPICS = [
    pytest.param(
        topic_in(
            "zh",
            "港鐵灣仔站列車服務暫停 | 港鐵灣仔站附近有物件，列車服務暫停。",
            "灣仔站附近有物件 港鐵服務受阻 | 港鐵表示，灣仔站的物件已移走。",
            "港鐵：灣仔站事故由工程車引起 | 港鐵調查灣仔站事故，列車服務恢復。",
            organizations="港鐵",
        ),
        "港鐵：灣仔站、列車服務、工程車引起",
        id="Chinese organization",
    ),
    pytest.param(
        topic_in(
            "zh",
            "特朗普宣布新关税 | 特朗普宣布对汽车征收新关税。",
            "汽车关税：特朗普再出手 | 汽车关税将于四月生效，特朗普说。",
            people="特朗普",
        ),
        "特朗普：关税、宣布、汽车",
        id="Chinese people",
    ),
    pytest.param(
        topic_in(
            "zh",
            "美国消费者价格上涨 | 美国消费者价格上涨超过预期。",
            "消费者价格上涨 美联储面临压力 | 美国的消费者价格再次上涨，美联储关注。",
            places="united states",
        ),
        "美国：消费者价格上涨、美联储",
        id="Chinese country in the spelling of the texts",
    ),
    pytest.param(
        topic_in(
            "zh",
            "OpenAI发布新模型 | OpenAI的新模型可以写代码。",
            "新模型来自OpenAI | OpenAI新模型写代码更快。",
            organizations="openai",
        ),
        "OpenAI：新模型、写代码",
        id="Latin name in Chinese",
    ),
    pytest.param(
        topic_in(
            "zh",
            "台风登陆福建 | 台风登陆福建，多地停课。",
            "福建多地停课 台风逼近 | 台风登陆后福建停课。",
            places="福建",
        ),
        "福建：台风登陆、多地停课",
        id="Chinese place",
    ),
    pytest.param(
        topic_in("zh", "虛擬資產保證金融資獲批 | 證監會批准虛擬資產保證金融資。虛擬資產平台歡迎。"),
        "虛擬資產",
        id="one Chinese article",
    ),
    pytest.param(topic_in("zh", "你好"), "你好", id="a Chinese title of one word"),
    pytest.param(
        topic_in(
            "zh",
            "大熊猫双胞胎亮相 | 动物园的大熊猫双胞胎亮相，游客排队。",
            "游客排队看大熊猫双胞胎 | 大熊猫双胞胎在动物园。",
        ),
        "大熊猫双胞胎、游客排队、动物园",
        id="Chinese without an entity",
    ),
    pytest.param(
        topic_in(
            "zh",
            "新华社：高铁新线开通 | 高铁新线开通，票价公布。",
            "高铁新线票价公布 | 高铁新线今天开通。",
            sources="新华社",
        ),
        "高铁新线、开通、票价公布",
        id="never the Chinese source",
    ),
    pytest.param(
        topic_in(
            "ja",
            "日銀が追加利上げを決定 | 日銀は追加利上げを決めた。市場は円高に動いた。",
            "追加利上げ、円高進む | 日銀の追加利上げで円高が進んだ。",
            organizations="日銀",
        ),
        "日銀：追加利上げ、円高",
        id="Japanese noun with kana inside",
    ),
    pytest.param(
        topic_in(
            "ja",
            "トヨタ、新型電池を公開 | トヨタは新型電池を公開した。",
            "新型電池でトヨタが攻勢 | トヨタの新型電池は航続距離が長い。",
            organizations="トヨタ",
        ),
        "トヨタ：新型電池",
        id="Japanese company in katakana",
    ),
    pytest.param(
        topic_in(
            "ja",
            "南海トラフ地震の臨時情報を発表 | 気象庁が南海トラフ地震の臨時情報を出した。",
            "臨時情報「南海トラフ地震」 気象庁 | 気象庁は臨時情報で注意を呼びかけた。",
        ),
        "臨時情報、南海トラフ地震、気象庁",
        id="Japanese mixed scripts",
    ),
    pytest.param(
        topic_in(
            "ja",
            "東京で初雪、交通に影響 | 東京で初雪を観測。電車が遅れた。",
            "初雪で電車に遅れ 東京 | 東京の初雪は平年より遅い。",
            places="東京",
        ),
        "東京：初雪、電車",
        id="Japanese place",
    ),
    pytest.param(
        topic_in("ja", "サッカー日本代表、決勝へ | 日本代表は決勝に進んだ。"),
        "日本代表、決勝",
        id="one Japanese article",
    ),
    pytest.param(
        topic_in(
            "ja",
            "米国が関税を発表 | 米国は自動車関税を発表した。",
            "自動車関税、米国が25％に | 米国の自動車関税に業界は反発。",
            places="united states",
        ),
        "米国：自動車関税",
        id="Japanese country in the spelling of the texts",
    ),
    pytest.param(
        topic_in(
            "th",
            "น้ำท่วมเชียงใหม่ ประชาชนอพยพ | น้ำท่วมเชียงใหม่หนัก",
            "น้ำท่วมเชียงใหม่ โรงเรียนปิด | โรงเรียนปิดเพราะน้ำท่วมเชียงใหม่",
        ),
        "น้ำท่วมเชียงใหม่, ประชาชนอพยพ",
        id="Thai",
    ),
]


@pytest.mark.parametrize(("topic", "expected"), TOPICS)
def test_is_what_a_reader_would_write(topic: TopicText, expected: str) -> None:
    assert label_of(topic) == expected
