"""Save a page: from the share target of the installed app, the bookmarklet, or a form; remove it, and undo that."""

import json
from urllib.parse import urljoin

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from feeds.discovery.feed_address import InvalidAddress
from feeds.models import FullText
from reader.access import article_of
from reader.articles.saved_items import is_saved, saved_pages_of
from reader.subscriptions.save_page import put_back, read_shared, remove_page, save_and_fetch
from reader.views.base import SignedInRequest, page
from reader.views.forms import TYPED_ADDRESS

# Opens a small window: a page of another site can't be read from here, and its cookies stay there.
_BOOKMARKLET = (
    "javascript:void(open(%s+'?url='+encodeURIComponent(location.href)+'&title='+encodeURIComponent(document.title),"
    "'_blank','noopener,width=600,height=640'))"
)


class PageForm(forms.Form):
    """The address of a page, and its title as the program that shared it knows it."""

    address = forms.CharField(
        label=gettext_lazy("Page address"),
        max_length=4000,
        widget=forms.TextInput(attrs=TYPED_ADDRESS | {"placeholder": "example.org/article"}),
    )
    title = forms.CharField(required=False, widget=forms.HiddenInput)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def save(request: SignedInRequest) -> HttpResponse:
    """What was shared, to save or to follow its feed. A link alone saves nothing: any site could open one."""
    if request.method == "POST":
        form = PageForm(request.POST)
        if form.is_valid():
            try:
                return _saved(request, **form.cleaned_data)
            except InvalidAddress as error:
                form.add_error("address", _("This page can't be saved: %(reason)s.") % {"reason": error})
    else:
        shared = read_shared(*(request.GET.get(name, "") for name in ("url", "text", "title")))
        form = PageForm(initial={"address": shared.url, "title": shared.title})
    place = json.dumps(urljoin(settings.BASE_URL, reverse("save_page"))).replace('"', "'")
    context = {"form": form, "title": form["title"].value(), "bookmarklet": _BOOKMARKLET % place}
    return page(request, "reader/save.html", context, here="subscribe", status=422 if form.errors else 200)


def _saved(request: SignedInRequest, *, address: str, title: str) -> HttpResponse:
    article, is_new = save_and_fetch(request.user, address, title=title, now=timezone.now())
    if not is_new:
        messages.info(request, _("You had already saved this page."))
    return redirect("saved_page", article.pk)


@require_safe
@vary_on_headers("X-Fragment")
def saved_page(request: SignedInRequest, pk: int) -> HttpResponse:
    """A page that was just saved, and whether its text is there; only the latter for scripts."""
    found = article_of(request.user, pk)
    if not is_saved(request.user, found):
        raise Http404
    full_text = FullText.objects.filter(article=found).first()
    context = {
        "article": found,
        "full_text": full_text,
        "has_text": bool(found.text or (full_text and full_text.has_text)),
        "list_url": reverse("feed", args=[saved_pages_of(request.user, now=timezone.now()).pk]),
    }
    if request.headers.get("X-Fragment") == "add":
        return render(request, "reader/_saved_done.html", context)
    if request.headers.get("X-Fragment") == "progress":
        return render(request, "reader/_saved_progress.html", context)
    return page(request, "reader/saved_page.html", context, here="subscribe")


@require_POST
def saved_remove(request: SignedInRequest, pk: int) -> HttpResponse:
    """Remove an article from the saved pages, with undo."""
    found = article_of(request.user, pk)
    token = remove_page(request.user, found, now=timezone.now())
    if token:
        text = _("Removed “%(title)s” from Saved pages.") % {"title": found.title}
        messages.success(request, text, extra_tags=reverse("saved_restore", args=[token]))
    return _to_list(request)


@require_POST
def saved_restore(request: SignedInRequest, token: str) -> HttpResponse:
    """Undo removing a page."""
    article = put_back(request.user, token, now=timezone.now())
    if article is None:
        messages.info(request, _("This can no longer be undone."))
    else:
        messages.success(request, _("“%(title)s” is saved again.") % {"title": article.title})
    return _to_list(request)


def _to_list(request: SignedInRequest) -> HttpResponse:
    return redirect("feed", saved_pages_of(request.user, now=timezone.now()).pk)
