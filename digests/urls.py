"""Addresses of digests: the front page, past digests, settings, and the private feed, which its token opens."""

from django.urls import include, path

from digests.views import archive, feed, settings, today

urlpatterns = [
    path("", today.today, name="today"),
    path("today/refresh/", today.today_refresh, name="today_refresh"),
    path("digests/", archive.archive, name="digests"),
    path("digests/<int:pk>/", archive.digest, name="digest"),
    path("digests/<int:pk>/send/", archive.digest_send, name="digest_send"),
    path("digests/settings/", settings.digest_settings, name="digest_settings"),
    path("settings/time-zone/", settings.time_zone, name="time_zone"),
    path("digests/feed/", settings.digest_feed, name="digest_feed"),
    path("digests/feed/<str:token>/", feed.private_feed, name="private_feed"),
    path("", include("digests.delivery.link_urls")),
]
