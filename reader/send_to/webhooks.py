"""Articles that rules send to a URL: a signed POST request each, as standardwebhooks.com describes.

A rule sends an article once, in the order in which articles arrived. Every try has the same `webhook-id`, so that the
receiver can ignore repeated ones. What a receiver doesn't accept is tried five times within about seven hours, and the
articles after it wait until it is accepted or given up, so one that is down costs few requests; after three days all
that wait are given up. An answer that refuses the article (a status from 300 to 499) doesn't hold up the others: the
receiver is there, and no later try may change its mind.
"""

import hmac
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from secrets import token_bytes, token_hex
from typing import Any
from urllib.parse import urlsplit

from django.db.models import Exists, Max, OuterRef, Q
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import override

from feeds.content.sanitized import safe_html
from feeds.errors import FetchError
from feeds.fetching.post import PostResult
from feeds.fetching.url_parsing import Location
from feeds.models import Article
from reader.articles.enclosures import is_web_address, web_address
from reader.errors import RuleRefused
from reader.models import (
    Delivery,
    Notification,
    NotificationKind,
    Rule,
    SendingState,
    TaggedArticle,
    Webhook,
)
from reader.preferences.store import language_of
from reader.send_to.retrying import LEASE, PAUSES, TEMPORARY, Failed, try_due
from reader.send_to.services import Outgoing
from reader.views.site_paths import strip_prefix

TYPE = "article.matched"
KEPT_TRYING = timedelta(days=3)
KEPT_FOR = timedelta(days=30)  # after the last try
_GONE = 410  # the receiver wants no more
_REFUSED = Q(status__gte=300, status__lt=500) & ~Q(status__in=TEMPORARY)
_SECRET = "whsec_"  # noqa: S105 - the prefix that Standard Webhooks gives secrets

Poster = Callable[[Outgoing], PostResult]


def new_secret() -> str:
    """A random secret, in the form that libraries for Standard Webhooks take."""
    return _SECRET + b64encode(token_bytes(24)).decode()


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The `webhook-signature` of a message."""
    key = b64decode(secret.removeprefix(_SECRET))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + b64encode(hmac.new(key, signed, sha256).digest()).decode()


def check_url(text: str) -> str:
    """The URL of a rule, "" for none. Raises RuleRefused."""
    url = text.strip()
    if not url:
        return ""
    try:
        Location.parse(url)
        is_valid = is_web_address(url) and "@" not in urlsplit(url).netloc
    except (FetchError, ValueError):
        is_valid = False
    if not is_valid:
        raise RuleRefused(_("Enter a web address, such as https://example.org/hook."))
    return url


def queue(rule_id: int, article_ids: Collection[int], *, now: datetime) -> None:
    """Queue these articles for the rule's URL. In the transaction that notes that the rule has sent them."""
    rows = [
        Webhook(rule_id=rule_id, article_id=pk, message_id=_new_id(), created_at=now, try_at=now) for pk in article_ids
    ]
    Webhook.objects.bulk_create(rows, ignore_conflicts=True)


def request_test(rule: Rule, *, now: datetime) -> None:
    """Queue the user's newest article for the rule's URL, to be tried once. Raises RuleRefused."""
    if not rule.url:
        raise RuleRefused(_("This rule has no URL to send to."))
    newest = Delivery.objects.filter(user=rule.user_id).order_by("-pk").values_list("article_id", flat=True).first()
    if newest is None:
        raise RuleRefused(_("You have no article to send yet."))
    tries = {"n_tries": len(PAUSES), "created_at": now, "try_at": now}  # so that the first one is the last
    Webhook.objects.create(rule=rule, article_id=newest, message_id=_new_id(), is_test=True, **tries)


def _new_id() -> str:
    return f"msg_{token_hex(12)}"


def send_due(post: Poster, *, now: datetime) -> int:
    """Send what is due; returns how many were tried."""
    given_up = Webhook.objects.filter(state=SendingState.WAITING, created_at__lt=now - KEPT_TRYING)
    given_up.update(state=SendingState.FAILED)
    waiting = Webhook.objects.filter(rule=OuterRef("rule"), pk__lt=OuterRef("pk"), state=SendingState.WAITING)
    earlier = waiting.filter(Q(status=None) | ~_REFUSED, is_test=False)
    due = Webhook.objects.filter(Q(is_test=True) | ~Exists(earlier)).select_related("rule", "article")
    return try_due(due, partial(_send, post=post, now=now), partial(_after_failure, now=now), now=now)


