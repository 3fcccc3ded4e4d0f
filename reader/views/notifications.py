"""The notifications page."""

from collections.abc import Sequence

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
        "news": _with_addresses(request.user, shown),
        "n_unseen": sum(notification.seen_at is None for notification in shown),
        "newest": max((notification.pk for notification in shown), default=0),
        "next_after": shown[-1].pk if len(found) > PAGE_SIZE else None,
    }
    return page(request, "reader/notification_list.html", context, here="notifications")


def _with_addresses(user: User, shown: Sequence[Notification]) -> list[tuple[Notification, str]]:
    """The notifications, each with the URL of its article, page or feed; "" if the user can't see that any more."""
    own = Subscription.objects.filter(user=user, feed__in={notification.feed_id for notification in shown})
    feeds: dict[int | None, int] = dict(own.values_list("feed", "pk"))
    article_ids = {notification.article_id for notification in shown if notification.article_id is not None}
    articles = set(visible_articles(user).filter(pk__in=article_ids).values_list("pk", flat=True))

    def address(notification: Notification) -> str:
        if notification.article_id in articles:
            article_url = reverse("article", args=[notification.article_id])
            return f"{article_url}?{urlencode({'next': reverse('notifications')})}"
        if notification.path.startswith("/") and not notification.path.startswith("//"):
            return add_prefix(notification.path)
        if notification.feed_id not in feeds:
            return ""
        view = "feed_edit" if notification.kind == Condition.SILENT else "feed"  # the form asks whether to keep it
        return reverse(view, args=[feeds[notification.feed_id]])

    return [(notification, address(notification)) for notification in shown]


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
