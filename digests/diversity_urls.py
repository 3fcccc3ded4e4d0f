"""Where the page of topics and their spread is. Included by `digests.urls`."""

from django.urls import path

from digests.views import diversity

urlpatterns = [path("diversity/", diversity.diversity, name="diversity")]
