"""What is done with several feeds at once, with two that are one, and coming back to what was left."""

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reader.access import parting_of, twins_of
from reader.feed_acts import MOST_AT_ONCE, Act, Done, follow_again, perform
from reader.feed_filters import Order, Which, chosen
from reader.forms import ManyForm
from reader.joining import join, plan
from reader.twins import PAIRS_SHOWN, pairs_of, says
from reader.views.signed_in import SignedInRequest, page, safe_next, whole_number


@require_POST
def feed_acts(request: SignedInRequest) -> HttpResponse:
    """Do one thing with the feeds that were chosen, or with all of the list they were chosen from."""
    back = safe_next(request, reverse("health"))
    form = ManyForm(request.POST)
    if not form.is_valid():
        problem = _("That is no day: %(day)s.") % {"day": request.POST.get("until", "")[:40]}
        messages.warning(request, problem if "until" in form.errors else _("Nothing was done: unknown act."))
        return redirect(back)
    ids = _chosen(request)
    given = form.cleaned_data
    if not ids:
        messages.warning(request, _("Choose at least one feed."))
        return redirect(back)
    now = timezone.now()
    done = perform(Act(given["act"]), request.user, ids, now=now, folder=given["folder"], until=given["until"])
    tell(request, done)
    return redirect(back)


def _chosen(request: SignedInRequest) -> list[int]:
    if request.POST.get("all"):
        words, which, _order = view_asked_for(request.POST)
        everything = chosen(request.user, which, words, now=timezone.now())
        return list(everything.values_list("pk", flat=True)[:MOST_AT_ONCE])
    numbers = (whole_number(each) for each in request.POST.getlist("feed"))
    return [each for each in numbers if each is not None]


def view_asked_for(sent: QueryDict) -> tuple[str, Which, Order]:
    """The words, the filter and the order that a query or a form names; what is none of ours is the plain one."""
    words = sent.get("q", "").replace("\0", "").strip()[:100]
    which, order = sent.get("which", ""), sent.get("order", "")
    return (
        words,
        Which(which) if which in list(Which) else Which.ALL,
        Order(order) if order in list(Order) else Order.ATTENTION,
    )


def tell(request: SignedInRequest, done: Done) -> None:
    """Say what was done, with the way back where there is one."""
    undo = reverse("parting_undo", args=[done.parting.pk]) if done.parting else ""
    messages.success(request, done.sentence, extra_tags=undo)


@require_POST
def parting_undo(request: SignedInRequest, pk: int) -> HttpResponse:
    """Follow again what was left."""
    told = follow_again(request.user, parting_of(request.user, pk), now=timezone.now())
    if told is None:
        messages.info(request, _("That cannot be taken back any more, or was already."))
    else:
        messages.success(request, told)
    return redirect(safe_next(request, reverse("health")))


@require_safe
def twins(request: SignedInRequest) -> HttpResponse:
    """Pairs of feeds that seem to be one, with what speaks for it."""
    pairs = list(pairs_of(request.user)[: PAIRS_SHOWN + 1])
    context = {"pairs": [(each, says(each)) for each in pairs[:PAIRS_SHOWN]], "has_more": len(pairs) > PAIRS_SHOWN}
    return page(request, "reader/twins_list.html", context, here="health")


@require_http_methods(["GET", "HEAD", "POST"])
def twins_join(request: SignedInRequest, pk: int) -> HttpResponse:
    """Say what goes and what comes over, then make one feed of two: `keep` is the subscription that stays."""
    found = twins_of(request.user, pk)
    sent = request.POST if request.method == "POST" else request.GET
    keep, leave = found.one, found.other
    if whole_number(sent.get("keep", "")) == found.other_id:
        keep, leave = leave, keep
    if request.method == "POST":
        names = {"left": leave.shown_title, "kept": keep.shown_title}
        made = join(keep, leave, now=timezone.now())
        tell(request, Done(_("%(left)s is one with %(kept)s now; what stood there stands here.") % names, made))
        return redirect("twins")
    context = {"keep": keep, "leave": leave, "twins": found, "plan": plan(keep, leave), "says": says(found)}
    return page(request, "reader/twins_join.html", context, here="health")


@require_POST
def twins_deny(request: SignedInRequest, pk: int) -> HttpResponse:
    """They are two, and this is not asked again."""
    found = twins_of(request.user, pk)
    found.is_denied = True
    found.save(update_fields=["is_denied"])
    names = {"one": found.one.shown_title, "other": found.other.shown_title}
    messages.success(request, _("Both stay: %(one)s and %(other)s. You are not asked again.") % names)
    return redirect("twins")
