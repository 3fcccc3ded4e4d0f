"""What stood in lists that are left, into bundles and out of them again. Each step is one short transaction's work.

A bundle holds deliveries by their subscription and how they stood there, and the states of reading that only these
brought. Unpacked, they stand as they stood; what the person did with an article meanwhile, where another feed brought
it, holds. Scores are worked out anew, within minutes.
"""

import json
import zlib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Exists, F, OuterRef

from feeds.models import Article
from reader.folding import note_ids
from reader.lifting import rate_again
from reader.marking import recount
from reader.models import Arrival, ArticleState, Bundle, Delivery, Parting, Rule, Subscription

BATCH = 2000  # articles in one transaction: a quarter of a second, for SQLite has one writer
_LISTS = 50  # subscriptions looked at for one batch
_FLAGS = ("is_read", "is_folded", "is_folded_in_folder", "is_seen")

Lists = Mapping[str, Sequence[int]]  # articles by `<subscription> <quiet> <flags>`

# As `reader.delivery` does it, but as it stood: of each row subscription, article, the flags and how quiet.
_PUT_BACK = """
INSERT INTO reader_delivery (
    user_id, folder_id, subscription_id, article_id, published_at, date_uncertain,
    is_read, is_folded, is_folded_in_folder, is_seen, quiet, is_rated
)
SELECT
    s.user_id, s.folder_id, s.id, a.id, a.published_at, a.date_uncertain,
    COALESCE(state.is_read, stood.column3), stood.column4, stood.column5, stood.column6, stood.column7, %s
FROM (VALUES {rows}) AS stood
JOIN reader_subscription s ON s.id = stood.column1
JOIN feeds_article a ON a.id = stood.column2
LEFT JOIN reader_articlestate state ON state.user_id = s.user_id AND state.article_id = a.id
WHERE 1 = 1
ON CONFLICT (subscription_id, article_id) DO NOTHING
"""


def pack_some(parting: Parting, ids: Collection[int]) -> list[int] | None:
    """Take the next `BATCH` rows of the lists of these subscriptions, which were left.

    Returns the changes to be folded after the transaction; None when nothing is left to take.
    """
    listed = Delivery.everything.filter(subscription=OuterRef("pk"))
    full = Subscription.everything.filter(Exists(listed), pk__in=ids).order_by("pk").values_list("pk", flat=True)
    next_ones = Delivery.everything.filter(subscription__in=list(full[:_LISTS])).order_by("subscription", "article")
    pks = list(next_ones.values_list("pk", flat=True)[:BATCH])
    lists = lists_of(pks)
    articles = [pk for each in lists.values() for pk in each]
    if not articles:
        return None
    kept = {"deliveries": lists} | _take_states(parting.user, articles)
    remove(pks)
    rate_again(parting.user, Rule.everything.filter(subscription__in=ids), articles)
    put_by(parting, kept, articles)
    Parting.objects.filter(pk=parting.pk).update(n_moved=F("n_moved") + len(articles))
    return note_ids(articles)


def lists_of(delivery_ids: Collection[int]) -> dict[str, list[int]]:
    """These deliveries as a bundle holds them; they are locked until the transaction ends."""
    lists: dict[str, list[int]] = defaultdict(list)
    rows = Delivery.everything.filter(pk__in=delivery_ids).select_for_update().order_by("pk")
    for subscription, article, quiet, *flags in rows.values_list("subscription", "article", "quiet", *_FLAGS):
        lists[f"{subscription} {quiet} {''.join(str(int(flag)) for flag in flags)}"].append(article)
    return dict(lists)


def remove(delivery_ids: Collection[int]) -> None:
    """Delete deliveries with what waits for them; in two statements, where Django would load every row."""
    Arrival.objects.filter(delivery__in=delivery_ids).delete()
    going = Delivery.everything.filter(pk__in=delivery_ids)
    going._raw_delete(going.db)


def put_by(parting: Parting, kept: Mapping[str, Any], articles: Collection[int]) -> None:
    """Make a bundle."""
    packed = zlib.compress(json.dumps(kept).encode())
    Bundle.objects.create(parting=parting, n_articles=len(articles), kept=packed)


