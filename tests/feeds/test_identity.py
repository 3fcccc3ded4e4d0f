"""Which entries are one article: links and guids that several entries share, and corrections."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feeds.models import Article, Feed, Item, Poll
from feeds.normalizing.identity import Mark, pack_marks, unpack_marks
from feeds.storage import ingest
from tests.feeds.reported import Reported, item, rss, stored

pytestmark = pytest.mark.django_db

STATUS = "https://status.example/"
SITE = "https://paper.example/"
OTHER = "https://planet.example/feed.xml"


@pytest.fixture
def reported(client: Client) -> Reported:
    return Reported(client)


def incident(number: int, **elements: str) -> str:
    """An incident of a status page, unlike the others."""
    title, body = [
        ("API errors in Oslo", "Requests from the north fail since this morning; the team is looking into it."),
        ("Billing portal down", "Invoices can't be seen on Sunday night while a database moves to another building."),
        ("Uploads work again", "A certificate had expired, so buckets in Singapore refused files for nine minutes."),
        ("New region opens", "Customers in Chile can start machines near home from the first of next month."),
    ][number]
    return item(title, body, **{"link": STATUS, "guid": f"inc-{number}", **elements})


def texts(reported: Reported) -> dict[str, str]:
    return {seen.title: seen.text for seen in reported.list()}


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({}, id="link of another page"),
        pytest.param({"link": SITE}, id="link of the site"),
        pytest.param({"link": f"{SITE}?utm_source=rss"}, id="link of the site with a tracker"),
        pytest.param({"guid": ""}, id="no guid"),
        pytest.param({"guid": "", "link": SITE}, id="no guid, link of the site"),
        pytest.param({"guid": "", "link": ""}, id="neither guid nor link"),
        pytest.param({"guid": "same"}, id="one guid"),
        pytest.param({"guid": "same", "link": ""}, id="one guid, no link"),
    ],
)
@pytest.mark.parametrize("window", [1, 2, 4], ids=["one at a time", "two at a time", "all at once"])
def test_entries_with_one_link_are_articles_of_their_own(
    reported: Reported, changed: dict[str, str], window: int
) -> None:
    versions = [rss(*(incident(n, **changed) for n in range(end - window, end))) for end in range(window, 5)]
    reported.read(*versions)
    assert len(texts(reported)) == 4
    for number in range(4):
        alone = incident(number)
        assert [text for title, text in texts(reported).items() if title in alone and text in alone] != []
    assert len(reported.read(*reversed(versions), *versions)) == 4


def test_a_new_entry_leaves_the_read_one_alone(reported: Reported) -> None:
    [old] = reported.read(rss(incident(0)))
    old.open()
    seen = {each.title: each for each in reported.read(rss(incident(1), incident(0)))}
    assert (seen["API errors in Oslo"].is_read, seen["Billing portal down"].is_read) == (True, False)
    assert seen["API errors in Oslo"].text.startswith("Requests from the north")
    assert not seen["API errors in Oslo"].is_updated


@pytest.mark.parametrize("guid", ["{link}", "release-{n}", ""], ids=["link", "number", "none"])
@pytest.mark.parametrize(
    "link",
    [
        "https://tools.example/log.html#v{n}",
        "https://deals.example/go?ref=100{n}",
        "https://mail.example/archive?utm_content=issue{n}",
        "https://shop.example/item.php?source={n}",
    ],
    ids=["anchor", "ref", "utm", "source"],
)
def test_whatever_tells_two_entries_apart_stays_in_the_link(reported: Reported, link: str, guid: str) -> None:
    links = [link.format(n=n) for n in range(4)]
    entries = [incident(n, link=links[n], guid=guid.format(link=links[n], n=n)) for n in range(4)]
    assert {seen.link for seen in reported.read(rss(*entries))} == set(links)
    assert len(reported.read(rss(*entries[1:]), rss(*entries))) == 4


def test_a_link_that_one_feed_uses_once_joins_feeds(reported: Reported) -> None:
    reported.read(rss(incident(0, link="https://news.example/1"), incident(1), incident(2)))
    reported.read(rss(incident(0, link="https://news.example/1?utm_source=planet", guid="x"), incident(3)), url=OTHER)
    assert Article.objects.count() == 4
    assert Article.objects.get(title="New region opens").url == STATUS


def test_a_link_that_is_shared_later_still_joins_nothing_new(reported: Reported) -> None:
    reported.read(rss(incident(0)), url=OTHER)
    reported.read(rss(incident(1), incident(2)))
    assert Article.objects.count() == 3
    assert {seen.title for seen in reported.list(OTHER)} == {"API errors in Oslo"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"guid": "https://paper.example/1"}, {"guid": "http://paper.example/1"}),
        ({"guid": "1"}, {"guid": "post-1"}),
        ({"guid": "1"}, {"guid": ""}),
        ({"guid": ""}, {"guid": "1"}),
        ({"guid": "1", "pubDate": ""}, {"guid": "2", "pubDate": ""}),
        ({"guid": ""}, {"guid": "", "pubDate": "Sat, 21 Nov 2026 08:00:00 GMT"}),
    ],
    ids=["scheme", "prefix", "lost", "added", "undated", "new date"],
)
def test_an_entry_with_a_new_guid_stays_one_read_article(
    reported: Reported, before: dict[str, str], after: dict[str, str]
) -> None:
    others = incident(1, link="https://paper.example/b"), incident(2, link="https://paper.example/c")
    [first] = [seen for seen in reported.read(rss(item(**before), *others)) if seen.title == "Cranes"]
    first.open()
    seen = [seen for seen in reported.read(rss(*others, item(**after))) if seen.title == "Cranes"]
    assert [(each.pk, each.is_read) for each in seen] == [(first.pk, True)]


def test_a_page_that_gets_another_entry_has_both(reported: Reported) -> None:
    """The link is the same, and the old guid is gone, but title, text and date are others."""
    reported.read(rss(incident(0)), rss(incident(1, pubDate="Sat, 21 Nov 2026 08:00:00 GMT")))
    assert len(reported.list()) == 2


def test_a_comic_with_one_title_and_link_has_an_article_each_day(reported: Reported) -> None:
    strips = [
        item(
            "Today's comic",
            f"<img src='https://comic.example/{day}.png'>",
            link=SITE,
            guid=f"strip-{day}",
            pubDate=f"Fri, {day} Nov 2026 08:00:00 GMT",
        )
        for day in (18, 19, 20, 21)
    ]
    seen = reported.read(*(rss(strip) for strip in strips), rss(*strips))
    assert {each.pictures[0].url for each in seen} == {f"https://comic.example/{day}.png" for day in (18, 19, 20, 21)}


def test_an_entry_that_is_listed_twice_is_one_article(reported: Reported) -> None:
    longer = item(body="Cranes come down in the old harbour.", guid="1")
    [seen] = reported.read(rss(item(guid="1"), longer, item(guid="1")))
    assert seen.text == "Cranes come down in the old harbour."
    poll = Poll.objects.get()
    assert (poll.n_entries, poll.n_new, poll.n_duplicates) == (3, 1, 2)


OLD = (
    "<author>ada@paper.example (Ada)</author><category>Harbour</category>"
    "<enclosure url='https://paper.example/1.mp3' type='audio/mpeg' length='1'/>"
)


@pytest.mark.parametrize(
    ("before", "after", "column", "value"),
    [
        ("1.mp3", "1-fixed.mp3", "media", "https://paper.example/1-fixed.mp3"),
        ("(Ada)", "(Bea)", "author", "Bea"),
        ("Harbour", "Port", "categories", "Port"),
        ("paper.example/cranes", "paper.example/two-cranes", "url", "https://paper.example/two-cranes"),
        ("/a.png", "/b.png", "markup", "https://paper.example/b.png"),
        ("20 Nov 2026 08", "19 Nov 2026 09", "published_at", "2026-11-19 09:00:00+00:00"),
    ],
    ids=["file", "author", "category", "link", "picture", "date"],
)
def test_a_correction_is_taken_over_without_a_revision(
    reported: Reported, before: str, after: str, column: str, value: str
) -> None:
    entry = item(body="<img src='https://paper.example/a.png'>Cranes come down.", guid="1") + OLD
    [seen] = reported.read(rss(entry))
    [corrected] = reported.read(rss(entry.replace(before, after)))
    assert (corrected.pk, corrected.is_updated) == (seen.pk, False)
    article = stored(corrected)
    assert value in str(getattr(article, column))
    assert article.revisions.count() == 0
    assert Poll.objects.latest("pk").n_duplicates == 1


def test_a_date_after_the_arrival_is_that_of_an_edit(reported: Reported) -> None:
    [seen] = reported.read(rss(item(guid="1")))
    before = stored(seen).published_at
    reported.read(rss(item(guid="1", pubDate="Sat, 28 Nov 2026 12:30:00 GMT")))
    assert stored(seen).published_at == before


def test_corrections_are_limited_per_day(reported: Reported, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "MAX_CORRECTIONS", 2)
    versions = [rss(item(guid="1", link=f"https://paper.example/{n}")) for n in range(5)]
    [seen] = reported.read(*versions)
    assert seen.link == "https://paper.example/2"
    reported.now += timedelta(days=1)
    newest = item("Library", guid="2", link="https://paper.example/library")
    reported.read(rss(item(guid="1", link="https://paper.example/4"), newest))  # begins a new day
    seen = reported.read(rss(item(guid="1", link="https://paper.example/7"), newest))
    assert "https://paper.example/7" in {each.link for each in seen}


def test_a_correction_leaves_another_feeds_version(reported: Reported) -> None:
    fuller = item(body="Cranes come down in the old harbour.", guid="full")
    reported.read(rss(item(guid="1")), url=OTHER)
    [seen] = reported.read(rss(fuller))
    reported.read(rss(item(guid="1") + "<author>x@planet.example (Bea)</author>"), url=OTHER)
    assert (stored(seen).author, Item.objects.count()) == ("", 2)


def test_marks_are_packed_and_other_bytes_are_harmless() -> None:
    marks = {2**64 - 1: Mark(1, 2, 3, 2**32 - 1), 0: Mark()}
    assert unpack_marks(pack_marks(marks.items())) == marks
    assert len(unpack_marks(b"12345678" * 4)) == 1


LINKS = ("", SITE, STATUS, f"{STATUS}#a", f"{STATUS}?ref=1001", "https://paper.example/{n}")
GUIDS = ("", "same", "{n}", "https://paper.example/{n}")
entries = st.tuples(st.sampled_from(LINKS), st.sampled_from(GUIDS))


@pytest.mark.slow
@given(st.lists(entries, min_size=1, max_size=8), st.integers(1, 4), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
def test_every_entry_arrives_once_whatever_it_shares(
    client: Client, kinds: list[tuple[str, str]], window: int, data: Any
) -> None:
    """Documents that move over a list of entries, back and forth: each entry is one article with its own text, and each
    poll accounts for all of its entries."""
    for model in (User, Feed, Article):
        model.objects.all().delete()
    reported = Reported(client)
    written = [
        item(TITLES[n], WORDS[n], link=link.format(n=n), guid=guid.format(n=n)) for n, (link, guid) in enumerate(kinds)
    ]
    starts = data.draw(st.lists(st.integers(0, len(written) - 1), min_size=1, max_size=5))
    listed: set[int] = set()
    for start in starts:
        window_of = range(start, min(start + window, len(written)))
        listed |= set(window_of)
        reported.read(rss(*(written[n] for n in window_of)))
    polls = Poll.objects.all()
    assert all(
        poll.n_entries == poll.n_new + poll.n_revised + poll.n_duplicates + poll.n_malformed + poll.n_left_out
        for poll in polls
    )
    found = sorted(seen.text for seen in reported.list())
    assert found == sorted(WORDS[n] for n in listed)


TITLES = [  # no two alike
    "Harbour closed",
    "Prize for bakers",
    "Green mystery",
    "Owls move in",
    "Sunday crossing",
    "Weather, upside down",
    "Sweet and dear",
    "What the water hid",
]
WORDS = [
    "Fog kept all boats in port until noon.",
    "A baker won the prize for the flattest loaf.",
    "Nobody knows who painted the bridge green.",
    "Three owls moved into the clock tower.",
    "The last ferry carried only a piano.",
    "Snow fell upwards, said a child in Tromsø.",
    "Honey prices doubled after the wet spring.",
    "Divers counted forty bicycles under the pier.",
]
