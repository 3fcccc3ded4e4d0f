"""The feeds a person follows: how they do, and what to do about them."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reader.access import subscription_of
from reader.asking import ask_for_poll
from reader.feed_acts import Act, perform
from reader.feed_filters import ORDER_NAMES, WHICH_MEANS, WHICH_NAMES, Order, Which, choices
from reader.feed_report import report_of, report_page
from reader.feed_vitals import vitals_of
from reader.forms import SubscriptionForm
from reader.leaving import lately_left
from reader.models import Folder, Import, ImportKind
from reader.quieting import BUDGET, bound_noise
from reader.returning import returning
from reader.subscriptions import OWN_WISHES, fetch_full_texts, folder_named, rename, wish
from reader.views.feed_acts import tell, view_asked_for
from reader.views.running import run_soon
from reader.views.signed_in import SignedInRequest, page, safe_next, whole_number


@require_safe
def health(request: SignedInRequest) -> HttpResponse:
    """Every feed with its state in words, those needing attention first; or those of a filter, in another order. Only
    the progress of what comes back, for the script that asks again."""
    after = whole_number(request.GET.get("after", ""))
    if request.headers.get("X-Fragment") == "progress":
        return render(request, "reader/_returning.html", {"returning": list(returning(request.user))})
    words, which, order = view_asked_for(request.GET)
    now = timezone.localtime()
    report = report_page(request.user, now=now, after=after, words=words, which=which, order=order)
    filters, n_twins = choices(request.user, now=now)
    context = {
        "report": report,
        "words": words,
        "which": which,
        "order": order,
        "means": WHICH_MEANS[which],
        "filter_name": WHICH_NAMES[which],
        "order_name": ORDER_NAMES[order],
        "filters": filters,
        "n_shown": next(each.n for each in filters if each.key == which),
        "orders": [(each.value, name) for each, name in ORDER_NAMES.items()],
        "n_twins": n_twins,
        "partings": lately_left(request.user, now=now) if after is None else (),
        "returning": list(returning(request.user)) if after is None else (),
        "folders": Folder.objects.filter(user=request.user),
        "in_groups": order == Order.ATTENTION and which in (Which.ALL, Which.NEVER, Which.QUIET),
        "is_first": after is None,
    }
    return page(request, "reader/feed_list.html", context, here="health")


@require_safe
def feed_health(request: SignedInRequest, pk: int) -> HttpResponse:
    """How one feed did: day by day, how fast it answers, what comes and what is read, when it is asked next and why."""
    subscription = subscription_of(request.user, pk)
    now = timezone.localtime()
    context = {
        "subscription": subscription,
        "report": report_of(subscription, now=now),
        "vitals": vitals_of(subscription, now=now),
    }
    return page(
        request, "reader/feed_health.html", context, here="feed", folder_id=subscription.folder_id, open_feed=pk
    )


@require_http_methods(["GET", "HEAD", "POST"])
def feed_edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """The person's own title for a feed, its folder, whether articles' pages are fetched, and how much is wanted."""
    subscription = subscription_of(request.user, pk)
    folder_name = subscription.folder.name if subscription.folder else ""
    initial = {"title": subscription.title, "folder": folder_name}
    initial |= {name: getattr(subscription, name) for name in ("fetches_full_text", *BUDGET, *OWN_WISHES)}
    form = SubscriptionForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        rename(subscription, title=given["title"], folder=folder_named(request.user, given["folder"]))
        fetch_full_texts(request.user, [pk], is_wanted=given["fetches_full_text"])
        wish(
            subscription, is_kept=subscription.is_kept and not given["asks_again"], **{n: given[n] for n in OWN_WISHES}
        )
        bound_noise(subscription, **{name: given[name] for name in BUDGET})
        messages.success(request, _("Saved. It is called %(name)s now.") % {"name": subscription.shown_title})
        return redirect("feed", pk)
    context = {
        "form": form,
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


@require_http_methods(["GET", "HEAD", "POST"])
def feed_unfollow(request: SignedInRequest, pk: int) -> HttpResponse:
    """Say what goes and what stays, then leave the feed; that can be taken back for a week."""
    subscription = subscription_of(request.user, pk)
    if request.method == "POST":
        tell(request, perform(Act.UNFOLLOW, request.user, [pk], now=timezone.now()))
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
    refusal = ask_for_poll(subscription.feed, now=timezone.now())
    if refusal:
        told = _("%(name)s was not polled. %(refusal)s")
        messages.warning(request, told % {"name": subscription.shown_title, "refusal": refusal})
    else:
        told = _("%(name)s is being polled. What is new appears in a minute or two.")
        messages.success(request, told % {"name": subscription.shown_title})
    return redirect(safe_next(request, reverse("health")))


@require_POST
def feed_follow_found(request: SignedInRequest, pk: int) -> HttpResponse:
    """Follow one of the feeds that discovery found where this feed used to be."""
    subscription = subscription_of(request.user, pk)
    found = {each["url"] for each in subscription.feed.found_feeds}
    url = request.POST.get("url", "")
    if url not in found:
        messages.warning(request, _("That feed is not among those found any more."))
        return redirect("feed", pk)
    folder = subscription.folder.name if subscription.folder else ""
    job = Import.objects.create(user=request.user, kind=ImportKind.ADDRESS, name=url, folder_name=folder)
    run_soon(request, job)
    return redirect("import", job.pk)
