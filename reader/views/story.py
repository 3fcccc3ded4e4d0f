"""One story: who of the person's feeds tells it, and what they say of it."""

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator
from django.views.decorators.http import require_POST, require_safe

from feeds.models import Article, Story
from reader.access import article_of, story_of
from reader.acting import votes_of
from reader.separating import mark_story_read, put_back, separate
from reader.story_page import story_page
from reader.views.signed_in import SignedInRequest, page, safe_next, whole_number

TITLE_IN_MESSAGE = 80  # characters


@require_safe
def story(request: SignedInRequest, pk: int) -> HttpResponse:
    """The story. Where it is gone, a link that says from which of its articles it came (`of`) leads on to that."""
    of = whole_number(request.GET.get("of", ""))
    try:
        found = story_of(request.user, pk)
    except Http404:
        if of is None:
            raise
        return _moved_on(request, article_of(request.user, of))
    shown = story_page(request.user, found, now=timezone.localtime())
    context = {
        "story": shown,
        "votes": votes_of(request.user, [each.article.pk for each in shown.in_order]),
        "of": of,
        "back": safe_next(request, reverse("home")),
    }
    return page(request, "reader/story_detail.html", context, here="story")


def _moved_on(request: SignedInRequest, article: Article) -> HttpResponse:
    """Stories are grouped anew as articles come, so that a link may be older than they are."""
    messages.info(request, "That story has been put together anew meanwhile.")
    return redirect(_place_of(request, article))


@require_POST
def story_read_all(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mark read what the story's page showed."""
    found = story_of(request.user, pk)
    up_to = whole_number(request.POST.get("up_to", ""))
    if up_to is None:
        return HttpResponseBadRequest("up_to must be a number")
    mark_story_read(request.user, found, up_to=up_to)
    return redirect(safe_next(request, reverse("story", args=[pk])))


@require_POST
def article_separate(request: SignedInRequest, pk: int) -> HttpResponse:
    """Take an article out of its story, for this person alone."""
    found = article_of(request.user, pk)
    if separate(request.user, found, now=timezone.now()):
        messages.success(request, f"“{_short(found)}” stands alone now, for you.")
    else:
        messages.info(request, f"“{_short(found)}” stands alone already.")
    return redirect(safe_next(request, _place_of(request, found)))


@require_POST
def article_put_back(request: SignedInRequest, pk: int) -> HttpResponse:
    """Let an article stand in its story again."""
    found = article_of(request.user, pk)
    if put_back(request.user, found):
        messages.success(request, f"“{_short(found)}” is back in its story.")
    return redirect(safe_next(request, _place_of(request, found)))


def _place_of(request: SignedInRequest, article: Article) -> str:
    """Where the article is to be seen among others: its story, as far as the person has one, else its own page."""
    try:
        found: Story | None = story_of(request.user, article.story_id) if article.story_id is not None else None
    except Http404:
        found = None
    if found is None:
        return reverse("article", args=[article.pk])
    return f"{reverse('story', args=[found.pk])}?of={article.pk}"


def _short(article: Article) -> str:
    return Truncator(article.title).chars(TITLE_IN_MESSAGE)
