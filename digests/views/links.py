"""Where links in mails lead. The signed token is all the authority there is: no session, and nobody signed in counts.

Mail scanners open every link, so a GET shows what the link is for and one button, and only a POST does it. These pages
are stored nowhere, found by no search engine, and their address, which is the key, is told to no other site.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from digests.delivery import from_mail, subscribing
from digests.languages import in_language_of
from digests.links import ArticleAct, BadLink, MailAct, act_of, subscribed_of
from feeds.models import Article
from reader.views.signed_in import whole_number

View = Callable[[HttpRequest, str], HttpResponse]
METHODS = ["GET", "HEAD", "POST"]


@dataclass(frozen=True, slots=True)
class Words:
    """What the page of an act says: before it, on its button, and after it."""

    question: str | Promise
    what_follows: str | Promise
    button: str | Promise
    done: str | Promise


WORDS = {
    MailAct.READ: Words(
        _("Read this article?"), _("It is marked read, and you see more of its kind."), _("Read it"), _("Opened")
    ),
    MailAct.SKIP: Words(
        _("Skip this article?"), _("It is marked read, and you see less of its kind."), _("Skip it"), _("Skipped")
    ),
    MailAct.LIKE: Words(_("Do you like this article?"), _("You see more of its kind."), _("I like it"), _("Liked")),
}


def _closed(view: View) -> View:
    """Add the headers of a page whose address is a key."""

    @wraps(view)
    def closed(request: HttpRequest, token: str) -> HttpResponse:
        response = view(request, token)
        add_never_cache_headers(response)
        response["X-Robots-Tag"] = "noindex, nofollow"
        # Not "no-referrer": with it browsers send a form with "Origin: null", which the check of forms refuses.
        response["Referrer-Policy"] = "same-origin"
        return response

    return closed


@login_not_required
@csrf_exempt
@_closed
@require_http_methods(METHODS)
def mail_act(request: HttpRequest, token: str) -> HttpResponse:
    """Read, skip or like an article. The form's own token is checked wherever a cookie could be set for it."""
    view = _act_with_cookie if settings.CSRF_COOKIE_NAME in request.COOKIES else _act
    return view(request, token)


@login_not_required
@csrf_exempt  # mail services press the button (RFC 8058): they have the link, and neither cookie nor form
@_closed
@require_http_methods(METHODS)
def mail_unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Switch a kind of mail off, and on again. Any POST that does not say otherwise switches off."""
    try:
        subscribed = subscribed_of(token)
    except BadLink:
        return _gone(request, 404)
    if from_mail.person(subscribed.user_id) is None:
        return _gone(request, 410)
    was_changed = request.method == "POST"
    if not was_changed:
        now_set = subscribing.switches(subscribed)
    elif request.POST.get("do") == "resume":
        names = tuple(request.POST.getlist("switch"))
        now_set = subscribing.resume(subscribed, names, now=timezone.now())
    else:
        now_set = subscribing.stop(subscribed)
    page = {"name": subscribed.name, "switches": now_set, "was_changed": was_changed}
    with in_language_of(subscribed.user_id):
        return render(request, "digests/link_unsubscribe.html", page)


def _act(request: HttpRequest, token: str) -> HttpResponse:
    now = timezone.now()
    try:
        asked = act_of(token, now=now)
    except BadLink as reason:
        return _gone(request, 410 if reason.is_expired else 404)
    user = from_mail.person(asked.user_id)
    article = from_mail.article_for(user, asked) if user else None
    if user is None or article is None:
        return _gone(request, 410)
    page: dict[str, Any] = {"article": article, "act": asked.act.value, "words": WORDS[asked.act]}
    if request.method == "POST":
        page |= _posted(request, user, article, asked)
    with in_language_of(user.pk):
        return render(request, "digests/link_act.html", page)


_act_with_cookie = csrf_protect(_act)


def _posted(request: HttpRequest, user: User, article: Article, asked: ArticleAct) -> dict[str, Any]:
    """Do the act or take it back; what the page says of it."""
    now = timezone.now()
    if request.POST.get("do") != "undo":
        return {"done": from_mail.do(user, article, asked.act, now=now)}
    engagement = whole_number(request.POST.get("engagement", "")) or 0
    make_unread = request.POST.get("unread") == "1"
    from_mail.take_back(user, article, asked.act, engagement, make_unread=make_unread, now=now)
    return {"was_undone": True}


def _gone(request: HttpRequest, status: int) -> HttpResponse:
    """The link is of no use any more; why is nobody's business who merely holds it."""
    return render(request, "digests/link_gone.html", status=status)
