"""What learning reads of a stored article: the row's fields handed to `reader.learning.features`."""

from collections import Counter

from feeds.models import Article
from reader.learning.features import READ_CHARACTERS, Packed, marks_of, pack, term_counts


def terms_of(article: Article) -> Counter[str]:
    """How often each term occurs in the title, counted twice, and in the beginning of the text."""
    return term_counts(article.title, article.text[:READ_CHARACTERS], article.language)


def marks_of_article(article: Article) -> list[str]:
    """Source, author, categories, pairs of words; the article's source is looked up if it was not."""
    return marks_of(
        title=article.title,
        language=article.language,
        source=article.source.domain if article.source else "",
        author=article.author,
        categories=article.categories,
    )


def features_of(article: Article) -> Packed:
    """Both as they are stored."""
    return pack(terms_of(article), marks_of_article(article))