def _send(row: Webhook, post: Poster, now: datetime) -> None:
    """Raises Failed."""
    mine = Webhook.objects.filter(pk=row.pk)
    mine.update(tried_at=now, status=None, problem="")
    with override(language_of(row.rule.user_id)):
        try:
            result = post(_request(row, now))
        except FetchError as error:
            raise Failed(str(error), is_final=not error.retryable) from error
        mine.update(status=result.status)
        if not 200 <= result.status < 300:
            reason = _("%(host)s answered with the status %(status)d.")
            values = {"host": host(row.rule.url), "status": result.status}
            raise Failed(reason % values, is_final=result.status == _GONE)
    if row.is_test:  # it works again, so what waits for its next try doesn't have to
        waiting = Webhook.objects.filter(rule=row.rule_id, state=SendingState.WAITING)
        waiting.exclude(tried_at__gt=now - LEASE).update(try_at=now)


def _request(row: Webhook, now: datetime) -> Outgoing:
    timestamp = int(now.timestamp())
    body = json.dumps(payload(row, now), ensure_ascii=False).encode(errors="replace")
    headers = {
        "Content-Type": "application/json",
        "webhook-id": row.message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(row.rule.secret, row.message_id, timestamp, body),
    }
    return Outgoing(row.rule.url, headers, body)


def payload(row: Webhook, now: datetime) -> Mapping[str, Any]:
    """What is sent: the article as the JSON API names its parts."""
    article, user = row.article, row.rule.user_id
    delivered = Delivery.objects.filter(user=user, article=article).select_related("subscription__feed__publisher")
    delivery = delivered.order_by("pk").first()
    tags = TaggedArticle.objects.filter(user=user, article=article).order_by("tag__key")
    return {
        "type": TYPE,
        "timestamp": now.isoformat(),
        "data": {
            "is_test": row.is_test,
            "rule": {"id": row.rule_id, "name": row.rule.name},
            "article": {
                "id": article.pk,
                "title": article.title,
                "url": web_address(article.link),
                "author": article.author,
                "source": delivery.subscription.source_name if delivery else "",
                "feed_id": delivery.subscription_id if delivery else None,
                "published_at": _moment(article),
                "first_seen_at": article.first_seen_at.isoformat(),
                "language": article.language,
                "summary": article.summary,
                "tags": list(tags.values_list("tag__name", flat=True)),
                "html": safe_html(article),
            },
        },
    }


def _moment(article: Article) -> str | None:
    return article.published_at.isoformat()


def host(url: str) -> str:
    """The host of a URL, as the user knows it."""
    return urlsplit(url).hostname or url


def _after_failure(row: Webhook, failure: Failed, now: datetime) -> None:
    Webhook.objects.filter(pk=row.pk).update(problem=str(failure)[:300])
    if failure.is_final and not row.is_test:
        _notify(row, str(failure), now)


def _notify(row: Webhook, reason: str, now: datetime) -> None:
    """Tell the user, unless they haven't seen the last notification about this rule yet."""
    path = strip_prefix(reverse("rule_edit", args=[row.rule_id]))
    user = row.rule.user_id
    if Notification.objects.filter(user=user, kind=NotificationKind.SENDING, path=path, seen_at=None).exists():
        return
    with override(language_of(user)):
        text = _("“%(title)s” couldn't be sent to %(service)s. %(reason)s")
        values = {"title": Truncator(row.article.title).chars(150), "service": host(row.rule.url), "reason": reason}
    Notification.objects.create(
        user_id=user, kind=NotificationKind.SENDING, path=path, text=(text % values)[:700], happened_at=now
    )


def last_delivery(rules: Iterable[Rule]) -> dict[int, Webhook]:
    """The last article sent, or to be sent, by each rule that has one; one query."""
    sent = Webhook.objects.filter(rule__in=list(rules)).order_by()
    newest = sent.values("rule").annotate(newest=Max("pk")).values("newest")
    return {row.rule_id: row for row in Webhook.objects.filter(pk__in=newest)}


def delete_old(*, now: datetime) -> None:
    """Delete what was sent or given up a while ago. `RuleHit` still knows that it was."""
    over = Webhook.objects.exclude(state=SendingState.WAITING)
    over.filter(created_at__lt=now - KEPT_FOR).delete()
