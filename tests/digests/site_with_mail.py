"""The site with the addresses that a mail names."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path

from rssmanager.urls import urlpatterns as site


def stands_for(request: HttpRequest, pk: int = 0) -> HttpResponse:
    return HttpResponse("a page that needs signing in")


urlpatterns = [
    path("", include("digests.link_urls")),
    path("digests/<int:pk>/", stands_for, name="digest"),
    path("digests/settings/", stands_for, name="digest_settings"),
    *site,
]
