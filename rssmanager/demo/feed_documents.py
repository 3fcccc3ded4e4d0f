"""Feed documents of the sample publishers, in five formats."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from html import escape

from rssmanager.demo.media import silence
from rssmanager.demo.publishers import Article, Publisher, PublisherFeed
from rssmanager.demo.templating import Edition, body_html, lead_text

CONTENT_TYPES = {
    "rss2": "application/rss+xml",
    "rss092": "text/xml",
    "rdf": "application/rdf+xml",
    "atom": "application/atom+xml",
    "json": "application/feed+json",
}


def render(publisher: Publisher, feed: PublisherFeed, edition: Edition) -> bytes:
    """The feed's document in its format and encoding, well-formed and valid, newest entry first."""
    text = _WRITERS[feed.format](publisher, feed, edition)
    return text.encode(feed.encoding)


def entry_url(feed: PublisherFeed, article: Article, edition: Edition) -> str:
    """The article's link in a feed, with campaign parameters if the feed has a campaign."""
    url = edition.article_url(article)
    return f"{url}?utm_source=rss&utm_medium=feed&utm_campaign={feed.campaign}" if feed.campaign else url


def _xml(feed: PublisherFeed, root: str) -> str:
    return f'<?xml version="1.0" encoding="{feed.encoding}"?>\n{root}\n'


def _cdata(html: str) -> str:
    return f"<![CDATA[{html}]]>"


def _local(publisher: Publisher, moment: datetime) -> datetime:
    return moment.astimezone(timezone(timedelta(hours=publisher.utc_offset)))


def _categories(article: Article, element: str) -> str:
    return "".join(f"\n      <{element}>{escape(tag)}</{element}>" for tag in article.tags)


def _rss2(publisher: Publisher, feed: PublisherFeed, edition: Edition) -> str:
    items = "".join(_rss2_item(publisher, feed, article, edition) for article in _entries(publisher, feed, edition))
    return _xml(
        feed,
        f"""<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
     xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">
  <channel>
    <title>{escape(feed.title)}</title>
    <link>{edition.base_url}/</link>
    <description>{escape(publisher.tagline)}</description>
    <language>{publisher.language}</language>
    <atom:link href="{edition.base_url}{feed.path}" rel="self" type="application/rss+xml"/>
    <ttl>30</ttl>{items}
  </channel>
</rss>""",
    )


def _rss2_item(publisher: Publisher, feed: PublisherFeed, article: Article, edition: Edition) -> str:
    html = body_html(publisher, article, edition)
    short = html.count("<p>") == 1
    content = "" if short else f"\n      <content:encoded>{_cdata(html)}</content:encoded>"
    author = f"\n      <dc:creator>{escape(article.author)}</dc:creator>" if article.author else ""
    return f"""
    <item>
      <title>{escape(article.wording(edition.generation).title)}</title>
      <link>{escape(entry_url(feed, article, edition))}</link>
      <guid isPermaLink="false">{publisher.key}-{article.slug}</guid>
      <pubDate>{format_datetime(_local(publisher, edition.published_at(article)))}</pubDate>{author}
      <description>{_cdata(html) if short else escape(lead_text(html))}</description>{content}\
{_categories(article, "category")}{_enclosure(article, edition)}
    </item>"""


def _enclosure(article: Article, edition: Edition) -> str:
    if article.audio is None:
        return ""
    url = edition.medium_url("audio", f"{article.audio}.mp3")
    return f'\n      <enclosure url="{url}" length="{len(silence())}" type="audio/mpeg"/>'


def _rss092(publisher: Publisher, feed: PublisherFeed, edition: Edition) -> str:
    """RSS 0.92 without guid and author, but with the pubDate of 0.93, as some small newspapers write it."""
    items = "".join(
        f"""
    <item>
      <title>{escape(article.wording(edition.generation).title)}</title>
      <link>{escape(entry_url(feed, article, edition))}</link>
      <description>{escape(body_html(publisher, article, edition))}</description>\
{_categories(article, "category")}
      <pubDate>{format_datetime(_local(publisher, edition.published_at(article)))}</pubDate>
    </item>"""
        for article in _entries(publisher, feed, edition)
    )
    return _xml(
        feed,
        f"""<rss version="0.92">
  <channel>
    <title>{escape(feed.title)}</title>
    <link>{edition.base_url}/</link>
    <description>{escape(publisher.tagline)}</description>
    <language>{publisher.language}</language>{items}
  </channel>
</rss>""",
    )


