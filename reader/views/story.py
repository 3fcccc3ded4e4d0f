"""The list of stories, the page of a story, and splitting articles from stories."""

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from feeds.models import Article, Story
from reader.access import article_of, story_of
from reader.articles.actions import votes_of
from reader.lists.queries import Cursor, newest_delivery_id
from reader.stories.detail_page import story_page, unfolded
from reader.stories.list_page import stories_page
from reader.stories.split import put_back, separate, story_deliveries
from reader.views.base import SignedInRequest, fragment, page, pane_page, safe_next, vary_on_htmx, whole_number
from reader.views.mark_all_read import mark_list_read_with_undo

TITLE_IN_MESSAGE = 80  # characters


@require_safe
def stories(request: SignedInRequest) -> HttpResponse:
    """Stories covered by several of the user's feeds, newest first."""
    cursor = Cursor.decode(request.GET.get("after", ""))
    newest = newest_delivery_id()  # before the rows, so that later articles aren't marked as read
    context = {"page": stories_page(request.user, cursor), "newest": newest, "is_first": cursor is None}
    if request.htmx:
        return vary_on_htmx(fragment(request, "reader/_story_rows.html", context))
    return vary_on_htmx(page(request, "reader/story_list.html", context, here="stories"))


@require_safe
@vary_on_headers("X-Fragment")
def story(request: SignedInRequest, pk: int) -> HttpResponse:
    """The story. If it no longer exists, redirects to the article in `of`."""
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
        "votes": votes_of(request.user, [member.article.pk for member in shown.in_order]),
        "of": of,
        "back": safe_next(request, reverse("home")),
    }
    return pane_page(request, "reader/story_detail.html", context, here="story")


def _moved_on(request: SignedInRequest, article: Article) -> HttpResponse:
    """Redirect from a story that was regrouped to its article."""
    messages.info(request, _("That story has been regrouped in the meantime."))
    return redirect(_place_of(request, article))


@require_POST
def story_read_all(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mark the articles of the story's page as read, with undo."""
    found = story_of(request.user, pk)
    up_to = whole_number(request.POST.get("up_to", ""))
    if up_to is None:
        return HttpResponseBadRequest("up_to must be a number")
    mark_list_read_with_undo(request, story_deliveries(request.user, found), up_to=up_to, now=timezone.now())
    return redirect(safe_next(request, reverse("story", args=[pk])))


@require_safe
def article_unfold(request: SignedInRequest, pk: int) -> HttpResponse:
    """The other articles of an article's story, to show under its row; without htmx, the story's page."""
    found = article_of(request.user, pk)
    if not request.htmx:
        return vary_on_htmx(redirect(_place_of(request, found)))
    list_page = safe_next(request, reverse("home"))
    shown = unfolded(request.user, found)
    context = {
        "article": found,
        "unfolded": shown,
        "votes": votes_of(request.user, [other.article.pk for other in shown.others]),
        "this_page": list_page if "#" in list_page else f"{list_page}#a{pk}",  # the row it's under
        "list_page": list_page,
    }
    return vary_on_htmx(fragment(request, "reader/_other_sources.html", context))


@require_POST
def article_separate(request: SignedInRequest, pk: int) -> HttpResponse:
    """Split an article from its story, for this user only."""
    found = article_of(request.user, pk)
    if separate(request.user, found, now=timezone.now()):
        messages.success(request, _("Removed “%(title)s” from its story, for you only.") % {"title": _short(found)})
    else:
        messages.info(request, _("“%(title)s” is no longer in a story.") % {"title": _short(found)})
    return redirect(safe_next(request, _place_of(request, found)))


@require_POST
def article_put_back(request: SignedInRequest, pk: int) -> HttpResponse:
    """Put an article back into its story."""
    found = article_of(request.user, pk)
    if put_back(request.user, found):
        messages.success(request, _("“%(title)s” is back in its story.") % {"title": _short(found)})
    return redirect(safe_next(request, _place_of(request, found)))


def _place_of(request: SignedInRequest, article: Article) -> str:
    """The URL of the article's story if the user can see it, else of the article."""
    try:
        found: Story | None = story_of(request.user, article.story_id) if article.story_id is not None else None
    except Http404:
        found = None
    if found is None:
        return reverse("article", args=[article.pk])
    return f"{reverse('story', args=[found.pk])}?of={article.pk}"


def _short(article: Article) -> str:
    return Truncator(article.title).chars(TITLE_IN_MESSAGE)
