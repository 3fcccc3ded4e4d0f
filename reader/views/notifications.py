"""The notifications page."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Q
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from feeds.models import Condition
from reader.access import notification_of, visible_articles
from reader.models import Notification, Subscription
from reader.preferences.middleware import preferences_in
from reader.preferences.store import preferences_of
from reader.views.base import SignedInRequest, page, whole_number
from reader.views.forms import NotificationForm
from reader.views.site_paths import add_prefix

PAGE_SIZE = 50


@require_safe
def notifications(request: SignedInRequest) -> HttpResponse:
    """Notifications, newest first, with unseen ones highlighted."""
    mine = Notification.objects.filter(user=request.user)
    last = mine.filter(pk=whole_number(request.GET.get("after", "")) or 0).first()
    if last is not None:
        mine = mine.filter(Q(happened_at__lt=last.happened_at) | Q(happened_at=last.happened_at, pk__lt=last.pk))
    found = list(mine[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    context = {
        "news": _groups(request.user, shown),
        "form": NotificationForm(instance=preferences_in(request)),
        "newest": max((notification.pk for notification in shown), default=0),
        "next_after": shown[-1].pk if len(found) > PAGE_SIZE else None,
    }
    return page(request, "reader/notification_list.html", context, here="notifications")


@dataclass(frozen=True, slots=True)
class NotificationGroup:
    """What one feed's notifications say, or a single other one: the newest and earlier ones.

    `subscription`: of a followed feed that still has this problem, for actions.
    """

    newest: Notification
    address: str
    earlier: tuple[Notification, ...] = ()
    subscription: Subscription | None = None

    @property
    def is_new(self) -> bool:
        return any(notification.seen_at is None for notification in (self.newest, *self.earlier))


def _groups(user: User, shown: Sequence[Notification]) -> list[NotificationGroup]:
    """The notifications by feed, each group with the URL of its article, page or feed; "" if the user can't see that
    any more."""
    own = Subscription.objects.filter(user=user, feed__in={notification.feed_id for notification in shown})
    followed = {subscription.feed_id: subscription for subscription in own.select_related("feed")}
    article_ids = {notification.article_id for notification in shown if notification.article_id is not None}
    articles = set(visible_articles(user).filter(pk__in=article_ids).values_list("pk", flat=True))
    by_feed: dict[object, list[Notification]] = {}
    for notification in shown:
        is_of_feed = notification.feed_id is not None and notification.article_id is None
        by_feed.setdefault(notification.feed_id if is_of_feed else notification, []).append(notification)
    groups = []
    for newest, *earlier in by_feed.values():
        subscription = followed.get(newest.feed_id) if newest.feed_id is not None else None
        address = _address(newest, articles, subscription)
        is_current = subscription is not None and newest.kind == subscription.feed.condition != Condition.WELL
        groups.append(NotificationGroup(newest, address, tuple(earlier), subscription if is_current else None))
    return groups


def _address(notification: Notification, articles: Collection[int | None], subscription: Subscription | None) -> str:
    if notification.article_id in articles:
        article_url = reverse("article", args=[notification.article_id])
        return f"{article_url}?{urlencode({'next': reverse('notifications')})}"
    if notification.path.startswith("/") and not notification.path.startswith("//"):
        return add_prefix(notification.path)
    return reverse("feed", args=[subscription.pk]) if subscription is not None else ""


@require_POST
def notification_seen(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mark a notification as seen, with the earlier ones of its feed."""
    notification = notification_of(request.user, pk)
    unseen = Notification.objects.filter(user=request.user, seen_at=None, happened_at__lte=notification.happened_at)
    is_of_feed = notification.feed_id is not None and notification.article_id is None
    same_feed = Q(feed=notification.feed_id, article=None) if is_of_feed else Q(pk=pk)
    unseen.filter(Q(pk=pk) | same_feed).update(seen_at=timezone.now())
    return redirect("notifications")


@require_POST
def notification_settings(request: SignedInRequest) -> HttpResponse:
    """Save which kinds of notifications the user wants."""
    form = NotificationForm(request.POST, instance=preferences_of(request.user))
    if form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
    return redirect("notifications")


@require_POST
def notifications_seen(request: SignedInRequest) -> HttpResponse:
    """Mark all notifications as seen that existed when the page was loaded."""
    up_to = whole_number(request.POST.get("up_to", ""))
    if up_to is None:
        return HttpResponseBadRequest("up_to must be a number")
    Notification.objects.filter(user=request.user, pk__lte=up_to, seen_at=None).update(seen_at=timezone.now())
    return redirect("notifications")
