"""Articles on their way to other services.

Sending is requested in the database and done by a worker, which claims each row by moving its time. If the worker dies
after the service has saved the link and before that is stored, the link is sent again; all services keep a URL once.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import override

from feeds.errors import FetchError
from feeds.fetching.post import PostResult
from feeds.models import Article
from reader.articles.enclosures import web_address
from reader.models import Notification, NotificationKind, Sending, SendingState, SendTarget
from reader.preferences.store import language_of
from reader.send_to.services import SERVICES, Link, Outgoing, Service
from reader.views.site_paths import strip_prefix

logger = logging.getLogger(__name__)

PAUSES = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6))  # between tries
LEASE = timedelta(minutes=5)  # longer than a try takes
CHUNK = 50  # of one task
_TEMPORARY = frozenset({408, 425, 429})
_REFUSED = frozenset({400, 401, 403})  # Wallabag answers 400 to a wrong password

Poster = Callable[[Outgoing], PostResult]


@dataclass(frozen=True, slots=True)
class Choice:
    """A service in an article's menu; `url` is set if it is a page to share with."""

    key: str
    name: str
    url: str = ""
    is_sent: bool = False


class _Failed(Exception):
    """The service didn't save the link. `is_final`: trying again wouldn't help."""

    def __init__(self, reason: str, *, is_final: bool) -> None:
        super().__init__(reason)
        self.is_final = is_final


def choices_for(user: User, article: Article) -> list[Choice]:
    """The services that the user has set up; one query."""
    link = _link(article)
    if not link.url:
        return []
    sent = Sending.objects.filter(target=OuterRef("pk"), article=article).exclude(state=SendingState.FAILED)
    targets = {row.service: row for row in SendTarget.objects.filter(user=user).annotate(is_sent=Exists(sent))}
    return [
        Choice(
            key,
            service.name,
            url=service.share_url(targets[key].values, link) if service.share_url else "",
            is_sent=targets[key].is_sent,
        )
        for key, service in SERVICES.items()
        if key in targets
    ]


def request_sending(target: SendTarget, article: Article, *, now: datetime) -> bool:
    """Queue the article; False if it was sent already, or is on its way."""
    sending, is_new = Sending.objects.get_or_create(target=target, article=article, defaults={"try_at": now})
    if is_new:
        return True
    failed = Sending.objects.filter(pk=sending.pk, state=SendingState.FAILED)
    return failed.update(state=SendingState.WAITING, n_tries=0, try_at=now) == 1


def send_due(post: Poster, *, now: datetime) -> int:
    """Send what is due; returns how many were tried."""
    due = Sending.objects.filter(state=SendingState.WAITING, try_at__lte=now).order_by("try_at", "pk")
    n_tried = 0
    for row in due.select_related("target__user", "article")[:CHUNK]:
        claim = Sending.objects.filter(pk=row.pk, state=SendingState.WAITING, try_at=row.try_at)
        if claim.update(try_at=now + LEASE, n_tries=row.n_tries + 1):
            _send(row, post, now)
            n_tried += 1
    return n_tried


def _send(row: Sending, post: Poster, now: datetime) -> None:
    mine = Sending.objects.filter(pk=row.pk)
    with override(language_of(row.target.user_id)):
        try:
            _try_once(row, post)
        except _Failed as failure:
            if failure.is_final or row.n_tries >= len(PAUSES):
                mine.update(state=SendingState.FAILED)
                _notify(row, str(failure), now)
            else:
                mine.update(try_at=now + PAUSES[row.n_tries])
            return
    mine.update(state=SendingState.SENT)


def _try_once(row: Sending, post: Poster) -> None:
    """Have the service save the link. Raises _Failed, also after a bug, which must not stop the others."""
    if row.n_tries > len(PAUSES):  # the last try ended its worker
        raise _Failed(_("RSS Manager was interrupted each time."), is_final=True)
    try:
        _save_link(SERVICES[row.target.service], row.target.values, _link(row.article), post)
    except _Failed:
        raise
    except Exception as error:
        logger.exception("Article %s could not be sent to %s", row.article_id, row.target.service)
        raise _Failed(_("Something went wrong. The error has been logged."), is_final=False) from error


def _save_link(service: Service, values: dict[str, str], link: Link, post: Poster) -> None:
    """Have the service save the link. Raises _Failed."""
    if service.token_request:
        body = _ask(service, service.token_request(values), post).body
        try:
            values = {**values, "access_token": str(json.loads(body)["access_token"])}
        except (ValueError, KeyError, TypeError) as error:
            raise _Failed(
                _("%(service)s sent an unexpected response.") % {"service": service.name}, is_final=True
            ) from error
    if service.request:
        _ask(service, service.request(values, link), post)


def _ask(service: Service, outgoing: Outgoing, post: Poster) -> PostResult:
    try:
        result = post(outgoing)
    except FetchError as error:
        raise _Failed(str(error), is_final=not error.retryable) from error
    if 200 <= result.status < 300:
        return result
    if result.status in _REFUSED:
        reason = _("%(service)s refused the request. Check its settings.") % {"service": service.name}
        raise _Failed(reason, is_final=True)
    reason = _("%(service)s answered with the status %(status)d.") % {"service": service.name, "status": result.status}
    raise _Failed(reason, is_final=result.status < 500 and result.status not in _TEMPORARY)


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
