"""Highlights: in an article, all of them, and as Markdown."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from reader.access import article_of, highlight_of
from reader.articles.highlights import add_highlight, as_markdown, by_article, change_note, highlights_of
from reader.errors import HighlightRefused
from reader.models import Highlight
from reader.views.base import SignedInRequest, page, safe_next

PAGE_SIZE = 100  # highlights


@require_safe
def highlights(request: SignedInRequest) -> HttpResponse:
    """All highlights by article, newest first."""
    mine = Highlight.objects.filter(user=request.user).order_by("-made_at", "-pk")
    shown = Paginator(mine, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {"shown": shown, "articles": by_article(shown.object_list)}
    return page(request, "reader/highlight_list.html", context, here="highlights")


@require_safe
def highlights_export(request: SignedInRequest) -> HttpResponse:
    """All highlights as a Markdown file."""
    mine = Highlight.objects.filter(user=request.user).order_by("-made_at", "-pk")
    response = HttpResponse(as_markdown(by_article(mine)), content_type="text/markdown; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="highlights.md"'
    return response


@require_POST
def article_highlight(request: SignedInRequest, pk: int) -> HttpResponse:
    """Highlight a passage of the article; for scripts, the list beneath it."""
    article = article_of(request.user, pk)
    fields = {name: request.POST.get(name, "") for name in ("quote", "prefix", "suffix", "note")}
    refusal = ""
    added = None
    try:
        added = add_highlight(request.user, article, **fields, now=timezone.now())
    except HighlightRefused as error:
        refusal = str(error)
    if request.headers.get("X-Fragment") == "highlights":
        context = {
            "article": article,
            "highlights": highlights_of(request.user, article),
            "added": added,
            "refusal": refusal,
            "this_page": safe_next(request, reverse("article", args=[pk])),
        }
        return render(request, "reader/_highlights.html", context)
    if refusal:
        messages.warning(request, refusal)
    return redirect(_back(request, pk))


@require_POST
def highlight_edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """Change the note of a highlight, or remove it."""
    found = highlight_of(request.user, pk)
    if request.POST.get("act") == "remove":
        found.delete()
        messages.success(request, _("Highlight removed."))
    else:
        change_note(found, request.POST.get("note", ""))
    return redirect(_back(request, found.article_id))


def _back(request: SignedInRequest, article_id: int | None) -> str:
    here = reverse("article", args=[article_id]) if article_id else reverse("highlights")
    return safe_next(request, here).partition("#")[0] + "#highlights"
