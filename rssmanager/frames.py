"""Middleware that runs a request within one chunk of CPython's stack.

CPython allocates the frames of calls in chunks of 16 KB. Calls that go back and forth across the end of a chunk
allocate and free one each time (https://github.com/python/cpython/issues/142183, fixed in Python 3.15). Whether a
template's loop is there depends on the server's call depth; a list of 100 rows takes up to 20% longer. A frame larger
than a chunk gets a chunk of its own, with room for the calls below it.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

_SLOTS = 17_000  # of 8 bytes. Chunks are powers of two: this one is 256 KB, and nearly half of it stays free.


def use_large_frame(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware; must be the outermost."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        return get_response(request)

    respond.__code__ = respond.__code__.replace(co_stacksize=_SLOTS)
    return respond
