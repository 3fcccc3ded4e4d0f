"""One article, and what a person does with it."""

from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBadRequest, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from feeds.calling import call_worker
from feeds.models import Article
from feeds.showing import safe_full_text, safe_html
from reader.access import article_of
from reader.acting import open_article, set_read, star_article, votes_of
from reader.embeds import embeds
from reader.enclosures import enclosures, host_of, web_address
from reader.evidence import evidence_of
from reader.explaining import explain
from reader.full_texts import PAGE, ask, choose
from reader.image_addresses import with_own_pictures
from reader.listening import positions_of, save_position
from reader.muting import muted_by
from reader.queries import row_of
from reader.related import related_to
from reader.revisions import changes_of, revisions_of
from reader.story_page import beside
from reader.tagging import names_of, tags_of
from reader.telling import tier_of
from reader.views.coming_from import neighbours
from reader.views.growing import whole
from reader.views.signed_in import SignedInRequest, back_to_row, fragment, page, safe_next, whole_number
from reader.views.why import ages

SHORT = 300  # words; an article of fewer may be only the beginning of one


@require_safe
@vary_on_headers("X-Fragment")
def article(request: SignedInRequest, pk: int) -> HttpResponse:
    """The article: its page or, for a script, what of it stands beside a list, or its text alone.

    Opening it marks it read, unless it is only fetched ahead, or its text was asked for.
    """
    found = article_of(request.user, pk)
    now = timezone.now()
    text = _text(request, found)
    wanted = request.headers.get("X-Fragment", "")
    if wanted == "progress":
        return render(request, "reader/_article_body.html", text | {"now": now})
    row = row_of(request.user, found, now=now)
    why = explain(request.user, found, now=now)  # before this opening teaches anything
    if request.method == "GET" and "prefetch" not in request.headers.get("Sec-Purpose", ""):
        open_article(request.user, found, is_read=row.is_read, now=now)
    revisions = revisions_of(found)
    players = embeds(found.markup, found.media, base_url=found.base_url or found.url)
    elsewhere = {each.source for each in players}
    files = [each for each in enclosures(found.media, body_html=text["article_html"]) if each.url not in elsewhere]
    link = web_address(found.link)
    context = text | {
        "neighbours": neighbours(request, text["back"], found, now=now) if text["back_given"] else None,
        "link": link,
        "link_host": host_of(link),
        "row": row,
        "enclosures": files,
        "has_files": any(each.kind != "image" for each in files),
        "positions": positions_of(request.user, found) if files else {},
        "embeds": players,
        "tier": tier_of(found),
        "votes": votes_of(request.user, [pk]),
        "tags": tags_of(request.user, found),
        "tag_names": names_of(request.user),
        "muted": muted_by(request.user, found),
        "why": why,
        "ages": ages(),
        "beside": beside(request.user, found),
        "evidence": evidence_of(request.user, found),
        "revisions": revisions,
        "latest_change": next(iter(changes_of(found, revisions[:1])), None),
    }
    if wanted == "pane":
        return fragment(request, "reader/_pane_article.html", context)
    return page(request, "reader/article_detail.html", context, here="article")


def _text(request: SignedInRequest, found: Article) -> dict[str, Any]:
    """The body of the article and what its choice of texts needs."""
    choice = choose(request.user, found, request.GET.get("text", ""))
    body = safe_html(found) if choice.page is None else safe_full_text(choice.page)
    back = safe_next(request, "")
    return {
        "article": found,
        "article_html": with_own_pictures(body),
        "choice": choice,
        "is_short": found.partial_content or found.word_count < SHORT,
        "reading_seconds": choice.page.reading_seconds if choice.page else found.reading_seconds,
        "back": back or reverse("home"),
        "back_given": bool(back),
    }


@require_safe
def article_related(request: SignedInRequest, pk: int) -> HttpResponse:
    """What else there is on its matter: a page, or for the foot of the article the list alone."""
    found = article_of(request.user, pk)
    now = timezone.now()
    context = {"article": found, "rows": related_to(request.user, found, now=now), "back": safe_next(request, "")}
    if request.htmx:
        return whole(fragment(request, "reader/_related.html", context))
    return whole(page(request, "reader/article_related.html", context, here="article"))


@require_POST
def article_full_text(request: SignedInRequest, pk: int) -> HttpResponse:
    """Let the article's page be fetched, and show how far it is."""
    found = article_of(request.user, pk)
    refusal = ask(found, now=timezone.now())
    if refusal:
        messages.warning(request, refusal)
    else:
        call_worker("feeds.full_text_tasks.fetch_pages")
    return redirect(_with_page_text(safe_next(request, ""), reverse("article", args=[pk])))


def _with_page_text(came_from: str, here: str) -> str:
    """The article's own address with the page's text chosen; of where the person `came_from`, its list is kept."""
    query = QueryDict(urlsplit(came_from).query if came_from.startswith(here) else "", mutable=True)
    query["text"] = PAGE
    return f"{here}?{query.urlencode()}#text"


@require_safe
def article_changes(request: SignedInRequest, pk: int) -> HttpResponse:
    """What the publisher changed, each version against the next, the latest change first."""
    found = article_of(request.user, pk)
    context = {
        "article": found,
        "changes": changes_of(found, revisions_of(found)),
        "back": safe_next(request, reverse("article", args=[pk])),
    }
    return page(request, "reader/article_changes.html", context, here="article")


@require_POST
def article_read(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mark one article read or unread."""
    found = article_of(request.user, pk)
    set_read(request.user, found, is_read=request.POST.get("is_read") == "1", now=timezone.now())
    return _answer(request, found)


@require_POST
def article_star(request: SignedInRequest, pk: int) -> HttpResponse:
    """Star one article, or take its star away."""
    found = article_of(request.user, pk)
    star_article(request.user, found, is_starred=request.POST.get("is_starred") == "1", now=timezone.now())
    return _answer(request, found)


@require_POST
def article_position(request: SignedInRequest, pk: int) -> HttpResponse:
    """Remember where the person is in one of the article's files; only the script of the player asks."""
    found = article_of(request.user, pk)
    seconds = whole_number(request.POST.get("seconds", ""))
    file = request.POST.get("file", "")
    if seconds is None or not save_position(request.user, found, file, seconds, now=timezone.now()):
        return HttpResponseBadRequest("file must be one of the article's, seconds a whole number")
    return HttpResponse(status=204)


def _answer(request: SignedInRequest, found: Article) -> HttpResponse:
    """Nothing for a script, which shows the change itself; else back to where the button stood."""
    if request.headers.get("X-Quiet"):
        return HttpResponse(status=204)
    return back_to_row(request, found.pk)
