"""Boilerplate, datelines and credits, and news that only resembles them."""

import pytest

from digests.summaries.boilerplate import is_balanced, is_boilerplate, is_cut_off, is_ended, is_prose
from digests.summaries.datelines import dateline_length, without_credit
from tests.tables import table

PHRASES = {
    "en": """
Sign up for our newsletter to get the latest news in your inbox.
Subscribe to our podcast for more.
Read more: Ten bridges that had to close.
Continue reading this story on our site.
Click here for the other sessions.
Follow us on Twitter and Facebook.
Follow Jane Doe on Twitter at @janedoe.
Share this with your friends!
We use cookies to improve your experience.
By clicking sign up, you agree to our terms.
By Jane Doe and John Roe.
By Jane Doe, Associated Press
The Associated Press contributed to this report.
Reporting by Jane Doe; Editing by John Roe.
Photo: Jane Doe.
A man looks at ships. Photo: Jane Doe/Getty Images.
A ship leaves the harbour in this file photo.
Image caption: The bridge in March.
Copyright 2024 The Harbour Post. All rights reserved.
This article was originally published on The Harbour Post.
A version of this article appeared in print on Monday.
The post Ten Bridges appeared first on The Harbour Post.
Advertisement
Related: Ten bridges that had to close.
Learn more about your ad choices. Visit megaphone.fm/adchoices.
This episode is brought to you by Acme.
Listen on Apple Podcasts or wherever you get your podcasts.
Thanks for reading, see you next week.
If you liked this post, please share it with a friend.
Let us know what you think in the comments below.
Jane Doe is a staff writer at The Harbour Post.
Your browser does not support the video tag.
As an Amazon Associate we earn from qualifying purchases.
For more information, visit the council's site.
Editor's note: A name was corrected.
Support us on Patreon to make more of this.
Check out our friends at Acme!
Enjoy all their photos below.
""",
    "de": """
Lesen Sie auch: Zehn Brücken in Not.
Von Anna Weber und Kim Lee
Foto: Anna Weber.
Melden Sie sich für unseren Newsletter an.
Abonnieren Sie unseren Kanal.
Mit Material von dpa und AFP.
Dieser Artikel erschien zuerst in der Hafenpost.
Alle Rechte vorbehalten.
Hinweis der Redaktion: Ein Name wurde berichtigt.
Das könnte Sie auch interessieren.
Diese Seite verwendet Cookies.
Anzeige
""",
    "fr": """
Lire aussi : Dix ponts en danger.
Par Jeanne Petit.
Abonnez-vous à notre newsletter pour tout savoir.
Pour aller plus loin, notre dossier.
Cet article est réservé aux abonnés.
Cet article a été initialement publié par le Courrier.
Nous utilisons des cookies.
Crédit photo : Anne Roy.
Tous droits réservés.
(Avec AFP)
""",
    "es": """
Lee también: Diez puentes en peligro.
Por Juan Pérez
Suscríbete a nuestro boletín.
Haz clic aquí para ver el vídeo.
Este artículo fue publicado originalmente en El Puerto.
Te puede interesar otra noticia.
Síguenos en nuestras redes.
Foto: Ana Ruiz.
Todos los derechos reservados.
Utilizamos cookies propias y de terceros.
""",
    "ru": """
Читайте также: Десять мостов.
Подписывайтесь на наш Telegram-канал.
Фото: Иван Иванов.
Ранее «Порт» писал о закрытии моста.
Если вы нашли ошибку, выделите её и нажмите Ctrl+Enter.
Все права защищены.
На правах рекламы.
Как ранее сообщал наш портал, мост закрыт.
""",
    "zh": """
点击这里阅读更多新闻。
责任编辑：张三
記者：陳大文
记者 张三
文／王小明
图为封闭的大桥。
关注我们的微信公众号。
本文来自港口日报。
版权所有，未经授权不得转载。
延伸閱讀：十座橋
更多精彩内容请下载客户端。
欢迎关注我们的频道。
""",
    "ja": """
続きを読む
関連記事：閉鎖された十の橋
詳しくはこちら。
写真＝山田太郎
文・山田花子
この記事は会員限定です。
無断転載を禁じます。
チャンネル登録をお願いします。
メルマガ登録はこちら。
※写真はイメージです。
【関連】十の橋
""",
}
NEWS = {
    "en": """
Readers can sign up for the service from Monday.
Subscribers to the paper rose by a tenth.
By the time he left, it was over.
By Monday the plan had failed.
Photos from the scene show smoke over the town.
Getty Images sued the company on Monday.
For more than ten years, the town waited.
To support the war effort, the council voted for it.
Cookies help the site to know who visits it.
The map shows where the bridge stood.
Copyright law will change in May.
More on those places next time!
Related companies have to report their loans.
Trending songs earn the most.
The image of the town has suffered.
""",
    "de": """
Werbung im Netz wird teurer.
Bilder aus dem Hafen zeigen den Schaden.
Von Anna Weber stammt der erste Entwurf.
Datenschutz ist Ländersache.
""",
    "fr": """
Par ailleurs, le maire a démissionné.
La publicité coûtera plus cher.
Partager un repas reste un luxe.
""",
    "es": """
Comparte escenario con su hermana.
Recibe el premio el lunes.
Por Madrid pasan tres líneas.
""",
    "ru": """
Подписка на газету подорожает.
Фото появилось в сети.
Как сообщили «Ведомостям» в компании, мост закрыт.
Реклама табака запрещена.
""",
    "zh": """
记者从外交部获悉，会议推迟到下周。
声明说，会议推迟。
图片显示大桥已经封闭。
编辑们反对这项计划。
""",
    "ja": """
シェアは30%に達した。
詳細は明らかになっていない。
広告費は前年より増えた。
写真展が東京で開かれている。
""",
}


