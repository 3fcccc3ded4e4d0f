"""Keeps subscriptions at hubs in step with the feeds that are followed, and renews them; every minute.

A request is claimed by a conditional update that also sets when it is repeated, so two workers never send the same one,
and one that a worker didn't finish is sent again. What the hub responds only matters if it refuses.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from secrets import token_urlsafe
from urllib.parse import urlencode, urljoin, urlsplit

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from feeds.errors import ConnectionFailed, FetchError, FetchTimeout
from feeds.fetching.post import PostResult
from feeds.models import Feed, FeedStatus, PushState, PushSubscription
from feeds.normalizing.domains import registrable_domain
from feeds.polling.rate_limits import limited_domains
from feeds.push.callback import deny, poll_as_usual

LEASE = timedelta(days=10)  # that we ask for; the specification's advice
MAX_NEW = 500  # feeds of one run, which is one transaction
PER_HUB = 20  # requests of one run, one after the other
MAX_HUBS = 20  # of one run, at the same time
FIRST_RETRY = timedelta(hours=1)  # doubled with each request that the hub doesn't confirm
MAX_DOUBLINGS = 7
LATER = timedelta(minutes=10)  # when a hub that doesn't respond gets the others' requests
LAST_TRIES = 3  # to unsubscribe
CONFIRMS_FOR = timedelta(days=1)  # how long we confirm that we unsubscribed
MAX_REDIRECTS = 2
_BUSY = frozenset({408, 425, 429})

Post = Callable[[str, bytes], PostResult]
"""Posts a form to a URL. Raises FetchError."""


@dataclass(frozen=True, slots=True)
class _Response:
    """`refusal`: why the hub refuses, "" if it doesn't; `trouble`: why it can't be reached now; None: not asked."""

    push: PushSubscription
    refusal: str = ""
    trouble: str | None = ""


def update_subscriptions(followed: QuerySet[Feed], *, now: datetime) -> None:
    """Plan subscriptions for active feeds among `followed` that name a hub; end the others."""
    wanted = followed.filter(status=FeedStatus.ACTIVE).exclude(hub_url="")
    new = wanted.filter(push=None).only("hub_url", "topic_url").order_by("pk")[:MAX_NEW]
    PushSubscription.objects.bulk_create(
        [PushSubscription(feed=feed, **_fresh(feed, now)) for feed in new], ignore_conflicts=True
    )
    changed = ~Q(hub_url=F("feed__hub_url")) | ~Q(topic_url=F("feed__topic_url")) | Q(state=PushState.ENDING)
    for push in PushSubscription.objects.filter(changed, feed__in=wanted).select_related("feed"):
        PushSubscription.objects.filter(pk=push.pk, key=push.key).update(**_fresh(push.feed, now))
    unwanted = PushSubscription.objects.exclude(feed__in=wanted).exclude(state=PushState.ENDING)
    unwanted.exclude(state__in=(PushState.REQUESTED, PushState.VERIFIED)).delete()
    poll_as_usual(unwanted.filter(announces=True), now=now)
    unwanted.update(state=PushState.ENDING, try_at=now, n_tries=0, announces=False)


def _fresh(feed: Feed, now: datetime) -> dict[str, object]:
    """The values of a subscription that has not been requested."""
    return {
        "hub_url": feed.hub_url,
        "topic_url": feed.topic_url,
        "key": token_urlsafe(32),
        "secret": token_urlsafe(32),
        "state": PushState.WAITING,
        "try_at": now,
        "n_tries": 0,
        "reason": "",
        "announces": False,
        "verified_at": None,
        "lease_until": None,
    }


def end_expired(*, now: datetime) -> None:
    """Poll feeds whose hub let the lease end; it is asked again when due."""
    expired = PushSubscription.objects.filter(state=PushState.VERIFIED, lease_until__lte=now)
    poll_as_usual(expired.filter(announces=True), now=now)
    expired.update(state=PushState.LAPSED, announces=False)


def drop_all(*, now: datetime) -> None:
    """Forget all subscriptions, because hubs can't reach us; polling takes over."""
    poll_as_usual(PushSubscription.objects.filter(announces=True), now=now)
    PushSubscription.objects.all().delete()


