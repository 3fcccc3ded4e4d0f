"""A request's calls in one piece of stack.

CPython keeps the frames of calls in pieces of 16 KB. Where calls come and go across the end of a piece, each of them
asks the system for another and gives it back (https://github.com/python/cpython/issues/142183, mended in Python 3.15).
Whether a template's loop lies there is the accident of how deep the server's own calls are: the same list took 28 ms or
45. For a frame larger than a piece CPython takes a larger one, and the calls made from there fit into what is left.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

_SLOTS = 17_000  # of 8 bytes. Pieces are powers of two: this one is of 256 KB, of which nearly half is left.


def one_piece(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware, the outermost: what is inside runs in one piece of stack."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        return get_response(request)

    respond.__code__ = respond.__code__.replace(co_stacksize=_SLOTS)
    return respond
