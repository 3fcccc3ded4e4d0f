"""The websites of the sample publishers: home page and article pages."""

from html import escape

from rssmanager.demo.feed_documents import CONTENT_TYPES
from rssmanager.demo.publishers import Article, Publisher
from rssmanager.demo.templating import Edition, body_html

_STYLE = (
    "body{font:18px/1.6 Georgia,serif;max-width:42rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "header a{color:inherit;text-decoration:none;font-weight:bold}img{max-width:100%;height:auto}time{color:#666}"
)


def home_page(publisher: Publisher, edition: Edition) -> str:
    """The home page: all headlines, newest first, and links to the feeds for discovery."""
    present = sorted((a for a in publisher.articles if a.since <= edition.generation), key=lambda a: a.hours_ago)
    headlines = "".join(
        f'<li><a href="{edition.article_url(article)}">{escape(article.wording(edition.generation).title)}</a></li>\n'
        for article in present
    )
    return _page(publisher, edition, publisher.name, f"<p>{escape(publisher.tagline)}</p>\n<ul>\n{headlines}</ul>")


def article_page(publisher: Publisher, article: Article, edition: Edition) -> str:
    """The page of an article."""
    title = article.wording(edition.generation).title
    published = edition.published_at(article)
    byline = f"{escape(article.author)} · " if article.author else ""
    content = f"""<article>
<h1>{escape(title)}</h1>
<p>{byline}<time datetime="{published.isoformat()}">{published:%d.%m.%Y %H:%M} UTC</time></p>
{body_html(publisher, article, edition)}
</article>"""
    return _page(publisher, edition, f"{title} – {publisher.name}", content)


def missing_page(publisher: Publisher, edition: Edition) -> str:
    """The 404 page."""
    return _page(publisher, edition, f"404 – {publisher.name}", "<h1>404</h1>")


def _page(publisher: Publisher, edition: Edition, title: str, content: str) -> str:
    alternates = "".join(
        f'<link rel="alternate" type="{CONTENT_TYPES[feed.format]}" title="{escape(feed.title)}" '
        f'href="{edition.base_url}{feed.path}">\n'
        for feed in publisher.feeds
    )
    return f"""<!doctype html>
<html lang="{publisher.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(title)}</title>
{alternates}<style>{_STYLE}</style>
</head>
<body>
<header><a href="{edition.base_url}/">{escape(publisher.name)}</a></header>
<main>
{content}
</main>
</body>
</html>
"""
