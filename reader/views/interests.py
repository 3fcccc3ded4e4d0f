"""The user's interests: list, changes, export and import, and the quality of the relevance model."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from feeds.tasks.enqueue import call_worker
from reader.interests import terms
from reader.interests.import_export import VERSION, export_profile, import_profile
from reader.interests.model_report import load_report
from reader.interests.overview import MAX_SHOWN, SHOWN, load_chips, load_overview, set_recency
from reader.templatetags.scores import anchor
from reader.views.base import SignedInRequest, page, safe_next
from reader.views.interest_forms import InterestFileForm, LearningForm, TopicsForm

REFUSALS_SHOWN = 50
MAX_CHANGED = 50  # terms at a time: those of one chip
REMOVED = "removed_terms"  # session key of the terms removed last, for undo

Change = Callable[[User, str, datetime], bool]
CHANGES: dict[str, Change] = {
    "raise": terms.raise_term,
    "lower": terms.lower_term,
    "pin": terms.pin,
    "unpin": terms.unpin,
    "mute": terms.mute,
    "unmute": terms.unmute,
}


@require_safe
def interests_page(request: SignedInRequest) -> HttpResponse:
    """Interests as chips; `?weights=1`: the strongest terms with weights and controls; `?all=1`: all terms."""
    return _page(request)


@require_POST
def interests_add(request: SignedInRequest) -> HttpResponse:
    """Add topics, and the categories of the user's feeds if selected."""
    form = TopicsForm(request.POST)
    if not form.is_valid():
        return _page(request, topics_form=form, status=422)
    categories = terms.feed_categories(request.user) if form.cleaned_data["categories"] else []
    n_added = terms.add_starting_interests(request.user, form.cleaned_data["topics"], categories, timezone.now())
    if not n_added:
        form.add_error("topics", _("Nothing added: you already have these topics, or they contain no words."))
        return _page(request, topics_form=form, status=422)
    added = ngettext(
        "%(n)s topic added. Lists update within a minute.", "%(n)s topics added. Lists update within a minute.", n_added
    )
    messages.success(request, added % {"n": n_added})
    return _changed(request)


@require_POST
def interests_change(request: SignedInRequest) -> HttpResponse:
    """Change each `term`; `act` is raise, lower, pin, unpin, mute, unmute or remove."""
    changed = [term.replace("\0", "") for term in request.POST.getlist("term")[:MAX_CHANGED]]
    act = request.POST.get("act", "")
    if act == "remove":
        return _remove(request, changed)
    if act not in CHANGES:
        return HttpResponseBadRequest("unknown act")
    if not [term for term in changed if CHANGES[act](request.user, term, timezone.now())]:
        raise Http404("No such term.")
    return _changed(request, changed[0])


@require_POST
def interests_put_back(request: SignedInRequest) -> HttpResponse:
    """Restore the terms removed last."""
    removed = request.session.pop(REMOVED, None)
    if not removed:
        messages.info(request, _("Nothing to restore."))
        return redirect("interests")
    import_profile(request.user, {"version": VERSION, "terms": removed}, timezone.now())
    return _changed(request, removed[0]["term"])


@require_POST
def interests_settings(request: SignedInRequest) -> HttpResponse:
    """Save whether to learn, and how fast recency decays."""
    form = LearningForm(request.POST)
    if not form.is_valid():
        return _page(request, learning_form=form, status=422)
    now = timezone.now()
    terms.set_learning(request.user, form.cleaned_data["is_learning"], now)
    set_recency(request.user, form.cleaned_data["recency"], now)
    messages.success(request, _("Saved."))
    return _changed(request)


@require_http_methods(["GET", "HEAD", "POST"])
def interests_reset(request: SignedInRequest) -> HttpResponse:
    """Confirm, then delete all interests."""
    now = timezone.now()
    if request.method == "POST":
        terms.reset(request.user, now)
        request.session.pop(REMOVED, None)
        messages.success(request, _("Interests deleted. Articles are scored as neutral until you read more."))
        return _changed(request)
    return page(request, "reader/interests_reset.html", {"shown": load_overview(request.user, now)}, here="interests")


@require_safe
def interests_export(request: SignedInRequest) -> HttpResponse:
    """The user's interests as a JSON file."""
    headers = {"Content-Disposition": 'attachment; filename="interests.json"', "Cache-Control": "no-store"}
    profile = export_profile(request.user, timezone.now())
    return JsonResponse(profile, headers=headers, json_dumps_params={"ensure_ascii": False})


@require_POST
def interests_import(request: SignedInRequest) -> HttpResponse:
    """Import a file of interests, and show the refused rows."""
    form = InterestFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, file_form=form, status=422)
    report = import_profile(request.user, form.cleaned_data["file"], timezone.now())
    if report.n_terms or report.has_meaning:
        _rate_again()
    extra = {"report": report, "refused": report.refused[:REFUSALS_SHOWN]}
    return _page(request, extra=extra, status=422 if report.refused and not report.n_terms else 200)


@require_safe
def interests_model(request: SignedInRequest) -> HttpResponse:
    """The metrics of each training of the relevance model, and what rates articles now."""
    context = {"shown": load_report(request.user, timezone.now())}
    return page(request, "reader/interests_model.html", context, here="interests")


def _page(
    request: SignedInRequest,
    *,
    topics_form: TopicsForm | None = None,
    learning_form: LearningForm | None = None,
    file_form: InterestFileForm | None = None,
    extra: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    is_whole = request.GET.get("all") == "1"
    has_weights = is_whole or request.GET.get("weights") == "1"
    shown = load_overview(request.user, timezone.now(), limit=MAX_SHOWN if is_whole else SHOWN)
    initial = {"is_learning": shown.is_learning, "recency": str(shown.recency_rate)}
    context = {
        "shown": shown,
        "is_whole": is_whole,
        "has_weights": has_weights,
        "chips": None if has_weights else load_chips(request.user, timezone.now()),
        "topics_form": topics_form or TopicsForm(),
        "learning_form": learning_form or LearningForm(initial=initial),
        "file_form": file_form or InterestFileForm(),
        **(extra or {}),
    }
    return page(request, "reader/interests.html", context, here="interests", status=status)


def _remove(request: SignedInRequest, removed: list[str]) -> HttpResponse:
    now = timezone.now()
    rows = [row for row in terms.interest_rows(request.user, now, MAX_SHOWN) if row.term in removed]
    rows = [row for row in rows if terms.remove_term(request.user, row.term, now)]
    if not rows:
        raise Http404("No such term.")
    names = ("term", "weight", "origin", "is_pinned", "is_muted")
    request.session[REMOVED] = [{name: asdict(row)[name] for name in names} for row in rows]
    name = request.POST.get("name") or rows[0].term
    messages.success(
        request,
        _("Removed: “%(term)s”.") % {"term": name},
        extra_tags=reverse("interests_put_back") + _view_of(request),
    )
    return _changed(request)


def _changed(request: SignedInRequest, term: str = "") -> HttpResponse:
    """Rate the user's articles again, and redirect to the page, at the term."""
    _rate_again()
    there = f"{reverse('interests')}{_view_of(request)}{f'#{anchor(term)}' if term else ''}"
    return redirect(safe_next(request, there))


def _view_of(request: SignedInRequest) -> str:
    """The query of the view that the user changed something in: "" for chips."""
    given = request.POST.keys() | request.GET.keys()
    return next((f"?{name}=1" for name in ("all", "weights") if name in given), "")


def _rate_again() -> None:
    call_worker("reader.tasks.learning.rate")
