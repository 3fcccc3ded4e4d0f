"""Pages that one user saved, as articles of their own: rows that no feed delivers and no other user sees.

Such an article belongs to the user's feed of saved pages (`Feed.is_of_saved_pages`) and has a key that no page has, so
nothing that is fetched for a feed is ever mistaken for it. What the page says goes into the article itself, which makes
it searchable. It is compared with no other article: a story would show it to others.
"""

from django.utils import timezone

from feeds.content.extract import PageText
from feeds.models import Article, FullText, FullTextStatus
from feeds.normalizing.entry import content_hash
from feeds.normalizing.language import guess_language
from feeds.normalizing.text import shorten
from feeds.search.indexer import queue_articles

SUMMARY = 500  # characters


def is_saved_copy(article: Article) -> bool:
    """Whether it is one user's own copy of a page; its feed is loaded."""
    return article.feed is not None and article.feed.is_of_saved_pages


def fill_saved_copy(article: Article, page: PageText, *, base_url: str) -> None:
    """Store what the page says. Call it in a transaction."""
    article.title = page.title or article.title
    article.author = page.author
    article.base_url = "" if base_url == article.url else base_url
    article.markup, article.text, article.markup_is_text = page.markup, page.text, False
    article.safe_html, article.safe_version = "", 0
    article.summary = summary_of(page.text)
    article.language = guess_language(page.text)
    article.word_count, article.reading_seconds = page.n_words, page.reading_seconds
    article.content_hash = content_hash(article.title, page.text)
    article.save()
    queue_articles([article.pk])


def keep_page_of_copy(copy: Article, article: Article) -> None:
    """Let `article`, which a feed delivered, have the page that was fetched for the copy, unless it has it already."""
    fetched = FullText.objects.filter(article=copy, status=FullTextStatus.DONE, text="").first()
    if fetched is None or not copy.text or not is_saved_copy(copy):
        return
    FullText.objects.get_or_create(
        article=article,
        defaults={
            "status": FullTextStatus.DONE,
            "requested_at": fetched.requested_at,
            "fetched_at": fetched.fetched_at or timezone.now(),
            "base_url": fetched.base_url,
            "markup": copy.markup,
            "text": copy.text,
            "reading_seconds": copy.reading_seconds,
        },
    )


def summary_of(text: str) -> str:
    """The beginning of a text, for lists."""
    return shorten(" ".join(text[: 2 * SUMMARY].split()), SUMMARY)
