"""All addresses of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("digests.urls")),
    path("", include("reader.urls")),
]
