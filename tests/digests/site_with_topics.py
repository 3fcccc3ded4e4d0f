"""The site with the page of topics, which another place may include as well."""

from django.urls import include, path

from rssmanager.urls import urlpatterns as site

urlpatterns = [path("", include("digests.diversity_urls")), *site]
