"""How an article changed since it was published: each version compared with the next."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from feeds.models import Article, Revision
from feeds.storage.compiled import compiled
from feeds.storage.retention import MAX_REVISIONS
from reader.articles.word_diff import WordDiff, word_diff


@dataclass(frozen=True, slots=True)
class Change:
    """A change by the publisher, noticed at `at`; `old` is the previous version."""

    old: Revision
    at: datetime
    title: WordDiff
    text: WordDiff

    @property
    def is_formatting_only(self) -> bool:
        """Whether title and text are the same, and only markup, images or links changed."""
        return self.title.is_empty and self.text.is_empty


def revisions_of(article: Article) -> list[Revision]:
    """The previous versions, latest first, without markup; one query."""
    return _latest(article.pk)


@compiled
def _latest(article: int) -> QuerySet[Revision]:
    return Revision.objects.filter(article=article).defer("markup")[:MAX_REVISIONS]


def changes_of(article: Article, revisions: list[Revision]) -> list[Change]:
    """The change after each of these `revisions` (latest first, complete); no query."""
    newer: list[Article | Revision] = [article, *revisions]
    return [
        Change(old, old.replaced_at, word_diff(old.title, new.title), word_diff(old.text, new.text))
        for old, new in zip(revisions, newer, strict=False)
    ]
