"""The answer to who tries too often."""

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from rssmanager.signing_in.errors import TooManyTries


def too_many(request: HttpRequest, error: TooManyTries, *, back: str, now: datetime) -> HttpResponse:
    """429: when to try again, and where; `back` is the name of that page."""
    context = {"minutes": error.minutes(now), "back": back}
    answer = render(request, "signing_in/too_many.html", context, status=429)
    answer["Retry-After"] = str(error.seconds(now))
    answer["Cache-Control"] = "no-store"
    return answer
