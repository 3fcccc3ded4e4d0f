"""Stories: all that the person's feeds tell, and one: who tells it, and what they say of it."""

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from feeds.models import Article, Story
from reader.access import article_of, story_of
from reader.acting import votes_of
from reader.queries import Cursor, newest_delivery_id
from reader.separating import put_back, separate, unseparated
from reader.story_list import stories_page
from reader.story_page import story_page, unfolded
from reader.views.growing import whole
from reader.views.signed_in import SignedInRequest, fragment, page, safe_next, whole_number
from reader.views.sweeps import sweep_and_tell

TITLE_IN_MESSAGE = 80  # characters


@require_safe
def stories(request: SignedInRequest) -> HttpResponse:
    """What several of the person's feeds tell, newest first."""
    cursor = Cursor.decode(request.GET.get("after", ""))
    newest = newest_delivery_id()  # before the rows: what arrives meanwhile is not marked read unseen
    context = {"page": stories_page(request.user, cursor), "newest": newest, "is_first": cursor is None}
    if request.htmx:
        return whole(fragment(request, "reader/_story_rows.html", context))
    return whole(page(request, "reader/story_list.html", context, here="stories"))


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
    messages.info(request, _("That story has been put together anew meanwhile."))
    return redirect(_place_of(request, article))


@require_POST
def story_read_all(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mark read what the story's page showed; it can be taken back."""
    found = story_of(request.user, pk)
    up_to = whole_number(request.POST.get("up_to", ""))
    if up_to is None:
        return HttpResponseBadRequest("up_to must be a number")
    sweep_and_tell(request, unseparated(request.user, found), up_to=up_to, now=timezone.now())
    return redirect(safe_next(request, reverse("story", args=[pk])))


@require_safe
def article_unfold(request: SignedInRequest, pk: int) -> HttpResponse:
    """The other articles of an article's story, to stand under its row; without a script, the story's own page."""
    found = article_of(request.user, pk)
    if not request.htmx:
        return whole(redirect(_place_of(request, found)))
    list_page = safe_next(request, reverse("home"))
    shown = unfolded(request.user, found)
    context = {
        "article": found,
        "unfolded": shown,
        "votes": votes_of(request.user, [each.article.pk for each in shown.others]),
        "this_page": list_page if "#" in list_page else f"{list_page}#a{pk}",  # back to the row, for these have none
        "list_page": list_page,
    }
    return whole(fragment(request, "reader/_unfolded.html", context))


@require_POST
def article_separate(request: SignedInRequest, pk: int) -> HttpResponse:
    """Take an article out of its story, for this person alone."""
    found = article_of(request.user, pk)
    if separate(request.user, found, now=timezone.now()):
        messages.success(request, _("“%(title)s” stands alone now, for you.") % {"title": _short(found)})
    else:
        messages.info(request, _("“%(title)s” stands alone already.") % {"title": _short(found)})
    return redirect(safe_next(request, _place_of(request, found)))


@require_POST
def article_put_back(request: SignedInRequest, pk: int) -> HttpResponse:
    """Let an article stand in its story again."""
    found = article_of(request.user, pk)
    if put_back(request.user, found):
        messages.success(request, _("“%(title)s” is back in its story.") % {"title": _short(found)})
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
