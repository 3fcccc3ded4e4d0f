"""One article, and what a person does with it."""

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from feeds.models import Article
from feeds.showing import safe_html
from reader.access import article_of
from reader.acting import open_article, set_read, star_article, votes_of
from reader.enclosures import enclosures
from reader.evidence import evidence_of
from reader.explaining import explain
from reader.queries import row_of
from reader.story_page import beside
from reader.telling import tier_of
from reader.views.signed_in import SignedInRequest, back_to_row, page, safe_next
from reader.views.why import AGES

REVISIONS_SHOWN = 20


@require_safe
def article(request: SignedInRequest, pk: int) -> HttpResponse:
    """The article. Opening it marks it read, unless it is only fetched ahead."""
    found = article_of(request.user, pk)
    now = timezone.now()
    row = row_of(request.user, found, now=now)
    why = explain(request.user, found, now=now)  # before this opening teaches anything
    if request.method == "GET" and "prefetch" not in request.headers.get("Sec-Purpose", ""):
        open_article(request.user, found, is_read=row.is_read, now=now)
    body = safe_html(found)
    files = enclosures(found.media, body_html=body)
    context = {
        "row": row,
        "article": found,
        "article_html": body,
        "enclosures": files,
        "has_files": any(each.kind != "image" for each in files),
        "tier": tier_of(found),
        "votes": votes_of(request.user, [pk]),
        "why": why,
        "ages": AGES,
        "beside": beside(request.user, found),
        "evidence": evidence_of(request.user, found),
        "revisions": found.revisions.defer("markup")[:REVISIONS_SHOWN],
        "back": safe_next(request, reverse("home")),
    }
    return page(request, "reader/article_detail.html", context, here="article")


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


def _answer(request: SignedInRequest, found: Article) -> HttpResponse:
    """Nothing for a script, which shows the change itself; else back to where the button stood."""
    if request.headers.get("X-Quiet"):
        return HttpResponse(status=204)
    return back_to_row(request, found.pk)
