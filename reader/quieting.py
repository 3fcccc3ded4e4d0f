"""Noise budgets: how much of a feed is let into its person's lists. What is not stays in the feed's own list.

*At most N a day* counts by the day an article is dated, in its person's time zone. What comes first is let through, and
of what comes together the newest: importance is known only minutes later, and a list from which things vanish again
would be worse than a list with the second best. *Quiet until* a day keeps out what comes before it. Both are about what
comes: what stands somewhere stays there. *Digests only* is about all of the feed, and is undone as wholly.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo

from django.contrib.auth.models import User
from django.db import transaction

from feeds.models import Article
from reader.folding import note, settle
from reader.locking import lock
from reader.marking import recount
from reader.models import Delivery, Quiet, Subscription
from reader.preferences import time_zone_of

BUDGET = ("most_a_day", "is_digest_only", "quiet_until")  # of a subscription
_CHUNK = 500  # ids in one statement
_MARGIN = timedelta(days=1)  # a day of the calendar ends within it, in any zone

Dated = tuple[int, datetime]  # the id and the date of a delivery


def over_budget(several: Iterable[Dated], *, let_in: Mapping[date, int], most: int, zone: tzinfo) -> set[int]:
    """The ids of those that are too many for their day, of which `let_in` says how many stand in the lists already."""
    count = Counter(dict(let_in))
    over = set()
    for pk, published_at in sorted(several, key=lambda each: (each[1], each[0]), reverse=True):
        day = published_at.astimezone(zone).date()
        if count[day] >= most:
            over.add(pk)
        count[day] += 1
    return over


def quieten(subscriptions: Collection[Subscription], made: Mapping[int, int], *, now: datetime) -> set[int]:
    """Quieten what is too much of the deliveries just made (their subscriptions by their ids); returns their ids.

    To be called in the transaction that made them, before they are counted. No statement where nobody has a budget.
    """
    bounded = {each.pk: each for each in subscriptions if each.is_digest_only or each.quiet_until or each.most_a_day}
    ids = sorted(pk for pk, subscription_id in made.items() if subscription_id in bounded)
    if not ids:
        return set()
    dated: dict[int, list[Dated]] = defaultdict(list)
    for some in _chunks(ids):
        for pk, published_at in Delivery.objects.filter(pk__in=some).values_list("pk", "published_at"):
            dated[made[pk]].append((pk, published_at))
    people = User.objects.in_bulk({bounded[pk].user_id for pk in dated})
    zones = {pk: time_zone_of(user) for pk, user in people.items()}
    quiet: dict[int, set[int]] = {Quiet.DIGEST: set(), Quiet.OWN_LIST: set()}
    for pk, several in dated.items():
        each = bounded[pk]
        zone = zones[each.user_id]
        everything = {one for one, _ in several}
        if each.is_digest_only:
            quiet[Quiet.DIGEST] |= everything
        elif each.quiet_until and now.astimezone(zone).date() < each.quiet_until:
            quiet[Quiet.OWN_LIST] |= everything
        elif each.most_a_day:
            let_in = _let_in(pk, several, zone)
            quiet[Quiet.OWN_LIST] |= over_budget(several, let_in=let_in, most=each.most_a_day, zone=zone)
    for how, found in quiet.items():
        for some in _chunks(sorted(found)):
            Delivery.objects.filter(pk__in=some).update(quiet=how, is_folded=True, is_folded_in_folder=True)
    return set().union(*quiet.values())


def bound_noise(
    subscription: Subscription, *, most_a_day: int | None, is_digest_only: bool, quiet_until: date | None
) -> None:
    """Set the budget of a feed; digests only applies to what is here as well."""
    keep_to_digests(subscription.user, [subscription.pk], is_wanted=is_digest_only)
    subscription.most_a_day, subscription.is_digest_only = most_a_day, is_digest_only
    subscription.quiet_until = quiet_until
    subscription.save(update_fields=BUDGET)


def keep_to_digests(user: User, subscription_ids: Collection[int], *, is_wanted: bool) -> None:
    """Whether these feeds of the user's are for digests only, with what is here of them. A fixed number of statements
    but for the folding after it."""
    with transaction.atomic():
        changing = Subscription.objects.filter(user=user, pk__in=subscription_ids).exclude(is_digest_only=is_wanted)
        ids = list(changing.values_list("pk", flat=True))
        was, becomes = (Quiet.NOT, Quiet.DIGEST) if is_wanted else (Quiet.DIGEST, Quiet.NOT)
        deliveries = Delivery.objects.filter(subscription__in=ids)
        changes = note(Article.objects.filter(deliveries__subscription__in=ids)) if ids else []
        lock(deliveries)
        deliveries.filter(quiet=was).update(quiet=becomes, is_folded=is_wanted, is_folded_in_folder=is_wanted)
        recount(ids)
        Subscription.objects.filter(pk__in=ids).update(is_digest_only=is_wanted)
    settle(changes, user=user)


def _let_in(subscription_id: int, several: Sequence[Dated], zone: tzinfo) -> Counter[date]:
    """How many of the feed stand in the lists already, of each of these days."""
    dates = [published_at for _, published_at in several]
    others = Delivery.objects.filter(
        subscription=subscription_id,
        is_read__in=(False, True),
        quiet=Quiet.NOT,
        published_at__gte=min(dates) - _MARGIN,
        published_at__lte=max(dates) + _MARGIN,
    ).exclude(pk__in=[pk for pk, _ in several])
    return Counter(at.astimezone(zone).date() for at in others.values_list("published_at", flat=True))


def _chunks(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (ids[start : start + _CHUNK] for start in range(0, len(ids), _CHUNK))
