"""All addresses of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("rssmanager.signing_in.urls")),
    path("", include("rssmanager.operating.urls")),  # before the admin, which would say that it has no such page
    path("admin/", admin.site.urls),
    path("", include("rssmanager.account.urls")),
    path("", include("rssmanager.demo.urls")),
    path("", include("digests.urls")),
    path("", include("reader.urls")),
]

handler400 = "rssmanager.trouble.bad_request"
handler500 = "rssmanager.trouble.server_error"
