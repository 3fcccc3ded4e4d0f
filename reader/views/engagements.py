"""Like, dislike, skip, undo; report which rows were on screen."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBadRequest, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext
from django.views.decorators.http import require_POST

from feeds.models import Article
from reader.access import article_of, engagement_of
from reader.articles.actions import (
    VOTES,
    Done,
    open_original,
    read_past,
    record_screen,
    skip_article,
    undo_act,
    vote,
    withdraw_vote,
)
from reader.models import EngagementKind
from reader.views.base import SignedInRequest, back_to_row, whole_number

MAX_ROWS = 200  # rows in one report
TITLE_IN_MESSAGE = 80  # characters
WITHDRAWN = "neither"  # withdraws a vote
WORDS = {
    EngagementKind.LIKED: gettext_lazy("Liked"),
    EngagementKind.DISLIKED: gettext_lazy("Disliked"),
    EngagementKind.SKIPPED: gettext_lazy("Skipped"),
}


@require_POST
def article_engage(request: SignedInRequest, pk: int) -> HttpResponse:
    """Like, dislike or skip an article, by `kind`; `neither` withdraws a vote."""
    found = article_of(request.user, pk)
    kind = request.POST.get("kind", "")
    now = timezone.now()
    if kind == WITHDRAWN:
        withdraw_vote(request.user, found, now=now)
        return HttpResponse(status=204) if request.headers.get("X-Quiet") else back_to_row(request, found.pk)
    if kind == EngagementKind.SKIPPED:
        return _done(request, found, kind, skip_article(request.user, found, now=now))
    if kind in VOTES:
        return _done(request, found, kind, vote(request.user, found, kind, now=now))
    return HttpResponseBadRequest("kind must be liked, disliked, skipped or neither")


@require_POST
def engagement_undo(request: SignedInRequest, pk: int) -> HttpResponse:
    """Undo an engagement; `?unread=1`: also mark the article as unread."""
    found = engagement_of(request.user, pk)
    done = undo_act(request.user, found, make_unread=request.GET.get("unread") == "1", now=timezone.now())
    if request.headers.get("X-Quiet"):
        return HttpResponse(status=204)
    messages.info(request, _("Undone.") if done else _("This was already undone."))
    return back_to_row(request, found.article_id)


@require_POST
def rows_seen(request: SignedInRequest) -> HttpResponse:
    """Report rows that were on screen (`ids`), the one `opened` with those `above` it, and rows to mark as read because
    the user scrolled past (`passed`).

    `original`: what was opened is the publisher's page, so nothing else records it.
    """
    ids, above, passed = (_numbers(request.POST.get(name, "")) for name in ("ids", "above", "passed"))
    opened = whole_number(request.POST.get("opened", ""))
    now = timezone.now()
    record_screen(request.user, ids, above, opened, now=now)
    if opened is not None and request.POST.get("original") == "1":
        open_original(request.user, opened, now=now)
    if passed:
        read_past(request.user, passed)
    return HttpResponse(status=204)


def _numbers(text: str) -> list[int]:
    """The valid ids of a comma-separated list, at most `MAX_ROWS`."""
    numbers = (whole_number(part) for part in text.split(",", MAX_ROWS)[:MAX_ROWS])
    return [number for number in numbers if number is not None]


def _done(request: SignedInRequest, article: Article, kind: str, done: Done) -> HttpResponse:
    """The undo URL as JSON for scripts; else a message, whose extra tag is the URL."""
    undo = reverse("engagement_undo", args=[done.engagement_id]) + ("?unread=1" if done.was_unread else "")
    if request.headers.get("X-Quiet"):
        return JsonResponse({"undo": undo})
    values = {"done": WORDS[EngagementKind(kind)], "title": Truncator(article.title).chars(TITLE_IN_MESSAGE)}
    sentence = (
        pgettext("what was done with an article", "%(done)s: “%(title)s”.")
        if values["title"]
        else pgettext("what was done with an article", "%(done)s.")
    )
    messages.success(request, sentence % values, extra_tags=undo)
    return back_to_row(request, article.pk)
