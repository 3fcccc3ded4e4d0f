"""What became of an article since it was published: each older version against the one that took its place."""

from dataclasses import dataclass
from datetime import datetime

from feeds.models import Article, Revision
from feeds.retention import MOST_REVISIONS
from reader.word_changes import WordChanges, word_changes


@dataclass(frozen=True, slots=True)
class Change:
    """One change by the publisher: noticed at `at`; `old` is what stood there until then."""

    old: Revision
    at: datetime
    title: WordChanges
    text: WordChanges

    @property
    def is_of_the_look_only(self) -> bool:
        """Whether no word changed: markup, pictures or links did."""
        return self.title.are_none and self.text.are_none


def revisions_of(article: Article) -> list[Revision]:
    """The older versions, the latest first, without their markup; one query."""
    return list(article.revisions.defer("markup")[:MOST_REVISIONS])


def changes_of(article: Article, revisions: list[Revision]) -> list[Change]:
    """What each of these `revisions` (the latest first, none left out) was changed into; no query."""
    newer: list[Article | Revision] = [article, *revisions]
    return [_change(old, new) for old, new in zip(revisions, newer, strict=False)]


def _change(old: Revision, new: Article | Revision) -> Change:
    return Change(old, old.replaced_at, word_changes(old.title, new.title), word_changes(old.text, new.text))
