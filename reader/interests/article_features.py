"""Features of a stored article: passes its fields to `reader.interests.learning.features`."""

from collections import Counter

from feeds.models import Article
from reader.interests.learning.features import READ_CHARACTERS, Packed, count_terms, extract_attributes, pack


def article_terms(article: Article) -> Counter[str]:
    """How often each term occurs in the title, counted twice, and in the beginning of the text."""
    return count_terms(article.title, article.text[:READ_CHARACTERS], article.language)


def article_attributes(article: Article) -> list[str]:
    """Source, author, categories, word pairs."""
    return extract_attributes(
        title=article.title,
        language=article.language,
        source=article.source.domain if article.source else "",
        author=article.author,
        categories=article.categories,
    )


def pack_features(article: Article) -> Packed:
    """Both in their stored form."""
    return pack(article_terms(article), article_attributes(article))
