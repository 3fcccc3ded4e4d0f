"""Safe markup on demand: sanitized when first shown, kept until the sanitizer changes."""

from feeds.models import Article
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
