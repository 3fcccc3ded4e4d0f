"""What holds of any label, whatever the topic: hostile text, several topics at once, and properties."""

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from digests.labels import Member, TopicText, label_topics
from digests.labels.spaceless import TOKEN
from reader.interests.learning.stop_words import stop_words
from tests.digests.topics_to_label import centroid_of, label_of, parts_of, topic_in

LONG = "x" * 1000


def lone(title: str, text: str = "", language: str = "en", **names: tuple[str, ...]) -> TopicText:
    """A topic of one article."""
    members = [Member(title, text, language, "Morning Post", "post.example", names)]
    return TopicText(members, centroid_of(members))


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        pytest.param(TopicText([], []), "Untitled", id="no members"),
        pytest.param(lone(""), "Untitled", id="no title and no text"),
        pytest.param(lone("", "The and of. But"), "The and of. But", id="no title but a text"),
        pytest.param(lone("\x00\x1b\u200b\u202e"), "Untitled", id="a title of nothing visible"),
        pytest.param(
            lone("Oil\u202e spill\u2066 off\x07 Brittany\n\r"), "Brittany, oil spill", id="direction and bells"
        ),
        pytest.param(lone("Oil <b onclick='x'>spill</b> off <i>Brittany"), "Brittany, oil spill", id="markup"),
        pytest.param(lone("Oil spill http://evil.example/oil-spill @oil #spill"), "oil spill", id="addresses"),
        pytest.param(lone(f"{LONG[:900]} oil spill"), "oil spill", id="a word of 900 characters"),
        pytest.param(lone(LONG), LONG[:60] + "…", id="nothing but such a word"),
        pytest.param(lone("<<<>>> ((( ]]] ***"), "<<<>>> ((( ]]] ***", id="punctuation"),
        pytest.param(lone("🙂🙂"), "🙂🙂", id="pictures"),
        pytest.param(lone("Oil \ud800spill"), "oil spill", id="half a character"),
        pytest.param(
            lone("Oil spill", organizations=("a(b", "*", "", "  ", "[", "x" * 500, "oil\nspill", "\\")),
            "Oil spill",
            id="names that are none",
        ),
        pytest.param(
            TopicText(lone("Oil spill").members, [("nowhere", 1.0), ("", 0.0)]), "Oil spill", id="other terms"
        ),
        pytest.param(TopicText(lone("Oil spill").members, []), "Oil spill", id="no terms"),
        pytest.param(lone("2024 1,000 12:30 50%"), "2024 1,000 12:30 50%", id="numbers"),
    ],
)
def test_is_plain_text_whatever_comes(topic: TopicText, expected: str) -> None:
    assert label_of(topic) == expected


def test_reads_the_members_in_the_language_of_the_lead() -> None:
    english = topic_in("en", "Port strike in Riga | The port strike goes on.", "Riga port strike | Ships wait.")
    french = topic_in("fr", "Grève au port de Riga | La grève du port dure.")

    both = TopicText([*french.members, *english.members], [*english.terms, *french.terms])
    assert label_of(both) == "port de Riga"


def test_reads_the_first_of_very_many_members() -> None:
    few = topic_in("en", *["Oil spill off Brittany | The spill spreads."] * 40)
    many = TopicText([*few.members, *topic_in("en", *["Chess final in Oslo"] * 400).members], few.terms)

    assert label_of(many) == label_of(few) == "oil spill, Brittany"


def test_knows_from_other_topics_how_a_word_is_written() -> None:
    alone = topic_in("en", "Titanfall Servers Recover | Players return.", "Titanfall Servers Are Back | Players cheer.")
    other = topic_in("en", "Why we play Titanfall at night | A report on late players of Titanfall.")

    assert label_of(alone) == "titanfall servers, players"
    assert label_topics([alone, other])[0] == "Titanfall servers, players"


class TestSeveralTopics:
    """No two topics have one label."""

    def test_adds_the_next_distinguishing_term(self) -> None:
        first = topic_in("en", "Storm floods cellars, trams and parks in Bergen", places="bergen")
        second = topic_in("en", "Storm floods cellars, trams and farms in Bergen", places="bergen")
        terms = [("cellar", 0.5), ("tram", 0.4), ("storm", 0.3)]

        labels = label_topics(
            [TopicText(first.members, [*terms, ("park", 0.2)]), TopicText(second.members, [*terms, ("farm", 0.2)])]
        )
        assert labels == [
            "Bergen: storm floods cellars, trams, parks",
            "Bergen: storm floods cellars, trams, farms",
        ]

    def test_numbers_indistinguishable_labels(self) -> None:
        topic = topic_in("en", "Storm in Bergen", places="bergen")
        assert label_topics([topic] * 3) == ["Bergen: storm", "Bergen: storm (2)", "Bergen: storm (3)"]

    def test_numbers_titles_too(self) -> None:
        assert label_topics([lone("You and us"), lone("you AND us")]) == ["You and us", "you AND us (2)"]

    def test_keeps_the_order_of_the_topics(self) -> None:
        topics = [lone("Oil spill"), lone("Chess boom"), lone("Oil spill")]
        assert label_topics(topics) == ["oil spill", "chess boom", "oil spill (2)"]


