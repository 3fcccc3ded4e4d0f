"""Icons of feeds for apps, which load them as pictures: without the header that signs them in.

An address has a signature, so only users who follow a feed know that of its icon: a digest alone, which can be computed
from any site's icon, must not reveal whether it is followed here. FreshRSS and Miniflux do the same with a secret name.
"""

from urllib.parse import urljoin

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.signing import Signer
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe

from feeds.models import Icon
from reader.views.images import ICON_HEADERS

_SALT = "rssmanager.api.icons"
_CACHED = "public, max-age=31536000, immutable"  # the digest is of the content


def icon_address(digest: str | None) -> str:
    """The full address of an icon; "" without one."""
    if not digest:
        return ""
    return urljoin(settings.BASE_URL, reverse("app_icon", args=[digest, Signer(salt=_SALT).signature(digest)]))


@login_not_required
@require_safe
def app_icon(request: HttpRequest, digest: str, signature: str) -> HttpResponse:
    """The icon of a signed address."""
    if not constant_time_compare(signature, Signer(salt=_SALT).signature(digest)):
        raise Http404
    found = Icon.objects.filter(digest=digest).only("mime_type", "content").first()
    if found is None:
        raise Http404
    # Apps made as web pages load it from their own origin.
    headers = ICON_HEADERS | {"Cache-Control": _CACHED, "Cross-Origin-Resource-Policy": "cross-origin"}
    return HttpResponse(bytes(found.content), content_type=found.mime_type, headers=headers)
