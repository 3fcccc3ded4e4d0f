"""The image proxy, and the icons of feeds."""

from hashlib import sha256

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from feeds.content.image_proxy import SVG, Busy, fetch_picture
from reader.access import icon_of
from reader.articles.image_proxy import original_addresses
from reader.views.base import SignedInRequest

KEPT = "private, max-age=604800, immutable"
KEPT_FOREVER = "private, max-age=31536000, immutable"
HEADERS = {
    "Content-Disposition": "inline",
    "Content-Security-Policy": "sandbox; default-src 'none'",
}
# An SVG may style itself.
ICON_HEADERS = HEADERS | {"Content-Security-Policy": f"{HEADERS['Content-Security-Policy']}; style-src 'unsafe-inline'"}
# A drawing may hold pictures and typefaces, too. It is only shown within pages; by itself it is downloaded.
DRAWING_HEADERS = {
    "Content-Disposition": "attachment",
    "Content-Security-Policy": f"{ICON_HEADERS['Content-Security-Policy']}; img-src data:; font-src data:",
}


@require_safe
def image(request: SignedInRequest, signature: str, address: str) -> HttpResponse:
    """The image of a signed URL; 404 if there is none, 503 while too many are being fetched."""
    url, page = original_addresses(signature, address)
    return picture_response(request, url, page)


def picture_response(request: HttpRequest, url: str, page: str = "", *, with_drawings: bool = True) -> HttpResponse:
    """The image at `url`; 404 if there is none or `IMAGE_PROXY` is off, 503 while too many are being fetched."""
    if not url or not settings.ENV.IMAGE_PROXY:
        raise Http404
    try:
        found = fetch_picture(url, page=page)
    except Busy:
        return HttpResponse(status=503, headers={"Retry-After": "2", "Cache-Control": "no-store"})
    if found is None or (found.mime_type == SVG and not with_drawings):
        return HttpResponse(status=404, headers={"Cache-Control": "private, max-age=300"})
    tag = quote_etag(sha256(found.content).hexdigest())
    headers = (DRAWING_HEADERS if found.mime_type == SVG else HEADERS) | {"Cache-Control": KEPT, "ETag": tag}
    answer = HttpResponse(found.content, content_type=found.mime_type, headers=headers)
    return get_conditional_response(request, etag=tag, response=answer) or answer


@require_safe
def icon(request: SignedInRequest, digest: str) -> HttpResponse:
    """The icon of a feed that the user follows. The digest is of its content, so it never changes."""
    found = icon_of(request.user, digest)
    headers = ICON_HEADERS | {"Cache-Control": KEPT_FOREVER}
    return HttpResponse(bytes(found.content), content_type=found.mime_type, headers=headers)
