"""A user's digests as a private feed: anyone with its address can read it."""

from collections.abc import Sequence
from hashlib import sha256
from urllib.parse import urljoin

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from digests.access import digests_of, private_feed_of
from digests.delivery.private_feed import user_of_token
from digests.edition.document import Edition
from digests.models.edition_store import edition_of, with_topics
from digests.rendering.atom import as_atom
from digests.schedule.user_language import in_language_of

ENTRIES = 20  # newest digests


@login_not_required
@require_safe
def private_feed(request: HttpRequest, token: str) -> HttpResponse:
    """The newest digests of the token's user; 304 if unchanged, 404 for an invalid token."""
    user = user_of_token(token, now=timezone.now())
    if user is None:
        raise Http404("Feed not found.")
    newest = list(digests_of(user).order_by("-made_at", "-pk").values_list("pk", "made_at")[:ENTRIES])
    etag = _etag([pk for pk, made_at in newest])
    modified = int(newest[0][1].timestamp()) if newest else None
    response = get_conditional_response(request, etag=etag, last_modified=modified)
    if response is None:
        with in_language_of(user.pk):
            document = _document(user, [pk for pk, made_at in newest], request.path)
        response = HttpResponse(document, content_type="application/atom+xml; charset=utf-8")
    response["ETag"] = etag
    if modified is not None:
        response["Last-Modified"] = http_date(modified)
    response["Cache-Control"] = "private, no-cache"  # so that turning the feed off works at once
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "no-referrer"
    return response


def _etag(pks: Sequence[int]) -> str:
    """Digests never change, but their rendering may with the version and address, which are in the user agent."""
    return quote_etag(sha256(f"{settings.USER_AGENT} {pks}".encode()).hexdigest()[:32])


def _document(user: User, pks: Sequence[int], path: str) -> bytes:
    digests = with_topics(digests_of(user).filter(pk__in=pks)).order_by("-made_at", "-pk")
    pages = [
        (edition_of(digest), urljoin(settings.BASE_URL, reverse("digest", args=[digest.pk]))) for digest in digests
    ]
    addresses = {id(edition): url for edition, url in pages}

    def page_of(edition: Edition) -> str:
        return addresses[id(edition)]

    feed = private_feed_of(user)
    return as_atom(
        [edition for edition, url in pages],
        self_url=urljoin(settings.BASE_URL, path),
        site_url=urljoin(settings.BASE_URL, reverse("digests")),
        page_url=page_of,
        title=_("Digests of %(name)s") % {"name": user.get_username()},
        **({"updated_at": feed.made_at} if feed is not None else {}),
    )
