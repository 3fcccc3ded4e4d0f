import pytest

from feeds.dedup.entities import Names
from feeds.dedup.entity_rules import is_title_case, rule_names
from tests.tables import table


def names(people: str = "", organizations: str = "", places: str = "") -> Names:
    """Names given as strings with commas."""
    return Names(*(frozenset(filter(None, kind.split(", "))) for kind in (people, organizations, places)))


ARTICLES = {
    "spanish": (
        "Pedro Sánchez viaja a Bruselas",
        "El presidente Pedro Sánchez se reunió en Bruselas con Ursula von der Leyen. Según Sánchez, la Unión Europea y "
        "el Banco de España apoyan el plan. Los ministros de Francia e Italia no asistieron.",
        "es",
        names("pedro sánchez", "bruselas, ursula von der leyen, european union, banco de españa", "france, italy"),
    ),
    "italian_elision": (
        "", "Il governo dell'Italia e la giunta di Roma discutono con Mario Draghi.", "it",
        names("", "roma, mario draghi", "italy"),
    ),
    "german_nouns": (
        "",
        "Bundeskanzlerin Angela Merkel reiste am Montag nach Berlin. Merkel traf dort Präsident Emmanuel Macron. Die "
        "Regierung und die SPD lehnten den Vorschlag ab. US-Präsident Donald Trump kritisierte Deutschland.",
        "de",
        names("angela merkel, emmanuel macron, donald trump", "berlin, spd", "united states, germany"),
    ),
    "german_compound_title": (
        "", "Am Abend sprach Außenministerin Annalena Baerbock in Hamburg mit Menschen.", "de",
        names("annalena baerbock", "hamburg"),
    ),
    "german_genitive_parts_names": (
        "", "Sie sprach mit dem Präsidenten von Frankreich, dem Vertreter der Firma und Karl von der Heide.", "de",
        names("", "karl von der heide", "france"),
    ),
    "russian_cases": (
        "Путин провел переговоры с Эрдоганом",
        "Президент России Владимир Путин встретился в Москве с Реджепом Эрдоганом. Встреча Путина прошла в Кремле. "
        "Ранее МИД РФ сообщил о визите. Эксперты считают, что Турция и США договорятся.",
        "ru",
        names("владимир путин, реджепом эрдоганом", "москве, кремле, мид", "russia, turkey, united states"),
    ),
    "russian_initial": ("", "Вчера на заводе побывал В. Путин и директор.", "ru", names("", "в путин")),
    "greek": (
        "", "Ο πρωθυπουργός Κυριάκος Μητσοτάκης μίλησε στην Αθήνα για τη Θεσσαλονίκη.", "el",
        names("", "κυριάκος μητσοτάκης, αθήνα, θεσσαλονίκη"),
    ),
    "chinese": (
        "苹果公司在深圳市召开发布会",
        "美国总统特朗普表示，将对中国加征关税。外交部发言人王毅表示反对。OpenAI 发布了 GPT-5 模型，"
        "《人民日报》报道。北京大学的研究人员在广东省工作。埃隆·马斯克没有回应。",
        "zh",
        names(
            "特朗普, 王毅, 埃隆·马斯克",
            "苹果公司, 外交部, openai, gpt-5, 人民日报, 北京大学",
            "united states, china, 广东, 深圳",
        ),
    ),
    "chinese_market_is_no_city": ("", "今日收市，呼籲市民注意。", "zh", names()),
    "japanese": (
        "トヨタ自動車がアメリカで新工場",
        "岸田首相は東京都で会見し、イーロン・マスク氏と会談した。"
        "ソフトバンクのサービスは京都大学と大阪市で始まる。「鬼滅の刃」も話題だ。",
        "ja",
        names(
            "岸田, イーロン・マスク", "トヨタ自動車, ソフトバンク, 京都大学, 鬼滅の刃", "united states, 東京都, 大阪市"
        ),
    ),
    "sentence_start_is_no_name": ("", "Gisteren regende het. Kinderen bleven thuis.", "nl", names()),
    "seen_in_lower_case_is_no_name": ("", "Por eso el Gobierno actuó. Un gobierno así dura poco.", "es", names()),
    "sentence_start_that_is_a_name_elsewhere": (
        "", "Lisboa cresce. Quem vive em Lisboa sabe.", "pt", names("", "lisboa")
    ),
    "title_case_headline_says_nothing": (
        "Big Fire Destroys Old Factory", "Un incendio en Sevilla.", "es", names("", "sevilla")
    ),
    "headline_in_capitals_says_nothing": ("ПОЖАР В САМАРЕ", "Огонь в Самаре потушен.", "ru", names("", "самаре")),
    "headline_alone": ("Accordo tra Roma e Parigi", "", "it", names("", "roma, parigi")),
    "acronym": ("", "La OTAN y la ONU coinciden con IBM.", "es", names("", "nato, united nations, ibm")),
    "shouting_is_no_acronym": ("", "Esto es INACEPTABLE para todos.", "es", names()),
    "comma_parts_names": ("", "Llegaron a Sevilla, Toledo y Burgos.", "es", names("", "sevilla, toledo, burgos")),
    "no_capitals": ("", "أعلنت الحكومة عن خطة جديدة", "ar", names()),
    "unknown_language": ("", "ieri a Torino con Luca Rossi", "", names("", "torino, luca rossi")),
    "empty": ("", "", "", names()),
    "empty_chinese": ("", "", "zh", names()),
}  # fmt: skip


@table(("title", "text", "language", "expected"), ARTICLES.values(), ids=ARTICLES)
def test_finds_names(title: str, text: str, language: str, expected: Names) -> None:
    assert rule_names(title, text, language) == expected


HEADLINES = {
    "title_case": ("Angela Merkel Walks Through Lisbon", True),
    "with_small_words": ("The House of the Rising Sun Burns Down", True),
    "sentence_case": ("Angela Merkel walks through the old town", False),
    "too_short_to_tell": ("Angela Merkel", False),
    "no_letters": ("2026: 1 – 2", False),
    "empty": ("", False),
}


@pytest.mark.parametrize(("line", "expected"), HEADLINES.values(), ids=HEADLINES)
def test_knows_headlines_in_title_case(line: str, expected: bool) -> None:
    assert is_title_case(line) is expected
