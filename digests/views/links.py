"""Pages that links in emails lead to. The signed token is the only authority; sign-in is ignored.

Mail scanners open every link, so a GET only shows a button, and a POST acts. The pages aren't cached or indexed, and
their addresses, which are keys, aren't sent to other sites.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from digests.delivery import email_actions, unsubscribe
from digests.delivery.links import (
    ArticleAction,
    BadLink,
    EmailAction,
    read_action_token,
    read_picture_token,
    read_unsubscribe_token,
)
from digests.delivery.pictures import picture_for
from digests.schedule.user_language import in_language_of
from feeds.models import Article
from reader.views.base import whole_number
from reader.views.images import picture_response

View = Callable[[HttpRequest, str], HttpResponse]
METHODS = ["GET", "HEAD", "POST"]


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of an action's page."""

    question: str | Promise
    what_follows: str | Promise
    button: str | Promise
    done: str | Promise


WORDS = {
    EmailAction.READ: Words(
        _("Read this article?"),
        _("It will be marked as read, and you'll see more like it."),
        _("Read article"),
        _("Opened"),
    ),
    EmailAction.SKIP: Words(
        _("Skip this article?"),
        _("It will be marked as read, and you'll see fewer like it."),
        _("Skip article"),
        _("Skipped"),
    ),
    EmailAction.LIKE: Words(
        _("Do you like this article?"), _("You'll see more like it."), _("Like article"), _("Liked")
    ),
}


def _protected(view: View) -> View:
    """Add headers that protect a page whose address is a key."""

    @wraps(view)
    def protected(request: HttpRequest, token: str) -> HttpResponse:
        response = view(request, token)
        add_never_cache_headers(response)
        response["X-Robots-Tag"] = "noindex, nofollow"
        # Not "no-referrer": with it browsers send a form with "Origin: null", which the CSRF check rejects.
        response["Referrer-Policy"] = "same-origin"
        return response

    return protected


@login_not_required
@csrf_exempt
@_protected
@require_http_methods(METHODS)
def mail_act(request: HttpRequest, token: str) -> HttpResponse:
    """Read, skip or like an article. The CSRF token is checked if the browser accepts cookies."""
    view = _act_with_cookie if settings.CSRF_COOKIE_NAME in request.COOKIES else _act
    return view(request, token)


@login_not_required
@require_safe
def mail_picture(request: HttpRequest, token: str) -> HttpResponse:
    """The picture of an article, for mail apps, which aren't signed in. Depends on nothing but the token."""
    try:
        user_id, article_id = read_picture_token(token, now=timezone.now())
    except BadLink:
        raise Http404 from None
    response = picture_response(request, picture_for(user_id, article_id), with_drawings=False)
    response["Cross-Origin-Resource-Policy"] = "cross-origin"  # webmail embeds it
    return response


@login_not_required
@csrf_exempt  # mail services post to it without cookies (RFC 8058)
@_protected
@require_http_methods(METHODS)
def mail_unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Unsubscribe from a kind of email, or subscribe again. A POST without other instructions unsubscribes."""
    try:
        subscribed = read_unsubscribe_token(token)
    except BadLink:
        return _gone(request, 404)
    if email_actions.active_user(subscribed.user_id) is None:
        return _gone(request, 410)
    was_changed = request.method == "POST"
    if not was_changed:
        switches = unsubscribe.switches(subscribed)
    elif request.POST.get("do") == "resume":
        names = tuple(request.POST.getlist("switch"))
        switches = unsubscribe.resume(subscribed, names, now=timezone.now())
    else:
        switches = unsubscribe.stop(subscribed)
    page = {"name": subscribed.name, "switches": switches, "was_changed": was_changed}
    with in_language_of(subscribed.user_id):
        return render(request, "digests/link_unsubscribe.html", page)


def _act(request: HttpRequest, token: str) -> HttpResponse:
    now = timezone.now()
    try:
        action = read_action_token(token, now=now)
    except BadLink as reason:
        return _gone(request, 410 if reason.expired else 404, _readable(reason.expired))
    user = email_actions.active_user(action.user_id)
    article = email_actions.article_for(user, action) if user else None
    if user is None or article is None:
        return _gone(request, 410)
    page: dict[str, Any] = {"article": article, "act": action.act.value, "words": WORDS[action.act]}
    if request.method == "POST":
        page |= _posted(request, user, article, action)
    with in_language_of(user.pk):
        return render(request, "digests/link_action.html", page)


_act_with_cookie = csrf_protect(_act)


def _posted(request: HttpRequest, user: User, article: Article, action: ArticleAction) -> dict[str, Any]:
    """Do or undo the action; returns what the page shows."""
    now = timezone.now()
    if request.POST.get("do") != "undo":
        return {"done": email_actions.perform(user, article, action.act, now=now)}
    engagement = whole_number(request.POST.get("engagement", "")) or 0
    make_unread = request.POST.get("unread") == "1"
    email_actions.undo_action(user, article, action.act, engagement, make_unread=make_unread, now=now)
    return {"was_undone": True}


def _readable(expired: ArticleAction | None) -> Article | None:
    """The article that an expired link was to open; it can be read without being recorded."""
    if expired is None or expired.act is not EmailAction.READ:
        return None
    user = email_actions.active_user(expired.user_id)
    return email_actions.article_for(user, expired) if user else None


def _gone(request: HttpRequest, status: int, article: Article | None = None) -> HttpResponse:
    """The link no longer works; the page doesn't say why, but leads to the `article` it was to open."""
    return render(request, "digests/link_expired.html", {"article": article}, status=status)