def rows(table: dict[str, str]) -> list[object]:
    lines = [(language, line) for language, block in table.items() for line in block.strip().splitlines()]
    return [pytest.param(line, id=f"{language}-{n}") for n, (language, line) in enumerate(lines)]


@table("text", rows(PHRASES))
def test_detects_boilerplate(text: str) -> None:
    assert is_boilerplate(text)


@table("text", rows(NEWS))
def test_accepts_news_with_the_same_words(text: str) -> None:
    assert not is_boilerplate(text)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        pytest.param("Yes.", "en", id="one-word"),
        pytest.param("好的。", "zh", id="few-characters"),
        pytest.param("for note in notes: print(note.title) == 5", "en", id="code"),
        pytest.param("let total = sum(values);", "en", id="statement"),
        pytest.param(r"Here \(P(y)\) is the chance of the outcome.", "en", id="formula"),
        pytest.param("<b>Bold</b> words stand here in a row.", "en", id="markup"),
        pytest.param("Look at [this page](page.html) for the rest.", "en", id="markdown"),
        pytest.param("The list is at https://example.com/list for all.", "en", id="address"),
        pytest.param("Write to jane@example.com for the whole list.", "en", id="mail"),
        pytest.param("12 | 14 | 17 | 22 | 31 | 40.", "en", id="table"),
        pytest.param("ROAD CLOSED UNTIL FURTHER NOTICE.", "en", id="shouted"),
        pytest.param("(The council did not answer at once.)", "en", id="in-brackets"),
        pytest.param("• The council did not answer at once.", "en", id="bullet"),
        pytest.param("2. Boil the rice for ten minutes.", "en", id="item"),
        pytest.param("JANE: I do not know what to say.", "en", id="transcript"),
        pytest.param("“We had no choice and we left.", "en", id="half-a-quotation"),
        pytest.param("We had no choice,” she told us later.", "en", id="other-half"),
        pytest.param("Did shares fall on Monday?", "en", id="question"),
        pytest.param("Did shares fall on Monday?!", "en", id="shouted-question"),
        pytest.param("她问：“你明天去开会吗？”", "zh", id="zh-question"),
    ],
)
def test_rejects_what_is_not_prose(text: str, language: str) -> None:
    assert not is_prose(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        pytest.param("Nobody was hurt.", "en", id="short"),
        pytest.param("It rose 4.5% to $1,200 (£900) on Jan. 5.", "en", id="figures"),
        pytest.param("“We had no choice,” she told us.", "en", id="quotation"),
        pytest.param("At 10:30 the mayor, Ann Lee, said: “No.”", "en", id="time"),
        pytest.param("內地1月居民消費價格指數（CPI）按年升幅放緩至0.2%，比前月低0.6個百分點。", "zh", id="zh-figures"),
        pytest.param("「行きます。」と彼は言った。", "ja", id="ja-quotation"),
        pytest.param("„Wir gehen“, sagte sie um 5 Uhr.", "de", id="de-quotation"),
    ],
)
def test_accepts_prose(text: str, language: str) -> None:
    assert is_prose(text, language)


