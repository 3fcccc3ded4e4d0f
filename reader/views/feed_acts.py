"""Bulk actions on feeds, undoing unfollowing, and duplicate feeds."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reader.access import duplicate_of, unfollowed_of
from reader.subscriptions.bulk_actions import MAX_AT_ONCE, Act, Done, perform, undo
from reader.subscriptions.duplicates import PAIRS_SHOWN, evidence_sentence, pairs_of
from reader.subscriptions.filters import Order, Which, chosen
from reader.subscriptions.merge import merge, plan
from reader.views.base import SignedInRequest, page, safe_next, whole_number
from reader.views.forms import ManyForm


@require_POST
def feed_acts(request: SignedInRequest) -> HttpResponse:
    """Apply an action to the selected feeds, or to all feeds of the filter."""
    back = safe_next(request, reverse("health"))
    form = ManyForm(request.POST)
    if not form.is_valid():
        problem = _("Invalid date: %(day)s.") % {"day": request.POST.get("until", "")[:40]}
        messages.warning(request, problem if "until" in form.errors else _("Unknown action."))
        return redirect(back)
    ids = _chosen(request)
    given = form.cleaned_data
    if not ids:
        messages.warning(request, _("Select at least one feed."))
        return redirect(back)
    now = timezone.now()
    done = perform(Act(given["act"]), request.user, ids, now=now, folder=given["folder"], until=given["until"])
    show_result(request, done)
    return redirect(back)


def _chosen(request: SignedInRequest) -> list[int]:
    if request.POST.get("all"):
        found = parse_filters(request.POST)
        everything = chosen(request.user, found.which, found.words, now=timezone.now(), folder=found.folder)
        return list(everything.values_list("pk", flat=True)[:MAX_AT_ONCE])
    numbers = (whole_number(text) for text in request.POST.getlist("feed"))
    return [number for number in numbers if number is not None]


@dataclass(frozen=True, slots=True)
class FeedFilters:
    """The words, filter, folder and order of the feeds page. `folder` is an id, `NO_FOLDER` or None for all."""

    words: str
    which: Which
    folder: int | None
    order: Order
    is_reversed: bool


def parse_filters(sent: QueryDict) -> FeedFilters:
    """The filters in a query or form, with defaults for invalid ones."""
    which, order = sent.get("which", ""), sent.get("order", "")
    name = order.removeprefix("-")
    return FeedFilters(
        words=sent.get("q", "").replace("\0", "").strip()[:100],
        which=Which(which) if which in list(Which) else Which.ALL,
        folder=whole_number(sent.get("in", "")),
        order=Order(name) if name in list(Order) else Order.ATTENTION,
        is_reversed=order.startswith("-") and name in list(Order),
    )


def show_result(request: SignedInRequest, done: Done) -> None:
    """Show the result of an action, with undo if possible."""
    undo_url = reverse("feed_restore", args=[done.unfollowed.pk]) if done.unfollowed else ""
    messages.success(request, done.sentence, extra_tags=undo_url)


@require_POST
def feed_restore(request: SignedInRequest, pk: int) -> HttpResponse:
    """Undo unfollowing a feed, with those unfollowed by the same action."""
    sentence = undo(request.user, unfollowed_of(request.user, pk), now=timezone.now())
    if request.headers.get("X-Quiet"):
        return HttpResponse(status=204)
    if sentence is None:
        messages.info(request, _("This can no longer be undone."))
    else:
        messages.success(request, sentence)
    return redirect(safe_next(request, reverse("health")))


@require_safe
def duplicates(request: SignedInRequest) -> HttpResponse:
    """Pairs of feeds that seem to be duplicates, with the evidence."""
    pairs = list(pairs_of(request.user)[: PAIRS_SHOWN + 1])
    context = {
        "pairs": [(pair, evidence_sentence(pair)) for pair in pairs[:PAIRS_SHOWN]],
        "has_more": len(pairs) > PAIRS_SHOWN,
    }
    return page(request, "reader/duplicate_list.html", context, here="health")


@require_http_methods(["GET", "HEAD", "POST"])
def duplicate_merge(request: SignedInRequest, pk: int) -> HttpResponse:
    """Say what merging will do, then merge: `keep` is the subscription that stays."""
    pair = duplicate_of(request.user, pk)
    sent = request.POST if request.method == "POST" else request.GET
    keep, leave = pair.one, pair.other
    if whole_number(sent.get("keep", "")) == pair.other_id:
        keep, leave = leave, keep
    if request.method == "POST":
        names = {"left": leave.shown_title, "kept": keep.shown_title}
        merge(keep, leave)
        messages.success(request, _("Merged %(left)s into %(kept)s.") % names)
        return redirect("duplicates")
    context = {"keep": keep, "leave": leave, "plan": plan(keep, leave), "evidence": evidence_sentence(pair)}
    return page(request, "reader/duplicate_merge.html", context, here="health")


@require_POST
def duplicate_dismiss(request: SignedInRequest, pk: int) -> HttpResponse:
    """Keep both feeds, and stop suggesting this pair."""
    pair = duplicate_of(request.user, pk)
    pair.is_denied = True
    pair.save(update_fields=["is_denied"])
    names = {"one": pair.one.shown_title, "other": pair.other.shown_title}
    messages.success(request, _("Kept both %(one)s and %(other)s.") % names)
    return redirect("duplicates")
