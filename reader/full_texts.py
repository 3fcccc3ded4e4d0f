"""Which text of an article a person reads: what the feed gave, or what its own page says."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from feeds.full_text import ask_again, ask_for
from feeds.models import Article, FullText
from reader.enclosures import is_web_address
from reader.models import Delivery, Subscription

NEW_FOR = timedelta(days=3)  # what is older when somebody chooses "always" is fetched when they ask for it
MOST_AT_ONCE = 100  # articles asked for in one go; a feed just followed may bring 500

FEED, PAGE = "feed", "page"


@dataclass(frozen=True, slots=True)
class Choice:
    """The text to show (`feed` or `page`) and what there is of the page's; `can_ask`: there is a page to fetch."""

    shown: str
    full_text: FullText | None
    can_ask: bool

    @property
    def has_both(self) -> bool:
        return self.full_text is not None and self.full_text.has_text

    @property
    def is_underway(self) -> bool:
        """Whether the person waits for the page's text."""
        return self.full_text is not None and self.full_text.is_underway and self.shown == PAGE

    @property
    def page(self) -> FullText | None:
        """The page's text if it is the one to show."""
        return self.full_text if self.shown == PAGE and self.has_both else None


def choose(user: User, article: Article, wanted: str) -> Choice:
    """What to show: what is `wanted` in so many words, else the page's text where the person always wants that.

    Two queries at most.
    """
    full_text = FullText.objects.filter(article=article).first()
    shown = wanted if wanted in (FEED, PAGE) else FEED
    if full_text is not None and full_text.has_text and not wanted and _wants_always(user, article):
        shown = PAGE
    return Choice(shown, full_text, is_web_address(article.link))


def ask(article: Article, *, now: datetime) -> str:
    """Let the article's page be fetched; returns "", or why not in a sentence."""
    if not is_web_address(article.link):
        return _("This article has no page of its own on the web.")
    if ask_for([article.pk], now=now):
        return ""
    full_text = FullText.objects.get(article=article)
    if full_text.is_underway or ask_again(full_text, now=now):
        return ""
    return _("The page was asked for less than a minute ago.")


def ask_for_new(*, now: datetime) -> int:
    """Ask for the pages of what came lately by feeds whose full text somebody always wants; returns how many.

    One query for the subscriptions, and where there are any, one for what they brought.
    """
    always = list(Subscription.objects.filter(fetches_full_text=True).values_list("pk", flat=True))
    if not always:
        return 0
    brought = Delivery.objects.filter(subscription__in=always, published_at__gt=now - NEW_FOR)
    missing = brought.filter(article__full_text=None).order_by("-published_at").values_list("article", "article__url")
    wanted = [pk for pk, url in missing[:MOST_AT_ONCE] if is_web_address(url)]
    return ask_for(wanted, now=now)


def _wants_always(user: User, article: Article) -> bool:
    return Subscription.objects.filter(user=user, fetches_full_text=True, deliveries__article=article).exists()
