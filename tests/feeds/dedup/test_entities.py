import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.dedup.entities import Kind, Names, Overlap, is_name, name_keys, names_from, normalized, overlap
from tests.tables import table

NORMALIZED = {
    "plain": ("Angela Merkel", "angela merkel"),
    "title": ("President Donald Trump", "donald trump"),
    "two_titles": ("Sen. Dr. Jane Doe", "jane doe"),
    "title_alone_stays": ("President", "president"),
    "possessive": ("Johnson's", "johnson"),
    "possessive_typographic": ("Johnson’s", "johnson"),
    "possessive_after_s": ("the Angels'", "angels"),
    "leading_article": ("The New York Times", "new york times"),
    "article_alone_stays": ("The", "the"),
    "legal_form": ("Advanced Micro Devices, Inc.", "advanced micro devices"),
    "two_legal_forms": ("Beispiel GmbH & Co. KG", "beispiel"),
    "legal_form_before": ("ПАО «Газпром»", "газпром"),
    "chinese_company_stays": ("苹果公司", "苹果公司"),
    "abbreviation": ("U.S.", "us"),
    "abbreviation_with_spaces": ("U. S. Geological Survey", "us geological survey"),
    "initials": ("J. K. Rowling", "jk rowling"),
    "short_form_with_dot": ("St. Louis", "st louis"),
    "domain_stays": ("Booking.com", "booking.com"),
    "accents_stay": ("Pedro Sánchez", "pedro sánchez"),
    "full_width": ("ＡＢＣ", "abc"),
    "white_space": ("New\nYork  City ", "new york city"),
    "quotes_around": ("“Der Spiegel”", "der spiegel"),
    "only_punctuation": ("—…", ""),
    "empty": ("", ""),
}  # fmt: skip


@table(("name", "expected"), NORMALIZED.values(), ids=NORMALIZED)
def test_normalizes(name: str, expected: str) -> None:
    assert normalized(name) == expected


@given(st.text(max_size=40))
def test_normalized_names_have_no_case_or_outer_spaces(name: str) -> None:
    assert normalized(name) == normalized(name).strip()


NO_NAMES = {
    "empty": "", "one_letter": "x", "day": "monday", "month_and_number": "march 3", "number": "2026",
    "function_word": "the", "trade": "ai", "agency": "associated press", "title": "president",
    "seven_words": "ada lovelace walks again through old london",
}  # fmt: skip


@pytest.mark.parametrize("name", NO_NAMES.values(), ids=NO_NAMES)
def test_omits_words_that_are_no_names(name: str) -> None:
    assert not is_name(name)


@pytest.mark.parametrize("name", ["ibm", "may fair", "3m", "bank of japan", "中国", "117th street"])
def test_keeps_names_with_numbers_and_common_words(name: str) -> None:
    assert is_name(name)


def names(people: str = "", organizations: str = "", places: str = "") -> Names:
    """Names given as strings with commas."""
    return Names(*(frozenset(filter(None, kind.split(", "))) for kind in (people, organizations, places)))


OVERLAPS = {
    "same": (names("ada lovelace", "", "london"), names("ada lovelace", "", "london"), 1.0, ("ada lovelace", "london")),
    "brief_and_long": (
        names("ada lovelace", "", "london"),
        names("ada lovelace, charles babbage", "royal society", "london, paris"),
        1.0,
        ("ada lovelace", "london"),
    ),
    "four_of_five": (
        names(places="a1, a2, a3, a4, a5"), names(places="a1, a2, a3, a4, b1, b2"), 0.8, ("a1", "a2", "a3", "a4")
    ),
    "nothing_shared": (names("ada lovelace"), names("alan turing"), 0.0, ()),
    "one_empty": (names("ada lovelace"), names(), 0.0, ()),
    "both_empty": (names(), names(), 0.0, ()),
    "surname_for_full_name": (names("trump"), names("donald trump"), 1.0, ("donald trump",)),
    "first_name_for_full_name": (names("greta"), names("greta thunberg"), 1.0, ("greta thunberg",)),
    "ambiguous_surname": (names("trump"), names("donald trump, melania trump"), 0.0, ()),
    "ambiguous_across_articles": (names("trump, donald trump"), names("melania trump"), 0.0, ()),
    "surname_in_full_name_of_another_kind": (names("", "corbyn"), names("jeremy corbyn"), 1.0, ("jeremy corbyn",)),
    "club_by_its_last_word": (names("", "saints"), names("", "new orleans saints"), 1.0, ("new orleans saints",)),
    "place_is_no_short_form": (names(places="sudan"), names("", "south sudan"), 0.0, ()),
    "initial_and_suffix": (names("martin l king jr"), names("martin king"), 1.0, ("martin king",)),
    "arabic_article": (names("bashar al-assad"), names("assad"), 1.0, ("bashar al-assad",)),
    "other_kind": (names("anthem"), names("", "anthem"), 1.0, ("anthem",)),
    "abbreviation_of_country": (names(places="us"), names(places="united states"), 1.0, ("united states",)),
    "people_of_country": (names(places="americans"), names("", "usa"), 1.0, ("united states",)),
    "country_in_other_languages": (names(places="германии"), names(places="deutschland"), 1.0, ("germany",)),
    "organization_by_abbreviation": (names("", "un"), names("", "united nations"), 1.0, ("united nations",)),
    "russian_cases": (
        names("владимир путин", "", "москва"), names("путина, владимиром путиным", "", "москве"), 1.0,
        ("владимир путин", "москва"),
    ),
    "german_man_is_not_germany": (names("герман"), names(places="германия"), 0.0, ()),
    "chinese": (names("王毅", "外交部", "中国"), names("王毅", "", "中国"), 1.0, ("china", "王毅")),
}  # fmt: skip


