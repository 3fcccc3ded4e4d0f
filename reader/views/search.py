"""Search, and saved searches."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reader.access import saved_search_of
from reader.articles.actions import votes_of
from reader.errors import NotSaved
from reader.search.parser import parse
from reader.search.run import CANDIDATES, Order, can_be_best, search, widened
from reader.search.saved import change_search, save_search
from reader.views.base import SignedInRequest, more_rows, page, vary_on_htmx
from reader.views.forms import SavedSearchForm
from reader.views.list_views import shown_view, view_menu

EXAMPLES = (
    ("climate summit", gettext_lazy("both words, in any form, such as “summits”")),
    ('"summit"', gettext_lazy("exactly this word")),
    ('"climate summit"', gettext_lazy("the exact phrase; 東京 and 人工智能 match within sentences without quotes")),
    ("climate -summit", gettext_lazy("the first word but not the second")),
    ("flood OR drought", gettext_lazy("either word")),
    ("(flood OR drought) -river", gettext_lazy("parentheses group words")),
    ("elect*", gettext_lazy("words that start with “elect”")),
    ("title:budget author:smith", gettext_lazy("a word in the title, an author")),
    ('feed:"The Guardian"', gettext_lazy("feeds by name or website")),
    ("folder:news", gettext_lazy("a folder")),
    ("is:unread is:starred", gettext_lazy("also read, liked, disliked, skipped, opened, updated")),
    (
        "after:7d before:yesterday",
        gettext_lazy("dates: 2026-03-01, 2026-03, 2026, today; or days, weeks, months, years ago"),
    ),
    ("score>70", gettext_lazy("current importance; also score<30")),
    ("lang:ja", gettext_lazy("a language")),
)

ORDERS = {Order.BEST: gettext_lazy("Best match first"), Order.NEWEST: gettext_lazy("Newest first")}


@require_safe
def search_page(request: SignedInRequest) -> HttpResponse:
    """The search form with results, or with help if there is no query."""
    context = _answer(request, request.GET.get("q", "").replace("\0", "").strip(), Order.BEST, "search")
    if request.htmx:
        return more_rows(request, context)
    return vary_on_htmx(page(request, "reader/search.html", context | {"title": _("Search")}, here="search"))


@require_safe
def saved_search(request: SignedInRequest, pk: int) -> HttpResponse:
    """The current results of a saved search, newest first unless the address says otherwise."""
    saved = saved_search_of(request.user, pk)
    context = _answer(request, saved.query, Order.NEWEST, f"saved_search.{pk}")
    if request.htmx:
        return more_rows(request, context)
    context |= {"title": saved.name, "saved": saved}
    return vary_on_htmx(page(request, "reader/search.html", context, here="saved_search", open_search=pk))


@require_POST
def saved_search_add(request: SignedInRequest) -> HttpResponse:
    """Save a query under a name, or show the form again with the reason why not."""
    form = SavedSearchForm(request.POST)
    if form.is_valid():
        try:
            saved = save_search(request.user, **form.cleaned_data)
        except NotSaved as refused:
            form.add_error("name", str(refused))
        else:
            messages.success(request, _("Saved “%(name)s”. It's in the sidebar.") % {"name": saved.name})
            return redirect("saved_search", saved.pk)
    return page(request, "reader/saved_search_edit.html", {"form": form}, here="search", status=422)


@require_http_methods(["GET", "HEAD", "POST"])
def saved_search_edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """Edit the name and the query."""
    saved = saved_search_of(request.user, pk)
    posted = request.method == "POST"
    form = SavedSearchForm(request.POST if posted else None, initial={"name": saved.name, "query": saved.query})
    if posted and form.is_valid():
        try:
            change_search(saved, **form.cleaned_data)
        except NotSaved as refused:
            form.add_error("name", str(refused))
        else:
            messages.success(request, _("Saved “%(name)s”.") % {"name": saved.name})
            return redirect("saved_search", pk)
    context = {"form": form, "saved": saved}
    status = 422 if posted else 200
    return page(request, "reader/saved_search_edit.html", context, here="saved_search", open_search=pk, status=status)


@require_POST
def saved_search_delete(request: SignedInRequest, pk: int) -> HttpResponse:
    """Delete it; the message keeps the query."""
    saved = saved_search_of(request.user, pk)
    saved.delete()
    text = _("Deleted “%(name)s”. Its query was: %(query)s")
    messages.success(request, text % {"name": saved.name, "query": saved.query})
    return redirect("search")


def _answer(request: SignedInRequest, words: str, usual: Order, name: str) -> dict[str, object]:
    """The template context of a query's results, in the order of the URL, else the `usual` one."""
    query = parse(words, today=timezone.localdate())
    after = request.GET.get("after", "")
    context: dict[str, object] = view_menu(shown_view(request, name), request.get_full_path()) | {
        "words": words,
        "warnings": query.warnings,
        "is_first": not after,
        "examples": EXAMPLES,
    }
    if query.tree is None:
        return context
    now = timezone.now()
    parameter = request.GET.get("order", "")
    order = Order(parameter) if parameter in tuple(Order) else usual
    found = search(request.user, query.tree, after, order=order, now=now)
    votes = votes_of(request.user, [row.article.pk for row in found.page.rows])
    context |= {
        "is_asked": True,
        "page": found.page,
        "n_found": found.n_found,
        "votes": votes,
        "orders": [(key, name, key == found.order) for key, name in ORDERS.items()] if can_be_best(query.tree) else [],
        "heading": ORDERS[found.order],
        "is_cut": found.is_cut,
        "n_candidates": CANDIDATES,
    }
    if not found.n_found and not request.htmx:
        context["wider"] = widened(request.user, query.parts, now=now)
    return context
