"""The notifications page."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db.models import Q
from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from feeds.models import Condition
from reader.access import notification_of, visible_articles
from reader.models import Notification, Subscription
from reader.views.base import SignedInRequest, page, whole_number
from reader.views.site_paths import add_prefix

PAGE_SIZE = 50


@dataclass(slots=True)
class Group:
    """The notifications about one feed, newest first, or a single one about something else; each with its address.

    `subscription` is the feed if the user still follows it; its actions depend on the newest notification.
    """

    subscription: Subscription | None
    entries: list[tuple[Notification, str]] = field(default_factory=list)

    @property
    def newest(self) -> Notification:
        return self.entries[0][0]

    @property
    def kind(self) -> str:
        return self.newest.kind


@require_safe
def notifications(request: SignedInRequest) -> HttpResponse:
    """Notifications, newest first, those about one feed together, with unseen ones highlighted."""
    mine = Notification.objects.filter(user=request.user).select_related("feed")
    last = mine.filter(pk=whole_number(request.GET.get("after", "")) or 0).first()
    if last is not None:
        mine = mine.filter(Q(happened_at__lt=last.happened_at) | Q(happened_at=last.happened_at, pk__lt=last.pk))
    found = list(mine[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    context = {
        "groups": _grouped(request.user, shown),
        "n_unseen": sum(notification.seen_at is None for notification in shown),
        "newest": max((notification.pk for notification in shown), default=0),
        "next_after": shown[-1].pk if len(found) > PAGE_SIZE else None,
    }
    return page(request, "reader/notification_list.html", context, here="notifications")


def _grouped(user: User, shown: Sequence[Notification]) -> list[Group]:
    """The notifications by feed; the address of one is "" if the user can't see its article, page or feed any more."""
    own = Subscription.objects.filter(user=user, feed__in={notification.feed_id for notification in shown})
    feeds = {subscription.feed_id: subscription for subscription in own.select_related("feed")}
    article_ids = {notification.article_id for notification in shown if notification.article_id is not None}
    articles = set(visible_articles(user).filter(pk__in=article_ids).values_list("pk", flat=True))

    def address(notification: Notification) -> str:
        if notification.article_id in articles:
            article_url = reverse("article", args=[notification.article_id])
            return f"{article_url}?{urlencode({'next': reverse('notifications')})}"
        if notification.path.startswith("/") and not notification.path.startswith("//"):
            return add_prefix(notification.path)
        subscription = feeds.get(notification.feed_id or 0)
        if subscription is None:
            return ""
        view = "feed_edit" if notification.kind == Condition.SILENT else "feed"  # the form asks whether to keep it
        return reverse(view, args=[subscription.pk])

    groups: dict[tuple[str, int], Group] = {}
    for notification in shown:
        key = ("feed", notification.feed_id) if notification.feed_id else ("", notification.pk)
        group = groups.setdefault(key, Group(feeds.get(notification.feed_id or 0)))
        group.entries.append((notification, address(notification)))
    return list(groups.values())


@require_POST
def notification_seen(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mark a notification as seen."""
    Notification.objects.filter(pk=notification_of(request.user, pk).pk, seen_at=None).update(seen_at=timezone.now())
    return redirect("notifications")


@require_POST
def notifications_seen(request: SignedInRequest) -> HttpResponse:
    """Mark all notifications as seen that existed when the page was loaded."""
    up_to = whole_number(request.POST.get("up_to", ""))
    if up_to is None:
        return HttpResponseBadRequest("up_to must be a number")
    Notification.objects.filter(user=request.user, pk__lte=up_to, seen_at=None).update(seen_at=timezone.now())
    return redirect("notifications")
