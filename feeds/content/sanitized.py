"""Safe markup on demand: sanitized when first shown, stored until the sanitizer changes.

Markup that is too large to sanitize during a request is shown as plain text. That is stored too, under its own version,
so that the page can say that the formatting is missing.
"""

from collections.abc import Iterable

from django.db import transaction

from feeds.models import Article, FullText
from feeds.normalizing.depth_limit import MAX_MARKUP
from feeds.normalizing.html import SANITIZER_VERSION, Sanitized, sanitize_body

TEXT_ONLY = 1000  # added to the sanitizer's version if the formatting was lost


def safe_html(article: Article) -> str:
    """The article's body as safe HTML; the only form of it that may reach a template, an email or an API."""
    if not _is_current(article.safe_version):
        result = _sanitized(article, article.markup)
        article.safe_html, article.safe_version = result.html, _version(result)
        Article.objects.filter(pk=article.pk, content_hash=article.content_hash).update(
            safe_html=article.safe_html, safe_version=article.safe_version
        )
    return article.safe_html


def sanitize_all(articles: Iterable[Article]) -> None:
    """Sanitize the bodies of those that aren't, for `safe_html`, in a fixed number of queries.

    `markup` may be deferred. An article that changed in the meantime is sanitized again when it is next shown.
    """
    stale = {article.pk: article for article in articles if not _is_current(article.safe_version)}
    if not stale:
        return
    for pk, markup in Article.objects.filter(pk__in=stale).values_list("pk", "markup"):
        article = stale[pk]
        result = _sanitized(article, markup)
        article.safe_html, article.safe_version = result.html, _version(result)
    with transaction.atomic():
        rows = Article.objects.select_for_update().filter(pk__in=stale).order_by("pk")
        stored = dict(rows.values_list("pk", "content_hash"))
        same = [article for pk, article in stale.items() if stored.get(pk) == article.content_hash]
        Article.objects.bulk_update(same, ["safe_html", "safe_version"])


def safe_full_text(full_text: FullText) -> str:
    """The same for the text of the article's own page."""
    if not _is_current(full_text.safe_version):
        result = sanitize_body(full_text.markup[:MAX_MARKUP], base_url=full_text.base_url, article=full_text.article_id)
        full_text.safe_html, full_text.safe_version = result.html, _version(result)
        FullText.objects.filter(pk=full_text.pk, fetched_at=full_text.fetched_at).update(
            safe_html=full_text.safe_html, safe_version=full_text.safe_version
        )
    return full_text.safe_html


def lost_formatting(shown: Article | FullText) -> bool:
    """Whether its safe HTML is only text, because the markup was too large."""
    return shown.safe_version == SANITIZER_VERSION + TEXT_ONLY


def _sanitized(article: Article, markup: str) -> Sanitized:
    """The safe HTML of its markup, of at most as much as ingestion stores."""
    return sanitize_body(
        markup[:MAX_MARKUP],
        base_url=article.base_url or article.url,
        page_url=article.url,
        article=article.pk,
        is_text=article.markup_is_text,
    )


def _version(result: Sanitized) -> int:
    return SANITIZER_VERSION + TEXT_ONLY * result.lost_formatting


def _is_current(version: int) -> bool:
    return version in (SANITIZER_VERSION, SANITIZER_VERSION + TEXT_ONLY)