def send_due(post: Post, *, callback_url: Callable[[str], str], now: datetime) -> int:
    """Send requests that are due, at most `PER_HUB` to each hub; returns how many were claimed."""
    by_hub: dict[str, list[PushSubscription]] = defaultdict(list)
    for push in _claim(now):
        by_hub[registrable_domain(push.hub_url)].append(push)
    ask = partial(_ask_in_turn, post, callback_url)
    with ThreadPoolExecutor(MAX_HUBS, thread_name_prefix="hub") as threads:
        for responses in threads.map(ask, by_hub.values()):
            for response in responses:
                _save(response, now)
    return sum(map(len, by_hub.values()))


def _claim(now: datetime) -> Iterator[PushSubscription]:
    due = PushSubscription.objects.filter(try_at__lte=now)
    due.filter(state=PushState.ENDING, n_tries__gte=LAST_TRIES).delete()
    limited = limited_domains(now)
    hubs = due.order_by("hub_url").values_list("hub_url", flat=True).distinct()
    for hub_url in [hub_url for hub_url in hubs if registrable_domain(hub_url) not in limited][:MAX_HUBS]:
        for push in due.filter(hub_url=hub_url).order_by("try_at", "pk")[:PER_HUB]:
            wait = FIRST_RETRY * 2 ** min(push.n_tries, MAX_DOUBLINGS)
            state = push.state if push.state in (PushState.VERIFIED, PushState.ENDING) else PushState.REQUESTED
            claim = PushSubscription.objects.filter(pk=push.pk, key=push.key, try_at=push.try_at, state=push.state)
            if claim.update(try_at=now + wait, n_tries=push.n_tries + 1, state=state):
                push.state, push.n_tries = state, push.n_tries + 1
                yield push


def _ask_in_turn(post: Post, callback_url: Callable[[str], str], pushes: Iterable[PushSubscription]) -> list[_Response]:
    """Send requests to one hub until it doesn't respond. Runs in a thread, so it must not use the database."""
    responses: list[_Response] = []
    for push in pushes:
        if responses and responses[-1].trouble != "":
            responses.append(_Response(push, trouble=None))
        else:
            responses.append(_ask(post, callback_url(push.key), push))
    return responses


def _ask(post: Post, callback: str, push: PushSubscription) -> _Response:
    form = {
        "hub.mode": "unsubscribe" if push.state == PushState.ENDING else "subscribe",
        "hub.topic": push.topic_url,
        "hub.callback": callback,
    }
    if push.state != PushState.ENDING:
        form |= {"hub.lease_seconds": str(round(LEASE.total_seconds())), "hub.secret": push.secret}
    try:
        result = _post_following(post, push.hub_url, urlencode(form).encode())
    except (ConnectionFailed, FetchTimeout) as error:
        return _Response(push, trouble=str(error))
    except FetchError as error:
        return _Response(push, refusal=str(error))
    if 200 <= result.status < 300:
        return _Response(push)
    reason = _("it responded with status %(status)s") % {"status": result.status}
    if result.status >= 500 or result.status in _BUSY:
        return _Response(push, trouble=reason)
    return _Response(push, refusal=reason)


def _post_following(post: Post, hub_url: str, body: bytes) -> PostResult:
    """The response of the hub, or of the hub it redirects to; by https if it is offered."""
    parts = urlsplit(hub_url)
    if parts.scheme == "http" and parts.port is None:
        with suppress(FetchError):
            return _follow(post, parts._replace(scheme="https").geturl(), body)
    return _follow(post, hub_url, body)


def _follow(post: Post, url: str, body: bytes) -> PostResult:
    result = post(url, body)
    for _hop in range(MAX_REDIRECTS):
        if result.status not in (307, 308) or not result.location:
            break
        target = urljoin(url, result.location)
        if url.startswith("https:") and not target.startswith("https:"):
            break  # the secret stays encrypted
        url = target
        result = post(url, body)
    return result


def _save(response: _Response, now: datetime) -> None:
    push = response.push
    mine = PushSubscription.objects.filter(pk=push.pk, key=push.key)
    if response.trouble is None:
        mine.filter(n_tries=push.n_tries).update(try_at=now + LATER, n_tries=push.n_tries - 1)
    elif push.state == PushState.ENDING:
        if not response.trouble:
            mine.filter(state=PushState.ENDING).update(try_at=now + CONFIRMS_FOR, n_tries=LAST_TRIES)
    elif response.refusal and push.state == PushState.REQUESTED:
        deny(push, response.refusal, now=now)
    elif response.refusal or response.trouble:
        mine.filter(n_tries__gt=0).update(reason=(response.refusal or response.trouble)[:300])  # not yet confirmed
