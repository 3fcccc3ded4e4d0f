"""Noise limits: how much of a feed appears in lists. The rest is only in the feed's own list.

*At most N a day* counts by publication date, in the user's time zone. The first articles to arrive are let in, and of
those that arrive together the newest: importance is known only minutes later, and articles must not vanish from lists.
*Quiet until* keeps out what arrives before a day. Both only affect new articles. *Digests only* affects all.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo

from django.contrib.auth.models import User
from django.db import transaction

from feeds.models import Article
from reader.articles.arrivals import ARRIVING, arrive
from reader.articles.read_state import recount
from reader.models import Delivery, Quiet, Subscription, lock_deliveries
from reader.preferences.store import time_zone_of
from reader.stories.collapse import fold_now, queue_fold

NOISE_FIELDS = ("most_a_day", "is_digest_only", "quiet_until")  # fields of a subscription
_CHUNK = 500  # ids in one statement
_MARGIN = timedelta(days=1)  # covers a calendar day in any time zone

Dated = tuple[int, datetime]  # the id and the date of a delivery


def over_daily_limit(dated: Iterable[Dated], *, n_listed: Mapping[date, int], most: int, zone: tzinfo) -> set[int]:
    """The ids beyond the daily limit; `n_listed`: the number of articles already listed, by day."""
    count = Counter(dict(n_listed))
    over = set()
    for pk, published_at in sorted(dated, key=lambda pair: (pair[1], pair[0]), reverse=True):
        day = published_at.astimezone(zone).date()
        if count[day] >= most:
            over.add(pk)
        count[day] += 1
    return over


def apply_noise_limits(subscriptions: Collection[Subscription], new: Mapping[int, int], *, now: datetime) -> set[int]:
    """Make new deliveries beyond the limits quiet; returns their ids. `new`: the subscription id of each delivery.

    Call it in the transaction that created them, before they are counted. No queries without limits.
    """
    bounded = {
        subscription.pk: subscription
        for subscription in subscriptions
        if subscription.is_digest_only or subscription.quiet_until or subscription.most_a_day
    }
    ids = sorted(pk for pk, subscription_id in new.items() if subscription_id in bounded)
    if not ids:
        return set()
    dated: dict[int, list[Dated]] = defaultdict(list)
    for chunk in _chunks(ids):
        for pk, published_at in Delivery.objects.filter(pk__in=chunk).values_list("pk", "published_at"):
            dated[new[pk]].append((pk, published_at))
    users = User.objects.in_bulk({bounded[pk].user_id for pk in dated})
    zones = {pk: time_zone_of(user) for pk, user in users.items()}
    quiet: dict[int, set[int]] = {Quiet.DIGEST: set(), Quiet.OWN_LIST: set()}
    for pk, deliveries in dated.items():
        subscription = bounded[pk]
        zone = zones[subscription.user_id]
        everything = {delivery for delivery, _ in deliveries}
        if subscription.is_digest_only:
            quiet[Quiet.DIGEST] |= everything
        elif subscription.quiet_until and now.astimezone(zone).date() < subscription.quiet_until:
            quiet[Quiet.OWN_LIST] |= everything
        elif subscription.most_a_day:
            quiet[Quiet.OWN_LIST] |= over_daily_limit(
                deliveries,
                n_listed=_count_listed(pk, deliveries, zone),
                most=subscription.most_a_day,
                zone=zone,
            )
    for kind, pks in quiet.items():
        for chunk in _chunks(sorted(pks)):
            Delivery.objects.filter(pk__in=chunk).update(quiet=kind, is_folded=True, is_folded_in_folder=True)
    return set().union(*quiet.values())


def set_noise_limits(
    subscription: Subscription, *, most_a_day: int | None, is_digest_only: bool, quiet_until: date | None
) -> None:
    """Set the noise limits of a feed; digests only also applies to existing articles."""
    set_digest_only(subscription.user, [subscription.pk], is_wanted=is_digest_only)
    subscription.most_a_day, subscription.is_digest_only = most_a_day, is_digest_only
    subscription.quiet_until = quiet_until
    subscription.save(update_fields=NOISE_FIELDS)


def set_digest_only(user: User, subscription_ids: Collection[int], *, is_wanted: bool) -> None:
    """Set whether feeds are for digests only, including existing articles."""
    with transaction.atomic():
        changing = Subscription.objects.filter(user=user, pk__in=subscription_ids).exclude(is_digest_only=is_wanted)
        ids = list(changing.values_list("pk", flat=True))
        was, becomes = (Quiet.NOT, Quiet.DIGEST) if is_wanted else (Quiet.DIGEST, Quiet.NOT)
        deliveries = Delivery.objects.filter(subscription__in=ids)
        changes = queue_fold(Article.objects.filter(deliveries__subscription__in=ids)) if ids else []
        lock_deliveries(deliveries)
        changed = deliveries.filter(quiet=was)
        if is_wanted:
            changed.filter(is_folded=False).update(was_listed=True)
        else:
            changed.filter(is_read=False, was_listed=False).update(arrival=ARRIVING)
        changed.update(quiet=becomes, is_folded=is_wanted, is_folded_in_folder=is_wanted)
        recount(ids)
        Subscription.objects.filter(pk__in=ids).update(is_digest_only=is_wanted)
        arrive(deliveries.filter(arrival=ARRIVING))
    fold_now(changes, user=user)


def _count_listed(subscription_id: int, dated: Sequence[Dated], zone: tzinfo) -> Counter[date]:
    """The number of the feed's other articles already listed, by day."""
    dates = [published_at for _, published_at in dated]
    others = Delivery.objects.filter(
        subscription=subscription_id,
        is_read__in=(False, True),
        quiet=Quiet.NOT,
        published_at__gte=min(dates) - _MARGIN,
        published_at__lte=max(dates) + _MARGIN,
    ).exclude(pk__in=[pk for pk, _ in dated])
    return Counter(at.astimezone(zone).date() for at in others.values_list("published_at", flat=True))


def _chunks(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (ids[start : start + _CHUNK] for start in range(0, len(ids), _CHUNK))
