"""Liking, disliking, skipping, taking it back, and which rows were on the screen."""

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
from reader.acting import VOTES, Done, note_screen, read_past, skip_article, undo_act, vote, withdraw_vote
from reader.models import EngagementKind
from reader.views.signed_in import SignedInRequest, back_to_row, whole_number

MOST_NOTED = 200  # rows of one screen report; four pages of a list
TITLE_IN_MESSAGE = 80  # characters
WITHDRAWN = "neither"  # the kind of a vote that is taken back
WORDS = {
    EngagementKind.LIKED: gettext_lazy("Liked"),
    EngagementKind.DISLIKED: gettext_lazy("Disliked"),
    EngagementKind.SKIPPED: gettext_lazy("Skipped"),
}


@require_POST
def article_engage(request: SignedInRequest, pk: int) -> HttpResponse:
    """Like, dislike or skip one article, by `kind`; `neither` takes a vote back."""
    found = article_of(request.user, pk)
    kind = request.POST.get("kind", "")
    now = timezone.now()
    if kind == WITHDRAWN:
        withdraw_vote(request.user, found, now=now)
        return _withdrawn(request, found)
    if kind == EngagementKind.SKIPPED:
        return _done(request, found, kind, skip_article(request.user, found, now=now))
    if kind in VOTES:
        return _done(request, found, kind, vote(request.user, found, kind, now=now))
    return HttpResponseBadRequest("kind must be liked, disliked, skipped or neither")


@require_POST
def engagement_undo(request: SignedInRequest, pk: int) -> HttpResponse:
    """Take back what the person did; `?unread=1`: it had marked the article read."""
    found = engagement_of(request.user, pk)
    done = undo_act(request.user, found, make_unread=request.GET.get("unread") == "1", now=timezone.now())
    if request.headers.get("X-Quiet"):
        return HttpResponse(status=204)
    messages.info(request, _("Taken back.") if done else _("That had been taken back already."))
    return back_to_row(request, found.article_id)


@require_POST
def rows_seen(request: SignedInRequest) -> HttpResponse:
    """Which rows were on the screen (`ids`); when one was `opened`, which stood `above` it there; which the person
    scrolled past (`passed`), who wants these read."""
    ids, above, passed = (_numbers(request.POST.get(name, "")) for name in ("ids", "above", "passed"))
    opened = whole_number(request.POST.get("opened", ""))
    note_screen(request.user, ids, above, opened, now=timezone.now())
    if passed:
        read_past(request.user, passed)
    return HttpResponse(status=204)


def _numbers(text: str) -> list[int]:
    """The ids in a list with commas, at most `MOST_NOTED`; what is no id is left out."""
    found = (whole_number(each) for each in text.split(",", MOST_NOTED)[:MOST_NOTED])
    return [each for each in found if each is not None]


def _done(request: SignedInRequest, article: Article, kind: str, done: Done) -> HttpResponse:
    """The way back, for a script; else a message that holds it. A message's extra tag is where to post for that."""
    undo = reverse("engagement_undo", args=[done.engagement_id]) + ("?unread=1" if done.was_unread else "")
    if request.headers.get("X-Quiet"):
        return JsonResponse({"undo": undo})
    told = {"done": WORDS[EngagementKind(kind)], "title": Truncator(article.title).chars(TITLE_IN_MESSAGE)}
    sentence = (
        pgettext("what was done with an article", "%(done)s: “%(title)s”.")
        if told["title"]
        else pgettext("what was done with an article", "%(done)s.")
    )
    messages.success(request, sentence % told, extra_tags=undo)
    return back_to_row(request, article.pk)


def _withdrawn(request: SignedInRequest, article: Article) -> HttpResponse:
    return HttpResponse(status=204) if request.headers.get("X-Quiet") else back_to_row(request, article.pk)
