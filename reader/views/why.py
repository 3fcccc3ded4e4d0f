"""Why an article scores what it scores, and a person's own word on how fast it ages."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from reader.access import article_of
from reader.correcting import correct, take_back
from reader.explaining import as_json, explain
from reader.models import TimeSensitivity
from reader.scoring.decay import NAMES, class_name, lasting
from reader.views.signed_in import SignedInRequest, page, safe_next, whole_number


def ages() -> tuple[tuple[int, str, str], ...]:
    """The scores of time sensitivity, each with its name and what it means."""
    return tuple((score, class_name(score), lasting(score)) for score in NAMES)


@require_safe
def article_why(request: SignedInRequest, pk: int) -> HttpResponse:
    """The five parts of the score, what carried relevance, how fast it ages; `?format=json` for programs."""
    found = article_of(request.user, pk)
    why = explain(request.user, found, now=timezone.now())
    if request.GET.get("format") == "json":
        return JsonResponse(as_json(why)) if why else JsonResponse({"detail": "Not assessed yet."}, status=404)
    context = {"article": found, "why": why, "ages": ages(), "back": safe_next(request, reverse("article", args=[pk]))}
    return page(request, "reader/article_why.html", context, here="article")


@require_POST
def article_sensitivity(request: SignedInRequest, pk: int) -> HttpResponse:
    """Let the article age as fast as the person says, by `score`; without one the judges decide again."""
    found = article_of(request.user, pk)
    text = request.POST.get("score", "")
    score = whole_number(text)
    if text and score not in TimeSensitivity.values:
        return HttpResponseBadRequest("score must be 1 to 5")
    if score is None:
        take_back(request.user, pk)
        messages.success(request, _("The judge decides again how fast this ages."))
    else:
        correct(request.user, pk, score, now=timezone.now())
        name = class_name(score)
        messages.success(request, _("Noted: %(age)s. Lists follow within minutes, for you alone.") % {"age": name})
    return redirect(safe_next(request, reverse("article_why", args=[found.pk])))
