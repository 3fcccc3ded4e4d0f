"""Stage 8: what each article is worth to each person it was brought to, as far as it does not age. Workers only: numpy.

Everything not rated waits in one index, whoever it was brought to; a batch takes articles and rates all their copies,
so that the features of an article are read once for all its readers. An article is taken when deduplication is through
with it, because only then its meaning is known, and assessed first if it was not yet or was revised since.

All copies that one person has of an article are rated together, or it would stand in two places of their list. A copy
takes the article's date along: a revision may bring the one that was missing.

A batch works out relevance without any lock and writes under locks (assessments by article, then deliveries by id) what
it finds there then: worth, time sensitivity and what rules lift by, as they are at that moment. A copy whose reader's
profile changed meanwhile gets its numbers and waits for the next batch all the same. Interrupted anywhere, what was not
written waits.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Count, F, QuerySet
from django.utils import timezone

from feeds.models import Item
from reader.assessing import assess
from reader.backgrounds import background
from reader.known_tastes import KnownTastes
from reader.learning.classifier import relevance_of_many as by_model
from reader.learning.matrices import Floats, Stored
from reader.learning.profile_arrays import idf_array
from reader.learning.profile_arrays import relevance_of_many as by_profile
from reader.lifting import points_of
from reader.locking import lock
from reader.models import Assessment, Delivery, Features, InterestProfile, SensitivityLabel, TaggedArticle
from reader.ranking import slot_of
from reader.rates import decay_rates
from reader.scoring.decay import pull
from reader.scoring.importance import NEUTRAL_RELEVANCE, standing
from reader.scoring.lift import lifted
from reader.tastes import Taste
from reader.waiting import changed_profiles, to_rate

BATCH = 4000  # deliveries; their features take 5 MB
KEPT_FRESH = timedelta(days=30)  # SPEC §11: unread articles of the last 30 days are kept scored
OLDEST = timedelta(days=365)  # SPEC §11: and of older ones, to a year, a share
SHARES = 20  # of the older ones one share is rated anew at a time, so each every ten hours

_UPDATE = """
UPDATE reader_delivery SET relevance = %s, standing = %s, slot = %s, sensitivity = %s, pull = %s, is_rated = %s
WHERE id = %s
"""


class _Copy(NamedTuple):
    """A delivery to be rated; the date is the article's, and `kept_at` and `is_kept_uncertain` repeat it so far."""

    pk: int
    user_id: int
    article_id: int
    published_at: datetime
    date_uncertain: bool
    kept_at: datetime
    is_kept_uncertain: bool


_COLUMNS = (
    "pk",
    "user_id",
    "article_id",
    "article__published_at",
    "article__date_uncertain",
    "published_at",
    "date_uncertain",
)


def rate_waiting(*, until: datetime | None = None, on_batch: Callable[[int], None] = lambda n: None) -> int:
    """Rate what waits, taking nothing new after `until`; returns the number of deliveries rated."""
    total, tastes = 0, KnownTastes()
    while until is None or timezone.now() < until:
        n_rated = _rate_batch(tastes, timezone.now())
        if not n_rated:
            break
        on_batch(n_rated)
        total += n_rated
    return total


def mark_changed(*, now: datetime, user: User | None = None) -> int:
    """Have rated anew what is unread and recent of everybody whose profile changed, or of `user` at once.

    Returns the number of people.
    """
    chosen = changed_profiles(now) if user is None else InterestProfile.objects.filter(user=user)
    found = list(chosen.order_by("pk"))
    for each in found:
        with transaction.atomic():
            _mark(Delivery.objects.filter(user=each.user_id, published_at__gte=now - KEPT_FRESH))
            InterestProfile.objects.filter(pk=each.pk).update(rated_at=each.changed_at)
    return len(found)


