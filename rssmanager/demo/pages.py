"""The websites of the sample publishers: home page and article pages."""

from django.template.loader import render_to_string

from digests.rendering.html import with_style
from rssmanager.demo.feed_documents import CONTENT_TYPES
from rssmanager.demo.publishers import Article, Publisher
from rssmanager.demo.templating import Edition, body_html


def home_page(publisher: Publisher, edition: Edition) -> str:
    """The home page: all headlines, newest first, and links to the feeds for discovery."""
    present = sorted((a for a in publisher.articles if a.since <= edition.generation), key=lambda a: a.hours_ago)
    headlines = [
        {"url": edition.article_url(article), "title": article.wording(edition.generation).title} for article in present
    ]
    return _page("samples/home.html", publisher, edition, headlines=headlines)


def article_page(publisher: Publisher, article: Article, edition: Edition) -> str:
    """The page of an article."""
    published_at = edition.published_at(article)
    page = _page(
        "samples/article.html",
        publisher,
        edition,
        title=article.wording(edition.generation).title,
        author=article.author,
        published_at=published_at.isoformat(),
        published=f"{published_at:%Y-%m-%d %H:%M} UTC",
    )
    return page.replace("<!-- body -->", body_html(publisher, article, edition), 1)


def missing_page(publisher: Publisher, edition: Edition) -> str:
    """The 404 page."""
    return _page("samples/missing.html", publisher, edition)


def _page(template: str, publisher: Publisher, edition: Edition, **values: object) -> str:
    feeds = [
        {"type": CONTENT_TYPES[feed.format], "title": feed.title, "url": f"{edition.base_url}{feed.path}"}
        for feed in publisher.feeds
    ]
    page = render_to_string(template, {"publisher": publisher, "home": edition.base_url, "feeds": feeds, **values})
    return with_style(page, "samples/page.css")
