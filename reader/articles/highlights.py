"""Users' highlights: adding, listing by article, and as Markdown."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from feeds.models import Article
from feeds.storage.compiled import compiled
from reader.errors import HighlightRefused
from reader.limits import HIGHLIGHTS
from reader.models import Highlight

MAX_PER_ARTICLE = 500
_MARKS = re.compile(r"([\\`*_\[\]<>#&~|])")


@dataclass(slots=True)
class HighlightedArticle:
    """An article with its highlights, in the order they were made; `article_id` is None if it was deleted."""

    article_id: int | None
    title: str
    url: str
    highlights: list[Highlight] = field(default_factory=list)


def add_highlight(
    user: User, article: Article, *, quote: str, prefix: str = "", suffix: str = "", note: str = "", now: datetime
) -> Highlight:
    """Highlight a passage; one that is highlighted already stays as it is. Raises HighlightRefused."""
    quote = clean(quote)
    if not quote:
        raise HighlightRefused(_("Select some text first."))
    if len(quote) > Highlight.MAX_QUOTE:
        text = ngettext(
            "A highlight can have up to %(n)s character.",
            "A highlight can have up to %(n)s characters.",
            Highlight.MAX_QUOTE,
        )
        raise HighlightRefused(text % {"n": Highlight.MAX_QUOTE})
    own = Highlight.objects.filter(user=user, article=article)
    context = {"prefix": clean(prefix)[-Highlight.MAX_CONTEXT :], "suffix": clean(suffix)[: Highlight.MAX_CONTEXT]}
    if same := own.filter(quote=quote, **context).first():
        return same
    if own.count() >= MAX_PER_ARTICLE:
        raise HighlightRefused(_("This article has too many highlights. Remove one first."))
    HIGHLIGHTS.check(Highlight.objects.filter(user=user), error=HighlightRefused)
    return Highlight.objects.create(
        user=user,
        article=article,
        title=article.title,
        url=article.link,
        quote=quote,
        note=clean(note)[: Highlight.MAX_NOTE],
        made_at=now,
        **context,
    )


def clean(text: str) -> str:
    """Text of a form, with plain line ends."""
    return text.replace("\r\n", "\n").replace("\0", "").strip()


def change_note(highlight: Highlight, note: str) -> None:
    """Save another note, or none."""
    highlight.note = clean(note)[: Highlight.MAX_NOTE]
    highlight.save(update_fields=["note"])


def highlights_of(user: User, article: Article) -> list[Highlight]:
    """The user's highlights in one article, in the order they were made."""
    return _in_article(user.pk, article.pk)


@compiled
def _in_article(user: int, article: int) -> QuerySet[Highlight]:
    return Highlight.objects.filter(user=user, article=article).order_by("made_at", "pk")


def by_article(highlights: Iterable[Highlight]) -> list[HighlightedArticle]:
    """Highlights, newest first, grouped by article."""
    groups: dict[tuple[int | None, str], HighlightedArticle] = {}
    for row in highlights:
        key = row.article_id, row.url if row.article_id is None else ""
        group = groups.setdefault(key, HighlightedArticle(row.article_id, row.title, row.url))
        group.highlights.insert(0, row)
    return list(groups.values())


def as_markdown(articles: Iterable[HighlightedArticle]) -> str:
    """A document with a heading for each article, quotes, and notes beneath them."""
    parts = ["# " + _("Highlights")]
    for article in articles:
        title = _escaped(" ".join(article.title.split()) or article.url or "…")
        url = re.sub(r"[\s<>]", "", article.url)
        parts.append(f"## [{title}](<{url}>)" if url else f"## {title}")
        for row in article.highlights:
            parts.append("\n".join(f"> {_escaped(line)}".rstrip() for line in row.quote.split("\n")))
            if row.note:
                parts.append(row.note)
    return "\n\n".join(parts) + "\n"


def _escaped(text: str) -> str:
    return _MARKS.sub(r"\\\1", text)
