"""Articles on their way to other services.

Sending is requested in the database and done by a worker (`reader.send_to.retrying`). A link may be sent again after a
crash; all services keep a URL once.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import override

from feeds.errors import FetchError
from feeds.fetching.post import PostResult
from feeds.models import Article
from feeds.storage.compiled import compiled
from reader.articles.enclosures import web_address
from reader.models import Notification, NotificationKind, Sending, SendingState, SendTarget
from reader.preferences.store import language_of
from reader.send_to.retrying import TEMPORARY, Failed, try_due
from reader.send_to.services import SERVICES, Link, Outgoing, Service
from reader.views.site_paths import strip_prefix

_REFUSED = frozenset({400, 401, 403})  # Wallabag answers 400 to a wrong password

Poster = Callable[[Outgoing], PostResult]


@dataclass(frozen=True, slots=True)
class Choice:
    """A service in an article's menu; `url` is set if it is a page to share with."""

    key: str
    name: str
    url: str = ""
    is_sent: bool = False


def choices_for(user: User, article: Article) -> list[Choice]:
    """The services that the user has set up; one query."""
    link = _link(article)
    if not link.url:
        return []
    targets = {row.service: row for row in _targets(user.pk, article.pk)}
    return [
        Choice(
            key,
            service.name,
            url=service.share_url(targets[key].values, link) if service.share_url else "",
            is_sent=targets[key].is_sent,  # type: ignore[attr-defined]  # annotated
        )
        for key, service in SERVICES.items()
        if key in targets
    ]


@compiled
def _targets(user: int, article: int) -> QuerySet[SendTarget]:
    sent = Sending.objects.filter(target=OuterRef("pk"), article=article).exclude(state=SendingState.FAILED)
    return SendTarget.objects.filter(user=user).annotate(is_sent=Exists(sent))


def request_sending(target: SendTarget, article: Article, *, now: datetime) -> bool:
    """Queue the article; False if it was sent already, or is on its way."""
    sending, is_new = Sending.objects.get_or_create(target=target, article=article, defaults={"try_at": now})
    if is_new:
        return True
    failed = Sending.objects.filter(pk=sending.pk, state=SendingState.FAILED)
    return failed.update(state=SendingState.WAITING, n_tries=0, try_at=now) == 1


def send_due(post: Poster, *, now: datetime) -> int:
    """Send what is due; returns how many were tried."""
    due = Sending.objects.select_related("target__user", "article")
    return try_due(due, partial(_send, post=post), partial(_after_failure, now=now), now=now)


def _send(row: Sending, post: Poster) -> None:
    """Have the service save the link. Raises Failed."""
    with override(language_of(row.target.user_id)):
        _save_link(SERVICES[row.target.service], row.target.values, _link(row.article), post)


def _after_failure(row: Sending, failure: Failed, now: datetime) -> None:
    if failure.is_final:
        with override(language_of(row.target.user_id)):
            _notify(row, str(failure), now)


def _save_link(service: Service, values: dict[str, str], link: Link, post: Poster) -> None:
    """Have the service save the link. Raises Failed."""
    if service.token_request:
        body = _ask(service, service.token_request(values), post).body
        try:
            values = {**values, "access_token": str(json.loads(body)["access_token"])}
        except (ValueError, KeyError, TypeError) as error:
            raise Failed(
                _("%(service)s sent an unexpected response.") % {"service": service.name}, is_final=True
            ) from error
    if service.request:
        _ask(service, service.request(values, link), post)


def _ask(service: Service, outgoing: Outgoing, post: Poster) -> PostResult:
    try:
        result = post(outgoing)
    except FetchError as error:
        raise Failed(str(error), is_final=not error.retryable) from error
    if 200 <= result.status < 300:
        return result
    if result.status in _REFUSED:
        reason = _("%(service)s refused the request. Check its settings.") % {"service": service.name}
        raise Failed(reason, is_final=True)
    reason = _("%(service)s answered with the status %(status)d.") % {"service": service.name, "status": result.status}
    raise Failed(reason, is_final=result.status < 500 and result.status not in TEMPORARY)


def _link(article: Article) -> Link:
    return Link(web_address(article.link), " ".join(article.title.split())[:500])


def _notify(row: Sending, reason: str, now: datetime) -> None:
    title = Truncator(row.article.title).chars(150)
    service = SERVICES[row.target.service].name if row.target.service in SERVICES else row.target.service
    text = _("“%(title)s” couldn't be sent to %(service)s. %(reason)s")
    Notification.objects.create(
        user_id=row.target.user_id,
        kind=NotificationKind.SENDING,
        path=strip_prefix(reverse("article", args=[row.article_id])),
        text=(text % {"title": title, "service": service, "reason": reason})[:700],
        happened_at=now,
    )
