"""Whether a user reads the feed's text of an article, or the full text from its page."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from feeds.content.full_text_queue import request_again, request_full_texts
from feeds.content.saved_copies import is_saved_copy
from feeds.models import Article, FullText
from feeds.storage.compiled import compiled
from reader.articles.enclosures import is_web_address
from reader.models import Delivery, Subscription

NEW_FOR = timedelta(days=3)  # older pages are only fetched on request
MAX_AT_ONCE = 100  # articles; a newly followed feed may deliver 500

FEED, PAGE = "feed", "page"


@dataclass(frozen=True, slots=True)
class Choice:
    """The text to show (`feed` or `page`) and the page's text, if fetched; `can_fetch`: there is a page to fetch."""

    shown: str
    full_text: FullText | None
    can_fetch: bool

    @property
    def has_both(self) -> bool:
        return self.full_text is not None and self.full_text.has_text

    @property
    def is_underway(self) -> bool:
        """Whether the user is waiting for the full text."""
        return self.full_text is not None and self.full_text.is_underway and self.shown == PAGE

    @property
    def page(self) -> FullText | None:
        """The full text, if it is the one to show."""
        return self.full_text if self.shown == PAGE and self.has_both else None


def choose_text(user: User, article: Article, wanted: str) -> Choice:
    """The text to show: `wanted` if given, else the full text if the user always wants it. At most two queries."""
    full_text = next(iter(_stored(article.pk)), None)
    shown = wanted if wanted in (FEED, PAGE) else FEED
    if is_saved_copy(article):  # has what was fetched; only the state of fetching is to show
        return Choice(PAGE if wanted == PAGE or not article.text else FEED, full_text, is_web_address(article.link))
    if full_text is not None and full_text.has_text and not wanted and _wants_always(user, article):
        shown = PAGE
    return Choice(shown, full_text, is_web_address(article.link))


@compiled
def _stored(article: int) -> QuerySet[FullText]:
    return FullText.objects.filter(article=article)


def request_full_text(article: Article, *, now: datetime) -> str:
    """Request the article's page; returns "", or an error message."""
    if not is_web_address(article.link):
        return _("This article has no web page.")
    if request_full_texts([article.pk], now=now):
        return ""
    full_text = FullText.objects.get(article=article)
    if full_text.is_underway or request_again(full_text, now=now):
        return ""
    return _("The page was requested less than a minute ago.")


def request_for_new(*, now: datetime) -> int:
    """Request the pages of recent articles from feeds whose full text someone always wants; returns how many."""
    always = list(Subscription.objects.filter(fetches_full_text=True).values_list("pk", flat=True))
    if not always:
        return 0
    recent = Delivery.objects.filter(subscription__in=always, published_at__gt=now - NEW_FOR)
    missing = recent.filter(article__full_text=None).order_by("-published_at").values_list("article", "article__url")
    ids = [pk for pk, url in missing[:MAX_AT_ONCE] if is_web_address(url)]
    return request_full_texts(ids, now=now)


def _wants_always(user: User, article: Article) -> bool:
    return Subscription.objects.filter(user=user, fetches_full_text=True, deliveries__article=article).exists()
