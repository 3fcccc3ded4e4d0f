"""A person's interests: seen, changed, taken along; and how good the model learned from their choices is."""

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

from feeds.calling import call_worker
from reader import interests
from reader.interest_files import VERSION, export_profile, import_profile
from reader.interest_forms import InterestFileForm, LearningForm, TopicsForm
from reader.interest_page import MOST_SHOWN, SHOWN, interests_shown, set_recency
from reader.model_page import model_shown
from reader.templatetags.scores import anchor
from reader.views.signed_in import SignedInRequest, page

REFUSALS_SHOWN = 50
REMOVED = "removed_term"  # of the session: the last one removed, so that it can be put back

Change = Callable[[User, str, datetime], bool]
CHANGES: dict[str, Change] = {
    "raise": interests.raise_term,
    "lower": interests.lower_term,
    "pin": interests.pin,
    "unpin": interests.unpin,
    "mute": interests.mute,
    "unmute": interests.unmute,
}


@require_safe
def interests_page(request: SignedInRequest) -> HttpResponse:
    """The strongest terms, drawn, with what can be done about them; `?all=1` for all of them."""
    return _page(request)


@require_POST
def interests_add(request: SignedInRequest) -> HttpResponse:
    """Add topics, or begin with them and the categories of one's feeds."""
    form = TopicsForm(request.POST)
    if not form.is_valid():
        return _page(request, topics_form=form, status=422)
    categories = interests.categories_of_feeds(request.user) if form.cleaned_data["categories"] else []
    n_added = interests.start(request.user, form.cleaned_data["topics"], categories, timezone.now())
    if not n_added:
        form.add_error("topics", _("Nothing was added: you have these already, or there is no word in them."))
        return _page(request, topics_form=form, status=422)
    added = ngettext(
        "%(n)s topic added. Lists follow within a minute.", "%(n)s topics added. Lists follow within a minute.", n_added
    )
    messages.success(request, added % {"n": n_added})
    return _changed(request)


@require_POST
def interests_change(request: SignedInRequest) -> HttpResponse:
    """One thing done to one `term`: `act` is raise, lower, pin, unpin, mute, unmute or remove."""
    term, act = request.POST.get("term", "").replace("\0", ""), request.POST.get("act", "")
    if act == "remove":
        return _remove(request, term)
    if act not in CHANGES:
        return HttpResponseBadRequest("act is not known")
    if not CHANGES[act](request.user, term, timezone.now()):
        raise Http404("There is no such term.")
    return _changed(request, term)


@require_POST
def interests_put_back(request: SignedInRequest) -> HttpResponse:
    """Put back the term that was removed last."""
    removed = request.session.pop(REMOVED, None)
    if removed is None:
        messages.info(request, _("There is nothing to put back."))
        return redirect("interests")
    import_profile(request.user, {"version": VERSION, "terms": [removed]}, timezone.now())
    return _changed(request, removed["term"])


@require_POST
def interests_settings(request: SignedInRequest) -> HttpResponse:
    """Whether to learn, and how fast recency goes."""
    form = LearningForm(request.POST)
    if not form.is_valid():
        return _page(request, learning_form=form, status=422)
    now = timezone.now()
    interests.set_learning(request.user, form.cleaned_data["is_learning"], now)
    set_recency(request.user, form.cleaned_data["recency"], now)
    messages.success(request, _("Saved."))
    return _changed(request)


@require_http_methods(["GET", "HEAD", "POST"])
def interests_reset(request: SignedInRequest) -> HttpResponse:
    """Say what goes, then forget it."""
    now = timezone.now()
    if request.method == "POST":
        interests.reset(request.user, now)
        request.session.pop(REMOVED, None)
        messages.success(request, _("Your interests are forgotten. Everything counts as neutral until you read on."))
        return _changed(request)
    return page(request, "reader/interests_reset.html", {"shown": interests_shown(request.user, now)}, here="interests")


@require_safe
def interests_export(request: SignedInRequest) -> HttpResponse:
    """Everything of the user's interests as a file."""
    headers = {"Content-Disposition": 'attachment; filename="interests.json"', "Cache-Control": "no-store"}
    found = export_profile(request.user, timezone.now())
    return JsonResponse(found, headers=headers, json_dumps_params={"ensure_ascii": False})


@require_POST
def interests_import(request: SignedInRequest) -> HttpResponse:
    """Take a file of interests in, and say which rows were refused."""
    form = InterestFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, file_form=form, status=422)
    report = import_profile(request.user, form.cleaned_data["file"], timezone.now())
    if report.n_terms or report.has_meaning:
        _rate_anew(request.user)
    extra = {"report": report, "refused": report.refused[:REFUSALS_SHOWN]}
    return _page(request, extra=extra, status=422 if report.refused and not report.n_terms else 200)


@require_safe
def interests_model(request: SignedInRequest) -> HttpResponse:
    """How good each training of the relevance model was, and who judges now."""
    context = {"shown": model_shown(request.user, timezone.now())}
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
    shown = interests_shown(request.user, timezone.now(), limit=MOST_SHOWN if is_whole else SHOWN)
    initial = {"is_learning": shown.is_learning, "recency": str(shown.recency_rate)}
    context = {
        "shown": shown,
        "is_whole": is_whole,
        "topics_form": topics_form or TopicsForm(),
        "learning_form": learning_form or LearningForm(initial=initial),
        "file_form": file_form or InterestFileForm(),
        **(extra or {}),
    }
    return page(request, "reader/interests.html", context, here="interests", status=status)


def _remove(request: SignedInRequest, term: str) -> HttpResponse:
    now = timezone.now()
    row = next((row for row in interests.interest_rows(request.user, now, MOST_SHOWN) if row.term == term), None)
    if row is None or not interests.remove(request.user, term, now):
        raise Http404("There is no such term.")
    kept = asdict(row)
    request.session[REMOVED] = {name: kept[name] for name in ("term", "weight", "origin", "is_pinned", "is_muted")}
    messages.success(request, _("Removed: “%(term)s”.") % {"term": term}, extra_tags=reverse("interests_put_back"))
    return _changed(request)


def _changed(request: SignedInRequest, term: str = "") -> HttpResponse:
    """Back to the page, beside the term, with everything to be rated anew."""
    _rate_anew(request.user)
    whole = "?all=1" if request.POST.get("all") == "1" else ""
    return redirect(f"{reverse('interests')}{whole}{f'#{anchor(term)}' if term else ''}")


def _rate_anew(user: User) -> None:
    call_worker("reader.learning_tasks.rate_for", user.pk)
