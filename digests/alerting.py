"""Breaking news: a T1 article above 90, told at once and never twice for one story. Source: SPEC §13.

Recency and relevance bring 40 points at most, so an article that may ever break is worth more than 50 by itself, and
hardly any is: one look at the assessments of the last day finds them, and mostly that is all. Only then people are
looked at, and importance is worked out by the functions that the pages use.

Stories change after somebody was told: they merge, an article that came alone is tied to others, one is split off. So
what counts as told is asked of articles and not of stories. An article was told when the person was told of one

1. of the story that it is in by now,
2. that it is tied to as a copy or as the same event, whatever story each is in by now,
3. that it was split off from since: they stood together when the person was told.

An article that was split off before that is another event, as somebody said.

Two workers that look at once find the same; whoever holds a person's lock looks again what was told, and writes.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from digests.languages import in_language_of
from digests.models import AlertSettings
from feeds.models import Article, Disposition, Link, Split, Tier
from reader.models import Delivery, InterestProfile, Notification, NotificationKind, Quiet
from reader.queries import NO
from reader.rates import decay_rates
from reader.ratings import Rates, Rating, rating_of
from reader.scoring.importance import WEIGHTS
from reader.scoring.recency import LAMBDA

BREAKING_ABOVE = 90.0  # importance; SPEC §13
BREAKING_WITHIN = timedelta(hours=24)  # of publication: what is older is news to nobody
_LEAST_STANDING = BREAKING_ABOVE - 100 * WEIGHTS["recency"]
_LEAST_WORTH = _LEAST_STANDING - 100 * WEIGHTS["relevance"]
_LONGEST_TEXT = 700  # characters of a notification
_TIES = (Disposition.NEAR_DUPLICATE, Disposition.SAME_EVENT)


@dataclass(frozen=True, slots=True)
class _Break:
    """An article that is breaking news for one person; `source` as they call it."""

    user_id: int
    article: Article
    source: str
    rating: Rating

    @property
    def text(self) -> str:
        told = {"source": self.source, "points": self.rating.points}
        sentence = _("%(title)s (%(source)s), importance %(points)s.")
        room = _LONGEST_TEXT - len(breaking_prefix()) - len(sentence % {"title": "", **told})
        title = self.article.title
        shown = title if len(title) <= room else title[: room - 1].rstrip() + "…"
        return breaking_prefix() + sentence % {"title": shown, **told}


@dataclass(slots=True)
class _Kin:
    """Articles that tell the same as one: of its story, tied to it, and when which was split off from it."""

    mates: set[int] = field(default_factory=set)
    tied: set[int] = field(default_factory=set)
    split_at: dict[int, datetime] = field(default_factory=dict)

    def is_told(self, told: Mapping[int, datetime]) -> bool:
        """Whether somebody knows it who was told of these articles at these moments."""
        return any(self._is_told_by(pk, at) for pk, at in told.items())

    def _is_told_by(self, pk: int, at: datetime) -> bool:
        if pk in self.mates:
            return True
        return self.split_at[pk] > at if pk in self.split_at else pk in self.tied


def breaking_prefix() -> str:
    """What a notification of breaking news begins with; where a heading says so, it is left out."""
    return pgettext("before a headline", "Breaking: ")


def tell_breaking_news(now: datetime) -> int:
    """Notify everybody of what breaks for them and was not told; returns how many notifications are new.

    A fixed number of queries, one as long as nothing may break.
    """
    breaks = _breaks(_which_may_break(now), now)
    if not breaks:
        return 0
    kin = _kin({each.article.pk: each.article.story_id for each in breaks})
    if not (fresh := _not_told(breaks, kin, now)):
        return 0
    with transaction.atomic():
        people = User.objects.select_for_update(no_key=True).filter(pk__in={each.user_id for each in fresh})
        list(people.order_by("pk").values_list("pk"))
        fresh = _not_told(fresh, kin, now)  # another worker may have told meanwhile
        Notification.objects.bulk_create([_notification(each, now) for each in fresh], ignore_conflicts=True)
    return len(fresh)


def _which_may_break(now: datetime) -> list[int]:
    """Articles that are recent, of the first tier, and worth so much that there may be somebody for whom they break."""
    recent = Article.objects.filter(published_at__gte=now - BREAKING_WITHIN)
    may_break = recent.filter(assessment__tier=Tier.T1, assessment__worth__gt=_LEAST_WORTH)
    return list(may_break.values_list("pk", flat=True))


def _breaks(article_ids: Collection[int], now: datetime) -> list[_Break]:
    """What of these articles breaks for whom, wants it and has not read it, the most important first; one query."""
    if not article_ids:
        return []
    copies: dict[tuple[int, int], list[Delivery]] = defaultdict(list)
    for each in _brought(article_ids):
        copies[each.user_id, each.article_id].append(each)
    decay = decay_rates()
    found = [_break(several, decay, now) for several in copies.values()]
    above = [each for each in found if each.rating.parts.importance > BREAKING_ABOVE]
    return sorted(above, key=lambda each: (-each.rating.parts.importance, each.article.pk, each.user_id))


def _brought(article_ids: Collection[int]) -> Iterable[Delivery]:
    """Unread deliveries of these articles to people who want to know, as far as importance may pass the threshold. What
    a person wants in the feed's own list alone breaks for nobody there.
    """
    declined = AlertSettings.objects.filter(user=OuterRef("user"), breaking=False, breaking_by_mail=False)
    knows = Notification.objects.filter(
        user=OuterRef("user"), article=OuterRef("article"), kind=NotificationKind.BREAKING
    )
    may_pass = Q(article__assessment__worth__gt=_LEAST_STANDING - WEIGHTS["relevance"] * F("relevance"))
    unread = Delivery.objects.filter(may_pass, ~Exists(declined), ~Exists(knows), article__in=article_ids, is_read=NO)
    wanted = unread.filter(
        user__is_active=True,
        subscription__has_alerts=True,
        relevance__isnull=False,  # what is not rated waits for deduplication
        quiet__in=(Quiet.NOT, Quiet.DIGEST),
    )
    related = wanted.select_related("subscription__feed", "article__assessment", "user__interest_profile")
    heavy = ("article__markup", "article__text", "article__safe_html", "article__assessment__depth_facts")
    return related.defer(*heavy, "user__interest_profile__vector").order_by("pk")


def _break(copies: Sequence[Delivery], decay: dict[int, float], now: datetime) -> _Break:
    """All copies that one person has of one article, the first first, as the lists show it."""
    first, article = copies[0], copies[0].article
    profile: InterestProfile | None = getattr(first.user, "interest_profile", None)  # there is none before it is needed
    rating = rating_of(
        article.assessment,
        relevance=first.relevance,
        sensitivity=first.sensitivity,
        published_at=article.published_at,
        date_uncertain=article.date_uncertain,
        now=now,
        rates=Rates(profile.recency_rate if profile else LAMBDA, decay),
    )
    kept = next((each for each in copies if each.subscription.feed_id == article.feed_id), first)
    return _Break(first.user_id, article, kept.subscription.shown_title, rating)


def _kin(stories: Mapping[int, int | None]) -> dict[int, _Kin]:
    """Who tells the same as each article, given with its story; three queries."""
    kin = {pk: _Kin(mates={pk}) for pk in stories}
    members: dict[int, set[int]] = defaultdict(set)
    for pk, story in Article.objects.filter(story__in=set(stories.values()) - {None}).values_list("pk", "story_id"):
        members[story or 0].add(pk)
    for pk, own in stories.items():
        kin[pk].mates |= members[own] if own is not None else set()
    either = Q(one__in=stories) | Q(other__in=stories)
    for one, other in Link.objects.filter(either, disposition__in=_TIES).values_list("one_id", "other_id"):
        for pk, mate in ((one, other), (other, one)):
            if pk in kin:
                kin[pk].tied.add(mate)
    for one, other, at in Split.objects.filter(either).values_list("one_id", "other_id", "made_at"):
        for pk, mate in ((one, other), (other, one)):
            if pk in kin:
                kin[pk].split_at[mate] = at
    return kin


def _not_told(breaks: Sequence[_Break], kin: Mapping[int, _Kin], now: datetime) -> list[_Break]:
    """Those that tell their person something new, one of a story; one query."""
    articles = {pk for each in kin.values() for pk in (*each.mates, *each.tied, *each.split_at)}
    told: dict[int, dict[int, datetime]] = defaultdict(dict)
    known = Notification.objects.filter(kind=NotificationKind.BREAKING, article__in=articles)
    for user, article, at in known.values_list("user_id", "article_id", "happened_at"):
        told[user][article or 0] = at
    fresh = []
    for each in breaks:
        if not kin[each.article.pk].is_told(told[each.user_id]):
            fresh.append(each)
            told[each.user_id][each.article.pk] = now
    return fresh


def _notification(news: _Break, now: datetime) -> Notification:
    with in_language_of(news.user_id):
        text = news.text
    return Notification(
        user_id=news.user_id, article=news.article, kind=NotificationKind.BREAKING, text=text, happened_at=now
    )
