"""The article page, and actions on an article."""

from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBadRequest, QueryDict
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from feeds.content.chapters import fetch_chapters
from feeds.content.image_proxy import Busy, origin_of
from feeds.content.sanitized import lost_formatting, safe_full_text, safe_html
from feeds.models import Article, Tier
from feeds.publishers.attribution import attribution_of
from feeds.tasks.enqueue import call_worker
from reader.access import article_of, folder_of, subscription_of, tag_of
from reader.articles.actions import open_article, set_read, star_article, votes_of
from reader.articles.embeds import Embed, embeds
from reader.articles.enclosures import enclosures, host_of, seconds_of, web_address
from reader.articles.full_text import PAGE, choose_text, request_full_text
from reader.articles.highlights import highlights_of
from reader.articles.image_proxy import proxy_images
from reader.articles.playback import positions_of, save_position
from reader.articles.revisions import changes_of, revisions_of
from reader.articles.tags import names_of, tags_of
from reader.lists.adjacent import Neighbours, by_date, by_importance, by_rank, by_star, by_tag
from reader.lists.queries import all_of, of_folder, of_subscription, row_of
from reader.models import ListOrder
from reader.preferences.list_views import view_of
from reader.preferences.middleware import preferences_in
from reader.rules.from_article import feed_of
from reader.rules.mute import muted_by
from reader.search.related import related_to
from reader.send_to.outbox import choices_for
from reader.stories.detail_page import beside
from reader.stories.provenance import decisions_of
from reader.views.base import SignedInRequest, back_to_row, fragment, pane_page, safe_next, vary_on_htmx, whole_number
from reader.views.site_paths import strip_prefix

FRAME_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
SHORT = 300  # words; a shorter article may be an excerpt


@require_safe
@vary_on_headers("X-Fragment")
def article(request: SignedInRequest, pk: int) -> HttpResponse:
    """The article: its page, or for scripts its pane beside a list, or its text alone.

    Opening it marks it as read; prefetching it, or only its text, doesn't.
    """
    found = article_of(request.user, pk)
    now = timezone.now()
    text = _text(request, found)
    wanted = request.headers.get("X-Fragment", "")
    if wanted == "progress":
        return render(request, "reader/_article_body.html", text | {"now": now})
    row = row_of(request.user, found, now=now)
    if request.method == "GET" and "prefetch" not in request.headers.get("Sec-Purpose", ""):
        open_article(request.user, found, is_read=row.is_read, now=now)
    revisions = revisions_of(found)
    link = web_address(found.link)
    players = _players_of(found)
    own_player = next((player for player in players if player.is_entry), None)
    elsewhere = {player.source for player in players}
    files = [
        file
        for file in enclosures(
            found.media,
            body_html=text["body"],
            is_page=text["choice"].page is not None,
            has_video=own_player is not None and own_player.kind == "video",
        )
        if file.url not in elsewhere
    ]
    context = text | {
        "neighbours": _neighbours(request, text["back"], found, now) if text["back_given"] else None,
        "link": link,
        "link_host": host_of(link),
        "row": row,
        "pictures": [file for file in files if file.kind == "image"],
        "recordings": [file for file in files if file.kind in ("audio", "video")],
        "files": [file for file in files if file.kind == "file"],
        "positions": positions_of(request.user, found) if files else {},
        "own_player": own_player,
        "duration": seconds_of(found.media),
        "embeds": [player for player in players if player is not own_player],
        "tier": Tier(attribution_of(found).tier),
        "votes": votes_of(request.user, [pk]),
        "send_to": choices_for(request.user, found),
        "highlights": highlights_of(request.user, found),
        "tags": tags_of(request.user, found),
        "tag_names": names_of(request.user),
        "muted": muted_by(request.user, found),
        "feed": feed_of(request.user, found),
        "beside": beside(request.user, found),
        "evidence": decisions_of(request.user, found),
        "revisions": revisions,
        "latest_change": next(iter(changes_of(found, revisions[:1])), None),
    }
    return pane_page(request, "reader/article_detail.html", context, here="article")


def _players_of(found: Article) -> tuple[Embed, ...]:
    return embeds(found.markup, found.media, base_url=found.base_url or found.url, link=web_address(found.link))


def _text(request: SignedInRequest, found: Article) -> dict[str, Any]:
    """The article's body, and the choice between feed text and full text."""
    choice = choose_text(request.user, found, request.GET.get("text", ""))
    body = safe_html(found) if choice.page is None else safe_full_text(choice.page)
    back = safe_next(request, "")
    return {
        "article": found,
        "body": body,
        "article_html": _first_picture_first(proxy_images(body, found.link)),
        "lost_formatting": lost_formatting(choice.page or found),
        "choice": choice,
        "is_short": found.partial_content or found.word_count < SHORT,
        "reading_seconds": choice.page.reading_seconds if choice.page else found.reading_seconds,
        "back": back or reverse("home"),
        "back_given": bool(back),
    }


def _first_picture_first(markup: str) -> str:
    """It is often the largest thing on the first screen, which the browser should load at once."""
    return markup.replace(' loading="lazy"', ' fetchpriority="high"', 1)