@table(("ours", "theirs", "share", "shared"), OVERLAPS.values(), ids=OVERLAPS)
def test_overlaps(ours: Names, theirs: Names, share: float, shared: tuple[str, ...]) -> None:
    assert overlap(ours, theirs) == Overlap(share, shared)
    assert overlap(theirs, ours) == Overlap(share, shared)


SOME = st.sampled_from(
    ["ada", "lovelace", "ada lovelace", "king lovelace", "us", "american", "путин", "путина", "sudan"]
)
ARTICLES = st.builds(Names, *([st.frozensets(SOME, max_size=4)] * 3))


@given(ARTICLES, ARTICLES)
def test_overlap_is_symmetric_and_a_share(ours: Names, theirs: Names) -> None:
    result = overlap(ours, theirs)
    assert result == overlap(theirs, ours)
    assert 0 <= result.share <= 1
    assert (result.share > 0) == bool(result.shared)


@given(ARTICLES)
def test_an_article_overlaps_itself_fully(article: Names) -> None:
    assert overlap(article, article).share == (1.0 if article.all else 0.0)


@given(ARTICLES, ARTICLES)
def test_without_a_word_in_common_no_two_names_are_the_same(ours: Names, theirs: Names) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("feeds.dedup.entities._words", lambda names: frozenset({"the same"}))
        compared = overlap(ours, theirs)
    assert overlap(ours, theirs) == compared


KEYS = {
    "surnames_of_people": (names("donald trump, merkel"), ("merkel", "trump")),
    "suffix_is_no_surname": (names("martin king jr"), ("king",)),
    "whole_names_of_others": (names("", "new orleans saints", "new york"), ("new orleans saints", "new york")),
    "canonical_places": (names("", "", "us, americans, сша"), ("united states",)),
    "russian_cases": (names("владимиром путиным", "", "москве"), ("москв", "путин")),
    "none": (names(), ()),
}


@pytest.mark.parametrize(("article", "expected"), KEYS.values(), ids=KEYS)
def test_gives_keys_for_blocking(article: Names, expected: tuple[str, ...]) -> None:
    assert name_keys(article) == expected


MENTIONS: dict[str, tuple[list[tuple[Kind, str]], Names]] = {
    "kinds": (
        [("people", "Ada Lovelace"), ("organizations", "The Royal Society"), ("places", "London")],
        names("ada lovelace", "royal society", "london"),
    ),
    "fullest_form": ([("people", "Trump"), ("people", "Donald Trump"), ("people", "Trump's")], names("donald trump")),
    "kind_of_the_full_form": (
        [("organizations", "Turing"), ("organizations", "Turing"), ("people", "Alan Turing")], names("alan turing")
    ),
    "kind_by_majority": (
        [("places", "Nvidia"), ("organizations", "Nvidia"), ("organizations", "Nvidia")], names("", "nvidia")
    ),
    "people_win_ties": ([("organizations", "Anthem"), ("people", "Anthem")], names("anthem")),
    "country_is_a_place": ([("organizations", "US"), ("people", "American")], names(places="united states")),
    "known_organization": ([("places", "EU")], names("", "european union")),
    "no_names": ([("places", "Monday"), ("people", "—"), ("organizations", "AI")], names()),
    "russian_cases": (
        [("people", "Путина"), ("people", "Владимиром Путиным"), ("people", "Владимир Путин")], names("владимир путин")
    ),
    "none": ([], names()),
}  # fmt: skip


@pytest.mark.parametrize(("mentions", "expected"), MENTIONS.values(), ids=MENTIONS)
def test_gathers_mentions(mentions: list[tuple[Kind, str]], expected: Names) -> None:
    assert names_from(mentions) == expected


def test_round_trips_through_json() -> None:
    article = names("ada lovelace, путин", "royal society", "london, 中国")
    assert article.as_json() == {
        "people": ["ada lovelace", "путин"],
        "organizations": ["royal society"],
        "places": ["london", "中国"],
    }
    assert Names.from_json(article.as_json()) == article
    assert Names.from_json({}) == names()


def test_all_holds_every_kind() -> None:
    assert names("ada", "ibm", "rome").all == {"ada", "ibm", "rome"}
