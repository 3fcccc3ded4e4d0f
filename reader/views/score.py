"""Why an article has its score, and the user's own time sensitivity for it."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from reader.access import article_of
from reader.models import TimeSensitivity
from reader.scoring.decay import NAMES, class_name, lifespan, span
from reader.scoring.explain import as_json, explain
from reader.scoring.sensitivity_override import clear_override, set_override
from reader.views.base import SignedInRequest, fragment, pane_page, safe_next, vary_on_htmx, whole_number


def ages() -> tuple[tuple[int, str, str], ...]:
    """The levels of time sensitivity with their names and how long articles of each stay relevant."""
    return tuple((score, class_name(score), span(score)) for score in NAMES)


@require_safe
@vary_on_headers("X-Fragment")
def article_why(request: SignedInRequest, pk: int) -> HttpResponse:
    """The five parts of the score, what carried relevance, how fast it ages; `?format=json` for programs.

    For scripts, the same for the pane beside a list; for htmx, only what an article's page shows below its text.
    """
    found = article_of(request.user, pk)
    why = explain(request.user, found, now=timezone.now())
    if request.GET.get("format") == "json":
        return JsonResponse(as_json(why)) if why else JsonResponse({"detail": "Not assessed yet."}, status=404)
    back = safe_next(request, reverse("article", args=[pk]))
    context = {"article": found, "why": why, "ages": ages(), "back": back}
    if request.htmx and why:
        below = context | {"heading": "h3", "this_page": back}
        return vary_on_htmx(fragment(request, "reader/_score_breakdown.html", below))
    return vary_on_htmx(pane_page(request, "reader/article_score.html", context, here="article"))


@require_POST
def article_sensitivity(request: SignedInRequest, pk: int) -> HttpResponse:
    """Set the article's time sensitivity to `score`; without one, reset it to automatic."""
    found = article_of(request.user, pk)
    text = request.POST.get("score", "")
    score = whole_number(text)
    if text and score not in TimeSensitivity.values:
        return HttpResponseBadRequest("score must be 1 to 5")
    if score is None:
        clear_override(request.user, pk)
        messages.success(request, _("Reset to automatic."))
    else:
        set_override(request.user, pk, score, now=timezone.now())
        text = _("Now %(lasting)s, for you only. Lists update within minutes.")
        messages.success(request, text % {"lasting": lifespan(score)})
    return redirect(safe_next(request, reverse("article_why", args=[found.pk])))