def _neighbours(request: SignedInRequest, back: str, article: Article, now: datetime) -> Neighbours:
    """The articles before and after this one in the list at the path `back`; none if that isn't a list."""
    try:
        match = resolve(strip_prefix(urlsplit(back).path))
        user, pk = request.user, match.kwargs.get("pk", 0)
        name = f"{match.url_name}.{pk}" if pk else match.url_name or ""
        order = view_of(preferences_in(request), name).order
        oldest_first = order == ListOrder.OLDEST
        match match.url_name:
            case "home" if order == ListOrder.IMPORTANT:
                return by_rank(user, article, by_relevance=False, now=now)
            case "home":
                return by_date(all_of(user), article, oldest_first=oldest_first)
            case "selection":
                return by_date(of_folder(user, folder_of(user, pk)), article)
            case "folder" | "feed" as kind:
                is_folder = kind == "folder"
                listed = (
                    of_folder(user, folder_of(user, pk)) if is_folder else of_subscription(subscription_of(user, pk))
                )
                if order == ListOrder.IMPORTANT:
                    return by_importance(user, listed, article, now=now)
                return by_date(listed, article, oldest_first=oldest_first)
            case "starred":
                return by_star(user, article, order=order)
            case "tag":
                return by_tag(tag_of(user, pk), article, oldest_first=oldest_first)
            case "for_you" | "important" as name:
                return by_rank(user, article, by_relevance=name == "for_you", now=now)
    except (Resolver404, Http404):
        pass
    return Neighbours()


@require_safe
@xframe_options_sameorigin
def article_player(request: SignedInRequest, pk: int, key: str) -> HttpResponse:
    """The frame with the player of another site, which an article's page loads after a click.

    It has a page of its own, so that only here, and for this one site, the content policy allows a frame.
    """
    player = next((player for player in _players_of(article_of(request.user, pk)) if player.key == key), None)
    if player is None or not player.frame:
        raise Http404
    response = render(request, "reader/player_frame.html", {"player": player})
    response["Content-Security-Policy"] = f"{FRAME_POLICY}; frame-src {origin_of(player.frame).rstrip('/')}"
    return response


@require_safe
@vary_on_headers("X-Fragment")
def article_chapters(request: SignedInRequest, pk: int, key: str) -> HttpResponse:
    """The chapters of a recording, from a file of its publisher: a page, or for htmx only the list."""
    found = article_of(request.user, pk)
    file = next((file for file in enclosures(found.media, body_html="") if file.key == key and file.chapters_url), None)
    if file is None:
        raise Http404
    try:
        chapters = fetch_chapters(file.chapters_url)
    except Busy:
        chapters = ()
    context = {"article": found, "file": file, "chapters": chapters}
    if request.htmx:
        return vary_on_htmx(fragment(request, "reader/_chapters.html", context))
    return vary_on_htmx(pane_page(request, "reader/article_chapters.html", context, here="article"))


@require_safe
@vary_on_headers("X-Fragment")
def article_related(request: SignedInRequest, pk: int) -> HttpResponse:
    """Related articles: a page, or for htmx only the list."""
    found = article_of(request.user, pk)
    now = timezone.now()
    context = {"article": found, "rows": related_to(request.user, found, now=now), "back": safe_next(request, "")}
    if request.htmx:
        return vary_on_htmx(fragment(request, "reader/_related.html", context))
    return vary_on_htmx(pane_page(request, "reader/article_related.html", context, here="article"))


@require_POST
def article_full_text(request: SignedInRequest, pk: int) -> HttpResponse:
    """Fetch the article's full text, and show the progress."""
    found = article_of(request.user, pk)
    refusal = request_full_text(found, now=timezone.now())
    if refusal:
        messages.warning(request, refusal)
    else:
        call_worker("feeds.tasks.full_text.fetch_page", pk)
    return redirect(_with_page_text(safe_next(request, ""), reverse("article", args=[pk])))


def _with_page_text(came_from: str, here: str) -> str:
    """The article's URL with the full text selected, and with the list the user came from."""
    query = QueryDict(urlsplit(came_from).query if came_from.startswith(here) else "", mutable=True)
    query["text"] = PAGE
    return f"{here}?{query.urlencode()}#text"


@require_safe
@vary_on_headers("X-Fragment")
def article_changes(request: SignedInRequest, pk: int) -> HttpResponse:
    """The publisher's changes, version by version, latest first."""
    found = article_of(request.user, pk)
    context = {
        "article": found,
        "changes": changes_of(found, revisions_of(found)),
        "back": safe_next(request, reverse("article", args=[pk])),
    }
    return pane_page(request, "reader/article_changes.html", context, here="article")


@require_POST
def article_read(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mark an article as read or unread."""
    found = article_of(request.user, pk)
    set_read(request.user, found, is_read=request.POST.get("is_read") == "1", now=timezone.now())
    return _answer(request, found)


@require_POST
def article_star(request: SignedInRequest, pk: int) -> HttpResponse:
    """Star or unstar an article."""
    found = article_of(request.user, pk)
    star_article(request.user, found, is_starred=request.POST.get("is_starred") == "1", now=timezone.now())
    return _answer(request, found)


@require_POST
def article_position(request: SignedInRequest, pk: int) -> HttpResponse:
    """Save the playback position of one of the article's files; called by the player's script."""
    found = article_of(request.user, pk)
    seconds = whole_number(request.POST.get("seconds", ""))
    file = request.POST.get("file", "")
    if seconds is None or not save_position(request.user, found, file, seconds, now=timezone.now()):
        return HttpResponseBadRequest("file must be one of the article's, seconds a whole number")
    return HttpResponse(status=204)


def _answer(request: SignedInRequest, found: Article) -> HttpResponse:
    """An empty response for scripts; else back to where the button was."""
    if request.headers.get("X-Quiet"):
        return HttpResponse(status=204)
    return back_to_row(request, found.pk)
