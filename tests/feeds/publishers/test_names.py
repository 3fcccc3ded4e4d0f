"""Feed titles: a title that belongs to another publisher also shows the feed's domain."""

import pytest

from feeds.models import Feed
from feeds.publishers.names import distinct_name, distinct_title, name_key, name_without_domain
from tests import make

IMITATIONS = {
    "the same": "BBC News",
    "case": "bbc news",
    "spaces and marks": "B.B.C. – News",
    "Cyrillic": "ВВС Nеws",
    "Greek": "ΒΒC Νews",
    "full width": "ＢＢＣ Ｎｅｗｓ",
    "bold letters": "𝐁𝐁𝐂 𝐍𝐞𝐰𝐬",
    "zero width": "B\u200bB\u200dC\ufeff News",
    "grapheme joiner": "BB\u034fC News",
    "bidi override": "\u202eBBC News\u202c",
    "filler": "BBC\u3164 News",
    "tags": "BBC\U000e0041 News",
    "markup": "<b>BBC</b> News",
    "encoded markup": "&lt;b&gt;BBC&lt;/b&gt; &amp;#78;ews",
    "an article": "The BBC",
    "words that say nothing": "BBC - Latest World Headlines",
}


@pytest.mark.django_db
@pytest.mark.parametrize("title", IMITATIONS.values(), ids=IMITATIONS)
def test_another_publishers_name_shows_the_domain(title: str) -> None:
    shown = distinct_title(make.feed("https://liar.example/feed"), title, origin="liar.example")
    assert shown.endswith(" (liar.example)")
    assert not set(shown) & set("<>\u200b\u202e\u202c\ufeff")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("title", "origin"),
    [
        ("BBC News", "bbc.co.uk"),
        ("BBC News", "bbci.co.uk"),
        ("NYT > World News", "nytimes.com"),
        ("Harbour Watch", "liar.example"),
        ("BBCode weekly", "liar.example"),
        ("港の便り", "liar.example"),
        ("", "liar.example"),
        ("!!!", "liar.example"),
    ],
)
def test_any_other_name_stays_as_it_is(title: str, origin: str) -> None:
    assert distinct_title(make.feed(f"https://{origin}/feed"), title, origin=origin) == title


@pytest.mark.django_db
def test_the_later_of_two_feeds_with_one_name_shows_its_domain() -> None:
    make.feed("https://harbour.example/feed", title="Harbour Watch", name_key=name_key("Harbour Watch"))
    imitating = make.feed("https://liar.example/feed")
    sibling = make.feed("https://blog.harbour.example/feed", source=make.source("harbour.example"))
    assert distinct_title(imitating, "Hаrbоur  Wаtch!", origin="liar.example") == "Hаrbоur Wаtch! (liar.example)"
    assert distinct_title(sibling, "Harbour Watch", origin="harbour.example") == "Harbour Watch"
    first = Feed.objects.order_by("pk")[0]
    Feed.objects.filter(pk=imitating.pk).update(name_key=name_key("Harbour Watch"))
    assert distinct_title(first, "Harbour Watch", origin="harbour.example") == "Harbour Watch"


@pytest.mark.django_db
def test_a_long_name_keeps_its_domain() -> None:
    shown = distinct_title(make.feed("https://liar.example/feed"), "BBC" + " news" * 80, origin="liar.example")
    assert (len(shown) <= 300, shown[-15:]) == (True, " (liar.example)")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("BBC News (bbc.co.uk)", "BBC News (bbc.co.uk) (liar.example)"),
        ("Harbour Watch (harbour.example)", "Harbour Watch (harbour.example) (liar.example)"),
        ("BBC News (liar.example)", "BBC News (liar.example)"),
        ("Harbour Watch (liar.example)", "Harbour Watch"),
    ],
)
def test_title_cannot_imitate_the_domain(title: str, shown: str) -> None:
    feed = make.feed("https://liar.example/feed")
    assert distinct_title(feed, title, origin="liar.example") == shown
    assert distinct_name(title, origin="liar.example") == shown


def test_a_name_from_a_list_shows_the_domain_of_its_feed() -> None:
    assert distinct_name("BBC News", origin="liar.example") == "BBC News (liar.example)"
    assert distinct_name("BBC News", origin="bbci.co.uk") == "BBC News"
    assert distinct_name("Morning paper", origin="liar.example") == "Morning paper"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("title", "origin", "shown"),
    [
        ("RSS", "blog.example", "blog.example"),
        ("Latest News", "ndtv.com", "NDTV"),
        ("Top Stories", "abc.net.au", "ABC News (Australia)"),
    ],
)
def test_title_that_says_nothing_is_replaced_also_from_a_list(title: str, origin: str, shown: str) -> None:
    assert distinct_title(make.feed(f"https://{origin}/feed"), title, origin=origin) == shown
    assert distinct_name(title, origin=origin) == shown


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("title", "origin", "shown"),
    [
        ("NDTV News Search Records Found 1000", "ndtv.com", "NDTV"),
        ("Al Jazeera – Breaking News, World News and Video from Al Jazeera", "aljazeera.com", "Al Jazeera"),
        ("BBC News – World", "bbc.co.uk", "BBC News – World"),
        ("The 100 greatest boats", "bbc.co.uk", "The 100 greatest boats"),
        ("A blog with a title that is much longer than the list is wide", "blog.example", None),
    ],
)
def test_title_that_says_too_much_is_replaced(title: str, origin: str, shown: str | None) -> None:
    assert distinct_title(make.feed(f"https://{origin}/feed"), title, origin=origin) == (shown or title)
    assert distinct_name(title, origin=origin) == title  # from a list, it may be the user's own


def test_the_domain_can_be_removed() -> None:
    assert name_without_domain("Harbour Watch (liar.example)") == "Harbour Watch"
    assert name_without_domain("Harbour Watch (the blog)") == "Harbour Watch (the blog)"