WORDS = (
    "storm Storm storms STORM harbour Harbour ferry ferries strike strikes Riga Oslo Bergen Anna Lind Nordbank "
    "interest rates rate e-mail Wi-Fi it's Riga's the and of in said says told according read more video live update "
    "Monday January 2024 12 5G Zorbex zorbex Daily New new US us die der nicht pour avec " + "y" * 60
).split()
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=0, max_size=12).map(" ".join)
NAMES = st.lists(
    st.sampled_from(["riga", "oslo", "anna lind", "lind", "nordbank", "zorbex", "united states"]), max_size=3
)


@st.composite
def members(draw: st.DrawFn, language: str) -> Member:
    names = {kind: tuple(draw(NAMES)) for kind in ("people", "organizations", "places")}
    return Member(draw(SENTENCES), draw(SENTENCES), language, "Zorbex Daily", "zorbex.example", names)


@st.composite
def topics(draw: st.DrawFn, language: str = "") -> TopicText:
    language = language or draw(st.sampled_from(["en", "de", "fr", "ru", "zh", "ja", "th", "ko", "xx"]))
    found = draw(st.lists(members(language), min_size=1, max_size=5))
    return TopicText(found, centroid_of(found))


SPACED = st.sampled_from(["en", "de", "fr"])


def is_the_title(label: str, topic: TopicText) -> bool:
    """Whether a label is the title, or the text, in place of terms."""
    lead = topic.members[0]
    return f"{lead.title}\n{lead.text}\nUntitled".casefold().find(label.rstrip("…").casefold()) >= 0


def words_of_label(label: str) -> list[str]:
    return [word.strip(",:").casefold().removesuffix("'s") for word in label.split()]


class TestProperties:
    """Over topics of words that labels must not have, too."""

    @given(topics())
    def test_has_1_to_120_characters_on_one_line(self, topic: TopicText) -> None:
        label = label_of(topic)

        assert 1 <= len(label) <= 120
        assert label == " ".join(label.split())

    @given(st.lists(st.text(max_size=80), min_size=1, max_size=4), st.sampled_from(["en", "ru", "zh", "ja", "th", ""]))
    def test_has_no_invisible_characters(self, titles: list[str], language: str) -> None:
        found = [Member(title, title, language, "", "", {}) for title in titles]
        label = label_of(TopicText(found, centroid_of(found)))

        assert label.strip()
        assert len(label) <= 120
        assert not {unicodedata.category(each) for each in label if each not in "\u200c\u200d"} & {
            "Cc",
            "Cf",
            "Cs",
            "Zl",
        }

    @given(SPACED.flatmap(topics))
    def test_repeats_no_word(self, topic: TopicText) -> None:
        label = label_of(topic)
        assume(not is_the_title(label, topic))

        said = words_of_label(label)
        assert len(set(said)) == len(said)

    @given(SPACED.flatmap(topics))
    def test_has_no_empty_term(self, topic: TopicText) -> None:
        label = label_of(topic)
        assume(not is_the_title(label, topic))

        empty = stop_words(topic.members[0].language) - {"new"}  # as in "New York"
        for part in list(parts_of(label))[1 if ": " in label else 0 :]:
            first, *_, last = [*part.casefold().split(), part.casefold().split()[-1]]
            assert part.casefold() not in empty
            assert first not in empty
            assert last not in empty

    @given(SPACED.flatmap(topics))
    def test_has_no_number_day_or_month_alone(self, topic: TopicText) -> None:
        label = label_of(topic)
        assume(not is_the_title(label, topic))
        assume(len(words_of_label(label)) > 1)

        assert not {"2024", "12", "Monday", "January"} & set(parts_of(label))

    @given(SPACED.flatmap(topics))
    def test_never_names_the_source(self, topic: TopicText) -> None:
        label = label_of(topic)
        assume(not is_the_title(label, topic))

        assert "zorbex" not in words_of_label(label)

    @given(st.lists(topics(), max_size=5))
    def test_gives_no_two_topics_one_label(self, several: list[TopicText]) -> None:
        labels = label_topics([*several, *several])

        assert len(labels) == 2 * len(several)
        assert len({label.casefold() for label in labels}) == len(labels)
        assert all(1 <= len(label) <= 120 for label in labels)


@pytest.mark.parametrize("text", ["0" * 400_000, "0" * 400_000 + " x"], ids=["alone", "and a word"])
def test_long_digits_are_parsed_quickly(text: str) -> None:
    """Would take half an hour if each digit were tried to the end; the suite's own patience is the limit."""
    assert {match["atom"] for match in TOKEN.finditer(text)} <= {None, "x"}