def test_accepts_capitals_if_the_whole_text_has_them() -> None:
    assert is_prose("THE COAST ROAD IS CLOSED.", "en", shouted=True)
    assert not is_prose("THE COAST ROAD IS CLOSED.", "en")


@pytest.mark.parametrize(
    ("text", "ended", "cut_off"),
    [
        pytest.param("It fell.", True, False, id="dot"),
        pytest.param("“It fell.”", True, False, id="in-quotation"),
        pytest.param("It fell", False, False, id="none"),
        pytest.param("The following fell:", False, False, id="colon"),
        pytest.param("It fell…", False, True, id="ellipsis"),
        pytest.param("It fell ...", False, True, id="three-dots"),
        pytest.param("It fell [...]", False, True, id="in-brackets"),
        pytest.param("Did it fall?", True, False, id="question"),
        pytest.param("Did it fall?!", True, False, id="shouted-question"),
        pytest.param("她问：“你去吗？”", True, False, id="zh-question"),
        pytest.param("門が開いた。", True, False, id="ja"),
    ],
)
def test_detects_end_marks(text: str, ended: bool, cut_off: bool) -> None:
    assert (is_ended(text), is_cut_off(text)) == (ended, cut_off)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        pytest.param("“a” and “b”", True, id="two"),
        pytest.param("“a and b", False, id="opened"),
        pytest.param("a” and “b", False, id="the-wrong-way"),
        pytest.param('"a" and "b"', True, id="straight"),
        pytest.param('"a" and "b', False, id="straight-opened"),
        pytest.param("„a“ und „b“", True, id="de"),
        pytest.param("»a« und »b«", True, id="de-guillemets"),
        pytest.param("« a » et « b »", True, id="fr"),
        pytest.param("「a」と「b", False, id="ja-opened"),
        pytest.param("(a) b)", False, id="bracket"),
        pytest.param("It’s the dogs’ own", True, id="apostrophes"),
        pytest.param("``a`` and ``b``", True, id="backticks"),
        pytest.param("``a'' and ``b''", True, id="backticks-and-apostrophes"),
        pytest.param("``a and b", False, id="backticks-opened"),
    ],
)
def test_detects_unbalanced_quotations(text: str, whole: bool) -> None:
    assert is_balanced(text) is whole


@table(
    ("dateline", "rest"),
    [
        pytest.param("GENEVA (AP) — ", "The council met in the old town hall.", id="ap"),
        pytest.param("NEW YORK, Jan. 5 (Reuters) - ", "Shares fell sharply on Monday.", id="reuters"),
        pytest.param("BEIJING, March 3 (Xinhua) -- ", "China said on Monday it was so.", id="xinhua"),
        pytest.param("FORDHAM, Bronx (WABC) -- ", "A boy was injured on Thursday.", id="station"),
        pytest.param("WASHINGTON — ", "The president said on Monday it was so.", id="place"),
        pytest.param("(Reuters) - ", "Shares fell sharply on Monday.", id="agency"),
        pytest.param("RANCHI: ", "Openers smashed hundreds on Monday.", id="colon"),
        pytest.param("Cape Town - ", "The controversy went on on Monday.", id="place-in-small-letters"),
        pytest.param("[Harbour Times] ", "The council met in the old town hall.", id="tag"),
        pytest.param("DUBAI, UAE - DUBAI, UAE (AP) - ", "Officials met on Monday in the hall.", id="twice"),
        pytest.param("Berlin (dpa) - ", "Die Regierung will am Montag beraten.", id="dpa"),
        pytest.param("Berlin/Bonn (dpa/lno) - ", "Die Regierung will am Montag beraten.", id="dpa-two-places"),
        pytest.param("PARIS (AFP) - ", "Le gouvernement a dit lundi que non.", id="afp"),
        pytest.param("Madrid, 5 ene (EFE).- ", "El Gobierno dijo el lunes que no.", id="efe"),
        pytest.param("МОСКВА, 5 янв — РИА Новости. ", "Правительство заявило об этом.", id="ria"),
        pytest.param("МОСКВА, 3 марта. /ТАСС/. ", "Правительство заявило об этом.", id="tass"),
        pytest.param("Москва. 5 марта. INTERFAX.RU - ", "Правительство заявило об этом.", id="interfax"),
        pytest.param(
            "新华社北京3月5日电（记者 张三）", "国务院总理今天在北京说，经济增长很快，大家很高兴。", id="xinhua-zh"
        ),
        pytest.param("（中央社記者王小明台北5日電）", "立法院今天三讀通過法案，自明年起實施，反應不一。", id="cna"),
        pytest.param("【東京＝山田太郎】", "政府は五日、新しい計画を発表した。次の会議は未定だ。", id="ja"),
        pytest.param("［東京 5日 ロイター］ - ", "政府は五日、新しい計画を発表した。会議は未定だ。", id="reuters-ja"),
        pytest.param("", "London is the capital and always was so.", id="no-dateline"),
        pytest.param("", "NASA - the space agency - said on Monday so.", id="no-place"),
        pytest.param("", "IBM — it said on Monday that it would.", id="goes-on-in-lower-case"),
        pytest.param("", "US President Joe Hill said on Monday - again - no.", id="dash-later"),
        pytest.param("", "【注意】会議は来週に延期された。場所は変わらない予定だ。", id="bracket-of-another-kind"),
    ],
)
def test_removes_only_the_dateline(dateline: str, rest: str) -> None:
    assert dateline_length(dateline + rest, is_first=True) == len(dateline)


