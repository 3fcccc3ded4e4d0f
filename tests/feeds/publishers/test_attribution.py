"""Who says it: publisher, name and tier."""

import pytest

from feeds.models import Source
from feeds.publishers.attribution import Attribution, attribute, attribution_of, attribution_of_feed, source_name
from tests import make

PAPER = {"domain": "paper.example", "name": "Paper", "tier": 2}
UNKNOWN = {"domain": "blog.example", "name": "", "tier": None}
NOBODY = {"domain": None, "name": None, "tier": None}
FEED = {"feed_id": 7, "feed_tier": None, "is_added_by_hand": False}
GONE = {"feed_id": None, "feed_tier": None, "is_added_by_hand": None}


@pytest.mark.parametrize(
    ("source", "feed", "expected"),
    [
        pytest.param(PAPER, FEED, Attribution("paper.example", "Paper", 2), id="the publisher's"),
        pytest.param(PAPER, {**FEED, "feed_tier": 4}, Attribution("paper.example", "Paper", 4, True), id="the feed's"),
        pytest.param(PAPER, {**FEED, "is_added_by_hand": True}, Attribution("paper.example", "Paper", 2), id="known"),
        pytest.param(PAPER, GONE, Attribution("paper.example", "Paper", 2), id="without a feed"),
        pytest.param(UNKNOWN, FEED, Attribution("blog.example", "blog.example", 5), id="unknown"),
        pytest.param(
            UNKNOWN, {**FEED, "is_added_by_hand": True}, Attribution("blog.example", "blog.example", 4), id="by hand"
        ),
        pytest.param(UNKNOWN, GONE, Attribution("blog.example", "blog.example", 5), id="unknown without a feed"),
        pytest.param(
            {**UNKNOWN, "domain": "medium.com"}, FEED, Attribution("feed 7", "medium.com", 5), id="an account"
        ),
        pytest.param(
            {"domain": "youtube.com", "name": "", "tier": 5}, {**FEED, "is_added_by_hand": True},
            Attribution("feed 7", "youtube.com", 5), id="an account of a platform with a tier",
        ),
        pytest.param(NOBODY, FEED, Attribution("feed 7", "", 5), id="nobody"),
        pytest.param(NOBODY, GONE, Attribution("", "", 5), id="nothing"),
    ],
)  # fmt: skip
def test_says_who_says_it(source: dict[str, object], feed: dict[str, object], expected: Attribution) -> None:
    assert attribute(**source, **feed) == expected  # type: ignore[arg-type]


@pytest.mark.django_db
def test_an_article_and_its_feed_are_of_one_publisher() -> None:
    feed = make.feed("https://feeds.bbci.co.uk/news/rss.xml", publisher=Source.objects.get(domain="bbc.co.uk"))
    article = make.article(feed=feed)
    assert attribution_of(article) == attribution_of_feed(feed) == Attribution("bbc.co.uk", "BBC News", 2)


@pytest.mark.parametrize(
    ("own", "publisher", "title", "name"),
    [
        pytest.param("", "Al Jazeera", "Al Jazeera – News from Al Jazeera", "Al Jazeera", id="the publisher's"),
        pytest.param("", "", "Ada's blog", "Ada's blog", id="the feed's"),
        pytest.param("", None, "", "", id="none"),
        pytest.param("Morning paper", "NDTV", "NDTV News", "Morning paper", id="the user's own"),
        pytest.param("Morning paper", "", "Ada's blog", "Morning paper", id="the user's own, publisher unknown"),
        pytest.param("NYT > World", "The New York Times", "NYT > World", "The New York Times", id="as published"),
        pytest.param("NDTV News Search Records Found 1000", "NDTV", "NDTV", "NDTV", id="longer than the publisher's"),
        pytest.param("BBC NEWS – World", "BBC News", "BBC News", "BBC News", id="in other case"),
        pytest.param("Natural history", "Nature", "nature", "Natural history", id="only begins like it"),
    ],
)
def test_a_source_has_the_users_or_the_publishers_name(own: str, publisher: str | None, title: str, name: str) -> None:
    assert source_name(own, publisher, title) == name
