"""What the reader told a person unasked."""

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
from reader.site_paths import reached
from reader.views.signed_in import SignedInRequest, page, whole_number

PAGE_SIZE = 50


@require_safe
def notifications(request: SignedInRequest) -> HttpResponse:
    """Newest first; those not seen stand out."""
    mine = Notification.objects.filter(user=request.user)
    last = mine.filter(pk=whole_number(request.GET.get("after", "")) or 0).first()
    if last is not None:
        mine = mine.filter(Q(happened_at__lt=last.happened_at) | Q(happened_at=last.happened_at, pk__lt=last.pk))
    found = list(mine[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    context = {
        "news": _with_addresses(request.user, shown),
        "n_unseen": sum(each.seen_at is None for each in shown),
        "newest": max((each.pk for each in shown), default=0),
        "next_after": shown[-1].pk if len(found) > PAGE_SIZE else None,
    }
    return page(request, "reader/notification_list.html", context, here="notifications")


def _with_addresses(user: User, shown: Sequence[Notification]) -> list[tuple[Notification, str]]:
    """Each with where it leads: the article, the page or the feed that it is about; "" where that is not theirs now."""
    own = Subscription.objects.filter(user=user, feed__in={each.feed_id for each in shown})
    feeds: dict[int | None, int] = dict(own.values_list("feed", "pk"))
    about = {each.article_id for each in shown if each.article_id is not None}
    articles = set(visible_articles(user).filter(pk__in=about).values_list("pk", flat=True))

    def address(of: Notification) -> str:
        if of.article_id in articles:
            return f"{reverse('article', args=[of.article_id])}?{urlencode({'next': reverse('notifications')})}"
        if of.path.startswith("/") and not of.path.startswith("//"):
            return reached(of.path)
        if of.feed_id not in feeds:
            return ""
        wanted = "feed_edit" if of.kind == Condition.SILENT else "feed"  # whether to keep it is asked there
        return reverse(wanted, args=[feeds[of.feed_id]])

    return [(each, address(each)) for each in shown]


@require_POST
def notification_seen(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mark one as seen."""
    Notification.objects.filter(pk=notification_of(request.user, pk).pk, seen_at=None).update(seen_at=timezone.now())
    return redirect("notifications")


@require_POST
def notifications_seen(request: SignedInRequest) -> HttpResponse:
    """Mark as seen all that were there when the page was made."""
    up_to = whole_number(request.POST.get("up_to", ""))
    if up_to is None:
        return HttpResponseBadRequest("up_to must be a number")
    Notification.objects.filter(user=request.user, pk__lte=up_to, seen_at=None).update(seen_at=timezone.now())
    return redirect("notifications")
