"""The feeds a person follows: how they do, and what to do about them."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_q.tasks import async_task

from reader.access import subscription_of
from reader.asking import ask_for_poll
from reader.feed_report import report_of, report_page
from reader.forms import SubscriptionForm
from reader.models import Folder, Import, ImportKind
from reader.subscriptions import folder_named, rename, unfollow
from reader.views.signed_in import SignedInRequest, page, safe_next, whole_number


@require_safe
def health(request: SignedInRequest) -> HttpResponse:
    """Every feed with its state in words, those needing attention first."""
    after = whole_number(request.GET.get("after", ""))
    words = request.GET.get("q", "").replace("\0", "").strip()[:100]
    report = report_page(request.user, now=timezone.localtime(), after=after, words=words)
    context = {"report": report, "words": words, "is_first": after is None}
    return page(request, "reader/feed_health.html", context, here="health")


@require_http_methods(["GET", "HEAD", "POST"])
def feed_edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """The person's own title for a feed, and its folder."""
    subscription = subscription_of(request.user, pk)
    initial = {"title": subscription.title, "folder": subscription.folder.name if subscription.folder else ""}
    form = SubscriptionForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        folder = folder_named(request.user, form.cleaned_data["folder"])
        rename(subscription, title=form.cleaned_data["title"], folder=folder)
        messages.success(request, f"Saved. It is called {subscription.shown_title} now.")
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
    """Ask, then leave the feed."""
    subscription = subscription_of(request.user, pk)
    if request.method == "POST":
        unfollow(subscription)
        messages.success(request, f"You do not follow {subscription.shown_title} any more.")
        return redirect("health")
    n_articles = subscription.deliveries.count()
    context = {"subscription": subscription, "n_articles": n_articles}
    return page(
        request, "reader/feed_unfollow.html", context, here="feed", folder_id=subscription.folder_id, open_feed=pk
    )


@require_POST
def feed_poll(request: SignedInRequest, pk: int) -> HttpResponse:
    """Poll a feed as soon as a worker is free."""
    subscription = subscription_of(request.user, pk)
    refusal = ask_for_poll(subscription.feed, now=timezone.now())
    if refusal:
        messages.warning(request, f"{subscription.shown_title} was not polled. {refusal}")
    else:
        messages.success(
            request, f"{subscription.shown_title} is being polled. What is new appears in a minute or two."
        )
    return redirect(safe_next(request, reverse("health")))


@require_POST
def feed_follow_found(request: SignedInRequest, pk: int) -> HttpResponse:
    """Follow one of the feeds that discovery found where this feed used to be."""
    subscription = subscription_of(request.user, pk)
    found = {each["url"] for each in subscription.feed.found_feeds}
    url = request.POST.get("url", "")
    if url not in found:
        messages.warning(request, "That feed is not among those found any more.")
        return redirect("feed", pk)
    folder = subscription.folder.name if subscription.folder else ""
    job = Import.objects.create(user=request.user, kind=ImportKind.ADDRESS, name=url, folder_name=folder)
    async_task("reader.tasks.run_import", job.pk)
    return redirect("import", job.pk)
