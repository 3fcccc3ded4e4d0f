"""The private feed, as the programs that read it do, ours among them."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from html import unescape

import feedparser
from lxml import etree

from digests.edition.kinds import Kind
from digests.rendering.atom import as_atom
from feeds.parsing import parse
from tests.digests.editions import MADE_AT, edition, full_edition, topic
from tests.digests.rendered import SITE, atom, text_of
from tests.markup import tight

ATOM = "{http://www.w3.org/2005/Atom}"
MORNING = edition(topic(1, label="Geneva: talks"), topic(2))
EVENING = replace(edition(topic(3), kind=Kind.EVENING), made_at=MADE_AT - timedelta(hours=13), day=date(2026, 11, 20))

SMALL_FEED = f"""\
<?xml version="1.0" encoding="utf-8"?>
<feed xml:lang="en" xmlns="http://www.w3.org/2005/Atom"><title>Digests</title>\
<link href="{SITE}/digests/" rel="alternate"/><link href="{SITE}/digests/feed/secret/" rel="self"/>\
<id>urn:uuid:2576c001-b62f-5ddd-b1fe-4b297893f7df</id><updated>2026-11-21T06:00:00+00:00</updated>\
<author><name>rssmanager</name></author>\
<entry><title>Morning brief, Sat 21 Nov: nothing new</title>\
<link href="{SITE}/digests/morning-2026-11-21/" rel="alternate"/>\
<published>2026-11-21T06:00:00+00:00</published><updated>2026-11-21T06:00:00+00:00</updated>\
<id>tag:reader.example,2026-11-21:/digests/morning-2026-11-21//</id>\
<summary type="html">Nothing new between Fri 20 Nov, 07:00 and Sat 21 Nov, 07:00.</summary>\
<content type="html">&lt;p&gt;0 articles from 14 feeds · 9 duplicates removed&lt;br&gt;\
Fri 20 Nov, 07:00 to Sat 21 Nov, 07:00 (CET)&lt;/p&gt;
&lt;p&gt;Nothing new between Fri 20 Nov, 07:00 and Sat 21 Nov, 07:00.&lt;/p&gt;
&lt;section aria-labelledby="section-health"&gt;
&lt;h2 id="section-health"&gt;Feed health&lt;/h2&gt;
&lt;p&gt;14 feeds were polled 96 times; 97.9% of the polls succeeded, 2 failed.&lt;/p&gt;
&lt;/section&gt;
&lt;p&gt;&lt;a href="{SITE}/digests/morning-2026-11-21/"&gt;Read this digest in RSS Manager&lt;/a&gt;&lt;/p&gt;
</content></entry></feed>"""


def test_a_small_feed() -> None:
    assert tight(unescape(atom(edition()).decode())) == tight(unescape(SMALL_FEED))


def test_a_feed_reader_finds_every_digest() -> None:
    found = feedparser.parse(atom(MORNING, EVENING))
    assert found.bozo is False
    assert found.version == "atom10"
    assert found.feed.updated == "2026-11-21T06:00:00+00:00"
    assert [(entry.title, entry.link, entry.updated) for entry in found.entries] == [
        (
            "Morning brief, Sat 21 Nov: Article 1 and 1 more",
            f"{SITE}/digests/morning-2026-11-21/",
            "2026-11-21T06:00:00+00:00",
        ),
        ("Evening recap, Fri 20 Nov: Article 3", f"{SITE}/digests/evening-2026-11-20/", "2026-11-20T17:00:00+00:00"),
    ]
    assert len({entry.id for entry in found.entries}) == 2


def test_our_own_parser_finds_every_digest_with_its_topics() -> None:
    found = parse(atom(MORNING, EVENING), url=f"{SITE}/digests/feed/secret/")
    assert found.title == "Digests"
    assert len(found.entries) == 2
    first = found.entries[0]
    assert first.title == "Morning brief, Sat 21 Nov: Article 1 and 1 more"
    shown = text_of(first.markup)
    assert "Geneva" in shown
    assert "What article 1 says in a sentence." in shown
    assert 'href="https://paper.example/1"' in first.markup


def test_ids_do_not_depend_on_content() -> None:
    later = replace(MORNING, topics=MORNING.topics[1:], made_at=MADE_AT + timedelta(hours=1))
    before, after = (etree.fromstring(atom(each)) for each in (MORNING, later))
    assert before.findtext(f"{ATOM}id") == after.findtext(f"{ATOM}id")
    assert before.findtext(f"{ATOM}entry/{ATOM}id") == after.findtext(f"{ATOM}entry/{ATOM}id")
    assert after.findtext(f"{ATOM}entry/{ATOM}updated") == "2026-11-21T07:00:00+00:00"


def test_a_title_of_a_feed_is_one_line() -> None:
    feed = as_atom([], self_url=SITE, site_url=SITE, page_url=lambda each: SITE, title="Digests of a\x00\n\u202eb")
    assert etree.fromstring(feed).findtext(f"{ATOM}title") == "Digests of a b"


def test_two_feeds_have_two_ids() -> None:
    urls = [f"{SITE}/digests/feed/{token}/" for token in ("one", "two")]
    feeds = [as_atom([], self_url=url, site_url=SITE, page_url=lambda each: SITE) for url in urls]
    assert len({etree.fromstring(feed).findtext(f"{ATOM}id") for feed in feeds}) == 2


def test_empty_feed_does_not_read_the_clock() -> None:
    def written(**values: datetime) -> str | None:
        feed = as_atom([], self_url=SITE, site_url=SITE, page_url=lambda each: SITE, **values)
        return etree.fromstring(feed).findtext(f"{ATOM}updated")

    assert written() == "1970-01-01T00:00:00+00:00"
    assert written(updated_at=datetime(2026, 11, 1, tzinfo=UTC)) == "2026-11-01T00:00:00+00:00"


def test_a_feed_of_full_digests_is_valid() -> None:
    found = feedparser.parse(atom(full_edition(), full_edition(Kind.WEEKLY)))
    assert found.bozo is False
    assert found.entries[0].content[0].type == "text/html"
    assert "Камчатке" in found.entries[1].content[0].value
