"""What hubs of feeds call; the unguessable key in the address is the only authority."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from feeds.push.callback import Receipt, confirm, receive
from feeds.tasks.enqueue import call_worker

CHUNK_BYTES = 2**16
STATUSES = {
    Receipt.GONE: 410,
    Receipt.TOO_LARGE: 413,
    Receipt.IGNORED: 202,  # so that guesses at the signature learn nothing
    Receipt.COVERED: 202,
    Receipt.ACCEPTED: 202,
}


@login_not_required
@csrf_exempt  # hubs have no cookies
@never_cache
@require_http_methods(["GET", "POST"])
def push(request: HttpRequest, key: str) -> HttpResponse:
    """Confirm a subscription that we requested (GET), or take a hub's announcement (POST)."""
    return _take(request, key) if request.method == "POST" else _confirm(request, key)


def _confirm(request: HttpRequest, key: str) -> HttpResponse:
    challenge = confirm(key, request.GET, now=timezone.now())
    if challenge is None:
        raise Http404
    return HttpResponse(challenge, content_type="application/octet-stream")  # it may be markup, which no page may show


def _take(request: HttpRequest, key: str) -> HttpResponse:
    signature = request.headers.get("X-Hub-Signature", "")
    chunks: Iterator[bytes] = iter(partial(_body(request).read, CHUNK_BYTES), b"")
    receipt = receive(key, signature, chunks, max_bytes=settings.ENV.FETCH_MAX_BYTES, now=timezone.now())
    if receipt == Receipt.UNKNOWN:
        raise Http404
    if receipt == Receipt.ACCEPTED:
        call_worker("reader.tasks.push.poll_announced")
    return HttpResponse(status=STATUSES[receipt])


def _body(request: HttpRequest) -> Any:
    """The request's body to read. Django reads none without a length, which chunked requests lack."""
    is_chunked = "CONTENT_LENGTH" not in request.META and request.META.get("wsgi.input_terminated")
    return request.META["wsgi.input"] if is_chunked else request
