"""Rules that start from an article: mute its author, its feed or a word at once, or fill in the form."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from feeds.models import Article, FeedStatus
from feeds.storage.compiled import compiled
from reader.errors import RuleRefused
from reader.models import Delivery, Muted, Rule, RuleHit, Subscription
from reader.rules.conditions import Comparison, Condition, Conditions, Field, check
from reader.rules.mute import unmute
from reader.rules.store import RuleDraft, delete_rule, save_rule
from reader.search.related import title_words

MAX_TITLE_WORDS = 4  # in the form of a rule from an article


@dataclass(frozen=True, slots=True)
class Muting:
    """The rule that mutes, whether it is new, and in words what it mutes."""

    rule: Rule
    is_new: bool
    words: str


def feed_of(user: User, article: Article) -> Subscription | None:
    """The feed that delivered the article to the user first, None if they don't follow one any more."""
    for delivery in _first_delivery(user.pk, article.pk):
        return delivery.subscription
    muted = Muted.objects.filter(user=user, article=article).select_related("subscription__feed").order_by("pk").first()
    return muted.subscription if muted else None


@compiled
def _first_delivery(user: int, article: int) -> QuerySet[Delivery]:
    delivered = Delivery.objects.filter(user=user, article=article).exclude(subscription__feed__status=FeedStatus.SAVED)
    return delivered.select_related("subscription__feed").order_by("pk")[:1]


def mute_like(user: User, article: Article, what: str, word: str, *, now: datetime) -> Muting:
    """Mute the article's author or feed, or a word in titles, for new and existing articles. Raises RuleRefused."""
    conditions, words = _muting(user, article, what, word)
    check(conditions)
    same = Rule.objects.filter(user=user, mutes=True, is_on=True, subscription=conditions.subscription_id, folder=None)
    known = next((rule for rule in same if rule.conditions == conditions), None)
    if known:
        return Muting(known, is_new=False, words=words)
    draft = RuleDraft("", conditions, mutes=True, marks_read=False, stars=False, tag="")
    rule, _is_to_run = save_rule(user, None, draft, also_here=True, now=now)
    return Muting(rule, is_new=True, words=words)


def _muting(user: User, article: Article, what: str, word: str) -> tuple[Conditions, str]:
    if what == "author" and article.author:
        row = Condition(Field.AUTHOR, Comparison.IS, article.author)
        return Conditions((row,)), _("Articles by %(author)s are muted.") % {"author": article.author}
    if what == "feed" and (feed := feed_of(user, article)):
        words = _("New articles from %(feed)s are muted, and those you have are hidden.") % {"feed": feed.shown_title}
        return Conditions(subscription_id=feed.pk), words
    if what == "word" and (word := word.replace("\0", "").strip()):
        row = Condition(Field.TITLE, Comparison.CONTAINS, word)
        return Conditions((row,)), _("Articles with “%(word)s” in the title are muted.") % {"word": word}
    raise RuleRefused(_("Enter a word to mute."))


def undo_mute(rule: Rule) -> None:
    """Delete the rule and restore everything it muted, as if it had never been there."""
    with transaction.atomic():
        unmute(rule.user, Muted.objects.filter(user=rule.user, rule=rule))
        RuleHit.objects.filter(rule=rule).delete()
        delete_rule(rule)


def rows_from(article: Article) -> tuple[Condition, ...]:
    """Conditions for articles like this one, for the user to change: its author, and words of its title."""
    rows = []
    if article.author:
        rows.append(Condition(Field.AUTHOR, Comparison.IS, article.author))
    if words := title_words(article)[:MAX_TITLE_WORDS]:
        rows.append(Condition(Field.TITLE, Comparison.CONTAINS, ", ".join(words)))
    return tuple(rows)
