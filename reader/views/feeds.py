"""The feeds page, and the pages of a feed: health, settings, unfollowing."""

from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from feeds.fetching.credentials import split_credentials
from reader.access import subscription_of
from reader.models import Folder, ImportKind, Subscription
from reader.subscriptions.bulk_actions import Act, perform, request_poll
from reader.subscriptions.feed_health import feed_health_of
from reader.subscriptions.feed_list import feed_table, report_of
from reader.subscriptions.filters import ORDER_NAMES, WHICH_MEANS, Order, Which, choices
from reader.subscriptions.follow import SETTING_FIELDS, change_address, rename, save_feed_settings, set_full_text
from reader.subscriptions.hosts_down import hosts_down_for
from reader.subscriptions.importer import create_import
from reader.subscriptions.make_folders import folder_named
from reader.subscriptions.noise_limits import NOISE_FIELDS, set_noise_limits
from reader.subscriptions.overlap import overlap_of
from reader.subscriptions.private import set_private
from reader.subscriptions.unfollow import recently_unfollowed
from reader.views.base import SignedInRequest, page, safe_next, whole_number
from reader.views.feed_acts import FeedFilters, parse_filters, show_result
from reader.views.forms import SubscriptionForm
from reader.views.subscribe import start_import


@require_safe
def health(request: SignedInRequest) -> HttpResponse:
    """All feeds with their state, those that need attention first; or filtered, in another order."""
    after = whole_number(request.GET.get("after", ""))
    wanted = parse_filters(request.GET)
    now = timezone.localtime()
    filters, n_duplicates = choices(request.user, now=now)
    unfollowed = recently_unfollowed(request.user, now=now) if after is None else []
    is_plain = after is None and wanted.which == Which.ALL and not wanted.words and wanted.folder is None
    context = {
        "table": feed_table(request.user, now=now, after=after, **asdict(wanted)),
        "wanted": wanted,
        "columns": [_column(wanted, *column) for column in COLUMNS],
        "means": WHICH_MEANS[wanted.which],
        "filters": filters,
        "n_shown": next(filter_.n for filter_ in filters if filter_.key == wanted.which),
        "is_filtered": bool(wanted.words) or wanted.folder is not None,
        "orders": [(order.value, name) for order, name in ORDER_NAMES.items()],
        "order_now": f"{'-' if wanted.is_reversed else ''}{wanted.order}",
        "n_duplicates": n_duplicates,
        "unfollowed": unfollowed,
        "n_unfollowed": sum(action.n for action in unfollowed),
        "folders": Folder.objects.filter(user=request.user),
        "overlap": overlap_of(request.user, now=now) if is_plain else None,
        "hosts_down": hosts_down_for(request.user) if is_plain else [],
    }
    return page(request, "reader/feed_list.html", context, here="health")


# The table's columns: order, name, class, and whether the order begins with the largest.
COLUMNS: tuple[tuple[Order, str | Promise, str, bool], ...] = (
    (Order.NAME, gettext_lazy("Name"), "name", False),
    (Order.FOLDER, gettext_lazy("Folder"), "folder", False),
    (Order.LAST, gettext_lazy("Last article"), "last", False),
    (Order.RATE, gettext_lazy("Per week"), "rate", True),
    (Order.READ, pgettext_lazy("share of articles", "Read"), "read", False),
    (Order.ATTENTION, gettext_lazy("Status"), "status", False),
)


def _column(wanted: FeedFilters, order: Order, name: str | Promise, css: str, is_down: bool) -> dict[str, object]:
    """A column's heading; following its link again reverses the order."""
    is_current = wanted.order == order
    goes_down = is_down != wanted.is_reversed
    return {
        "name": name,
        "css": css,
        "order": f"-{order}" if is_current and not wanted.is_reversed else order.value,
        "sort": ("descending" if goes_down else "ascending") if is_current else "",
    }


@require_safe
def feed_health(request: SignedInRequest, pk: int) -> HttpResponse:
    """The health of a feed: polls by day, response times, articles and reads, next poll and why."""
    subscription = subscription_of(request.user, pk)
    now = timezone.localtime()
    context = {
        "subscription": subscription,
        "report": report_of(subscription, now=now),
        "vitals": feed_health_of(subscription, now=now),
    }
    return page(
        request, "reader/feed_health.html", context, here="feed", folder_id=subscription.folder_id, open_feed=pk
    )