def test_labels_are_datelines_in_first_paragraphs_only() -> None:
    assert dateline_length("JANE: Nobody knows what to say about it.") == 0


def test_keeps_a_dateline_without_text() -> None:
    assert dateline_length("GENEVA (AP) — Short.") == 0


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param("It fell. (Reuters)", "It fell.", id="agency"),
        pytest.param("Es fiel. (dpa/lno)", "Es fiel.", id="dpa"),
        pytest.param("他走了。（完）", "他走了。", id="zh-end"),
        pytest.param("So it is.[3]", "So it is.", id="footnote"),
        pytest.param("It fell (in 1999).", "It fell (in 1999).", id="no-credit"),
        pytest.param("(AP)", "(AP)", id="nothing-else"),
    ],
)
def test_removes_the_credit(text: str, kept: str) -> None:
    assert without_credit(text) == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Ann Brandt / POOL / AFP The bridge at Ostby has reopened.", "The bridge at Ostby has reopened."),
        ("Ann Brandt/Getty Images The bridge at Ostby has reopened.", "The bridge at Ostby has reopened."),
        (
            "Ferry will replace a ship that crews say suffers from leaks and low morale The ferry Ost has arrived in"
            " the harbour, where it takes over.",
            "The ferry Ost has arrived in the harbour, where it takes over.",
        ),
        (
            "The council told readers of a magazine that is published weekly by The Ostby Gazette of all the plans.",
            "The council told readers of a magazine that is published weekly by The Ostby Gazette of all the plans.",
        ),
        ("Reuters said that AP had closed the office.", "Reuters said that AP had closed the office."),
    ],
)
def test_cuts_what_is_glued_to_the_beginning(text: str, kept: str) -> None:
    assert without_credit(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "The mayor speaks to members of the media near the harbour in Ostby, on Wednesday, Aug. 19, 2026.",
        "Ann and Bo Brandt attended the regatta in Ostby, on Feb. 15, 2026.",
        "Channel 24's Ann Brandt reports from Ostby.",
        "Channel 24's Ann Brandt brings us more with this report.",
        "Ann Brandt reports from Ostby, Norway.",
        "Story by Ann Brandt.",
        "Details by Channel 24 correspondent in Ostby, Ann Brandt.",
        "We start the programme with the latest from Ostby.",
    ],
)
def test_captions_and_reporter_lines_are_boilerplate(text: str) -> None:
    assert is_boilerplate(text)


def test_news_with_dates_and_reports_is_no_boilerplate() -> None:
    assert not is_boilerplate("The mayor resigned on Aug. 19 after a vote.")
    assert not is_boilerplate("On Aug. 19, 2026, the mayor resigned after a vote.")
    assert not is_boilerplate("The harbour company reports a record profit of $3 million.")
