"""Safe markup on demand: sanitized when first shown, kept until the sanitizer changes."""

from feeds.models import Article, FullText
from feeds.normalizing.html import SANITIZER_VERSION, sanitize


def safe_html(article: Article) -> str:
    """The article's body as safe HTML; the only form of it that may reach a template, a mail or an API."""
    if article.safe_version != SANITIZER_VERSION:
        article.safe_html = sanitize(
            article.markup, base_url=article.base_url or article.url, is_text=article.markup_is_text
        )
        article.safe_version = SANITIZER_VERSION
        Article.objects.filter(pk=article.pk, content_hash=article.content_hash).update(
            safe_html=article.safe_html, safe_version=article.safe_version
        )
    return article.safe_html


def safe_full_text(full_text: FullText) -> str:
    """The same for what the article's own page says."""
    if full_text.safe_version != SANITIZER_VERSION:
        full_text.safe_html = sanitize(full_text.markup, base_url=full_text.base_url)
        full_text.safe_version = SANITIZER_VERSION
        FullText.objects.filter(pk=full_text.pk, fetched_at=full_text.fetched_at).update(
            safe_html=full_text.safe_html, safe_version=full_text.safe_version
        )
    return full_text.safe_html