@require_http_methods(["GET", "HEAD", "POST"])
def feed_edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """The settings of a feed: name, folder, full text, noise limits, address. Stored passwords are never shown."""
    subscription = subscription_of(request.user, pk)
    folder_name = subscription.folder.name if subscription.folder else ""
    url, login = split_credentials(subscription.feed.url)
    shown_url = subscription.feed.final_url if "moved" in request.GET else url
    initial: dict[str, Any] = {"title": subscription.title, "folder": folder_name, "url": shown_url or url}
    initial["is_private"] = subscription.feed.is_private
    initial |= {name: getattr(subscription, name) for name in ("fetches_full_text", *NOISE_FIELDS, *SETTING_FIELDS)}
    form = SubscriptionForm(request.POST if request.method == "POST" else None, initial=initial)
    form.fields["title"].widget.attrs["placeholder"] = str(subscription.feed)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        rename(subscription, title=given["title"], folder=folder_named(request.user, given["folder"]))
        if subscription.feed.is_of_saved_pages:  # all else is about polling
            messages.success(request, _("Saved %(name)s.") % {"name": subscription.shown_title})
            return redirect("feed", pk)
        set_full_text(request.user, [pk], is_wanted=given["fetches_full_text"])
        save_feed_settings(
            subscription,
            is_kept=subscription.is_kept and not given["asks_again"],
            **{n: given[n] for n in SETTING_FIELDS},
        )
        set_noise_limits(subscription, **{name: given[name] for name in NOISE_FIELDS})
        old_feed = subscription.feed_id
        subscription = _at_address(subscription, given["url"] or url, form.login)
        is_private = given["is_private"] or (subscription.feed_id != old_feed and subscription.feed.is_private)
        if not set_private(subscription, is_private, now=timezone.now()):
            messages.warning(request, _("Others follow this feed, so only administrators can change this."))
        messages.success(request, _("Saved %(name)s.") % {"name": subscription.shown_title})
        return redirect("feed", subscription.pk)
    context = {
        "form": form,
        "has_login": login is not None,
        "subscription": subscription,
        "report": report_of(subscription, now=timezone.localtime()),
        "folders": Folder.objects.filter(user=request.user),
    }
    status = 422 if request.method == "POST" else 200
    return page(
        request,
        "reader/feed_edit.html",
        context,
        here="feed",
        folder_id=subscription.folder_id,
        open_feed=pk,
        status=status,
    )


def _at_address(subscription: Subscription, url: str, login: tuple[str, str] | None) -> Subscription:
    """The subscription at this address; a new one is polled at once."""
    max_items, now = settings.ENV.FETCH_MAX_ITEMS, timezone.now()
    changed = change_address(subscription, url, login, now=now, default_max_items=max_items)
    if changed.feed_id != subscription.feed_id or changed.pk != subscription.pk:
        request_poll(changed.feed, now=now)
    return changed


@require_http_methods(["GET", "HEAD", "POST"])
def feed_unfollow(request: SignedInRequest, pk: int) -> HttpResponse:
    """Confirm, then unfollow the feed; it can be restored for seven days."""
    subscription = subscription_of(request.user, pk)
    if subscription.feed.is_of_saved_pages:
        if request.headers.get("X-Quiet"):
            return HttpResponse(status=409)
        messages.info(request, _("Saved pages can't be unfollowed. You can remove each of them from its menu."))
        return redirect("feed", pk)
    if request.method == "POST":
        done = perform(Act.UNFOLLOW, request.user, [pk], now=timezone.now())
        if request.headers.get("X-Quiet"):
            return JsonResponse({"undo": reverse("feed_restore", args=[pk])})
        show_result(request, done)
        return redirect("health")
    n_articles = subscription.deliveries.count()
    context = {"subscription": subscription, "n_articles": n_articles, "n_rules": subscription.rules.count()}
    return page(
        request, "reader/feed_unfollow.html", context, here="feed", folder_id=subscription.folder_id, open_feed=pk
    )


@require_POST
def feed_poll(request: SignedInRequest, pk: int) -> HttpResponse:
    """Poll a feed as soon as a worker is free."""
    subscription = subscription_of(request.user, pk)
    refusal = request_poll(subscription.feed, now=timezone.now())
    if request.headers.get("X-Quiet"):
        return JsonResponse({"refusal": refusal, **_poll_state(subscription)})
    if refusal:
        text = _("Didn't poll %(name)s. %(refusal)s")
        messages.warning(request, text % {"name": subscription.shown_title, "refusal": refusal})
    else:
        text = _("Polling %(name)s. New articles will appear in a minute or two.")
        messages.success(request, text % {"name": subscription.shown_title})
    return redirect(safe_next(request, reverse("health")))


@require_safe
@never_cache
def feed_polled(request: SignedInRequest, pk: int) -> HttpResponse:
    """When the feed was last polled and its newest article, for a page that waits for a poll."""
    return JsonResponse(_poll_state(subscription_of(request.user, pk)))


def _poll_state(subscription: Subscription) -> dict[str, Any]:
    newest = subscription.deliveries.order_by("-pk").values_list("pk", flat=True).first()
    return {"polled_at": subscription.feed.last_polled_at, "newest": newest}


@require_POST
def feed_follow_found(request: SignedInRequest, pk: int) -> HttpResponse:
    """Follow one of the feeds that discovery found where this feed used to be."""
    subscription = subscription_of(request.user, pk)
    found = {found_feed["url"] for found_feed in subscription.feed.discovered_feeds}
    url = request.POST.get("url", "")
    if url not in found:
        messages.warning(request, _("This feed is no longer among the results."))
        return redirect("feed", pk)
    folder = subscription.folder.name if subscription.folder else ""
    job = create_import(request.user, ImportKind.ADDRESS, url, folder_name=folder)
    start_import(request, job)
    return redirect("import", job.pk)