def unpack_next(parting: Parting) -> list[int] | None:
    """Put back what the oldest bundle holds.

    Returns the changes to be folded after the transaction; None when no bundle is left.
    """
    bundle = parting.bundles.order_by("pk").first()
    if bundle is None:
        return None
    kept = json.loads(zlib.decompress(bytes(bundle.kept)))
    lists: Lists = kept["deliveries"]
    subscriptions = heirs(parting, {int(key.split()[0]) for key in lists})
    articles = {pk for ids in lists.values() for pk in ids}
    read_again = _put_back_states(parting.user, kept)
    _put_back(lists, subscriptions)
    changed = {each.pk for each in subscriptions.values()}
    changed |= _read_everywhere(parting.user, read_again)
    changed |= _take_from(kept.get("moved_to"), kept.get("moved", ()))
    rate_again(parting.user, Rule.everything.filter(subscription__in=subscriptions.values()), articles)
    recount(changed)
    bundle.delete()
    Parting.objects.filter(pk=parting.pk).update(n_moved=F("n_moved") + bundle.n_articles)
    return note_ids(articles)


def heirs(parting: Parting, numbers: Collection[int]) -> dict[int, Subscription]:
    """By their numbers the subscriptions into which the lists of these go: themselves; or, of one that waits because
    its feed was followed anew meanwhile, that other one, even if it was left again since."""
    found = Subscription.everything.filter(user=parting.user_id).in_bulk(numbers)
    doubled = [each for each in found.values() if each.parting_id == parting.pk]
    others = Subscription.everything.filter(user=parting.user_id, feed__in=[each.feed_id for each in doubled])
    by_feed: dict[int, Subscription] = {}
    for each in sorted(others, key=lambda each: (each.parting_id is None, each.pk)):
        if each.parting_id != parting.pk:
            by_feed[each.feed_id] = each
    return found | {each.pk: by_feed[each.feed_id] for each in doubled if each.feed_id in by_feed}


def _take_states(user: User, articles: Collection[int]) -> dict[str, list[int]]:
    """What the user's reading leaves of articles that nothing else brings them, and no star keeps."""
    elsewhere = set(Delivery.objects.filter(user=user, article__in=articles).values_list("article", flat=True))
    states = ArticleState.objects.filter(user=user, is_starred=False, article__in=articles)
    lost = [each for each in states.values_list("pk", "article", "is_read") if each[1] not in elsewhere]
    ArticleState.objects.filter(pk__in=[pk for pk, _, _ in lost]).delete()
    return {
        "read": [article for _, article, is_read in lost if is_read],
        "unread": [article for _, article, is_read in lost if not is_read],
    }


def _put_back_states(user: User, kept: Mapping[str, Any]) -> list[int]:
    """Returns the articles that are read again by this; what has a state by now keeps it."""
    wanted = {pk: name == "read" for name in ("read", "unread") for pk in kept[name]}
    known = ArticleState.objects.filter(user=user, article__in=wanted)
    missing = wanted.keys() - set(known.values_list("article", flat=True))
    there = sorted(Article.objects.filter(pk__in=missing).values_list("pk", flat=True))
    states = [ArticleState(user=user, article_id=pk, is_read=wanted[pk]) for pk in there]
    ArticleState.objects.bulk_create(states, ignore_conflicts=True)
    return [pk for pk in there if wanted[pk]]


def _put_back(lists: Lists, subscriptions: Mapping[int, Subscription]) -> None:
    values: list[int | bool] = []
    for key, ids in lists.items():
        number, quiet, flags = key.split()
        if heir := subscriptions.get(int(number)):
            for pk in ids:
                values += [heir.pk, pk, *(flag == "1" for flag in flags), int(quiet)]
    if values:
        rows = ", ".join(["(%s, %s, %s, %s, %s, %s, %s)"] * (len(values) // 7))
        with connection.cursor() as cursor:
            cursor.execute(_PUT_BACK.format(rows=rows), [False, *values])


def _read_everywhere(user: User, article_ids: Collection[int]) -> set[int]:
    """Where another feed brought them anew meanwhile, they are read too; returns its subscriptions."""
    here = Delivery.everything.filter(user=user, article__in=article_ids, is_read=False)
    changed = set(here.values_list("subscription", flat=True))
    here.update(is_read=True)
    return changed


def _take_from(subscription_id: int | None, article_ids: Collection[int]) -> set[int]:
    """Take what came over by joining out of the list it came into, unless its own feed brought it too since."""
    there = Delivery.everything.filter(subscription=subscription_id, article__in=article_ids)
    own = Article.objects.filter(items__feed__subscriptions=subscription_id, pk__in=article_ids)
    remove(list(there.exclude(article__in=own.values("pk")).values_list("pk", flat=True)))
    return {subscription_id} if subscription_id is not None else set()