def _rdf(publisher: Publisher, feed: PublisherFeed, edition: Edition) -> str:
    articles = _entries(publisher, feed, edition)
    sequence = "".join(f'\n        <rdf:li rdf:resource="{escape(entry_url(feed, a, edition))}"/>' for a in articles)
    items = "".join(_rdf_item(publisher, feed, article, edition) for article in articles)
    return _xml(
        feed,
        f"""<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
  xml:lang="{publisher.language}">
  <channel rdf:about="{edition.base_url}{feed.path}">
    <title>{escape(feed.title)}</title>
    <link>{edition.base_url}/</link>
    <description>{escape(publisher.tagline)}</description>
    <dc:language>{publisher.language}</dc:language>
    <items>
      <rdf:Seq>{sequence}
      </rdf:Seq>
    </items>
  </channel>{items}
</rdf:RDF>""",
    )


def _rdf_item(publisher: Publisher, feed: PublisherFeed, article: Article, edition: Edition) -> str:
    html = body_html(publisher, article, edition)
    url = escape(entry_url(feed, article, edition))
    return f"""
  <item rdf:about="{url}">
    <title>{escape(article.wording(edition.generation).title)}</title>
    <link>{url}</link>
    <description>{escape(lead_text(html))}</description>
    <content:encoded>{_cdata(html)}</content:encoded>
    <dc:creator>{escape(article.author)}</dc:creator>
    <dc:date>{_local(publisher, edition.published_at(article)).isoformat()}</dc:date>\
{_categories(article, "dc:subject")}
  </item>"""


def _atom(publisher: Publisher, feed: PublisherFeed, edition: Edition) -> str:
    articles = _entries(publisher, feed, edition)
    updated = max((edition.updated_at(article) for article in articles), default=edition.now)
    icon = f"\n  <icon>{edition.base_url}/icon.png</icon>" if publisher.icon else ""
    entries = "".join(_atom_entry(publisher, feed, article, edition) for article in articles)
    return _xml(
        feed,
        f"""<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{publisher.language}">
  <title>{escape(feed.title)}</title>
  <subtitle>{escape(publisher.tagline)}</subtitle>
  <id>tag:{publisher.key}.example,2020:feed</id>
  <updated>{_local(publisher, updated).isoformat()}</updated>
  <link href="{edition.base_url}/"/>
  <link rel="self" href="{edition.base_url}{feed.path}"/>{icon}{entries}
</feed>""",
    )


def _atom_entry(publisher: Publisher, feed: PublisherFeed, article: Article, edition: Edition) -> str:
    html = body_html(publisher, article, edition)
    tags = "".join(f'\n    <category term="{escape(tag)}"/>' for tag in article.tags)
    return f"""
  <entry>
    <title>{escape(article.wording(edition.generation).title)}</title>
    <id>tag:{publisher.key}.example,2020:{article.slug}</id>
    <link href="{escape(entry_url(feed, article, edition))}"/>
    <published>{_local(publisher, edition.published_at(article)).isoformat()}</published>
    <updated>{_local(publisher, edition.updated_at(article)).isoformat()}</updated>
    <author><name>{escape(article.author or publisher.name)}</name></author>{tags}
    <summary>{escape(lead_text(html))}</summary>
    <content type="html">{escape(html)}</content>
  </entry>"""


def _json(publisher: Publisher, feed: PublisherFeed, edition: Edition) -> str:
    items = [
        {
            "id": f"{publisher.key}:{article.slug}",
            "url": entry_url(feed, article, edition),
            "title": article.wording(edition.generation).title,
            "content_html": body_html(publisher, article, edition),
            "date_published": _local(publisher, edition.published_at(article)).isoformat(),
            "date_modified": _local(publisher, edition.updated_at(article)).isoformat(),
            "authors": [{"name": article.author or publisher.name}],
            "tags": list(article.tags),
        }
        for article in _entries(publisher, feed, edition)
    ]
    icon = {"favicon": f"{edition.base_url}/icon.png"} if publisher.icon else {}
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "description": publisher.tagline,
        "home_page_url": f"{edition.base_url}/",
        "feed_url": f"{edition.base_url}{feed.path}",
        "language": publisher.language,
        **icon,
        "items": items,
    }
    return json.dumps(document, ensure_ascii=False, indent=1)


def _entries(publisher: Publisher, feed: PublisherFeed, edition: Edition) -> tuple[Article, ...]:
    return publisher.delivered(feed, edition.generation)


_WRITERS: dict[str, Callable[[Publisher, PublisherFeed, Edition], str]] = {
    "rss2": _rss2,
    "rss092": _rss092,
    "rdf": _rdf,
    "atom": _atom,
    "json": _json,
}
