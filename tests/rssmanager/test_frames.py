"""Requests run in one chunk of stack, with unchanged depth and errors."""

import sys
from types import FrameType

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client

from rssmanager.frames import use_large_frame

PIECE = 16 * 1024 // 8  # slots; CPython's own size


def test_response_passes_unchanged() -> None:
    response = HttpResponse(b"words")
    assert use_large_frame(lambda _request: response)(HttpRequest()) is response


def test_error_passes_too() -> None:
    def fail(_request: HttpRequest) -> HttpResponse:
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        use_large_frame(fail)(HttpRequest())


def test_recursion_depth_is_unchanged() -> None:
    def deep(n: int) -> int:
        return deep(n - 1) + 1 if n else 0

    def respond(_request: HttpRequest) -> HttpResponse:
        return HttpResponse(str(deep(500)))

    assert use_large_frame(respond)(HttpRequest()).content == b"500"  # type: ignore[attr-defined]


def test_it_is_the_outermost_middleware(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every view is called from a frame larger than a chunk."""
    sizes: list[int] = []

    def health(_request: HttpRequest, *_: object, **__: object) -> HttpResponse:
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            sizes.append(frame.f_code.co_stacksize)
            frame = frame.f_back
        return HttpResponse()

    monkeypatch.setattr("django.core.handlers.base.BaseHandler._get_response", lambda _self, request: health(request))
    client.get("/")
    assert max(sizes) > PIECE