def mark_older_share(*, now: datetime) -> int:
    """Have one share of the older unread articles rated anew, another each half hour; returns how many."""
    share = int(now.timestamp() // 1800) % SHARES
    older = Delivery.objects.filter(published_at__lt=now - KEPT_FRESH, published_at__gte=now - OLDEST)
    with transaction.atomic():
        return _mark(older.annotate(share=F("article_id") % SHARES).filter(share=share))


def mark_all(user: User | None = None) -> int:
    """Have everything rated anew, for everybody or for `user`; returns how many deliveries."""
    chosen = Delivery.objects.all() if user is None else Delivery.objects.filter(user=user)
    with transaction.atomic():
        lock(chosen)
        return chosen.update(is_rated=False)


def _mark(deliveries: QuerySet[Delivery]) -> int:
    unread = deliveries.filter(is_read=False, is_rated=True)
    lock(unread)
    return unread.update(is_rated=False)


def _rate_batch(known: KnownTastes, now: datetime) -> int:
    copies = _taken()
    if not copies:
        return 0
    _assess_missing({each.article_id for each in copies}, now)
    tastes, relevances = _relevances(copies, known)
    with transaction.atomic():
        _write(copies, relevances, tastes)
    return len(copies)


def _taken() -> list[_Copy]:
    """The next copies that wait, with the others that their readers have of the same articles."""
    waiting = to_rate().order_by("-article", "pk").values_list(*_COLUMNS)[:BATCH]
    copies = {each[0]: _Copy(*each) for each in waiting}
    wanted = {(each.user_id, each.article_id) for each in copies.values()}
    articles = {each.article_id for each in copies.values()}
    several = (
        Item.objects.filter(article__in=articles).order_by().values("article").annotate(n=Count("feed", distinct=True))
    )
    others = Delivery.objects.filter(article__in=several.filter(n__gt=1).values("article"))
    for each in others.filter(user__in={user for user, _ in wanted}).values_list(*_COLUMNS):
        copy = _Copy(*each)
        if (copy.user_id, copy.article_id) in wanted:
            copies[copy.pk] = copy
    return list(copies.values())


def _assess_missing(ids: Collection[int], now: datetime) -> None:
    current = Assessment.objects.filter(article__in=ids, content_hash=F("article__content_hash"))
    missing = set(ids) - set(current.values_list("article_id", flat=True))
    if missing:
        assess(missing, now=now)


def _relevances(copies: Sequence[_Copy], known: KnownTastes) -> tuple[dict[int, Taste], dict[int, float]]:
    """The taste of each reader, and the relevance of each delivery."""
    idf = idf_array(background())
    kept = {
        pk: (bytes(terms), bytes(marks), bytes(vector))
        for pk, terms, marks, vector in Features.objects.filter(article__in={each.article_id for each in copies})
        .values_list("article_id", "terms", "marks", "vector")
        .iterator()
    }
    by_user: dict[int, list[_Copy]] = defaultdict(list)
    for each in copies:
        by_user[each.user_id].append(each)
    tastes = known.of(by_user)
    relevances: dict[int, float] = {}
    for user_id, own in by_user.items():
        features = [kept.get(each.article_id, (b"", b"", b"")) for each in own]
        stored = Stored(*(list(each) for each in zip(*features, strict=True)))
        found = _relevance_of_many(tastes.get(user_id, Taste()), stored, idf)
        relevances.update(zip((each.pk for each in own), found, strict=True))
    return tastes, relevances


def _relevance_of_many(taste: Taste, stored: Stored, idf: Floats) -> list[float]:
    if taste.model is not None:
        return [float(each) for each in by_model(taste.model, stored, idf=idf)]
    if taste.profile.certainty:
        return [float(each) for each in by_profile(taste.profile, stored, idf)]
    return [NEUTRAL_RELEVANCE] * len(stored)


def _write(copies: Sequence[_Copy], relevances: Mapping[int, float], tastes: Mapping[int, Taste]) -> None:
    ids = sorted({each.article_id for each in copies})
    assessed = Assessment.objects.filter(article__in=ids).select_for_update().order_by("article_id")
    known = {
        pk: (worth, sensitivity)
        for pk, worth, sensitivity in assessed.values_list("article_id", "worth", "sensitivity")
    }
    own = Delivery.objects.filter(pk__in=[each.pk for each in copies])
    lock(own)
    labels = SensitivityLabel.objects.filter(article__in=ids, user__in=tastes).values_list("user", "article", "score")
    said = {(user, article): score for user, article, score in labels}
    people = InterestProfile.objects.filter(user__in=tastes)
    changed = {
        pk: at for pk, at in people.values_list("pk", "changed_at") if pk in tastes and at != tastes[pk].changed_at
    }
    rates = decay_rates()
    points = points_of({each.user_id for each in copies}, ids)
    rows = []
    for each in copies:
        if each.article_id not in known:
            continue  # deleted meanwhile
        worth, sensitivity = known[each.article_id]
        sensitivity = said.get((each.user_id, each.article_id), sensitivity)
        relevance = lifted(relevances[each.pk], points.get((each.user_id, each.article_id), 0))
        pulled = pull(relevance, rate=rates[sensitivity], published_at=each.published_at)
        placed = standing(worth, relevance), slot_of(each.published_at), sensitivity, pulled
        rows.append((relevance, *placed, each.user_id not in changed, each.pk))
    _redate(copies)
    with connection.cursor() as cursor:
        cursor.executemany(_UPDATE, rows)


def _redate(copies: Sequence[_Copy]) -> None:
    dated = [
        Delivery(pk=each.pk, published_at=each.published_at, date_uncertain=each.date_uncertain)
        for each in copies
        if (each.published_at, each.date_uncertain) != (each.kept_at, each.is_kept_uncertain)
    ]
    if dated:
        Delivery.objects.bulk_update(dated, ["published_at", "date_uncertain"], batch_size=100)
        tagged = TaggedArticle.objects.filter(article__in={each.article_id for each in copies})
        for pk, published_at in tagged.exclude(published_at=F("article__published_at")).values_list(
            "pk", "article__published_at"
        ):
            TaggedArticle.objects.filter(pk=pk).update(published_at=published_at)
