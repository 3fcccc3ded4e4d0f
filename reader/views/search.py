"""Search, and searches that are kept as lists."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reader.access import saved_search_of
from reader.acting import votes_of
from reader.errors import NotSaved
from reader.forms import SavedSearchForm
from reader.saved_searches import change_search, save_search
from reader.search.language import parse
from reader.search_notes import in_words
from reader.searching import CANDIDATES, Order, can_be_best, search
from reader.views.growing import grown, whole
from reader.views.signed_in import SignedInRequest, page
from reader.widening import widened

EXAMPLES = (
    ("climate summit", gettext_lazy("both words, in any form: summits, too")),
    ('"summit"', gettext_lazy("the word as it is written")),
    ('"climate summit"', gettext_lazy("the words in a row; 東京 and 人工智能 are found within sentences, too")),
    ("climate -summit", gettext_lazy("the first and not the second")),
    ("flood OR drought", gettext_lazy("either")),
    ("(flood OR drought) -river", gettext_lazy("parentheses join first")),
    ("elect*", gettext_lazy("words that begin so")),
    ("title:budget author:smith", gettext_lazy("in the title, by the author")),
    ('feed:"The Guardian"', gettext_lazy("from feeds whose name or site says so")),
    ("folder:news", gettext_lazy("from a folder")),
    ("is:unread is:starred", gettext_lazy("also read, liked, disliked, skipped, opened, updated")),
    ("after:7d before:yesterday", gettext_lazy("by date: 2026-03-01, 2026-03, 2026, today; d, w, m and y count back")),
    ("score>70", gettext_lazy("of this importance now, or score<30")),
    ("lang:ja", gettext_lazy("in a language")),
)

ORDERS = {Order.BEST: gettext_lazy("Best match first"), Order.NEWEST: gettext_lazy("Newest first")}


@require_safe
def search_page(request: SignedInRequest) -> HttpResponse:
    """A form, and what its query finds; without a query, what can be asked."""
    context = _answer(request, _typed(request.GET.get("q", "")), Order.BEST)
    if request.htmx:
        return grown(request, context)
    return whole(page(request, "reader/search.html", context | {"title": _("Search")}, here="search"))


@require_safe
def saved_search(request: SignedInRequest, pk: int) -> HttpResponse:
    """What a saved search finds now; as in other lists, the newest first unless asked otherwise."""
    saved = saved_search_of(request.user, pk)
    context = _answer(request, saved.query, Order.NEWEST)
    if request.htmx:
        return grown(request, context)
    context |= {"title": saved.name, "saved": saved}
    return whole(page(request, "reader/search.html", context, here="saved_search", open_search=pk))


@require_POST
def saved_search_add(request: SignedInRequest) -> HttpResponse:
    """Keep a query under a name; what is refused stands in the form again, with the reason."""
    form = SavedSearchForm(request.POST)
    if form.is_valid():
        try:
            saved = save_search(request.user, **form.cleaned_data)
        except NotSaved as refused:
            form.add_error("name", str(refused))
        else:
            messages.success(request, _("Saved. “%(name)s” stands beside your folders now.") % {"name": saved.name})
            return redirect("saved_search", saved.pk)
    return page(request, "reader/saved_search_edit.html", {"form": form}, here="search", status=422)


@require_http_methods(["GET", "HEAD", "POST"])
def saved_search_edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """Its name and what it asks."""
    saved = saved_search_of(request.user, pk)
    posted = request.method == "POST"
    form = SavedSearchForm(request.POST if posted else None, initial={"name": saved.name, "query": saved.query})
    if posted and form.is_valid():
        try:
            change_search(saved, **form.cleaned_data)
        except NotSaved as refused:
            form.add_error("name", str(refused))
        else:
            messages.success(request, _("Saved. It is called %(name)s now.") % {"name": saved.name})
            return redirect("saved_search", pk)
    context = {"form": form, "saved": saved}
    status = 422 if posted else 200
    return page(request, "reader/saved_search_edit.html", context, here="saved_search", open_search=pk, status=status)


@require_POST
def saved_search_delete(request: SignedInRequest, pk: int) -> HttpResponse:
    """Let it go; the query stays in the form, from where it can be saved again."""
    saved = saved_search_of(request.user, pk)
    saved.delete()
    told = _("“%(name)s” is not saved any more. It asked: %(query)s")
    messages.success(request, told % {"name": saved.name, "query": saved.query})
    return redirect("search")


def _typed(text: str) -> str:
    return text.replace("\0", "").strip()


def _answer(request: SignedInRequest, words: str, usual: Order) -> dict[str, object]:
    """What the query in `words` finds, for a template; in the `usual` order unless the address says otherwise."""
    query = parse(words, today=timezone.localdate())
    after = request.GET.get("after", "")
    context: dict[str, object] = {
        "words": words,
        "notes": [(in_words(each), each.instead) for each in query.notes],
        "is_first": not after,
        "examples": EXAMPLES,
    }
    if query.tree is None:
        return context
    now = timezone.now()
    asked = request.GET.get("order", "")
    order = Order(asked) if asked in tuple(Order) else usual
    found = search(request.user, query.tree, after, order=order, now=now)
    votes = votes_of(request.user, [row.article.pk for row in found.page.rows])
    context |= {
        "is_asked": True,
        "page": found.page,
        "n_found": found.n_found,
        "votes": votes,
        "orders": [(each, ORDERS[each], each == found.order) for each in Order] if can_be_best(query.tree) else [],
        "heading": ORDERS[found.order],
        "is_cut": found.is_cut,
        "n_candidates": CANDIDATES,
    }
    if not found.n_found and not request.htmx:
        context["wider"] = widened(request.user, query.parts, now=now)
    return context
