"""Breaking news: a T1 or T2 article above 85 that 3 publishers or more report, announced at once and only once per
story, to users who switched it on. Source: SPEC §13; a user without a profile sees at most 88.75.

Publishers are counted among those whom the user follows. Recency contributes 20 points at most, so only an article
whose other parts exceed 65 can break, and hardly any does: one query finds them. Only then users are considered, with
the same importance functions as the pages.

Stories change after a notification: they merge, single articles are linked to others, articles are split off. So what
a user knows is determined by article, not by story. A user knows an article if they were notified of one

1. in its current story,
2. linked to it as a copy or as the same event, in whatever story,
3. that was split off from it since: both were in one story at the time of the notification.

An article that was split off before that is another event.

Two workers that run at once find the same articles; the one that locks the user's row checks again and writes.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import override, pgettext

from digests.models import AlertSettings
from feeds.models import Article, Disposition, Link, Split, Tier
from reader.lists.queries import NO
from reader.models import Delivery, InterestProfile, Notification, NotificationKind, Quiet
from reader.preferences.store import languages_of
from reader.scoring.importance import DEFAULT_RECENCY_RATE, WEIGHTS
from reader.scoring.rating import Rates, Rating, decay_rates, rating_of

BREAKING_ABOVE = 85.0  # importance; SPEC §13
BREAKING_TIERS = (Tier.T1, Tier.T2)
BREAKING_PUBLISHERS = 3  # at least, in its story
BREAKING_WITHIN = timedelta(hours=24)  # of publication
_MAY_PASS = Q(  # of a delivery: enough of the user's publishers, and important enough if it were new
    n_publishers__gte=BREAKING_PUBLISHERS, static_importance__gt=BREAKING_ABOVE - 100 * WEIGHTS["recency"]
)
_LONGEST_TEXT = 700  # characters of a notification
_TIES = (Disposition.NEAR_DUPLICATE, Disposition.SAME_EVENT)


@dataclass(frozen=True, slots=True)
class _Break:
    """An article that is breaking news for one user; `source` is its source for them."""

    user_id: int
    article: Article
    source: str
    rating: Rating

    @property
    def text(self) -> str:
        known_at = {"source": self.source, "points": self.rating.points}
        sentence = _("%(title)s (%(source)s), importance %(points)s.")
        room = _LONGEST_TEXT - len(breaking_prefix()) - len(sentence % {"title": "", **known_at})
        title = self.article.title
        shown = title if len(title) <= room else title[: room - 1].rstrip() + "…"
        return breaking_prefix() + sentence % {"title": shown, **known_at}


@dataclass(slots=True)
class _Kin:
    """Articles related to one: in its story, linked to it, and split off from it with the time."""

    mates: set[int] = field(default_factory=set)
    tied: set[int] = field(default_factory=set)
    split_at: dict[int, datetime] = field(default_factory=dict)

    def is_known(self, known_at: Mapping[int, datetime]) -> bool:
        """Whether a user who was notified of these articles at these times knows this one."""
        return any(self._is_known_by(pk, at) for pk, at in known_at.items())

    def _is_known_by(self, pk: int, at: datetime) -> bool:
        if pk in self.mates:
            return True
        return self.split_at[pk] > at if pk in self.split_at else pk in self.tied


def breaking_prefix() -> str:
    """The prefix of breaking news notifications; omitted under a heading that says so."""
    return pgettext("before a headline", "Breaking: ")


def notify_breaking_news(now: datetime) -> int:
    """Notify users of breaking news they don't know yet; returns how many notifications are new.

    A fixed number of queries, one if nothing can break.
    """
    breaks = _breaks(_candidates(now), now)
    if not breaks:
        return 0
    kin = _kin({candidate.article.pk: candidate.article.story_id for candidate in breaks})
    if not (fresh := _unknown(breaks, kin, now)):
        return 0
    with transaction.atomic():
        users = User.objects.select_for_update(no_key=True).filter(pk__in={candidate.user_id for candidate in fresh})
        list(users.order_by("pk").values_list("pk"))
        fresh = _unknown(fresh, kin, now)  # another worker may have notified them in the meantime
        languages = languages_of({candidate.user_id for candidate in fresh})
        news = [_notification(candidate, languages[candidate.user_id], now) for candidate in fresh]
        Notification.objects.bulk_create(news, ignore_conflicts=True)
    return len(fresh)


def _candidates(now: datetime) -> list[int]:
    """Recent articles of good sources that may break for some user."""
    recent = Article.objects.filter(published_at__gte=now - BREAKING_WITHIN)
    reported = Delivery.objects.filter(_MAY_PASS, article=OuterRef("pk"))
    may_break = recent.filter(Exists(reported), assessment__tier__in=BREAKING_TIERS)
    return list(may_break.values_list("pk", flat=True))


def _breaks(article_ids: Collection[int], now: datetime) -> list[_Break]:
    """Articles and the users they break for, most important first; one query."""
    if not article_ids:
        return []
    copies: dict[tuple[int, int], list[Delivery]] = defaultdict(list)
    for delivery in _deliveries(article_ids):
        copies[delivery.user_id, delivery.article_id].append(delivery)
    decay = decay_rates()
    breaks = [_break(several, decay, now) for several in copies.values()]
    above = [candidate for candidate in breaks if candidate.rating.parts.importance > BREAKING_ABOVE]
    return sorted(
        above, key=lambda candidate: (-candidate.rating.parts.importance, candidate.article.pk, candidate.user_id)
    )


def _deliveries(article_ids: Collection[int]) -> Iterable[Delivery]:
    """Unread deliveries of these articles to users who want breaking news, if they can pass the threshold.

    Feeds whose articles a user only wants in the feed's own list don't count.
    """
    chosen = Q(breaking=True) | Q(breaking_by_mail=True)
    wants = AlertSettings.objects.filter(chosen, user=OuterRef("user"))
    knows = Notification.objects.filter(
        user=OuterRef("user"), article=OuterRef("article"), kind=NotificationKind.BREAKING
    )
    unread = Delivery.objects.filter(_MAY_PASS, Exists(wants), ~Exists(knows), article__in=article_ids, is_read=NO)
    wanted = unread.filter(
        user__is_active=True,
        subscription__has_alerts=True,
        relevance__isnull=False,  # unrated articles wait for deduplication
        quiet__in=(Quiet.NOT, Quiet.DIGEST),
    )
    related = wanted.select_related("subscription__feed__publisher", "article__assessment", "user__interest_profile")
    heavy = ("article__markup", "article__text", "article__safe_html", "article__assessment__depth_features")
    return related.defer(*heavy, "user__interest_profile__vector").order_by("pk")


def _break(copies: Sequence[Delivery], decay: dict[int, float], now: datetime) -> _Break:
    """The rating of an article for one user; `copies` are all their deliveries of it, oldest first."""
    first, article = copies[0], copies[0].article
    profile: InterestProfile | None = getattr(first.user, "interest_profile", None)  # created when needed
    rating = rating_of(
        article.assessment,
        n_publishers=first.n_publishers,
        n_tiers=first.n_tiers,
        relevance=first.relevance,
        sensitivity=first.sensitivity,
        published_at=article.published_at,
        date_uncertain=article.date_uncertain,
        now=now,
        rates=Rates(profile.recency_rate if profile else DEFAULT_RECENCY_RATE, decay),
    )
    shown_copy = next((copy for copy in copies if copy.subscription.feed_id == article.feed_id), first)
    return _Break(first.user_id, article, shown_copy.subscription.source_name, rating)


def _kin(stories: Mapping[int, int | None]) -> dict[int, _Kin]:
    """The related articles of each article, given with its story; three queries."""
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


def _unknown(breaks: Sequence[_Break], kin: Mapping[int, _Kin], now: datetime) -> list[_Break]:
    """Those that their user doesn't know yet, one per story; one query."""
    articles = {pk for relatives in kin.values() for pk in (*relatives.mates, *relatives.tied, *relatives.split_at)}
    known_at: dict[int, dict[int, datetime]] = defaultdict(dict)
    notified = Notification.objects.filter(kind=NotificationKind.BREAKING, article__in=articles)
    for user, article, at in notified.values_list("user_id", "article_id", "happened_at"):
        known_at[user][article or 0] = at
    fresh = []
    for item in breaks:
        if not kin[item.article.pk].is_known(known_at[item.user_id]):
            fresh.append(item)
            known_at[item.user_id][item.article.pk] = now
    return fresh


def _notification(news: _Break, language: str, now: datetime) -> Notification:
    with override(language):
        text = news.text
    return Notification(
        user_id=news.user_id, article=news.article, kind=NotificationKind.BREAKING, text=text, happened_at=now
    )
